// SPDX-License-Identifier: MIT
/*
 * States as columns.  Intervals are read some hundreds at a time into a buffer that stays in the processor's first
 * cache, and go from there column by column.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "columns/columns_dictionary.h"
#include "columns/columns_labels.h"
#include "columns/columns_paths.h"
#include "columns/columns_stream.h"
#include "histree/arrow.h"
#include "histree/state_filter.h"

enum { CHUNK = 256 };

enum part { QUARK, PATH, START, END, DURATION, TYPE, VALUE, REAL, TEXT, LABEL, PARTS };

struct states_source {
	struct columns_source base;
	struct histree_query *query;
	struct histree_state_filter *filter; /* NULL: every state is wanted */
	bool is_empty;                       /* none can pass it */
	histree_quark *quarks;               /* of the region */
	histree_time *times;
	int column[PARTS]; /* its number; COLUMN_NONE: it is not wanted */
	struct columns_paths paths;
	struct columns_texts types;
	struct columns_dictionary texts;
	struct columns_labels *labels; /* NULL: none are wanted */
	uint64_t chunks;
	struct histree_interval chunk[CHUNK];
	int64_t unwanted[CHUNK]; /* where columns go that nobody asked for */
};

/* Where the next rows go. */
struct extents {
	uint32_t *quark;
	int64_t *start, *end, *duration;
	uint8_t *type;
};

static struct states_source *source_of(struct columns_source *base)
{
	return (struct states_source *)base;
}

/* ---- columns ------------------------------------------------------------------------------------------ */

static enum histree_status fill_paths(struct states_source *source, uint32_t *out, size_t count,
				      struct histree_error *error)
{
	const struct histree_interval *chunk = source->chunk;
	for (size_t i = 0; i < count; i++) {
		histree_quark quark = chunk[i].quark;
		if (i > 0 && quark == chunk[i - 1].quark) {
			out[i] = out[i - 1];
			continue;
		}
		enum histree_status status = columns_paths_id(&source->paths, quark, &out[i], error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

enum {
	IS_NULL = 1 << HISTREE_NULL | 1 << HISTREE_UNKNOWN,
	IS_INT = 1 << HISTREE_INT,
	IS_NUMBER = IS_INT | 1 << HISTREE_LONG | 1 << HISTREE_BOOL,
	IS_REAL = 1 << HISTREE_DOUBLE,
	IS_TEXT = 1 << HISTREE_STRING | 1 << HISTREE_CUSTOM,
};

/*
 * Ints and null are most states.  Neither this nor the next has a branch that depends on the type, which changes
 * from attribute to attribute.
 */
static void fill_ints(const struct histree_interval *chunk, int64_t *out, uint8_t *valid, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool is_int = chunk[i].value.type == HISTREE_INT;
		out[i] = chunk[i].value.int32 & -(int32_t)is_int;
		valid[i] = is_int;
	}
}

static void fill_numbers(const struct histree_interval *chunk, int64_t *out, uint8_t *valid, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct histree_value *value = &chunk[i].value;
		enum histree_type type = value->type;
		int64_t valid_one = IS_NUMBER >> type & 1;
		int64_t number = type == HISTREE_INT ? value->int32 : value->int64;
		number = type == HISTREE_BOOL ? value->boolean : number;
		out[i] = number & -valid_one;
		valid[i] = (uint8_t)valid_one;
	}
}

static void fill_reals(const struct histree_interval *chunk, double *out, uint8_t *valid, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool is_real = chunk[i].value.type == HISTREE_DOUBLE;
		out[i] = is_real ? chunk[i].value.real : 0;
		valid[i] = is_real;
	}
}

/* Nulls. */
static void fill_none(void *out, size_t value_size, uint8_t *valid, size_t count)
{
	memset(out, 0, count * value_size);
	memset(valid, 0, count);
}

static enum histree_status fill_texts(struct states_source *source, uint32_t *out, uint8_t *valid, size_t count,
				      struct histree_error *error)
{
	for (size_t i = 0; i < count; i++) {
		const struct histree_value *value = &source->chunk[i].value;
		enum histree_status status = HISTREE_OK;
		out[i] = 0;
		valid[i] = true;
		if (value->type == HISTREE_STRING)
			status = columns_dictionary_id(&source->texts, value->bytes, value->size, &out[i], error);
		else if (value->type == HISTREE_CUSTOM)
			status = columns_dictionary_add_digits(&source->texts, value->bytes, value->size, &out[i],
							       error);
		else
			valid[i] = false;
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/*
 * The columns that every state has, in one loop; those that are not wanted go where nobody reads them.  Returns
 * the set of the types, a bit each: an attribute has one, so that most chunks have few.
 */
static unsigned fill_extents(const struct histree_interval *chunk, size_t count, const struct extents *out)
{
	uint32_t *quark = out->quark;
	int64_t *start = out->start, *end = out->end, *duration = out->duration;
	uint8_t *type = out->type;
	unsigned types = 0;
	for (size_t i = 0; i < count; i++) {
		const struct histree_interval *state = &chunk[i];
		uint64_t after = (uint64_t)state->end - (uint64_t)state->start; /* its first ns */
		quark[i] = state->quark;
		start[i] = state->start;
		end[i] = state->end;
		duration[i] = after >= INT64_MAX ? INT64_MAX : (int64_t)after + 1;
		type[i] = (uint8_t)state->value.type;
		types |= 1U << state->value.type;
	}
	return types;
}

/* Where the next row of a part goes; NULL if it is not wanted. */
static void *next_of(const struct states_source *source, const struct columns_batch *batch, enum part part,
		     size_t value_size)
{
	int column = source->column[part];
	return column == COLUMN_NONE ? NULL : (uint8_t *)batch->values[column] + batch->rows * value_size;
}

static void *next_or_unwanted(struct states_source *source, const struct columns_batch *batch, enum part part,
			      size_t value_size)
{
	void *next = next_of(source, batch, part, value_size);
	return next != NULL ? next : source->unwanted;
}

static uint8_t *next_valid(const struct states_source *source, const struct columns_batch *batch, enum part part)
{
	int column = source->column[part];
	return column == COLUMN_NONE ? NULL : batch->valid[column] + batch->rows;
}

/* The columns that depend on the value. */
static enum histree_status fill_by_type(struct states_source *source, struct columns_batch *batch, unsigned types,
					size_t count, struct histree_error *error)
{
	const struct histree_interval *chunk = source->chunk;
	uint8_t *valid = next_valid(source, batch, VALUE);
	void *out = next_of(source, batch, VALUE, sizeof(int64_t));
	if (out != NULL && (types & IS_NUMBER) == 0)
		fill_none(out, sizeof(int64_t), valid, count);
	else if (out != NULL && (types & ~(unsigned)IS_NULL) == IS_INT)
		fill_ints(chunk, out, valid, count);
	else if (out != NULL)
		fill_numbers(chunk, out, valid, count);

	out = next_of(source, batch, REAL, sizeof(double));
	valid = next_valid(source, batch, REAL);
	if (out != NULL && (types & IS_REAL) == 0)
		fill_none(out, sizeof(double), valid, count);
	else if (out != NULL)
		fill_reals(chunk, out, valid, count);

	out = next_of(source, batch, TEXT, sizeof(uint32_t));
	valid = next_valid(source, batch, TEXT);
	if (out != NULL && (types & IS_TEXT) == 0)
		fill_none(out, sizeof(uint32_t), valid, count);
	else if (out != NULL)
		return fill_texts(source, out, valid, count, error);
	return HISTREE_OK;
}

static enum histree_status fill_chunk(struct states_source *source, struct columns_batch *batch, size_t count,
				      struct histree_error *error)
{
	const struct extents extents = {
		.quark = next_or_unwanted(source, batch, QUARK, sizeof(uint32_t)),
		.start = next_or_unwanted(source, batch, START, sizeof(int64_t)),
		.end = next_or_unwanted(source, batch, END, sizeof(int64_t)),
		.duration = next_or_unwanted(source, batch, DURATION, sizeof(int64_t)),
		.type = next_or_unwanted(source, batch, TYPE, sizeof(uint8_t)),
	};
	void *out;
	unsigned types = fill_extents(source->chunk, count, &extents);
	enum histree_status status = fill_by_type(source, batch, types, count, error);
	if (status == HISTREE_OK && (out = next_of(source, batch, PATH, sizeof(uint32_t))) != NULL)
		status = fill_paths(source, out, count, error);
	if (status == HISTREE_OK && (out = next_of(source, batch, LABEL, sizeof(uint32_t))) != NULL)
		status = columns_labels_fill(source->labels, source->chunk, count, out,
					     next_valid(source, batch, LABEL), error);
	batch->rows += (uint32_t)count;
	return status;
}

/* Leave those that pass at the beginning of the chunk. */
static size_t keep_wanted(struct states_source *source, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (histree_state_filter_match(source->filter, &source->chunk[i]))
			source->chunk[kept++] = source->chunk[i];
	return kept;
}

/* ---- the source --------------------------------------------------------------------------------------- */

static enum histree_status fill(struct columns_source *base, struct columns_batch *batch,
				struct histree_error *error)
{
	struct states_source *source = source_of(base);
	enum histree_status status = source->is_empty ? HISTREE_END : HISTREE_OK;
	while (status == HISTREE_OK && batch->rows < base->layout.rows_max) {
		size_t room = base->layout.rows_max - batch->rows, count;
		if (source->chunks++ % (CANCEL_STEPS / CHUNK) == 0)
			status = cancel_check(&base->cancel, 0, error);
		if (status == HISTREE_OK)
			status = histree_query_read(source->query, source->chunk, room < CHUNK ? room : CHUNK,
						    &count, error);
		if (status == HISTREE_OK && source->filter != NULL)
			count = keep_wanted(source, count);
		if (status == HISTREE_OK && count > 0)
			status = fill_chunk(source, batch, count, error);
	}
	return status;
}

static uint64_t damage(const struct columns_source *base)
{
	return histree_query_stats(((const struct states_source *)base)->query).nodes_damaged;
}

static void free_source(struct columns_source *base)
{
	struct states_source *source = source_of(base);
	histree_query_free(source->query);
	histree_state_filter_free(source->filter);
	free(source->quarks);
	free(source->times);
	columns_paths_release(&source->paths);
	columns_dictionary_release(&source->texts);
	columns_texts_release(&source->types);
	columns_labels_free(source->labels);
	free(source);
}

static enum histree_status add_columns(struct states_source *source, uint64_t wanted, struct histree_error *error)
{
	const struct {
		uint64_t bit;
		struct columns_column column;
	} all[PARTS] = {
		[QUARK] = { HISTREE_ARROW_QUARK, { "quark", COLUMN_UINT32, false, NULL } },
		[PATH] = { HISTREE_ARROW_PATH, { "path", COLUMN_WORD, false, &source->paths.texts } },
		[START] = { HISTREE_ARROW_START, { "start", COLUMN_TIME, false, NULL } },
		[END] = { HISTREE_ARROW_END, { "end", COLUMN_TIME, false, NULL } },
		[DURATION] = { HISTREE_ARROW_DURATION, { "duration", COLUMN_INT64, false, NULL } },
		[TYPE] = { HISTREE_ARROW_TYPE, { "type", COLUMN_SHORT, false, &source->types } },
		[VALUE] = { HISTREE_ARROW_VALUE, { "value", COLUMN_INT64, true, NULL } },
		[REAL] = { HISTREE_ARROW_REAL, { "real", COLUMN_REAL, true, NULL } },
		[TEXT] = { HISTREE_ARROW_TEXT, { "text", COLUMN_WORD, true, &source->texts.texts } },
		[LABEL] = { HISTREE_ARROW_LABEL,
			    { "label", COLUMN_WORD, true, columns_labels_texts(source->labels) } },
	};
	for (int type = 0; type < HISTREE_TYPE_COUNT; type++) {
		const char *name = histree_type_name((enum histree_type)type);
		enum histree_status status = columns_texts_add(&source->types, name, strlen(name), error);
		if (status != HISTREE_OK)
			return status;
	}
	for (int part = 0; part < PARTS; part++)
		source->column[part] = (wanted & all[part].bit) != 0
					       ? columns_source_add(&source->base, all[part].column)
					       : COLUMN_NONE;
	return HISTREE_OK;
}

/* The region with lists of its own. */
static enum histree_status copy_region(struct states_source *source, const struct histree_region *region,
				       struct histree_region *out, struct histree_error *error)
{
	*out = *region;
	if (region->quarks != NULL && region->quark_count > 0) {
		out->quarks = source->quarks = array_copy(region->quarks, region->quark_count);
		if (source->quarks == NULL)
			return error_memory(error, "a region");
	}
	if (region->times != NULL && region->time_count > 0) {
		out->times = source->times = array_copy(region->times, region->time_count);
		if (source->times == NULL)
			return error_memory(error, "a region");
	}
	return HISTREE_OK;
}

/* Asks only for what can pass an expression.  Lists of times stay as they are. */
static enum histree_status narrow(struct states_source *source, struct histree_history *history, const char *where,
				  struct histree_region *region, struct histree_error *error)
{
	struct histree_selection selection;
	struct histree_region left;
	enum histree_status status = histree_state_filter_create(history, where, &source->filter, error);
	if (status != HISTREE_OK)
		return status;
	histree_selection_begin(&selection, history);
	if (region->times == NULL) {
		selection.window.from = region->from;
		selection.window.to = region->to;
	}
	if (region->quarks != NULL)
		histree_selection_none(&selection);
	for (size_t i = 0; i < region->quark_count && region->quarks != NULL && status == HISTREE_OK; i++)
		status = histree_selection_add_quark(&selection, region->quarks[i], error);
	if (status == HISTREE_OK)
		status = histree_state_filter_select(source->filter, &selection, error);
	source->is_empty = status == HISTREE_OK && !histree_selection_region(&selection, &left);
	if (status == HISTREE_OK && !source->is_empty) {
		if (region->times == NULL) {
			region->from = left.from;
			region->to = left.to;
		}
		free(source->quarks);
		source->quarks = left.quarks != NULL ? array_copy(left.quarks, left.quark_count) : NULL;
		if (left.quarks != NULL && source->quarks == NULL)
			status = error_memory(error, "a region");
		region->quarks = source->quarks;
		region->quark_count = left.quark_count;
	}
	histree_selection_release(&selection);
	return status;
}

static enum histree_status begin(struct states_source *source, struct histree_history *history,
				 const struct histree_region *region, const struct histree_arrow_options *options,
				 struct histree_error *error)
{
	uint64_t wanted;
	struct histree_region own;
	enum histree_status status =
		columns_source_configure(&source->base, options, 2 * HISTREE_ARROW_LABEL - 1, &wanted, error);
	if (status == HISTREE_OK && (wanted & HISTREE_ARROW_LABEL) != 0)
		status = columns_labels_create(history, columns_text_bytes(options), &source->labels, error);
	if (status == HISTREE_OK)
		status = add_columns(source, wanted, error);
	if (status == HISTREE_OK)
		status = histree_query_create(history, &source->query, error);
	if (status == HISTREE_OK && options != NULL && options->threads > 1)
		status = histree_query_set_threads(source->query, options->threads, error);
	if (status == HISTREE_OK)
		status = copy_region(source, region, &own, error);
	if (status == HISTREE_OK)
		status = histree_query_start(source->query, &own, error);
	if (status == HISTREE_OK && options != NULL && options->where != NULL) {
		/* Started again: that the region can be asked for is found first. */
		status = narrow(source, history, options->where, &own, error);
		if (status == HISTREE_OK && !source->is_empty)
			status = histree_query_start(source->query, &own, error);
	}
	if (status != HISTREE_OK)
		return status;
	source->paths.texts.size_max = source->texts.texts.size_max = columns_text_bytes(options);
	return columns_paths_init(&source->paths, histree_history_attributes(history), error);
}

enum histree_status histree_query_arrow(struct histree_history *history, const struct histree_region *region,
					const struct histree_arrow_options *options, struct ArrowArrayStream *out,
					struct histree_error *error)
{
	*out = (struct ArrowArrayStream){ 0 };
	struct states_source *source = calloc(1, sizeof(*source));
	if (source == NULL)
		return error_memory(error, "columns");
	source->base.fill = fill;
	source->base.damage = damage;
	source->base.free = free_source;
	enum histree_status status = begin(source, history, region, options, error);
	if (status == HISTREE_OK)
		return columns_stream_open(&source->base, out, error);
	free_source(&source->base);
	return status;
}
