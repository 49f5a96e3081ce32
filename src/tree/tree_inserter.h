/* SPDX-License-Identifier: MIT */
/*
 * tree_inserter.h - inserts intervals into a tree by a crew, so that whoever makes them need not wait.
 *
 * Intervals are copied into a block; a full block is handed over, and another one is filled meanwhile.  They are
 * inserted in the order in which they were added, by the calls that the adding thread would have made.
 */
#ifndef TREE_TREE_INSERTER_H
#define TREE_TREE_INSERTER_H

#include "base/crew.h"
#include "histree/status.h"
#include "histree/value.h"

enum { INSERTER_INTERVALS = 16384, INSERTER_BYTES = 128 << 10 };

struct inserter_block {
	struct histree_interval *intervals; /* room for INSERTER_INTERVALS */
	size_t count;
	uint8_t *bytes; /* of their values; NULL: none had any yet */
	size_t used, room;
};

typedef enum histree_status (*tree_insert)(void *context, const struct histree_interval *intervals, size_t count,
					   struct histree_error *error);

struct tree_inserter {
	tree_insert insert;
	void *context;
	struct inserter_block blocks[2];
	unsigned filling;
	struct crew *crew;
	struct crew_task task;
	enum histree_status status; /* of what was handed over; read when the task is finished */
	struct histree_error error;
};

/* Returns NULL if memory is out. */
struct tree_inserter *tree_inserter_create(struct crew *crew, tree_insert insert, void *context);

/* The bytes of values are copied.  Returns the error that intervals added before have met, too. */
enum histree_status tree_inserter_add(struct tree_inserter *inserter, const struct histree_interval *intervals,
				      size_t count, struct histree_error *error);

/* Wait until all is inserted: what is inserted into is the caller's until the next call. */
enum histree_status tree_inserter_wait(struct tree_inserter *inserter, struct histree_error *error);

/* What was not handed over is not inserted.  NULL is fine. */
void tree_inserter_free(struct tree_inserter *inserter);

#endif
