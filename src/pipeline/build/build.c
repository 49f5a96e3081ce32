// SPDX-License-Identifier: MIT
/*
 * build.c - a build from end to end: its trace is opened, the analyses are chosen and planned at the first event,
 * events go to their lanes, and then files are closed, get their overviews, and are listed in the manifest.
 *
 * Stages come one after the other (enum stage), and the build ends at a stage that fails; what was published before
 * is kept, and the manifest makes a folder complete.  Between two events the building thread sometimes publishes
 * and calls back its caller, which no other thread may do.
 *
 * A build in memory, or with the null backend, reads the trace in the same way, and reports the result.
 */
#include "pipeline/build/build.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/analysis.h"
#include "analysis/definition/definition_files.h"
#include "analysis/kernel/kernel_input.h"
#include "base/cancel.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/io.h"
#include "base/monotonic.h"
#include "base/table.h"
#include "event_index/event_index.h"
#include "histree/build.h"
#include "overview/overview_feed.h"
#include "overview/overview_writer.h"
#include "pipeline/build/analysis_job.h"
#include "pipeline/build/leftover.h"
#include "pipeline/build/slice_worker.h"
#include "pipeline/build_plan.h"
#include "pipeline/side_by_side.h"
#include "state/state_file.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "trace/event_stream.h"
#include "trace/trace.h"
#include "tree/tree_shape.h"

/* ---- build lanes --------------------------------------------------------------------------------------------- */

/* ---- who has what ----------------------------------------------------------------------------------------- */

/* The jobs of the first lane: histories, and analyses that depend on what the analysis of a history does. */
static bool is_first(const struct analysis_job *job)
{
	const struct analysis_input_kind *input = registry_input(job->entry);
	return analysis_job_makes_history(job) || (input != NULL && input->is_one);
}

static size_t count_segments(const struct analysis_job *jobs, size_t job_count)
{
	size_t count = 0;
	for (size_t i = 0; i < job_count; i++)
		count += !is_first(&jobs[i]);
	return count;
}

static size_t lane_of(const struct analysis_job *job, size_t segments_before, size_t lane_count, bool has_history)
{
	if (lane_count == 1 || is_first(job))
		return 0;
	return has_history ? 1 + segments_before % (lane_count - 1) : segments_before % lane_count;
}

/* Give each job a lane, of at most this many.  The jobs stay where they are. */
static enum histree_status build_lanes_plan(struct build_lanes *lanes, struct analysis_job *jobs, size_t job_count,
					    size_t lanes_max, struct table_space *tables,
					    const struct symbol_places *symbols, struct histree_error *error)
{
	size_t segments = count_segments(jobs, job_count), most = segments + (segments < job_count);
	size_t count = lanes_max < most ? lanes_max : most;
	count = count > FEED_READERS_MAX ? FEED_READERS_MAX : count == 0 ? 1 : count;
	lanes->lanes = calloc(count, sizeof(*lanes->lanes));
	lanes->jobs = calloc(job_count + 1, sizeof(struct analysis_job *));
	if (lanes->lanes == NULL || lanes->jobs == NULL)
		return error_memory(error, "the analyses");
	lanes->count = count;
	struct analysis_job **next = lanes->jobs;
	for (size_t number = 0; number < count; number++) {
		struct build_lane *lane = &lanes->lanes[number];
		*lane = (struct build_lane){ .jobs = next, .has_failed = &lanes->has_failed };
		lane->inputs.tables = tables;
		lane->inputs.symbols = symbols;
		for (size_t i = 0, before = 0; i < job_count; i++) {
			if (lane_of(&jobs[i], before, count, segments < job_count) == number)
				lane->jobs[lane->job_count++] = &jobs[i];
			before += !is_first(&jobs[i]);
		}
		next += lane->job_count;
	}
	return HISTREE_OK;
}

/* Returns the inputs of the lane of a job. */
static struct analysis_inputs *build_lanes_inputs(struct build_lanes *lanes, const struct analysis_job *job)
{
	for (size_t number = 0; number < lanes->count; number++)
		for (size_t i = 0; i < lanes->lanes[number].job_count; i++)
			if (lanes->lanes[number].jobs[i] == job)
				return &lanes->lanes[number].inputs;
	return &lanes->lanes[0].inputs;
}

/* ---- events ----------------------------------------------------------------------------------------------- */

/* Those of a lane to whom the events of a class mean anything. */
struct class_takers {
	size_t count;
	struct event_taker all[];
};

/* At the first event of a class: which jobs take it, and the later ones?  Returns NULL if that fails. */
__attribute__((noinline)) static const struct class_takers *
ask_who_takes(struct build_lane *lane, const struct event_class *class, struct histree_error *error)
{
	const size_t size = sizeof(struct class_takers) + lane->job_count * sizeof(struct event_taker);
	struct class_takers *takers = calloc(1, size);
	enum histree_status status = takers != NULL ? HISTREE_OK : error_memory(error, "classes of events");
	for (size_t i = 0; i < lane->job_count && status == HISTREE_OK; i++) {
		struct event_taker *taker = &takers->all[takers->count];
		status = analysis_job_taker(lane->jobs[i], class, taker, error);
		takers->count += taker->take != NULL;
	}
	const struct class_takers *kept = NULL;
	if (status == HISTREE_OK) {
		kept = class_table_add(&lane->takers, class, takers, size);
		if (kept == NULL)
			error_memory(error, "classes of events");
	}
	free(takers);
	return kept;
}

/* A gap is for all. */
__attribute__((noinline)) static enum histree_status handle_gap(struct build_lane *lane, const struct event *gap,
								struct histree_error *error)
{
	enum histree_status status = analysis_inputs_begin(&lane->inputs, gap, error);
	for (size_t i = 0; i < lane->job_count && status == HISTREE_OK; i++)
		status = analysis_job_gap(lane->jobs[i], gap->gap, error);
	return status == HISTREE_OK ? analysis_inputs_end(&lane->inputs, error) : status;
}

static inline enum histree_status handle(struct build_lane *lane, const struct event *event,
					 struct histree_error *error)
{
	if (event->gap != NULL)
		return handle_gap(lane, event, error);
	const struct class_takers *takers = class_table_find(&lane->takers, event->class);
	if (takers == NULL)
		takers = ask_who_takes(lane, event->class, error);
	if (takers == NULL)
		return HISTREE_ERR_MEMORY;
	enum histree_status status = analysis_inputs_begin(&lane->inputs, event, error);
	for (size_t i = 0; i < takers->count && status >= 0; i++) {
		const struct event_taker *taker = &takers->all[i];
		status = taker->take(taker->instance, event, error);
		if (status < 0)
			return analysis_job_failed(taker->job, status, error);
	}
	return status >= 0 ? analysis_inputs_end(&lane->inputs, error) : status;
}

/* Hand an event to the analyses of the first lane. */
static enum histree_status build_lanes_handle(struct build_lanes *lanes, const struct event *event,
					      struct histree_error *error)
{
	return handle(&lanes->lanes[0], event, error);
}

/*
 * A step: the next batch.  After a failure batches are skipped, until the building thread, which is notified, stops
 * the feed.
 */
static bool handle_next(void *context)
{
	struct build_lane *lane = context;
	const struct event_batch *batch = event_feed_look(lane->feed, lane->reader);
	if (batch == NULL)
		return false;
	for (size_t i = 0; i < batch->kept.count && lane->status == HISTREE_OK; i++)
		lane->status = handle(lane, &batch->kept.events[i], &lane->error);
	if (lane->status != HISTREE_OK)
		atomic_store(lane->has_failed, true);
	return event_feed_return(lane->feed, lane->reader);
}

/* Have the lanes but the first read from a feed, of which the caller has its first batch. */
static void build_lanes_start(struct build_lanes *lanes, struct event_feed *feed)
{
	/* What an analysis knows does not depend on which others share its input. */
	for (size_t i = 0; i < lanes->count; i++)
		for (size_t other = 0; other < lanes->count; other++)
			analysis_inputs_learn_as(&lanes->lanes[i].inputs, &lanes->lanes[other].inputs);
	for (size_t i = 1; i < lanes->count; i++) {
		struct build_lane *lane = &lanes->lanes[i];
		lane->feed = feed;
		lane->task = (struct crew_task){ .step = handle_next, .context = lane };
		event_feed_add_reader(feed, &lane->task, &lane->reader);
	}
}

/* Wait until all lanes have come to the end of the feed.  Returns what the first of them failed with. */
static enum histree_status build_lanes_join(struct build_lanes *lanes, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 1; i < lanes->count; i++) {
		struct build_lane *lane = &lanes->lanes[i];
		if (lane->feed != NULL)
			event_feed_join(lane->feed, &lane->task);
		if (status == HISTREE_OK && lane->status != HISTREE_OK)
			status = error_set(error, lane->status, "%s", lane->error.message);
	}
	return status;
}

/* The analyses are freed before, and the lanes were waited for. */
static void build_lanes_release(struct build_lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++) {
		analysis_inputs_release(&lanes->lanes[i].inputs);
		class_table_release(&lanes->lanes[i].takers);
	}
	free(lanes->lanes);
	free(lanes->jobs);
	lanes->lanes = NULL;
	lanes->jobs = NULL;
	lanes->count = 0;
}

/* ---- build --------------------------------------------------------------------------------------------------- */

enum {
	EVENTS_PER_LOOK = 1024, /* at the clock, for progress and publishing */
	CHECKPOINT_EVENTS = 50000,
	SHORT_BYTES = 16 << 20, /* of a trace: threads that read ahead would cost more than they give */
};

static const int64_t progress_interval_ns = 50 * 1000 * 1000;

/* ---- running --------------------------------------------------------------------------------------------- */

static void plan_memory(struct build *build)
{
	size_t histories = 0;
	for (size_t i = 0; i < build->job_count; i++)
		histories += analysis_job_makes_history(&build->jobs[i]);
	build->memory = memory_plan(build->options->tree.memory_max, histories, build->job_count - histories);
	uint32_t slices = build->options->slices;
	if (build->options->slice_post != NULL)
		slices += slice_post_slices(build->options->slice_post);
	/* Who did not ask for them is not to be surprised by their memory. */
	if (!build->chose_slices)
		memory_plan_slices(&build->memory, build->options->tree.memory_max, slices);
	if (build->host->tables_max != 0)
		build->memory.tables = build->host->tables_max;
}

/* Returns the path of a file in the store; of a file in memory, and of tables beside it, if there is no store. */
static char *build_path(const struct build *build, const char *file)
{
	char *path = NULL;
	if (build_makes_store(build->options))
		return store_folder_path(&build->folder, file);
	return asprintf(&path, "%s/%s", io_temporary_folder(), file) >= 0 ? path : NULL;
}

/* Tables that outgrow memory are beside the store's files. */
static enum histree_status make_tables(struct build *build)
{
	char *inside = build_path(build, MANIFEST_FILE);
	bool made = inside != NULL && table_space_init(&build->tables, inside, build->memory.tables);
	free(inside);
	return made ? HISTREE_OK : error_memory(build->error, "a path");
}

/* Reading has a thread of its own, and the others are for analyses. */
static size_t lanes_max(const struct build *build)
{
	return build->stream.feed != NULL ? build->options->threads : 1;
}

/*
 * Returns when the history of an analysis begins: one of a kernel with the first event of the kernel, as nothing is
 * known of CPUs while perf tells of maps and names only.
 */
static histree_time start_of(const struct build *build, const struct analysis_job *job, histree_time start)
{
	histree_time first = INT64_MAX;
	if (build->host->clock != NULL || registry_input(job->entry) != &kernel_input_kind)
		return start;
	for (size_t i = 0; i < trace_count(build->stream.trace); i++) {
		const struct event_trace *trace = trace_at(build->stream.trace, i);
		histree_time its = trace->has_first ? trace->first : start;
		first = its < first ? its : first;
	}
	return first != INT64_MAX && first > start ? first : start;
}

/* Hand an event to the analyses of the building thread. */
static inline enum histree_status build_handle_event(struct build *build, const struct event *event)
{
	if (event->time > build->end)
		build->end = event->time;
	return build_lanes_handle(&build->lanes, event, build->error);
}

/* Say how far the build is, and ask whether to go on. */
static enum histree_status meet_caller(struct build *build, int64_t now)
{
	if (now - build->shown_ns < progress_interval_ns)
		return HISTREE_OK;
	build->shown_ns = now;
	const struct histree_work *work = &build->options->work;
	struct trace_report report = build_report(build);
	struct histree_progress progress = {
		.share = report.bytes_total > 0 ? (double)report.bytes_done / (double)report.bytes_total : -1,
		.rows = report.events,
		.bytes = report.bytes_done,
		.bytes_total = report.bytes_total,
		.elapsed_ns = now - build->begun_ns,
		.overviews_share = build->overviews_share,
		.waits = build->is_open && report.events == 0 && trace_is_live(build->stream.trace),
	};
	if (work->progress != NULL)
		work->progress(work->context, &progress);
	if (!cancel_asked(&build->options->work))
		return HISTREE_OK;
	return error_set(build->error, HISTREE_ERR_CANCELLED, "cancelled");
}

/* Let others see what is known by now. */
static enum histree_status publish(struct build *build)
{
	if (build->options->backend != HISTREE_BACKEND_DISK || build->options->slices > 0 || build->options->add ||
	    build->end <= build->start || build->end <= build->resumed_end || build->end == build->published_end)
		return HISTREE_OK;
	assert(build->stage == STAGE_NONE);
	build->published_end = build->end;
	if (build->stream.feed != NULL)
		event_feed_pause(build->stream.feed);
	histree_time end = build->end - 1;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++)
		status = analysis_job_publish(&build->jobs[i], end, build->error);
	if (status == HISTREE_OK) {
		status = build_write_manifest(build, false, end);
		build->folder.keep = build->folder.keep || status == HISTREE_OK;
	}
	if (build->stream.feed != NULL)
		event_feed_resume(build->stream.feed);
	return status;
}

/* Now and then, between two events: publish, say how far the build is, and ask whether to go on. */
static enum histree_status build_look_at_clock(struct build *build)
{
	int64_t now = monotonic_ns();
	enum histree_status status = HISTREE_OK;
	table_space_look(&build->tables);
	if (publish_clock_is_due(&build->publish_clock, now)) {
		status = publish(build);
		publish_clock_done(&build->publish_clock, now, monotonic_ns());
	}
	return status == HISTREE_OK ? meet_caller(build, now) : status;
}

/* Here another run can begin: before an event that is later than all before it, where no gap is about to begin. */
static bool is_place_for_checkpoint(const struct build *build, const struct event *event)
{
	return build->seen >= build->next_checkpoint && event->gap == NULL &&
	       (build->seen == 0 || event->time > build->end) && trace_can_begin_here(build->stream.trace);
}

/* Each time that this many events and gaps have passed, at the next one where it can be. */
static enum histree_status put_checkpoint(struct build *build, const struct event *event)
{
	enum histree_status status = HISTREE_OK;
	if (build->seen == 0 && !trace_can_begin_here(build->stream.trace))
		return error_set(
			build->error, HISTREE_ERR_ARGUMENT,
			"'%s': cannot be read from the middle on, as a partial history has to: that takes a "
			"trace whose files are a stream each; build it with the disk backend",
			build->options->traces[0]);
	if (!is_place_for_checkpoint(build, event))
		return HISTREE_OK;
	uint64_t distance = build->options->checkpoint_events;
	build->next_checkpoint = build->seen + (distance != 0 ? distance : CHECKPOINT_EVENTS);
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++)
		status = analysis_job_checkpoint(&build->jobs[i], build->stream.trace, build->seen,
						 build->options->ignore_gaps, build->error);
	return status;
}

/* Why a session ended, or why the packets of a trace were refused, is all that there is to say. */
static enum histree_status has_no_events(struct build *build)
{
	struct trace_report report = trace_report(build->stream.trace);
	const char *why = report.warning_count > 0 ? report.warnings[0] : NULL;
	return error_set(build->error, HISTREE_ERR_TRACE, "'%s': has no events%s%s", build->options->traces[0],
			 why != NULL ? ": " : "", why != NULL ? why : "");
}

/*
 * What looks up functions does so in the table beside the trace, unless the user says where.  The store has it
 * among its places of symbols, as if it had been named.
 */
static void find_table_beside(struct build *build)
{
	struct histree_build_options *own = &build->own;
	bool uses_symbols = false;
	for (size_t i = 0; i < build->job_count; i++) {
		const struct analysis_input_kind *input = registry_input(build->jobs[i].entry);
		uses_symbols |= input != NULL && input->use_symbols != NULL;
	}
	if (!uses_symbols || own->symbol_count > 0 || own->no_symbols)
		return;
	for (size_t i = 0; i < own->trace_count && build->table_beside == NULL; i++)
		build->table_beside = symbol_table_beside(own->traces[i]);
	if (build->table_beside != NULL) {
		own->symbols = (const char *const *)&build->table_beside;
		own->symbol_count = 1;
	}
}

/* The first event is there: choose the analyses and start them. */
static enum histree_status begin_analyses(struct build *build)
{
	enum histree_status status = build_choose_analyses(build);
	if (status != HISTREE_OK)
		return status;
	histree_time start = build->stream.events[0].time;
	build->start = build->end = start;
	plan_memory(build);
	status = make_tables(build);
	find_table_beside(build);
	build->symbols = (struct symbol_places){ .paths = build->options->symbols,
						 .count = build->options->symbol_count,
						 .no_binaries = build->options->no_symbols };
	if (status == HISTREE_OK)
		status = build_lanes_plan(&build->lanes, build->jobs, build->job_count, lanes_max(build),
					  &build->tables, &build->symbols, build->error);
	if (status != HISTREE_OK)
		return status;
	struct memory_plan memory = build->memory;
	for (size_t i = 0; i < build->job_count; i++) {
		struct analysis_job *job = &build->jobs[i];
		job->trace = build->stream.trace;
		job->clock = build->host->clock;
		job->crew = build->crew;
		char *path = build_path(build, job->file);
		if (path == NULL)
			return error_memory(build->error, "a path");
		status = analysis_job_start(job, build->io, path, start_of(build, job, start), build->options,
					    &memory, build_lanes_inputs(&build->lanes, job), build->error);
		free(path);
		if (analysis_job_makes_history(job))
			memory.history = memory.history_cut = memory.beside;
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* What comes next is waited for, and others are let see what there was. */
static enum histree_status wait_for_events(struct build *build, bool *has_failed)
{
	static const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	enum histree_status status = HISTREE_NOT_FOUND;
	while (status == HISTREE_NOT_FOUND) {
		status = build_look_at_clock(build);
		*has_failed = status != HISTREE_OK;
		if (*has_failed)
			return status;
		nanosleep(&pause, NULL);
		status = event_stream_look(&build->stream, build->error);
	}
	return status;
}

/* What comes next, which a live trace may not have yet. */
static inline enum histree_status look_for_events(struct build *build, bool *has_failed)
{
	enum histree_status status = event_stream_look(&build->stream, build->error);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	*has_failed = build->stream.has_failed;
	return status == HISTREE_NOT_FOUND ? wait_for_events(build, has_failed) : status;
}

/* Hand what was looked at to the analyses, of which other lanes have it too if it was read ahead. */
static enum histree_status handle_events(struct build *build)
{
	struct event_stream *stream = &build->stream;
	const bool is_partial = build->options->backend == HISTREE_BACKEND_PARTIAL;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < stream->count && status == HISTREE_OK; i++) {
		if (is_partial)
			status = put_checkpoint(build, &stream->events[i]);
		if (status == HISTREE_OK)
			status = build_handle_event(build, &stream->events[i]);
		build->seen++;
	}
	if (status == HISTREE_OK)
		status = event_stream_pass(stream, build->error);
	if (status != HISTREE_OK || build->seen < build->next_look)
		return status;
	build->next_look = build->seen + EVENTS_PER_LOOK;
	return build_look_at_clock(build);
}

static enum histree_status go_on(void *context, struct histree_error *error)
{
	struct build *build = context;
	(void)error; /* it is the build's */
	return build_look_at_clock(build);
}

/*
 * Have its slices read and analysed, from the first event of the trace on.  HISTREE_END: all of it; *has_failed: it
 * is not the trace that ended it.
 */
static enum histree_status read_slices(struct build *build, bool *has_failed)
{
	struct job_slices *slices = build->jobs[0].slices;
	struct event_index_writer *index = build_makes_store(build->options) ? &build->index : NULL;
	enum histree_status status =
		job_slices_read_alone(slices, &build->stream, index, go_on, build, build->error);
	const struct job_slices_counts counts = job_slices_counts(slices);
	build->end = counts.end > build->end ? counts.end : build->end;
	*has_failed = status != HISTREE_OK;
	return status == HISTREE_OK ? HISTREE_END : status;
}

/*
 * From the first event, with which the analyses begin, to the last.  HISTREE_END: there are no more; *has_failed:
 * it is not the trace that ended it.
 */
static enum histree_status read_events(struct build *build, bool *has_failed)
{
	struct build_lanes *lanes = &build->lanes;
	enum histree_status status = look_for_events(build, has_failed);
	if (status == HISTREE_OK)
		status = begin_analyses(build);
	*has_failed = *has_failed || (status != HISTREE_OK && build->stream.count > 0);
	if (status == HISTREE_OK && build_is_cut(build))
		return read_slices(build, has_failed);
	if (status == HISTREE_OK && build->stream.feed != NULL)
		build_lanes_start(lanes, build->stream.feed);
	while (status == HISTREE_OK && !atomic_load(&lanes->has_failed)) {
		status = handle_events(build);
		if (status == HISTREE_OK)
			status = look_for_events(build, has_failed);
		else
			*has_failed = true;
	}
	return status;
}

/* The same, with the lanes, which come to the end of what was read ahead or are stopped. */
static enum histree_status read_in_lanes(struct build *build, bool *has_failed)
{
	struct event_stream *stream = &build->stream;
	enum histree_status status = read_events(build, has_failed);
	event_stream_end_ahead(stream, *has_failed || atomic_load(&build->lanes.has_failed));
	enum histree_status of_lanes = build_lanes_join(&build->lanes, *has_failed ? NULL : build->error);
	if (!*has_failed && of_lanes != HISTREE_OK) {
		*has_failed = true;
		status = of_lanes;
	}
	event_stream_release_ahead(stream);
	return status;
}

static enum histree_status analyse_events(struct build *build)
{
	bool has_failed = false;

	/*
	 * A crew reads ahead if the build has one.  But a checkpoint, or a slice, says where in its files the
	 * trace is, and an event of a live trace is not to wait for others.
	 */
	const struct histree_build_options *options = build->options;
	bool needs_place = options->backend == HISTREE_BACKEND_PARTIAL || options->slices > 0;
	if (build_makes_store(options))
		build->stream.watch = (struct event_watch){ event_index_see, &build->index };
	if (build->crew != NULL && !needs_place && !trace_is_live(build->stream.trace))
		event_stream_read_ahead(&build->stream, build->crew);
	enum histree_status status = read_in_lanes(build, &has_failed);
	if (has_failed && status != HISTREE_ERR_CANCELLED)
		return status;
	build->is_stopped = status == HISTREE_ERR_CANCELLED && trace_is_live(build->stream.trace) &&
			    trace_report(build->stream.trace).events > 0;
	if (status == HISTREE_ERR_CANCELLED && !build->is_stopped)
		return status;
	if (trace_report(build->stream.trace).events == 0)
		return status < 0 ? status : has_no_events(build);
	if (status < 0 && status != HISTREE_ERR_CANCELLED) { /* what was read is kept */
		build->cut_short =
			strdup(build->error != NULL ? build->error->message : histree_status_text(status));
		if (build->cut_short == NULL)
			return error_memory(build->error, "a message");
	}

	/* What analyses still have to come may end later than the last event. */
	for (size_t i = 0; i < build->job_count; i++) {
		histree_time end;
		status = analysis_job_finish(&build->jobs[i], &end, build->error);
		if (status != HISTREE_OK)
			return status;
		build->end = end > build->end ? end : build->end;
	}
	return HISTREE_OK;
}

/* ---- its files ------------------------------------------------------------------------------------------- */

enum { FILE_THREADS_MAX = 16 };

/* Something that is done with each job and its file, which have nothing to do with one another any more. */
struct each_job {
	struct side_by_side side;
	struct build *build;
	enum histree_status (*work)(struct build *build, struct analysis_job *job, struct histree_error *error);
	double share; /* of the work on the job that is furthest; the side's mutex guards it */
};

static enum histree_status do_job(void *context, size_t job, struct histree_error *error)
{
	struct each_job *each = context;
	return each->work(each->build, &each->build->jobs[job], error);
}

/* A build that was stopped is brought to its end, whatever its caller says. */
static enum histree_status meet_between(void *context, struct histree_error *error)
{
	struct each_job *each = context;
	struct build *build = each->build;
	pthread_mutex_lock(&each->side.mutex);
	build->overviews_share = each->share > 0 ? each->share : build->overviews_share;
	pthread_mutex_unlock(&each->side.mutex);
	enum histree_status status = build->is_stopped ? HISTREE_OK : meet_caller(build, monotonic_ns());
	return status == HISTREE_OK ? HISTREE_OK : error_set(error, status, "cancelled");
}

/* Do it with each job, with several at a time if the build has threads. */
static enum histree_status build_each_job(struct build *build,
					  enum histree_status (*work)(struct build *build, struct analysis_job *job,
								      struct histree_error *error))
{
	const size_t threads =
		build->options->threads < build->job_count ? build->options->threads : build->job_count;
	struct each_job each = {
		.side = { .count = build->job_count,
			  .threads = threads < 2                  ? 0
				     : threads > FILE_THREADS_MAX ? FILE_THREADS_MAX
								  : threads,
			  .work = do_job,
			  .meet = meet_between,
			  .context = &each },
		.build = build,
		.work = work,
	};
	build->each = &each;
	enum histree_status status = side_by_side_run(&each.side, build->error);
	build->each = NULL;
	return status;
}

static enum histree_status close_job(struct build *build, struct analysis_job *job, struct histree_error *error)
{
	return job->is_dropped ? HISTREE_OK : analysis_job_close(job, build->end, error);
}

/* What was published of it goes too. */
static enum histree_status drop_job(struct build *build, struct analysis_job *job)
{
	char *tail;
	if (asprintf(&tail, "%s.tail", job->file) < 0)
		return error_memory(build->error, "a path");
	analysis_job_drop(job);
	folder_remove_file(build->folder.io, build->folder.building, job->file);
	folder_remove_file(build->folder.io, build->folder.building, tail);
	free(tail);
	return HISTREE_OK;
}

static enum histree_status close_jobs(struct build *build)
{
	assert(build->stage == STAGE_READ);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++)
		if (build_leaves_out(build, &build->jobs[i]))
			status = drop_job(build, &build->jobs[i]);
	return status == HISTREE_OK ? build_each_job(build, close_job) : status;
}

/* Whether the work on a file, which is so far, goes on. */
static bool file_goes_on(void *context, double share)
{
	struct build *build = context;
	struct each_job *each = build->each;
	pthread_mutex_lock(&each->side.mutex);
	each->share = share > each->share || each->side.is_alone ? share : each->share;
	pthread_mutex_unlock(&each->side.mutex);
	return build->is_stopped || (side_by_side_goes_on(&each->side) &&
				     (!each->side.is_alone || meet_between(each, NULL) == HISTREE_OK));
}

static bool goes_on_with_file(void *context)
{
	return file_goes_on(context, 0);
}

static enum histree_status write_overviews_of(struct build *build, struct analysis_job *job,
					      struct histree_error *error)
{
	const struct overview_options options = {
		.memory_max = build->memory.history,
		.threads = build->options->threads < 2 ? 1 : 2,
		.crew = build->crew,
		.go_on = file_goes_on,
		.context = build,
	};
	const struct histree_work work = { .go_on = goes_on_with_file, .context = build };
	if (job->is_dropped)
		return HISTREE_OK;
	/* Those of a partial history would lack what it leaves out. */
	if (analysis_job_makes_history(job) && build->options->backend == HISTREE_BACKEND_PARTIAL)
		return HISTREE_OK;
	if (!analysis_job_makes_history(job))
		return histree_segment_store_make_overviews(job->segments, work, error);
	char *path = store_folder_path(&build->folder, job->file);
	enum histree_status status = path != NULL ? overviews_write_fed(build->io, path, &options, job->feed, error)
						  : error_memory(error, "a path");
	overview_feed_free(job->feed);
	job->feed = NULL;
	free(path);
	return status;
}

static enum histree_status write_overviews(struct build *build)
{
	assert(build->stage == STAGE_CLOSED);
	return build->options->no_overviews ? HISTREE_OK : build_each_job(build, write_overviews_of);
}

/* ---- the store ------------------------------------------------------------------------------------------- */

static enum histree_status write_index(struct build *build)
{
	assert(build->stage == STAGE_SUMMED_UP);
	char *path = store_folder_path(&build->folder, EVENT_INDEX_FILE);
	enum histree_status status = path != NULL ? event_index_write(&build->index, build->io, path,
								      &build->index_identity, build->error)
						  : error_memory(build->error, "a path");
	free(path);
	return status;
}

static bool goes_on_opening(void *context)
{
	return meet_caller(context, monotonic_ns()) == HISTREE_OK;
}

/* Read the trace to its end: analyses and the index of events have seen all that can be read of it. */
static enum histree_status build_read_trace(struct build *build)
{
	const struct histree_build_options *options = build->options;
	const struct histree_work work = { .go_on = goes_on_opening, .context = build };
	const struct event_origin origin = {
		.paths = options->traces,
		.path_count = options->trace_count,
		.wants_gaps = !options->ignore_gaps,
		.clock = build->host->clock,
	};
	enum histree_status status = event_stream_open(&build->stream, &origin, &work, build->error);
	build->is_open = status == HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	build->publish_clock =
		publish_clock_begin(options->publish_ns, trace_is_live(build->stream.trace), build->begun_ns);

	/* Who says how many threads there are gets them.  Else a short trace has one, its tree one more. */
	uint64_t bytes = trace_report(build->stream.trace).bytes_total;
	bool is_short = bytes > 0 && bytes < SHORT_BYTES;
	struct histree_build_options *own = &build->own;
	if (own->threads == 0 && !is_short)
		own->threads = processors_count();
	const uint32_t slices = build_choose_slices(build);
	build->chose_slices = own->slices == 0 && slices > 0;
	own->slices = slices;
	if (own->threads != 0)
		own->tree.threads = tree_options_threads(&own->tree, own->threads);

	/* So many threads and this one.  Without a thread to be had, this one does it all. */
	uint32_t threads = build->options->threads;
	if (threads > 1 && crew_begin(&build->own_crew, threads - 1))
		build->crew = &build->own_crew;
	return analyse_events(build);
}

/* ---- a build without a store ----------------------------------------------------------------------------- */

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

/* Build in memory or nowhere, which the result of the options tells of. */
static enum histree_status build_without_store(struct build *build)
{
	struct histree_build_result *result = build->options->result;
	if (result == NULL)
		return error_set(build->error, HISTREE_ERR_ARGUMENT,
				 "a build without a store needs room for its result");
	*result = (struct histree_build_result){ 0 };
	enum histree_status status = build_read_trace(build);
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++)
		status = take_result(build, &build->jobs[i]);
	if (build->stream.trace != NULL)
		result->events = trace_report(build->stream.trace).events;
	result->build_ns = monotonic_ns() - build->begun_ns;
	if (status != HISTREE_OK || !build_is_partial(build))
		return status;
	return error_set(build->error, HISTREE_PARTIAL, "some of the trace could not be read");
}

/* ---- a build, stage by stage ----------------------------------------------------------------------------- */

/* The manifest comes last: a folder that says of itself that it is complete, is. */
static enum histree_status complete_manifest(struct build *build)
{
	return build_write_manifest(build, true, build->end);
}

static enum histree_status make_store(struct build *build)
{
	static enum histree_status (*const stages[])(struct build *) = {
		[STAGE_READ - 1] = build_read_trace,      [STAGE_CLOSED - 1] = close_jobs,
		[STAGE_SUMMED_UP - 1] = write_overviews,  [STAGE_INDEXED - 1] = write_index,
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

static enum histree_status run_build(struct build *build)
{
	const struct histree_build_options *options = build->options;
	enum histree_status status = store_folder_begin(&build->folder, build->io, options->store, options->force,
							options->resume, build->error);
	if (status != HISTREE_OK)
		return status;
	struct leftover leftover;
	status = build_open_old(build);
	if (status == HISTREE_OK)
		status = build_recipe(options, &build->recipe, build->error);
	if (status == HISTREE_OK)
		status = leftover_look(&build->folder, options, build->recipe, &leftover, build->error);
	if (status == HISTREE_OK && !leftover.is_complete) {
		build->resumed_end = leftover.end;
		status = make_store(build);
	}
	if (status == HISTREE_OK)
		status = store_folder_publish(&build->folder, build->error);
	const bool is_lost = status == HISTREE_ERR_CANCELLED &&
			     (!options->keep_cancelled || trace_is_address(options->traces[0]));
	if ((is_lost || options->add) && !options->resume)
		build->folder.keep = false;
	if (status != HISTREE_OK || build->stream.trace == NULL || !build_is_partial(build))
		return status;
	struct trace_report report = trace_report(build->stream.trace);
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

static enum histree_status check_slices(const struct histree_build_options *options, struct histree_error *error)
{
	if (options->slices > 0 && options->backend == HISTREE_BACKEND_PARTIAL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a partial history is built in one pass, without slices");
	if (options->slices > 0 && (options->resume || options->publish_ns != 0))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a build in slices shows nothing before its end, and cannot be resumed");
	return HISTREE_OK;
}

static enum histree_status check_backend(const struct histree_build_options *options, struct histree_error *error)
{
	if (options->backend == HISTREE_BACKEND_DISK)
		return HISTREE_OK;
	if (options->resume)
		return error_set(error, HISTREE_ERR_ARGUMENT, "only a build on disk can be resumed");
	if (options->publish_ns != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "only a history on disk is published while it is built");
	if (trace_is_address(options->traces[0]))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%s': a live trace cannot be read again, and its history goes to disk",
				 options->traces[0]);
	return HISTREE_OK;
}

static enum histree_status read_definitions(struct build *build)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < build->options->definition_count && status == HISTREE_OK; i++)
		status = definition_files_read(&build->definitions, build->options->definitions[i], build->error);
	return status;
}

enum histree_status build_one_host(const struct histree_build_options *options, const struct io *io,
				   const struct build_host *host, struct histree_error *error)
{
	bool has_name = options->store != NULL && options->store[0] != '\0';
	if (options->trace_count == 0 || (build_makes_store(options) && !has_name))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a build needs a trace and a name for the store");
	enum histree_status status = check_backend(options, error);
	if (status == HISTREE_OK)
		status = check_slices(options, error);
	if (status != HISTREE_OK)
		return status;
	if (options->resume && trace_is_address(options->traces[0]))
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"'%s': a live trace cannot be read again from its beginning; 'histree copy --repair' "
			"makes a store "
			"of what was published of it",
			options->traces[0]);
	struct histree_error message; /* always there: a message is part of a partial store */
	struct build build = {
		.own = *options,
		.host = host,
		.io = io,
		.error = &message,
		.folder = { .lock = -1 },
		.published_end = INT64_MIN,
		.begun_ns = monotonic_ns(),
	};
	build.options = &build.own;
	status = read_definitions(&build);
	if (status == HISTREE_OK)
		status = build_makes_store(options) ? run_build(&build) : build_without_store(&build);
	for (size_t i = 0; i < build.job_count; i++)
		analysis_job_release(&build.jobs[i]);
	build_lanes_release(&build.lanes);
	if (build.crew != NULL)
		crew_end(build.crew);
	definitions_release(&build.definitions);
	table_space_release(&build.tables);
	for (size_t i = 0; build.said != NULL && i < build.job_count; i++)
		free(build.said[i]);
	free(build.said);
	free(build.jobs);
	free(build.cut_short);
	free(build.cut_depth);
	free(build.only_events);
	free(build.recipe);
	free(build.table_beside);
	histree_store_close(build.old_store);
	event_index_writer_release(&build.index);
	event_stream_close(&build.stream);
	if (status < 0 && status != HISTREE_ERR_EXISTS && build.folder.keep && build.folder.lock >= 0 &&
	    !host->is_one_of_many)
		say_what_is_kept(&build);
	store_folder_release(&build.folder);
	if (error != NULL && status != HISTREE_OK)
		*error = message;
	return status;
}
