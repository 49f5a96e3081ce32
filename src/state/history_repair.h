/* SPDX-License-Identifier: MIT */
/*
 * history_repair.h - make a sound history of what can be read of a damaged one, or of one that is not complete.
 */
#ifndef STATE_HISTORY_REPAIR_H
#define STATE_HISTORY_REPAIR_H

#include "base/io.h"
#include "histree/history.h"

/* What is lost: an interval of type unknown, which the damaged history did not have. */
struct repair_report {
	void (*lost)(void *context, const struct histree_interval *interval);
	void *context;
};

/*
 * Write the new history to `path`, which must not exist.  The damaged one was opened to be salvaged.  Memory is
 * bounded; time is that of reading it several times.
 */
enum histree_status history_repair(const struct io *io, struct histree_history *damaged, const char *path,
				   const struct repair_report *report, struct histree_error *error);

#endif
