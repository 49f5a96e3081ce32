/* SPDX-License-Identifier: MIT */
/*
 * export_cells.h - the batches of an Arrow stream row by row, for formats that are written in this way.
 */
#ifndef EXPORT_EXPORT_CELLS_H
#define EXPORT_EXPORT_CELLS_H

#include <string.h>

#include "histree/columns.h"

enum export_cell_kind {
	EXPORT_BOOL,
	EXPORT_SIGNED,   /* an integer, or a timestamp in its unit */
	EXPORT_UNSIGNED, /* likewise */
	EXPORT_REAL,
	EXPORT_WORD, /* a text that is a number of its dictionary */
	EXPORT_TEXT,
};

struct export_column {
	char *name;
	enum export_cell_kind kind;
	unsigned bytes; /* of an integer, a real, or a number of a dictionary: 1, 2, 4 or 8 */
	bool is_signed; /* numbers of the dictionary */

	/* Of the batch. */
	int64_t offset;
	const uint8_t *validity; /* NULL: no cell is null */
	const void *values;      /* of texts, where they begin: int32 */
	const char *text;        /* of texts */

	/* The dictionary of the batch, which begins with that of the batch before. */
	size_t word_count;
	int64_t word_offset;
	const int32_t *word_starts;
	const char *words;
};

/* A zeroed one is empty. */
struct export_cells {
	struct export_column *columns;
	size_t count;
};

/* Make columns of a schema.  A column of a type that has no cells fails with a sentence. */
enum histree_status export_cells_create(struct export_cells *cells, const struct ArrowSchema *schema,
					struct histree_error *error);
void export_cells_release(struct export_cells *cells);

/* Look at a batch, which must stay until the next one.  One that is not of the schema fails with a sentence. */
enum histree_status export_cells_take(struct export_cells *cells, const struct ArrowArray *batch,
				      struct histree_error *error);

static inline bool export_cell_is_null(const struct export_column *column, int64_t row)
{
	int64_t bit = row + column->offset;
	return column->validity != NULL && (column->validity[bit >> 3] >> (bit & 7) & 1) == 0;
}

static inline bool export_cell_bool(const struct export_column *column, int64_t row)
{
	int64_t bit = row + column->offset;
	return ((const uint8_t *)column->values)[bit >> 3] >> (bit & 7) & 1;
}

/* An integer of 1, 2, 4 or 8 bytes. */
static inline uint64_t export_unsigned_at(const void *values, unsigned bytes, int64_t at)
{
	switch (bytes) {
	case 1:
		return ((const uint8_t *)values)[at];
	case 2:
		return ((const uint16_t *)values)[at];
	case 4:
		return ((const uint32_t *)values)[at];
	default:
		return ((const uint64_t *)values)[at];
	}
}

static inline int64_t export_signed_at(const void *values, unsigned bytes, int64_t at)
{
	const uint64_t number = export_unsigned_at(values, bytes, at);
	return bytes == 1   ? (int8_t)number
	       : bytes == 2 ? (int16_t)number
	       : bytes == 4 ? (int32_t)number
			    : (int64_t)number;
}

static inline uint64_t export_cell_unsigned(const struct export_column *column, int64_t row)
{
	return export_unsigned_at(column->values, column->bytes, row + column->offset);
}

static inline int64_t export_cell_signed(const struct export_column *column, int64_t row)
{
	return export_signed_at(column->values, column->bytes, row + column->offset);
}

static inline double export_cell_real(const struct export_column *column, int64_t row)
{
	int64_t at = row + column->offset;
	return column->bytes == 4 ? (double)((const float *)column->values)[at]
				  : ((const double *)column->values)[at];
}

/* Returns which word of the dictionary it is; less than `word_count` unless the batch contradicts itself. */
static inline size_t export_cell_word(const struct export_column *column, int64_t row)
{
	return column->is_signed ? (size_t)export_cell_signed(column, row)
				 : (size_t)export_cell_unsigned(column, row);
}

/* The text of a word; that of no word is "". */
static inline const char *export_word(const struct export_column *column, size_t word, size_t *size)
{
	if (word >= column->word_count) {
		*size = 0;
		return "";
	}
	const int32_t *at = column->word_starts + column->word_offset + word;
	*size = (size_t)(at[1] - at[0]);
	return column->words + at[0];
}

static inline const char *export_cell_text(const struct export_column *column, int64_t row, size_t *size)
{
	const int32_t *at = (const int32_t *)column->values + row + column->offset;
	*size = (size_t)(at[1] - at[0]);
	return column->text + at[0];
}

#endif
