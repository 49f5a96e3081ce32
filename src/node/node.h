/* SPDX-License-Identifier: MIT */
/*
 * node.h - what a node of a history tree is: its kinds, its bytes in format version 1 (histree-format(5)), and the
 * region that a query asks of it.
 *
 * A node is one block.  It holds intervals, and above the leaves the bounds of its children.  The codec is two
 * objects, and nothing else knows the bytes (histree-format(5)):
 *
 * 	node_builder	takes intervals and children until they no longer fit, then seals (writing)
 * 	node_view	checks a sealed block once, gives children and a cursor (reading)
 *
 * Bounds: start and end of a node enclose those of its intervals and of its children.  A variant that does not
 * keep a child's end or keys (struct node_layout) reads them back as the widest that they can be.
 *
 * 	OFFSET	SIZE
 * 	0	4	CRC-32C of the bytes from 4 to `used`
 * 	4	4	number of the node: its own address, so that a misplaced block is noticed
 * 	8	2	height, 0 for a leaf
 * 	10	2	number of children
 * 	12	4	number of intervals
 * 	16	8	start
 * 	24	8	end
 * 	32	4	smallest key of the intervals in this node (0xffffffff if none)
 * 	36	4	greatest key (0 if none)
 * 	40	4	used: bytes from the beginning of the node; the rest is zero
 * 	44	4	offset of the rows
 * 	48		children: number (4), start (8) [, end (8)] [, smallest and greatest key (4 + 4)]
 * 			rows, sorted by (key, start)
 * 			index: the offset (4) of every 16th row, the first included; it ends at `used`
 *
 * A row: varint start - node start, varint end - start, varint key, value (value.h).  Rows do not
 * depend on each other, so that a search can begin at any row of the index.
 *
 * A query asks a node for a region: a set of keys by a set of times (histree/states.h).
 */
#ifndef NODE_NODE_H
#define NODE_NODE_H

#include <stdbool.h>

#include "base/search.h"
#include "histree/value.h"

enum {
	NODE_INTERVAL_SIZE_MIN = 4, /* bytes of an interval in a node of rows: three varints and a null */
};

enum node_child_bounds {
	NODE_CHILD_START = 0, /* always kept */
	NODE_CHILD_END = 1,
	NODE_CHILD_KEYS = 2,
	NODE_CHILD_SEGMENTS = 4, /* of a tree of segments: the four of algorithm 5.2 */
};

/* The same for all nodes of a tree. */
struct node_layout {
	uint32_t node_size;
	uint32_t child_bounds;   /* or of enum node_child_bounds */
	uint32_t child_capacity; /* children of a core node at most */
	bool columns;            /* leaves are of columns (column_block.h), not of rows */
	bool segments;           /* leaves are of segments (segment_node.h); other nodes hold children alone */
};

/*
 * Nodes of rows are blocks of one size, as in the papers; leaves of columns and of segments are as long as their
 * content.  Returns how many bytes of a node are kept; those after the used ones are zero.
 */
static inline uint32_t node_cut_size(uint32_t used)
{
	return (used + 63) / 64 * 64;
}

/*
 * Clear the bytes after the used ones that are kept, or that readers of bits may load (bytes.h).  The rest of a
 * block, most of it, is never read.
 */
void node_clear_behind(uint8_t *block, uint32_t used, uint32_t node_size);

/* A child as its parent knows it: bounds of the child's whole subtree. */
struct node_child {
	uint32_t number;
	histree_time start, end;
	histree_quark key_min, key_max; /* key_min > key_max: no interval in the subtree */
	/*
	 * In a tree of segments: start and end_min are the least, start_max and end the greatest of its segments'
	 * times.
	 */
	histree_time start_max, end_min;
	uint64_t duration_min, duration_max;
};

/* The bounds of nothing: adding the bounds of a segment to them gives the bounds of that segment. */
struct node_child node_child_of_no_segments(void);

/* Widen the bounds of segments to include those of another node. */
void node_child_include(struct node_child *bounds, const struct node_child *other);

enum {
	NODE_HEADER_SIZE = 48,
	NODE_ROWS_PER_INDEX = 16,
	NODE_INDEX_SIZE = 4,
	NODE_SEGMENT_BOUNDS_SIZE = 32,
};

/* Where things are in the header, behind the checksum of what is used. */
enum {
	NODE_AT_NUMBER = 4,
	NODE_AT_HEIGHT = 8,
	NODE_AT_CHILD_COUNT = 10,
	NODE_AT_ITEM_COUNT = 12,
	NODE_AT_START = 16,
	NODE_AT_END = 24,
	NODE_AT_KEY_MIN = 32,
	NODE_AT_KEY_MAX = 36,
	NODE_AT_USED = 40,
	NODE_AT_BODY = 44,
};

/* What the header says; `bounds` has the keys of this node alone. */
struct node_header {
	struct node_child bounds;
	uint32_t height, child_count, item_count;
	uint32_t used, body_offset;
};

/* Write the header of a block whose other bytes are there, and its checksum. */
void node_put_header(uint8_t *block, const struct node_header *header);

static inline uint32_t node_child_size(const struct node_layout *layout)
{
	return 4 + 8 + (layout->child_bounds & NODE_CHILD_END ? 8 : 0) +
	       (layout->child_bounds & NODE_CHILD_KEYS ? 8 : 0) +
	       (layout->child_bounds & NODE_CHILD_SEGMENTS ? NODE_SEGMENT_BOUNDS_SIZE : 0);
}

/* Greatest start, smallest end, smallest and greatest duration: 8 bytes each. */
void node_put_segment_bounds(uint8_t *at, const struct node_child *child);
void node_get_segment_bounds(const uint8_t *at, struct node_child *child);

static inline uint32_t node_index_count(uint32_t row_count)
{
	return (row_count + NODE_ROWS_PER_INDEX - 1) / NODE_ROWS_PER_INDEX;
}

struct node_region {
	histree_time from, to;       /* both inclusive; with `times`, the first and the last of them */
	const histree_quark *quarks; /* sorted, each once; NULL: all */
	size_t quark_count;
	const histree_time *times; /* sorted; NULL: all from `from` to `to` */
	size_t time_count;
	double times_per_ns; /* of `times`, to guess an index; may be 0 */
};

/* The element that a search in a list of the region looks for. */
struct region_bound {
	const struct node_region *region;
	histree_time time;
	histree_quark quark;
};

static inline bool region_time_before(const void *context, size_t index)
{
	const struct region_bound *bound = context;
	return bound->region->times[index] < bound->time;
}

static inline bool region_quark_before(const void *context, size_t index)
{
	const struct region_bound *bound = context;
	return bound->region->quarks[index] < bound->quark;
}

/*
 * Returns the index of the first time from `low` on that is not below `time`.  The times of a view on a screen are
 * equally spaced.
 */
static inline size_t region_time_from(const struct node_region *region, size_t low, histree_time time)
{
	const struct region_bound bound = { .region = region, .time = time };
	size_t guess = low;
	if (time > region->to)
		return region->time_count;
	if (time > region->from)
		guess = (size_t)((double)((uint64_t)time - (uint64_t)region->from) * region->times_per_ns);
	return search_first(low, region->time_count, guess, region_time_before, &bound);
}

/* Returns the index of the first quark from `low` on that is not below `quark`; one near `low` is found soonest. */
static inline size_t region_quark_from(const struct node_region *region, size_t low, histree_quark quark)
{
	const struct region_bound bound = { .region = region, .quark = quark };
	return search_first(low, region->quark_count, low, region_quark_before, &bound);
}

/* Find the quarks of the region that a node with these keys can have: from `first` up to `end`. */
static inline void region_choose_quarks(const struct node_region *region, histree_quark key_min,
					histree_quark key_max, size_t *first, size_t *end)
{
	*first = region_quark_from(region, 0, key_min);
	*end = key_max < UINT32_MAX ? region_quark_from(region, *first, key_max + 1) : region->quark_count;
}

/* The enclosing region, without its lists: most bounds of nodes do not even meet that. */
struct region_bounds {
	histree_time from, to;
	histree_quark key_min, key_max;
};

/* The list of quarks, if there is one, is not empty. */
static inline struct region_bounds region_bounds(const struct node_region *region)
{
	return (struct region_bounds){
		.from = region->from,
		.to = region->to,
		.key_min = region->quarks != NULL ? region->quarks[0] : 0,
		.key_max = region->quarks != NULL ? region->quarks[region->quark_count - 1] : UINT32_MAX,
	};
}

/*
 * Returns whether bounds meet those of a region; with key_min > key_max, which means no intervals, they never do.
 */
static inline bool bounds_meet(const struct region_bounds *bounds, histree_time start, histree_time end,
			       histree_quark key_min, histree_quark key_max)
{
	return start <= bounds->to && end >= bounds->from && key_min <= bounds->key_max &&
	       key_max >= bounds->key_min && key_min <= key_max;
}

/* Returns whether the bounds, which meet those of the region, contain one of its times. */
static inline bool region_meets_times(const struct node_region *region, histree_time start, histree_time end)
{
	if (region->times == NULL || start <= region->from || end >= region->to)
		return true;
	return region->times[region_time_from(region, 0, start)] <= end;
}

/* Returns whether the bounds, which meet those of the region, contain one of its quarks. */
static inline bool region_meets_keys(const struct node_region *region, histree_quark key_min, histree_quark key_max)
{
	if (region->quarks == NULL || key_min <= region->quarks[0] ||
	    key_max >= region->quarks[region->quark_count - 1])
		return true;
	return region->quarks[region_quark_from(region, 0, key_min)] <= key_max;
}

/* A weight that differs for each key, so that an error in one key is hardly cancelled by an error in another. */
static inline uint64_t region_weight(histree_quark quark)
{
	return 2 * (uint64_t)quark + 1;
}

/* Returns how many times of a list are in an interval, multiplied by the weight of its key. */
static inline uint64_t region_count_times(const struct node_region *region, const struct histree_interval *interval)
{
	size_t first = region_time_from(region, 0, interval->start);
	size_t next = interval->end >= region->to ? region->time_count
						  : region_time_from(region, first, interval->end + 1);
	return (next - first) * region_weight(interval->quark);
}

/* Returns whether an interval, whose key the region has, is in the region. */
static inline bool region_has_time_of(const struct node_region *region, histree_time start, histree_time end)
{
	return start <= region->to && end >= region->from && region_meets_times(region, start, end);
}

#endif
