/* SPDX-License-Identifier: MIT */
/*
 * parquet_column.h - a column of an Arrow stream and its values of the row group at hand.
 *
 * Values are kept as numbers of 32 or 64 bits, one a row; those of rows that are null are zeros.  Texts, whether
 * the stream has them in a dictionary or one by one, are ids of strings that are known once a row group.  So the
 * memory of a column depends on the rows of a row group, not on those of the stream.
 */
#ifndef EXPORT_PARQUET_PARQUET_COLUMN_H
#define EXPORT_PARQUET_PARQUET_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/parquet/parquet_texts.h"
#include "histree/arrow.h"
#include "histree/status.h"

enum parquet_kind {
	PARQUET_BOOLEAN, /* narrow: 0 or 1 */
	PARQUET_INT32,   /* narrow: sign-extended if it is signed */
	PARQUET_INT64,   /* wide */
	PARQUET_DOUBLE,  /* wide: its bits */
	PARQUET_TEXT,    /* narrow: an id of `texts` */
};

enum parquet_unit { PARQUET_NO_TIME, PARQUET_MILLIS, PARQUET_MICROS, PARQUET_NANOS };

struct parquet_type {
	enum parquet_kind kind;
	unsigned bits; /* of an integer: 8, 16, 32, 64 */
	bool is_signed;
	bool is_utc; /* of a time */
	enum parquet_unit unit;
};

/* What is known of the strings of a dictionary of the stream, by their position in it. */
struct parquet_known_text {
	uint32_t id;    /* the same string in `texts`, or PARQUET_NULL_TEXT */
	uint32_t batch; /* in which it was compared last */
};

#define PARQUET_NULL_TEXT UINT32_MAX

struct parquet_column {
	char *name;
	struct parquet_type type;
	bool is_nullable;
	char format;        /* of Arrow: of its values, or of the positions in a dictionary */
	bool is_dictionary; /* texts are in a dictionary of the stream */
	bool is_large;      /* offsets of texts have 64 bits */

	uint32_t *narrow; /* one of the two, by kind */
	uint64_t *wide;
	uint8_t *present; /* 1 where there is a value; NULL as long as there is one everywhere */
	size_t capacity, present_capacity;
	size_t null_count;
	struct parquet_texts texts;
	bool dictionary_changes; /* a string was not the one of the batch before: others may be the same */
	struct parquet_known_text *known;
	size_t known_count, known_capacity;
	uint32_t batch; /* number of the batch at hand, from 1 */
};

static inline bool parquet_is_wide(enum parquet_kind kind)
{
	return kind == PARQUET_INT64 || kind == PARQUET_DOUBLE;
}

/* Returns HISTREE_ERR_ARGUMENT, with the column and its format in the sentence, if there is no such type here. */
enum histree_status parquet_column_init(struct parquet_column *column, const struct ArrowSchema *schema,
					struct histree_error *error);
void parquet_column_release(struct parquet_column *column);

/*
 * Add `count` rows of an array behind the `rows` that are there, those from `from` on (the offset of the array
 * itself is added).  After a failure the row group is lost.
 */
enum histree_status parquet_column_append(struct parquet_column *column, size_t rows,
					  const struct ArrowArray *array, size_t from, size_t count,
					  struct histree_error *error);

/* Say that another batch follows: its dictionary may have other strings. */
void parquet_column_begin_batch(struct parquet_column *column);

/* Forget all rows, and their texts. */
void parquet_column_clear(struct parquet_column *column);

/* Let go of the memory that rows took; there are none. */
void parquet_column_shrink(struct parquet_column *column);

#endif
