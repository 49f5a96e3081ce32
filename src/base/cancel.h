/* SPDX-License-Identifier: MIT */
/*
 * cancel.h - ask the caller of a long call whether to go on.
 */
#ifndef BASE_CANCEL_H
#define BASE_CANCEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "histree/cursor.h"
#include "histree/status.h"

/* How many cheap steps a call may take between two checks. */
enum { CANCEL_STEPS = 4096 };

/* Returns whether the caller wants the call to end. */
static inline bool cancel_asked(const struct histree_work *work)
{
	return work->go_on != NULL && !work->go_on(work->context);
}

/* Check at the first of every CANCEL_STEPS steps.  Returns HISTREE_ERR_CANCELLED if the call is to end. */
static inline enum histree_status cancel_check(const struct histree_work *work, uint64_t step,
					       struct histree_error *error)
{
	if (step % CANCEL_STEPS != 0 || !cancel_asked(work))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
}

/* The next of a cursor, after such a check; of a cursor that has no check of its own. */
static inline enum histree_status cancel_or_next(const struct histree_work *work, uint64_t step,
						 struct histree_cursor *cursor, struct histree_error *error)
{
	const enum histree_status status = cancel_check(work, step, error);
	return status == HISTREE_OK ? histree_cursor_next(cursor, error) : status;
}

#endif
