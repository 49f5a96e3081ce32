/* SPDX-License-Identifier: MIT */
/*
 * segment_list.h - the segments of a dataset, analysis by analysis, as a table that is scrolled and searched.
 *
 * A line is a segment: start, end, duration, the fields, and the start as a number.
 *
 * A store is opened when it is first needed.  Rows are kept with their marks, for a few orders of each store, so
 * that scrolling a table does not start over; one request uses them at a time. Everything else reads the store with
 * iterators of its own, and any number of requests do so at once.
 */
#ifndef SERVER_MODEL_SEGMENT_LIST_H
#define SERVER_MODEL_SEGMENT_LIST_H

#include "histree/segment_stats.h"
#include "histree/segments.h"
#include "server/catalogue/dataset.h"
#include "server/model/line_table.h"
#include "server/text/json_writer.h"
#include "view/view.h"

enum { SEGMENT_START, SEGMENT_END, SEGMENT_DURATION, SEGMENT_FIELDS };

/* The column by which viewers know the time of a line; it stands last. */
static inline unsigned segment_time_column(const struct histree_segment_schema *schema)
{
	return SEGMENT_FIELDS + (unsigned)schema->field_count;
}

/* What reads lines of a list, one request's at a time. */
struct segment_lines {
	const struct histree_segment_schema *schema;
	struct histree_cursor *rows;
	struct histree_segment segment; /* at hand */
	struct byte_buffer text;        /* of the cell that was asked for last */
};

struct segment_list {
	const char *analysis;
	struct histree_store *of;            /* which also has the history of the kernel */
	pthread_mutex_t lock;                /* guards what follows; the store and its info may be read without */
	struct histree_segment_store *store; /* NULL until it is asked for */
	const struct histree_segment_store_info *info;
	histree_time start, end; /* of the trace: what times are counted from */
	size_t name_field;       /* HISTREE_SEGMENTS_TOGETHER: they have no names */
	struct segment_names *names;
	struct segment_listing *listings;
};

/* The lists of all stores of a dataset. */
extern const struct view_kind segment_lists_kind;

/* Opens the store of an analysis.  Returns HISTREE_NOT_FOUND if the dataset has none. */
enum histree_status segment_list_find(void *view, const char *analysis, struct segment_list **out,
				      struct histree_error *error);

/*
 * Reads an expression of a client (filter.h); times count from the trace.  *out is NULL for "", which passes
 * all.  Returns HISTREE_ERR_ARGUMENT if the expression is wrong, and the error says where.
 */
enum histree_status segment_list_filter(const struct segment_list *list, const char *text,
					struct histree_segment_filter **out, struct histree_error *error);

/* ---- names ----------------------------------------------------------------------------------------------- */

/* The statistics of all segments by their names, the greatest total first; they do not change. */
struct segment_names {
	struct histree_segment_stats *stats;
	size_t count;
	uint32_t *sorted; /* indices of groups, by name */
	/* The same of each host, where there are several; NULL for one that is missing. */
	const struct histree_segment_part *hosts;
	struct histree_segment_stats **host_stats;
	size_t host_count;
};

enum histree_status segment_list_names(struct segment_list *list, struct histree_work work,
				       const struct segment_names **out, struct histree_error *error);

/* Returns the index of the group of a name, SIZE_MAX if no group has it. */
size_t segment_names_index(const struct segment_names *names, const struct histree_value *name);

/* Does what histree_segment_stats_create() does, and can be cancelled. */
enum histree_status segment_list_stats(const struct segment_list *list, const struct histree_segment_query *query,
				       size_t field, struct histree_work work, struct histree_segment_stats **out,
				       struct histree_error *error);

/* ---- rows ------------------------------------------------------------------------------------------------ */

struct segment_listing_key {
	enum histree_segment_order order;
	size_t field;
	bool descending;
	const char *filter; /* an expression; "": all */
};

/*
 * Gives the lines of an order, which are this request's alone until segment_list_leave(); they go on as long as
 * `cancel` does.  On failure there is nothing to leave.
 */
enum histree_status segment_list_enter(struct segment_list *list, const struct segment_listing_key *key,
				       struct histree_work work, struct segment_lines *lines,
				       struct line_table *out, struct histree_error *error);
void segment_list_leave(struct segment_list *list, struct segment_lines *lines);

#endif
