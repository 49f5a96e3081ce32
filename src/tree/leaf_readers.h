/* SPDX-License-Identifier: MIT */
/*
 * leaf_readers.h - threads that read leaves ahead of an iterator (eSHT paper, algorithm 1, with the order kept).
 *
 * The iterator alone walks the core nodes.  It asks for the leaves that come next, in its order; each is read by
 * whichever thread is free, and is handed over in the order of asking.  What is read of a leaf is held, with the
 * leaf itself, until it is given back; so the memory is that of twice as many leaves as threads.
 *
 * All calls come from the thread of the iterator.
 */
#ifndef TREE_LEAF_READERS_H
#define TREE_LEAF_READERS_H

#include "node/node_cursor.h"
#include "store/node_cache.h"

struct leaf_readers;
struct tree_reader;

/* What a thread has read. */
struct read_leaf {
	/* The outcome.  If it is not HISTREE_OK, the iterator enters the node itself and reports the fault. */
	enum histree_status status;
	uint32_t number;
	bool loaded;
	struct node_pin *pin; /* holds the leaf */
	const struct tree_node *node;
	const struct node_region *region;
	struct node_cursor cursor; /* after the intervals below, before those for which there was no room */
	struct histree_interval *intervals;
	size_t count;
};

/*
 * Start this many threads, or as many as the system gives, at least one.  Returns HISTREE_ERR_MEMORY if it gives
 * none.
 */
enum histree_status leaf_readers_create(struct tree_reader *reader, unsigned threads, struct leaf_readers **out,
					struct histree_error *error);
/* Ends the threads; NULL is fine. */
void leaf_readers_free(struct leaf_readers *readers);

/*
 * Ask for the part of a leaf that is in a region, which is borrowed until it is given back or cancelled.  Returns
 * false if enough was asked for.
 */
bool leaf_readers_ask(struct leaf_readers *readers, uint32_t number, const struct node_region *region);

/* Returns how many leaves were asked for and not taken. */
size_t leaf_readers_waiting(const struct leaf_readers *readers);

/* Wait for the leaf that was asked for first, and take it.  One at a time is taken. */
struct read_leaf *leaf_readers_take(struct leaf_readers *readers);
/* Give back what was taken. */
void leaf_readers_give_back(struct leaf_readers *readers, struct read_leaf *leaf);

/* Forget what was asked for and not taken; from then on no thread uses its region. */
void leaf_readers_cancel(struct leaf_readers *readers);

#endif
