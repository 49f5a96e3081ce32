// SPDX-License-Identifier: MIT
#include "pipeline/build/analysis_job.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/backend.h"
#include "pipeline/build/slice_worker.h"
#include "segment/segment_backend.h"
#include "state/state_file.h"

enum { EVENTS_PER_STEP = 1024 }; /* of slices, while others see the events */

enum histree_status analysis_job_init(struct analysis_job *job, const struct registry_entry *entry,
				      struct histree_error *error)
{
	*job = (struct analysis_job){ .entry = entry };
	if (asprintf(&job->file, "%s.%s", registry_name(entry), analysis_job_makes_history(job) ? "sht" : "seg") >=
	    0)
		return HISTREE_OK;
	return error_memory(error, "an analysis");
}

enum histree_status analysis_job_meet(struct analysis_job *job, const struct event_trace *trace, bool *out,
				      struct histree_error *error)
{
	if (!array_reserve(&job->applies, &job->trace_capacity, (size_t)trace->id + 1))
		return error_memory(error, "an analysis");
	while (job->trace_count <= trace->id)
		job->applies[job->trace_count++] = false;
	*out = job->applies[trace->id] = registry_applies(job->entry, trace);
	return HISTREE_OK;
}

static enum histree_status forget(void *context, const struct histree_interval *interval,
				  struct histree_error *error)
{
	(void)interval, (void)error;
	++*(uint64_t *)context;
	return HISTREE_OK;
}

static enum histree_status cannot_resume(const struct analysis *analysis, struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_ARGUMENT,
		"analysis '%s' cannot be begun in the middle of a trace, as a partial history has to: build it "
		"with the disk backend, or choose another analysis",
		analysis->name);
}

static enum histree_status create_system(struct analysis_job *job, const struct io *io,
					 const struct histree_history_options *options,
					 const struct histree_build_options *build, struct table_space *tables,
					 struct histree_error *error)
{
	const struct analysis *analysis = job->entry->analysis;
	const struct state_shared shared = { .tables = tables, .crew = job->crew };
	switch (build->backend) {
	case HISTREE_BACKEND_DISK:
		break;
	case HISTREE_BACKEND_PARTIAL:
		if (analysis->save == NULL)
			return cannot_resume(analysis, error);
		return partial_file_create_in(io, options, &shared, &job->system, &job->partial, error);
	case HISTREE_BACKEND_MEMORY:
		return histree_state_create_in_memory(options, build->backend_bytes_max, &job->system, error);
	case HISTREE_BACKEND_NULL:
		return histree_state_create_for(
			&(struct histree_backend){ .add = forget, .context = &job->forgotten }, options->start,
			&job->system, error);
	}
	return state_file_create_in(io, options, &shared, &job->system, error);
}

/* Where others only offer to read slices, a trace that cannot be cut is built without. */
static bool is_cut(const struct analysis_job *job, const struct histree_build_options *build)
{
	if (build->slices == 0 || job->entry->analysis == NULL || job->entry->analysis->slices == NULL)
		return false;
	if (build->slice_post == NULL || job_slices_can_cut(job->trace))
		return true;
	slice_post_refuse(build->slice_post, "a trace is cut that is CTF, with a file a stream and packets that "
					     "say when they begin");
	return false;
}

/* *input becomes that of the instance. */
static enum histree_status cut(struct analysis_job *job, const struct histree_build_options *build,
			       const struct memory_plan *memory, void **input, struct histree_error *error)
{
	const struct job_slices_plan plan = {
		.analysis = job->entry->analysis,
		.traces = build->traces,
		.trace_count = build->trace_count,
		.ignores_gaps = build->ignore_gaps,
		.clock = job->clock,
		.threads = build->slices,
		.slice_events = build->slice_events,
		.memory = memory->slices,
		.post = build->slice_post,
	};
	enum histree_status status = job_slices_create(&plan, job->trace, job->system, &job->slices, error);
	return status == HISTREE_OK ? job_slices_input(job->slices, input, error) : status;
}

static enum histree_status start_history(struct analysis_job *job, const struct io *io, const char *path,
					 histree_time start, const struct histree_build_options *build,
					 const struct memory_plan *memory, struct table_space *tables, void *input,
					 struct histree_error *error)
{
	const struct analysis *analysis = job->entry->analysis;
	struct histree_history_options options = {
		.path = path,
		.provider = analysis->name,
		.provider_version = analysis->version,
		.start = start,
		.resume = build->resume,
		.null_empty_stacks = build->null_empty_stacks,
		.tree = build->tree,
	};
	options.tree.memory_max = memory->history;
	/* The tree gets what slices leave to it, in the thread that hands them over. */
	if (is_cut(job, build)) {
		options.tree.memory_max = memory->history_cut;
		options.tree.threads = 1;
	}
	enum histree_status status = create_system(job, io, &options, build, tables, error);
	if (status == HISTREE_OK && analysis->label_table_count > 0)
		status = histree_state_labels(job->system, analysis->labels, analysis->label_table_count, error);
	if (status == HISTREE_OK && analysis->chart_count > 0)
		status = histree_state_charts(job->system, analysis->charts, analysis->chart_count, error);
	if (status == HISTREE_OK && is_cut(job, build))
		status = cut(job, build, memory, &input, error);
	if (status == HISTREE_OK)
		status = analysis->create(job->system, input, &job->instance, error);
	if (status == HISTREE_OK && job->slices != NULL)
		job_slices_own(job->slices, job->instance);
	return status;
}

static enum histree_status start_segments(struct analysis_job *job, const struct io *io, const char *path,
					  const struct histree_build_options *build, size_t memory, void *input,
					  struct histree_error *error)
{
	const struct segment_analysis *analysis = job->entry->segments;
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_DISK,
		.path = path,
		.schema = {
			.provider = analysis->name,
			.provider_version = analysis->version,
			.fields = analysis->fields,
			.field_count = analysis->field_count,
		},
		.memory_max = memory,
	};
	/* What a build that was cut off left of it is of no use. */
	if (build->resume)
		io->unlink(io->context, path);
	enum histree_status status = segment_store_create(io, &options, &job->segments, error);
	return status == HISTREE_OK ? analysis->create(job->segments, input, &job->instance, error) : status;
}

enum histree_status analysis_job_start(struct analysis_job *job, const struct io *io, const char *path,
				       histree_time start, const struct histree_build_options *options,
				       const struct memory_plan *memory, struct analysis_inputs *inputs,
				       struct histree_error *error)
{
	void *input = NULL;
	enum histree_status status = HISTREE_OK;
	if (!is_cut(job, options)) /* else it has its own */
		status = analysis_inputs_get(inputs, registry_input(job->entry), &input, error);
	if (status != HISTREE_OK)
		return status;
	return analysis_job_makes_history(job)
		       ? start_history(job, io, path, start, options, memory, inputs->tables, input, error)
		       : start_segments(job, io, path, options, memory->segments, input, error);
}

static enum histree_status handle_gap(struct analysis_job *job, const struct event_gap *gap,
				      struct histree_error *error)
{
	const struct analysis *analysis = job->entry->analysis;
	const struct segment_analysis *segments = job->entry->segments;
	if (analysis != NULL && analysis->gap != NULL)
		return analysis->gap(job->instance, gap, error);
	if (segments != NULL && segments->gap != NULL)
		return segments->gap(job->instance, gap, error);
	return HISTREE_OK;
}

static enum histree_status handle_event(struct analysis_job *job, const struct event *event,
					struct histree_error *error)
{
	const struct analysis *analysis = job->entry->analysis;
	return analysis != NULL ? analysis->event(job->instance, event, error)
				: job->entry->segments->event(job->instance, event, error);
}

enum histree_status analysis_job_handle(struct analysis_job *job, const struct event *event,
					struct histree_error *error)
{
	const struct event_trace *trace = event->gap != NULL ? event->gap->trace : event->class->trace;
	enum histree_status status = HISTREE_OK;
	bool applies = trace->id < job->trace_count && job->applies[trace->id];
	if (trace->id >= job->trace_count)
		status = analysis_job_meet(job, trace, &applies, error);
	if (status == HISTREE_OK && job->slices != NULL)
		return ++job->passed % EVENTS_PER_STEP == 0 ? job_slices_step(job->slices, error) : HISTREE_OK;
	if (!applies)
		return status;
	status = event->gap != NULL ? handle_gap(job, event->gap, error) : handle_event(job, event, error);
	if (status < 0)
		error_prefix(error, "analysis '%s'", registry_name(job->entry));
	return status < 0 ? status : HISTREE_OK;
}

bool analysis_job_wants(const struct analysis_job *job, const struct event_class *class)
{
	const struct segment_analysis *segments = job->entry->segments;
	return segments == NULL || segments->wants == NULL || segments->wants(job->instance, class);
}

enum histree_status analysis_job_publish(struct analysis_job *job, histree_time end, struct histree_error *error)
{
	return analysis_job_makes_history(job) ? histree_state_publish(job->system, end, error) : HISTREE_OK;
}

enum histree_status analysis_job_checkpoint(const struct analysis_job *job, const struct trace *trace,
					    uint64_t before, bool ignores_gaps, struct histree_error *error)
{
	const struct partial_writer writer = {
		.analysis = job->entry->analysis,
		.instance = job->instance,
		.system = job->system,
		.file = job->partial,
	};
	return job->partial != NULL ? partial_writer_checkpoint(&writer, trace, before, ignores_gaps, error)
				    : HISTREE_OK;
}

enum histree_status analysis_job_finish(struct analysis_job *job, histree_time *end, struct histree_error *error)
{
	const struct analysis *analysis = job->entry->analysis;
	const struct segment_analysis *segments = job->entry->segments;
	*end = INT64_MIN;
	enum histree_status status = job->slices != NULL ? job_slices_finish(job->slices, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	if (analysis != NULL && analysis->finish != NULL)
		return analysis->finish(job->instance, end, error);
	if (segments != NULL && segments->finish != NULL)
		return segments->finish(job->instance, end, error);
	return HISTREE_OK;
}

enum histree_status analysis_job_close(struct analysis_job *job, histree_time end, struct histree_error *error)
{
	enum histree_status status = analysis_job_makes_history(job)
					     ? histree_state_close(job->system, end, error)
					     : histree_segment_store_finish(job->segments, error);
	if (status != HISTREE_OK)
		error_prefix(error, "analysis '%s'", registry_name(job->entry));
	/* The attributes are in the file now.  What comes after it, such as overviews, needs their memory. */
	histree_state_free(job->system);
	job->system = NULL;
	return status;
}

struct histree_store_history analysis_job_describe_history(const struct analysis_job *job, uint64_t identity)
{
	const struct analysis *analysis = job->entry->analysis;
	return (struct histree_store_history){
		.analysis = analysis->name,
		.analysis_version = analysis->version,
		.file = job->file,
		.state_changes_refused = analysis->refused(job->instance),
		.identity = identity,
	};
}

struct histree_store_segments analysis_job_describe_segments(const struct analysis_job *job, uint64_t identity)
{
	const struct segment_analysis *analysis = job->entry->segments;
	struct segment_counts counts = analysis->counts(job->instance);
	return (struct histree_store_segments){
		.analysis = analysis->name,
		.analysis_version = analysis->version,
		.file = job->file,
		.without_start = counts.without_start,
		.without_end = counts.without_end,
		.identity = identity,
	};
}

/* Returns the text, of the size of a sentence of the job, or NULL. */
static const char *say(const struct analysis_job *job, void (*writes)(const void *, char *, size_t), char *text)
{
	if (writes == NULL)
		return NULL;
	int length = snprintf(text, sizeof(job->missing), "%s: ", registry_name(job->entry));
	char *sentence = text + length;
	writes(job->instance, sentence, sizeof(job->missing) - (size_t)length);
	return sentence[0] != '\0' ? text : NULL;
}

const char *analysis_job_missing(struct analysis_job *job)
{
	bool is_history = analysis_job_makes_history(job);
	return say(job, is_history ? job->entry->analysis->missing : job->entry->segments->missing, job->missing);
}

const char *analysis_job_unsure(struct analysis_job *job)
{
	return analysis_job_makes_history(job) ? say(job, job->entry->analysis->unsure, job->unsure) : NULL;
}

void analysis_job_release(struct analysis_job *job)
{
	if (job->instance != NULL && analysis_job_makes_history(job))
		job->entry->analysis->free(job->instance);
	else if (job->instance != NULL)
		job->entry->segments->free(job->instance);
	job_slices_free(job->slices);
	histree_state_free(job->system);
	histree_segment_store_close(job->segments);
	free(job->applies);
	free(job->file);
}
