// SPDX-License-Identifier: MIT
/*
 * label_find.c - the label and the style of a value.
 *
 * Hues of the palette are those that people who see red and green alike still tell apart: blue, orange, bluish
 * green, purple and sand also differ in lightness.
 */
#include <string.h>

#include "base/hash.h"
#include "histree/labels.h"

static const struct histree_style palette[] = {
	{ "colour 1", "colour 1", 0x2a6cb8, 0x5c9df0, 1 },   { "colour 2", "colour 2", 0xdd6b1f, 0xf08a3c, 1 },
	{ "colour 3", "colour 3", 0x12936a, 0x35b98c, 1 },   { "colour 4", "colour 4", 0xa8408c, 0xd879bb, 1 },
	{ "colour 5", "colour 5", 0xc49a1a, 0xdfb93f, 1 },   { "colour 6", "colour 6", 0x5d5bb5, 0x9290e6, 1 },
	{ "colour 7", "colour 7", 0x6bb3dc, 0x4c93bd, 1 },   { "colour 8", "colour 8", 0x8c5a3c, 0xb9835f, 1 },
	{ "colour 9", "colour 9", 0x4f9d3f, 0x7cc46b, 1 },   { "colour 10", "colour 10", 0xd98aa8, 0xb56a88, 1 },
	{ "colour 11", "colour 11", 0x2c8c99, 0x52b8c4, 1 }, { "colour 12", "colour 12", 0x7d8794, 0x9aa4b2, 1 },
};

enum { PALETTE_COLOURS = sizeof(palette) / sizeof(palette[0]) };

/* Of what is lost, damaged or never was recorded. */
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
	size_t low = 0, high = table->label_count;
	while (low < high) { /* to the first that is for greater ones, or for no numbers */
		size_t middle = low + (high - low) / 2;
		const struct histree_label *label = &table->labels[middle];
		if (label->kind == HISTREE_LABEL_NUMBERS && label->first <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && number <= table->labels[low - 1].last ? &table->labels[low - 1] : NULL;
}

/* As strcmp() of the two would. */
static int compare_text(const char *text, const char *bytes, size_t size)
{
	size_t text_size = strlen(text);
	int order = memcmp(text, bytes, text_size < size ? text_size : size);
	return order != 0 ? order : (text_size > size) - (text_size < size);
}

static const struct histree_label *find_text(const struct histree_label_table *table, const char *bytes,
					     size_t size)
{
	size_t low = 0, high = table->label_count;
	if (size > HISTREE_LABEL_TEXT_MAX)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct histree_label *label = &table->labels[middle];
		int order = label->kind == HISTREE_LABEL_TEXT
				    ? compare_text(label->text, size > 0 ? bytes : "", size)
			    : label->kind < HISTREE_LABEL_TEXT ? -1
							       : 1;
		if (order == 0)
			return label;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
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
