/* SPDX-License-Identifier: MIT */
/*
 * tree_writer.h - build a history tree in one pass.
 *
 * Intervals may be added in any order that the variant accepts; good trees come from non-decreasing ends, the order
 * of a state system.  Only two things are in memory: the branch from the root to the latest leaf (tree_branch.h),
 * and what the variant's source of leaves buffers below it (leaf_sources.h).
 *
 * Inserter: a crew inserts intervals, so that their producer need not wait.  They are copied into a block; a full
 * block is handed over, and another one is filled meanwhile.  They are inserted in the order in which they were
 * added, by the calls that the adding thread would have made.
 */
#ifndef TREE_TREE_WRITER_H
#define TREE_TREE_WRITER_H

#include "base/crew.h"
#include "histree/status.h"
#include "histree/value.h"
#include "store/block_file.h"
#include "tree/tree_shape.h"

struct leaf_pack;
struct tree_output;
struct tree_writer;

/* Create a writer.  `file` outlives it, and its blocks are the nodes. */
enum histree_status tree_writer_create(struct block_file *file, const struct tree_options *options,
				       struct tree_writer **out, struct histree_error *error);

/*
 * Add intervals; the bytes of their values are copied.  Returns HISTREE_ERR_TIME_RANGE if one starts before the
 * tree or ends before it starts, HISTREE_ERR_TOO_LARGE if its value is larger than tree_writer_value_size_max() or
 * its key too great.  *added is then the number of those before it, which the tree has.  After any other error the
 * tree lacks nodes and can only be freed; *added is 0.
 */
enum histree_status tree_writer_add(struct tree_writer *writer, const struct histree_interval *intervals,
				    size_t count, size_t *added, struct histree_error *error);

/* The same of one. */
enum histree_status tree_writer_add_one(struct tree_writer *writer, const struct histree_interval *interval,
					struct histree_error *error);

/*
 * Count an interval of the tree without keeping it, because it is kept elsewhere (state/partial_file.h): it is
 * part of the numbers and lifetimes of the tree.
 */
enum histree_status tree_writer_count(struct tree_writer *writer, const struct histree_interval *interval,
				      struct histree_error *error);

/*
 * From now on, intervals that end at `end` are the last of their attributes: a variant that leaves out nulls after
 * lifetimes can do so.  This is only a hint.
 */
void tree_writer_close_at(struct tree_writer *writer, histree_time end);

/*
 * From now on the key has no states: it is null throughout, without an interval of its own.  None was added, and
 * none will be.  Fails with HISTREE_ERR_MEMORY only.
 */
enum histree_status tree_writer_leave_out(struct tree_writer *writer, histree_quark key,
					  struct histree_error *error);

/* Returns the bytes of a string or custom value at most. */
size_t tree_writer_value_size_max(const struct tree_writer *writer);

/*
 * In a tree whose leaves its owner makes (SOURCE_ATTACHED): the output to which the owner writes each leaf, and the
 * call by which the tree then learns of it, in the order of writing.  The leaf has `count` items.
 */
struct tree_output *tree_writer_output(struct tree_writer *writer);
enum histree_status tree_writer_attach(struct tree_writer *writer, const struct node_child *leaf, size_t count,
				       struct histree_error *error);

/*
 * Leaves that are made apart (leaf_pack.h): for which tree packs are, NULL if the variant has none; and take one
 * that was made, any number of them in any order.
 */
const struct tree_options *tree_writer_packs(const struct tree_writer *writer);
enum histree_status tree_writer_take_pack(struct tree_writer *writer, const struct leaf_pack *pack,
					  struct histree_error *error);

/* Close all nodes at `end`, write them and the sections TREE and STAT.  Quarks are below `key_count`. */
enum histree_status tree_writer_finish(struct tree_writer *writer, histree_time end, uint32_t key_count,
				       struct histree_error *error);

/*
 * Wait until everything added is in the file or in a buffer: until the next interval is added, no thread of the
 * writer is running.  Returns the error of that thread, if it met one.
 */
enum histree_status tree_writer_wait(struct tree_writer *writer, struct histree_error *error);

/*
 * Copy a writer that was waited for: the copy writes the nodes that come after those of now to `file`, the tail of
 * this one's file (block_file.h), and finishing it makes a history that ends now.  It borrows what is buffered, so
 * nothing may be added to this one before the copy was freed.
 */
enum histree_status tree_writer_copy(const struct tree_writer *writer, struct block_file *file,
				     struct tree_writer **out, struct histree_error *error);
void tree_writer_free(struct tree_writer *writer);

#endif
