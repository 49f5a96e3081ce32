/* SPDX-License-Identifier: MIT */
/*
 * host_rows.h - the rows of a model for all hosts of a dataset, those of each below a row of the host.
 *
 * Row 0 is the first host, then come its own rows, then the second host.  In a dataset of one host, the host has no
 * row, and all rows are its own.  The page and the protocol show these rows and use their numbers.
 */
#ifndef SERVER_MODEL_HOST_ROWS_H
#define SERVER_MODEL_HOST_ROWS_H

#include "server/catalogue/dataset.h"
#include "server/model/row_model.h"

struct host_view {
	const char *name;                /* NULL: there is but one */
	char *why;                       /* it cannot be read; NULL: it can */
	struct dataset *own;             /* borrowed; NULL: nothing of it can be read */
	void *view;                      /* of the model; NULL: the host has no such rows */
	uint32_t first;                  /* the row of the host, or if it has none its first row */
	uint32_t count;                  /* of its own rows */
	histree_time start, end;         /* when it was traced; of one that cannot be read, those of all */
	struct histree_history *history; /* of the whole dataset, in which its folder is; NULL: it has none */
	histree_quark folder;
	struct dataset_place *places; /* where its own histories stand in those of the whole */
};

struct host_rows {
	const struct row_model *model; /* of each host */
	const char *name; /* of the trace or, if there are several or the rows are of all histories, the store */
	histree_time start, end; /* of the history of the model, or of the store */
	struct host_view *hosts;
	size_t host_count;
	uint32_t count; /* of all rows */
	bool has_hosts; /* rows of hosts */
	/* Of all hosts, for the packets between them, one question at a time; NULL: no graph, or one host. */
	struct histree_history *graph;
	struct histree_cursor *paths; /* NULL until it is asked for */
	pthread_mutex_t paths_lock;
};

/* The same as below, for an existing row of several hosts. */
const struct host_view *host_rows_search(const struct host_rows *rows, uint32_t row, uint32_t *own);

/*
 * Finds the host of a row and which of its own rows it is, HISTREE_NO_INDEX if it is the host's; returns NULL if
 * there is no such row.
 */
static inline const struct host_view *host_rows_find(const struct host_rows *rows, uint32_t row, uint32_t *own)
{
	*own = row;
	if (row < rows->count && !rows->has_hosts)
		return rows->hosts;
	*own = HISTREE_NO_INDEX;
	return row < rows->count ? host_rows_search(rows, row, own) : NULL;
}

/* Returns which row of all it is. */
static inline uint32_t host_row(const struct host_rows *rows, const struct host_view *host, uint32_t own)
{
	return host->first + rows->has_hosts + own;
}

/* Returns where a history of the host stands in that of the whole dataset. */
struct dataset_place host_view_place(const struct host_view *host, struct histree_history *history);

/*
 * The questions of struct row_model about the rows of a host, asked about the rows of all: facts include the host
 * of a row, its history and quarks are those of the whole dataset, and hosts are rows.
 */
void host_rows_facts(const struct host_rows *rows, uint32_t row, struct row_facts *out);
void host_rows_describe(const struct host_rows *rows, uint32_t row, struct json_writer *json);
/* Adds what a row is called; nothing for that of a host. */
void host_rows_label(const struct host_rows *rows, uint32_t row, struct byte_buffer *text);
enum row_match host_rows_match(const struct host_rows *rows, uint32_t row, const char *text);
uint32_t host_rows_seek(const struct host_rows *rows, const struct row_wanted *wanted);
enum histree_status host_rows_prepare(const struct host_rows *rows, enum row_sort sort,
				      struct histree_error *error);

/* Says what all rows did in a range (struct row_model); the caller frees it. */
enum histree_status host_rows_activity(const struct host_rows *rows, histree_time from, histree_time to,
				       struct row_activity **out, struct histree_error *error);
uint64_t host_rows_sort_key(const struct host_rows *rows, uint32_t row, enum row_sort sort);

/* An arrow_next of rows: the arrows of one host after the other, then those between hosts. */
bool host_rows_arrows(const void *rows, size_t index, struct arrow_source *out);

/* The rows of each model, each a view of a dataset; and that of a model. */
extern const struct view_kind host_threads, host_early_threads, host_resources, host_calls, host_charts,
	host_explorer, host_attributes, host_spans;
const struct view_kind *host_rows_kind(const struct row_model *model);

/* The models of the views of the page; NULL at the end. */
extern const struct row_model *const row_models[];

/* Returns the model of a name that applies to a dataset; NULL if no model does. */
const struct row_model *row_model_find(const struct dataset *dataset, const char *name);

#endif
