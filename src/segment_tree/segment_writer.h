/* SPDX-License-Identifier: MIT */
/*
 * segment_writer.h - build a tree of segments in batches (docs/design/06-segments.md).
 *
 * A batch is packed as an R-tree is (sort, tile, recursive: Leutenegger, Lopez and Edgington, 1997): cut into slabs
 * by duration, and a slab into leaves by start; a leaf is cut into blocks in the same way.  So a sweep by any key
 * has few leaves open at a time, and few of their blocks.
 */
#ifndef SEGMENT_TREE_SEGMENT_WRITER_H
#define SEGMENT_TREE_SEGMENT_WRITER_H

#include <stdbool.h>

#include "base/search.h"
#include "histree/segments.h"
#include "item/segment_batch.h"
#include "store/block_file.h"

struct segment_writer;

/*
 * How a batch is cut into leaves and blocks: in one dimension, as in thesis 5.4.3, only to measure what that is
 * worth.
 */
enum segment_grouping {
	SEGMENTS_GROUPED_BY_BOTH,
	SEGMENTS_GROUPED_BY_START,
	SEGMENTS_GROUPED_BY_DURATION,
};

/* `file` is borrowed; its blocks are the nodes.  The fields' types are copied.  `memory_max`: 0 means 80 MiB. */
enum histree_status segment_writer_create(struct block_file *file, const struct histree_segment_field *fields,
					  size_t field_count, size_t memory_max, struct segment_writer **out,
					  struct histree_error *error);

/* Before the first addition; without, by both. */
void segment_writer_group(struct segment_writer *writer, enum segment_grouping grouping);

/*
 * It must not end before it starts, and its values must be of the fields' types.  HISTREE_ERR_TOO_LARGE leaves the
 * tree as it was; after any other error it can only be freed.
 */
enum histree_status segment_writer_add(struct segment_writer *writer, const struct histree_segment *segment,
				       struct histree_error *error);

/* Write what is left, and the sections TREE and STAT. */
enum histree_status segment_writer_finish(struct segment_writer *writer, struct histree_error *error);
void segment_writer_free(struct segment_writer *writer);

#endif
