/* SPDX-License-Identifier: MIT */
/*
 * parquet_writer.h - a Parquet file, front to back: rows are gathered into row groups, sorted by one or two
 * columns, and written; and the footer that describes the file.
 *
 * The footer has its columns, its row groups, and the bounds of each page.
 *
 * The description of a chunk is encoded as soon as the chunk is written, in about 300 bytes and 50 a page, and
 * nothing else is kept of it.
 */
#ifndef EXPORT_PARQUET_PARQUET_WRITER_H
#define EXPORT_PARQUET_PARQUET_WRITER_H

#include "base/search.h"
#include "export/export_output.h"
#include "export/parquet/parquet_column.h"
#include "histree/export.h"

/* A zeroed one is empty. */
struct parquet_order {
	uint32_t *rows; /* the number of the row that comes first, of the second, ... */
	size_t row_capacity;
	struct keyed_index *entries; /* and spare ones behind them */
	size_t entry_capacity;
};

/*
 * Sort by the first column, and where it is the same by the second, which may be NULL; otherwise rows stay in their
 * order.  Returns false if memory runs out.
 */
bool parquet_order_sort(struct parquet_order *order, const struct parquet_column *first,
			const struct parquet_column *second, size_t row_count);
void parquet_order_release(struct parquet_order *order);

/* A chunk of the file; sizes of what of it is in the bytes of the footer, one after the other. */
struct parquet_chunk_note {
	uint64_t offset; /* in the file */
	size_t metadata_size, column_index_size, offset_index_size;
};

struct parquet_group_note {
	uint64_t offset, row_count, uncompressed_size, size;
	int sorted_by[2]; /* numbers of columns, -1: none */
};

/* A zeroed one is empty. */
struct parquet_footer {
	struct byte_buffer metadata, indexes;
	struct parquet_chunk_note *chunks; /* those of one row group after those of the one before */
	struct parquet_group_note *groups;
	size_t chunk_count, chunk_capacity, group_count, group_capacity;
	bool failed; /* memory was out */
};

struct parquet_writer {
	const struct histree_parquet_options *options;
	struct export_output *output; /* borrowed */
	struct parquet_column *columns;
	enum parquet_form *forms;     /* what was smallest, for each column */
	struct parquet_chunk *chunks; /* of the row group at hand, one a column */
	struct parquet_chunk trial;   /* in another form */
	size_t column_count, row_count, row_max, page_rows;
	int sorted_by[2]; /* numbers of columns, -1: none */
	struct parquet_order sorting;
	struct parquet_workshop workshop;
	struct parquet_values values;
	struct parquet_footer footer;
	struct histree_export_counts counts;
};

/* Begin a file.  After a failure there is nothing to release. */
enum histree_status parquet_writer_create(struct parquet_writer **out, const struct ArrowSchema *schema,
					  const struct histree_parquet_options *options,
					  struct export_output *output, struct histree_error *error);

/* Say that rows of another batch follow. */
void parquet_writer_begin_batch(struct parquet_writer *writer);

/* Add `count` rows of the batch at hand, those from `from` on; row groups that are full are written. */
enum histree_status parquet_writer_add(struct parquet_writer *writer, const struct ArrowArray *batch, size_t from,
				       size_t count, struct histree_error *error);

/* Write the rows that are left as a row group, if there are any. */
enum histree_status parquet_writer_flush(struct parquet_writer *writer, struct histree_error *error);

/* Release the memory of rows; there must be no rows. */
void parquet_writer_shrink(struct parquet_writer *writer);

/* Write what is left, and the footer. */
enum histree_status parquet_writer_end(struct parquet_writer *writer, struct histree_error *error);
void parquet_writer_free(struct parquet_writer *writer);

#endif
