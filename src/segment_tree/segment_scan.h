/* SPDX-License-Identifier: MIT */
/*
 * segment_scan.h - the segments of a tree node by node, in no order: what is there, and what is damaged.
 *
 * A *visit* is one node of a tree of segments in memory, pinned, for the iterators of segments.
 *
 * *Damage* is what a query on a tree of segments does at a node that cannot be read.  A core node holds only the
 * way to others, and those are found by reading all nodes once (tree_reader.h): they take its place in the query.
 * A leaf is lost.  Its content is known by its bounds, which are in its parent, and by the number of segments of
 * the tree, less those that can still be read.
 *
 * *Locations* may come in any order, many at a time, as the order of a field gives them: each node is read once
 * for all of them.  One at a time, each location would cost a node; sorted, a set of them costs at most each node
 * once.
 */
#ifndef SEGMENT_TREE_SEGMENT_SCAN_H
#define SEGMENT_TREE_SEGMENT_SCAN_H

#include "histree/segment_store.h"
#include "node/node_view.h"
#include "node/segment_node.h"
#include "segment_tree/segment_iter.h"
#include "tree/tree_reader.h"

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

/*
 * Get the child with that index; HISTREE_ERR_FORMAT if it does not exist, or lies outside the bounds that its
 * parent keeps.
 */
enum histree_status segment_visit_child(const struct segment_visit *visit, uint32_t index, struct node_child *out,
					struct histree_error *error);

/* The leaf's block of that index; its times, if there is room for them; HISTREE_ERR_FORMAT says of which node. */
enum histree_status segment_visit_times(const struct segment_visit *visit, uint32_t index,
					struct segment_block *block, struct segment_times times[SEGMENT_BLOCK_MAX],
					struct histree_error *error);

/* Get the first `wanted` fields. */
enum histree_status segment_visit_content(const struct segment_visit *visit, const struct segment_block *block,
					  uint32_t index, const struct segment_source *source, size_t wanted,
					  struct histree_value *content, struct histree_error *error);

static inline bool segment_window_meets(struct segment_window window, const struct node_child *bounds)
{
	return bounds->start <= window.to && bounds->end >= window.from;
}

static inline bool segment_window_has(struct segment_window window, const struct segment_times *times)
{
	/*
	 * The end is not at hand: it is before the window if the duration is less than the way from the start to
	 * the window.
	 */
	return times->start <= window.to &&
	       (times->start >= window.from || times->duration >= (uint64_t)window.from - (uint64_t)times->start);
}

/* A damaged node that may have been a leaf. */
struct segment_loss {
	struct histree_segment_loss loss;
	/* Its parent can be read, so a visit of the parent meets it.  Otherwise its bounds are all of time. */
	bool has_parent;
	bool told;
};

/* What one query has met of the damage.  A zeroed struct has met nothing. */
struct segment_damage {
	const struct tree_damage *damage; /* NULL: none was met so far */
	struct segment_loss *losses;      /* sorted by node */
	size_t loss_count, losses_capacity;
	bool met_core;                    /* so the orphans take part, and losses without a parent are reported */
	size_t untold;                    /* the next of those to look at */
	struct histree_segment_loss loss; /* the one told last */
};

/* A new query begins. */
void segment_damage_begin(struct segment_damage *met);
void segment_damage_release(struct segment_damage *met);

/*
 * Take note of a node whose visit gave HISTREE_ERR_FORMAT.  Returns HISTREE_PARTIAL if there is a loss to tell of;
 * HISTREE_OK if the query goes on, with the orphans if met_core has just become true; HISTREE_ERR_FORMAT if it is
 * not damage, so that the error stands.
 */
enum histree_status segment_damage_meet(struct segment_damage *met, struct tree_reader *reader, uint32_t node,
					struct histree_error *error);

/* Returns HISTREE_PARTIAL while there is one more loss without a parent to tell of, once a core node was met. */
enum histree_status segment_damage_tell_next(struct segment_damage *met);

/* As segment_damage_tell_next(), with the part that each segment of a sound tree pays inline. */
static inline enum histree_status segment_damage_next(struct segment_damage *met)
{
	return met->met_core ? segment_damage_tell_next(met) : HISTREE_OK;
}

struct segment_gather;

enum histree_status segment_gather_create(const struct segment_source *source, struct segment_gather **out,
					  struct histree_error *error);

/*
 * Fetch the segments at the first *count locations, or fewer, but at least one, if their content would take more
 * than `bytes_max`.  What was fetched before is gone.  Returns HISTREE_ERR_FORMAT if a location has no segment or
 * its node cannot be read.
 */
enum histree_status segment_gather_fetch(struct segment_gather *gather, const uint64_t *locations, size_t *count,
					 size_t bytes_max, struct histree_error *error);

/* Returns a fetched segment by its index in the order of the locations; it is valid until the next are fetched. */
const struct histree_segment *segment_gather_get(const struct segment_gather *gather, size_t index);

/* Return how many nodes were visited and loaded so far. */
void segment_gather_stats(const struct segment_gather *gather, struct histree_segment_iter_stats *stats);

/* NULL is fine. */
void segment_gather_free(struct segment_gather *gather);

#endif
