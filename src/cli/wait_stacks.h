/* SPDX-License-Identifier: MIT */
/*
 * wait_stacks.h - the times at which threads had no CPU, as stacks of a flame graph.
 */
#ifndef CLI_WAIT_STACKS_H
#define CLI_WAIT_STACKS_H

#include "cli/target.h"
#include "cli/time_option.h"
#include "histree/flame.h"

struct wait_question {
	const char *analysis; /* NULL: graph */
	char *const *threads; /* as they were said; none: all */
	size_t thread_count;
	struct time_range_options range;
	unsigned depth;
	bool by_thread;
};

/*
 * Opens the target and the histories that are needed, and adds the waits to side 0; the caller closes the target,
 * also after failure.  What failed is reported, and so are hosts that are missing, of which there may be waits.
 */
enum cli_exit wait_stacks_add(struct histree_flame *flame, struct target *target, const char *path,
			      const struct wait_question *question, bool *lacks_hosts);

#endif
