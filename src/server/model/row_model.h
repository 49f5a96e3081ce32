/* SPDX-License-Identifier: MIT */
/*
 * row_model.h - the rows that the page can show, whatever they are of: threads, resources, attributes.
 *
 * A model has its rows in the order of its tree, depth first, each followed by all that are below it.  A row is
 * known by its position in that order.
 */
#ifndef SERVER_MODEL_ROW_MODEL_H
#define SERVER_MODEL_ROW_MODEL_H

#include "histree/rows.h"
#include "histree/view.h"
#include "server/catalogue/dataset.h"
#include "server/model/arrow_model.h"
#include "server/model/state_filter.h"
#include "server/text/json_writer.h"

struct row_facts {
	struct histree_history *history;
	histree_quark quark;
	histree_quark label;                     /* an attribute that names the state; HISTREE_ROOT: none */
	const struct histree_label_table *table; /* of what its values mean; NULL: nothing is known */
	uint32_t depth, descendants;
	struct histree_row_life life; /* the states outside of it are another thread's; both 0: all are its own */
	/*
	 * Of rows over several hosts (host_rows.h): the host; the view and the row that are its own, of which texts
	 * and facts are asked; and where the quarks of the host begin in the history.  A host's own row has no such
	 * view, and a sentence if the host cannot be read.
	 */
	const char *host; /* NULL: there is but one, and the view is that which was asked */
	const void *host_view;
	uint32_t host_row;
	histree_quark host_first;
	const char *why;
};

/* Who or what was selected elsewhere. */
struct row_wanted {
	int32_t tid, cpu; /* one of them; -1: not that one */
	histree_time at;
	const char *host; /* "": it is not said */
};

enum row_sort { ROW_SORT_TREE, ROW_SORT_TID, ROW_SORT_NAME, ROW_SORT_FIRST, ROW_SORT_CPU, ROW_SORT_COUNT };

struct row_model {
	const char *name, *title;
	bool (*applies)(const struct dataset *dataset);
	bool (*has_arrows)(const struct dataset *dataset); /* NULL: it never has */
	/* Returns the history of its rows; NULL: they are of every history. */
	struct histree_history *(*history)(const struct dataset *dataset);
	dataset_view_make *make;
	void (*free)(void *view);
	uint32_t (*count)(const void *view);
	void (*facts)(const void *view, uint32_t row, struct row_facts *out);
	/* Writes the members that describe a row: "name", and for threads "tid", "pid", "ppid", ... */
	void (*describe)(const void *view, uint32_t row, struct json_writer *json);
	bool (*matches)(const void *view, uint32_t row, const char *text);
	/*
	 * Returns the row that shows what was selected elsewhere, HISTREE_NO_INDEX if none does; NULL if none
	 * ever does.
	 */
	uint32_t (*find)(const void *view, const struct row_wanted *wanted);
	/* Called before keys of this sort are asked for; NULL if nothing is needed. */
	enum histree_status (*prepare)(void *view, enum row_sort sort, struct histree_error *error);
	/* Returns a key, of which the smaller comes first; NULL if there is only the order of the tree. */
	uint64_t (*sort_key)(const void *view, uint32_t row, enum row_sort sort);
	/* Adds the text of a state at a time: who has a number may change. */
	void (*text)(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		     histree_time at, struct piece *text);
	struct state_kind kind; /* by what states can be searched */
	/*
	 * Gives the arrows between rows, from one source after the other: those of each host.  Returns false if
	 * there are no more; NULL: there are none at all.
	 */
	bool (*arrows)(const void *view, size_t index, struct arrow_source *out);
	/*
	 * Rows that are there at once, in another order, until the view is made, as it is of each dataset
	 * (server.c); NULL: none.
	 */
	const struct row_model *early;
};

/* NULL at the end. */
extern const struct row_model *const row_models[];

extern const struct row_model row_model_threads, row_model_resources, row_model_calls, row_model_charts,
	row_model_attributes;
extern const struct row_model row_model_early_threads;

/* The same over the hosts of a dataset of several. */
extern const struct row_model row_model_host_threads, row_model_host_resources, row_model_host_calls,
	row_model_host_charts, row_model_host_attributes;

/* Returns the model of a name that applies to a dataset; NULL if there is none. */
const struct row_model *row_model_find(const struct dataset *dataset, const char *name);

/* Returns the sort of a name: "tree", "tid", "name", "first", "cpu"; ROW_SORT_COUNT for any other. */
enum row_sort row_sort_find(const char *name);

/* Whether a row is that of a host, which no text or fact can be asked of. */
static inline bool row_is_of_host(const struct row_facts *facts)
{
	return facts->host != NULL && facts->host_view == NULL;
}

/* Adds the text of a state of a row whose facts these are. */
void row_put_text(const struct row_model *model, const void *view, const struct row_facts *facts,
		  const struct histree_value *value, histree_time at, struct piece *text);

/* Returns the owner of its states, for filters. */
struct state_owner row_owner(const struct row_model *model, const void *view, uint32_t row,
			     const struct row_facts *facts);

/* Returns whether `text` contains `part`, ignoring the case of ASCII letters. */
bool row_text_contains(const char *text, size_t size, const char *part);

#endif
