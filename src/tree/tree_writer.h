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
 * end of their lifetimes can do so.  This is only a hint.
 */
void tree_writer_close_at(struct tree_writer *writer, histree_time end);

/* Bytes of a string or custom value at most. */
size_t tree_writer_value_size_max(const struct tree_writer *writer);

/*
 * Of a tree of segments, whose leaves its owner makes: where they are written, and how the tree learns of each, in
 * the order of writing.  `count`: of its segments.
 */
struct tree_output *tree_writer_output(struct tree_writer *writer);
enum histree_status tree_writer_attach(struct tree_writer *writer, const struct node_child *leaf, size_t count,
				       struct histree_error *error);

/* Close all nodes at `end`, write them and the sections TREE and STAT.  `key_count`: quarks are below it. */
enum histree_status tree_writer_finish(struct tree_writer *writer, histree_time end, uint32_t key_count,
				       struct histree_error *error);

/*
 * What was added and is not in a buffer is in the file, until the next interval is added: no thread of the writer's
 * own is at work.  An error is that of what was written.
 */
enum histree_status tree_writer_settle(struct tree_writer *writer, struct histree_error *error);

/*
 * Of a settled writer: one that is what this one is now and writes the nodes that come after those of now to
 * `file`, the tail of this one's file (block_file.h).  Finishing it makes a history that ends now.  It borrows what
 * is buffered: this one goes on when the copy was freed.
 */
enum histree_status tree_writer_copy(const struct tree_writer *writer, struct block_file *file,
				     struct tree_writer **out, struct histree_error *error);

void tree_writer_free(struct tree_writer *writer);

#endif
