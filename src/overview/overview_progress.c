// SPDX-License-Identifier: MIT
#include "overview/overview_progress.h"

#include <math.h>
#include <stddef.h>

#include "base/error.h"

/* Counting takes half of the time, about, the first overview half of the rest, and so on. */
enum histree_status overview_progress_show(const struct overview_progress *progress, double share,
					   struct histree_error *error)
{
	double left = ldexp(1, -(int)progress->steps);
	if (progress->go_on == NULL || progress->go_on(progress->context, 1 - left + left / 2 * share))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_CANCELLED, "cancelled");
}
