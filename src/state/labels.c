// SPDX-License-Identifier: MIT
/*
 * labels.c - what values mean, and how they are drawn: tables of labels, their section of a file, and the label
 * and style of a value.
 *
 * Readers who cannot distinguish red from green can still distinguish the hues of the palette: blue, orange, bluish
 * green, purple and sand also differ in lightness.
 *
 * The tables of several hosts become those of one history: each distinct one once, for the attributes of any
 * host.
 */
#include "state/labels.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "histree/attributes.h"
#include "state/attribute_match.h"
#include "store/block_file.h"

enum label_flags {
	LABEL_KIND_BITS = 3, /* enum histree_label_kind */
	LABEL_IS_RANGE = 4,  /* of more than one number */
	LABEL_IS_CODE = 8,
	LABEL_IS_HIDDEN = 16,
	LABEL_HAS_NO_COLOUR = 32,
	LABEL_FLAGS = 63, /* all of them */
};

/* ---- label section ------------------------------------------------------------------------------------------- */

enum { TABLE_USES_PALETTE = 1, COLOUR_SIZE = 3 };

/* ---- writing ---------------------------------------------------------------------------------------------- */

static void put_colour(struct byte_buffer *out, uint32_t colour)
{
	const uint8_t bytes[COLOUR_SIZE] = { (uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour };
	byte_buffer_put(out, bytes, sizeof(bytes));
}

static void put_label(struct byte_buffer *out, const struct histree_label *label)
{
	bool is_range = label->kind == HISTREE_LABEL_NUMBERS && label->first != label->last;
	uint8_t flags = (uint8_t)(label->kind | (is_range ? LABEL_IS_RANGE : 0) |
				  (label->is_code ? LABEL_IS_CODE : 0) | (label->is_hidden ? LABEL_IS_HIDDEN : 0) |
				  (label->has_no_colour ? LABEL_HAS_NO_COLOUR : 0));
	byte_buffer_put(out, &flags, 1);
	if (label->kind == HISTREE_LABEL_NUMBERS)
		byte_buffer_put_number(out, zigzag(label->first));
	if (is_range)
		byte_buffer_put_number(out, (uint64_t)label->last - (uint64_t)label->first);
	if (label->kind == HISTREE_LABEL_TEXT)
		byte_buffer_put_string(out, label->text);
	if (label->is_hidden)
		return;
	uint8_t height = (uint8_t)lround(label->style.height * LABEL_HUNDREDTHS);
	byte_buffer_put_string(out, label->style.key);
	byte_buffer_put_string(out, label->style.name);
	byte_buffer_put(out, &height, 1);
	if (label->has_no_colour)
		return;
	put_colour(out, label->style.light);
	put_colour(out, label->style.dark);
}

static void put_table(struct byte_buffer *out, const void *tables, size_t index)
{
	const struct histree_label_table *table = (const struct histree_label_table *)tables + index;
	size_t patterns = 0;
	while (table->patterns[patterns] != NULL)
		patterns++;
	byte_buffer_put_string(out, table->name);
	byte_buffer_put_number(out, table->meaning);
	byte_buffer_put_number(out, table->uses_palette ? TABLE_USES_PALETTE : 0);
	byte_buffer_put_number(out, patterns);
	for (size_t i = 0; i < patterns; i++)
		byte_buffer_put_string(out, table->patterns[i]);
	byte_buffer_put_number(out, table->label_count);
	for (size_t i = 0; i < table->label_count; i++)
		put_label(out, &table->labels[i]);
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

static uint32_t take_colour(struct told_reader *reading)
{
	const uint8_t *bytes = read_bytes(&reading->reader, COLOUR_SIZE);
	return bytes != NULL ? (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2] : 0;
}

static void take_numbers(struct told_reader *reading, struct histree_label *label, bool is_range)
{
	label->first = label->last = unzigzag(read_varint(&reading->reader));
	if (!is_range)
		return;
	uint64_t more = read_varint(&reading->reader);
	bool fits = more > 0 && more <= (uint64_t)INT64_MAX - (uint64_t)label->first;
	if (fits)
		label->last = (int64_t)((uint64_t)label->first + more);
	reading->reader.failed = reading->reader.failed || !fits;
}

static void take_label(struct told_reader *reading, struct histree_label *label)
{
	uint8_t flags = told_take_byte(reading, LABEL_FLAGS);
	*label = (struct histree_label){
		.kind = (enum histree_label_kind)(flags & LABEL_KIND_BITS),
		.is_code = (flags & LABEL_IS_CODE) != 0,
		.is_hidden = (flags & LABEL_IS_HIDDEN) != 0,
		.has_no_colour = (flags & LABEL_HAS_NO_COLOUR) != 0,
		.style = { .key = "", .name = "" },
	};
	bool is_range = (flags & LABEL_IS_RANGE) != 0;
	bool is_odd = (flags & LABEL_KIND_BITS) > HISTREE_LABEL_OTHERS ||
		      (is_range && label->kind != HISTREE_LABEL_NUMBERS) ||
		      (label->is_hidden && (label->is_code || label->has_no_colour));
	reading->reader.failed = reading->reader.failed || is_odd;
	if (label->kind == HISTREE_LABEL_NUMBERS)
		take_numbers(reading, label, is_range);
	if (label->kind == HISTREE_LABEL_TEXT)
		label->text = told_take_text(reading, HISTREE_LABEL_TEXT_MAX);
	if (label->is_hidden)
		return;
	label->style.key = told_take_text(reading, HISTREE_LABEL_TEXT_MAX);
	label->style.name = told_take_text(reading, HISTREE_LABEL_TEXT_MAX);
	label->style.height = (double)told_take_byte(reading, LABEL_HUNDREDTHS) / LABEL_HUNDREDTHS;
	if (label->has_no_colour)
		return;
	label->style.light = take_colour(reading);
	label->style.dark = take_colour(reading);
}

static void take_labels(struct told_reader *reading, struct histree_label_table *table)
{
	size_t count = told_take_count(reading, 1, LABELS_MAX);
	struct histree_label *labels = told_take_room(reading, count, sizeof(*labels));
	table->labels = labels;
	for (size_t i = 0; i < count && told_is_sound(reading); i++)
		take_label(reading, &labels[i]);
	table->label_count = told_is_sound(reading) ? count : 0;
	if (told_is_sound(reading)) {
		/* Give labels that have no colour the one that the palette has for their value. */
		for (size_t i = 0; i < count; i++) {
			struct histree_label *label = &labels[i];
			if (!label->has_no_colour)
				continue;
			const struct histree_value value = label->kind == HISTREE_LABEL_TEXT
								   ? histree_string(label->text)
								   : histree_long(label->first);
			const struct histree_style *style = histree_style_of(NULL, &value);
			label->style.light = style->light;
			label->style.dark = style->dark;
		}
	}
}

static enum histree_status take_table(struct told_reader *reading, struct told_list *list,
				      struct histree_error *error)
{
	struct histree_label_table *table = &list->tables[list->count];
	*table = (struct histree_label_table){ .name = told_take_text(reading, HISTREE_LABEL_TEXT_MAX) };
	uint64_t meaning = read_varint(&reading->reader), flags = read_varint(&reading->reader);
	/* What is known of later versions only is labels like others. */
	table->meaning = meaning < HISTREE_MEANING_COUNT ? (enum histree_meaning)meaning : HISTREE_MEANS_ANYTHING;
	table->uses_palette = (flags & TABLE_USES_PALETTE) != 0;
	size_t count = told_take_count(reading, 1, LABEL_PATTERNS_MAX);
	const char **patterns = told_take_room(reading, count, sizeof(*patterns));
	table->patterns = patterns;
	for (size_t i = 0; i < count && told_is_sound(reading); i++)
		patterns[i] = told_take_text(reading, HISTREE_LABEL_TEXT_MAX);
	if (!told_is_sound(reading))
		return HISTREE_OK;
	patterns[count] = NULL;
	take_labels(reading, table);
	return told_is_sound(reading) ? label_table_check(table, error) : HISTREE_OK;
}

/* ---- label tables -------------------------------------------------------------------------------------------- */

/* ---- checks ----------------------------------------------------------------------------------------------- */

static bool is_text(const char *text, bool may_be_empty)
{
	size_t size = text != NULL ? strnlen(text, HISTREE_LABEL_TEXT_MAX + 1) : 0;
	return size <= HISTREE_LABEL_TEXT_MAX && (size > 0 || (may_be_empty && text != NULL));
}

static enum histree_status check_patterns(const char *const *patterns, struct histree_error *error)
{
	size_t count = 0;
	for (; patterns != NULL && patterns[count] != NULL && count <= LABEL_PATTERNS_MAX; count++) {
		const char *pattern = patterns[count];
		struct path_component component;
		if (!is_text(pattern, false))
			return error_set(error, HISTREE_ERR_ARGUMENT, "a pattern has 1 to %d bytes",
					 HISTREE_LABEL_TEXT_MAX);
		enum histree_status status = pattern_check(pattern, error);
		if (status != HISTREE_OK)
			return status;
		for (const char *rest = pattern; path_cut(&rest, &component);)
			if (pattern_is_up(&component))
				return error_set(error, HISTREE_ERR_ARGUMENT,
						 "the pattern '%s' has '..': name the attributes from the top",
						 pattern);
	}
	if (count == 0 || count > LABEL_PATTERNS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%s; it has 1 to %d",
				 count == 0 ? "it has no pattern" : "it has too many patterns", LABEL_PATTERNS_MAX);
	return HISTREE_OK;
}

static enum histree_status check_style(const struct histree_style *style, struct histree_error *error)
{
	if (!is_text(style->key, false) || !is_text(style->name, false))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a label needs a key and a name of 1 to %d bytes",
				 HISTREE_LABEL_TEXT_MAX);
	if (style->light > 0xffffff || style->dark > 0xffffff)
		return error_set(error, HISTREE_ERR_ARGUMENT, "label '%s': a colour is 0xRRGGBB", style->name);
	if (!(style->height >= 0 && style->height <= 1))
		return error_set(error, HISTREE_ERR_ARGUMENT, "label '%s': its height is %g; it is 0 to 1",
				 style->name, style->height);
	return HISTREE_OK;
}

static enum histree_status check_label(const struct histree_label *label, struct histree_error *error)
{
	if (label->kind == HISTREE_LABEL_NUMBERS && label->first > label->last)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a label is for %" PRId64 " to %" PRId64 ": no number is that", label->first,
				 label->last);
	if (label->kind == HISTREE_LABEL_TEXT && !is_text(label->text, true))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a label is for a text of more than %d bytes",
				 HISTREE_LABEL_TEXT_MAX);
	return label->is_hidden ? HISTREE_OK : check_style(&label->style, error);
}

/* Two labels that follow one another in the order. */
static enum histree_status check_apart(const struct histree_label *before, const struct histree_label *label,
				       struct histree_error *error)
{
	if (before->kind < label->kind)
		return HISTREE_OK;
	if (before->kind > label->kind)
		return error_set(error, HISTREE_ERR_ARGUMENT, "its labels are not in order");
	switch (label->kind) {
	case HISTREE_LABEL_NUMBERS:
		if (before->last < label->first)
			return HISTREE_OK;
		return error_set(error, HISTREE_ERR_ARGUMENT, "two labels are for the value %" PRId64,
				 label->first);
	case HISTREE_LABEL_TEXT:
		if (strcmp(before->text, label->text) < 0)
			return HISTREE_OK;
		return error_set(error, HISTREE_ERR_ARGUMENT, "two labels are for the text '%s'", label->text);
	case HISTREE_LABEL_OTHERS:
		break;
	}
	return error_set(error, HISTREE_ERR_ARGUMENT, "two labels are for all other values");
}

enum histree_status label_table_check(const struct histree_label_table *table, struct histree_error *error)
{
	if (!is_text(table->name, true))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a table of labels needs a name of at most %d bytes",
				 HISTREE_LABEL_TEXT_MAX);
	enum histree_status status = check_patterns(table->patterns, error);
	if (status == HISTREE_OK && table->label_count > LABELS_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "%zu labels; the most is %d", table->label_count,
				   LABELS_MAX);
	for (size_t i = 0; i < table->label_count && status == HISTREE_OK; i++) {
		status = check_label(&table->labels[i], error);
		if (status == HISTREE_OK && i > 0)
			status = check_apart(&table->labels[i - 1], &table->labels[i], error);
	}
	if (status != HISTREE_OK)
		error_prefix(error, "labels '%s'", table->name);
	return status;
}

/* ---- one key, one style ----------------------------------------------------------------------------------- */

COMPARE_POINTERS(by_key, struct histree_label, BY_TEXT(style.key))

static bool is_same(const struct histree_label *one, const struct histree_label *other)
{
	const struct histree_style *a = &one->style, *b = &other->style;
	return strcmp(a->name, b->name) == 0 && one->has_no_colour == other->has_no_colour &&
	       (one->has_no_colour || (a->light == b->light && a->dark == b->dark)) && a->height == b->height;
}

/* Tools know a style by its key. */
static enum histree_status check_keys(const struct histree_label_table *table, struct histree_error *error)
{
	const struct histree_label **sorted = malloc((table->label_count + 1) * sizeof(*sorted));
	size_t count = 0;
	enum histree_status status = HISTREE_OK;
	if (sorted == NULL)
		return error_memory(error, "labels");
	for (size_t i = 0; i < table->label_count; i++)
		if (!table->labels[i].is_hidden)
			sorted[count++] = &table->labels[i];
	if (count > 1)
		qsort(sorted, count, sizeof(const struct histree_label *), by_key);
	for (size_t i = 1; i < count && status == HISTREE_OK; i++)
		if (by_key(&sorted[i - 1], &sorted[i]) == 0 && !is_same(sorted[i - 1], sorted[i]))
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "labels '%s': two that are not alike have the key '%s'", table->name,
					   sorted[i]->style.key);
	free(sorted);
	return status;
}

/* ---- copies ----------------------------------------------------------------------------------------------- */

int label_order(const void *one, const void *other)
{
	const struct histree_label *a = one, *b = other;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == HISTREE_LABEL_TEXT)
		return strcmp(a->text, b->text);
	return (a->first > b->first) - (a->first < b->first);
}

/* A text that is too long, or none, is refused by the check that follows. */
static const char *copy_text(struct told_list *out, const char *text)
{
	return arena_copy(&out->memory, text != NULL ? text : "",
			  text != NULL ? strnlen(text, HISTREE_LABEL_TEXT_MAX + 1) : 0);
}

static bool copy_label(struct told_list *out, struct histree_label *label)
{
	bool is_for_text = label->kind == HISTREE_LABEL_TEXT;
	label->text = is_for_text ? copy_text(out, label->text) : NULL;
	if (label->kind != HISTREE_LABEL_NUMBERS)
		label->first = label->last = 0;
	if (label->is_hidden) {
		label->is_code = label->has_no_colour = false;
		label->style = (struct histree_style){ .key = "", .name = "" };
		return !is_for_text || label->text != NULL;
	}
	label->style.key = copy_text(out, label->style.key);
	label->style.name = copy_text(out, label->style.name);
	return label->style.key != NULL && label->style.name != NULL && (!is_for_text || label->text != NULL);
}

static bool copy_labels(struct told_list *out, struct histree_label_table *table)
{
	struct histree_label *labels = arena_allocate(&out->memory, (table->label_count + 1) * sizeof(*labels),
						      _Alignof(struct histree_label));
	bool copied = labels != NULL;
	for (size_t i = 0; i < table->label_count && copied; i++) {
		labels[i] = table->labels[i];
		copied = copy_label(out, &labels[i]);
	}
	if (!copied)
		return false;
	if (table->label_count > 1)
		qsort(labels, table->label_count, sizeof(*labels), label_order);
	table->labels = labels;
	return true;
}

static bool copy_patterns(struct told_list *out, struct histree_label_table *table)
{
	size_t count = 0;
	while (table->patterns != NULL && table->patterns[count] != NULL && count <= LABEL_PATTERNS_MAX)
		count++;
	const char **patterns =
		arena_allocate(&out->memory, (count + 1) * sizeof(*patterns), _Alignof(const char *));
	if (patterns == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		if ((patterns[i] = copy_text(out, table->patterns[i])) == NULL)
			return false;
	patterns[count] = NULL;
	table->patterns = patterns;
	return true;
}

static enum histree_status copy_table(struct told_list *out, const struct histree_label_table *from,
				      struct histree_error *error)
{
	struct histree_label_table *table = &out->tables[out->count];
	*table = *from;
	if (table->label_count > LABELS_MAX)
		return label_table_check(table, error);
	table->name = copy_text(out, from->name);
	if (table->name == NULL || !copy_patterns(out, table) || !copy_labels(out, table))
		return error_memory(error, "labels");
	enum histree_status status = label_table_check(table, error);
	if (status == HISTREE_OK)
		status = check_keys(table, error);
	out->count += status == HISTREE_OK;
	return status;
}

enum histree_status label_tables_copy(const struct histree_label_table *tables, size_t count, struct told_list *out,
				      struct histree_error *error)
{
	*out = (struct told_list){ .count = 0 };
	if (count > HISTREE_LABEL_TABLES_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%zu tables of labels; the most is %d", count,
				 HISTREE_LABEL_TABLES_MAX);
	out->tables = arena_allocate(&out->memory, (count + 1) * sizeof(*out->tables),
				     _Alignof(struct histree_label_table));
	enum histree_status status = out->tables != NULL ? HISTREE_OK : error_memory(error, "labels");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = copy_table(out, &tables[i], error);
	if (status != HISTREE_OK)
		told_list_release(out);
	return status;
}

/* ---- label find ---------------------------------------------------------------------------------------------- */

static const struct histree_style palette[] = {
	{ "colour 1", "colour 1", 0x2a6cb8, 0x5c9df0, 1 },   { "colour 2", "colour 2", 0xdd6b1f, 0xf08a3c, 1 },
	{ "colour 3", "colour 3", 0x12936a, 0x35b98c, 1 },   { "colour 4", "colour 4", 0xa8408c, 0xd879bb, 1 },
	{ "colour 5", "colour 5", 0xc49a1a, 0xdfb93f, 1 },   { "colour 6", "colour 6", 0x5d5bb5, 0x9290e6, 1 },
	{ "colour 7", "colour 7", 0x6bb3dc, 0x4c93bd, 1 },   { "colour 8", "colour 8", 0x8c5a3c, 0xb9835f, 1 },
	{ "colour 9", "colour 9", 0x4f9d3f, 0x7cc46b, 1 },   { "colour 10", "colour 10", 0xd98aa8, 0xb56a88, 1 },
	{ "colour 11", "colour 11", 0x2c8c99, 0x52b8c4, 1 }, { "colour 12", "colour 12", 0x7d8794, 0x9aa4b2, 1 },
};

enum { PALETTE_COLOURS = sizeof(palette) / sizeof(palette[0]) };

/* For what is lost, damaged or was never recorded. */
static const struct histree_style unknown = { "Unknown", "unknown", 0x99a1ac, 0x79828f, 0.33 };

const char *histree_meaning_name(enum histree_meaning meaning)
{
	static const char *const names[HISTREE_MEANING_COUNT] = {
		[HISTREE_MEANS_ANYTHING] = "",
		[HISTREE_MEANS_THREAD_STATUS] = "thread-status",
		[HISTREE_MEANS_CPU_STATUS] = "cpu-status",
		[HISTREE_MEANS_TID] = "tid",
		[HISTREE_MEANS_IRQ] = "irq",
		[HISTREE_MEANS_SOFT_IRQ] = "softirq-status",
		[HISTREE_MEANS_FREQUENCY] = "frequency",
	};
	return names[meaning];
}

/* ---- labels ----------------------------------------------------------------------------------------------- */

static bool number_of(const struct histree_value *value, int64_t *out)
{
	switch (value->type) {
	case HISTREE_INT:
		*out = value->int32;
		return true;
	case HISTREE_LONG:
		*out = value->int64;
		return true;
	case HISTREE_BOOL:
		*out = value->boolean;
		return true;
	default:
		return false;
	}
}

static const struct histree_label *find_number(const struct histree_label_table *table, int64_t number)
{
	/* To the first that is for greater ones, or for no numbers. */
	const size_t low =
		SEARCH(i, 0, table->label_count,
		       table->labels[i].kind == HISTREE_LABEL_NUMBERS && table->labels[i].first <= number);
	return low > 0 && number <= table->labels[low - 1].last ? &table->labels[low - 1] : NULL;
}

/* How a label is ordered to a text; those of texts lie together. */
static int order_of(const struct histree_label *label, const char *bytes, size_t size)
{
	if (label->kind == HISTREE_LABEL_TEXT)
		return bytes_order(label->text, strlen(label->text), bytes, size);
	return label->kind < HISTREE_LABEL_TEXT ? -1 : 1;
}

static const struct histree_label *find_text(const struct histree_label_table *table, const char *bytes,
					     size_t size)
{
	if (size > HISTREE_LABEL_TEXT_MAX)
		return NULL;
	const struct histree_label *labels = table->labels;
	const size_t at = SEARCH(i, 0, table->label_count, order_of(&labels[i], bytes, size) < 0);
	return at < table->label_count && order_of(&labels[at], bytes, size) == 0 ? &labels[at] : NULL;
}

static inline const struct histree_label *find(const struct histree_label_table *table,
					       const struct histree_value *value)
{
	const struct histree_label *found = NULL;
	int64_t number;
	if (table == NULL || table->label_count == 0 || value->type == HISTREE_NULL ||
	    value->type == HISTREE_UNKNOWN)
		return NULL;
	if (number_of(value, &number))
		found = find_number(table, number);
	else if (value->type == HISTREE_STRING)
		found = find_text(table, value->bytes, value->size);
	const struct histree_label *last = &table->labels[table->label_count - 1];
	return found == NULL && last->kind == HISTREE_LABEL_OTHERS ? last : found;
}

const struct histree_label *histree_label_find(const struct histree_label_table *table,
					       const struct histree_value *value)
{
	return find(table, value);
}

const char *histree_label_words(const struct histree_label_table *table, const struct histree_value *value)
{
	const struct histree_label *label = find(table, value);
	return label != NULL && label->is_code ? label->style.name : NULL;
}

/* ---- styles ----------------------------------------------------------------------------------------------- */

static const struct histree_style *style_of_anything(const struct histree_value *value)
{
	uint64_t hash = 0;
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return NULL;
	case HISTREE_INT:
		hash = (uint64_t)value->int32;
		break;
	case HISTREE_LONG:
		hash = (uint64_t)value->int64;
		break;
	case HISTREE_DOUBLE:
		hash = hash_bytes(&value->real, sizeof(value->real));
		break;
	case HISTREE_BOOL:
		hash = value->boolean;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		hash = hash_bytes(value->bytes, value->size);
		break;
	}
	return &palette[hash_mix(hash) % PALETTE_COLOURS];
}

/* A status may be called so too: both are one style then. */
static const struct histree_style *style_of_unknown(const struct histree_label_table *table)
{
	for (size_t i = 0; table != NULL && i < table->label_count; i++)
		if (!table->labels[i].is_hidden && strcmp(table->labels[i].style.key, unknown.key) == 0)
			return &table->labels[i].style;
	return &unknown;
}

const struct histree_style *histree_style_of(const struct histree_label_table *table,
					     const struct histree_value *value)
{
	if (value->type == HISTREE_UNKNOWN)
		return style_of_unknown(table);
	const struct histree_label *label = find(table, value);
	if (label != NULL)
		return label->is_hidden ? NULL : &label->style;
	return table == NULL || table->uses_palette ? style_of_anything(value) : NULL;
}

const struct histree_style *histree_styles(const struct histree_label_table *table, size_t index)
{
	for (size_t i = 0; table != NULL && i < table->label_count; i++)
		if (!table->labels[i].is_hidden && index-- == 0)
			return &table->labels[i].style;
	if (table == NULL || table->uses_palette) {
		if (index < PALETTE_COLOURS)
			return &palette[index];
		index -= PALETTE_COLOURS;
	}
	return index == 0 && style_of_unknown(table) == &unknown ? &unknown : NULL;
}

bool histree_style_is_palette(const struct histree_style *style)
{
	for (size_t i = 0; i < PALETTE_COLOURS; i++)
		if (style == &palette[i])
			return true;
	return false;
}

/* ---- of an attribute -------------------------------------------------------------------------------- */

_Static_assert(LABELS_FIRST_TABLE + HISTREE_LABEL_TABLES_MAX <= UINT8_MAX + 1, "an attribute has a byte");

static const struct histree_label_table *look_for(const struct histree_attributes *attributes,
						  const struct history_told *labels, histree_quark quark)
{
	struct attribute_way way;
	if (!attribute_way_find(&way, attributes, quark))
		return NULL;
	for (size_t i = 0; i < labels->count; i++)
		for (const char *const *pattern = labels->tables[i].patterns; *pattern != NULL; pattern++)
			if (attribute_way_matches(&way, *pattern))
				return &labels->tables[i];
	return NULL;
}

/* Returns NULL if memory runs out: then each question is answered anew. */
static struct labels_of_quarks *known_of(struct told_slots *slots, const struct history_told *labels,
					 uint32_t count)
{
	struct labels_of_quarks *known = atomic_load_explicit(&slots->known, memory_order_acquire);
	if (known != NULL)
		return known;
	struct labels_of_quarks *made = calloc(1, sizeof(*made) + count);
	if (made == NULL)
		return NULL;
	made->tables = labels->tables;
	made->count = count;
	if (atomic_compare_exchange_strong(&slots->known, &known, made))
		return made;
	free(made);
	return known;
}

const struct histree_label_table *labels_look(struct told_slots *slots, const struct histree_attributes *attributes,
					      const struct history_told *labels, histree_quark quark)
{
	uint32_t count = attributes->count;
	if (labels->count == 0 || quark >= count)
		return NULL;
	const struct histree_label_table *found = look_for(attributes, labels, quark);
	struct labels_of_quarks *known = known_of(slots, labels, count);
	size_t number = found != NULL ? (size_t)(found - labels->tables) + LABELS_FIRST_TABLE : LABELS_NO_TABLE;
	assert(known == NULL || quark < known->count);
	if (known != NULL && number <= UINT8_MAX) /* else, of many hosts, it is looked for each time */
		atomic_store_explicit(&known->numbers[quark], (uint8_t)number, memory_order_relaxed);
	return found;
}

/* ---- labels union -------------------------------------------------------------------------------------------- */

static bool is_same_style(const struct histree_style *a, const struct histree_style *b)
{
	return a->light == b->light && a->dark == b->dark && a->height == b->height &&
	       strcmp(a->key != NULL ? a->key : "", b->key != NULL ? b->key : "") == 0 &&
	       strcmp(a->name != NULL ? a->name : "", b->name != NULL ? b->name : "") == 0;
}

static bool is_same_label(const struct histree_label *a, const struct histree_label *b)
{
	return a->kind == b->kind && a->first == b->first && a->last == b->last && a->is_code == b->is_code &&
	       a->is_hidden == b->is_hidden && is_same_style(&a->style, &b->style) &&
	       (a->kind != HISTREE_LABEL_TEXT || strcmp(a->text, b->text) == 0);
}

static bool is_same_table(const struct histree_label_table *a, const struct histree_label_table *b)
{
	if (a == b)
		return true;
	if (strcmp(a->name, b->name) != 0 || a->meaning != b->meaning || a->uses_palette != b->uses_palette ||
	    a->label_count != b->label_count)
		return false;
	for (size_t i = 0; i < a->label_count; i++)
		if (!is_same_label(&a->labels[i], &b->labels[i]))
			return false;
	size_t i = 0;
	while (a->patterns[i] != NULL && b->patterns[i] != NULL && strcmp(a->patterns[i], b->patterns[i]) == 0)
		i++;
	return a->patterns[i] == NULL && b->patterns[i] == NULL;
}

/* Returns NULL if memory runs out. */
static const char *const *below_any_host(struct arena *memory, const char *const *patterns)
{
	static const char prefix[] = "*/";
	size_t count = 0;
	while (patterns[count] != NULL)
		count++;
	const char **below = arena_allocate(memory, (count + 1) * sizeof(*below), _Alignof(const char *));
	for (size_t i = 0; below != NULL && i < count; i++) {
		size_t size = strlen(patterns[i]);
		char *pattern = arena_allocate(memory, sizeof(prefix) + size, 1);
		if (pattern == NULL)
			return NULL;
		memcpy(pattern, prefix, sizeof(prefix) - 1);
		memcpy(pattern + sizeof(prefix) - 1, patterns[i], size + 1);
		below[i] = pattern;
	}
	if (below != NULL)
		below[count] = NULL;
	return below;
}

/* `taken` has room for all: where the tables come from. */
static bool add_tables(struct history_told *made, const struct history_told *host,
		       const struct histree_label_table **taken)
{
	for (size_t i = 0; i < host->count; i++) {
		size_t known = 0;
		while (known < made->count && !is_same_table(taken[known], &host->tables[i]))
			known++;
		if (known < made->count)
			continue;
		struct histree_label_table *table = &made->of_file.tables[made->count];
		*table = host->tables[i];
		table->patterns = below_any_host(&made->of_file.memory, table->patterns);
		if (table->patterns == NULL)
			return false;
		taken[made->count++] = &host->tables[i];
	}
	if (made->origin == HISTREE_LABELS_NONE || host->origin == HISTREE_LABELS_OF_FILE)
		made->origin = host->origin;
	return true;
}

static bool unite_tables(struct history_told *made, const struct history_told *const *hosts, size_t count)
{
	size_t room = 1;
	for (size_t i = 0; i < count; i++)
		room += hosts[i]->count;
	const struct histree_label_table **taken = calloc(room, sizeof(*taken));
	bool done = taken != NULL;
	for (size_t i = 0; i < count && done; i++)
		done = add_tables(made, hosts[i], taken);
	free(taken);
	return done;
}

const struct told_kind told_labels = {
	.what = "labels",
	.tag = "LABL",
	.section = TOLD_LABELS,
	.id = SECTION_LABELS,
	.version = 1,
	.size_max = LABEL_SECTION_SIZE_MAX,
	.count_max = HISTREE_LABEL_TABLES_MAX,
	.item_size = sizeof(struct histree_label_table),
	.item_bytes_min = 1,
	.put = put_table,
	.take = take_table,
	.unite = unite_tables,
	.consequence = "section LABL: values have the names that this version knows of the analysis, or none, "
		       "and 'histree copy --repair' makes sums of no others; 'histree copy --rebuild' has all of "
		       "them again",
};
