/* SPDX-License-Identifier: MIT */
/*
 * replies.h - the parts that answers are made of: trees, tables, lines, styles, tags, arrows, tooltips.
 *
 * An answer to `tree` has the members of entries of all kinds of trees: clients ignore those that they do not use.
 * The output writes the cells of a table.
 *
 * A chart of n points (`xy`) has n - 1 stretches between them.  The value at a point is that of the stretch which
 * ends there, (x[i - 1], x[i]], as the reference server has it; the first point has none.
 */
#ifndef SERVER_TSP_REPLIES_H
#define SERVER_TSP_REPLIES_H

#include "server/http/http.h"
#include "server/model/line_table.h"
#include "server/model/state_filter.h"
#include "server/tsp/outputs.h"
#include "view/view.h"

struct tooltip_request {
	int64_t item;
	histree_time time;
};

/* Reads the requested items; returns false if it has answered because there are none, or they are not states. */
bool tooltip_begin(struct call *call, histree_time start, histree_time end, struct tooltip_request *request);

/* Writes a pair, unless the text is empty. */
void tooltip_pair(struct call *call, const char *key, const struct byte_buffer *text);

/* A state as viewers show it: it ends before `end`; without a style nothing is there; label NULL: it has none. */
struct shown_state {
	histree_time start, end;
	const struct histree_style *style;
	const char *label;
	size_t label_size;
	unsigned tags;
};

/* Where the states of items come from, that are asked for one after the other. */
struct states_source {
	/* Goes to the row of an item.  HISTREE_NOT_FOUND: there is no such row, and the answer has none for it. */
	enum histree_status (*row)(void *context, int64_t item, struct histree_error *error);
	/* Gets its next state; HISTREE_END: it has no more. */
	enum histree_status (*next)(void *context, struct shown_state *out, struct histree_error *error);
	void (*release)(void *context); /* NULL: there is nothing to give back */
};

/* Answers `states`, by steps.  The answer releases the context, which is memory of the reply. */
void states_reply(struct call *call, const struct states_source *source, void *context, const int64_t *items,
		  size_t item_count);

/* Answers `arrows`, by steps that put them. */
void arrows_reply(struct call *call, const struct reply_steps *steps);
void arrow_put(struct json_writer *json, int64_t from, int64_t to, histree_time start, histree_time end,
	       const char *style);

void style_reply(struct call *call, const struct histree_label_table *const *tables, size_t count);

/* Does the same for a time graph that has arrows of these kinds too. */
void style_reply_with_arrows(struct call *call, const struct histree_label_table *const *tables, size_t table_count,
			     const enum histree_arrow_kind *arrows, size_t arrow_count);

struct table_column {
	const char *name, *description;
	const char *type; /* of the protocol: STRING, NUMBER, TIMESTAMP, DURATION */
};

void table_reply_columns(struct call *call, const struct table_column *columns, unsigned count);

enum table_direction { TABLE_STAYS, TABLE_NEXT, TABLE_PREVIOUS };

struct table_request {
	unsigned columns[CELL_COLUMNS_MAX]; /* that are wanted, in this order */
	unsigned column_count;
	uint64_t index, count; /* of lines: the first, and how many at most */
	bool by_time;          /* the first one is that at or after `time` */
	histree_time time;
	struct cell_match match;
	bool has_match;
	enum table_direction direction; /* in which to search for the first line that matches */
};

/*
 * Reads a request for a table with so many columns; returns false if it has answered instead.  Release the request
 * in both cases.
 */
bool table_request_read(const struct call *call, unsigned column_count, struct table_request *out);
void table_request_release(struct table_request *request);

/* Answers `lines`. */
void table_reply(struct call *call, const struct table_request *request, const struct line_table *table);

struct tree_header {
	const char *name, *tooltip; /* name NULL ends a list */
	const char *type;           /* NULL: STRING */
};

/* The members that every entry has; then come the output's own. */
struct tree_entry {
	int64_t id, parent;      /* parent -1: none */
	histree_time start, end; /* end inclusive */
	bool has_data;
	bool is_default; /* shown in a chart that has just been opened */
};

struct tree_source {
	const struct tree_header *headers;
	int auto_expand_level; /* -1: all */
	/* Begin entry `index` with tree_entry_begin(), add labels and what else there is; false: no such entry. */
	bool (*entry)(const void *context, size_t index, struct json_writer *json);
	void (*release)(void *context); /* NULL: there is nothing to give back */
};

/* Answers `tree`, by steps.  The answer releases the context, which is memory of the reply or the view. */
void tree_reply(struct call *call, const struct tree_source *source, void *context);

/* Opens the entry's object; the writer of the entry adds members, the first one being `labels`. */
void tree_entry_begin(struct json_writer *json, const struct tree_entry *entry);

/* The member of an entry with but one label. */
void tree_entry_label(struct json_writer *json, const char *text, size_t size);

struct xy_samples {
	histree_time start;    /* the first point; the last is `to` */
	histree_time from, to; /* after the first point, in `pixels` parts as states.h has them */
	uint32_t pixels;       /* 0: the range is outside the history, there are no points */
};

/* What is asked for of items. */
struct xy_request {
	struct xy_samples samples;
	int64_t *items;
	size_t item_count;
};

/*
 * Reads what is asked for, as far as it lies between `start` and `end`; returns false if it has answered instead.
 */
bool xy_request_read(const struct call *call, histree_time start, histree_time end, struct xy_request *out);
void xy_begin(struct reply *reply, const char *title);

struct xy_curve {
	int64_t id;
	const char *name;
	const char *label, *unit; /* of the y axis */
	const double *values;     /* as many as `pixels`; a NaN: it is not known, which is null */
	double first;             /* at the first point */
};

void xy_put(struct reply *reply, const struct xy_samples *samples, const struct xy_curve *curve);

/* These write what the members of a series are made of: which numbers an axis has, how the series is drawn. */
void xy_put_axis(struct reply *reply, const char *name, const char *label, const char *unit, const char *type);
void xy_put_style(struct reply *reply, const char *series_type);
void xy_end(struct reply *reply);

/* Bits of `tags`: what does not match the search box, and what does not match the filters. */
enum { STATE_DIMMED = 1, STATE_EXCLUDED = 4 };

/* Zeroed: all are wanted. */
struct state_tags {
	struct state_filter *search, *filter; /* NULL: none */
	struct state_filter *both;            /* what a deep search looks for; NULL: it is a sampled one */
};

/* Reads which states are wanted; returns false if it has answered with 400 instead. */
bool state_tags_read(const struct call *call, const struct state_kind *kind, histree_time start, histree_time end,
		     struct state_tags *out);
void state_tags_release(struct state_tags *tags);
unsigned state_tags_of(const struct state_tags *tags, const struct row_facts *facts,
		       const struct histree_interval *state);

#endif
