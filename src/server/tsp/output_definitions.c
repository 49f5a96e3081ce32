// SPDX-License-Identifier: MIT
/*
 * output_definitions.c - the views that files of definitions describe: for each <timeGraphView> the attributes that
 * its entries show, below those that they stand below, with its names and colours.
 *
 * The history has them as tables of labels, one for each entry that shows something, named by the view.  Entry 1 is
 * the store; row i is entry i + 2.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/model/name_piece.h"
#include "server/model/state_text.h"
#include "server/tsp/state_rows.h"
#include "server/tsp/style_reply.h"
#include "server/tsp/tree_reply.h"

enum { STYLES_MAX = HISTREE_LABEL_TABLES_MAX + 1, ROWS_MAX = 1 << 24 };

struct view_row {
	struct histree_history *history;
	const char *name;    /* of a view; NULL: an attribute */
	histree_quark quark; /* of an attribute */
	int64_t parent;
	const struct histree_label_table *table; /* NULL: a row without states */
};

struct definitions {
	const struct histree_store_info *info;
	struct view_row *rows;
	size_t count, capacity;
};

static bool is_of_file(const char *analysis)
{
	struct histree_analysis_info info;
	for (size_t i = 0; histree_analysis(i, &info); i++)
		if (strcmp(info.name, analysis) == 0)
			return false;
	return true;
}

static bool applies(const struct dataset *dataset)
{
	size_t count = 0;
	for (size_t i = 0; i < dataset->history_count && dataset->host_count == 0; i++)
		if (is_of_file(dataset->analyses[i]) && histree_labels(dataset->histories[i], &count) != NULL &&
		    count > 0)
			return true;
	return false;
}

static bool add_row(struct definitions *all, struct view_row row)
{
	if (all->count == all->capacity) {
		size_t capacity = all->capacity == 0 ? 64 : 2 * all->capacity;
		struct view_row *rows = capacity <= ROWS_MAX ? realloc(all->rows, capacity * sizeof(*rows)) : NULL;
		if (rows == NULL)
			return false;
		all->rows = rows;
		all->capacity = capacity;
	}
	all->rows[all->count++] = row;
	return true;
}

/*
 * Parents have smaller quarks, so that one walk down marks all above what is shown, and one up adds them in order.
 */
static bool add_view(struct definitions *all, struct histree_history *history, const char *name)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	uint32_t count = histree_history_info(history)->attribute_count;
	int64_t *ids = calloc((size_t)count + 1, sizeof(*ids)), view = (int64_t)all->count + 2;
	bool is_done =
		ids != NULL && add_row(all, (struct view_row){ .history = history, .name = name, .parent = 1 });
	for (uint32_t quark = count; is_done && quark-- > 0;) {
		const struct histree_label_table *table = histree_labels_of(history, quark);
		histree_quark parent = histree_attributes_parent(attributes, quark);
		if (table != NULL && strcmp(table->name, name) == 0)
			ids[quark] = 1;
		if (ids[quark] != 0 && parent != HISTREE_ROOT)
			ids[parent] = 1;
	}
	for (uint32_t quark = 0; is_done && quark < count; quark++) {
		const struct histree_label_table *table = histree_labels_of(history, quark);
		histree_quark parent = histree_attributes_parent(attributes, quark);
		if (ids[quark] == 0)
			continue;
		ids[quark] = (int64_t)all->count + 2;
		bool is_shown = table != NULL && strcmp(table->name, name) == 0;
		is_done = add_row(all, (struct view_row){ .history = history,
							  .quark = quark,
							  .parent = parent == HISTREE_ROOT ? view : ids[parent],
							  .table = is_shown ? table : NULL });
	}
	free(ids);
	return is_done;
}

static void free_definitions(void *view)
{
	struct definitions *all = view;
	free(all->rows);
	free(all);
}

static enum histree_status make(struct dataset *dataset, void **view, struct histree_error *error)
{
	struct definitions *all = calloc(1, sizeof(*all));
	bool is_done = all != NULL;
	if (all != NULL)
		all->info = histree_store_info(dataset->store);
	for (size_t i = 0; i < dataset->history_count; i++) {
		size_t count = 0;
		const struct histree_label_table *tables = histree_labels(dataset->histories[i], &count);
		for (size_t k = 0; is_done && k < count && is_of_file(dataset->analyses[i]); k++) {
			bool is_new = true;
			for (size_t j = 0; j < k; j++)
				is_new = is_new && strcmp(tables[j].name, tables[k].name) != 0;
			is_done = !is_new || add_view(all, dataset->histories[i], tables[k].name);
		}
	}
	if (!is_done) {
		if (all != NULL)
			free_definitions(all);
		return error_memory(error, "a view");
	}
	*view = all;
	return HISTREE_OK;
}

static bool write_entry(const void *view, size_t index, struct json_writer *json)
{
	const struct definitions *all = view;
	struct tree_entry entry = { (int64_t)index + 1, -1, all->info->start, all->info->end, false, false };
	if (index > all->count)
		return false;
	struct piece name = { 0 };
	const struct view_row *row = index > 0 ? &all->rows[index - 1] : NULL;
	const char *text = row != NULL ? row->name : all->info->path;
	entry.parent = row != NULL ? row->parent : -1;
	entry.has_data = row != NULL && row->table != NULL;
	if (text == NULL)
		piece_put_name(histree_history_attributes(row->history), row->quark, &name);
	tree_entry_begin(json, &entry);
	tree_entry_label(json, text != NULL ? text : name.bytes, text != NULL ? strlen(text) : name.size);
	piece_release(&name);
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = { { "Name", "an entry of the view", NULL }, { 0 } };
	static const struct tree_source source = { headers, -1, write_entry, NULL };
	tree_reply(output, &source, output->view);
}

static bool find_row(const void *view, int64_t id, struct state_row *out)
{
	const struct definitions *all = view;
	*out = (struct state_row){ .id = id, .label = HISTREE_ROOT };
	if (id < 2 || (uint64_t)id - 2 >= all->count)
		return id == 1;
	const struct view_row *row = &all->rows[id - 2];
	if (row->table == NULL)
		return true;
	out->view = all;
	out->history = row->history;
	out->quark = row->quark;
	out->table = row->table;
	return true;
}

static void states(const struct output_call *output)
{
	static const struct state_source source = { find_row, state_label, { NULL, state_any_text } };
	state_rows_reply(output, &source);
}

static void style(const struct output_call *output)
{
	const struct definitions *all = output->view;
	const struct histree_label_table *used[STYLES_MAX] = { NULL }; /* the first is the palette */
	size_t count = 1;
	for (size_t i = 0; i < all->count && count < STYLES_MAX; i++) {
		bool is_new = all->rows[i].table != NULL;
		for (size_t k = 1; k < count && is_new; k++)
			is_new = used[k] != all->rows[i].table;
		if (is_new)
			used[count++] = all->rows[i].table;
	}
	style_reply(output, used, count);
}

const struct output output_definitions = {
	.id = "org.eclipse.tracecompass.tmf.analysis.xml.core.module.TmfXmlTimeGraphDataProvider",
	.name = "Views of Definitions",
	.description = "What files of definitions show of their states, with their names and colours",
	.type = OUTPUT_TIME_GRAPH,
	.applies = applies,
	.make = make,
	.free = free_definitions,
	.tree = tree,
	.states = states,
	.style = style,
};
