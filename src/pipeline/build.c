// SPDX-License-Identifier: MIT
/*
 * trace -> analyses -> state systems -> trees, one event at a time, all analyses in one pass over the trace.
 *
 * The input decides when the histories begin: with the first event.  They end with the last one.
 *
 * What is published of them on the way ends one nanosecond before the greatest time so far: at that time itself,
 * another event may follow.
 */
#include "histree/build.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/registry.h"
#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "event_index/event_index_writer.h"
#include "overview/overview_writer.h"
#include "pipeline/analysis_job.h"
#include "pipeline/build.h"
#include "pipeline/publish_clock.h"
#include "state/state_file.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "trace/trace.h"
#include "trace/trace_hosts.h"

enum { EVENTS_PER_LOOK = 1024 }; /* at the clock, for progress and publishing */
static const int64_t progress_interval_ns = 50 * 1000 * 1000;

/* What is done: a build goes through these one after the other. */
enum stage {
	STAGE_NONE,
	STAGE_READ,      /* the analyses have seen all events */
	STAGE_CLOSED,    /* histories and segment stores are complete files */
	STAGE_SUMMED_UP, /* and have their overviews */
	STAGE_INDEXED,   /* the index of events is written */
	STAGE_COMPLETE,  /* the manifest says so */
};

struct build {
	enum stage stage;
	const struct histree_build_options *options;
	const struct io *io;
	struct histree_error *error;
	struct store_folder folder;
	struct trace *trace;
	struct table_space tables; /* of all analyses */
	struct analysis_inputs inputs;
	struct analysis_job *jobs;
	size_t job_count, jobs_capacity;
	histree_time start, end; /* first event, greatest time so far */
	int64_t begun_ns, shown_ns;
	struct event_index_writer index;
	struct publish_clock publish_clock;
	histree_time resumed_end; /* of what a build left that is gone on with; INT64_MIN: of nothing */
	histree_time published_end;
	char *cut_short; /* why the input ended before its end; NULL: it did not */
	bool is_stopped; /* it was live, and whoever built had enough of it: what there is is kept */
	double overviews_share;
};

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- choosing the analyses ------------------------------------------------------------------------------- */

/* Whether the analysis applies to any of the traces; which ones goes to the job. */
static bool find_traces(const struct build *build, struct analysis_job *job)
{
	bool any = false;
	for (size_t i = 0; i < trace_count(build->trace); i++) {
		const struct event_trace *trace = trace_at(build->trace, i);
		job->applies[trace->id] = registry_applies(job->entry, trace);
		any = any || job->applies[trace->id];
	}
	return any;
}

/* Returns HISTREE_NOT_FOUND if the analysis does not apply. */
static enum histree_status add_job(struct build *build, const struct registry_entry *entry)
{
	for (size_t i = 0; i < build->job_count; i++)
		if (build->jobs[i].entry == entry)
			return HISTREE_OK;
	if (!array_reserve(&build->jobs, &build->jobs_capacity, build->job_count + 1))
		return error_memory(build->error, "an analysis");
	struct analysis_job *job = &build->jobs[build->job_count];
	enum histree_status status = analysis_job_init(job, entry, trace_count(build->trace), build->error);
	if (status != HISTREE_OK)
		return status;
	if (!find_traces(build, job)) {
		analysis_job_release(job);
		return HISTREE_NOT_FOUND;
	}
	build->job_count++;
	return HISTREE_OK;
}

static enum histree_status does_not_apply(struct build *build, const struct registry_entry *entry)
{
	const struct event_trace *trace = trace_at(build->trace, 0);
	return error_set(build->error, HISTREE_ERR_ARGUMENT,
			 "analysis '%s' needs %s; this one is by tracer \"%s\", of domain \"%s\"",
			 registry_name(entry), registry_needs(entry), trace->tracer_name, trace->domain);
}

static enum histree_status none_applies(struct build *build)
{
	const struct event_trace *trace = trace_at(build->trace, 0);
	char needs[320];
	registry_default_needs(needs, sizeof(needs));
	return error_set(build->error, HISTREE_ERR_TRACE,
			 "no analysis applies to '%s', which is by tracer \"%s\", of domain \"%s\": %s",
			 build->options->traces[0], trace->tracer_name, trace->domain, needs);
}

static enum histree_status choose_named(struct build *build)
{
	for (size_t i = 0; i < build->options->analysis_count; i++) {
		const char *name = build->options->analyses[i];
		const struct registry_entry *entry = registry_find(name);
		if (entry == NULL) {
			char names[256];
			registry_names(names, sizeof(names));
			return error_set(build->error, HISTREE_ERR_ARGUMENT,
					 "there is no analysis '%s'; there are %s", name, names);
		}
		enum histree_status status = add_job(build, entry);
		if (status == HISTREE_NOT_FOUND)
			return does_not_apply(build, entry);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static enum histree_status choose_applicable(struct build *build)
{
	for (const struct registry_entry *entry = registry; entry->analysis != NULL || entry->segments != NULL;
	     entry++) {
		bool is_wanted = entry->by_default || (build->options->segments && entry->segments != NULL);
		enum histree_status status = is_wanted ? add_job(build, entry) : HISTREE_OK;
		if (status < 0)
			return status;
	}
	if (build->job_count > 0)
		return HISTREE_OK;
	return none_applies(build);
}

/* ---- what the store says of itself ----------------------------------------------------------------------- */

static bool is_partial(const struct build *build)
{
	return trace_report(build->trace).damaged_streams > 0 || build->cut_short != NULL;
}

/* What is wrong with the trace, as the store keeps it.  Returns how many sentences; there is room for all. */
static size_t list_warnings(struct build *build, const struct trace_report *report, const char **warnings)
{
	size_t count = 0;
	for (size_t i = 0; i < report->warning_count; i++)
		warnings[count++] = report->warnings[i];
	if (build->cut_short != NULL)
		warnings[count++] = build->cut_short;
	for (size_t i = 0; i < build->job_count; i++) {
		const char *missing = analysis_job_missing(&build->jobs[i]);
		if (missing != NULL)
			warnings[count++] = missing;
	}
	return count;
}

static enum histree_status write_manifest(struct build *build, bool complete, histree_time end)
{
	assert(build->stage == (complete ? STAGE_INDEXED : STAGE_NONE));
	struct trace_report report = trace_report(build->trace);
	const char **warnings = calloc(report.warning_count + 1 + build->job_count, sizeof(*warnings));
	struct histree_store_history *histories = calloc(build->job_count, sizeof(*histories));
	struct histree_store_segments *segments = calloc(build->job_count, sizeof(*segments));
	size_t history_count = 0, segments_count = 0;
	char *path = store_folder_path(&build->folder, MANIFEST_FILE);
	enum histree_status status = HISTREE_ERR_MEMORY;
	if (warnings == NULL || histories == NULL || segments == NULL || path == NULL) {
		error_memory(build->error, "the manifest");
		goto out;
	}
	status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < build->job_count; i++) {
		const struct analysis_job *job = &build->jobs[i];
		uint64_t identity = 0;
		if (complete)
			status = store_folder_identify(&build->folder, job->file, &identity, build->error);
		if (analysis_job_makes_history(job))
			histories[history_count++] = analysis_job_describe_history(job, identity);
		else if (complete)
			segments[segments_count++] = analysis_job_describe_segments(job, identity);
	}
	if (status != HISTREE_OK)
		goto out;
	struct histree_store_info info = {
		.made_by = "histree " HISTREE_VERSION,
		.traces = build->options->traces,
		.trace_count = build->options->trace_count,
		.histories = histories,
		.history_count = history_count,
		.segments = segments,
		.segments_count = segments_count,
		.complete = complete,
		.partial = is_partial(build),
		.warnings = warnings,
		.warning_count = list_warnings(build, &report, warnings),
		.event_count = report.events,
		.clock_steps_back = report.clock_steps_back,
		.discarded_events = report.discarded_events,
		.discarded_packets = report.discarded_packets,
		.repeated_packets = report.repeated_packets,
		.gap_count = report.gaps,
		.ignores_gaps = build->options->ignore_gaps,
		.null_empty_stacks = build->options->null_empty_stacks,
		.start = build->start,
		.end = end,
		.build_ns = now_ns() - build->begun_ns,
	};
	status = manifest_write(build->io, path, &info, build->error);
out:
	free(path);
	free(segments);
	free(histories);
	free(warnings);
	return status;
}

/* ---- running --------------------------------------------------------------------------------------------- */

/* Tables that outgrow memory are beside the store's files. */
static enum histree_status make_tables(struct build *build)
{
	char *inside = store_folder_path(&build->folder, MANIFEST_FILE);
	bool made = inside != NULL &&
		    table_space_init(&build->tables, inside, state_file_table_memory(&build->options->tree));
	free(inside);
	build->inputs.tables = &build->tables;
	return made ? HISTREE_OK : error_memory(build->error, "a path");
}

static enum histree_status start_jobs(struct build *build, histree_time start)
{
	build->start = build->end = start;
	enum histree_status made = make_tables(build);
	if (made != HISTREE_OK)
		return made;
	for (size_t i = 0; i < build->job_count; i++) {
		struct analysis_job *job = &build->jobs[i];
		char *path = store_folder_path(&build->folder, job->file);
		if (path == NULL)
			return error_memory(build->error, "a path");
		enum histree_status status = analysis_job_start(job, build->io, path, start, build->options,
								&build->inputs, build->error);
		free(path);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static enum histree_status handle_event(struct build *build, const struct event *event)
{
	if (event->time > build->end)
		build->end = event->time;
	enum histree_status status = analysis_inputs_begin(&build->inputs, event, build->error);
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++)
		status = analysis_job_handle(&build->jobs[i], event, build->error);
	return status == HISTREE_OK ? analysis_inputs_end(&build->inputs, build->error) : status;
}

static void show_progress(const struct build *build, int64_t now)
{
	const struct histree_build_options *options = build->options;
	struct trace_report report = trace_report(build->trace);
	struct histree_progress progress = {
		.events = report.events,
		.bytes_done = report.bytes_done,
		.bytes_total = report.bytes_total,
		.elapsed_ns = now - build->begun_ns,
		.overviews_share = build->overviews_share,
		.waits = report.events == 0 && trace_is_live(build->trace),
	};
	if (options->progress != NULL)
		options->progress(options->progress_context, &progress);
}

/* Say how far the build is, and ask whether to go on. */
static enum histree_status meet_caller(struct build *build, int64_t now)
{
	if (now - build->shown_ns < progress_interval_ns)
		return HISTREE_OK;
	build->shown_ns = now;
	show_progress(build, now);
	if (!cancel_asked(&build->options->cancel))
		return HISTREE_OK;
	return error_set(build->error, HISTREE_ERR_CANCELLED, "cancelled");
}

/* Let others see what is known by now. */
static enum histree_status publish(struct build *build)
{
	if (build->end <= build->start || build->end <= build->resumed_end || build->end == build->published_end)
		return HISTREE_OK;
	assert(build->stage == STAGE_NONE);
	build->published_end = build->end;
	histree_time end = build->end - 1;
	for (size_t i = 0; i < build->job_count; i++) {
		enum histree_status status = analysis_job_publish(&build->jobs[i], end, build->error);
		if (status != HISTREE_OK)
			return status;
	}
	enum histree_status status = write_manifest(build, false, end);
	build->folder.keep = build->folder.keep || status == HISTREE_OK;
	return status;
}

static enum histree_status look_at_clock(struct build *build)
{
	int64_t now = now_ns();
	enum histree_status status = HISTREE_OK;
	table_space_look(&build->tables);
	if (publish_clock_is_due(&build->publish_clock, now)) {
		status = publish(build);
		publish_clock_done(&build->publish_clock, now, now_ns());
	}
	return status == HISTREE_OK ? meet_caller(build, now) : status;
}

/* The next event; where a live trace has none now, it is waited for, and others are let see what there was. */
static enum histree_status next_event(struct build *build, struct event *event)
{
	static const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	enum histree_status status;
	while ((status = trace_next(build->trace, event, build->error)) == HISTREE_NOT_FOUND) {
		status = look_at_clock(build);
		if (status != HISTREE_OK)
			return status;
		nanosleep(&pause, NULL);
	}
	return status;
}

static enum histree_status begin(struct build *build, histree_time start)
{
	const struct histree_build_options *options = build->options;
	enum histree_status status = options->analyses != NULL ? choose_named(build) : choose_applicable(build);
	return status == HISTREE_OK ? start_jobs(build, start) : status;
}

static enum histree_status handle_events(struct build *build)
{
	enum histree_status status;
	struct event event;
	for (uint64_t count = 0; (status = next_event(build, &event)) == HISTREE_OK; count++) {
		if (count == 0)
			status = begin(build, event.time);
		if (status == HISTREE_OK)
			status = handle_event(build, &event);
		if (status == HISTREE_OK)
			status = event.gap == NULL
					 ? event_index_add(&build->index, build->trace, &event, build->error)
					 : event_index_add_gap(&build->index, event.gap, build->error);
		if (status == HISTREE_OK && count % EVENTS_PER_LOOK == 0)
			status = look_at_clock(build);
		if (status == HISTREE_ERR_CANCELLED)
			break;
		if (status != HISTREE_OK)
			return status;
	}
	build->is_stopped = status == HISTREE_ERR_CANCELLED && trace_is_live(build->trace) && build->job_count > 0;
	if (status == HISTREE_ERR_CANCELLED && !build->is_stopped)
		return status;
	if (trace_report(build->trace).events == 0)
		return status < 0 ? status
				  : error_set(build->error, HISTREE_ERR_TRACE, "'%s': has no events",
					      build->options->traces[0]);
	if (status < 0 && status != HISTREE_ERR_CANCELLED) { /* what was read is kept */
		build->cut_short =
			strdup(build->error != NULL ? build->error->message : histree_status_text(status));
		if (build->cut_short == NULL)
			return error_memory(build->error, "a message");
	}
	return HISTREE_OK;
}

static enum histree_status close_jobs(struct build *build)
{
	assert(build->stage == STAGE_READ);
	for (size_t i = 0; i < build->job_count; i++) {
		enum histree_status status = analysis_job_close(&build->jobs[i], build->end, build->error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static bool overviews_go_on(void *context, double share)
{
	struct build *build = context;
	build->overviews_share = share;
	return meet_caller(build, now_ns()) == HISTREE_OK;
}

static enum histree_status write_overviews(struct build *build)
{
	assert(build->stage == STAGE_CLOSED);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < build->job_count && !build->options->no_overviews && status == HISTREE_OK; i++) {
		if (!analysis_job_makes_history(&build->jobs[i]))
			continue;
		const struct overview_options options = { .threads = build->options->tree.threads,
							  .go_on = build->is_stopped ? NULL : overviews_go_on,
							  .context = build };
		char *path = store_folder_path(&build->folder, build->jobs[i].file);
		status = path != NULL ? overviews_write(build->io, path, &options, build->error)
				      : error_memory(build->error, "a path");
		free(path);
	}
	return status;
}

/* ---- the store ------------------------------------------------------------------------------------------- */

static enum histree_status write_index(struct build *build)
{
	assert(build->stage == STAGE_SUMMED_UP);
	char *path = store_folder_path(&build->folder, EVENT_INDEX_FILE);
	enum histree_status status = path != NULL ? event_index_write(&build->index, build->io, path, build->error)
						  : error_memory(build->error, "a path");
	free(path);
	return status;
}

static enum histree_status read_trace(struct build *build)
{
	const struct histree_build_options *options = build->options;
	enum histree_status status = trace_open(options->traces, options->trace_count, &build->trace, build->error);
	if (status == HISTREE_OK && !options->ignore_gaps)
		trace_want_gaps(build->trace);
	return status == HISTREE_OK ? handle_events(build) : status;
}

/* The manifest comes last: a folder that says of itself that it is complete, is. */
static enum histree_status complete_manifest(struct build *build)
{
	return write_manifest(build, true, build->end);
}

static enum histree_status make_store(struct build *build)
{
	static enum histree_status (*const stages[])(struct build *) = {
		[STAGE_READ - 1] = read_trace,
		[STAGE_CLOSED - 1] = close_jobs,
		[STAGE_SUMMED_UP - 1] = write_overviews,
		[STAGE_INDEXED - 1] = write_index,
		[STAGE_COMPLETE - 1] = complete_manifest,
	};
	enum histree_status status = HISTREE_OK;
	while (build->stage < STAGE_COMPLETE && status == HISTREE_OK) {
		status = stages[build->stage](build);
		if (status == HISTREE_OK)
			build->stage++;
	}
	return status;
}

/*
 * Look at what a build left.  True: it was cut off after its last event, and only the name is missing.  What
 * cannot be read is as good as nothing.
 */
static bool look_at_leftover(struct build *build)
{
	struct arena arena = { 0 };
	struct histree_store_info info = { .end = INT64_MIN };
	char *path = build->folder.keep ? store_folder_path(&build->folder, MANIFEST_FILE) : NULL;
	bool read = path != NULL && manifest_read(build->io, path, &arena, &info, NULL) == HISTREE_OK;
	build->resumed_end = read ? info.end : INT64_MIN;
	arena_release(&arena);
	free(path);
	return read && info.complete;
}

static enum histree_status run_build(struct build *build)
{
	const struct histree_build_options *options = build->options;
	enum histree_status status = store_folder_begin(&build->folder, build->io, options->store, options->force,
							options->resume, build->error);
	if (status != HISTREE_OK)
		return status;
	if (!look_at_leftover(build))
		status = make_store(build);
	if (status == HISTREE_OK)
		status = store_folder_publish(&build->folder, build->error);
	if (status == HISTREE_ERR_CANCELLED && !options->resume)
		build->folder.keep = false;
	if (status != HISTREE_OK || build->trace == NULL || !is_partial(build))
		return status;
	struct trace_report report = trace_report(build->trace);
	const char *first = report.warning_count > 0 ? report.warnings[0] : build->cut_short;
	return error_set(build->error, HISTREE_PARTIAL, "%s",
			 first != NULL ? first : "some of the trace could not be read");
}

/* A failed build is no loss of what it published: say where that is. */
static void say_what_is_kept(const struct build *build)
{
	size_t length = strlen(build->error->message);
	snprintf(build->error->message + length, sizeof(build->error->message) - length,
		 "; '%s' keeps what was published before, and --resume goes on with it", build->folder.building);
}

enum histree_status pipeline_build(const struct histree_build_options *options, const struct io *io,
				   struct histree_error *error)
{
	if (options->trace_count == 0 || options->store == NULL || options->store[0] == '\0')
		return error_set(error, HISTREE_ERR_ARGUMENT, "a build needs a trace and a name for the store");
	if (options->resume && trace_is_address(options->traces[0]))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%s': a live trace cannot be read again from its beginning; 'histree repair' "
				 "makes a store "
				 "of what was published of it",
				 options->traces[0]);
	struct histree_error message; /* always there: a message is part of a partial store */
	struct build build = {
		.options = options,
		.io = io,
		.error = &message,
		.folder = { .lock = -1 },
		.published_end = INT64_MIN,
		.begun_ns = now_ns(),
	};
	build.publish_clock = publish_clock_begin(options->publish_ns, build.begun_ns);
	enum histree_status status = run_build(&build);
	for (size_t i = 0; i < build.job_count; i++)
		analysis_job_release(&build.jobs[i]);
	analysis_inputs_release(&build.inputs);
	table_space_release(&build.tables);
	free(build.jobs);
	free(build.cut_short);
	event_index_writer_release(&build.index);
	trace_close(build.trace);
	if (status < 0 && build.folder.keep && build.folder.lock >= 0)
		say_what_is_kept(&build);
	store_folder_release(&build.folder);
	if (error != NULL && status != HISTREE_OK)
		*error = message;
	return status;
}

enum histree_status histree_build_check(const char *const *traces, size_t trace_count, struct histree_error *error)
{
	return trace_hosts_check_paths(traces, trace_count, error);
}

enum histree_status histree_build(const struct histree_build_options *options, struct histree_error *error)
{
	return pipeline_build(options, &io_posix, error);
}
