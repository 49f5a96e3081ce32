// SPDX-License-Identifier: MIT
/*
 * parquet_writer.c - a Parquet file: row groups one after the other, and the footer that describes them.
 */
#include "export/parquet/parquet_writer.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/search.h"
#include "base/table.h"
#include "export/export_output.h"
#include "export/parquet/parquet_column.h"
#include "export/parquet/parquet_encoding.h"
#include "histree/export.h"

/* ---- parquet order ------------------------------------------------------------------------------------------- */

/* Returns whether rows can be sorted by this column: an integer or a time that is never null. */
static bool parquet_order_can(const struct parquet_column *column)
{
	return column->type.bits != 0 && !column->is_nullable;
}

/* A number whose unsigned order is the order of the column. */
static uint64_t key_of(const struct parquet_column *column, size_t row)
{
	uint64_t number = column->type.kind == PARQUET_INT64 ? column->wide[row]
			  : column->type.is_signed           ? (uint64_t)(int64_t)(int32_t)column->narrow[row]
							     : column->narrow[row];
	return column->type.is_signed ? number ^ UINT64_C(1) << 63 : number;
}

/* Sort what `rows` has by one more column; the order of equal ones stays. */
static void sort_by(struct parquet_order *order, const struct parquet_column *column, size_t row_count)
{
	struct keyed_index *entries = order->entries;
	for (size_t i = 0; i < row_count; i++)
		entries[i] = (struct keyed_index){ .key = key_of(column, order->rows[i]), .index = order->rows[i] };
	radix_sort(entries, entries + row_count, row_count);
	for (size_t i = 0; i < row_count; i++)
		order->rows[i] = entries[i].index;
}

static bool is_sorted(const struct parquet_order *order, const struct parquet_column *first,
		      const struct parquet_column *second, size_t row_count)
{
	for (size_t i = 1; i < row_count; i++) {
		size_t before = order->rows[i - 1], row = order->rows[i];
		uint64_t one = key_of(first, before), other = key_of(first, row);
		if (one > other || (one == other && second != NULL && key_of(second, before) > key_of(second, row)))
			return false;
	}
	return true;
}

bool parquet_order_sort(struct parquet_order *order, const struct parquet_column *first,
			const struct parquet_column *second, size_t row_count)
{
	if (!array_reserve(&order->rows, &order->row_capacity, row_count) ||
	    !array_reserve(&order->entries, &order->entry_capacity, 2 * row_count))
		return false;
	for (size_t i = 0; i < row_count; i++)
		order->rows[i] = (uint32_t)i;
	if (is_sorted(order, first, second, row_count))
		return true;
	/* A stream is most often sorted by the second column within the first already: one sort will do. */
	sort_by(order, first, row_count);
	if (second == NULL || is_sorted(order, first, second, row_count))
		return true;
	sort_by(order, second, row_count);
	sort_by(order, first, row_count);
	return true;
}

void parquet_order_release(struct parquet_order *order)
{
	free(order->rows);
	free(order->entries);
	*order = (struct parquet_order){ 0 };
}

/* ---- parquet footer ------------------------------------------------------------------------------------------ */

/* Longer texts are not bounds: they would only fill the footer. */
enum { BOUND_SIZE_MAX = 128 };

/* A bound as statistics have it: the value as PLAIN has it, without the size of a text. */
struct bound {
	const void *bytes;
	size_t size;
	uint8_t room[8];
};

static const enum parquet_physical_type physical_types[] = {
	[PARQUET_BOOLEAN] = PARQUET_TYPE_BOOLEAN, [PARQUET_INT32] = PARQUET_TYPE_INT32,
	[PARQUET_INT64] = PARQUET_TYPE_INT64,     [PARQUET_DOUBLE] = PARQUET_TYPE_DOUBLE,
	[PARQUET_TEXT] = PARQUET_TYPE_BYTE_ARRAY,
};

static bool bounds_fit(const struct parquet_bounds *bounds, enum parquet_kind kind)
{
	return kind != PARQUET_TEXT || (bounds->min_size <= BOUND_SIZE_MAX && bounds->max_size <= BOUND_SIZE_MAX);
}

/* Zeros of doubles are written so that they enclose both of them (parquet.thrift, ColumnOrder). */
static uint64_t number_of(const struct parquet_bounds *bounds, enum parquet_kind kind, bool is_max)
{
	static const uint64_t minus_zero = UINT64_C(1) << 63;
	uint64_t number = is_max ? bounds->max : bounds->min;
	if (kind == PARQUET_DOUBLE && (number == 0 || number == minus_zero))
		return is_max ? 0 : minus_zero;
	return number;
}

static void bound_of(const struct parquet_bounds *bounds, enum parquet_kind kind, bool is_max, struct bound *bound)
{
	if (kind == PARQUET_TEXT) {
		bound->bytes = is_max ? bounds->max_text : bounds->min_text;
		bound->size = is_max ? bounds->max_size : bounds->min_size;
		return;
	}
	put_le64(bound->room, number_of(bounds, kind, is_max));
	bound->bytes = bound->room;
	bound->size = kind == PARQUET_BOOLEAN ? 1 : kind == PARQUET_INT32 ? 4 : 8;
}

static void put_encoding_count(struct thrift_writer *writer, enum parquet_page_type type,
			       enum parquet_encoding encoding, size_t count)
{
	thrift_struct_begin(writer, 0);
	thrift_i32(writer, 1, type);
	thrift_i32(writer, 2, encoding);
	thrift_i32(writer, 3, (int32_t)count);
	thrift_struct_end(writer);
}

static void put_metadata(struct byte_buffer *bytes, const struct parquet_chunk *chunk,
			 const struct parquet_values *values, bool is_compressed, uint64_t offset)
{
	struct thrift_writer writer = thrift_begin(bytes);
	bool has_dictionary = chunk->dictionary_size > 0,
	     has_plain = has_dictionary && chunk->encoding != PARQUET_PLAIN;
	thrift_i32(&writer, 1, physical_types[values->column->type.kind]);
	thrift_list(&writer, 2, THRIFT_I32, has_plain ? 3 : 2);
	thrift_element_number(&writer, chunk->encoding);
	thrift_element_number(&writer, PARQUET_RLE); /* of levels */
	if (has_plain)
		thrift_element_number(&writer, PARQUET_PLAIN);
	thrift_list(&writer, 3, THRIFT_BINARY, 1);
	thrift_element_binary(&writer, values->column->name, strlen(values->column->name));
	thrift_i32(&writer, 4, is_compressed ? PARQUET_ZSTD : PARQUET_UNCOMPRESSED);
	thrift_i64(&writer, 5, (int64_t)values->row_count);
	thrift_i64(&writer, 6, (int64_t)chunk->uncompressed_size);
	thrift_i64(&writer, 7, (int64_t)chunk->bytes.size);
	thrift_i64(&writer, 9, (int64_t)(offset + chunk->dictionary_size));
	if (has_dictionary)
		thrift_i64(&writer, 11, (int64_t)offset);

	enum parquet_kind kind = values->column->type.kind;
	const struct parquet_bounds *bounds = &values->bounds;
	thrift_struct_begin(&writer, 12);
	thrift_i64(&writer, 3, (int64_t)(values->row_count - values->count));
	if (bounds->is_known && bounds_fit(bounds, kind)) {
		struct bound min, max;
		bound_of(bounds, kind, false, &min);
		bound_of(bounds, kind, true, &max);
		thrift_binary(&writer, 5, max.bytes, max.size);
		thrift_binary(&writer, 6, min.bytes, min.size);
		if (kind != PARQUET_DOUBLE) {
			thrift_bool(&writer, 7, true);
			thrift_bool(&writer, 8, true);
		}
	}
	if (kind == PARQUET_DOUBLE)
		thrift_i64(&writer, 9, (int64_t)values->nan_count);
	thrift_struct_end(&writer);

	thrift_list(&writer, 13, THRIFT_STRUCT, has_dictionary ? 2 : 1);
	if (has_dictionary)
		put_encoding_count(&writer, PARQUET_DICTIONARY_PAGE, PARQUET_PLAIN, 1);
	put_encoding_count(&writer, PARQUET_DATA_PAGE, chunk->encoding, chunk->page_count);
	thrift_struct_end(&writer);
}

static int compare_bounds(const struct parquet_type *type, const struct bound *one, const struct bound *other)
{
	if (type->kind == PARQUET_TEXT)
		return bytes_order(one->bytes, one->size, other->bytes, other->size);
	uint64_t a = get_le64(one->room), b = get_le64(other->room);
	if (type->kind == PARQUET_DOUBLE) {
		double real, real_other;
		memcpy(&real, &a, sizeof(real));
		memcpy(&real_other, &b, sizeof(real_other));
		return (real > real_other) - (real < real_other);
	}
	if (type->is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

static enum parquet_boundary_order boundary_order(const struct parquet_values *values)
{
	const struct parquet_type *type = &values->column->type;
	const struct parquet_bounds *last = NULL;
	bool rises = true, falls = true;
	for (size_t i = 0; i < values->page_count; i++) {
		const struct parquet_bounds *bounds = &values->pages[i].bounds;
		if (!bounds->is_known)
			continue;
		for (int is_max = 0; last != NULL && is_max < 2; is_max++) {
			struct bound one, other;
			bound_of(last, type->kind, is_max != 0, &one);
			bound_of(bounds, type->kind, is_max != 0, &other);
			int order = compare_bounds(type, &one, &other);
			rises &= order <= 0;
			falls &= order >= 0;
		}
		last = bounds;
	}
	return rises ? PARQUET_ASCENDING : falls ? PARQUET_DESCENDING : PARQUET_UNORDERED;
}

/* Whether each page has bounds or only nulls: else (only NaN, a long text) there may be no index. */
static bool can_index(const struct parquet_values *values)
{
	for (size_t i = 0; i < values->page_count; i++) {
		const struct parquet_page *page = &values->pages[i];
		if (page->value_count > 0 &&
		    !(page->bounds.is_known && bounds_fit(&page->bounds, values->column->type.kind)))
			return false;
	}
	return true;
}

/* The bounds of each page. */
static void put_column_index(struct byte_buffer *bytes, const struct parquet_values *values)
{
	enum parquet_kind kind = values->column->type.kind;
	struct thrift_writer writer = thrift_begin(bytes);
	thrift_list(&writer, 1, THRIFT_TRUE, values->page_count);
	for (size_t i = 0; i < values->page_count; i++)
		thrift_element_bool(&writer, values->pages[i].value_count == 0);
	for (int is_max = 0; is_max < 2; is_max++) {
		thrift_list(&writer, (int16_t)(2 + is_max), THRIFT_BINARY, values->page_count);
		for (size_t i = 0; i < values->page_count; i++) {
			struct bound bound = { .size = 0 };
			if (values->pages[i].value_count > 0)
				bound_of(&values->pages[i].bounds, kind, is_max != 0, &bound);
			thrift_element_binary(&writer, bound.bytes, bound.size);
		}
	}
	thrift_i32(&writer, 4, boundary_order(values));
	thrift_list(&writer, 5, THRIFT_I64, values->page_count);
	for (size_t i = 0; i < values->page_count; i++)
		thrift_element_number(&writer,
				      (int64_t)(values->pages[i].row_count - values->pages[i].value_count));
	thrift_struct_end(&writer);
}

/* Note a chunk that lies at `offset` in the file. */
static void parquet_footer_add_chunk(struct parquet_footer *footer, const struct parquet_chunk *chunk,
				     const struct parquet_values *values, bool is_compressed, uint64_t offset)
{
	if (!array_reserve(&footer->chunks, &footer->chunk_capacity, footer->chunk_count + 1)) {
		footer->failed = true;
		return;
	}
	struct parquet_chunk_note *note = &footer->chunks[footer->chunk_count++];
	size_t metadata = footer->metadata.size, index = footer->indexes.size;
	put_metadata(&footer->metadata, chunk, values, is_compressed, offset);

	/* Where each page is. */
	struct thrift_writer writer = thrift_begin(&footer->indexes);
	size_t begin = chunk->dictionary_size;
	thrift_list(&writer, 1, THRIFT_STRUCT, chunk->page_count);
	for (size_t i = 0; i < chunk->page_count; i++) {
		thrift_struct_begin(&writer, 0);
		thrift_i64(&writer, 1, (int64_t)(offset + begin));
		thrift_i32(&writer, 2, (int32_t)(chunk->page_ends[i] - begin));
		thrift_i64(&writer, 3, (int64_t)values->pages[i].row);
		thrift_struct_end(&writer);
		begin = chunk->page_ends[i];
	}
	thrift_struct_end(&writer);

	*note = (struct parquet_chunk_note){
		.offset = offset,
		.metadata_size = footer->metadata.size - metadata,
		.offset_index_size = footer->indexes.size - index,
	};
	if (can_index(values)) {
		index = footer->indexes.size;
		put_column_index(&footer->indexes, values);
		note->column_index_size = footer->indexes.size - index;
	}
}

/* 8, 16, 32, 64 bits are 0, 1, 2, 3 behind the first of them. */
static int converted_integer(const struct parquet_type *type)
{
	return (type->is_signed ? PARQUET_CONVERTED_INT_8 : PARQUET_CONVERTED_UINT_8) + __builtin_ctz(type->bits) -
	       3;
}

static void put_type(struct thrift_writer *writer, const struct parquet_type *type)
{
	bool is_plain = type->kind == PARQUET_BOOLEAN || type->kind == PARQUET_DOUBLE;
	if (type->kind == PARQUET_TEXT)
		thrift_i32(writer, 6, PARQUET_CONVERTED_UTF8);
	else if (type->unit == PARQUET_MILLIS || type->unit == PARQUET_MICROS)
		thrift_i32(writer, 6,
			   type->unit == PARQUET_MILLIS ? PARQUET_CONVERTED_TIMESTAMP_MILLIS
							: PARQUET_CONVERTED_TIMESTAMP_MICROS);
	else if (!is_plain && type->unit == PARQUET_NO_TIME)
		thrift_i32(writer, 6, converted_integer(type));
	if (is_plain)
		return;
	thrift_struct_begin(writer, 10);
	if (type->kind == PARQUET_TEXT) {
		thrift_struct_begin(writer, PARQUET_STRING);
		thrift_struct_end(writer);
	} else if (type->unit != PARQUET_NO_TIME) {
		thrift_struct_begin(writer, PARQUET_TIMESTAMP);
		thrift_bool(writer, 1, type->is_utc);
		thrift_struct_begin(writer, 2);
		thrift_struct_begin(writer, type->unit == PARQUET_MILLIS   ? 1
					    : type->unit == PARQUET_MICROS ? 2
									   : 3);
		thrift_struct_end(writer);
		thrift_struct_end(writer);
		thrift_struct_end(writer);
	} else {
		thrift_struct_begin(writer, PARQUET_INTEGER);
		thrift_i8(writer, 1, (int8_t)type->bits);
		thrift_bool(writer, 2, type->is_signed);
		thrift_struct_end(writer);
	}
	thrift_struct_end(writer);
}

/* The chunks of a group; `metadata` and `index` are where their descriptions begin. */
static void put_group(struct thrift_writer *writer, const struct parquet_footer *footer,
		      const struct parquet_group_note *group, const struct parquet_chunk_note *chunks,
		      size_t column_count, size_t *metadata, uint64_t *index)
{
	thrift_struct_begin(writer, 0);
	thrift_list(writer, 1, THRIFT_STRUCT, column_count);
	for (size_t i = 0; i < column_count; i++) {
		const struct parquet_chunk_note *chunk = &chunks[i];
		thrift_struct_begin(writer, 0);
		thrift_i64(writer, 2, 0); /* no metadata outside the footer */
		thrift_struct_raw(writer, 3, footer->metadata.bytes + *metadata, chunk->metadata_size);
		thrift_i64(writer, 4, (int64_t)*index);
		thrift_i32(writer, 5, (int32_t)chunk->offset_index_size);
		*metadata += chunk->metadata_size;
		*index += chunk->offset_index_size;
		if (chunk->column_index_size > 0) {
			thrift_i64(writer, 6, (int64_t)*index);
			thrift_i32(writer, 7, (int32_t)chunk->column_index_size);
			*index += chunk->column_index_size;
		}
		thrift_struct_end(writer);
	}
	thrift_i64(writer, 2, (int64_t)group->uncompressed_size);
	thrift_i64(writer, 3, (int64_t)group->row_count);
	size_t sorted = (group->sorted_by[0] >= 0) + (size_t)(group->sorted_by[1] >= 0);
	if (sorted > 0)
		thrift_list(writer, 4, THRIFT_STRUCT, sorted);
	for (size_t i = 0; i < sorted; i++) {
		thrift_struct_begin(writer, 0);
		thrift_i32(writer, 1, group->sorted_by[i]);
		thrift_bool(writer, 2, false);
		thrift_bool(writer, 3, false);
		thrift_struct_end(writer);
	}
	thrift_i64(writer, 5, (int64_t)group->offset);
	thrift_i64(writer, 6, (int64_t)group->size);
	thrift_struct_end(writer);
}

/*
 * Put the indexes of pages, the footer and the end of a file of `offset` bytes.  Returns false if memory runs out.
 */
static bool parquet_footer_put(struct parquet_footer *footer, struct byte_buffer *bytes,
			       const struct parquet_column *columns, size_t column_count,
			       const struct histree_export_note *notes, size_t note_count, uint64_t offset)
{
	uint64_t row_count = 0, index = offset;
	size_t metadata = 0;
	if (footer->failed || footer->metadata.failed || footer->indexes.failed)
		return false;
	for (size_t i = 0; i < footer->group_count; i++)
		row_count += footer->groups[i].row_count;
	byte_buffer_put(bytes, footer->indexes.bytes, footer->indexes.size);
	size_t begin = bytes->size;
	struct thrift_writer writer = thrift_begin(bytes);
	thrift_i32(&writer, 1, 1);

	thrift_list(&writer, 2, THRIFT_STRUCT, column_count + 1);
	thrift_struct_begin(&writer, 0);
	thrift_text(&writer, 4, "schema");
	thrift_i32(&writer, 5, (int32_t)column_count);
	thrift_struct_end(&writer);
	for (size_t i = 0; i < column_count; i++) {
		thrift_struct_begin(&writer, 0);
		thrift_i32(&writer, 1, physical_types[columns[i].type.kind]);
		thrift_i32(&writer, 3, columns[i].is_nullable ? PARQUET_OPTIONAL : PARQUET_REQUIRED);
		thrift_text(&writer, 4, columns[i].name);
		put_type(&writer, &columns[i].type);
		thrift_struct_end(&writer);
	}

	thrift_i64(&writer, 3, (int64_t)row_count);
	thrift_list(&writer, 4, THRIFT_STRUCT, footer->group_count);
	for (size_t i = 0; i < footer->group_count; i++)
		put_group(&writer, footer, &footer->groups[i], footer->chunks + i * column_count, column_count,
			  &metadata, &index);

	if (note_count > 0)
		thrift_list(&writer, 5, THRIFT_STRUCT, note_count);
	for (size_t i = 0; i < note_count; i++) {
		thrift_struct_begin(&writer, 0);
		thrift_text(&writer, 1, notes[i].key);
		thrift_text(&writer, 2, notes[i].value);
		thrift_struct_end(&writer);
	}
	thrift_text(&writer, 6, "histree version " HISTREE_VERSION);

	thrift_list(&writer, 7, THRIFT_STRUCT, column_count);
	for (size_t i = 0; i < column_count; i++) {
		thrift_struct_begin(&writer, 0);
		thrift_struct_begin(&writer, 1); /* the order that the type has */
		thrift_struct_end(&writer);
		thrift_struct_end(&writer);
	}
	thrift_struct_end(&writer);
	uint8_t size[4];
	put_le32(size, (uint32_t)(bytes->size - begin));
	byte_buffer_put(bytes, size, sizeof(size));
	byte_buffer_put(bytes, PARQUET_MAGIC, strlen(PARQUET_MAGIC));
	return !bytes->failed && bytes->size - begin <= INT32_MAX;
}

/* ---- parquet writer ------------------------------------------------------------------------------------------ */

enum {
	ROW_GROUP_ROWS = 1 << 20,
	ROW_GROUP_ROWS_MAX = 1 << 24,
	STEP_ROWS = 1 << 12,        /* added between two looks at the texts */
	TEXT_BYTES_MAX = 128 << 20, /* distinct ones of a column in a row group: a page must not reach 2 GiB */
	FORMS_EVERY = 8,            /* row groups: forms are tried again, since what states are like changes */
	LEVEL = 3,
};

static const struct histree_parquet_options default_options;

static int find_column(const struct parquet_writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->column_count; i++)
		if (strcmp(writer->columns[i].name, name) == 0 && parquet_order_can(&writer->columns[i]))
			return (int)i;
	return -1;
}

static enum histree_status init_columns(struct parquet_writer *writer, const struct ArrowSchema *schema,
					struct histree_error *error)
{
	if (schema->format == NULL || strcmp(schema->format, "+s") != 0 || schema->n_children <= 0 ||
	    schema->n_children > INT16_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the stream has no columns: it is of '%s' of Arrow",
				 schema->format != NULL ? schema->format : "nothing");
	size_t count = (size_t)schema->n_children;
	writer->columns = calloc(count, sizeof(*writer->columns));
	writer->chunks = calloc(count, sizeof(*writer->chunks));
	writer->forms = calloc(count, sizeof(*writer->forms));
	if (writer->columns == NULL || writer->chunks == NULL || writer->forms == NULL)
		return error_memory(error, "the columns of a file");
	for (size_t i = 0; i < count; i++) {
		writer->column_count = i + 1;
		enum histree_status status = parquet_column_init(&writer->columns[i], schema->children[i], error);
		if (status != HISTREE_OK)
			return status;

		const enum histree_parquet_times times = writer->options->times;
		if (times != HISTREE_PARQUET_TIMES_AS_THEY_ARE)
			writer->columns[i].type.is_utc = false;
		if (times == HISTREE_PARQUET_TIMES_NUMBERS)
			writer->columns[i].type.unit = PARQUET_NO_TIME;
	}
	return HISTREE_OK;
}

static enum histree_status init_packer(struct parquet_writer *writer, struct histree_error *error)
{
	const struct histree_parquet_options *options = writer->options;
	int level = options->level == 0 ? LEVEL : options->level;
	bool is_wanted = options->compression == HISTREE_PARQUET_ZSTD ||
			 (options->compression == HISTREE_PARQUET_DEFAULT_COMPRESSION && zstd_is_there);
	if (level < 1 || level > 19)
		return error_set(error, HISTREE_ERR_ARGUMENT, "level %d of zstd is not one of 1 to 19", level);
	if (is_wanted && !zstd_is_there)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"this histree was built without zstd; write pages without compression, or build it "
			"with zstd (Debian: libzstd-dev)");
	if (is_wanted)
		writer->workshop.packer = zstd_packer_create(level);
	return is_wanted && writer->workshop.packer == NULL ? error_memory(error, "the compression of pages")
							    : HISTREE_OK;
}

enum histree_status parquet_writer_create(struct parquet_writer **out, const struct ArrowSchema *schema,
					  const struct histree_parquet_options *options,
					  struct export_output *output, struct histree_error *error)
{
	struct parquet_writer *writer = calloc(1, sizeof(*writer));
	*out = NULL;
	if (writer == NULL)
		return error_memory(error, "a file of columns");
	writer->options = options != NULL ? options : &default_options;
	writer->output = output;
	writer->row_max = writer->options->row_group_rows;
	if (writer->row_max == 0)
		writer->row_max = ROW_GROUP_ROWS;
	writer->page_rows = writer->options->page_rows;
	if (writer->page_rows == 0 || writer->page_rows > writer->row_max)
		writer->page_rows = writer->row_max;
	enum histree_status status = HISTREE_OK;
	if (writer->row_max > ROW_GROUP_ROWS_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "row groups of %zu rows are too large: at most %d",
				   writer->row_max, ROW_GROUP_ROWS_MAX);
	if (status == HISTREE_OK)
		status = init_columns(writer, schema, error);
	if (status == HISTREE_OK)
		status = init_packer(writer, error);
	if (status == HISTREE_OK)
		status = export_output_write(output, PARQUET_MAGIC, strlen(PARQUET_MAGIC), error);
	if (status != HISTREE_OK) {
		parquet_writer_free(writer);
		return status;
	}

	enum histree_parquet_order order = writer->options->order;
	int start = find_column(writer, "start"), quark = find_column(writer, "quark");
	bool by_attribute = order == HISTREE_PARQUET_BY_ATTRIBUTE && start >= 0 && quark >= 0;
	bool by_time = order == HISTREE_PARQUET_BY_TIME && start >= 0;
	writer->sorted_by[0] = by_attribute ? quark : by_time ? start : -1;
	writer->sorted_by[1] = by_attribute ? start : by_time ? quark : -1;

	*out = writer;
	return HISTREE_OK;
}

static void swap_chunks(struct parquet_chunk *one, struct parquet_chunk *other)
{
	struct parquet_chunk chunk = *one;
	*one = *other;
	*other = chunk;
}

/* Make a chunk in each form that may be the smallest, and keep that. */
static bool try_forms(struct parquet_writer *writer, struct parquet_chunk *chunk, enum parquet_form *best)
{
	bool is_first = true, had_dictionary = false;
	for (int form = 0; form < PARQUET_FORM_COUNT; form++) {
		bool can = form == PARQUET_FORM_WHOLE_NUMBERS
				   ? had_dictionary && writer->workshop.packer != NULL
				   : parquet_chunk_can(&writer->workshop, &writer->values, (enum parquet_form)form);
		had_dictionary |= form == PARQUET_FORM_DICTIONARY && can;
		if (writer->workshop.distinct.failed)
			return false;
		if (!can)
			continue;
		struct parquet_chunk *made = is_first ? chunk : &writer->trial;
		if (!parquet_chunk_make(made, &writer->workshop, &writer->values, (enum parquet_form)form))
			return false;
		if (!is_first && made->bytes.size < chunk->bytes.size)
			swap_chunks(chunk, made);
		else if (!is_first)
			continue;
		*best = (enum parquet_form)form;
		is_first = false;
	}
	return true;
}

/* Make a chunk in the form that was best last time, if the values still allow that. */
static bool make_chunk(struct parquet_writer *writer, struct parquet_chunk *chunk, enum parquet_form *best)
{
	struct parquet_values *values = &writer->values;
	bool is_time_to_try = writer->footer.group_count % FORMS_EVERY == 0;
	if (values->count == 0)
		return parquet_chunk_make(chunk, &writer->workshop, values, PARQUET_FORM_PLAIN);
	enum parquet_form asked = *best == PARQUET_FORM_WHOLE_NUMBERS ? PARQUET_FORM_DICTIONARY : *best;
	if (is_time_to_try || !parquet_chunk_can(&writer->workshop, values, asked))
		return try_forms(writer, chunk, best);
	return parquet_chunk_make(chunk, &writer->workshop, values, *best);
}

/* Make the chunks of all columns, and note them for the footer. */
static enum histree_status make_group(struct parquet_writer *writer, struct histree_error *error)
{
	struct parquet_group_note group = { .offset = writer->output->size, .row_count = writer->row_count };
	const uint32_t *rows;

	enum histree_status status = HISTREE_OK;
	const struct parquet_column *columns = writer->columns;
	int first = writer->sorted_by[0], second = writer->sorted_by[1];
	rows = NULL;
	if (first < 0) {
		status = HISTREE_OK;
	} else if (!parquet_order_sort(&writer->sorting, &columns[first], second < 0 ? NULL : &columns[second],
				       writer->row_count)) {
		status = error_memory(error, "the order of a row group");
	} else {
		rows = writer->sorting.rows;
	}

	if (status != HISTREE_OK)
		return status;
	memcpy(group.sorted_by, writer->sorted_by, sizeof(group.sorted_by));
	for (size_t i = 0; i < writer->column_count; i++) {
		struct parquet_chunk *chunk = &writer->chunks[i];
		if (cancel_asked(&writer->options->work))
			return error_set(error, HISTREE_ERR_CANCELLED, "the file is no longer wanted");
		if (!parquet_values_arrange(&writer->values, &writer->columns[i], rows, writer->row_count,
					    writer->page_rows))
			return error_memory(error, "the order of a row group");
		if (!make_chunk(writer, chunk, &writer->forms[i])) {
			if (writer->workshop.page_is_too_large)
				return error_set(error, HISTREE_ERR_TOO_LARGE,
						 "the texts of column '%s' take more than 2 GiB in %zu rows; write "
						 "smaller row groups",
						 writer->columns[i].name, writer->row_count);
			return error_memory(error, "the pages of a row group");
		}
		parquet_footer_add_chunk(&writer->footer, chunk, &writer->values, writer->workshop.packer != NULL,
					 group.offset + group.size);
		group.uncompressed_size += chunk->uncompressed_size;
		group.size += chunk->bytes.size;
	}

	/* Note a row group; its chunks were noted before. */
	if (!array_reserve(&writer->footer.groups, &writer->footer.group_capacity, writer->footer.group_count + 1))
		writer->footer.failed = true;
	else
		writer->footer.groups[writer->footer.group_count++] = group;

	return writer->footer.failed ? error_memory(error, "the footer of a file") : HISTREE_OK;
}

enum histree_status parquet_writer_flush(struct parquet_writer *writer, struct histree_error *error)
{
	if (writer->row_count == 0)
		return HISTREE_OK;
	enum histree_status status = make_group(writer, error);
	for (size_t i = 0; i < writer->column_count && status == HISTREE_OK; i++)
		status = export_output_write(writer->output, writer->chunks[i].bytes.bytes,
					     writer->chunks[i].bytes.size, error);
	if (status != HISTREE_OK)
		return status;
	writer->counts.rows += writer->row_count;
	writer->counts.row_groups++;
	writer->counts.bytes = writer->output->size;
	writer->row_count = 0;
	for (size_t i = 0; i < writer->column_count; i++)
		parquet_column_clear(&writer->columns[i]);
	parquet_writer_begin_batch(writer); /* what was known of the one at hand is forgotten */
	return HISTREE_OK;
}

/* Returns whether a column has so much text that the row group should end. */
static bool has_much_text(const struct parquet_writer *writer)
{
	for (size_t i = 0; i < writer->column_count; i++)
		if (writer->columns[i].texts.bytes.bytes_total > TEXT_BYTES_MAX)
			return true;
	return false;
}

void parquet_writer_begin_batch(struct parquet_writer *writer)
{
	for (size_t i = 0; i < writer->column_count; i++)
		parquet_column_begin_batch(&writer->columns[i]);
}

enum histree_status parquet_writer_add(struct parquet_writer *writer, const struct ArrowArray *batch, size_t from,
				       size_t count, struct histree_error *error)
{
	if (batch->length < 0 || batch->offset < 0 || from > (size_t)batch->length ||
	    count > (size_t)batch->length - from || batch->n_children != (int64_t)writer->column_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch of the stream is not as its schema says");
	if (batch->null_count > 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch of the stream has rows that are null");
	from += (size_t)batch->offset;
	while (count > 0) {
		size_t room = writer->row_max - writer->row_count, part = count < room ? count : room;
		enum histree_status status = HISTREE_OK;
		part = part < STEP_ROWS ? part : STEP_ROWS;
		for (size_t i = 0; i < writer->column_count && status == HISTREE_OK; i++)
			status = parquet_column_append(&writer->columns[i], writer->row_count, batch->children[i],
						       from, part, error);
		from += part;
		count -= part;
		writer->row_count += part;
		if (status == HISTREE_OK && (writer->row_count == writer->row_max || has_much_text(writer)))
			status = parquet_writer_flush(writer, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

void parquet_writer_shrink(struct parquet_writer *writer)
{
	for (size_t i = 0; i < writer->column_count; i++) {
		parquet_column_shrink(&writer->columns[i]);
		parquet_chunk_release(&writer->chunks[i]);
	}
	parquet_chunk_release(&writer->trial);
	parquet_order_release(&writer->sorting);
	parquet_values_release(&writer->values);
	parquet_workshop_shrink(&writer->workshop);
}

enum histree_status parquet_writer_end(struct parquet_writer *writer, struct histree_error *error)
{
	struct byte_buffer bytes = { 0 };
	enum histree_status status = parquet_writer_flush(writer, error);
	if (status == HISTREE_OK &&
	    !parquet_footer_put(&writer->footer, &bytes, writer->columns, writer->column_count,
				writer->options->notes, writer->options->note_count, writer->output->size))
		status = error_memory(error, "the footer of a file");
	if (status == HISTREE_OK)
		status = export_output_write(writer->output, bytes.bytes, bytes.size, error);
	writer->counts.bytes = writer->output->size;
	free(bytes.bytes);
	return status;
}

void parquet_writer_free(struct parquet_writer *writer)
{
	if (writer == NULL)
		return;
	for (size_t i = 0; i < writer->column_count; i++) {
		parquet_column_release(&writer->columns[i]);
		parquet_chunk_release(&writer->chunks[i]);
	}
	parquet_chunk_release(&writer->trial);
	parquet_order_release(&writer->sorting);
	parquet_workshop_release(&writer->workshop);
	parquet_values_release(&writer->values);

	struct parquet_footer *footer = &writer->footer;
	free(footer->metadata.bytes);
	free(footer->indexes.bytes);
	free(footer->chunks);
	free(footer->groups);
	*footer = (struct parquet_footer){ 0 };

	free(writer->forms);
	free(writer->columns);
	free(writer->chunks);
	free(writer);
}
