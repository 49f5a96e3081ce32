// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static bool reserve(struct parquet_values *values, size_t rows, size_t page_rows)
{
	if (!(parquet_is_wide(values->column->type.kind)
		      ? array_reserve(&values->wide, &values->wide_capacity, rows)
		      : array_reserve(&values->narrow, &values->narrow_capacity, rows)) ||
	    !array_reserve(&values->pages, &values->page_capacity, rows / page_rows + 1))
		return false;
	return values->column->present == NULL || array_reserve(&values->levels, &values->level_capacity, rows);
}

/* Whether rows with and without a value are mixed. */
static bool is_mixed(const struct parquet_values *values)
{
	size_t nulls = values->column->null_count;
	return nulls > 0 && nulls < values->row_count;
}

static void gather(struct parquet_values *values, const uint32_t *rows)
{
	const struct parquet_column *column = values->column;
	bool is_wide = parquet_is_wide(column->type.kind);
	size_t count = 0;
	if (!is_mixed(values)) {
		size_t wanted = values->count = values->row_count - column->null_count;
		if (rows == NULL && is_wide)
			memcpy(values->wide, column->wide, wanted * sizeof(*column->wide));
		else if (rows == NULL)
			memcpy(values->narrow, column->narrow, wanted * sizeof(*column->narrow));
		else if (is_wide)
			for (size_t i = 0; i < wanted; i++)
				values->wide[i] = column->wide[rows[i]];
		else
			for (size_t i = 0; i < wanted; i++)
				values->narrow[i] = column->narrow[rows[i]];
		return;
	}
	/* Each value is stored, and kept if it is one: no branch that nobody can foresee. */
	for (size_t i = 0; i < values->row_count; i++) {
		size_t row = rows == NULL ? i : rows[i];
		if (is_wide)
			values->wide[count] = column->wide[row];
		else
			values->narrow[count] = column->narrow[row];
		values->levels[i] = column->present[row];
		count += column->present[row];
	}
	values->count = count;
}

static bool number_texts(struct parquet_values *values)
{
	size_t known = values->column->texts.count;
	values->entry_count = 0;
	if (!array_reserve(&values->numbers, &values->number_capacity, known) ||
	    !array_reserve(&values->entries, &values->entry_capacity, known) ||
	    !array_reserve(&values->pages_seen, &values->seen_capacity, known))
		return false;
	if (known > 0) {
		memset(values->numbers, 0xff, known * sizeof(*values->numbers));
		memset(values->pages_seen, 0xff, known * sizeof(*values->pages_seen));
	}
	for (size_t i = 0; i < values->count; i++) {
		uint32_t *number = &values->numbers[values->narrow[i]];
		if (*number == UINT32_MAX) {
			values->entries[values->entry_count] = values->narrow[i];
			*number = (uint32_t)values->entry_count++;
		}
		values->narrow[i] = *number;
	}
	return true;
}

const char *parquet_values_text(const struct parquet_values *values, uint32_t number, size_t *size)
{
	const struct parquet_text *text = &values->column->texts.texts[values->entries[number]];
	*size = text->size;
	return text->bytes;
}

static void cut(struct parquet_values *values, size_t page_rows)
{
	bool is_mixed_here = is_mixed(values), has_values = values->count > 0;
	size_t value = 0;
	values->page_count = 0;
	for (size_t row = 0; row < values->row_count; row += page_rows) {
		size_t count = values->row_count - row < page_rows ? values->row_count - row : page_rows;
		struct parquet_page *page = &values->pages[values->page_count++];
		*page = (struct parquet_page){ .row = row, .row_count = count, .value = value };
		if (is_mixed_here)
			for (size_t i = 0; i < count; i++)
				page->value_count += values->levels[row + i];
		else
			page->value_count = has_values ? count : 0;
		value += page->value_count;
	}
}

static int compare_texts(const char *one, size_t one_size, const char *other, size_t other_size)
{
	size_t size = one_size < other_size ? one_size : other_size;
	int order = size == 0 ? 0 : memcmp(one, other, size);
	return order != 0 ? order : (one_size > other_size) - (one_size < other_size);
}

static void widen_texts(struct parquet_bounds *bounds, const char *text, size_t size)
{
	if (!bounds->is_known || compare_texts(text, size, bounds->min_text, bounds->min_size) < 0)
		bounds->min_text = text, bounds->min_size = size;
	if (!bounds->is_known || compare_texts(text, size, bounds->max_text, bounds->max_size) > 0)
		bounds->max_text = text, bounds->max_size = size;
	bounds->is_known = true;
}

/* Each text is compared once a page. */
static void bound_texts(struct parquet_values *values, struct parquet_page *page)
{
	uint32_t number = (uint32_t)(page - values->pages);
	for (size_t i = page->value; i < page->value + page->value_count; i++) {
		uint32_t *seen = &values->pages_seen[values->narrow[i]];
		if (*seen == number)
			continue;
		*seen = number;
		size_t size;
		const char *text = parquet_values_text(values, values->narrow[i], &size);
		widen_texts(&page->bounds, text, size);
	}
}

static double real_of(uint64_t bits)
{
	double real;
	memcpy(&real, &bits, sizeof(real));
	return real;
}

static void bound_reals(struct parquet_values *values, struct parquet_page *page)
{
	for (size_t i = page->value; i < page->value + page->value_count; i++) {
		double real = real_of(values->wide[i]);
		if (real != real) {
			page->nan_count++;
			continue;
		}
		if (!page->bounds.is_known || real < real_of(page->bounds.min))
			page->bounds.min = values->wide[i];
		if (!page->bounds.is_known || real > real_of(page->bounds.max))
			page->bounds.max = values->wide[i];
		page->bounds.is_known = true;
	}
}

static void bound_numbers(struct parquet_values *values, struct parquet_page *page)
{
	const struct parquet_type *type = &values->column->type;
	if (page->value_count == 0)
		return;
	page->bounds.is_known = true;
#define BOUND(array, type)                                                                   \
	do {                                                                                 \
		type min = (type)(array)[page->value], max = min;                            \
		for (size_t i = page->value + 1; i < page->value + page->value_count; i++) { \
			type number = (type)(array)[i];                                      \
			min = number < min ? number : min;                                   \
			max = number > max ? number : max;                                   \
		}                                                                            \
		page->bounds.min = (uint64_t)min;                                            \
		page->bounds.max = (uint64_t)max;                                            \
	} while (0)
	if (type->kind == PARQUET_INT64 && type->is_signed)
		BOUND(values->wide, int64_t);
	else if (type->kind == PARQUET_INT64)
		BOUND(values->wide, uint64_t);
	else if (type->is_signed)
		BOUND(values->narrow, int32_t);
	else
		BOUND(values->narrow, uint32_t);
#undef BOUND
}

/* The order of the numbers of a column, as a reader has it. */
static bool is_before(const struct parquet_type *type, uint64_t one, uint64_t other)
{
	if (type->kind == PARQUET_DOUBLE)
		return real_of(one) < real_of(other);
	return type->is_signed ? (int64_t)one < (int64_t)other : one < other;
}

static void add_bounds(struct parquet_values *values, const struct parquet_bounds *page)
{
	struct parquet_bounds *all = &values->bounds;
	const struct parquet_type *type = &values->column->type;
	if (!page->is_known)
		return;
	if (!all->is_known) {
		*all = *page;
	} else if (type->kind == PARQUET_TEXT) {
		widen_texts(all, page->min_text, page->min_size);
		widen_texts(all, page->max_text, page->max_size);
	} else {
		all->min = is_before(type, page->min, all->min) ? page->min : all->min;
		all->max = is_before(type, all->max, page->max) ? page->max : all->max;
	}
}

bool parquet_values_arrange(struct parquet_values *values, struct parquet_column *column, const uint32_t *rows,
			    size_t row_count, size_t page_rows)
{
	values->column = column;
	values->row_count = row_count;
	values->bounds = (struct parquet_bounds){ 0 };
	values->nan_count = 0;
	if (!reserve(values, row_count, page_rows))
		return false;
	gather(values, rows);
	if (column->type.kind == PARQUET_TEXT && !number_texts(values))
		return false;
	cut(values, page_rows);
	for (size_t i = 0; i < values->page_count; i++) {
		struct parquet_page *page = &values->pages[i];
		if (column->type.kind == PARQUET_TEXT)
			bound_texts(values, page);
		else if (column->type.kind == PARQUET_DOUBLE)
			bound_reals(values, page);
		else
			bound_numbers(values, page);
		add_bounds(values, &page->bounds);
		values->nan_count += page->nan_count;
	}
	return true;
}

void parquet_values_release(struct parquet_values *values)
{
	free(values->narrow);
	free(values->wide);
	free(values->levels);
	free(values->pages);
	free(values->entries);
	free(values->numbers);
	free(values->pages_seen);
	*values = (struct parquet_values){ 0 };
}
