/* SPDX-License-Identifier: MIT */
/*
 * row_model.h - the kinds of rows that the page and the protocol show: threads, resources, calls, charts,
 * attributes; and the arrows between rows.
 *
 * A model has the rows of one host, in the order of its tree, depth first, each followed by all that are below it.
 * A row is identified by its position in that order.  Clients see the rows of all hosts (host_rows.h), of which
 * there may be only one.
 */
#ifndef SERVER_MODEL_ROW_MODEL_H
#define SERVER_MODEL_ROW_MODEL_H

#include "histree/states.h"
#include "server/catalogue/dataset.h"
#include "server/model/state_filter.h"
#include "server/text/json_writer.h"
#include "view/view.h"

/* Who or what was selected elsewhere. */
struct row_wanted {
	int32_t tid, cpu; /* one of them; -1: not that one */
	histree_time at;
	const char *host; /* "": it is not said */
};

enum row_sort {
	ROW_SORT_TREE,
	ROW_SORT_TID,
	ROW_SORT_NAME,
	ROW_SORT_FIRST,
	ROW_SORT_CPU,
	ROW_SORT_ACTIVE, /* by what they did in a range of time, the threads of a process below each other */
	ROW_SORT_COUNT
};

/* How a text that is searched for means a row. */
enum row_match {
	ROW_MATCHES_NOT, /* not at all, which is false */
	ROW_CONTAINS,    /* its name or number has the text in it */
	ROW_IS_CALLED,   /* the text is its whole name or number */
};

/* What a row did in a range of time. */
struct row_activity {
	uint64_t ran_ns, waited_ns; /* had a CPU; waited for one */
	uint32_t group;             /* the first row of its process, which may be the row itself */
};

struct arrow_source;

struct row_model {
	const char *name, *title;
	struct view_kind own;                              /* the rows of one host */
	bool (*has_arrows)(const struct dataset *dataset); /* NULL: it never has */
	/* Returns the history of its rows; NULL: they are of every history. */
	struct histree_history *(*history)(const struct dataset *dataset);
	size_t count; /* where in a view a uint32_t says how many rows it has */
	void (*facts)(const void *view, uint32_t row, struct row_facts *out);
	void (*label)(const void *view, uint32_t row,
		      struct byte_buffer *text); /* what it is called; NULL: nothing yet */
	/* Writes what else describes a row for the page: "tid", "pid", ...; NULL: nothing does. */
	void (*describe)(const void *view, uint32_t row, struct json_writer *json);
	/* How a row is meant by a text; NULL: by what it is called. */
	enum row_match (*matches)(const void *view, uint32_t row, const char *text);
	/*
	 * Returns the row that shows what was selected elsewhere, HISTREE_NO_INDEX if none does; NULL if none
	 * ever does.
	 */
	uint32_t (*find)(const void *view, const struct row_wanted *wanted);
	/* Called before keys of this sort are asked for; NULL if nothing is needed. */
	enum histree_status (*prepare)(void *view, enum row_sort sort, struct histree_error *error);
	/* Returns a key, the smaller one comes first; NULL if there is only the order of the tree. */
	uint64_t (*sort_key)(const void *view, uint32_t row, enum row_sort sort);
	/*
	 * Says of each row what it did in a range, both ends inclusive; those that did nothing are zeroed but for
	 * their group.  NULL: nobody knows.
	 */
	enum histree_status (*activity)(const void *view, histree_time from, histree_time to,
					struct row_activity *rows, struct histree_error *error);
	/* Adds the text of a state at a time: who has a number may change. */
	void (*text)(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		     histree_time at, struct byte_buffer *text);
	struct state_kind kind; /* by what states can be searched */
	/* Gives the arrows between rows; NULL: such rows have no arrows. */
	void (*arrows)(const void *view, struct arrow_source *out);
	/*
	 * Rows that are there at once, in another order, until the view is made, as it is of each dataset
	 * (server.c); NULL: none.
	 */
	const struct row_model *early;
};

extern const struct row_model row_model_threads, row_model_resources, row_model_calls, row_model_charts,
	row_model_spans, row_model_attributes;
/* Not of the page's views. */
extern const struct row_model row_model_early_threads, row_model_explorer;

/* Returns the sort of a name: "tree", "tid", "name", "first", "cpu"; ROW_SORT_COUNT for any other. */
enum row_sort row_sort_find(const char *name);

/* Returns whether a row is that of a host, which has no text or facts. */
static inline bool row_is_of_host(const struct row_facts *facts)
{
	return facts->host != NULL && facts->view == NULL;
}

/* Adds the text of a state of a row whose facts these are. */
void row_put_text(const struct row_model *model, const struct row_facts *facts, const struct histree_value *value,
		  histree_time at, struct byte_buffer *text);

/*
 * Whether the states are the calls, or spans, of one depth of a stack; when the trace ends, or that of the row's
 * host; and whether a state is a call that was open then.
 */
bool row_is_of_calls(const struct row_facts *facts);
histree_time row_trace_end(const struct row_facts *facts);
bool row_is_open(const struct row_facts *facts, const struct histree_interval *state);

/* Returns how `wanted` means what is called `text`, ignoring the case of ASCII letters. */
enum row_match row_text_match(const char *text, size_t size, const char *wanted);

/*
 * ---- arrows: those between the rows of a view, whatever it is of, from as many sources as it has: one for each
 * host.
 *
 * Together the sources give as many arrows as one would: each has its share of the pixels, since what is thinned is
 * thinned to what a chart can show.
 */

struct arrow_range {
	histree_time from, to;
	uint32_t pixels;
	struct histree_work work;
};

struct arrow_model {
	/* Makes the arrows that meet a range, cut at the history; *out is NULL if nothing of the range is left. */
	enum histree_status (*make)(const void *view, const struct arrow_range *range, struct histree_arrows **out,
				    struct histree_error *error);
	/* Finds the rows of an arrow; returns false if it has none in this view. */
	bool (*rows)(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to);
	/* Adds what a row is called: "bash (42)", "CPU 0". */
	void (*name)(const void *view, uint32_t row, struct byte_buffer *name);
	/* Returns the row that stands for one that is folded; NULL: none does. */
	uint32_t (*instead)(const void *view, uint32_t row);
};

/* Makes the arrows of a request that meet a range, cut at the history. */
enum histree_status arrow_model_within(struct histree_arrows_request *request, const struct arrow_range *range,
				       struct histree_arrows **out, struct histree_error *error);

/* A view and how to get its arrows.  A zeroed one has none. */
struct arrow_source {
	const struct arrow_model *model;
	const void *view;
	const uint32_t *shown_as; /* by the model's row, the row of who shows it; NULL: they are the same */
	uint32_t first_row;       /* to be added to that */
	uint32_t row_count;       /* after it, of who shows it; 0: it is not said */
};

/* Returns the row of who shows it. */
static inline uint32_t arrow_source_row(const struct arrow_source *source, uint32_t row)
{
	return source->first_row + (source->shown_as != NULL ? source->shown_as[row] : row);
}

struct arrow_part {
	struct arrow_source source;
	struct histree_arrows *arrows; /* NULL: none of the range */
	const struct histree_arrow *list;
	size_t count;
};

struct arrow_set {
	struct arrow_part *parts;
	size_t count;
	bool are_all;
};

/* Gives the sources in turn; returns false if there are no more. */
typedef bool arrow_next(const void *view, size_t index, struct arrow_source *out);

/* The sources of arrows, and the requested kinds; a zeroed one has none. */
struct arrow_asked {
	arrow_next *next; /* NULL: no arrows */
	const void *view;
	bool (*wants)(const void *context, const struct arrow_source *source); /* NULL: all */
	const void *context;
};

/* Makes the arrows of a range; release the set even after failure. */
enum histree_status arrow_set_make(struct arrow_set *set, const struct arrow_asked *asked,
				   const struct arrow_range *range, struct histree_error *error);
void arrow_set_release(struct arrow_set *set);

#endif
