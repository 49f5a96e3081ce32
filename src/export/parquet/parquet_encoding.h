/* SPDX-License-Identifier: MIT */
/*
 * parquet_encoding.h - how Parquet writes numbers, texts and its own structures, and the distinct texts of a
 * column.
 *
 * The distinct values of a column are the texts of a row group, numbered from 0, or the numbers of a chunk in
 * ascending order; each value has the index of its distinct value.
 *
 * A stream with a dictionary has distinct texts already: they are added without comparing them with the others,
 * which saves a hash for each.  Otherwise each is looked up first.
 *
 * Everything is written into bytes that grow at their end.
 *
 * A lack of memory is remembered, and checked once, at the end of a page or of the footer: until then, further
 * output is dropped.
 *
 * Integers as differences of packed bits (Parquet, Encodings.md, DELTA_BINARY_PACKED).
 *
 * A block of 128 differences has its least one, and four miniblocks of 32 with a width each.  All arithmetic wraps
 * around, so that any differences come back.
 *
 * Small numbers as runs of one number and as groups of eight packed bits (Parquet, Encodings.md,
 * RLE).
 *
 * A run begins at a multiple of eight from the beginning of the packed numbers before it, since only there it needs
 * no padding; runs of less than eight numbers are packed.
 *
 * The compact protocol of Apache Thrift, in which Parquet writes its headers and its footer.
 *
 * A structure is a list of fields by rising id, each with its type, and a zero at its end; the specification is
 * thrift-compact-protocol.md of Apache Thrift.  The caller begins and ends nested structures.
 */
#ifndef EXPORT_PARQUET_PARQUET_ENCODING_H
#define EXPORT_PARQUET_PARQUET_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"

#define PARQUET_TEXTS_NONE UINT32_MAX

struct parquet_text {
	const char *bytes;
	size_t size;
};

/* A zeroed one is empty. */
struct parquet_texts {
	struct arena bytes;
	struct parquet_text *texts;
	uint32_t count;
	size_t capacity;
	struct hash_index index; /* of all texts, or empty until the first look-up */
};

/* Returns the number of a new text, which is copied; PARQUET_TEXTS_NONE if memory runs out. */
uint32_t parquet_texts_add(struct parquet_texts *texts, const struct parquet_text *text);

/* Returns the number of a text that is the same, or adds it. */
uint32_t parquet_texts_find_or_add(struct parquet_texts *texts, const struct parquet_text *text);

/* Forget all texts. */
void parquet_texts_clear(struct parquet_texts *texts);
void parquet_texts_release(struct parquet_texts *texts);

/* A zeroed one is empty. */
struct parquet_distinct {
	uint64_t *values; /* ascending, as unsigned numbers */
	size_t count;
	uint32_t *numbers; /* of each value of the chunk its place in `values` */
	/* For finding them: */
	uint32_t *slots;
	struct keyed_index *order;
	size_t value_capacity, number_capacity, slot_capacity, order_capacity;
	bool failed; /* memory was out */
};

/*
 * Returns false if a dictionary is not worth it, with more than a third as many distinct numbers as there are
 * values, and if memory runs out.  One of the arrays is NULL.
 */
bool parquet_distinct_find(struct parquet_distinct *distinct, const uint32_t *narrow, const uint64_t *wide,
			   size_t count);
void parquet_distinct_release(struct parquet_distinct *distinct);

#define PARQUET_MAGIC "PAR1"

enum parquet_physical_type {
	PARQUET_TYPE_BOOLEAN = 0,
	PARQUET_TYPE_INT32 = 1,
	PARQUET_TYPE_INT64 = 2,
	PARQUET_TYPE_DOUBLE = 5,
	PARQUET_TYPE_BYTE_ARRAY = 6,
};

enum parquet_encoding {
	PARQUET_PLAIN = 0,
	PARQUET_RLE = 3,
	PARQUET_DELTA_BINARY_PACKED = 5,
	PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
	PARQUET_RLE_DICTIONARY = 8,
	PARQUET_BYTE_STREAM_SPLIT = 9,
};

enum parquet_compression_codec { PARQUET_UNCOMPRESSED = 0, PARQUET_ZSTD = 6 };

enum parquet_page_type { PARQUET_DATA_PAGE = 0, PARQUET_DICTIONARY_PAGE = 2 };

enum parquet_repetition { PARQUET_REQUIRED = 0, PARQUET_OPTIONAL = 1 };

enum parquet_boundary_order { PARQUET_UNORDERED = 0, PARQUET_ASCENDING = 1, PARQUET_DESCENDING = 2 };

/* What the older ConvertedType calls a type, for readers that know no other. */
enum parquet_converted_type {
	PARQUET_CONVERTED_UTF8 = 0,
	PARQUET_CONVERTED_TIMESTAMP_MILLIS = 9,
	PARQUET_CONVERTED_TIMESTAMP_MICROS = 10,
	PARQUET_CONVERTED_UINT_8 = 11, /* and 16, 32 and 64 behind it */
	PARQUET_CONVERTED_INT_8 = 15,  /* likewise */
};

/* Fields of the union LogicalType. */
enum parquet_logical_type { PARQUET_STRING = 1, PARQUET_TIMESTAMP = 8, PARQUET_INTEGER = 10 };

void delta_packed_put32(struct byte_buffer *bytes, const uint32_t *numbers, size_t count);
void delta_packed_put64(struct byte_buffer *bytes, const uint64_t *numbers, size_t count);

/*
 * Put the numbers at the end; each has at most `width` bits, 0 to 32.  They are all that a page has: the last
 * group is filled up with zeros.
 */
void rle_hybrid_put(struct byte_buffer *bytes, const uint32_t *numbers, size_t count, unsigned width);

/* Put the same number `count` times. */
void rle_hybrid_put_run(struct byte_buffer *bytes, uint32_t number, size_t count, unsigned width);

enum thrift_type {
	THRIFT_TRUE = 1, /* in a list: any boolean */
	THRIFT_FALSE = 2,
	THRIFT_BYTE = 3,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

enum { THRIFT_DEPTH_MAX = 8 };

struct thrift_writer {
	struct byte_buffer *bytes;
	int16_t last_ids[THRIFT_DEPTH_MAX]; /* of the structures that are open: the field written last */
	unsigned depth;                     /* of them, the innermost */
};

/* Begin with the structure that nothing surrounds; thrift_struct_end() ends it as any other. */
struct thrift_writer thrift_begin(struct byte_buffer *bytes);

/* A structure as a field, or, with an id of 0, as an element of a list. */
void thrift_struct_begin(struct thrift_writer *writer, int16_t id);
void thrift_struct_end(struct thrift_writer *writer);

/* A structure as a field that was put into bytes before, with its end. */
void thrift_struct_raw(struct thrift_writer *writer, int16_t id, const void *bytes, size_t size);

/* A list as a field; its elements follow. */
void thrift_list(struct thrift_writer *writer, int16_t id, enum thrift_type type, size_t count);
void thrift_bool(struct thrift_writer *writer, int16_t id, bool value);
void thrift_i8(struct thrift_writer *writer, int16_t id, int8_t value);
void thrift_i32(struct thrift_writer *writer, int16_t id, int32_t value);
void thrift_i64(struct thrift_writer *writer, int16_t id, int64_t value);
void thrift_binary(struct thrift_writer *writer, int16_t id, const void *bytes, size_t size);
void thrift_text(struct thrift_writer *writer, int16_t id, const char *text);

/* Elements of a list. */
void thrift_element_bool(struct thrift_writer *writer, bool value);
void thrift_element_number(struct thrift_writer *writer, int64_t value); /* i32 and i64 */
void thrift_element_binary(struct thrift_writer *writer, const void *bytes, size_t size);

#endif
