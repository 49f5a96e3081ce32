// SPDX-License-Identifier: MIT
/*
 * attribute_rows.c - every attribute of every history, for stores of any analysis, as rows; and flows, which are
 * arrows between attributes.
 *
 * The page shows attributes as a tree, with a row for each history at the top if there are several.  The protocol
 * has them in the order of their creation, after a row for each history, so that the entry of an attribute follows
 * from its quark.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "histree/attributes.h"
#include "histree/segments.h"
#include "server/catalogue/dataset.h"
#include "server/model/row_model.h"
#include "server/model/state_filter.h"

/* ---- flows ------------------------------------------------------------------------------------------------ */

struct track_arrows {
	struct histree_history *history; /* borrowed; NULL: the store has no flows that can be read */
	struct histree_segment_store *flows;
};

/* Returns whether the store says that it has flows. */
static bool track_arrows_apply(const struct dataset *dataset)
{
	return dataset_has_segments(dataset, "track-flows") && dataset_history(dataset, "tracks") != NULL;
}

/* States can be shown without them. */
static void track_arrows_open(struct track_arrows *arrows, struct dataset *dataset)
{
	*arrows = (struct track_arrows){ 0 };
	if (track_arrows_apply(dataset) &&
	    histree_store_segments(dataset->store, "track-flows", false, NULL, &arrows->flows, NULL) == HISTREE_OK)
		arrows->history = dataset_history(dataset, "tracks");
	else
		arrows->flows = NULL;
}

static void track_arrows_close(struct track_arrows *arrows)
{
	histree_segment_store_close(arrows->flows);
}

static enum histree_status flow_arrows_make(const void *view, const struct arrow_range *range,
					    struct histree_arrows **out, struct histree_error *error)
{
	const struct track_arrows *arrows = view;
	struct histree_arrows_request request = { .history = arrows->history, .flows = arrows->flows };
	return arrow_model_within(&request, range, out, error);
}

static bool rows_of_flow(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	(void)view;
	*from = (uint32_t)arrow->from;
	*to = (uint32_t)arrow->to;
	return true;
}

/* The whole path, as a row of its own is called by its depth only. */
static void name_of_flow(const void *view, uint32_t row, struct piece *name)
{
	const struct track_arrows *arrows = view;
	const struct histree_attributes *attributes = histree_history_attributes(arrows->history);
	size_t size = histree_attributes_path(attributes, row, NULL, 0);
	char *room = piece_room(name, size + 1);
	if (room != NULL)
		name->size += histree_attributes_path(attributes, row, room, size + 1);
}

static const struct arrow_model arrows_of_flows = { flow_arrows_make, rows_of_flow, name_of_flow, NULL };

/* ---- attribute rows ------------------------------------------------------------------------------------------ */

struct attribute_row {
	histree_quark quark; /* HISTREE_ROOT: the history itself */
	uint32_t depth, descendants;
	uint32_t history;
};

struct attribute_rows {
	const struct dataset *dataset;
	struct attribute_row *rows;
	uint32_t count;
	struct track_arrows flows;
	uint32_t *rows_of_flows; /* by quark of their history; NULL: there are no flows */
};

static bool applies(const struct dataset *dataset)
{
	return dataset->history_count > 0;
}

static void free_rows(void *view)
{
	struct attribute_rows *rows = view;
	track_arrows_close(&rows->flows);
	free(rows->rows_of_flows);
	free(rows->rows);
	free(rows);
}

static enum histree_status find_rows_of_flows(struct attribute_rows *rows, struct histree_error *error)
{
	if (rows->flows.history == NULL)
		return HISTREE_OK;
	uint32_t attributes = histree_history_info(rows->flows.history)->attribute_count;
	rows->rows_of_flows = calloc((size_t)attributes + 1, sizeof(*rows->rows_of_flows));
	if (rows->rows_of_flows == NULL)
		return error_memory(error, "the attributes");
	for (uint32_t row = 0; row < rows->count; row++)
		if (rows->dataset->histories[rows->rows[row].history] == rows->flows.history &&
		    rows->rows[row].quark != HISTREE_ROOT)
			rows->rows_of_flows[rows->rows[row].quark] = row;
	return HISTREE_OK;
}

static enum histree_status attribute_rows_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	struct attribute_rows *rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return error_memory(error, "the attributes");
	rows->dataset = dataset;
	size_t total = dataset->history_count;
	for (size_t i = 0; i < dataset->history_count; i++)
		total += histree_history_info(dataset->histories[i])->attribute_count;
	rows->rows = total < UINT32_MAX ? malloc((total + 1) * sizeof(*rows->rows)) : NULL;
	if (rows->rows == NULL) {
		free_rows(rows);
		return error_memory(error, "the attributes");
	}
	bool has_tops = dataset->history_count > 1;
	for (uint32_t i = 0; i < dataset->history_count; i++) {
		if (has_tops)
			rows->rows[rows->count++] = (struct attribute_row){ HISTREE_ROOT, 0, 0, i };

		/* What is above an attribute is the one before it, or above that. */
		uint32_t depth = has_tops;
		const struct histree_attributes *attributes = histree_history_attributes(dataset->histories[i]);
		histree_quark before = HISTREE_ROOT, quark = HISTREE_ROOT;
		while ((quark = histree_attributes_next_below(attributes, HISTREE_ROOT, quark)) != HISTREE_ROOT) {
			const histree_quark above = histree_attributes_parent(attributes, quark);
			for (; before != above; before = histree_attributes_parent(attributes, before))
				depth--;
			rows->rows[rows->count++] = (struct attribute_row){ quark, depth++, 0, i };
			before = quark;
		}
	}

	/*
	 * How many rows after each are deeper than it; from the last one to the first, over those that are counted.
	 */
	for (uint32_t row = rows->count; row-- > 0;) {
		uint32_t next = row + 1;
		while (next < rows->count && rows->rows[next].depth > rows->rows[row].depth)
			next += rows->rows[next].descendants + 1;
		rows->rows[row].descendants = next - row - 1;
	}
	track_arrows_open(&rows->flows, dataset);
	enum histree_status status = find_rows_of_flows(rows, error);
	if (status == HISTREE_OK)
		*view = rows;
	else
		free_rows(rows);
	return status;
}

static uint32_t count(const void *view)
{
	const struct attribute_rows *rows = view;
	return rows->count;
}

static void facts(const void *view, uint32_t index, struct row_facts *out)
{
	const struct attribute_rows *rows = view;
	const struct attribute_row *row = &rows->rows[index];
	struct histree_history *history = rows->dataset->histories[row->history];
	*out = (struct row_facts){
		.history = history,
		.quark = row->quark,
		.label = HISTREE_ROOT,
		.depth = row->depth,
		.descendants = row->descendants,
	};
	if (row->quark != HISTREE_ROOT)
		out->table = histree_labels_of(history, row->quark);
}

static void label(const void *view, uint32_t index, struct piece *text)
{
	const struct attribute_rows *rows = view;
	const struct attribute_row *row = &rows->rows[index];
	if (row->quark != HISTREE_ROOT)
		piece_put_name(histree_history_attributes(rows->dataset->histories[row->history]), row->quark,
			       text);
	else
		piece_put_text(text, rows->dataset->analyses[row->history]);
}

static void arrows(const void *view, struct arrow_source *out)
{
	const struct attribute_rows *rows = view;
	if (rows->flows.history != NULL)
		*out = (struct arrow_source){ .model = &arrows_of_flows,
					      .view = &rows->flows,
					      .shown_as = rows->rows_of_flows };
}

const struct row_model row_model_attributes = {
	.name = "attributes",
	.title = "Attributes",
	.own = { applies, attribute_rows_make, free_rows },
	.has_arrows = track_arrows_apply,
	.count = count,
	.facts = facts,
	.label = label,
	.arrows = arrows,
	.text = state_any_text,
	.kind = { .text = state_any_text },
};

/* ---- as they are --------------------------------------------------------------------------------------------- */

/* Row `base` is the history, and base + 1 + quark an attribute: parents are always made before their children. */
struct explorer_part {
	struct histree_history *history;
	const char *name;
	uint32_t base, end;
};

struct explorer {
	size_t count;
	struct track_arrows flows;
	struct explorer_part parts[];
};

static enum histree_status explorer_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	uint64_t next = 0;
	struct explorer *explorer =
		calloc(1, sizeof(*explorer) + dataset->history_count * sizeof(explorer->parts[0]));
	if (explorer == NULL)
		return error_memory(error, "the attributes");
	for (size_t i = 0; i < dataset->history_count; i++) {
		struct histree_history *history = dataset->histories[i];
		const uint64_t base = next;
		next += 1 + (uint64_t)histree_history_info(history)->attribute_count;
		explorer->parts[explorer->count++] =
			(struct explorer_part){ history, dataset->analyses[i], (uint32_t)base, (uint32_t)next };
	}
	if (next >= HISTREE_NO_INDEX) {
		free(explorer);
		return error_memory(error, "the attributes");
	}
	track_arrows_open(&explorer->flows, dataset);
	*view = explorer;
	return HISTREE_OK;
}

static void explorer_free(void *view)
{
	struct explorer *explorer = view;
	track_arrows_close(&explorer->flows);
	free(explorer);
}

static const struct explorer_part *explorer_part_of(const struct explorer *explorer, uint32_t row)
{
	const struct explorer_part *part = explorer->parts;
	while (row >= part->end)
		part++;
	return part;
}

static uint32_t explorer_count(const void *view)
{
	const struct explorer *explorer = view;
	return explorer->count > 0 ? explorer->parts[explorer->count - 1].end : 0;
}

/* Of a kernel, views of its own show what states mean, and this one their values. */
static void explorer_facts(const void *view, uint32_t row, struct row_facts *out)
{
	const struct explorer_part *part = explorer_part_of(view, row);
	const struct histree_history_info *info = histree_history_info(part->history);
	*out = (struct row_facts){
		.history = part->history, .quark = HISTREE_ROOT, .label = HISTREE_ROOT, .parent = HISTREE_NO_INDEX
	};
	if (row == part->base)
		return;
	out->quark = row - part->base - 1;
	const histree_quark above =
		histree_attributes_parent(histree_history_attributes(part->history), out->quark);
	const struct histree_label_table *table = histree_labels_of(part->history, out->quark);
	out->parent = above == HISTREE_ROOT ? part->base : part->base + 1 + above;
	out->table = table != NULL && table->meaning == HISTREE_MEANS_ANYTHING ? table : NULL;
	out->seen = (struct histree_row_life){ info->start, info->end };
}

static void explorer_label(const void *view, uint32_t row, struct piece *text)
{
	const struct explorer_part *part = explorer_part_of(view, row);
	if (row == part->base)
		piece_put_text(text, part->name);
	else
		piece_put_name(histree_history_attributes(part->history), row - part->base - 1, text);
}

static void explorer_arrows(const void *view, struct arrow_source *out)
{
	const struct explorer *explorer = view;
	for (size_t i = 0; i < explorer->count; i++)
		if (explorer->flows.history != NULL && explorer->parts[i].history == explorer->flows.history)
			*out = (struct arrow_source){ .model = &arrows_of_flows,
						      .view = &explorer->flows,
						      .first_row = explorer->parts[i].base + 1 };
}

const struct row_model row_model_explorer = {
	.name = "explorer",
	.own = { applies, explorer_make, explorer_free },
	.has_arrows = track_arrows_apply,
	.count = explorer_count,
	.facts = explorer_facts,
	.label = explorer_label,
	.arrows = explorer_arrows,
	.text = state_any_text,
	.kind = { .text = state_any_text },
};
