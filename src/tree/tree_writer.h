/* SPDX-License-Identifier: MIT */
/*
 * tree_writer.h - build a history tree in one pass.
 *
 * Intervals may be added in any order that the variant accepts; good trees come from non-decreasing ends, the
 * order of a state system.  Only the branch from the root to the latest leaf is in memory, and what the variant's
 * source of leaves buffers below it (tree_shape.h).  The parts:
 *
 * Output: sealed nodes are numbered in the order in which they are closed, counted, and written.  So a file is
 * written front to back, a child's number is below its parent's, and the root is the last.
 *
 * Branch: one open node a height, from `bottom` to the top.  It grows as eSHT paper III.A and thesis 4.4.1 draw
 * it and as Trace Compass does it.  Below the bottom hang the leaves of a source (tree_shape.h); where the
 * bottom is 0, its node is the leaf.
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
#include "node/column_builder.h"
#include "node/node_builder.h"
#include "node/segment_node.h"
#include "store/block_file.h"
#include "tree/tree_shape.h"

struct tree_output {
	struct block_file *file; /* borrowed */
	struct node_layout layout;
	uint8_t *block; /* node_size bytes: the node being sealed */
	uint32_t node_count;
	struct tree_statistics statistics;
};

/* Seal the node with this end, write it, and say what its parent must know. */
enum histree_status tree_output_node(struct tree_output *output, struct node_builder *builder, histree_time end,
				     struct node_child *child, struct histree_error *error);

/* Seal and write the leaf of columns that was encoded last. */
enum histree_status tree_output_leaf(struct tree_output *output, struct column_builder *builder,
				     struct node_child *child, struct histree_error *error);

/* Write a leaf that was sealed with another number, with `used` bytes in use; the bounds get its new number. */
enum histree_status tree_output_sealed(struct tree_output *output, const uint8_t *bytes, uint32_t used,
				       struct node_child *bounds, struct histree_error *error);

/* Seal and write the leaf of segments that was encoded last. */
enum histree_status tree_output_segments(struct tree_output *output, struct segment_builder *builder,
					 struct node_child *child, struct histree_error *error);

/* It must not move: its nodes borrow the layout of its output. */
struct tree_branch {
	struct tree_output output;
	const struct tree_variant *variant;
	struct node_builder *open;        /* by height; those below bottom are unused */
	size_t open_count, open_capacity; /* the top is open_count - 1 */
	uint32_t bottom;
	histree_time start; /* of the tree */
	histree_time end;   /* the greatest of what is in the branch and below it: nodes are closed at it */
};

/* Open the nodes from `bottom` up: it has one node then. */
enum histree_status tree_branch_open(struct tree_branch *branch, uint32_t bottom, struct histree_error *error);

static inline uint32_t tree_branch_top(const struct tree_branch *branch)
{
	return (uint32_t)branch->open_count - 1;
}

/* Returns whether the open node of a height has room for one more child; the open node below it counts as one. */
bool tree_branch_has_room(const struct tree_branch *branch, uint32_t height);

/*
 * Try to put an interval into the lowest open node, from `height` up, that starts early enough.  If that has no
 * room, it gets a sibling instead, and HISTREE_NOT_FOUND asks the caller to begin again.
 */
enum histree_status tree_branch_try(struct tree_branch *branch, uint32_t height,
				    const struct histree_interval *interval, struct histree_error *error);

/*
 * Give the open node of a height a sibling that starts at `start`: the branch is closed below a parent that has
 * room and starts early enough, which may be higher up or have to be made, and a new one is opened.
 */
enum histree_status tree_branch_add_sibling(struct tree_branch *branch, uint32_t height, histree_time start,
					    struct histree_error *error);

/* Hang a sub-tree below the bottom node, which has room.  The end of the branch knows of it already. */
enum histree_status tree_branch_add_child(struct tree_branch *branch, const struct node_child *child,
					  struct histree_error *error);

/*
 * Hang a leaf below the lowest open node that starts early enough.  Siblings are made as for intervals; those made
 * for this leaf start at `start`, which is not after the start of the leaf.
 */
enum histree_status tree_branch_attach(struct tree_branch *branch, const struct node_child *leaf,
				       histree_time start, struct histree_error *error);

/* Close the bottom node: from then on the one above it is the bottom.  There are no open nodes below it. */
enum histree_status tree_branch_raise_bottom(struct tree_branch *branch, struct histree_error *error);

/* Close the whole branch.  The top becomes the root, whose number is `*root`. */
enum histree_status tree_branch_close(struct tree_branch *branch, uint32_t *root, struct histree_error *error);

/* Like tree_branch_close(), but a tree of a single attached leaf is that leaf, without a branch above it. */
enum histree_status tree_branch_close_on_leaves(struct tree_branch *branch, uint32_t *root,
						struct histree_error *error);

typedef enum histree_status (*tree_insert)(void *context, const struct histree_interval *intervals, size_t count,
					   struct histree_error *error);

struct leaf_pack;
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
 * In a tree whose leaves its owner makes (leaves_attached): the output to which the owner writes each leaf, and the
 * call by which the tree then learns of it, in the order of writing.  The leaf has `count` items.
 */
struct tree_output *tree_writer_output(struct tree_writer *writer);
enum histree_status tree_writer_attach(struct tree_writer *writer, const struct node_child *leaf, size_t count,
				       struct histree_error *error);

/*
 * Leaves that are made apart (leaf_pack.h): begin a pack, which is freed before the writer, and take one that was
 * made, any number of them in any order.  Returns HISTREE_NOT_FOUND if the variant has no packs.
 */
enum histree_status tree_writer_begin_pack(struct tree_writer *writer, size_t kept_max, struct leaf_pack **out,
					   struct histree_error *error);
enum histree_status tree_writer_take_pack(struct tree_writer *writer, const struct leaf_pack *pack,
					  struct histree_error *error);

/* Close all nodes at `end`, write them and the sections TREE and STAT.  Quarks are below `key_count`. */
enum histree_status tree_writer_finish(struct tree_writer *writer, histree_time end, uint32_t key_count,
				       struct histree_error *error);

/*
 * Wait until what was added is in the file or in a buffer: until the next interval is added, no thread of the
 * writer's own is at work.  Returns the error of that thread, if it met one.
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
