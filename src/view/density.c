// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/cancel.h"
#include "histree/states.h"
#include "query/row_group.h"
#include "view/view.h"

static enum histree_status count_states(struct histree_history *history, histree_time from, histree_time to,
					const struct pixel_scale *scale, const struct histree_work *cancel,
					uint64_t *counts, struct histree_error *error)
{
	const struct histree_region region = { .from = from, .to = to };
	struct pixel_cell cell = pixel_cell(scale, 0);
	histree_time start = histree_history_info(history)->start;
	struct histree_cursor *query;
	struct histree_interval interval;
	enum histree_status status = histree_query_create(history, &query, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_check(cancel, step, error);
		if (status == HISTREE_OK) {
			status = histree_cursor_next(query, error);
			if (status == HISTREE_OK)
				interval = *histree_cursor_interval(query);
		}
		if (status != HISTREE_OK || interval.start < from || interval.start == start)
			continue;
		if (!pixel_cell_has(&cell, interval.start, interval.start))
			cell = pixel_cell(scale, pixel_from(scale, interval.start));
		counts[cell.pixel]++;
	}
	histree_cursor_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status histree_density(struct histree_history *history, histree_time from, histree_time to,
				    uint32_t pixels, struct histree_work cancel, uint64_t *counts,
				    struct histree_error *error)
{
	if (pixels < 1 || pixels > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a density of %u pixels; 1 to %d are possible",
				 pixels, HISTREE_PIXELS_MAX);
	const struct pixel_scale scale = pixel_scale(from, to, pixels);
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	memset(counts, 0, pixels * sizeof(*counts));
	if (count <= 0)
		return count_states(history, from, to, &scale, &cancel, counts, error);

	/* In the union of several, all states of a host would begin when it was first traced. */
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (hosts[i].history == NULL || hosts[i].count == 0)
			continue;
		const struct histree_history_info *info = histree_history_info(hosts[i].history);
		histree_time first = from > info->start ? from : info->start,
			     last = to < info->end ? to : info->end;
		if (first <= last)
			status = count_states(hosts[i].history, first, last, &scale, &cancel, counts, error);
	}
	return status;
}
