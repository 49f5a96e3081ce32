// SPDX-License-Identifier: MIT
/*
 * output_state_system.c - every attribute of every history, as it is.
 *
 * Entry 1 is the store; then come the histories one after the other, each with an entry of its own before those of
 * its attributes, which are in the order of their quarks: parents are always made before their children.  Of
 * several hosts, the histories of each come after an entry of the host.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "server/model/row_arrows.h"
#include "server/model/state_text.h"
#include "server/tsp/arrows_reply.h"
#include "server/tsp/replies.h"
#include "server/tsp/state_rows.h"

/*
 * Of one history, and the palette.  If several histories have so many, states of the last ones have keys without a
 * style.
 */
enum { EXPLORER_TABLES = HISTREE_LABEL_TABLES_MAX + 1 };

struct explorer_part {
	struct histree_history *history; /* NULL: this is the entry of a host */
	struct dataset_place place;      /* where it stands in the history of all hosts */
	const char *name, *host;         /* of the entry; of the host, NULL if there is but one */
	const char *why;                 /* the host cannot be read; NULL: it can */
	int64_t first_id, parent;        /* of the part's own entry */
	uint32_t attributes;
	struct track_arrows flows; /* between its attributes */
};

struct explorer {
	const struct histree_store_info *info;
	struct explorer_part *parts;
	size_t count;
	int64_t next_id;
};

static bool applies(const struct dataset *dataset)
{
	return dataset->history_count > 0;
}

static void add_histories(struct explorer *explorer, struct dataset *dataset, int64_t parent, const char *host)
{
	struct track_arrows flows;
	track_arrows_open(&flows, dataset);
	for (size_t i = 0; i < dataset->history_count; i++) {
		struct explorer_part *part = &explorer->parts[explorer->count++];
		*part = (struct explorer_part){
			.history = dataset->histories[i],
			.place = dataset_place_of(dataset, dataset->histories[i]),
			.name = dataset->analyses[i],
			.host = host,
			.first_id = explorer->next_id,
			.parent = parent,
			.attributes = histree_history_info(dataset->histories[i])->attribute_count,
		};
		explorer->next_id += 1 + (int64_t)part->attributes;
		if (part->history != flows.history)
			continue;
		part->flows = flows;
		flows = (struct track_arrows){ 0 };
	}
	track_arrows_close(&flows);
}

/* A host that cannot be read is unknown in every history; the first one is as good as any. */
static void add_host(struct explorer *explorer, const struct dataset *dataset, size_t index)
{
	const struct dataset_host *host = &dataset->hosts[index];
	struct explorer_part *part = &explorer->parts[explorer->count++];
	*part = (struct explorer_part){
		.place = { dataset->histories[0], 0 },
		.name = host->name,
		.host = host->name,
		.first_id = explorer->next_id++,
		.parent = 1,
	};
	part->place.first = dataset_host_folder(dataset, index, dataset->histories[0], &part->why);
	if (host->own != NULL)
		add_histories(explorer, host->own, part->first_id, host->name);
}

static enum histree_status make(struct dataset *dataset, void **view, struct histree_error *error)
{
	size_t hosts = dataset->host_count;
	size_t parts_max = hosts > 0 ? hosts * (1 + dataset->history_count) : dataset->history_count;
	struct explorer *explorer = calloc(1, sizeof(*explorer));
	if (explorer != NULL)
		explorer->parts = calloc(parts_max + 1, sizeof(*explorer->parts));
	if (explorer == NULL || explorer->parts == NULL) {
		free(explorer);
		return error_memory(error, "a view");
	}
	explorer->info = histree_store_info(dataset->store);
	explorer->next_id = 2;
	if (hosts == 0)
		add_histories(explorer, dataset, 1, NULL);
	for (size_t i = 0; i < hosts; i++)
		add_host(explorer, dataset, i);
	*view = explorer;
	return HISTREE_OK;
}

static void free_explorer(void *view)
{
	struct explorer *explorer = view;
	for (size_t i = 0; i < explorer->count; i++)
		track_arrows_close(&explorer->parts[i].flows);
	free(explorer->parts);
	free(explorer);
}

struct sought_part {
	const struct explorer_part *parts;
	int64_t id;
};

static bool begins_before(const void *context, size_t index)
{
	const struct sought_part *sought = context;
	return sought->parts[index].first_id <= sought->id;
}

/* The part that an id belongs to; NULL if it is none of theirs. */
static const struct explorer_part *find(const struct explorer *explorer, int64_t id)
{
	const struct sought_part sought = { explorer->parts, id };
	if (id < 2 || id >= explorer->next_id)
		return NULL;
	return &explorer->parts[search_first(0, explorer->count, explorer->count / 2, begins_before, &sought) - 1];
}

/* ---- tree -------------------------------------------------------------------------------------------- */

static void write_attribute(const struct explorer_part *part, int64_t id, struct json_writer *json)
{
	const struct histree_attributes *attributes = histree_history_attributes(part->history);
	const struct histree_history_info *info = histree_history_info(part->history);
	histree_quark quark = (histree_quark)(id - part->first_id - 1);
	histree_quark parent = histree_attributes_parent(attributes, quark);
	struct tree_entry entry = {
		.id = id,
		.parent = parent == HISTREE_ROOT ? part->first_id : part->first_id + 1 + parent,
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
	const struct explorer_part *part = find(explorer, id);
	if (part == NULL)
		return false;
	if (id > part->first_id) {
		write_attribute(part, id, json);
		return true;
	}
	if (part->host != NULL && part->history != NULL) {
		entry.start = histree_history_info(part->history)->start;
		entry.end = histree_history_info(part->history)->end;
	}
	entry.parent = part->parent;
	entry.has_data = part->why != NULL;
	tree_entry_begin(json, &entry);
	tree_entry_label(json, part->name, strlen(part->name));
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
	const struct explorer_part *part = find(explorer, id);
	*out = (struct state_row){ .id = id, .facts = { .label = HISTREE_ROOT } };
	if (part == NULL)
		return id == 1;
	struct row_facts *facts = &out->facts;
	facts->host = part->host;
	facts->why = part->why;
	if (id == part->first_id) {
		facts->history =
			part->why != NULL && part->place.first != HISTREE_ROOT ? part->place.history : NULL;
		facts->quark = part->place.first;
		return true;
	}
	histree_quark own = (histree_quark)(id - part->first_id - 1);
	facts->view = explorer;
	facts->history = part->place.history;
	facts->first = part->place.first;
	facts->quark = own + part->place.first;
	/* Of a kernel, views of its own show what states mean, and this one their values. */
	const struct histree_label_table *table = histree_labels_of(part->history, own);
	facts->table = table != NULL && table->meaning == HISTREE_MEANS_ANYTHING ? table : NULL;
	return true;
}

static void states(const struct output_call *output)
{
	static const struct state_kind kind = { NULL, state_any_text };
	state_rows_reply(output, find_row, &kind);
}

/* Hosts have the tables of their own histories, which mostly are those of the first one. */
static bool is_listed(const struct histree_label_table *const *used, size_t count,
		      const struct histree_label_table *table)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(used[i]->name, table->name) == 0 && used[i]->label_count == table->label_count)
			return true;
	return false;
}

static void style(const struct output_call *output)
{
	static const enum histree_arrow_kind arrow = HISTREE_ARROW_FLOW;
	const struct explorer *explorer = output->view;
	const struct histree_label_table *used[EXPLORER_TABLES] = { NULL }; /* the first is the palette */
	size_t used_count = 1;
	bool has_flows = false;
	for (size_t i = 0; i < explorer->count; i++) {
		size_t count = 0;
		const struct explorer_part *part = &explorer->parts[i];
		const struct histree_label_table *tables =
			part->history != NULL ? histree_labels(part->history, &count) : NULL;
		has_flows = has_flows || part->flows.history != NULL;
		for (size_t k = 0; k < count && used_count < EXPLORER_TABLES; k++)
			if (tables[k].meaning == HISTREE_MEANS_ANYTHING &&
			    (part->host == NULL || !is_listed(used, used_count, &tables[k])))
				used[used_count++] = &tables[k];
	}
	style_reply_with_arrows(output, used, used_count, &arrow, has_flows);
}

/* Flows, from the row of one span to that of another: attribute 0 is the entry after that of its history. */
static bool next_flows(const void *view, size_t index, struct arrow_source *out)
{
	const struct explorer *explorer = view;
	*out = (struct arrow_source){ 0 };
	if (index >= explorer->count)
		return false;
	const struct explorer_part *part = &explorer->parts[index];
	if (part->flows.history != NULL)
		*out = (struct arrow_source){ .model = &arrow_model_flows,
					      .view = &part->flows,
					      .first_row = (uint32_t)part->first_id + 1 };
	return true;
}

static void arrows(const struct output_call *output)
{
	arrows_reply(output, &(struct arrow_asked){ .next = next_flows, .view = output->view }, 0);
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
