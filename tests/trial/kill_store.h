/* SPDX-License-Identifier: MIT */
/*
 * kill_store.h - the store that builds are killed at, and what must be true of it at any moment.
 */
#ifndef TRIAL_KILL_STORE_H
#define TRIAL_KILL_STORE_H

#include "base/hash_index.h"
#include "truth.h"

struct kill_store {
	char path[96], building[112];
	const struct truth *truth;
	struct random random; /* for what is asked */
	histree_time end;     /* the latest one that it stated: never an earlier one; INT64_MIN: none yet */
	bool complete;        /* as it was opened last */
	uint64_t opened, looks, intervals, wrong;
};

__attribute__((format(printf, 2, 3))) void kill_store_wrong(struct kill_store *store, const char *format, ...);

/* Open the store as anybody would, who asks one question, while it is built. */
void kill_store_look(struct kill_store *store);

/* Compare all that it says with the truth, cut at its end.  Returns false if there is no store yet. */
bool kill_store_check(struct kill_store *store);

#endif
