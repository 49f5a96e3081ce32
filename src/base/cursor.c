// SPDX-License-Identifier: MIT
/*
 * cursor.c - the functions that all cursors share: each passes the call to the table of functions of its question.
 */
#include "base/cursor.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/table.h"

enum histree_status histree_cursor_next(struct histree_cursor *cursor, struct histree_error *error)
{
	return cursor->kind->next(cursor, error);
}

enum histree_status histree_cursor_read(struct histree_cursor *cursor, size_t room, size_t *count,
					struct histree_error *error)
{
	*count = 0;
	if (room == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no room for rows");
	if (cursor->kind->read != NULL)
		return cursor->kind->read(cursor, room, count, error);
	enum histree_status status = cursor->kind->next(cursor, error);
	*count = status == HISTREE_OK;
	return status;
}

static inline const void *row_of(const struct histree_cursor *cursor, enum cursor_rows rows)
{
	assert(cursor->kind->rows == rows);
	(void)rows;
	return cursor->row;
}

const struct histree_interval *histree_cursor_interval(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_STATES);
}

const struct histree_segment *histree_cursor_segment(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_SEGMENTS);
}

const struct histree_change *histree_cursor_change(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_CHANGES);
}

const struct histree_state_time *histree_cursor_state_time(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_STATE_TIMES);
}

const struct histree_join_pair *histree_cursor_pair(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_PAIRS);
}

const struct histree_event *histree_cursor_event(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_EVENTS);
}

const struct histree_row *histree_cursor_row(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_ROWS);
}

const struct histree_path_step *histree_cursor_path_step(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_PATH_STEPS);
}

const struct histree_path_wait *histree_cursor_path_wait(const struct histree_cursor *cursor)
{
	return row_of(cursor, CURSOR_PATH_WAITS);
}

/* ---- losses -------------------------------------------------------------------------------------------------- */

void loss_add(struct histree_loss *all, const struct histree_loss *loss)
{
	if (all->nodes == 0 || loss->nodes == 0) {
		*all = all->nodes == 0 ? *loss : *all;
		return;
	}
	/* What is unknown in one of them is unknown in the sum. */
	const bool when = (all->from != 0 || all->to != 0) && (loss->from != 0 || loss->to != 0);
	const bool how_many = all->rows_max != 0 && loss->rows_max != 0;
	all->nodes += loss->nodes;
	all->from = !when ? 0 : loss->from < all->from ? loss->from : all->from;
	all->to = !when ? 0 : loss->to > all->to ? loss->to : all->to;
	if (!how_many)
		all->rows_max = 0;
	else if (__builtin_add_overflow(all->rows_max, loss->rows_max, &all->rows_max))
		all->rows_max = UINT64_MAX;
}

enum histree_status cursor_lose(struct histree_cursor *cursor, const struct histree_loss *loss,
				struct histree_error *error)
{
	assert(loss->nodes > 0);
	if (!array_reserve(&cursor->losses, &cursor->losses_capacity, cursor->loss_count + 1))
		return error_memory(error, "what is lost");
	cursor->losses[cursor->loss_count++] = *loss;
	loss_add(&cursor->loss, loss);
	return HISTREE_OK;
}

struct histree_loss histree_cursor_loss(const struct histree_cursor *cursor)
{
	return cursor->kind->loss != NULL ? cursor->kind->loss(cursor) : cursor->loss;
}

const struct histree_loss *histree_cursor_losses(const struct histree_cursor *cursor, size_t *count)
{
	*count = cursor->loss_count;
	return cursor->losses;
}

/* -------------------------------------------------------------------------------------------------------------- */

struct histree_statistics histree_cursor_statistics(const struct histree_cursor *cursor)
{
	return cursor->kind->statistics != NULL ? cursor->kind->statistics(cursor)
						: (struct histree_statistics){ 0 };
}

void histree_cursor_free(struct histree_cursor *cursor)
{
	if (cursor == NULL)
		return;
	free(cursor->losses);
	cursor->kind->free(cursor);
}
