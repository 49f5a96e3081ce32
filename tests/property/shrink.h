/* SPDX-License-Identifier: MIT */
/*
 * shrink.h - make a workload that fails a check as small as it can be and still fail, by bisection.
 */
#ifndef PROPERTY_SHRINK_H
#define PROPERTY_SHRINK_H

#include "support/workload.h"

struct workload_check {
	/* NULL, or what is wrong. */
	const char *(*check)(void *context, const struct workload *workload);
	void *context;
};

/* `runs` of the check at most.  The workload keeps failing. */
void workload_shrink(struct workload *workload, const struct workload_check *check, unsigned runs);

#endif
