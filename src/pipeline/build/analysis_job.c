// SPDX-License-Identifier: MIT
/*
 * analysis_job.c - one analysis of one trace by several threads, and the table of what a build can run: analyses of
 * states, of segments, and of definitions.
 */
#include "pipeline/build/analysis_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/definition/definition_files.h"
#include "analysis/registry.h"
#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "event_index/event_index.h"
#include "histree/build.h"
#include "histree/history.h"
#include "histree/store.h"
#include "overview/overview_feed.h"
#include "partial/partial_history.h"
#include "pipeline/build/slice_worker.h"
#include "pipeline/build_plan.h"
#include "pipeline/slices.h"
#include "segment/segment_memory.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "trace/event_stream.h"
#include "tree/leaf_pack.h"

/* ---- analysis job -------------------------------------------------------------------------------------------- */

struct job_slices_plan {
	const struct analysis *analysis; /* that can be cut */
	const char *const *traces;       /* paths, borrowed */
	size_t trace_count;
	bool ignores_gaps;
	const struct histree_clock *clock; /* by which times are corrected; NULL: they are not */
	unsigned threads;                  /* that analyse */
	uint64_t slice_events;             /* about; 0: as memory allows */
	size_t memory;                     /* of all slices, in bytes */
	struct histree_slice_post
		*post; /* borrowed: workers in other processes read slices too; NULL: there are none */
};

static void job_slices_free(struct job_slices *slices);

/* ---- job slices ---------------------------------------------------------------------------------------------- */

enum {
	KNOWN_SHARE = 64,       /* of the time of a slice, what is read before it */
	FIRST_SHARE = 4,        /* of the length of a slice, the first one, for which the threads do not wait */
	SLICES_AHEAD = 2,       /* that wait for a thread, or to be handed over, besides those at hand */
	TRACE_EVENT_BYTES = 30, /* of a trace, as most tracers write them: what a number of events stands for */
	SLICE_BYTES_MIN = 4 << 10,
	SENT_MAX = 1 << 30, /* of the memory of a slice that may be sent: messages are of less than 2 GiB */
	/* Of the memory of a slice, in sixteenths: what its intervals may have, and the rest. */
	KEPT_MAX = 8,
	LOG_MAX = 8,
};

static const double fill_aim = 0.6; /* of what a slice may have, so much is aimed at */

/* Of the length, the share that a slice may be longer than the one before, or has to be shorter after a failure. */
static const double growth_max = 1.5, shrink = 0.75;

static const double trace_share_first = 0.125; /* bytes of a trace, of those of a slice's memory: a guess */

struct job_slices {
	struct job_slices_plan plan;
	struct histree_state_system *system; /* borrowed */
	const struct trace *cutter;          /* borrowed: says where to cut */
	histree_time before, next; /* the cut that was made last, and the next one; INT64_MAX: there is none */
	double length;             /* bytes of the trace that a slice is to have */
	size_t share;              /* of the memory, of a slice */

	/* The owner: the instance that sees everything. */
	struct slice_reader *reader; /* of what it reads itself; NULL: it is not open yet */
	bool reads_here;             /* the reader is where the owner is */
	struct analysis_inputs inputs;
	struct slice_pass pass;
	struct trace_position *positions; /* where it is */
	bool has_begun, is_over;
	struct job_slices_counts counts;
	uint64_t bytes_done;

	struct slice_crew crew;
};

/* ---- cuts ---------------------------------------------------------------------------------------------------- */

/* Returns how many bytes of the trace the next slice is to have. */
static uint64_t slice_length(const struct job_slices *slices)
{
	if (slices->plan.slice_events != 0)
		return slices->plan.slice_events * TRACE_EVENT_BYTES;
	return slices->length > SLICE_BYTES_MIN ? (uint64_t)slices->length : SLICE_BYTES_MIN;
}

/* Have somebody read the next slice. */
static void cut_slice(struct job_slices *slices)
{
	struct slice_ring *ring = &slices->crew.ring;
	struct slice *slice = slice_ring_at(ring, ring->cut);
	histree_time from = slices->next, before = slices->before;
	slices->before = from;
	slices->next = trace_time_behind(slices->cutter, from, slice_length(slices));
	*slice = (struct slice){
		.number = ring->cut,
		.range = { .known_from = from - (from - before) / KNOWN_SHARE - 1,
			   .from = from,
			   .to = slices->next },
		.bytes = slice_length(slices),
		.is_indexed = slices->pass.index != NULL,
		.hint = slice->hint,
		.memory = slice->memory,
		.step = STEP_READ,
		.worker = SLICE_WORKER_HERE,
	};
	slice->hint.size = 0;
	(void)slices->plan.analysis->slices->hint(slices->pass.instance, &slice->hint);
	if (slice->hint.failed) /* then nothing is known */
		byte_buffer_release(&slice->hint);
	slice_ring_cut(ring);
}

/* ---- the owner ----------------------------------------------------------------------------------------------- */

/* Others need read no slices any more. */
static void give_up(struct job_slices *slices)
{
	atomic_store(&slices->crew.is_of_no_use, true);
}

/* Read up to a time, from where the owner is. */
static enum histree_status read_on(struct job_slices *slices, histree_time to, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (slices->reader == NULL) {
		status = slice_reader_open(&slices->crew.plan.source, NULL, &slices->reader, error);
		slices->reads_here = !slices->has_begun; /* it begins with the first event */
	}
	if (status == HISTREE_OK && !slices->reads_here)
		status = slice_reader_go(slices->reader, slices->positions, error);
	slices->reads_here = status == HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	const struct trace_report before = trace_report(slices->reader->stream->trace);
	status = slice_reader_pass(slices->reader, to, &slices->pass, slices->positions, error);
	slices->has_begun = true;
	/* What a stream has to say at its end is forgotten where it is left. */
	if (!slices->plan.analysis->slices->hint(slices->pass.instance, NULL) ||
	    slice_reader_has_said_more(slices->reader, &before))
		give_up(slices);
	return status;
}

/* Have the next slices as long as memory allows, going by one that was of use. */
static void learn_length(struct job_slices *slices, const struct slice *slice)
{
	struct slice_bytes bytes = slice->run->size;
	double kept = (double)bytes.kept / ((double)slices->share / 16 * KEPT_MAX);
	double log = (double)bytes.log / ((double)slices->share / 16 * LOG_MAX);
	double fill = kept > log ? kept : log, factor = fill > 0 ? fill_aim / fill : growth_max;
	slices->length = (double)slice->bytes * (factor < growth_max ? factor : growth_max);
}

/* The oldest slice that was read.  One that is of no use is left to the owner, once those before it are taken. */
static enum histree_status commit(struct job_slices *slices, struct slice *slice, struct histree_error *error)
{
	enum slice_outcome outcome = SLICE_IS_OF_NO_USE;
	enum histree_status status = HISTREE_NOT_FOUND;
	slices->counts.slices++;
	if (slice->run != NULL && !slices->crew.is_of_no_use)
		outcome = slice_run_outcome(slice->run, slices->positions);
	if (outcome == SLICE_IS_OF_USE) {
		learn_length(slices, slice);
		status = slice_run_commit(slice->run, &slices->pass, slices->positions, error);
	}
	if (slices->plan.post != NULL)
		slice_post_count(slices->plan.post, slice_ring_worker(&slices->crew.ring, slice),
				 status == HISTREE_OK);
	if (status == HISTREE_OK) {
		slices->counts.taken++;
		slices->reads_here = false;
		return HISTREE_OK;
	}
	slice_run_free(slice->run);
	slice->run = NULL;
	slice->is_refused = status == HISTREE_NOT_FOUND;
	slices->length *= shrink; /* it may have been too long */
	if (outcome == SLICE_HAS_MORE)
		give_up(slices);
	return slice->is_refused ? HISTREE_OK : status;
}

/* What is made of the oldest slice goes into the tree and the index. */
static enum histree_status slice_take(struct job_slices *slices, struct slice *slice, struct histree_error *error)
{
	enum histree_status status = slice->made;
	if (status != HISTREE_OK)
		error_set(error, status, "%s", slice->error.message);
	else if (slice->run != NULL)
		status = slice_run_take(slice->run, slices->pass.index, &slices->system->sink, error);
	if (status == HISTREE_ERR_FORMAT && slice->worker != SLICE_WORKER_HERE)
		error_prefix(error, "rank %d", slice->worker + 1);
	slices->bytes_done += slice->bytes;
	slice_run_free(slice->run);
	slice->run = NULL;
	return status;
}

/* Take the oldest slice if it has come to that.  *waits becomes false then. */
static enum histree_status take_oldest(struct job_slices *slices, bool *waits, struct histree_error *error)
{
	struct slice_ring *ring = &slices->crew.ring;
	struct slice *slice = slice_ring_at(ring, ring->taken);
	/* Nothing else is to be done before it is taken. */
	bool is_next = ring->committed == ring->cut || slice_ring_at(ring, ring->committed)->is_refused;
	if (!slice_ring_has_come(ring, slice, STEP_TAKE, *waits && is_next))
		return HISTREE_OK;
	enum histree_status status = slice_take(slices, slice, error);
	slice_ring_count(ring, &ring->taken);
	*waits = false;
	return status;
}

/* Do what can be done with the oldest slices.  *waits becomes false if that is something. */
static enum histree_status advance(struct job_slices *slices, bool *waits, struct histree_error *error)
{
	struct slice_ring *ring = &slices->crew.ring;
	enum histree_status status = HISTREE_OK;
	if (ring->taken < ring->committed)
		status = take_oldest(slices, waits, error);
	if (status != HISTREE_OK || ring->committed == ring->cut)
		return status;
	struct slice *slice = slice_ring_at(ring, ring->committed);
	if (!slice->is_refused) {
		if (!slice_ring_has_come(ring, slice, STEP_COMMIT, *waits))
			return HISTREE_OK;
		*waits = false;
		status = commit(slices, slice, error);
	}
	if (status == HISTREE_OK && slice->is_refused) {
		if (ring->taken < ring->committed) /* the index has not come here */
			return HISTREE_OK;
		*waits = false;
		status = read_on(slices, slice->range.to, error);
	}
	slice_ring_end_step(ring, slice, slice->run != NULL ? STEP_MAKE : STEP_TAKE);
	slice_ring_count(ring, &ring->committed);
	return status;
}

/* Nothing is left of slices: the rest of the trace, if there is any. */
static enum histree_status read_rest(struct job_slices *slices, struct histree_error *error)
{
	bool has_rest = slices->crew.is_of_no_use && slices->next != INT64_MAX;
	slices->next = INT64_MAX;
	return has_rest ? read_on(slices, INT64_MAX, error) : HISTREE_OK;
}

/* One step; HISTREE_END: everything was seen. */
static enum histree_status step(struct job_slices *slices, bool waits, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	histree_time first = slices->next;
	if (slices->plan.post != NULL)
		status = slice_post_check(slices->plan.post, error);
	if (status != HISTREE_OK)
		return status;
	while (!slices->crew.is_of_no_use && slices->next != INT64_MAX && slice_ring_has_room(&slices->crew.ring))
		cut_slice(slices);
	if (!slices->has_begun)
		return read_on(slices, first, error);
	if (slices->crew.ring.taken < slices->crew.ring.cut)
		return advance(slices, &waits, error);
	status = read_rest(slices, error);
	slices->is_over = status == HISTREE_OK;
	return status == HISTREE_OK ? HISTREE_END : status;
}

/* Somebody else reads the trace: hand over what is done by now, without waiting for it. */
static enum histree_status job_slices_step(struct job_slices *slices, struct histree_error *error)
{
	enum histree_status status = slices->is_over ? HISTREE_END : step(slices, false, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* The instance has seen everything when this returns. */
static enum histree_status job_slices_finish(struct job_slices *slices, struct histree_error *error)
{
	enum histree_status status = slices->is_over ? HISTREE_END : HISTREE_OK;
	while (status == HISTREE_OK) {
		status = step(slices, true, error);
		if (status == HISTREE_OK && slices->pass.go_on != NULL)
			status = slices->pass.go_on(slices->pass.context, error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- from the beginning to the end --------------------------------------------------------------------------- */

static const char cannot_be_cut[] = "cannot be cut in time, as slices have to be: that takes a CTF trace whose "
				    "files are a stream each and whose "
				    "packets say when they begin; build it without slices";

bool job_slices_can_cut(const struct trace *trace, histree_time from)
{
	return trace_time_behind(trace, from, SLICE_BYTES_MIN) != INT64_MIN;
}

/* Others make their packs by the tree of the history, and of what they have in their own memory. */
static void describe(struct job_slices *slices, const struct trace *trace)
{
	const struct job_slices_plan *plan = &slices->plan;
	const struct interval_sink *sink = &slices->system->sink;
	slices->crew.plan = (struct slice_plan){
		.source = {
			.analysis = plan->analysis,
			.origin = { .paths = plan->traces,
				    .path_count = plan->trace_count,
				    .wants_gaps = !plan->ignores_gaps,
				    .clock = plan->clock,
				    .bytes = trace_bytes(trace),
				    .file_count = trace_file_count(trace),
				    .changed = slice_changed },
		},
		.frame = {
			.start = histree_state_start(slices->system),
			.value_size_max = sink->value_size_max,
			.bytes_max = slices->share / 16 * LOG_MAX,
		},
		.has_packs = sink->packs != NULL,
		.kept_max = slices->share / 16 * KEPT_MAX,
	};
	if (sink->packs != NULL)
		slices->crew.plan.tree = *sink->packs;
}

/*
 * Begin; the trace has given its first event.  The instance of the system comes later (job_slices_own()), as it has
 * an input of this.  Returns HISTREE_ERR_ARGUMENT if the trace cannot be cut.
 */
static enum histree_status job_slices_create(const struct job_slices_plan *plan, const struct trace *trace,
					     struct histree_state_system *system, struct job_slices **out,
					     struct histree_error *error)
{
	struct job_slices *slices = *out = calloc(1, sizeof(*slices));
	if (slices == NULL)
		return error_memory(error, "the slices of a trace");
	slices->plan = *plan;
	size_t size = plan->threads + SLICES_AHEAD;
	/* Times that are corrected would be so by each worker, which is not told how. */
	if (plan->post != NULL && plan->clock != NULL) {
		slice_post_refuse(plan->post, "its times are corrected");
		slices->plan.post = NULL;
	}
	if (slices->plan.post != NULL)
		size += slice_post_slices(slices->plan.post);
	slices->system = system;
	slices->cutter = trace;
	slices->share = plan->memory / size;
	if (slices->plan.post != NULL && slices->share > SENT_MAX)
		slices->share = SENT_MAX;
	slices->length = (double)slices->share * trace_share_first;
	slices->pass.last = INT64_MIN;
	describe(slices, trace);
	slices->positions = calloc(slices->crew.plan.source.origin.file_count + 1, sizeof(*slices->positions));
	bool has_room = slice_crew_init(&slices->crew, size) && slices->positions != NULL;
	enum histree_status status = has_room ? HISTREE_OK : error_memory(error, "the slices of a trace");
	if (status == HISTREE_OK && !job_slices_can_cut(trace, trace_time_here(trace)))
		status = error_set(error, HISTREE_ERR_ARGUMENT, "'%s': %s", plan->traces[0], cannot_be_cut);
	if (status == HISTREE_OK) {
		slices->before = trace_time_here(trace);
		slices->next = trace_time_behind(trace, slices->before, slice_length(slices) / FIRST_SHARE);
		if (slices->plan.post != NULL)
			slice_post_attach(slices->plan.post, &slices->crew);
		if (slice_crew_start(&slices->crew, plan->threads) == 0)
			give_up(slices);
	}
	if (status != HISTREE_OK) {
		job_slices_free(slices);
		*out = NULL;
	}
	return status;
}

/* Returns the input for the instance that sees everything; NULL if the analysis has none. */
static enum histree_status job_slices_input(struct job_slices *slices, void **input, struct histree_error *error)
{
	return analysis_inputs_get(&slices->inputs, slices->plan.analysis->input, input, error);
}

/* That instance, which is borrowed. */
static void job_slices_own(struct job_slices *slices, void *instance)
{
	slices->pass.inputs = &slices->inputs;
	slices->pass.instance = instance;
}

enum histree_status job_slices_read_alone(struct job_slices *slices, struct event_stream *stream,
					  struct event_index_writer *index,
					  enum histree_status (*go_on)(void *context, struct histree_error *error),
					  void *context, struct histree_error *error)
{
	slices->pass.index = index;
	slices->pass.go_on = go_on;
	slices->pass.context = context;
	slices->reads_here = true;
	enum histree_status status = slice_reader_open(&slices->crew.plan.source, stream, &slices->reader, error);
	return status == HISTREE_OK ? job_slices_finish(slices, error) : status;
}

struct job_slices_counts job_slices_counts(const struct job_slices *slices)
{
	struct job_slices_counts counts = slices->counts;
	counts.events = slices->pass.events;
	counts.end = slices->pass.last;
	counts.share = slices->is_over
			       ? 1
			       : (double)slices->bytes_done / ((double)slices->crew.plan.source.origin.bytes + 1);
	return counts;
}

/* End the threads and free everything; NULL does nothing. */
static void job_slices_free(struct job_slices *slices)
{
	if (slices == NULL)
		return;
	slice_crew_end(&slices->crew);
	if (slices->plan.post != NULL)
		slice_post_attach(slices->plan.post, NULL);
	slice_crew_release(&slices->crew);
	free(slices->positions);
	slice_reader_close(slices->reader);
	analysis_inputs_release(&slices->inputs);
	free(slices);
}

/* ---- analysis job -------------------------------------------------------------------------------------------- */

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

/* Where others only offer to read slices, a trace that cannot be cut is built without. */
static bool is_cut(const struct analysis_job *job, const struct histree_build_options *build)
{
	if (build->slices == 0 || job->entry->analysis == NULL || job->entry->analysis->slices == NULL)
		return false;
	if (build->slice_post == NULL || job_slices_can_cut(job->trace, trace_time_here(job->trace)))
		return true;
	slice_post_refuse(build->slice_post, "a trace is cut that is CTF, with a file a stream and packets that "
					     "say when they begin");
	return false;
}

enum { FED_BYTES_MIN = 8 << 20 };

/* Whether a history is likely to have overviews: a state takes eight bytes of a trace at least, about. */
static bool is_fed(const struct analysis_job *job, const struct histree_build_options *build)
{
	const uint64_t bytes = trace_bytes(job->trace);
	return !build->no_overviews && !build->resume && !is_cut(job, build) &&
	       (bytes == 0 || bytes >= FED_BYTES_MIN);
}

/* Overviews are made of states as they end. */
static enum histree_status create_fed(struct analysis_job *job, const struct io *io,
				      const struct histree_history_options *options,
				      const struct state_shared *shared, struct histree_error *error)
{
	const struct overview_options overviews = { .memory_max = options->tree.memory_max };
	struct interval_sink sink;
	enum histree_status status = state_file_sink(io, options, shared, &sink, error);
	if (status != HISTREE_OK)
		return status;
	const struct overview_feed_plan plan = { .provider = options->provider,
						 .start = options->start,
						 .options = &overviews,
						 .tables = shared->tables,
						 .of_attributes = sink.tables };
	status = overview_feed_create(&plan, &job->feed, error);
	if (status == HISTREE_OK) {
		overview_feed_stand_before(job->feed, &sink);
		status = state_system_create(options->start, &sink, &job->system, error);
	}
	if (status != HISTREE_OK) {
		sink.free(sink.context);
		return status;
	}
	job->system->null_empty_stacks = options->null_empty_stacks;
	overview_feed_watch(job->feed, histree_state_attributes(job->system), &job->system->ongoing);
	return HISTREE_OK;
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
	return is_fed(job, build) ? create_fed(job, io, options, &shared, error)
				  : state_file_create_in(io, options, &shared, &job->system, error);
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
		status = analysis->create(analysis, job->system, input, &job->instance, error);
	if (status == HISTREE_OK && job->slices != NULL)
		job_slices_own(job->slices, job->instance);
	return status;
}

/* How many fields a segment has, which is told before the first one is made. */
static size_t fields_of(const struct segment_analysis *analysis, const struct trace *trace)
{
	for (size_t i = 0; analysis->has_more != NULL && i < trace_count(trace); i++)
		if (analysis->has_more(trace_at(trace, i)))
			return analysis->field_count + analysis->more_fields;
	return analysis->field_count;
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
			.field_count = fields_of(analysis, job->trace),
		},
		.memory_max = memory,
	};
	/* What a build that was cut off left of it is of no use. */
	if (build->resume)
		io->unlink(io->context, path);
	enum histree_status status = segment_store_create(io, &options, &job->segments, error);
	return status == HISTREE_OK ? segment_analysis_create(analysis, job->segments, input, &job->instance, error)
				    : status;
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

__attribute__((cold)) enum histree_status
analysis_job_failed(const struct analysis_job *job, enum histree_status status, struct histree_error *error)
{
	error_prefix(error, "analysis '%s'", registry_name(job->entry));
	return status;
}

/* Whether the analysis applies to a trace, which may be met for the first time. */
static enum histree_status applies_to(struct analysis_job *job, const struct event_trace *trace, bool *out,
				      struct histree_error *error)
{
	*out = trace->id < job->trace_count && job->applies[trace->id];
	return trace->id < job->trace_count ? HISTREE_OK : analysis_job_meet(job, trace, out, error);
}

/* Of a job that is cut in time, which reads its events itself: others only say how far they are. */
static enum histree_status pass_by(void *instance, const struct event *event, struct histree_error *error)
{
	struct analysis_job *job = instance;
	(void)event;
	return ++job->passed % EVENTS_PER_STEP == 0 ? job_slices_step(job->slices, error) : HISTREE_OK;
}

enum histree_status analysis_job_gap(struct analysis_job *job, const struct event_gap *gap,
				     struct histree_error *error)
{
	bool applies;
	enum histree_status status = applies_to(job, gap->trace, &applies, error);
	if (status == HISTREE_OK && job->slices != NULL)
		return pass_by(job, NULL, error);
	if (status == HISTREE_OK && applies)
		status = handle_gap(job, gap, error);
	return status < 0 ? analysis_job_failed(job, status, error) : HISTREE_OK;
}

enum histree_status analysis_job_taker(struct analysis_job *job, const struct event_class *class,
				       struct event_taker *out, struct histree_error *error)
{
	const struct analysis *analysis = job->entry->analysis;
	const struct segment_analysis *segments = job->entry->segments;
	bool applies;
	*out = (struct event_taker){ .job = job };
	enum histree_status status = applies_to(job, class->trace, &applies, error);
	if (status == HISTREE_OK && job->slices != NULL) {
		out->instance = job;
		out->take = pass_by;
	} else if (status == HISTREE_OK && applies) {
		bool (*wants)(const void *, const struct event_class *) =
			analysis != NULL ? analysis->wants : segments->wants;
		out->instance = job->instance;
		if (wants == NULL || wants(job->instance, class))
			out->take = analysis != NULL ? analysis->event : segments->event;
	}
	return status;
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

void analysis_job_drop(struct analysis_job *job)
{
	histree_state_free(job->system);
	histree_segment_store_close(job->segments);
	overview_feed_free(job->feed);
	job->system = NULL;
	job->segments = NULL;
	job->feed = NULL;
	job->is_dropped = true;
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
	struct segment_counts counts = segment_analysis_counts(analysis, job->instance);
	return (struct histree_store_segments){
		.analysis = analysis->name,
		.analysis_version = analysis->version,
		.file = job->file,
		.without_start = counts.without_start,
		.without_end = counts.without_end,
		.identity = identity,
	};
}

bool analysis_job_is_empty(const struct analysis_job *job)
{
	bool (*is_empty)(const void *) =
		analysis_job_makes_history(job) ? job->entry->analysis->is_empty : job->entry->segments->is_empty;
	return is_empty != NULL && is_empty(job->instance);
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
	overview_feed_free(job->feed);
	histree_segment_store_close(job->segments);
	free(job->applies);
	free(job->file);
}

/* ---- analyses ------------------------------------------------------------------------------------------------ */

static struct histree_analysis_info info_of(const struct registry_entry *entry)
{
	return (struct histree_analysis_info){
		.name = registry_name(entry),
		.version = registry_version(entry),
		.summary = entry->analysis != NULL ? entry->analysis->summary : entry->segments->summary,
		.makes_segments = entry->segments != NULL,
		.by_default = !entry->is_variant,
		.events = entry->events,
	};
}

bool histree_analysis(size_t index, struct histree_analysis_info *out)
{
	const struct registry_entry *entry = registry_at(index);
	if (entry == NULL)
		return false;
	*out = info_of(entry);
	return true;
}

const char *histree_analysis_shipped(size_t index)
{
	return definition_shipped(index);
}

enum histree_status histree_analyses_defined(const char *const *paths, size_t count,
					     void (*tell)(void *context,
							  const struct histree_analysis_info *analysis),
					     void *context, struct histree_error *error)
{
	struct definitions definitions = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = definition_files_read(&definitions, paths[i], error);
	for (size_t i = 0; i < definitions.count && status == HISTREE_OK; i++) {
		size_t entries;
		const struct registry_entry *entry = program_analysis_entries(definitions.analyses[i], &entries);
		struct histree_analysis_info info = info_of(entry); /* of two, states come first */
		tell(context, &info);
	}
	definitions_release(&definitions);
	return status;
}
