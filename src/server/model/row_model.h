/* SPDX-License-Identifier: MIT */
/*
 * row_model.h - the rows that the page can show, whatever they are of: threads, resources, attributes.
 *
 * A model has its rows in the order of its tree, depth first, each followed by all that are below it.  A row is
 * known by its position in that order.
 */
#ifndef SERVER_MODEL_ROW_MODEL_H
#define SERVER_MODEL_ROW_MODEL_H

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
};

/* Who or what was selected elsewhere. */
struct row_wanted {
	int32_t tid, cpu; /* one of them; -1: not that one */
	histree_time at;
};

enum row_sort { ROW_SORT_TREE, ROW_SORT_TID, ROW_SORT_NAME, ROW_SORT_FIRST, ROW_SORT_CPU, ROW_SORT_COUNT };

struct row_model {
	const char *name, *title;
	bool (*applies)(const struct dataset *dataset);
	bool (*has_arrows)(const struct dataset *dataset); /* NULL: it never has */
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
	/* Adds the text of a state. */
	void (*text)(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		     struct piece *text);
	struct state_kind kind; /* by what states can be searched */
	/* Returns the arrows between rows; NULL: there are none. */
	struct arrow_source (*arrows)(const void *view);
	/*
	 * Rows that are there at once, in another order, until the view is made, as it is of each dataset
	 * (server.c); NULL: none.
	 */
	const struct row_model *early;
};

/* NULL at the end. */
extern const struct row_model *const row_models[];

extern const struct row_model row_model_threads, row_model_resources, row_model_calls, row_model_attributes;
extern const struct row_model row_model_early_threads;

/* Returns the model of a name that applies to a dataset; NULL if there is none. */
const struct row_model *row_model_find(const struct dataset *dataset, const char *name);

/* Returns the sort of a name: "tree", "tid", "name", "first", "cpu"; ROW_SORT_COUNT for any other. */
enum row_sort row_sort_find(const char *name);

/* Returns whether `text` contains `part`, ignoring the case of ASCII letters. */
bool row_text_contains(const char *text, size_t size, const char *part);

#endif
