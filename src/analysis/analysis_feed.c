// SPDX-License-Identifier: MIT
#include "analysis/analysis_feed.h"

#include <stdlib.h>

#include "base/table.h"
#include "base/error.h"

enum histree_status analysis_feed_meet(struct analysis_feed *feed, const struct event_trace *trace,
				       struct histree_error *error)
{
	if (!array_reserve(&feed->applies, &feed->trace_capacity, (size_t)trace->id + 1))
		return error_memory(error, "an analysis");
	while (feed->trace_count <= trace->id)
		feed->applies[feed->trace_count++] = false;
	feed->applies[trace->id] = feed->analysis->applies(trace);
	return HISTREE_OK;
}

enum histree_status analysis_feed_handle(const struct analysis_feed *feed, struct analysis_inputs *inputs,
					 void *instance, const struct event *event, struct histree_error *error)
{
	const struct analysis *analysis = feed->analysis;
	const bool applies = analysis_feed_applies(feed, event);
	enum histree_status status = analysis_inputs_begin(inputs, event, error);
	if (status == HISTREE_OK && applies && event->gap == NULL)
		status = analysis->event(instance, event, error);
	else if (status == HISTREE_OK && applies && analysis->gap != NULL)
		status = analysis->gap(instance, event->gap, error);
	return status >= 0 ? analysis_inputs_end(inputs, error) : status;
}

void analysis_feed_release(struct analysis_feed *feed)
{
	free(feed->applies);
	feed->applies = NULL;
}
