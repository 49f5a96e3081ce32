/* SPDX-License-Identifier: MIT */
/*
 * parquet_column.h - a column of a Parquet file: values, pages, chunks.
 *
 * Values of a row group are kept as numbers of 32 or 64 bits, one a row; those of rows that are null are zeros.
 * Texts, whether the stream has them in a dictionary or one by one, are ids of strings that are known once a row
 * group.  So the memory of a column depends on the rows of a row group, not on those of the stream.
 *
 * Values are written in the order of the row group, cut into pages.  Nulls are left out of the values and are zeros
 * among the levels.  Texts are renumbered in the order in which they come, so that the dictionary of a row group
 * has only the texts that it needs.
 *
 * A chunk is the bytes of a column of a row group: a dictionary page if it needs one, and data pages.  The smallest
 * encoding is known only after zstd: a chunk can be made in each encoding of its type, and the smallest one is
 * kept.
 */
#ifndef EXPORT_PARQUET_PARQUET_COLUMN_H
#define EXPORT_PARQUET_PARQUET_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/zstd.h"
#include "export/parquet/parquet_encoding.h"
#include "histree/columns.h"
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
	struct parquet_type type, position; /* of the values, and of where they are in a dictionary */
	bool is_nullable;
	char format;        /* of Arrow: of its values */
	bool is_dictionary; /* texts are in a dictionary of the stream */
	bool is_large;      /* offsets of texts have 64 bits */

	uint32_t *narrow; /* one of the two, by kind */
	uint64_t *wide;
	uint8_t *present; /* 1 where there is a value; NULL as long as there is one everywhere */
	size_t capacity, present_capacity;
	size_t null_count;
	struct parquet_texts texts;
	bool dictionary_changes; /* a string differed from that of the batch before: others may be the same */
	struct parquet_known_text *known;
	size_t known_count, known_capacity;
	uint32_t batch; /* number of the batch at hand, from 1 */
};

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

/* Release the memory of rows; it must be empty. */
void parquet_column_shrink(struct parquet_column *column);

/* The least and the greatest value: of a text the bytes, of everything else the number. */
struct parquet_bounds {
	bool is_known; /* there is a value, and it has an order: not NaN */
	uint64_t min, max;
	const char *min_text, *max_text; /* borrowed of the column */
	size_t min_size, max_size;
};

struct parquet_page {
	size_t row, row_count;     /* of the row group */
	size_t value, value_count; /* of `values` */
	size_t nan_count;
	struct parquet_bounds bounds;
};

struct parquet_values {
	struct parquet_column *column;
	size_t row_count, count; /* of rows and of values */
	uint32_t *narrow;        /* one of the two, by kind; the other has what a column before had */
	uint64_t *wide;
	uint32_t *levels; /* 1 or 0 a row; only where some rows are null and some are not */
	size_t narrow_capacity, wide_capacity, level_capacity;
	struct parquet_page *pages;
	size_t page_count, page_capacity;
	/* Texts: which of the column's the new numbers are, and what they were numbered. */
	uint32_t *entries, *numbers, *pages_seen;
	size_t entry_count, entry_capacity, number_capacity, seen_capacity;
	struct parquet_bounds bounds; /* of all pages */
	size_t nan_count;
};

/*
 * Bring the rows of a column into the order of `rows`, which has the number of each; NULL: as they are.  Pages have
 * `page_rows` rows each.  Returns false if memory runs out.
 */
bool parquet_values_arrange(struct parquet_values *values, struct parquet_column *column, const uint32_t *rows,
			    size_t row_count, size_t page_rows);
void parquet_values_release(struct parquet_values *values);

/* How the values of a chunk are written. */
enum parquet_form {
	PARQUET_FORM_PLAIN,
	PARQUET_FORM_DELTA,         /* integers: differences; texts: their sizes as differences, then their bytes */
	PARQUET_FORM_SPLIT,         /* doubles: their first bytes, their second bytes, ... */
	PARQUET_FORM_DICTIONARY,    /* numbers of values, in as many bits as the greatest needs */
	PARQUET_FORM_WHOLE_NUMBERS, /* the same in whole bytes, so that zstd finds what is repeated */
	PARQUET_FORM_COUNT
};

struct parquet_chunk {
	struct byte_buffer bytes;   /* its pages with their headers, as they are in the file */
	size_t dictionary_size;     /* of the first page, if it is a dictionary, with its header; else 0 */
	uint64_t uncompressed_size; /* of all pages and headers */
	enum parquet_encoding encoding;
	size_t *page_ends; /* of the data pages: where they end in `bytes` */
	size_t page_count, page_capacity;
};

/* What encoders need again and again.  A zeroed one is empty. */
struct parquet_workshop {
	struct zstd_packer *packer; /* NULL: pages stay as they are */
	struct byte_buffer page;
	struct parquet_distinct distinct; /* of numbers */
	bool page_is_too_large;           /* for the format: 2 GiB */
};

/*
 * Returns whether the values can be written in this form, and are worth a trial.  Makes what the dictionary forms
 * of numbers need.
 */
bool parquet_chunk_can(struct parquet_workshop *workshop, const struct parquet_values *values,
		       enum parquet_form form);

/* Make the pages.  Returns false if memory runs out, or, as the workshop says, a page would be too large. */
bool parquet_chunk_make(struct parquet_chunk *chunk, struct parquet_workshop *workshop,
			const struct parquet_values *values, enum parquet_form form);
void parquet_chunk_release(struct parquet_chunk *chunk);

/* Let go of the memory for pages, but keep the packer. */
void parquet_workshop_shrink(struct parquet_workshop *workshop);
void parquet_workshop_release(struct parquet_workshop *workshop);

#endif
