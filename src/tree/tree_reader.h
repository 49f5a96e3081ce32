/* SPDX-License-Identifier: MIT */
/*
 * tree_reader.h - a finished tree: its properties, and every interval of a region of time x key.  For the files of
 * tree/ it is also the inside of a reader: nodes and their links, and the damage found.
 *
 * A reader may be used by any number of threads; each has iterators of its own.
 *
 * Damage: the nodes that cannot be read, and the orphans, which are nodes that no readable node has as a child.
 * Both are found by reading all nodes, once for each reader, when it meets damage that may hide other nodes.  A
 * node that could not be read once counts as damaged from then on, even if it becomes readable again: otherwise its
 * children would be met twice, and each question would pay for the damage again.
 *
 * A node is written just after its children (tree_branch.h).  So an orphan is assumed to be a child of the next
 * damaged node after it that is high enough and whose bounds, if a parent gives them, enclose it; failing that, of
 * the root.  Nodes between the two may be lost as well.
 *
 * Unknown states: an attribute has exactly one state at each time.  So what damaged nodes held need not be guessed
 * from their bounds: it is the part of a region that no readable node covers.
 */
#ifndef TREE_TREE_READER_H
#define TREE_TREE_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "histree/history.h"
#include "histree/states.h"
#include "node/node_cursor.h"
#include "node/node_view.h"
#include "store/block_file.h"
#include "store/node_cache.h"
#include "tree/lifetimes.h"
#include "tree/tree_shape.h"

/* Returns the bounds of a node in a tree of segments: above the leaves, those of its children alone. */
struct node_child tree_segment_bounds(const struct node_view *view);

/*
 * Returns the bounds of the sub-tree of any node.  In a tree of states, the keys of a node above the leaves are
 * those of its own intervals, so its sub-tree is assumed to have any keys.
 */
struct node_child tree_bounds(const struct node_view *view);

struct tree_links;

/*
 * What the cache keeps beside a node: the node as it was opened once, and bounds of its children,
 * CHILDREN_PER_GROUP together, so that a query passes by most of a thousand children without looking at each.
 */
struct tree_node {
	struct node_view view;
	struct node_child groups[]; /* their numbers mean nothing */
};

enum { CHILDREN_PER_GROUP = 16 };

static inline uint32_t tree_group_count(uint32_t children)
{
	return (children + CHILDREN_PER_GROUP - 1) / CHILDREN_PER_GROUP;
}

/* Constant after opening, except for the cache and the links, which guard themselves, and the damage. */
struct tree_reader {
	const struct block_file *file; /* borrowed */
	struct tree_shape shape;
	struct tree_statistics statistics;
	struct lifetimes_view lifetimes; /* one a key, if the variant has them; else none */
	bool salvages;                   /* a node that cannot be read is unknown, whatever the reason */
	bool lost_lifetimes; /* LIFE could not be read: where no node says what a key was, that is unknown */
	struct node_cache *cache;
	struct tree_links *links;  /* between the nodes that were opened; guards itself */
	_Atomic uint64_t *refused; /* a bit a node that is known to be damaged: it is not read again */
	/* Made when damage is met, never changed afterwards (tree_reader.h). */
	struct tree_damage *_Atomic damage;
	pthread_mutex_t damage_mutex; /* held while it is made */
};

enum tree_opening {
	TREE_SEGMENTS = 1, /* it has segments, not states */
	/*
	 * Only the section TREE needs to be whole.  What damaged nodes and other sections said is then unknown, and
	 * so is what the disk does not give.
	 */
	TREE_SALVAGE = 2,
};

/*
 * Open the tree in a file, which outlives the reader; `how` is of enum tree_opening, combined by or.  Returns
 * HISTREE_ERR_FORMAT if it claims to have more keys than its bytes could be of.
 */
enum histree_status tree_reader_open(const struct block_file *file, size_t cache_bytes, unsigned how,
				     struct tree_reader **out, struct histree_error *error);
void tree_reader_close(struct tree_reader *reader);

/* Have the readers share one ceiling for the nodes in memory (node_cache.h).  `reader` must not be used yet. */
void tree_reader_share_cache(struct tree_reader *reader, struct tree_reader *with);

/* Fill in the part of a histree_history_info that the tree knows: all but provider and attributes. */
void tree_reader_info(const struct tree_reader *reader, struct histree_history_info *info);

/* Returns the bytes of a string or custom value at most, as tree_writer_value_size_max() did. */
size_t tree_reader_value_size_max(const struct tree_reader *reader);

/* Returns whether the tree says by lifetimes what this null says. */
bool tree_reader_implies(const struct tree_reader *reader, const struct histree_interval *null);

/* See histree_history_nodes(). */
enum histree_status tree_nodes(struct tree_reader *reader,
			       bool (*visit)(void *context, const struct histree_node *node), void *context,
			       struct histree_error *error);

/* See histree_history_verify(). */
enum histree_status tree_verify(struct tree_reader *reader, void (*report)(void *context, const char *fault),
				void *context, struct histree_error *error);

/* No orphan, where there is the index of one. */
#define NO_ORPHAN SIZE_MAX

struct damaged_node {
	struct node_child bounds; /* those that its parent has; without a readable parent, only the number */
	uint32_t parent_height;   /* 0: no readable node has it as a child */
	uint32_t height_min; /* it must have been as high as this, for the children that it is assumed to have */
	size_t last_child;   /* index of the last orphan that is assumed to be its child */
};

struct orphan_node {
	struct node_child bounds; /* its own; only the number if it is damaged itself */
	bool is_readable;
	uint32_t height; /* 0 if it is damaged */
	size_t sibling;  /* index of the orphan before it that is assumed to be a child of the same node */
};

/* Nodes and orphans are sorted by number. */
struct tree_damage {
	uint64_t *unreadable; /* a bit a node */
	struct damaged_node *nodes;
	size_t node_count, nodes_capacity;
	struct orphan_node *orphans;
	size_t orphan_count, orphans_capacity;
	uint64_t readable_rows; /* intervals or segments in nodes that can be read */
};

/*
 * Find the damage of a tree, or return what was found before.  It is borrowed and valid as long as the reader.
 * Fails with HISTREE_ERR_MEMORY only.
 */
enum histree_status tree_damage_find(struct tree_reader *reader, const struct tree_damage **out,
				     struct histree_error *error);

/* Returns what is known of a damaged node, or NULL if the node can be read. */
const struct damaged_node *tree_damage_node(const struct tree_damage *damage, uint32_t number);

static inline bool tree_damage_lists(const struct tree_damage *damage, uint32_t number)
{
	return (damage->unreadable[number / 64] >> number % 64 & 1) != 0;
}

/* Returns whether a node is known to be damaged. */
static inline bool tree_damage_has(const struct tree_reader *reader, uint32_t number)
{
	return (atomic_load_explicit(&reader->refused[number / 64], memory_order_relaxed) >> number % 64 & 1) != 0;
}

/* Have a node that was read and is not what it should be count as damaged from here on, without another look. */
static inline void tree_damage_remember(struct tree_reader *reader, uint32_t number)
{
	atomic_fetch_or_explicit(&reader->refused[number / 64], UINT64_C(1) << number % 64, memory_order_relaxed);
}

/*
 * Hold a node by a pin, as every walk of a tree does.  Returns HISTREE_ERR_FORMAT for a damaged one, which then
 * counts as damaged without another look; what the disk refuses now, which it may give the next time, is damage
 * only to a reader that salvages.
 */
enum histree_status tree_node_hold(struct tree_reader *reader, struct node_pin *pin, uint32_t number, bool *loaded,
				   const struct tree_node **node, struct histree_error *error);

#endif
