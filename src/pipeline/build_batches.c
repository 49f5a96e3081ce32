// SPDX-License-Identifier: MIT
/*
 * build_batches.c - a build whose trace is read ahead: what handle_events() of build.c does, batch by batch.
 */
#include "base/error.h"
#include "pipeline/build_inside.h"

bool build_reads_ahead(struct build *build)
{
	const struct histree_build_options *options = build->options;
	/*
	 * A checkpoint, or a slice, says where in its files the trace is; an event of a live trace is not to wait
	 * for others.
	 */
	bool needs_place = options->backend == HISTREE_BACKEND_PARTIAL || options->slices > 0;
	bool can = build->crew != NULL && !needs_place && !trace_is_live(build->trace);
	return can && event_feed_start(&build->feed, build->crew, build->trace,
				       build_makes_store(options) ? &build->index : NULL);
}

static enum histree_status handle_batch(struct build *build, const struct event_batch *batch)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < batch->kept.count && status == HISTREE_OK; i++)
		status = build_handle_event(build, &batch->kept.events[i]);
	build->read = batch->report;
	return status;
}

static enum histree_status handle_batches(struct build *build, bool *has_failed)
{
	const struct event_batch *batch;
	enum histree_status end = HISTREE_END;
	bool is_begun = false;
	while ((batch = event_feed_take(&build->feed)) != NULL) {
		enum histree_status status = HISTREE_OK;
		if (!is_begun && batch->kept.count > 0) {
			status = build_begin(build, batch->kept.events[0].time);
			is_begun = true;
			if (status == HISTREE_OK)
				build_lanes_start(&build->lanes, &build->feed);
		}
		if (status == HISTREE_OK)
			status = handle_batch(build, batch);
		end = batch->status;
		*has_failed = status != HISTREE_OK || batch->has_failed;
		if (status == HISTREE_OK && end < 0)
			error_set(build->error, end, "%s", batch->error.message);
		event_feed_give_back(&build->feed);
		if (status == HISTREE_OK && !*has_failed) {
			status = build_look_at_clock(build);
			*has_failed = status != HISTREE_OK;
		}
		if (*has_failed || atomic_load(&build->lanes.has_failed))
			return status != HISTREE_OK ? status : end;
	}
	return end;
}

enum histree_status build_handle_batches(struct build *build, bool *has_failed)
{
	enum histree_status status = handle_batches(build, has_failed);
	if (*has_failed || atomic_load(&build->lanes.has_failed))
		event_feed_stop(&build->feed);
	event_feed_finish(&build->feed);
	enum histree_status of_lanes = build_lanes_join(&build->lanes, *has_failed ? NULL : build->error);
	if (!*has_failed && of_lanes != HISTREE_OK) {
		*has_failed = true;
		status = of_lanes;
	}
	event_feed_release(&build->feed);
	return status;
}
