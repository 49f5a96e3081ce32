/* SPDX-License-Identifier: MIT */
/*
 * tree_writer.h - build a history tree in one pass.
 *
 * Intervals are added in any order that the variant can make sense of; good trees come from non-decreasing
 * ends, which is how a state system makes them.  Only the branch from the root to the latest leaf is in
 * memory, and for the R-SHT variants a buffer.
 */
#ifndef TREE_TREE_WRITER_H
#define TREE_TREE_WRITER_H

#include "histree/value.h"
#include "store/block_file.h"
#include "tree/tree_options.h"

struct tree_writer;

/* `file` is borrowed; its blocks are the nodes. */
enum histree_status tree_writer_create(struct block_file *file, const struct tree_options *options,
				       struct tree_writer **out, struct histree_error *error);

/*
 * The value's bytes are copied.  HISTREE_ERR_TIME_RANGE: starts before the tree or ends before it starts.
 * HISTREE_ERR_TOO_LARGE: see tree_writer_value_size_max().  Both leave the tree as it was; after any other
 * error it lacks nodes and can only be freed.
 */
enum histree_status tree_writer_add(struct tree_writer *writer, const struct histree_interval *interval,
				    struct histree_error *error);

/*
 * From now on, intervals that end at `end` are the last of their attributes: a variant that leaves out nulls at the
 * end of a life can do so.  Only a hint.
 */
void tree_writer_close_at(struct tree_writer *writer, histree_time end);

/* Bytes of a string or custom value at most. */
size_t tree_writer_value_size_max(const struct tree_writer *writer);

/* Close all nodes at `end`, write them and the sections TREE and STAT.  `key_count`: quarks are below it. */
enum histree_status tree_writer_finish(struct tree_writer *writer, histree_time end, uint32_t key_count,
				       struct histree_error *error);

/*
 * A writer that is what this one is now and writes the nodes that come after those of now to `file`, the tail of this
 * one's file (block_file.h).  Finishing it makes a history that ends now, and this one goes on.
 */
enum histree_status tree_writer_copy(const struct tree_writer *writer, struct block_file *file,
				     struct tree_writer **out, struct histree_error *error);

void tree_writer_free(struct tree_writer *writer);

#endif
