/* SPDX-License-Identifier: MIT */
/*
 * event_list.h - the events of a dataset as lists and counts of them, for outputs and the page; and where events
 * are missing, as bands over its charts.
 *
 * All requests share one reader, because they mostly continue where the one before has ended, and opening a trace
 * again takes long.  A request has it for a bounded time.
 *
 * Gaps that a chart cannot tell apart are one band, so there are no more bands than pixels, and than GAP_BANDS_MAX.
 */
#ifndef SERVER_MODEL_EVENT_LIST_H
#define SERVER_MODEL_EVENT_LIST_H

#include "histree/states.h"
#include "server/catalogue/dataset.h"
#include "server/model/line_table.h"
#include "server/text/json_writer.h"
#include "view/view.h"

/* The last one only where there are several hosts. */
enum event_column { EVENT_CLOCK, EVENT_CPU, EVENT_TYPE, EVENT_CONTENTS, EVENT_TIME, EVENT_HOST, EVENT_COLUMNS };

enum { EVENT_CELL_SIZE = 48 };

struct event_line {
	uint64_t number;
	histree_time time;
	int32_t cpu;
	const char *type, *contents;
	const char *host;           /* NULL: there is but one */
	char room[EVENT_CELL_SIZE]; /* where short cells are made */
};

/* A cell_text. */
const char *event_line_cell(void *line, unsigned column);

struct event_list {
	const struct histree_events *events;
	const char *name; /* of the trace */
	histree_time start, end;
	uint64_t count;
	const char *const *types;
	size_t type_count;
	const struct histree_event_host *hosts; /* NULL: there is but one */
	size_t host_count;
	pthread_mutex_t lock; /* who reads */
	struct histree_cursor *reader;
};

/* A struct event_list. */
extern const struct view_kind event_list_kind;

/* What reads lines of a list. */
struct event_lines {
	struct event_line line; /* of the current batch; its cells are those of the lines */
	struct event_list *list;
};

/* Returns the table of a list; `lines` is where a line is put. */
struct line_table event_list_table(struct event_list *list, struct event_lines *lines);

/*
 * These count as in events.h.  A density takes a bounded time once it is its turn, so `cancel` is asked only
 * then.
 */
enum histree_status event_list_count_types(struct event_list *list, histree_time from, histree_time to,
					   uint64_t *counts, struct histree_error *error);
enum histree_status event_list_density(struct event_list *list, histree_time from, histree_time to, uint32_t pixels,
				       struct histree_work work, double *counts, bool *are_exact,
				       struct histree_error *error);

/* Fills `order`, which has room for all of them, with the indexes of the types, those of the most events first. */
void event_list_order_types(const struct event_list *list, const uint64_t *counts, uint32_t *order);

struct gap_band {
	histree_time from, to; /* both inclusive, inside the trace */
	int32_t cpu;           /* -1: several, or it is not known which */
	uint64_t gaps;
	uint64_t events;       /* that are lost, as far as they were counted */
	uint32_t host;         /* UINT32_MAX: several */
	const char *host_name; /* NULL: several, or there is but one */
};

typedef void gap_band_visit(void *context, const struct gap_band *band);

/* Visits the bands that meet [from, to], in `pixels` parts, in the order of time.  The dataset is ready. */
void gap_bands_each(const struct dataset *dataset, histree_time from, histree_time to, uint32_t pixels,
		    gap_band_visit *visit, void *context);

/* Adds "7 events lost on CPU 0". */
void gap_band_text(const struct gap_band *band, struct byte_buffer *text);

#endif
