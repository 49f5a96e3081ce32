/* SPDX-License-Identifier: MIT */
/*
 * segment_visit.h - one node of a tree of segments in memory, pinned.  For the iterators of segments.
 */
#ifndef SEGMENT_TREE_SEGMENT_VISIT_H
#define SEGMENT_TREE_SEGMENT_VISIT_H

#include "node/node_view.h"
#include "node/segment_view.h"
#include "segment_tree/segment_iter.h"
#include "tree/tree_reader_inside.h"

/* A zeroed visit is to no node. */
struct segment_visit {
	struct tree_reader *reader;
	struct node_pin *pin; /* NULL: none yet */
	bool holds;           /* the node that `view` is of */
	struct node_view view;
	uint64_t visited, loaded;
};

/* Go to a node, if the visit is not to it already; the one before is left. */
enum histree_status segment_visit_node(struct segment_visit *visit, uint32_t number, struct histree_error *error);
void segment_visit_leave(struct segment_visit *visit);
void segment_visit_release(struct segment_visit *visit);

/* The child of that index; HISTREE_ERR_FORMAT if it is none, or outside the bounds that the parent has. */
enum histree_status segment_visit_child(const struct segment_visit *visit, uint32_t index, struct node_child *out,
					struct histree_error *error);

/* The leaf's block of that index; its times, if there is room for them; HISTREE_ERR_FORMAT says of which node. */
enum histree_status segment_visit_times(const struct segment_visit *visit, uint32_t index,
					struct segment_block *block, struct segment_times times[SEGMENT_BLOCK_MAX],
					struct histree_error *error);

/* Of the first `wanted` fields. */
enum histree_status segment_visit_content(const struct segment_visit *visit, const struct segment_block *block,
					  uint32_t index, const struct segment_source *source, size_t wanted,
					  struct histree_value *content, struct histree_error *error);

static inline bool segment_window_meets(struct segment_window window, const struct node_child *bounds)
{
	return bounds->start <= window.to && bounds->end >= window.from;
}

static inline bool segment_window_has(struct segment_window window, const struct segment_times *times)
{
	/* Without the end, which is not at hand: it is before the window if what is left of the start is longer. */
	return times->start <= window.to &&
	       (times->start >= window.from || times->duration >= (uint64_t)window.from - (uint64_t)times->start);
}

#endif
