// SPDX-License-Identifier: MIT
/*
 * parquet_column.c - a column of a Parquet file: values, pages, chunks.
 */
#include "export/parquet/parquet_column.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "export/export_cells.h"
#include "export/parquet/parquet_encoding.h"
#include "histree/columns.h"
#include "histree/status.h"

static inline bool parquet_is_wide(enum parquet_kind kind)
{
	return kind == PARQUET_INT64 || kind == PARQUET_DOUBLE;
}

/* ---- parquet values ------------------------------------------------------------------------------------------ */

static bool parquet_values_reserve(struct parquet_values *values, size_t rows, size_t page_rows)
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
	/* Each value is stored, and kept if it is valid: no branch that would be mispredicted. */
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

/* Returns text number `number` of the values. */
static const char *parquet_values_text(const struct parquet_values *values, uint32_t number, size_t *size)
{
	const struct parquet_text *text = &values->column->texts.texts[values->entries[number]];
	*size = text->size;
	return text->bytes;
}

static void widen_texts(struct parquet_bounds *bounds, const char *text, size_t size)
{
	if (!bounds->is_known || bytes_order(text, size, bounds->min_text, bounds->min_size) < 0)
		bounds->min_text = text, bounds->min_size = size;
	if (!bounds->is_known || bytes_order(text, size, bounds->max_text, bounds->max_size) > 0)
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

bool parquet_values_arrange(struct parquet_values *values, struct parquet_column *column, const uint32_t *rows,
			    size_t row_count, size_t page_rows)
{
	values->column = column;
	values->row_count = row_count;
	values->bounds = (struct parquet_bounds){ 0 };
	values->nan_count = 0;
	if (!parquet_values_reserve(values, row_count, page_rows))
		return false;
	gather(values, rows);
	if (column->type.kind == PARQUET_TEXT && !number_texts(values))
		return false;

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

	for (size_t i = 0; i < values->page_count; i++) {
		struct parquet_page *page = &values->pages[i];
		if (column->type.kind == PARQUET_TEXT)
			bound_texts(values, page);
		else if (column->type.kind == PARQUET_DOUBLE)
			bound_reals(values, page);
		else
			bound_numbers(values, page);

		struct parquet_bounds *all = &values->bounds;
		const struct parquet_type *type = &values->column->type;
		if (page->bounds.is_known) {
			if (!all->is_known) {
				*all = page->bounds;
			} else if (type->kind == PARQUET_TEXT) {
				widen_texts(all, page->bounds.min_text, page->bounds.min_size);
				widen_texts(all, page->bounds.max_text, page->bounds.max_size);
			} else {
				all->min =
					is_before(type, page->bounds.min, all->min) ? page->bounds.min : all->min;
				all->max =
					is_before(type, all->max, page->bounds.max) ? page->bounds.max : all->max;
			}
		}

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

/* ---- parquet chunk ------------------------------------------------------------------------------------------- */

/*
 * Returns whether the texts of a chunk are mostly different, so that they may be smaller without a dictionary.
 * With a dictionary they are faster to read, even if zstd removes repetitions.
 */
static bool repeats_little(const struct parquet_values *values)
{
	return values->entry_count > values->count / 2;
}

static bool is_dictionary(enum parquet_form form)
{
	return form == PARQUET_FORM_DICTIONARY || form == PARQUET_FORM_WHOLE_NUMBERS;
}

static size_t entry_count(const struct parquet_workshop *workshop, const struct parquet_values *values)
{
	return values->column->type.kind == PARQUET_TEXT ? values->entry_count : workshop->distinct.count;
}

/* Bits of the numbers of a dictionary; never none, which some readers do not expect. */
static unsigned width_of(size_t entries, enum parquet_form form)
{
	unsigned width = bits_needed(entries < 2 ? 1 : entries - 1);
	return form == PARQUET_FORM_WHOLE_NUMBERS ? (width + 7) / 8 * 8 : width;
}

bool parquet_chunk_can(struct parquet_workshop *workshop, const struct parquet_values *values,
		       enum parquet_form form)
{
	enum parquet_kind kind = values->column->type.kind;
	bool is_text = kind == PARQUET_TEXT, is_wide = parquet_is_wide(kind);
	switch (form) {
	case PARQUET_FORM_PLAIN:
		return !is_text || repeats_little(values);
	case PARQUET_FORM_DELTA:
		return is_text ? repeats_little(values) : kind == PARQUET_INT32 || kind == PARQUET_INT64;
	case PARQUET_FORM_SPLIT:
		return kind == PARQUET_DOUBLE && workshop->packer != NULL;
	case PARQUET_FORM_DICTIONARY:
		if (is_text || values->count == 0)
			return is_text && values->count > 0;
		return kind != PARQUET_BOOLEAN &&
		       parquet_distinct_find(&workshop->distinct, is_wide ? NULL : values->narrow,
					     is_wide ? values->wide : NULL, values->count);
	default:
		return false;
	}
}

/* Put a page at the end of `out`, packed if there is a packer.  With room enough, only memory can be missing. */
static void put_packed(struct zstd_packer *packer, struct byte_buffer *out, const uint8_t *page, size_t size)
{
	if (packer == NULL) {
		byte_buffer_put(out, page, size);
		return;
	}
	const size_t bound = zstd_pack_bound(size);
	uint8_t *room = byte_buffer_room(out, bound);
	if (room == NULL)
		return;
	const size_t packed_size = zstd_pack(packer, page, size, room, bound);
	out->failed = packed_size == 0;
	out->size += packed_size;
}

/* A header has the size of what follows, compressed: so the page goes behind room for it. */
static bool put_page(struct parquet_chunk *chunk, struct parquet_workshop *workshop, enum parquet_page_type type,
		     size_t value_count, enum parquet_encoding encoding)
{
	enum { HEADER_MAX = 64 };
	const struct byte_buffer *page = &workshop->page;
	struct byte_buffer *bytes = &chunk->bytes, header = { 0 };
	uint8_t header_bytes[HEADER_MAX];
	workshop->page_is_too_large = page->size > INT32_MAX;
	if (page->failed || workshop->page_is_too_large || byte_buffer_room(bytes, HEADER_MAX) == NULL)
		return false;
	size_t begin = bytes->size;
	bytes->size += HEADER_MAX;
	put_packed(workshop->packer, bytes, page->bytes, page->size);
	if (bytes->failed)
		return false;
	size_t packed_size = bytes->size - begin - HEADER_MAX;
	header = (struct byte_buffer){ .bytes = header_bytes, .capacity = HEADER_MAX };

	const size_t size = page->size;
	struct thrift_writer writer = thrift_begin(&header);
	thrift_i32(&writer, 1, type);
	thrift_i32(&writer, 2, (int32_t)size);
	thrift_i32(&writer, 3, (int32_t)packed_size);
	thrift_struct_begin(&writer, type == PARQUET_DATA_PAGE ? 5 : 7);
	thrift_i32(&writer, 1, (int32_t)value_count);
	thrift_i32(&writer, 2, encoding);
	if (type == PARQUET_DATA_PAGE) {
		thrift_i32(&writer, 3, PARQUET_RLE); /* definition levels */
		thrift_i32(&writer, 4, PARQUET_RLE); /* repetition levels, which a flat column does not have */
	}
	thrift_struct_end(&writer);
	thrift_struct_end(&writer);

	memcpy(bytes->bytes + begin, header_bytes, header.size);
	memmove(bytes->bytes + begin + header.size, bytes->bytes + begin + HEADER_MAX, packed_size);
	bytes->size = begin + header.size + packed_size;
	chunk->uncompressed_size += header.size + page->size;
	return true;
}

static void put_text(struct byte_buffer *page, const struct parquet_values *values, uint32_t number)
{
	size_t size;
	uint8_t four[4];
	const char *text = parquet_values_text(values, number, &size);
	put_le32(four, (uint32_t)size);
	byte_buffer_put(page, four, sizeof(four));
	byte_buffer_put(page, text, size);
}

static void put_narrow(struct byte_buffer *page, const uint32_t *numbers, size_t count)
{
	uint8_t *to = byte_buffer_room(page, 4 * count);
	for (size_t i = 0; to != NULL && i < count; i++)
		put_le32(to + 4 * i, numbers[i]);
	page->size += to != NULL ? 4 * count : 0;
}

static void put_wide(struct byte_buffer *page, const uint64_t *numbers, size_t count)
{
	uint8_t *to = byte_buffer_room(page, 8 * count);
	for (size_t i = 0; to != NULL && i < count; i++)
		put_le64(to + 8 * i, numbers[i]);
	page->size += to != NULL ? 8 * count : 0;
}

static bool put_dictionary(struct parquet_chunk *chunk, struct parquet_workshop *workshop,
			   const struct parquet_values *values)
{
	struct byte_buffer *page = &workshop->page;
	size_t count = entry_count(workshop, values);
	byte_buffer_clear(page);
	if (values->column->type.kind == PARQUET_TEXT)
		for (size_t i = 0; i < count; i++)
			put_text(page, values, (uint32_t)i);
	else if (values->column->type.kind == PARQUET_INT32)
		for (size_t i = 0; i < count; i++)
			put_narrow(page, &(uint32_t){ (uint32_t)workshop->distinct.values[i] }, 1);
	else
		put_wide(page, workshop->distinct.values, count);
	if (!put_page(chunk, workshop, PARQUET_DICTIONARY_PAGE, count, PARQUET_PLAIN))
		return false;
	chunk->dictionary_size = chunk->bytes.size;
	return true;
}

static void put_split(struct byte_buffer *page, const uint64_t *numbers, size_t count)
{
	uint8_t *to = byte_buffer_room(page, 8 * count);
	if (to == NULL)
		return;
	for (size_t byte = 0; byte < 8; byte++)
		for (size_t i = 0; i < count; i++)
			*to++ = (uint8_t)(numbers[i] >> (8 * byte));
	page->size += 8 * count;
}

/* Put the values of a page; returns false if memory runs out at once. */
static bool put_values(struct parquet_workshop *workshop, const struct parquet_values *values, size_t from,
		       size_t count, enum parquet_form form)
{
	struct byte_buffer *page = &workshop->page;
	enum parquet_kind kind = values->column->type.kind;
	bool is_wide = parquet_is_wide(kind);
	if (is_dictionary(form)) {
		unsigned width = width_of(entry_count(workshop, values), form);
		const uint32_t *numbers = kind == PARQUET_TEXT ? values->narrow : workshop->distinct.numbers;
		byte_buffer_put_byte(page, (uint8_t)width);
		rle_hybrid_put(page, numbers + from, count, width);
	} else if (form == PARQUET_FORM_SPLIT) {
		put_split(page, values->wide + from, count);
	} else if (form == PARQUET_FORM_DELTA && kind == PARQUET_TEXT) {
		uint32_t *sizes = malloc((count + 1) * sizeof(*sizes));
		if (sizes == NULL)
			return false;
		size_t size;
		for (size_t i = 0; i < count; i++) {
			parquet_values_text(values, values->narrow[from + i], &size);
			sizes[i] = (uint32_t)size;
		}
		delta_packed_put32(page, sizes, count);
		free(sizes);
		for (size_t i = 0; i < count; i++) {
			const char *text = parquet_values_text(values, values->narrow[from + i], &size);
			byte_buffer_put(page, text, size);
		}
		return true;
	} else if (form == PARQUET_FORM_DELTA) {
		if (is_wide)
			delta_packed_put64(page, values->wide + from, count);
		else
			delta_packed_put32(page, values->narrow + from, count);
	} else if (kind == PARQUET_TEXT) {
		for (size_t i = 0; i < count; i++)
			put_text(page, values, values->narrow[from + i]);
	} else if (kind == PARQUET_BOOLEAN) {
		uint8_t *to = byte_buffer_room(page, (count + 7) / 8);
		if (to != NULL) {
			memset(to, 0, (count + 7) / 8);
			for (size_t i = 0; i < count; i++)
				to[i / 8] |= (uint8_t)((values->narrow + from)[i] << (i % 8));
			page->size += (count + 7) / 8;
		}
	} else if (is_wide) {
		put_wide(page, values->wide + from, count);
	} else {
		put_narrow(page, values->narrow + from, count);
	}
	return true;
}

static enum parquet_encoding encoding_of(enum parquet_form form, enum parquet_kind kind)
{
	switch (form) {
	case PARQUET_FORM_DELTA:
		return kind == PARQUET_TEXT ? PARQUET_DELTA_LENGTH_BYTE_ARRAY : PARQUET_DELTA_BINARY_PACKED;
	case PARQUET_FORM_SPLIT:
		return PARQUET_BYTE_STREAM_SPLIT;
	case PARQUET_FORM_DICTIONARY:
	case PARQUET_FORM_WHOLE_NUMBERS:
		return PARQUET_RLE_DICTIONARY;
	default:
		return PARQUET_PLAIN;
	}
}

bool parquet_chunk_make(struct parquet_chunk *chunk, struct parquet_workshop *workshop,
			const struct parquet_values *values, enum parquet_form form)
{
	byte_buffer_clear(&chunk->bytes);
	chunk->dictionary_size = 0;
	chunk->uncompressed_size = 0;
	chunk->encoding = encoding_of(form, values->column->type.kind);
	chunk->page_count = 0;
	if (!array_reserve(&chunk->page_ends, &chunk->page_capacity, values->page_count) ||
	    (is_dictionary(form) && !put_dictionary(chunk, workshop, values)))
		return false;
	for (size_t i = 0; i < values->page_count; i++) {
		const struct parquet_page *page = &values->pages[i];
		byte_buffer_clear(&workshop->page);

		static const uint8_t no_size[4];
		if (values->column->is_nullable) {
			size_t begin = workshop->page.size;
			bool is_mixed = page->value_count > 0 && page->value_count < page->row_count;
			byte_buffer_put(&workshop->page, no_size, sizeof(no_size));
			if (is_mixed)
				rle_hybrid_put(&workshop->page, values->levels + page->row, page->row_count, 1);
			else
				rle_hybrid_put_run(&workshop->page, page->value_count > 0, page->row_count, 1);
			if (!workshop->page.failed)
				put_le32(workshop->page.bytes + begin,
					 (uint32_t)(workshop->page.size - begin - sizeof(no_size)));
		}

		if (!put_values(workshop, values, page->value, page->value_count, form) ||
		    !put_page(chunk, workshop, PARQUET_DATA_PAGE, page->row_count, chunk->encoding))
			return false;
		chunk->page_ends[chunk->page_count++] = chunk->bytes.size;
	}
	return true;
}

void parquet_chunk_release(struct parquet_chunk *chunk)
{
	free(chunk->bytes.bytes);
	free(chunk->page_ends);
	*chunk = (struct parquet_chunk){ 0 };
}

void parquet_workshop_shrink(struct parquet_workshop *workshop)
{
	parquet_distinct_release(&workshop->distinct);
	free(workshop->page.bytes);
	workshop->page = (struct byte_buffer){ 0 };
}

void parquet_workshop_release(struct parquet_workshop *workshop)
{
	parquet_workshop_shrink(workshop);
	zstd_packer_free(workshop->packer);
	workshop->packer = NULL;
}

/* ---- parquet column ------------------------------------------------------------------------------------------ */

struct named_format {
	const char *format;
	struct parquet_type type;
};

static const struct named_format formats[] = {
	{ "b", { .kind = PARQUET_BOOLEAN } },
	{ "c", { .kind = PARQUET_INT32, .bits = 8, .is_signed = true } },
	{ "C", { .kind = PARQUET_INT32, .bits = 8 } },
	{ "s", { .kind = PARQUET_INT32, .bits = 16, .is_signed = true } },
	{ "S", { .kind = PARQUET_INT32, .bits = 16 } },
	{ "i", { .kind = PARQUET_INT32, .bits = 32, .is_signed = true } },
	{ "I", { .kind = PARQUET_INT32, .bits = 32 } },
	{ "l", { .kind = PARQUET_INT64, .bits = 64, .is_signed = true } },
	{ "L", { .kind = PARQUET_INT64, .bits = 64 } },
	{ "g", { .kind = PARQUET_DOUBLE } },
	{ "u", { .kind = PARQUET_TEXT } },
	{ "U", { .kind = PARQUET_TEXT } },
};

static bool find_type(const char *format, struct parquet_type *type)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(format, formats[i].format) == 0) {
			*type = formats[i].type;
			return true;
		}
	}

	/* "tsn:UTC" and its like: a unit, and a time zone or none. */
	if (strncmp(format, "ts", 2) != 0 || format[2] == '\0' || format[3] != ':')
		return false;
	const char *unit = strchr("mun", format[2]);
	if (unit == NULL)
		return false;
	*type = (struct parquet_type){
		.kind = PARQUET_INT64,
		.bits = 64,
		.is_signed = true,
		.is_utc = format[4] != '\0', /* instants, in whichever zone they are shown */
		.unit = *unit == 'm'   ? PARQUET_MILLIS
			: *unit == 'u' ? PARQUET_MICROS
				       : PARQUET_NANOS,
	};
	return true;
}

enum histree_status parquet_column_init(struct parquet_column *column, const struct ArrowSchema *schema,
					struct histree_error *error)
{
	*column = (struct parquet_column){ .is_nullable = (schema->flags & ARROW_FLAG_NULLABLE) != 0 };
	const char *name = schema->name != NULL ? schema->name : "";
	const struct ArrowSchema *texts = schema->dictionary;
	const char *format = texts != NULL ? texts->format : schema->format;
	if (!find_type(format, &column->type))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s': a Parquet file of histree has no type for '%s' of Arrow; leave the "
				 "column out, or cast it to an integer, a double, a text or a timestamp",
				 name, format);
	struct parquet_type *position = &column->position;
	if (texts != NULL && (column->type.kind != PARQUET_TEXT || !find_type(schema->format, position) ||
			      position->bits == 0 || position->unit != PARQUET_NO_TIME))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s': a dictionary of '%s' by '%s' is no dictionary of texts by integers; "
				 "hand its values over without a dictionary",
				 name, format, schema->format);
	column->format = column->type.unit != PARQUET_NO_TIME ? 'l' : format[0];
	column->is_dictionary = texts != NULL;
	column->is_large = format[0] == 'U';
	column->name = strdup(name);
	return column->name == NULL ? error_memory(error, "the name of a column") : HISTREE_OK;
}

void parquet_column_release(struct parquet_column *column)
{
	free(column->name);
	free(column->narrow);
	free(column->wide);
	free(column->present);
	free(column->known);
	parquet_texts_release(&column->texts);
	*column = (struct parquet_column){ 0 };
}

void parquet_column_clear(struct parquet_column *column)
{
	column->null_count = 0;
	free(column->present);
	column->present = NULL;
	column->present_capacity = 0;
	parquet_texts_clear(&column->texts);
	column->known_count = 0;
	column->batch = 0;
}

void parquet_column_shrink(struct parquet_column *column)
{
	free(column->narrow);
	free(column->wide);
	free(column->known);
	column->narrow = NULL;
	column->wide = NULL;
	column->known = NULL;
	column->capacity = column->known_capacity = column->known_count = 0;
}

void parquet_column_begin_batch(struct parquet_column *column)
{
	column->batch++;
}

static bool bit_at(const uint8_t *bits, size_t at)
{
	return (bits[at / 8] >> (at % 8) & 1) != 0;
}

/* From now on there is a byte for each row. */
static bool need_present(struct parquet_column *column, size_t rows, size_t count)
{
	bool is_first = column->present == NULL;
	if (!array_reserve(&column->present, &column->present_capacity, rows + count))
		return false;
	if (is_first)
		memset(column->present, 1, rows);
	return true;
}

static enum histree_status mark_null(struct parquet_column *column, size_t rows, size_t i, size_t count,
				     struct histree_error *error)
{
	if (!column->is_nullable)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s' has a null, though its schema says that it has none", column->name);
	if (column->present == NULL) {
		if (!need_present(column, rows, count))
			return error_memory(error, "the nulls of a row group");
		memset(column->present + rows, 1, count);
	}
	column->present[rows + i] = 0;
	column->null_count++;
	return HISTREE_OK;
}

static enum histree_status append_validity(struct parquet_column *column, size_t rows, const uint8_t *valid,
					   size_t from, size_t count, struct histree_error *error)
{
	if (valid == NULL) {
		if (column->present != NULL) {
			if (!need_present(column, rows, count))
				return error_memory(error, "the nulls of a row group");
			memset(column->present + rows, 1, count);
		}
		return HISTREE_OK;
	}
	size_t nulls = 0;
	if (!need_present(column, rows, count))
		return error_memory(error, "the nulls of a row group");
	uint8_t *present = column->present + rows;
	for (size_t i = 0; i < count; i++) {
		present[i] = bit_at(valid, from + i);
		nulls += !present[i];
	}
	if (nulls > 0 && !column->is_nullable)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s' has a null, though its schema says that it has none", column->name);
	column->null_count += nulls;
	return HISTREE_OK;
}

static void append_numbers(struct parquet_column *column, size_t rows, const void *values, size_t from,
			   size_t count)
{
	uint32_t *narrow = column->narrow + (column->narrow != NULL ? rows : 0);
#define COPY(type)                                                \
	do {                                                      \
		const type *source = (const type *)values + from; \
		for (size_t i = 0; i < count; i++)                \
			narrow[i] = (uint32_t)(int32_t)source[i]; \
	} while (0)
	switch (column->format) {
	case 'b':
		for (size_t i = 0; i < count; i++)
			narrow[i] = bit_at(values, from + i);
		break;
	case 'c':
		COPY(int8_t);
		break;
	case 'C':
		COPY(uint8_t);
		break;
	case 's':
		COPY(int16_t);
		break;
	case 'S':
		COPY(uint16_t);
		break;
	case 'i':
	case 'I':
		memcpy(narrow, (const uint32_t *)values + from, count * sizeof(uint32_t));
		break;
	default:
		memcpy(column->wide + rows, (const uint64_t *)values + from, count * sizeof(uint64_t));
	}
#undef COPY
}

static enum histree_status get_text(const struct parquet_column *column, const struct ArrowArray *array, size_t at,
				    struct parquet_text *text, struct histree_error *error)
{
	int64_t begin, end;
	if (column->is_large) {
		const int64_t *offsets = array->buffers[1];
		begin = offsets[at], end = offsets[at + 1];
	} else {
		const int32_t *offsets = array->buffers[1];
		begin = offsets[at], end = offsets[at + 1];
	}
	if (begin < 0 || end < begin || end - begin > INT32_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "column '%s': a text from byte %lld to %lld",
				 column->name, (long long)begin, (long long)end);
	*text = (struct parquet_text){ (const char *)array->buffers[2] + begin, (size_t)(end - begin) };
	return HISTREE_OK;
}

/* A text that is new is no other in the dictionary of the stream; any other may be there already. */
static enum histree_status add_text(struct parquet_column *column, const struct parquet_text *text, bool is_new,
				    uint32_t *id, struct histree_error *error)
{
	*id = is_new ? parquet_texts_add(&column->texts, text) : parquet_texts_find_or_add(&column->texts, text);
	return *id == PARQUET_TEXTS_NONE ? error_memory(error, "the texts of a row group") : HISTREE_OK;
}

static enum histree_status append_texts(struct parquet_column *column, size_t rows, const struct ArrowArray *array,
					size_t from, size_t count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		struct parquet_text text;
		column->narrow[rows + i] = 0;
		if (column->present != NULL && !column->present[rows + i])
			continue;
		status = get_text(column, array, from + i, &text, error);
		if (status == HISTREE_OK)
			status = add_text(column, &text, false, &column->narrow[rows + i], error);
	}
	return status;
}

/* The position that a row has in the dictionary.  UINT64_MAX for what is negative. */
static uint64_t position_at(const struct parquet_type *type, const void *values, size_t at)
{
	if (!type->is_signed)
		return export_unsigned_at(values, type->bits / 8, (int64_t)at);
	const int64_t position = export_signed_at(values, type->bits / 8, (int64_t)at);
	return position < 0 ? UINT64_MAX : (uint64_t)position;
}

/*
 * Look at a string of the dictionary for the first time in a batch.  It is most often the one that was there in the
 * batch before, so that a comparison is enough.
 */
static enum histree_status look_up(struct parquet_column *column, const struct ArrowArray *dictionary,
				   size_t position, struct histree_error *error)
{
	struct parquet_known_text *known = &column->known[position];
	const uint8_t *valid = dictionary->null_count != 0 ? dictionary->buffers[0] : NULL;
	size_t at = position + (size_t)dictionary->offset;
	struct parquet_text text;
	bool was_known = known->batch != 0;
	known->batch = column->batch;
	if (valid != NULL && !bit_at(valid, at)) {
		known->id = PARQUET_NULL_TEXT;
		return HISTREE_OK;
	}
	enum histree_status status = get_text(column, dictionary, at, &text, error);
	if (status != HISTREE_OK)
		return status;
	if (was_known && known->id != PARQUET_NULL_TEXT) {
		const struct parquet_text *before = &column->texts.texts[known->id];
		if (before->size == text.size &&
		    (text.size == 0 || memcmp(before->bytes, text.bytes, text.size) == 0))
			return HISTREE_OK;
		column->dictionary_changes = true;
	}
	return add_text(column, &text, !column->dictionary_changes, &known->id, error);
}

static enum histree_status append_positions(struct parquet_column *column, size_t rows,
					    const struct ArrowArray *array, size_t from, size_t count,
					    struct histree_error *error)
{
	const struct ArrowArray *dictionary = array->dictionary;
	if (dictionary == NULL || dictionary->length < 0 || dictionary->length > INT32_MAX ||
	    (dictionary->length > 0 && dictionary->n_buffers < 3))
		return error_set(error, HISTREE_ERR_ARGUMENT, "column '%s' has no dictionary of texts",
				 column->name);
	size_t length = (size_t)dictionary->length;
	if (!array_reserve(&column->known, &column->known_capacity, length))
		return error_memory(error, "the dictionary of a column");
	if (length > column->known_count) {
		memset(column->known + column->known_count, 0,
		       (length - column->known_count) * sizeof(*column->known));
		column->known_count = length;
	}
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		column->narrow[rows + i] = 0;
		if (column->present != NULL && !column->present[rows + i])
			continue;
		uint64_t position = position_at(&column->position, array->buffers[1], from + i);
		if (position >= length)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "column '%s': a row has number %lld of a dictionary of %zu texts",
					 column->name, (long long)position, length);
		const struct parquet_known_text *known = &column->known[position];
		if (known->batch != column->batch)
			status = look_up(column, dictionary, (size_t)position, error);
		if (status == HISTREE_OK && known->id == PARQUET_NULL_TEXT)
			status = mark_null(column, rows, i, count, error);
		else
			column->narrow[rows + i] = known->id;
	}
	return status;
}

static bool parquet_column_reserve(struct parquet_column *column, size_t rows)
{
	if (parquet_is_wide(column->type.kind))
		return array_reserve(&column->wide, &column->capacity, rows);
	return array_reserve(&column->narrow, &column->capacity, rows);
}

enum histree_status parquet_column_append(struct parquet_column *column, size_t rows,
					  const struct ArrowArray *array, size_t from, size_t count,
					  struct histree_error *error)
{
	bool has_texts = column->type.kind == PARQUET_TEXT && !column->is_dictionary;
	if (array->length < 0 || array->offset < 0 || from > (size_t)array->length ||
	    count > (size_t)array->length - from || array->n_buffers < (has_texts ? 3 : 2) ||
	    (count > 0 && array->buffers[1] == NULL))
		return error_set(error, HISTREE_ERR_ARGUMENT, "column '%s' is shorter than the batch that it is of",
				 column->name);
	if (count == 0)
		return HISTREE_OK;
	if (!parquet_column_reserve(column, rows + count))
		return error_memory(error, "a row group");
	from += (size_t)array->offset;
	const uint8_t *valid = array->null_count != 0 ? array->buffers[0] : NULL;
	enum histree_status status = append_validity(column, rows, valid, from, count, error);
	if (status != HISTREE_OK)
		return status;
	if (has_texts)
		return append_texts(column, rows, array, from, count, error);
	if (column->is_dictionary)
		return append_positions(column, rows, array, from, count, error);
	append_numbers(column, rows, array->buffers[1], from, count);
	if (valid != NULL) {
		/* What lies under a null can be anything; zeros pack best, and no comparison meets rubbish. */
		for (size_t i = rows; i < rows + count; i++) {
			if (column->present[i])
				continue;
			if (parquet_is_wide(column->type.kind))
				column->wide[i] = 0;
			else
				column->narrow[i] = 0;
		}
	}
	return HISTREE_OK;
}
