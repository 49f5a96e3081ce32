// SPDX-License-Identifier: MIT
/*
 * output_state_system.c - every attribute of every history, as it is.
 *
 * Entry 1 is the store; then come the histories one after the other, each with an entry of its own before those of
 * its attributes, which are in the order of their quarks: parents are always made before their children.
 */
#include <stdlib.h>

#include "base/error.h"
#include "server/model/name_piece.h"
#include "server/model/state_text.h"
#include "server/model/track_arrows.h"
#include "server/tsp/arrows_reply.h"
#include "server/tsp/state_rows.h"
#include "server/tsp/style_reply.h"
#include "server/tsp/tree_reply.h"

/*
 * Of one history, and the palette.  If several histories have so many, states of the last ones have keys without a
 * style.
 */
enum { EXPLORER_TABLES = HISTREE_LABEL_TABLES_MAX + 1 };

struct explorer_history {
	struct histree_history *history;
	const char *name;
	int64_t first_id; /* of the history's own entry */
	uint32_t attributes;
};

struct explorer {
	const struct histree_store_info *info;
	struct explorer_history histories[DATASET_HISTORIES_MAX];
	size_t count;
	struct track_arrows flows;
};

static bool applies(const struct dataset *dataset)
{
	return dataset->history_count > 0;
}

static enum histree_status make(struct dataset *dataset, void **view, struct histree_error *error)
{
	struct explorer *explorer = calloc(1, sizeof(*explorer));
	if (explorer == NULL)
		return error_memory(error, "a view");
	explorer->info = histree_store_info(dataset->store);
	int64_t next = 2;
	for (size_t i = 0; i < dataset->history_count; i++) {
		struct explorer_history *history = &explorer->histories[explorer->count++];
		history->history = dataset->histories[i];
		history->name = explorer->info->histories[i].analysis;
		history->first_id = next;
		history->attributes = histree_history_info(history->history)->attribute_count;
		next += 1 + (int64_t)history->attributes;
	}
	track_arrows_open(&explorer->flows, dataset);
	*view = explorer;
	return HISTREE_OK;
}

static void free_explorer(void *view)
{
	struct explorer *explorer = view;
	track_arrows_close(&explorer->flows);
	free(explorer);
}

/* The history that an id belongs to; NULL if it is none of theirs. */
static const struct explorer_history *find(const struct explorer *explorer, int64_t id)
{
	for (size_t i = 0; i < explorer->count; i++) {
		const struct explorer_history *history = &explorer->histories[i];
		if (id >= history->first_id && id <= history->first_id + history->attributes)
			return history;
	}
	return NULL;
}

/* ---- tree -------------------------------------------------------------------------------------------- */

static void write_attribute(const struct explorer_history *history, int64_t id, struct json_writer *json)
{
	const struct histree_attributes *attributes = histree_history_attributes(history->history);
	const struct histree_history_info *info = histree_history_info(history->history);
	histree_quark quark = (histree_quark)(id - history->first_id - 1);
	histree_quark parent = histree_attributes_parent(attributes, quark);
	struct tree_entry entry = {
		.id = id,
		.parent = parent == HISTREE_ROOT ? history->first_id : history->first_id + 1 + parent,
		.start = info->start,
		.end = info->end,
		.has_data = true,
	};
	struct piece name = { 0 };
	piece_put_name(attributes, quark, &name);
	tree_entry_begin(json, &entry);
	tree_entry_label(json, name.bytes, name.size);
	piece_release(&name);
}

static bool write_entry(const void *view, size_t index, struct json_writer *json)
{
	const struct explorer *explorer = view;
	int64_t id = (int64_t)index + 1;
	struct tree_entry entry = { id, -1, explorer->info->start, explorer->info->end, false, false };
	if (id == 1) {
		tree_entry_begin(json, &entry);
		tree_entry_label(json, explorer->info->path, strlen(explorer->info->path));
		return true;
	}
	const struct explorer_history *history = find(explorer, id);
	if (history == NULL)
		return false;
	if (id > history->first_id) {
		write_attribute(history, id, json);
		return true;
	}
	entry.parent = 1;
	tree_entry_begin(json, &entry);
	tree_entry_label(json, history->name, strlen(history->name));
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = { { "Attribute", "a component of its path", NULL }, { 0 } };
	static const struct tree_source source = { headers, 2, write_entry, NULL };
	tree_reply(output, &source, output->view);
}

/* ---- states ------------------------------------------------------------------------------------------ */

static bool find_row(const void *view, int64_t id, struct state_row *out)
{
	const struct explorer *explorer = view;
	const struct explorer_history *history = find(explorer, id);
	*out = (struct state_row){ .id = id, .label = HISTREE_ROOT };
	if (history == NULL || id == history->first_id)
		return id == 1 || history != NULL;
	out->history = history->history;
	out->quark = (histree_quark)(id - history->first_id - 1);
	/* Of a kernel, views of its own show what states mean, and this one their values. */
	const struct histree_label_table *table = histree_labels_of(out->history, out->quark);
	out->table = table != NULL && table->meaning == HISTREE_MEANS_ANYTHING ? table : NULL;
	return true;
}

static void states(const struct output_call *output)
{
	static const struct state_source source = { find_row, state_label, { NULL, state_any_text } };
	state_rows_reply(output, &source);
}

static void style(const struct output_call *output)
{
	static const enum histree_arrow_kind arrow = HISTREE_ARROW_FLOW;
	const struct explorer *explorer = output->view;
	const struct histree_label_table *used[EXPLORER_TABLES] = { NULL }; /* the first is the palette */
	size_t used_count = 1;
	for (size_t i = 0; i < explorer->count; i++) {
		size_t count;
		const struct histree_label_table *tables = histree_labels(explorer->histories[i].history, &count);
		for (size_t k = 0; k < count && used_count < EXPLORER_TABLES; k++)
			if (tables[k].meaning == HISTREE_MEANS_ANYTHING)
				used[used_count++] = &tables[k];
	}
	style_reply_with_arrows(output, used, used_count, &arrow, explorer->flows.history != NULL);
}

/* Flows, from the row of one span to that of another. */
static void arrows(const struct output_call *output)
{
	const struct explorer *explorer = output->view;
	const struct arrow_model *model = explorer->flows.history != NULL ? &arrow_model_flows : NULL;
	int64_t first_id = 0;
	for (size_t i = 0; i < explorer->count; i++)
		if (explorer->histories[i].history == explorer->flows.history)
			first_id = explorer->histories[i].first_id + 1;
	arrows_reply(output, model, &explorer->flows, first_id);
}

const struct output output_state_system = {
	.id = "org.eclipse.tracecompass.internal.tmf.core.statesystem.provider.StateSystemDataProvider",
	.name = "State System Explorer",
	.description = "Every attribute of every history",
	.type = OUTPUT_TIME_GRAPH,
	.applies = applies,
	.make = make,
	.free = free_explorer,
	.tree = tree,
	.states = states,
	.arrows = arrows,
	.style = style,
};
