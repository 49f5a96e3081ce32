// SPDX-License-Identifier: MIT
/*
 * attribute_rows.c - every attribute of every history, for stores of any analysis, as rows; the processes, threads
 * and tracks of spans by their names; and flows, which are arrows between attributes.
 *
 * The page shows attributes as a tree, with a row for each history at the top if there are several.  The protocol
 * has them in the order of their creation, after a row for each history, so that the entry of an attribute follows
 * from its quark.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "histree/segments.h"
#include "histree/states.h"
#include "server/catalogue/dataset.h"
#include "server/model/row_model.h"
#include "server/model/state_filter.h"

/* ---- flows ------------------------------------------------------------------------------------------------ */

struct track_arrows {
	struct histree_history *history; /* borrowed; NULL: the store has none that can be read */
	struct histree_segment_store *flows, *instants;
};

/* Returns whether the store says that it has flows or instants. */
static bool track_arrows_apply(const struct dataset *dataset)
{
	return (dataset_has_segments(dataset, "track-flows") || dataset_has_segments(dataset, "track-instants")) &&
	       dataset_history(dataset, "tracks") != NULL;
}

static struct histree_segment_store *track_arrows_store(const struct dataset *dataset, const char *analysis)
{
	struct histree_segment_store *store = NULL;
	const bool is_open =
		dataset_has_segments(dataset, analysis) &&
		histree_store_segments(dataset->store, analysis, false, NULL, &store, NULL) == HISTREE_OK;
	return is_open ? store : NULL;
}

/* States can be shown without them. */
static void track_arrows_open(struct track_arrows *arrows, struct dataset *dataset)
{
	*arrows = (struct track_arrows){ 0 };
	if (!track_arrows_apply(dataset))
		return;
	arrows->flows = track_arrows_store(dataset, "track-flows");
	arrows->instants = track_arrows_store(dataset, "track-instants");
	if (arrows->flows != NULL || arrows->instants != NULL)
		arrows->history = dataset_history(dataset, "tracks");
}

static void track_arrows_close(struct track_arrows *arrows)
{
	histree_segment_store_close(arrows->flows);
	histree_segment_store_close(arrows->instants);
}

static enum histree_status flow_arrows_make(const void *view, const struct arrow_range *range,
					    struct histree_arrows **out, struct histree_error *error)
{
	const struct track_arrows *arrows = view;
	struct histree_arrows_request request = { .history = arrows->history,
						  .flows = arrows->flows,
						  .instants = arrows->instants };
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
static void name_of_flow(const void *view, uint32_t row, struct byte_buffer *name)
{
	const struct track_arrows *arrows = view;
	const struct histree_attributes *attributes = histree_history_attributes(arrows->history);
	size_t size = histree_attributes_path(attributes, row, NULL, 0);
	char *room = (char *)byte_buffer_room(name, size + 1);
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

static void label(const void *view, uint32_t index, struct byte_buffer *text)
{
	const struct attribute_rows *rows = view;
	const struct attribute_row *row = &rows->rows[index];
	if (row->quark != HISTREE_ROOT)
		attribute_name_put(histree_history_attributes(rows->dataset->histories[row->history]), row->quark,
				   text);
	else
		byte_buffer_put_chars(text, rows->dataset->analyses[row->history]);
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
	.count = offsetof(struct attribute_rows, count),
	.facts = facts,
	.label = label,
	.arrows = arrows,
	.text = state_any_text,
	.kind = { .text = state_any_text },
};

/* ---- span rows ----------------------------------------------------------------------------------------------- */

/*
 * Of the analysis `tracks`: processes and threads by name and number, and their spans.  A thread, or another track,
 * shows its outermost spans itself, and those inside them by a row for each depth.  Counters are no rows but lines.
 */
struct span_row {
	histree_quark quark; /* what it shows; HISTREE_ROOT: nothing */
	uint32_t depth, descendants;
	uint32_t track; /* the row that has its name: its own, or that above a depth */
	char *name;     /* NULL: a depth has none */
};

struct span_rows {
	struct track_arrows flows; /* the first member: flows between the rows are made of it */
	struct span_row *rows;
	uint32_t count;
	struct histree_history *history;
	/* By quark: the row of that depth, or of that thread or process; HISTREE_NO_INDEX: none is */
	uint32_t *rows_of_flows;
};

struct span_maker {
	struct span_rows *rows;
	size_t capacity;
	const struct histree_attributes *attributes;
	struct histree_cursor *query;
};

static bool find_stack(void *context, histree_quark quark)
{
	(void)quark;
	*(bool *)context = true;
	return false;
}

static bool has_spans(const struct dataset *dataset)
{
	bool found = false;
	struct histree_history *history = dataset_history(dataset, "tracks");
	return history != NULL &&
	       histree_attributes_match(histree_history_attributes(history), HISTREE_ROOT, "**/CallStack/1",
					find_stack, &found, NULL) == HISTREE_OK &&
	       found;
}

static void free_span_rows(void *view)
{
	struct span_rows *rows = view;
	for (uint32_t row = 0; row < rows->count; row++)
		free(rows->rows[row].name);
	track_arrows_close(&rows->flows);
	free(rows->rows_of_flows);
	free(rows->rows);
	free(rows);
}

static bool is_called(const struct span_maker *maker, histree_quark quark, const char *wanted)
{
	char name[16];
	const size_t size = strlen(wanted);
	return histree_attributes_name(maker->attributes, quark, name, sizeof(name)) == size &&
	       memcmp(name, wanted, size) == 0;
}

/* "main (101)" where the trace gives a name, elsewhere "101"; the spans of nobody are on a stack at the top. */
static enum histree_status name_track(struct span_maker *maker, histree_quark quark, char **out,
				      struct histree_error *error)
{
	struct byte_buffer name = { 0 };
	struct histree_interval state;
	const histree_time end = histree_history_info(maker->rows->history)->end;
	enum histree_status status = histree_query_single(maker->query, quark, end, &state, error);
	if (status != HISTREE_OK)
		return status;
	const bool is_named = state.value.type == HISTREE_STRING && state.value.size > 0;
	if (is_named) {
		byte_buffer_put(&name, state.value.bytes, state.value.size);
		byte_buffer_put_chars(&name, " (");
	}
	if (is_called(maker, quark, "CallStack"))
		byte_buffer_put_chars(&name, "no thread");
	else
		attribute_name_put(maker->attributes, quark, &name);
	if (is_named)
		byte_buffer_put_byte(&name, ')');
	byte_buffer_put_byte(&name, '\0');
	if (name.failed) {
		byte_buffer_release(&name);
		return error_memory(error, "the spans");
	}
	*out = (char *)name.bytes;
	return HISTREE_OK;
}

/* Adds the row of a track, which is `named`, or without one a depth of the track at that row. */
static enum histree_status add_span_row(struct span_maker *maker, histree_quark named, histree_quark shown,
					uint32_t depth, uint32_t track, struct histree_error *error)
{
	struct span_rows *rows = maker->rows;
	char *name = NULL;
	enum histree_status status = named != HISTREE_ROOT ? name_track(maker, named, &name, error) : HISTREE_OK;
	if (status == HISTREE_OK && !array_reserve(&rows->rows, &maker->capacity, (size_t)rows->count + 1))
		status = error_memory(error, "the spans");
	if (status != HISTREE_OK) {
		free(name);
		return status;
	}
	if (shown != HISTREE_ROOT)
		rows->rows_of_flows[shown] = rows->count;
	if (named != HISTREE_ROOT)
		rows->rows_of_flows[named] = rows->count;
	rows->rows[rows->count] =
		(struct span_row){ shown, depth, 0, named != HISTREE_ROOT ? rows->count : track, name };
	rows->count++;
	return HISTREE_OK;
}

/* The levels of a stack that are not in the row of its track, each a row. */
static enum histree_status add_levels(struct span_maker *maker, histree_quark stack, uint32_t track,
				      struct histree_error *error)
{
	const struct span_row own = maker->rows->rows[track];
	enum histree_status status = HISTREE_OK;
	for (histree_quark level = histree_attributes_first_child(maker->attributes, stack);
	     level != HISTREE_ROOT && status == HISTREE_OK;
	     level = histree_attributes_next_sibling(maker->attributes, level))
		if (level != own.quark)
			status = add_span_row(maker, HISTREE_ROOT, level, own.depth + 1, track, error);
	maker->rows->rows[track].descendants = maker->rows->count - track - 1;
	return status;
}

/* Finds what is called so below an attribute; HISTREE_ROOT: nothing is. */
static histree_quark below(const struct span_maker *maker, histree_quark quark, const char *path)
{
	histree_quark found;
	const bool is_there = histree_attributes_find(maker->attributes, quark, path, &found) == HISTREE_OK;
	return is_there ? found : HISTREE_ROOT;
}

/* Asynchronous spans of one name: the first lane in a row that has the name, the others below it. */
static enum histree_status add_lanes(struct span_maker *maker, histree_quark name, uint32_t depth,
				     struct histree_error *error)
{
	const uint32_t own = maker->rows->count;
	enum histree_status status =
		add_span_row(maker, name, below(maker, name, "1/CallStack/1"), depth, HISTREE_NO_INDEX, error);
	for (histree_quark lane = histree_attributes_first_child(maker->attributes, name);
	     lane != HISTREE_ROOT && status == HISTREE_OK;
	     lane = histree_attributes_next_sibling(maker->attributes, lane)) {
		const histree_quark stack = below(maker, lane, "CallStack");
		if (stack != HISTREE_ROOT)
			status = add_levels(maker, stack, own, error);
	}
	return status;
}

/* An attribute, what it shows, and what is below it; what has no stack at or below it is no row. */
static enum histree_status add_track(struct span_maker *maker, histree_quark quark, uint32_t depth,
				     struct histree_error *error)
{
	enum { DEPTH_MAX = 8 }; /* of processes and tracks */
	struct span_rows *rows = maker->rows;
	const uint32_t own = rows->count;
	const bool is_async = is_called(maker, quark, "Async");
	const histree_quark stack = below(maker, quark, "CallStack"), level = below(maker, quark, "CallStack/1");
	enum histree_status status = add_span_row(maker, quark, level, depth, HISTREE_NO_INDEX, error);
	if (stack != HISTREE_ROOT && status == HISTREE_OK)
		status = add_levels(maker, stack, own, error);
	for (histree_quark child = histree_attributes_first_child(maker->attributes, quark);
	     child != HISTREE_ROOT && status == HISTREE_OK && depth < DEPTH_MAX;
	     child = histree_attributes_next_sibling(maker->attributes, child))
		if (is_async)
			status = add_lanes(maker, child, depth + 1, error);
		else if (child != stack && !is_called(maker, child, "Counters"))
			status = add_track(maker, child, depth + 1, error);
	if (status != HISTREE_OK)
		return status;
	rows->rows[own].descendants = rows->count - own - 1;
	if (level == HISTREE_ROOT && rows->count == own + 1) {
		free(rows->rows[--rows->count].name);
		rows->rows_of_flows[quark] = HISTREE_NO_INDEX;
	}
	return HISTREE_OK;
}

/* Processes are at the top, and so is what names none. */
static enum histree_status add_tracks(struct span_maker *maker, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (histree_quark top = histree_attributes_first_child(maker->attributes, HISTREE_ROOT);
	     top != HISTREE_ROOT && status == HISTREE_OK;
	     top = histree_attributes_next_sibling(maker->attributes, top)) {
		const bool is_folder = is_called(maker, top, "Processes") || is_called(maker, top, "Threads");
		for (histree_quark child = histree_attributes_first_child(maker->attributes, top);
		     is_folder && child != HISTREE_ROOT && status == HISTREE_OK;
		     child = histree_attributes_next_sibling(maker->attributes, child))
			status = add_track(maker, child, 0, error);
		if (status == HISTREE_OK && is_called(maker, top, "Async"))
			status = add_track(maker, top, 0, error);
		const uint32_t own = maker->rows->count;
		if (status == HISTREE_OK && is_called(maker, top, "CallStack")) {
			status = add_span_row(maker, top, below(maker, top, "1"), 0, HISTREE_NO_INDEX, error);
			if (status == HISTREE_OK)
				status = add_levels(maker, top, own, error);
		}
	}
	return status;
}

static enum histree_status span_rows_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	struct span_rows *rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return error_memory(error, "the spans");
	rows->history = dataset_history(dataset, "tracks");
	struct span_maker maker = { .rows = rows, .attributes = histree_history_attributes(rows->history) };
	const size_t attributes = histree_history_info(rows->history)->attribute_count;
	rows->rows_of_flows = malloc((attributes + 1) * sizeof(*rows->rows_of_flows));
	enum histree_status status = rows->rows_of_flows != NULL ? HISTREE_OK : error_memory(error, "the spans");
	for (size_t i = 0; status == HISTREE_OK && i <= attributes; i++)
		rows->rows_of_flows[i] = HISTREE_NO_INDEX;
	if (status == HISTREE_OK)
		status = histree_query_create(rows->history, &maker.query, error);
	if (status == HISTREE_OK)
		status = add_tracks(&maker, error);
	histree_cursor_free(maker.query);
	track_arrows_open(&rows->flows, dataset);
	if (status == HISTREE_OK)
		*view = rows;
	else
		free_span_rows(rows);
	return status;
}

static void span_rows_facts(const void *view, uint32_t index, struct row_facts *out)
{
	const struct span_rows *rows = view;
	const struct span_row *row = &rows->rows[index];
	*out = (struct row_facts){
		.history = rows->history,
		.quark = row->quark,
		.label = HISTREE_ROOT,
		.table = row->quark != HISTREE_ROOT ? histree_labels_of(rows->history, row->quark) : NULL,
		.depth = row->depth,
		.descendants = row->descendants,
	};
}

static void span_rows_label(const void *view, uint32_t index, struct byte_buffer *text)
{
	const struct span_rows *rows = view;
	if (rows->rows[index].name != NULL)
		byte_buffer_put_chars(text, rows->rows[index].name);
}

static const char *name_of_track(const struct span_rows *rows, uint32_t index)
{
	return rows->rows[rows->rows[index].track].name;
}

/* A depth has no name, but a track. */
static void span_rows_describe(const void *view, uint32_t index, struct json_writer *json)
{
	const struct span_rows *rows = view;
	if (rows->rows[index].track != index)
		json_text_member(json, "track", name_of_track(rows, index));
}

static void name_of_span(const void *view, uint32_t quark, struct byte_buffer *name)
{
	const struct span_rows *rows = view;
	byte_buffer_put_chars(name, name_of_track(rows, rows->rows_of_flows[quark]));
}

/* An instant of a thread that has no row is in that of its process. */
static bool find_span_row(const struct span_rows *rows, int32_t quark, uint32_t *out)
{
	const struct histree_attributes *attributes = histree_history_attributes(rows->history);
	for (*out = (uint32_t)quark; *out != HISTREE_ROOT; *out = histree_attributes_parent(attributes, *out))
		if (rows->rows_of_flows[*out] != HISTREE_NO_INDEX)
			return true;
	return false;
}

static bool rows_of_span(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	return find_span_row(view, arrow->from, from) && find_span_row(view, arrow->to, to);
}

static const struct arrow_model arrows_of_spans = { flow_arrows_make, rows_of_span, name_of_span, NULL };

static void span_rows_arrows(const void *view, struct arrow_source *out)
{
	const struct span_rows *rows = view;
	if (rows->flows.history != NULL && rows->count > 0)
		*out = (struct arrow_source){ .model = &arrows_of_spans,
					      .view = rows,
					      .shown_as = rows->rows_of_flows };
}

static struct histree_history *history_of_spans(const struct dataset *dataset)
{
	return dataset_history(dataset, "tracks");
}

const struct row_model row_model_spans = {
	.name = "spans",
	.title = "Spans",
	.own = { has_spans, span_rows_make, free_span_rows },
	.has_arrows = track_arrows_apply,
	.history = history_of_spans,
	.count = offsetof(struct span_rows, count),
	.facts = span_rows_facts,
	.label = span_rows_label,
	.describe = span_rows_describe,
	.arrows = span_rows_arrows,
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
	uint32_t row_count;
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
	explorer->row_count = (uint32_t)next;
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

static void explorer_label(const void *view, uint32_t row, struct byte_buffer *text)
{
	const struct explorer_part *part = explorer_part_of(view, row);
	if (row == part->base)
		byte_buffer_put_chars(text, part->name);
	else
		attribute_name_put(histree_history_attributes(part->history), row - part->base - 1, text);
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
	.count = offsetof(struct explorer, row_count),
	.facts = explorer_facts,
	.label = explorer_label,
	.arrows = explorer_arrows,
	.text = state_any_text,
	.kind = { .text = state_any_text },
};
