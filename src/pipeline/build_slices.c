// SPDX-License-Identifier: MIT
/*
 * build_slices.c - a build of one analysis that is cut in time: what handle_events() of build.c does.
 */
#include "pipeline/build_inside.h"

bool build_is_cut(const struct build *build)
{
	return build->job_count == 1 && build->jobs[0].slices != NULL;
}

static enum histree_status go_on(void *context, struct histree_error *error)
{
	struct build *build = context;
	(void)error; /* it is the build's */
	return build_look_at_clock(build);
}

enum histree_status build_handle_slices(struct build *build, const struct event *first, bool *has_failed)
{
	struct job_slices *slices = build->jobs[0].slices;
	struct event_index_writer *index = build_makes_store(build->options) ? &build->index : NULL;
	enum histree_status status =
		job_slices_read_alone(slices, build->trace, first, index, go_on, build, build->error);
	const struct job_slices_counts counts = job_slices_counts(slices);
	build->end = counts.end > build->end ? counts.end : build->end;
	*has_failed = status != HISTREE_OK;
	return status == HISTREE_OK ? HISTREE_END : status;
}

void build_slices_report(const struct build *build, struct trace_report *report)
{
	const struct job_slices_counts counts = job_slices_counts(build->jobs[0].slices);
	report->events = counts.events;
	report->bytes_done = (uint64_t)((double)report->bytes_total * counts.share);
}
