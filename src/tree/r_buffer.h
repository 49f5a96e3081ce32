/* SPDX-License-Identifier: MIT */
/*
 * r_buffer.h - the buffer below an R-SHT's branch, and how it becomes a sub-tree (thesis 4.6.2, 4.6.3).
 *
 * The buffer has the capacity of a sub-tree of r levels.  When it is full, algorithm 4.2 turns it into nodes
 * from the top down: a core node takes the outliers, that is the longest intervals, as many as fit; the rest
 * is sorted by key and cut into consecutive slices, one a child; a leaf takes what fits.
 */
#ifndef TREE_R_BUFFER_H
#define TREE_R_BUFFER_H

#include <stdbool.h>

#include "base/arena.h"
#include "tree/tree_writer.h"

/* A zeroed struct r_buffer is an empty one. */
struct r_buffer {
	struct histree_interval *intervals;
	size_t count, capacity;
	struct arena bytes; /* of their strings and customs */
	size_t row_bytes;   /* that they take as rows, at most */
	histree_time start; /* the smallest, if count > 0 */
};

/* Returns whether the memory has no room for more. */
bool r_buffer_is_at_limit(const struct r_buffer *buffer, size_t memory_max);

/* Returns whether a sub-tree of `depth` levels has no room for more. */
bool r_buffer_fills(const struct r_buffer *buffer, const struct node_layout *layout, uint32_t depth);

/* Add an interval.  No node of the sub-tree will start before `base`. */
enum histree_status r_buffer_add(struct r_buffer *buffer, const struct histree_interval *interval,
				 histree_time base);

/*
 * Write one sub-tree of at most `depth` levels and say what its parent must know.  What it had no room for
 * stays in the buffer; at least one interval leaves it.
 */
enum histree_status r_buffer_build(struct r_buffer *buffer, struct tree_output *output, uint32_t depth,
				   struct node_child *child, struct histree_error *error);

/* Copy a buffer.  Returns HISTREE_ERR_MEMORY if memory is out; `copy` is then empty. */
enum histree_status r_buffer_copy(const struct r_buffer *buffer, struct r_buffer *copy);

void r_buffer_release(struct r_buffer *buffer);

#endif
