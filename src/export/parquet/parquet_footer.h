/* SPDX-License-Identifier: MIT */
/*
 * parquet_footer.h - what a file says of itself at its end: its columns, its row groups, and the bounds of each
 * page.
 *
 * What is to be said of a chunk is put into bytes as soon as it is written, about 300 of them and 50 a page, and
 * these are all that is kept of it.
 */
#ifndef EXPORT_PARQUET_PARQUET_FOOTER_H
#define EXPORT_PARQUET_PARQUET_FOOTER_H

#include "export/parquet/parquet_chunk.h"
#include "histree/export.h"

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
	struct parquet_bytes metadata, indexes;
	struct parquet_chunk_note *chunks; /* those of one row group after those of the one before */
	struct parquet_group_note *groups;
	size_t chunk_count, chunk_capacity, group_count, group_capacity;
	bool failed; /* memory was out */
};

/* Note a chunk that lies at `offset` in the file. */
void parquet_footer_add_chunk(struct parquet_footer *footer, const struct parquet_chunk *chunk,
			      const struct parquet_values *values, bool is_compressed, uint64_t offset);

/* Note a row group; its chunks were noted before. */
void parquet_footer_add_group(struct parquet_footer *footer, const struct parquet_group_note *group);

/* Put the indexes of pages, the footer and the end of a file of `offset` bytes.  Returns false if memory is out. */
bool parquet_footer_put(struct parquet_footer *footer, struct parquet_bytes *bytes,
			const struct parquet_column *columns, size_t column_count,
			const struct histree_export_note *notes, size_t note_count, uint64_t offset);

void parquet_footer_release(struct parquet_footer *footer);

#endif
