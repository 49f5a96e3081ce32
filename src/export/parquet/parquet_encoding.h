/* SPDX-License-Identifier: MIT */
/*
 * parquet_encoding.h - how Parquet writes numbers, texts and its own structures.
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
 * thrift-compact-protocol.md of Apache Thrift.  What is nested is begun and ended by the caller.
 */
#ifndef EXPORT_PARQUET_PARQUET_ENCODING_H
#define EXPORT_PARQUET_PARQUET_ENCODING_H

#include "export/parquet/parquet_bytes.h"

void delta_packed_put32(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count);
void delta_packed_put64(struct parquet_bytes *bytes, const uint64_t *numbers, size_t count);

/*
 * Put the numbers at the end; each has at most `width` bits, 0 to 32.  They are all that a page has: the last
 * group is filled up with zeros.
 */
void rle_hybrid_put(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count, unsigned width);

/* Put the same number `count` times. */
void rle_hybrid_put_run(struct parquet_bytes *bytes, uint32_t number, size_t count, unsigned width);

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
	struct parquet_bytes *bytes;
	int16_t last_ids[THRIFT_DEPTH_MAX]; /* of the structures that are open: the field written last */
	unsigned depth;                     /* of them, the innermost */
};

/* Begin with the structure that nothing surrounds; thrift_struct_end() ends it as any other. */
struct thrift_writer thrift_begin(struct parquet_bytes *bytes);

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
