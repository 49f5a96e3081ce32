// SPDX-License-Identifier: MIT
/*
 * build_memory.c - a build that makes no store, but says what one would be.
 */
#include "base/error.h"
#include "pipeline/build_inside.h"

/* What the jobs have is asked before they are closed: a state system in memory is opened after that. */
static enum histree_status take_result(struct build *build, struct analysis_job *job)
{
	struct histree_build_result *result = build->options->result;
	enum histree_status status = histree_state_close(job->system, build->end, build->error);
	result->attributes += histree_attributes_count(histree_state_attributes(job->system));
	result->intervals += job->forgotten;
	if (status != HISTREE_OK || build->options->backend != HISTREE_BACKEND_MEMORY)
		return status;
	status = histree_state_history(job->system, build->end, NULL, &result->history, build->error);
	if (status == HISTREE_OK) {
		result->intervals += histree_history_info(result->history)->interval_count;
		result->bytes += histree_history_info(result->history)->file_bytes;
	}
	return status;
}

enum histree_status build_without_store(struct build *build)
{
	struct histree_build_result *result = build->options->result;
	if (result == NULL)
		return error_set(build->error, HISTREE_ERR_ARGUMENT,
				 "a build without a store needs room for its result");
	*result = (struct histree_build_result){ 0 };
	enum histree_status status = build_read_trace(build);
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++)
		status = take_result(build, &build->jobs[i]);
	if (build->trace != NULL)
		result->events = trace_report(build->trace).events;
	result->build_ns = publish_clock_now() - build->begun_ns;
	if (status != HISTREE_OK || !build_is_partial(build))
		return status;
	return error_set(build->error, HISTREE_PARTIAL, "some of the trace could not be read");
}
