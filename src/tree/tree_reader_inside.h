/* SPDX-License-Identifier: MIT */
/*
 * tree_reader_inside.h - the body of a reader, for the files of tree/ that walk the nodes.
 */
#ifndef TREE_TREE_READER_INSIDE_H
#define TREE_TREE_READER_INSIDE_H

#include <pthread.h>

#include "node/node_cursor.h"
#include "node/node_view.h"
#include "store/node_cache.h"
#include "tree/lifetimes_view.h"
#include "tree/tree_links.h"
#include "tree/tree_shape.h"

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

/* Constant after opening but for the cache and the links, which guard themselves, and the damage. */
struct tree_reader {
	const struct block_file *file; /* borrowed */
	struct tree_shape shape;
	struct tree_statistics statistics;
	struct lifetimes_view lifetimes; /* one a key, if the variant has them; else none */
	bool salvages;                   /* what cannot be read is unknown, whatever the reason */
	bool lost_lifetimes; /* LIFE could not be read: where no node says what a key was, that is unknown */
	struct node_cache *cache;
	struct tree_links *links; /* between the nodes that were opened; guards itself */
	_Atomic uint64_t *refused; /* a bit a node that is known to be damaged: it is not read again */
	/* Made when damage is met, never changed afterwards (tree_damage.h). */
	struct tree_damage *_Atomic damage;
	pthread_mutex_t damage_mutex; /* held while it is made */
};

/* Check a block that came from the file, and view it. */
enum histree_status tree_open_block(const struct tree_reader *reader, const uint8_t *block, uint32_t number,
				    struct node_view *view, struct histree_error *error);

#endif
