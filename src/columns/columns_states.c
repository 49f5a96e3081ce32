// SPDX-License-Identifier: MIT
/*
 * columns_states.c - states as columns: paths, times, values, labels.
 *
 * The column of labels has the meaning of values, as a dictionary.
 *
 * Paths get an id when they are first met; their texts are a dictionary.
 *
 * The path of an attribute is that of its parent and its name.  Attributes of one parent mostly come one after the
 * other, so the path of the parent is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/table.h"
#include "columns/columns_batch.h"
#include "columns/relation.h"
#include "histree/attributes.h"
#include "histree/columns.h"
#include "histree/history.h"
#include "histree/states.h"

struct columns_paths {
	const struct histree_attributes *attributes;
	uint32_t quark_count;
	uint32_t *ids; /* by quark, 1 added; 0: not met yet */
	struct columns_texts texts;
	struct columns_repair room;
	char *text; /* room for one path; it begins with that of `parent`, and a slash */
	size_t text_capacity, parent_size;
	histree_quark parent;
	bool has_parent;
};

/* Get the id of a path that was not met before. */
enum histree_status columns_paths_meet(struct columns_paths *paths, histree_quark quark, uint32_t *id,
				       struct histree_error *error);

static inline enum histree_status columns_paths_id(struct columns_paths *paths, histree_quark quark, uint32_t *id,
						   struct histree_error *error)
{
	if (quark >= paths->quark_count || paths->ids[quark] == 0)
		return columns_paths_meet(paths, quark, id, error);
	*id = paths->ids[quark] - 1;
	return HISTREE_OK;
}

/* ---- columns labels ------------------------------------------------------------------------------------------ */

enum { KNOWN = 256 };

/* What an int means to a table. */
struct known_label {
	const struct histree_label_table *table; /* NULL: free */
	int32_t number;
	bool has_label;
	uint32_t id;
};

struct columns_labels {
	const struct histree_history *history;
	bool has_tables;
	histree_quark quark; /* the attribute whose table is loaded; HISTREE_ROOT: none */
	const struct histree_label_table *table;
	struct columns_dictionary dictionary;
	struct known_label known[KNOWN];
};

static enum histree_status columns_labels_create(struct histree_history *history, size_t text_bytes,
						 struct columns_labels **out, struct histree_error *error)
{
	size_t tables;
	struct columns_labels *labels = *out = calloc(1, sizeof(*labels));
	if (labels == NULL)
		return error_memory(error, "labels");
	histree_labels(history, &tables);
	labels->history = history;
	labels->has_tables = tables > 0;
	labels->quark = HISTREE_ROOT;
	labels->dictionary.texts.size_max = text_bytes;
	return HISTREE_OK;
}

static enum histree_status look_up(struct columns_labels *labels, const struct histree_value *value, uint32_t *id,
				   bool *has_label, struct histree_error *error)
{
	const char *words = histree_label_words(labels->table, value);
	*has_label = words != NULL;
	*id = 0;
	return words != NULL ? columns_dictionary_add(&labels->dictionary, words, strlen(words), id, error)
			     : HISTREE_OK;
}

static enum histree_status look_up_int(struct columns_labels *labels, const struct histree_value *value,
				       uint32_t *id, bool *has_label, struct histree_error *error)
{
	size_t place = ((uintptr_t)labels->table / 64 + (uint32_t)value->int32) % KNOWN;
	struct known_label *known = &labels->known[place];
	if (known->table != labels->table || known->number != value->int32) {
		known->table = NULL;
		enum histree_status status = look_up(labels, value, &known->id, &known->has_label, error);
		if (status != HISTREE_OK)
			return status;
		known->table = labels->table;
		known->number = value->int32;
	}
	*id = known->id;
	*has_label = known->has_label;
	return HISTREE_OK;
}

static enum histree_status columns_labels_fill(struct columns_labels *labels, const struct histree_interval *states,
					       size_t count, uint32_t *ids, uint8_t *valid,
					       struct histree_error *error)
{
	memset(ids, 0, count * sizeof(*ids));
	memset(valid, 0, count);
	for (size_t i = 0; i < count && labels->has_tables; i++) {
		enum histree_type type = states[i].value.type;
		if (states[i].quark != labels->quark) {
			labels->quark = states[i].quark;
			labels->table = histree_labels_of(labels->history, labels->quark);
		}
		if (labels->table == NULL || type == HISTREE_NULL || type == HISTREE_UNKNOWN)
			continue;
		bool has_label;
		enum histree_status status =
			type == HISTREE_INT ? look_up_int(labels, &states[i].value, &ids[i], &has_label, error)
					    : look_up(labels, &states[i].value, &ids[i], &has_label, error);
		if (status != HISTREE_OK)
			return status;
		valid[i] = has_label;
	}
	return HISTREE_OK;
}

static void columns_labels_free(struct columns_labels *labels)
{
	if (labels == NULL)
		return;
	columns_dictionary_release(&labels->dictionary);
	free(labels);
}

/* ---- columns paths ------------------------------------------------------------------------------------------- */

static enum histree_status columns_paths_init(struct columns_paths *paths,
					      const struct histree_attributes *attributes,
					      struct histree_error *error)
{
	paths->attributes = attributes;
	paths->quark_count = histree_attributes_count(attributes);
	paths->ids = calloc((size_t)paths->quark_count + 1, sizeof(*paths->ids));
	return paths->ids != NULL ? HISTREE_OK : error_memory(error, "ids of paths");
}

static void columns_paths_release(struct columns_paths *paths)
{
	columns_texts_release(&paths->texts);
	free(paths->room.bytes);
	free(paths->ids);
	free(paths->text);
}

typedef size_t write_text(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
			  size_t capacity);

/* Write a text behind the first `at` bytes of the room. */
static enum histree_status put_text(struct columns_paths *paths, write_text *write, histree_quark quark, size_t at,
				    size_t *size, struct histree_error *error)
{
	size_t capacity = paths->text_capacity > at ? paths->text_capacity - at : 0;
	*size = write(paths->attributes, quark, capacity > 0 ? paths->text + at : NULL, capacity);
	if (*size < capacity)
		return HISTREE_OK;
	if (!array_reserve(&paths->text, &paths->text_capacity, at + *size + 1))
		return error_memory(error, "a path");
	write(paths->attributes, quark, paths->text + at, paths->text_capacity - at);
	return HISTREE_OK;
}

/* Begin the room with the path of the parent. */
static enum histree_status keep_parent(struct columns_paths *paths, histree_quark parent,
				       struct histree_error *error)
{
	size_t size = 0;
	enum histree_status status = HISTREE_OK;
	paths->has_parent = false;
	if (parent != HISTREE_ROOT)
		status = put_text(paths, histree_attributes_path, parent, 0, &size, error);
	if (status == HISTREE_OK && parent != HISTREE_ROOT)
		paths->text[size++] = '/'; /* where the terminator was */
	paths->parent = parent;
	paths->parent_size = size;
	paths->has_parent = status == HISTREE_OK;
	return status;
}

/* Put a backslash before what needs one, from the last byte to the first.  Returns the new size. */
static size_t escape(char *name, size_t size, size_t specials)
{
	char *to = name + size + specials, *from = name + size;
	while (from != to) {
		*--to = *--from;
		if (*from == '/' || *from == '\\')
			*--to = '\\';
	}
	return size + specials;
}

static size_t count_specials(const char *name, size_t size)
{
	size_t specials = 0;
	for (size_t i = 0; i < size; i++)
		specials += name[i] == '/' || name[i] == '\\';
	return specials;
}

enum histree_status columns_paths_meet(struct columns_paths *paths, histree_quark quark, uint32_t *id,
				       struct histree_error *error)
{
	if (quark >= paths->quark_count)
		return error_set(error, HISTREE_ERR_FORMAT, "there is no attribute %u; the history has %u", quark,
				 paths->quark_count);
	enum histree_status status = HISTREE_OK;
	histree_quark parent = histree_attributes_parent(paths->attributes, quark);
	size_t size = 0;
	if (!paths->has_parent || paths->parent != parent)
		status = keep_parent(paths, parent, error);
	size_t at = paths->parent_size;
	if (status == HISTREE_OK)
		status = put_text(paths, histree_attributes_name, quark, at, &size, error);
	if (status != HISTREE_OK)
		return status;
	size_t specials = count_specials(paths->text + at, size);
	if (specials > 0 && !array_reserve(&paths->text, &paths->text_capacity, at + size + specials))
		return error_memory(error, "a path");
	const void *bytes = paths->text;
	size = at + escape(paths->text + at, size, specials);
	status = columns_repair(&paths->room, &bytes, &size, error);
	if (status == HISTREE_OK)
		status = columns_texts_add(&paths->texts, bytes, size, error);
	if (status != HISTREE_OK)
		return status;
	paths->ids[quark] = paths->texts.count;
	*id = paths->texts.count - 1;
	return HISTREE_OK;
}

/* ---- columns states ------------------------------------------------------------------------------------------ */

enum { CHUNK = 256 };

enum part { QUARK, PATH, START, END, DURATION, TYPE, VALUE, REAL, TEXT, LABEL, PARTS };

struct states_source {
	struct relation base;
	struct histree_cursor *query;
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
	const struct histree_interval *chunk; /* the rows that are filled in now */
	struct histree_interval kept[CHUNK];  /* those that pass the filter */
	int64_t unwanted[CHUNK];              /* scratch for columns that are not wanted */
};

/* Where the next rows go. */
struct extents {
	uint32_t *quark;
	int64_t *start, *end, *duration;
	uint8_t *type;
};

static struct states_source *source_of(struct relation *base)
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
 * Fills the columns that every state has, in one loop; columns that are not wanted go to scratch memory.  Returns
 * the set of the types, a bit each: an attribute has one type, so most chunks have few.
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

/* Make those that pass the chunk. */
static size_t keep_wanted(struct states_source *source, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (histree_state_filter_match(source->filter, &source->chunk[i]))
			source->kept[kept++] = source->chunk[i];
	source->chunk = source->kept;
	return kept;
}

/* ---- the source --------------------------------------------------------------------------------------- */

static enum histree_status next_states(struct relation *base, struct columns_batch *batch,
				       struct histree_error *error)
{
	struct states_source *source = source_of(base);
	enum histree_status status = source->is_empty ? HISTREE_END : HISTREE_OK;
	while (status == HISTREE_OK && batch->rows < base->layout.rows_max) {
		size_t room = base->layout.rows_max - batch->rows, count;
		if (source->chunks++ % (CANCEL_STEPS / CHUNK) == 0)
			status = cancel_check(&base->work, 0, error);
		if (status == HISTREE_OK)
			status = histree_cursor_read(source->query, room < CHUNK ? room : CHUNK, &count, error);
		source->chunk = histree_cursor_interval(source->query);
		if (status == HISTREE_OK && source->filter != NULL)
			count = keep_wanted(source, count);
		if (status == HISTREE_OK && count > 0)
			status = fill_chunk(source, batch, count, error);
	}
	return status;
}

static struct histree_loss states_loss(const struct relation *base)
{
	return histree_cursor_loss(((const struct states_source *)base)->query);
}

static void release_states(struct relation *base)
{
	struct states_source *source = source_of(base);
	histree_cursor_free(source->query);
	histree_state_filter_free(source->filter);
	free(source->quarks);
	free(source->times);
	columns_paths_release(&source->paths);
	columns_dictionary_release(&source->texts);
	columns_texts_release(&source->types);
	columns_labels_free(source->labels);
}

static enum histree_status add_columns(struct states_source *source, struct histree_history *history,
				       const struct histree_arrow_options *options, struct histree_error *error)
{
	struct relation_part parts[PARTS] = {
		[QUARK] = { HISTREE_ARROW_QUARK, { "quark", COLUMN_UINT32, false, NULL } },
		[PATH] = { HISTREE_ARROW_PATH, { "path", COLUMN_WORD, false, &source->paths.texts } },
		[START] = { HISTREE_ARROW_START, { "start", COLUMN_TIME, false, NULL } },
		[END] = { HISTREE_ARROW_END, { "end", COLUMN_TIME, false, NULL } },
		[DURATION] = { HISTREE_ARROW_DURATION, { "duration", COLUMN_INT64, false, NULL } },
		[TYPE] = { HISTREE_ARROW_TYPE, { "type", COLUMN_SHORT, false, &source->types } },
		[VALUE] = { HISTREE_ARROW_VALUE, { "value", COLUMN_INT64, true, NULL } },
		[REAL] = { HISTREE_ARROW_REAL, { "real", COLUMN_REAL, true, NULL } },
		[TEXT] = { HISTREE_ARROW_TEXT, { "text", COLUMN_WORD, true, &source->texts.texts } },
		[LABEL] = { HISTREE_ARROW_LABEL, { "label", COLUMN_WORD, true, NULL } },
	};
	enum histree_status status = relation_configure(&source->base, options, parts, PARTS, "", error);
	if (status == HISTREE_OK && relation_wants(&source->base, &parts[LABEL])) {
		status = columns_labels_create(history, relation_text_bytes(options), &source->labels, error);
		if (status == HISTREE_OK)
			parts[LABEL].column.texts = &source->labels->dictionary.texts;
	}
	for (int type = 0; type < HISTREE_TYPE_COUNT && status == HISTREE_OK; type++) {
		const char *name = histree_type_name((enum histree_type)type);
		status = columns_texts_add(&source->types, name, strlen(name), error);
	}
	if (status == HISTREE_OK)
		relation_add_parts(&source->base, parts, PARTS, source->column);
	return status;
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
static enum histree_status narrow(struct states_source *source, struct histree_history *history,
				  const struct histree_arrow_options *options, struct histree_region *region,
				  struct histree_error *error)
{
	struct histree_selection selection;
	struct histree_region left;
	enum histree_status status = histree_state_filter_create(history, options->where, &source->filter, error);
	if (status != HISTREE_OK)
		return status;
	if (options->kernel != NULL && histree_state_filter_lacks_threads(source->filter))
		histree_state_filter_take_threads(source->filter, options->kernel);
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

static enum histree_status open_states(struct relation *base, const struct relation_question *question,
				       struct histree_error *error)
{
	struct states_source *source = source_of(base);
	struct histree_history *history = question->history;
	const struct histree_arrow_options *options = question->options;
	struct histree_region own;
	enum histree_status status = add_columns(source, history, options, error);
	if (status == HISTREE_OK)
		status = histree_query_create(history, &source->query, error);
	if (status == HISTREE_OK && options->threads > 1)
		status = histree_query_set_threads(source->query, options->threads, error);
	if (status == HISTREE_OK)
		status = copy_region(source, question->region, &own, error);
	if (status == HISTREE_OK)
		status = histree_query_start(source->query, &own, error);
	if (status == HISTREE_OK && options->where != NULL) {
		/* Started again: that the region can be asked for is found first. */
		status = narrow(source, history, options, &own, error);
		if (status == HISTREE_OK && !source->is_empty)
			status = histree_query_start(source->query, &own, error);
	}
	if (status != HISTREE_OK)
		return status;
	source->paths.texts.size_max = source->texts.texts.size_max = relation_text_bytes(options);
	return columns_paths_init(&source->paths, histree_history_attributes(history), error);
}

enum histree_status histree_query_arrow(struct histree_history *history, const struct histree_region *region,
					const struct histree_arrow_options *options, struct ArrowArrayStream *out,
					struct histree_error *error)
{
	static const struct relation_kind kind = { .size = sizeof(struct states_source),
						   .open = open_states,
						   .next = next_states,
						   .loss = states_loss,
						   .release = release_states };
	const struct relation_question question = { .history = history, .region = region, .options = options };
	return relation_open(&kind, &question, out, error);
}
