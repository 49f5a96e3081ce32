/* SPDX-License-Identifier: MIT */
/*
 * cancel.h - ask, every few thousand steps, whether someone still wants the answer.
 */
#ifndef VIEW_CANCEL_H
#define VIEW_CANCEL_H

#include "base/error.h"
#include "histree/view.h"

static inline enum histree_status cancel_check(const struct histree_cancel *cancel, uint64_t step,
					       struct histree_error *error)
{
	if (step % 4096 != 0 || cancel->go_on == NULL || cancel->go_on(cancel->context))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_CANCELLED, "the view is no longer wanted");
}

#endif
