/* SPDX-License-Identifier: MIT */
/*
 * columns_batch.h - rows as columns: buffers that are filled, and then are an ArrowArray.
 *
 * A batch is one block of memory with the buffers of all columns and the structs that show them to a consumer.  The
 * struct of the batch, each column and each dictionary hold it, since a consumer may move any of them elsewhere and
 * release them in any order; when nobody does, it goes back to the pool of its stream, or is freed if that is gone.
 */
#ifndef COLUMNS_BATCH_H
#define COLUMNS_BATCH_H

#include <stdbool.h>

#include "columns/columns_texts.h"
#include "histree/arrow.h"

enum columns_kind {
	COLUMN_UINT32,
	COLUMN_UINT64,
	COLUMN_INT32,
	COLUMN_INT64,
	COLUMN_TIME,
	COLUMN_REAL,
	COLUMN_BOOL,  /* a byte a row while it is filled */
	COLUMN_TEXT,  /* utf8; no buffer of its own, but texts of the batch alone */
	COLUMN_WORD,  /* dictionary<uint32, utf8> */
	COLUMN_SHORT, /* dictionary<uint8, utf8> */
};

/* Start, end and duration, and the fields of a schema. */
enum { COLUMNS_MAX = 3 + 32 };

struct columns_column {
	const char *name; /* borrowed */
	enum columns_kind kind;
	bool is_nullable;
	/* Of COLUMN_WORD and COLUMN_SHORT: the dictionary, borrowed.  Of COLUMN_TEXT: the texts of the batch. */
	struct columns_texts *texts;
};

struct columns_layout {
	struct columns_column columns[COLUMNS_MAX];
	size_t count;
	uint32_t rows_max;
};

struct columns_pool;

struct columns_batch {
	const struct columns_layout *layout;
	uint32_t rows;             /* filled by the caller, as the rest */
	void *values[COLUMNS_MAX]; /* by column; NULL for COLUMN_TEXT */
	/*
	 * By column: a byte a row, 1, or 0 where it is null; NULL if the column is not nullable.  What a null has
	 * for a value must be written too.
	 */
	uint8_t *valid[COLUMNS_MAX];
	struct columns_block *block;
};

/* A pool keeps up to two blocks for the batches to come. */
enum histree_status columns_pool_create(const struct columns_layout *layout, struct columns_pool **out,
					struct histree_error *error);

/* The stream is gone. */
void columns_pool_leave(struct columns_pool *pool);

/* Returns an empty batch. */
enum histree_status columns_batch_begin(struct columns_pool *pool, const struct columns_layout *layout,
					struct columns_batch *out, struct histree_error *error);

/* Hand the batch out.  If it fails, it is dropped. */
enum histree_status columns_batch_finish(struct columns_batch *batch, struct ArrowArray *out,
					 struct histree_error *error);
void columns_batch_drop(struct columns_batch *batch);

/* Write the schema of a layout, which is the caller's to release.  Returns HISTREE_ERR_MEMORY. */
enum histree_status columns_schema(const struct columns_layout *layout, struct ArrowSchema *out,
				   struct histree_error *error);

#endif
