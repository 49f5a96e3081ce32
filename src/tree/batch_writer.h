/* SPDX-License-Identifier: MIT */
/*
 * batch_writer.h - a batch becomes leaves of columns, cut by key (docs/design/0002-columns.md).
 */
#ifndef TREE_BATCH_WRITER_H
#define TREE_BATCH_WRITER_H

#include "tree/batch.h"
#include "tree/lifetimes.h"
#include "tree/tree_output.h"

struct batch_writer {
	struct tree_output *output; /* borrowed */
	double item_bytes;          /* on disk, as the last leaf had them */
	struct column_builder builder;
	struct column_item *items; /* sorted, on their way from a bucket to a leaf */
	size_t items_capacity;
	struct lifetimes lifetimes; /* of the keys in the leaves written so far */

	/* Takes a leaf that was written, one of a batch that starts at `start`. */
	enum histree_status (*attach)(void *context, const struct node_child *leaf, histree_time start,
				      struct histree_error *error);
	void *context;
};

/* A zeroed writer with output, attach and context set. */
void batch_writer_init(struct batch_writer *writer);

/* Items that make a good leaf. */
size_t batch_writer_leaf_items(const struct batch_writer *writer);

/* The batch has no items afterwards, unless this fails. */
enum histree_status batch_writer_write(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error);

/*
 * What it learnt of the leaves that it wrote.  `copy` is zeroed but for output, attach and context.
 * HISTREE_ERR_MEMORY only.
 */
enum histree_status batch_writer_copy(const struct batch_writer *writer, struct batch_writer *copy);

void batch_writer_release(struct batch_writer *writer);

#endif
