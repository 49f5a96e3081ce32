// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/cancel.h"
#include "histree/query.h"
#include "histree/view.h"
#include "query/pixel_scale.h"

enum histree_status histree_density(struct histree_history *history, histree_time from, histree_time to,
				    uint32_t pixels, struct histree_cancel cancel, uint64_t *counts,
				    struct histree_error *error)
{
	if (pixels < 1 || pixels > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a density of %u pixels; 1 to %d are possible",
				 pixels, HISTREE_PIXELS_MAX);
	const struct histree_region region = { .from = from, .to = to };
	const struct pixel_scale scale = pixel_scale(from, to, pixels);
	struct pixel_cell cell = pixel_cell(&scale, 0);
	histree_time start = histree_history_info(history)->start;
	struct histree_query *query;
	struct histree_interval interval;
	memset(counts, 0, pixels * sizeof(*counts));
	enum histree_status status = histree_query_create(history, &query, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_check(&cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_query_next(query, &interval, error);
		if (status != HISTREE_OK || interval.start < from || interval.start == start)
			continue;
		if (!pixel_cell_has(&cell, interval.start, interval.start))
			cell = pixel_cell(&scale, pixel_from(&scale, interval.start));
		counts[cell.pixel]++;
	}
	histree_query_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}
