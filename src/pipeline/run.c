// SPDX-License-Identifier: MIT
#include "pipeline/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "segment/segment_backend.h"
#include "state/state_file.h"

/* Each segment store's buffer: half a million system calls without their arguments. */
static const size_t segment_memory = (size_t)16 << 20;

enum histree_status run_init(struct run *run, const struct registry_entry *entry, size_t trace_count,
			     struct histree_error *error)
{
	*run = (struct run){ .entry = entry, .applies = calloc(trace_count, sizeof(bool)) };
	if (run->applies != NULL &&
	    asprintf(&run->file, "%s.%s", registry_name(entry), run_makes_history(run) ? "sht" : "seg") >= 0)
		return HISTREE_OK;
	free(run->applies);
	return error_memory(error, "an analysis");
}

static enum histree_status start_history(struct run *run, const struct io *io, const char *path, histree_time start,
					 const struct histree_build_options *build, struct histree_error *error)
{
	const struct analysis *analysis = run->entry->analysis;
	const struct histree_history_options options = {
		.path = path,
		.provider = analysis->name,
		.provider_version = analysis->version,
		.start = start,
		.resume = build->resume,
		.tree = build->tree,
	};
	enum histree_status status = state_file_create(io, &options, &run->system, error);
	return status == HISTREE_OK ? analysis->create(run->system, &run->instance, error) : status;
}

static enum histree_status start_segments(struct run *run, const struct io *io, const char *path,
					  const struct histree_build_options *build, struct histree_error *error)
{
	const struct segment_analysis *analysis = run->entry->segments;
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_DISK,
		.path = path,
		.schema = {
			.provider = analysis->name,
			.provider_version = analysis->version,
			.fields = analysis->fields,
			.field_count = analysis->field_count,
		},
		.memory_max = segment_memory,
	};
	/* What a build that was cut off left of it is of no use. */
	if (build->resume)
		io->unlink(io->context, path);
	enum histree_status status = segment_store_create(io, &options, &run->segments, error);
	return status == HISTREE_OK ? analysis->create(run->segments, &run->instance, error) : status;
}

enum histree_status run_start(struct run *run, const struct io *io, const char *path, histree_time start,
			      const struct histree_build_options *options, struct histree_error *error)
{
	return run_makes_history(run) ? start_history(run, io, path, start, options, error)
				      : start_segments(run, io, path, options, error);
}

static enum histree_status handle_gap(struct run *run, const struct event_gap *gap, struct histree_error *error)
{
	const struct analysis *analysis = run->entry->analysis;
	if (analysis == NULL)
		return run->entry->segments->gap(run->instance, gap, error);
	return analysis->gap != NULL ? analysis->gap(run->instance, gap, error) : HISTREE_OK;
}

static enum histree_status handle_event(struct run *run, const struct event *event, struct histree_error *error)
{
	const struct analysis *analysis = run->entry->analysis;
	return analysis != NULL ? analysis->event(run->instance, event, error)
				: run->entry->segments->event(run->instance, event, error);
}

enum histree_status run_handle(struct run *run, const struct event *event, struct histree_error *error)
{
	const struct event_trace *trace = event->gap != NULL ? event->gap->trace : event->class->trace;
	if (!run->applies[trace->id])
		return HISTREE_OK;
	enum histree_status status =
		event->gap != NULL ? handle_gap(run, event->gap, error) : handle_event(run, event, error);
	if (status < 0)
		error_prefix(error, "analysis '%s'", registry_name(run->entry));
	return status < 0 ? status : HISTREE_OK;
}

enum histree_status run_publish(struct run *run, histree_time end, struct histree_error *error)
{
	return run_makes_history(run) ? histree_state_publish(run->system, end, error) : HISTREE_OK;
}

enum histree_status run_close(struct run *run, histree_time end, struct histree_error *error)
{
	enum histree_status status = run_makes_history(run) ? histree_state_close(run->system, end, error)
							    : histree_segment_store_finish(run->segments, error);
	if (status != HISTREE_OK)
		error_prefix(error, "analysis '%s'", registry_name(run->entry));
	return status;
}

struct histree_store_history run_describe_history(const struct run *run)
{
	const struct analysis *analysis = run->entry->analysis;
	return (struct histree_store_history){
		.analysis = analysis->name,
		.analysis_version = analysis->version,
		.file = run->file,
		.state_changes_refused = analysis->refused(run->instance),
	};
}

struct histree_store_segments run_describe_segments(const struct run *run)
{
	const struct segment_analysis *analysis = run->entry->segments;
	struct segment_counts counts = analysis->counts(run->instance);
	return (struct histree_store_segments){
		.analysis = analysis->name,
		.analysis_version = analysis->version,
		.file = run->file,
		.without_start = counts.without_start,
		.without_end = counts.without_end,
	};
}

void run_release(struct run *run)
{
	if (run->instance != NULL && run_makes_history(run))
		run->entry->analysis->free(run->instance);
	else if (run->instance != NULL)
		run->entry->segments->free(run->instance);
	histree_state_free(run->system);
	histree_segment_store_close(run->segments);
	free(run->applies);
	free(run->file);
}
