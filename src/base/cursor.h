/* SPDX-License-Identifier: MIT */
/*
 * cursor.h - the implementation behind a cursor of the public interface (histree/cursor.h): a table of functions
 * for each kind of question.  The struct of a question begins with a struct histree_cursor.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "histree/cursor.h"

/* The kind of rows that a question returns. */
enum cursor_rows {
	CURSOR_STATES,
	CURSOR_SEGMENTS,
	CURSOR_CHANGES,
	CURSOR_STATE_TIMES,
	CURSOR_PAIRS,
	CURSOR_EVENTS,
	CURSOR_ROWS,
	CURSOR_PATH_STEPS,
	CURSOR_PATH_WAITS,
};

struct cursor_kind {
	enum cursor_rows rows;
	/* Make `row` of the cursor point to the next row. */
	enum histree_status (*next)(struct histree_cursor *cursor, struct histree_error *error);
	/* The same for an array of up to `room` rows, which is 1 or more; NULL: rows come one by one. */
	enum histree_status (*read)(struct histree_cursor *cursor, size_t room, size_t *count,
				    struct histree_error *error);
	/* NULL: the losses passed to cursor_lose() */
	struct histree_loss (*loss)(const struct histree_cursor *cursor);
	struct histree_statistics (*statistics)(const struct histree_cursor *cursor); /* NULL: nothing is counted */
	void (*free)(struct histree_cursor *cursor);
};

/* Zeroed except for the kind. */
struct histree_cursor {
	const struct cursor_kind *kind;
	const void *row;
	struct histree_loss loss; /* total of `losses` */
	struct histree_loss *losses;
	size_t loss_count, losses_capacity;
};

/* Add the loss of one node to the losses of a cursor. */
enum histree_status cursor_lose(struct histree_cursor *cursor, const struct histree_loss *loss,
				struct histree_error *error);

/* Add a loss to another one. */
void loss_add(struct histree_loss *all, const struct histree_loss *loss);

/* Forget all losses, before a new start. */
static inline void cursor_forget_losses(struct histree_cursor *cursor)
{
	cursor->loss = (struct histree_loss){ 0 };
	cursor->loss_count = 0;
}

#endif
