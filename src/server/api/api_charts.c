// SPDX-License-Identifier: MIT
/*
 * api_charts.c - one number a pixel: how busy the CPUs were, how much happened.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/real_bytes.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/event_list.h"
#include "server/model/kernel_rows.h"

static void put_floats(struct piece *piece, const double *numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t bytes[4];
		put_le_float(bytes, (float)numbers[i]);
		piece_put(piece, bytes, sizeof(bytes));
	}
}

void api_usage(struct call *call)
{
	struct dataset *dataset;
	struct page_range range;
	struct histree_cpu_usage *usage = NULL;
	struct histree_error error = { 0 };
	if (!page_dataset(call, &dataset))
		return;
	struct histree_history *kernel = kernel_view_history(dataset);
	if (kernel == NULL) {
		reply_error(call->reply, HTTP_NOT_FOUND, "this is not the trace of a kernel");
		goto out;
	}
	const struct histree_history_info *info = histree_history_info(kernel);
	if (!page_range(call, info->start, info->end, &range))
		goto out;
	struct histree_cpu_usage_request request = {
		.from = range.from,
		.to = range.to,
		.pixels = range.pixels,
		.cancel = reply_cancel(call->reply),
		.no_times = true,
	};
	if (histree_cpu_usage_create(kernel, &request, &usage, &error) != HISTREE_OK) {
		reply_failure(call->reply, &error);
		goto out;
	}
	call->reply->content_type = "application/octet-stream";
	put_floats(&call->reply->piece, histree_cpu_usage_curve(usage, HISTREE_NO_INDEX), range.pixels);
	put_floats(&call->reply->piece, histree_cpu_usage_unknown(usage), range.pixels);
out:
	histree_cpu_usage_free(usage);
	dataset_release(dataset);
}

/* Counts events, or, where the store has no index of them, the states that begin. */
static enum histree_status count_density(struct dataset *dataset, const struct page_range *range,
					 struct histree_cancel cancel, double *counts, bool *are_exact,
					 struct histree_error *error)
{
	void *view;
	enum histree_status status;
	if (event_list_applies(dataset)) {
		status = dataset_view(dataset, event_list_make, event_list_free, &view, error);
		return status != HISTREE_OK ? status
					    : event_list_density(view, range->from, range->to, range->pixels,
								 cancel, counts, are_exact, error);
	}
	uint64_t *states = calloc(range->pixels, sizeof(*states));
	if (states == NULL)
		return error_memory(error, "a chart");
	status = histree_density(dataset->histories[0], range->from, range->to, range->pixels, cancel, states,
				 error);
	for (uint32_t i = 0; status == HISTREE_OK && i < range->pixels; i++)
		counts[i] = (double)states[i];
	free(states);
	return status;
}

/* Answers and returns false if there is nothing to count: a store of segments alone may have no events either. */
static bool counted_range(const struct call *call, const struct dataset *dataset, struct page_range *range)
{
	if (dataset->history_count > 0) {
		const struct histree_history_info *info = histree_history_info(dataset->histories[0]);
		return page_range(call, info->start, info->end, range);
	}
	const struct histree_store_info *info = histree_store_info(dataset->store);
	if (event_list_applies(dataset))
		return page_range(call, info->start, info->end, range);
	reply_error(call->reply, HTTP_NOT_FOUND, "this store has neither states nor an index of events");
	return false;
}

void api_density(struct call *call)
{
	struct dataset *dataset;
	struct page_range range;
	struct histree_error error = { 0 };
	double *counts = NULL;
	bool are_exact = true;
	if (!page_dataset(call, &dataset))
		return;
	if (!counted_range(call, dataset, &range))
		goto out;
	counts = calloc(range.pixels, sizeof(*counts));
	if (counts == NULL) {
		reply_error(call->reply, HTTP_SERVER_ERROR, "out of memory");
		goto out;
	}
	if (count_density(dataset, &range, reply_cancel(call->reply), counts, &are_exact, &error) != HISTREE_OK) {
		reply_failure(call->reply, &error);
		goto out;
	}
	call->reply->content_type = "application/octet-stream";
	put_floats(&call->reply->piece, counts, range.pixels);
	put_floats(&call->reply->piece, &(double){ are_exact }, 1);
out:
	free(counts);
	dataset_release(dataset);
}
