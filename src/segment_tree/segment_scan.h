/* SPDX-License-Identifier: MIT */
/*
 * segment_scan.h - the segments of a tree, read node by node in no particular order: what can be read, and what is
 * damaged; and an iterator over the segments that meet a window of time, in the order of the file.
 *
 * A *location* is where a segment lies in a tree, as one number: node (32 bits), block (20), segment of the block
 * (7).  Locations ascend as a scan proceeds.
 *
 * A *visit* is one node of a tree of segments in memory, pinned, for the iterators of segments.
 *
 * *Damage*: what a query on a tree of segments does at a node that cannot be read.  A core node only leads to other
 * nodes, and those are found by reading all nodes once (tree_reader.h): they take its place in the query.  A leaf
 * is lost.  What is known of its content are its bounds, which its parent keeps, and the number of segments in the
 * tree less those that can still be read.
 *
 * *Locations* may come in any order, many at a time, as the order of a field gives them: each node is read once for
 * all of them.  One at a time, each location would cost a node; a sorted set of them costs each node at most once.
 *
 * Content is handed out until the next call, from a node that stays pinned for as long.  After an error other than
 * HISTREE_ERR_ARGUMENT an iterator must be started again.  HISTREE_PARTIAL in place of a segment means that a
 * damaged node held some: the loss says what is known of them, and the next call continues.
 */
#ifndef SEGMENT_TREE_SEGMENT_SCAN_H
#define SEGMENT_TREE_SEGMENT_SCAN_H

#include "histree/segments.h"
#include "node/node_view.h"
#include "node/segment_node.h"
#include "store/block_file.h"
#include "tree/tree_reader.h"

enum {
	LOCATION_SEGMENT_BITS = 7,
	LOCATION_BLOCK_BITS = 20,
	LOCATION_NODE_SHIFT = LOCATION_SEGMENT_BITS + LOCATION_BLOCK_BITS
};

#define LOCATION_MASK ((UINT64_C(1) << (LOCATION_NODE_SHIFT + 32)) - 1)

_Static_assert(SEGMENT_BLOCK_MAX <= 1 << LOCATION_SEGMENT_BITS, "a segment's index has its bits");

_Static_assert(BLOCK_SIZE_MAX / SEGMENT_BLOCK_BYTES_MIN <= 1 << LOCATION_BLOCK_BITS,
	       "a block's index has its bits");

static inline uint64_t segment_location(uint32_t node, uint32_t block, uint32_t segment)
{
	return (uint64_t)node << LOCATION_NODE_SHIFT | (uint64_t)block << LOCATION_SEGMENT_BITS | segment;
}

/* What is above the location in the number is of no matter to these. */
static inline uint32_t segment_location_node(uint64_t location)
{
	return (uint32_t)(location >> LOCATION_NODE_SHIFT);
}

static inline uint32_t segment_location_block(uint64_t location)
{
	return (uint32_t)(location >> LOCATION_SEGMENT_BITS) & ((1u << LOCATION_BLOCK_BITS) - 1);
}

static inline uint32_t segment_location_segment(uint64_t location)
{
	return (uint32_t)location & ((1u << LOCATION_SEGMENT_BITS) - 1);
}

/* What both need to know; borrowed. */
struct segment_source {
	struct tree_reader *reader;
	const struct histree_segment_field *fields;
	size_t field_count;
	const struct io *io; /* for a temporary file beside `path` */
	const char *path;
	size_t queue_bytes;
};

struct segment_window {
	histree_time from, to; /* both inclusive */
};

/* What a scan skips: parts of the tree whose bounds show that they hold no wanted segment. */
struct segment_bounds {
	histree_time start_min, start_max;
	uint64_t duration_min, duration_max;
};

struct segment_choice {
	/* Returns true if a segment within the bounds may be wanted; of one segment, whether it is. */
	bool (*may_have)(void *context, const struct segment_bounds *bounds);
	void *context;
	size_t field_count; /* how many fields of the content are wanted, the first ones; 0: all */
};

struct segment_scan;

enum histree_status segment_scan_create(const struct segment_source *source, struct segment_scan **out,
					struct histree_error *error);

/* Start from the beginning, or after the segment with these keys of a token. */
void segment_scan_start(struct segment_scan *scan, struct segment_window window,
			const struct histree_segment_token *resume);

/* After it was started: hand out only what is chosen.  The context is borrowed until the next start. */
void segment_scan_choose(struct segment_scan *scan, struct segment_choice choice);
enum histree_status segment_scan_next(struct segment_scan *scan, struct histree_segment *out,
				      struct histree_error *error);
struct histree_loss segment_scan_loss(const struct segment_scan *scan);

/* Get where the segment handed out last lies: the node, and its location in it. */
void segment_scan_location(const struct segment_scan *scan, uint64_t key[2]);
void segment_scan_stats(const struct segment_scan *scan, struct histree_statistics *stats);
void segment_scan_free(struct segment_scan *scan);

struct segment_sweep;

enum histree_status segment_sweep_create(const struct segment_source *source, struct segment_sweep **out,
					 struct histree_error *error);

/*
 * Start by start, end or duration: from the beginning, or from the key of a token on, with all segments that have
 * that key.
 */
enum histree_status segment_sweep_start(struct segment_sweep *sweep, enum histree_segment_order by, bool descending,
					struct segment_window window, const struct histree_segment_token *resume,
					struct histree_error *error);
enum histree_status segment_sweep_next(struct segment_sweep *sweep, struct histree_segment *out,
				       struct histree_error *error);
struct histree_loss segment_sweep_loss(const struct segment_sweep *sweep);

/* Get the key of the segment handed out last. */
void segment_sweep_key(const struct segment_sweep *sweep, uint64_t key[2]);
void segment_sweep_stats(const struct segment_sweep *sweep, struct histree_statistics *stats);
void segment_sweep_free(struct segment_sweep *sweep);

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
 * Get the block of the leaf with that index, and its times if there is room for them.  An error of
 * HISTREE_ERR_FORMAT names the node.
 */
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
	struct histree_loss loss;
	/* Its parent can be read, so a visit of the parent meets it.  Otherwise its bounds are all of time. */
	bool has_parent;
	bool told;
};

/* What one query has met of the damage.  A zeroed struct has met nothing. */
struct segment_damage {
	const struct tree_damage *damage; /* NULL: none was met so far */
	struct segment_loss *losses;      /* sorted by node */
	size_t loss_count, losses_capacity;
	bool met_core;            /* so the orphans take part, and losses without a parent are reported */
	size_t untold;            /* the next of those to look at */
	struct histree_loss loss; /* the one told last */
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
void segment_gather_stats(const struct segment_gather *gather, struct histree_statistics *stats);

/* NULL is fine. */
void segment_gather_free(struct segment_gather *gather);

#endif
