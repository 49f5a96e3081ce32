// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_chunk.h"

#include <stdlib.h>

#include "base/bits.h"
#include "export/parquet/delta_packed.h"
#include "export/parquet/rle_hybrid.h"
#include "export/parquet/thrift_writer.h"

/*
 * Whether the texts of a chunk are mostly different, so that they may be smaller without a dictionary.  With one
 * they are faster to read, whatever zstd makes of repetitions.
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
		return kind == PARQUET_DOUBLE && workshop->codec.context != NULL;
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

static void put_header(struct parquet_bytes *bytes, enum parquet_page_type type, size_t size, size_t packed_size,
		       size_t value_count, enum parquet_encoding encoding)
{
	struct thrift_writer writer = thrift_begin(bytes);
	thrift_i32(&writer, 1, type);
	thrift_i32(&writer, 2, (int32_t)size);
	thrift_i32(&writer, 3, (int32_t)packed_size);
	thrift_struct_begin(&writer, type == PARQUET_DATA_PAGE ? 5 : 7);
	thrift_i32(&writer, 1, (int32_t)value_count);
	thrift_i32(&writer, 2, encoding);
	if (type == PARQUET_DATA_PAGE) {
		thrift_i32(&writer, 3, PARQUET_RLE); /* definition levels */
		thrift_i32(&writer, 4, PARQUET_RLE); /* repetition levels, of which there are none */
	}
	thrift_struct_end(&writer);
	thrift_struct_end(&writer);
}

/* A header has the size of what follows, compressed: so the page goes behind room for it. */
static bool put_page(struct parquet_chunk *chunk, struct parquet_workshop *workshop, enum parquet_page_type type,
		     size_t value_count, enum parquet_encoding encoding)
{
	enum { HEADER_MAX = 64 };
	const struct parquet_bytes *page = &workshop->page;
	struct parquet_bytes *bytes = &chunk->bytes, header = { 0 };
	uint8_t header_bytes[HEADER_MAX];
	workshop->page_is_too_large = page->size > INT32_MAX;
	if (page->failed || workshop->page_is_too_large || parquet_bytes_room(bytes, HEADER_MAX) == NULL)
		return false;
	size_t begin = bytes->size;
	bytes->size += HEADER_MAX;
	parquet_codec_put(&workshop->codec, bytes, page->bytes, page->size);
	if (bytes->failed)
		return false;
	size_t packed_size = bytes->size - begin - HEADER_MAX;
	header = (struct parquet_bytes){ .bytes = header_bytes, .capacity = HEADER_MAX };
	put_header(&header, type, page->size, packed_size, value_count, encoding);
	memcpy(bytes->bytes + begin, header_bytes, header.size);
	memmove(bytes->bytes + begin + header.size, bytes->bytes + begin + HEADER_MAX, packed_size);
	bytes->size = begin + header.size + packed_size;
	chunk->uncompressed_size += header.size + page->size;
	return true;
}

static void put_text(struct parquet_bytes *page, const struct parquet_values *values, uint32_t number)
{
	size_t size;
	uint8_t four[4];
	const char *text = parquet_values_text(values, number, &size);
	put_le32(four, (uint32_t)size);
	parquet_bytes_put(page, four, sizeof(four));
	parquet_bytes_put(page, text, size);
}

static void put_narrow(struct parquet_bytes *page, const uint32_t *numbers, size_t count)
{
	uint8_t *to = parquet_bytes_room(page, 4 * count);
	for (size_t i = 0; to != NULL && i < count; i++)
		put_le32(to + 4 * i, numbers[i]);
	page->size += to != NULL ? 4 * count : 0;
}

static void put_wide(struct parquet_bytes *page, const uint64_t *numbers, size_t count)
{
	uint8_t *to = parquet_bytes_room(page, 8 * count);
	for (size_t i = 0; to != NULL && i < count; i++)
		put_le64(to + 8 * i, numbers[i]);
	page->size += to != NULL ? 8 * count : 0;
}

static bool put_dictionary(struct parquet_chunk *chunk, struct parquet_workshop *workshop,
			   const struct parquet_values *values)
{
	struct parquet_bytes *page = &workshop->page;
	size_t count = entry_count(workshop, values);
	parquet_bytes_clear(page);
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

static void put_booleans(struct parquet_bytes *page, const uint32_t *values, size_t count)
{
	uint8_t *to = parquet_bytes_room(page, (count + 7) / 8);
	if (to == NULL)
		return;
	memset(to, 0, (count + 7) / 8);
	for (size_t i = 0; i < count; i++)
		to[i / 8] |= (uint8_t)(values[i] << (i % 8));
	page->size += (count + 7) / 8;
}

static void put_split(struct parquet_bytes *page, const uint64_t *numbers, size_t count)
{
	uint8_t *to = parquet_bytes_room(page, 8 * count);
	if (to == NULL)
		return;
	for (size_t byte = 0; byte < 8; byte++)
		for (size_t i = 0; i < count; i++)
			*to++ = (uint8_t)(numbers[i] >> (8 * byte));
	page->size += 8 * count;
}

static bool put_sizes_and_texts(struct parquet_bytes *page, const struct parquet_values *values, size_t from,
				size_t count)
{
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
		parquet_bytes_put(page, text, size);
	}
	return true;
}

/* Put the values of a page; returns false if memory is out at once. */
static bool put_values(struct parquet_workshop *workshop, const struct parquet_values *values, size_t from,
		       size_t count, enum parquet_form form)
{
	struct parquet_bytes *page = &workshop->page;
	enum parquet_kind kind = values->column->type.kind;
	bool is_wide = parquet_is_wide(kind);
	if (is_dictionary(form)) {
		unsigned width = width_of(entry_count(workshop, values), form);
		const uint32_t *numbers = kind == PARQUET_TEXT ? values->narrow : workshop->distinct.numbers;
		parquet_bytes_put_byte(page, (uint8_t)width);
		rle_hybrid_put(page, numbers + from, count, width);
	} else if (form == PARQUET_FORM_SPLIT) {
		put_split(page, values->wide + from, count);
	} else if (form == PARQUET_FORM_DELTA && kind == PARQUET_TEXT) {
		return put_sizes_and_texts(page, values, from, count);
	} else if (form == PARQUET_FORM_DELTA) {
		if (is_wide)
			delta_packed_put64(page, values->wide + from, count);
		else
			delta_packed_put32(page, values->narrow + from, count);
	} else if (kind == PARQUET_TEXT) {
		for (size_t i = 0; i < count; i++)
			put_text(page, values, values->narrow[from + i]);
	} else if (kind == PARQUET_BOOLEAN) {
		put_booleans(page, values->narrow + from, count);
	} else if (is_wide) {
		put_wide(page, values->wide + from, count);
	} else {
		put_narrow(page, values->narrow + from, count);
	}
	return true;
}

static void put_levels(struct parquet_bytes *page, const struct parquet_values *values,
		       const struct parquet_page *cut)
{
	static const uint8_t no_size[4];
	if (!values->column->is_nullable)
		return;
	size_t begin = page->size;
	bool is_mixed = cut->value_count > 0 && cut->value_count < cut->row_count;
	parquet_bytes_put(page, no_size, sizeof(no_size));
	if (is_mixed)
		rle_hybrid_put(page, values->levels + cut->row, cut->row_count, 1);
	else
		rle_hybrid_put_run(page, cut->value_count > 0, cut->row_count, 1);
	if (!page->failed)
		put_le32(page->bytes + begin, (uint32_t)(page->size - begin - sizeof(no_size)));
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
	parquet_bytes_clear(&chunk->bytes);
	chunk->dictionary_size = 0;
	chunk->uncompressed_size = 0;
	chunk->encoding = encoding_of(form, values->column->type.kind);
	chunk->page_count = 0;
	if (!array_reserve(&chunk->page_ends, &chunk->page_capacity, values->page_count) ||
	    (is_dictionary(form) && !put_dictionary(chunk, workshop, values)))
		return false;
	for (size_t i = 0; i < values->page_count; i++) {
		const struct parquet_page *page = &values->pages[i];
		parquet_bytes_clear(&workshop->page);
		put_levels(&workshop->page, values, page);
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
	workshop->page = (struct parquet_bytes){ 0 };
}

void parquet_workshop_release(struct parquet_workshop *workshop)
{
	parquet_workshop_shrink(workshop);
	parquet_codec_release(&workshop->codec);
}
