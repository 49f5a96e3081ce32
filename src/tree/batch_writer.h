/* SPDX-License-Identifier: MIT */
/*
 * batch_writer.h - a batch becomes leaves of columns, cut by key (docs/design/0002-columns.md).
 */
#ifndef TREE_BATCH_WRITER_H
#define TREE_BATCH_WRITER_H

#include "tree/batch.h"
#include "tree/lifetimes.h"
#include "tree/tree_branch.h"

struct batch_writer {
	struct tree_branch *branch; /* borrowed */
	double item_bytes;          /* on disk, as the last leaf had them */
	struct column_builder builder;
	struct column_item *items; /* sorted, on their way from a bucket to a leaf */
	size_t items_capacity;
	/* Of the batch at hand: its values, its next bucket, how many items are written, and how many sorted. */
	struct histree_value *values;
	size_t bucket, written, ready;
	struct lifetimes lifetimes; /* of the keys in the leaves written so far */
};

/* Begin to write leaves, which become children of the open branch, with a zeroed writer. */
void batch_writer_init(struct batch_writer *writer, struct tree_branch *branch, struct table_space *tables);

/* Returns how many items make a good leaf. */
size_t batch_writer_leaf_items(const struct batch_writer *writer);

/*
 * Write some leaves of a batch, one after another.  Returns HISTREE_OK if more are to be written, HISTREE_END if
 * the batch is empty now.  If this fails, some items are left in it.
 */
enum histree_status batch_writer_write(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error);

/*
 * Copy what a writer learnt of the leaves that it wrote to a zeroed one that goes on below a copy of the branch.
 * Fails with HISTREE_ERR_MEMORY only.
 */
enum histree_status batch_writer_copy(const struct batch_writer *writer, struct tree_branch *branch,
				      struct batch_writer *copy);

void batch_writer_release(struct batch_writer *writer);

#endif
