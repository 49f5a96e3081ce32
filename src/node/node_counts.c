// SPDX-License-Identifier: MIT
/*
 * node_counts.c - counts the intervals of a node by key and class of value: in a leaf of columns from what each
 * series says of itself, in a node of rows row by row.
 */
#include "node/node_counts.h"

#include "node/column_block.h"
#include "node/row_cursor.h"

/* ---- columns --------------------------------------------------------------------------------------------- */

/* The classes of values of the types that a leaf of columns keeps apart. */
struct leaf_classes {
	unsigned integer, null;
	unsigned listed; /* those of all values of the dictionary together */
};

static bool find_listed(const struct column_view *view, const struct node_counter *counter, unsigned *classes)
{
	*classes = 0;
	for (uint32_t entry = 0; entry < view->value_count; entry++) {
		struct histree_value value;
		if (!column_dictionary_value(view, entry, &value))
			return false;
		*classes |= counter->class_of(&value);
	}
	return true;
}

/* Which values of the dictionary a series has is only looked up where that makes a difference. */
static bool find_of_series(const struct column_view *view, const struct column_series *series,
			   const struct node_counter *counter, unsigned *classes)
{
	const unsigned width = (unsigned)series->fields[COLUMN_VALUE_WIDTH];
	size_t at = series->values;
	for (uint64_t i = 0; i <= series->fields[COLUMN_COUNT]; i++, at += width) {
		struct histree_value value;
		uint64_t entry = series->fields[COLUMN_BASE] + bits_get(view->block, at, width);
		if (!column_dictionary_value(view, entry, &value))
			return false;
		*classes |= counter->class_of(&value);
	}
	return true;
}

static bool count_series(const struct column_view *view, const struct column_series *series,
			 const struct leaf_classes *of_leaf, const struct node_counter *counter)
{
	unsigned classes = 0;
	switch ((enum value_kind)series->fields[COLUMN_KIND]) {
	case VALUES_INT:
		classes = of_leaf->integer;
		break;
	case VALUES_INT_OR_NULL:
		classes = of_leaf->integer | of_leaf->null;
		break;
	case VALUES_DICTIONARY:
		if (of_leaf->listed != 0 && !find_of_series(view, series, counter, &classes))
			return false;
		break;
	case VALUES_NULL:
	case VALUE_KIND_COUNT:
		classes = of_leaf->null;
		break;
	}
	counter->count(counter->context, (histree_quark)series->fields[COLUMN_KEY],
		       (uint32_t)series->fields[COLUMN_COUNT] + 1, classes);
	return true;
}

static enum histree_status count_columns(const struct column_view *view, const struct node_counter *counter)
{
	const struct histree_value integer = histree_int(0), null = histree_null();
	struct leaf_classes of_leaf = { .integer = counter->class_of(&integer), .null = counter->class_of(&null) };
	struct column_series series[SERIES_PER_BLOCK];
	struct column_block block;
	if (!find_listed(view, counter, &of_leaf.listed))
		return HISTREE_ERR_FORMAT;
	for (uint32_t number = 0; number < view->block_count; number++) {
		if (!column_block_open(&block, view, number) || !column_block_unpack(&block, series))
			return HISTREE_ERR_FORMAT;
		for (uint32_t s = 0; s < block.series_count; s++)
			if (!count_series(view, &series[s], &of_leaf, counter))
				return HISTREE_ERR_FORMAT;
	}
	return HISTREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static enum histree_status count_rows(const struct node_view *view, const struct node_counter *counter)
{
	static const struct node_region everything = { .from = INT64_MIN, .to = INT64_MAX };
	struct row_cursor cursor;
	struct histree_interval interval;
	enum histree_status status;
	row_cursor_begin(&cursor, view, &everything);
	while ((status = row_cursor_next(&cursor, &interval)) == HISTREE_OK)
		counter->count(counter->context, interval.quark, 1, counter->class_of(&interval.value));
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---------------------------------------------------------------------------------------------------------- */

enum histree_status node_count(const struct node_view *view, const struct node_counter *counter)
{
	if (view->row_count == 0)
		return HISTREE_OK;
	return view->is_columns ? count_columns(&view->columns, counter) : count_rows(view, counter);
}
