/* SPDX-License-Identifier: MIT */
/*
 * local_source.h - a history whose states another one in this process hands out, as a rank would.
 */
#ifndef SUPPORT_LOCAL_SOURCE_H
#define SUPPORT_LOCAL_SOURCE_H

#include "histree/history.h"

struct random;

/* Takes `history`, which is of one host, also if it fails: closing *out closes it. */
enum histree_status local_source_make(struct histree_history *history, struct histree_history **out,
				      struct histree_error *error);

/*
 * From now on some of the bytes that answer a view are others, and now and then those that ask for it, as `random`
 * has them; NULL: no more.
 */
void local_source_change(struct random *random);

#endif
