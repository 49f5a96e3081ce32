/* SPDX-License-Identifier: MIT */
/*
 * cancel.h - end a long call from outside.
 *
 * A call that takes a struct histree_cancel asks it now and then, in the thread of the call.
 */
#ifndef HISTREE_CANCEL_H
#define HISTREE_CANCEL_H

#include <stdbool.h>

struct histree_cancel {
	/* Returns false to end the call, which then returns HISTREE_ERR_CANCELLED.  NULL never ends it. */
	bool (*go_on)(void *context);
	void *context;
};

#endif
