/* SPDX-License-Identifier: MIT */
/*
 * batch_writer.h - a batch becomes leaves of columns, cut by key (docs/design/0002-columns.md).
 */
#ifndef TREE_BATCH_WRITER_H
#define TREE_BATCH_WRITER_H

#include "tree/batch.h"
#include "tree/lifetimes.h"

/* Where leaves go: to a tree (cluster_leaves.c), or to a pack (leaf_pack.h). */
struct leaf_taker {
	void *context; /* borrowed */
	uint32_t node_size;
	/* Learn how long a key of the next leaf has states in it.  Returns false if memory is out. */
	bool (*live)(void *context, histree_quark key, struct lifetime lifetime);
	/* Take the leaf that was encoded last, which is of a batch that starts at `start`. */
	enum histree_status (*take)(void *context, struct column_builder *leaf, histree_time start,
				    struct histree_error *error);
};

struct batch_writer {
	struct leaf_taker taker;
	struct table_space *tables; /* looked at now and then, as the taker has lifetimes there */
	double item_bytes;          /* on disk, as the last leaf had them */
	struct column_builder builder;
	struct column_item *items; /* sorted, on their way from a bucket to a leaf */
	size_t items_capacity;
	/* Of the batch at hand: its values, its next bucket, how many items are written, and how many sorted. */
	struct histree_value *values;
	size_t bucket, written, ready;
};

/* Begin to write leaves with a zeroed writer. */
void batch_writer_init(struct batch_writer *writer, const struct leaf_taker *taker, struct table_space *tables);

/* Returns how many items make a good leaf. */
size_t batch_writer_leaf_items(const struct batch_writer *writer);

/*
 * Write some leaves of a batch, one after another.  Returns HISTREE_OK if more are to be written, HISTREE_END if
 * the batch is empty now.  If this fails, some items are left in it.
 */
enum histree_status batch_writer_write(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error);

/* Copy what a writer learnt of the leaves that it wrote to a zeroed one whose leaves go to another taker. */
void batch_writer_copy(const struct batch_writer *writer, const struct leaf_taker *taker,
		       struct batch_writer *copy);

void batch_writer_release(struct batch_writer *writer);

#endif
