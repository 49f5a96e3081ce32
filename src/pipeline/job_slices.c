// SPDX-License-Identifier: MIT
#include "pipeline/job_slices.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/thread.h"
#include "pipeline/slice_run.h"
#include "state/state_system.h"
#include "tree/leaf_pack.h"

enum {
	KNOWN_SHARE = 64, /* of the time of a slice, what is read before it */
	FIRST_SHARE = 4,  /* of the length of a slice, the first one, for which the threads do not wait */
	THREADS_MAX = 64,
	SLICES_AHEAD = 2,       /* that wait for a thread, or to be handed over, besides those at hand */
	TRACE_EVENT_BYTES = 30, /* of a trace, as most tracers write them: what a number of events stands for */
	SLICE_BYTES_MIN = 4 << 10,
	/* Of the memory of a slice, in sixteenths: what its intervals may have, and the rest. */
	KEPT_MAX = 8,
	LOG_MAX = 8,
};
static const double fill_aim = 0.6; /* of what a slice may have, so much is aimed at */
/* Of the length, the share that a slice may be longer than the one before, or has to be shorter after a failure. */
static const double growth_max = 1.5, shrink = 0.75;
static const double trace_share_first = 0.125; /* bytes of a trace, of those of a slice's memory: a guess */
static const long wait_ns = 50 * 1000 * 1000;

enum slice_step {
	STEP_READ, /* a thread is to read it, or does */
	STEP_COMMIT,
	STEP_MAKE, /* a thread is to make its leaves, or does */
	STEP_TAKE, /* the tree can have them */
};

struct slice {
	struct slice_range range;
	uint64_t bytes;        /* of the trace, about */
	struct slice_run *run; /* NULL: it could not be made */
	struct slice_memory memory;
	enum slice_step step;
	bool is_begun; /* the step is */
	enum histree_status made;
	struct histree_error error;
};

struct job_slices {
	struct job_slices_plan plan;
	struct slice_source source;
	struct slice_frame frame;
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

	/* A ring of slices that were cut: the owner has seen those before `committed`, the tree before `taken`. */
	struct slice *ring;
	size_t ring_size;
	uint64_t cut, committed, taken;
	pthread_mutex_t mutex; /* of the ring's counters and steps */
	pthread_cond_t changed;
	atomic_bool is_of_no_use; /* to have others read slices from here on */
	bool is_stopping;
	pthread_t threads[THREADS_MAX];
	unsigned thread_count;
};

/* ---- threads ------------------------------------------------------------------------------------------------- */

static struct slice *slice_at(struct job_slices *slices, uint64_t number)
{
	return &slices->ring[number % slices->ring_size];
}

/* Leaves first: what waits for them has the most memory. */
static struct slice *find_work(struct job_slices *slices, enum slice_step step)
{
	for (uint64_t number = slices->taken; number < slices->cut; number++) {
		struct slice *slice = slice_at(slices, number);
		if (slice->step == step && !slice->is_begun)
			return slice;
	}
	return NULL;
}

/* Wait for something to do; NULL: there will be nothing. */
static struct slice *next_work(struct job_slices *slices)
{
	struct slice *slice = NULL;
	pthread_mutex_lock(&slices->mutex);
	while (!slices->is_stopping && (slice = find_work(slices, STEP_MAKE)) == NULL &&
	       (slice = find_work(slices, STEP_READ)) == NULL)
		pthread_cond_wait(&slices->changed, &slices->mutex);
	if (slices->is_stopping)
		slice = NULL;
	if (slice != NULL)
		slice->is_begun = true;
	pthread_mutex_unlock(&slices->mutex);
	return slice;
}

static void end_step(struct job_slices *slices, struct slice *slice, enum slice_step next)
{
	pthread_mutex_lock(&slices->mutex);
	slice->step = next;
	slice->is_begun = false;
	pthread_cond_broadcast(&slices->changed);
	pthread_mutex_unlock(&slices->mutex);
}

static void *work(void *context)
{
	struct job_slices *slices = context;
	struct slice_reader *reader = NULL;
	struct leaf_scratch scratch = { 0 };
	struct slice *slice;
	if (slice_reader_open(&slices->source, &reader, NULL) != HISTREE_OK)
		reader = NULL;
	while ((slice = next_work(slices)) != NULL) {
		if (slice->step == STEP_MAKE) {
			slice->made = slice_run_make(slice->run, &scratch, &slice->error);
			end_step(slices, slice, STEP_TAKE);
			continue;
		}
		if (slice->run != NULL)
			slice_run_read(slice->run, reader, slices->pass.index != NULL, &slices->is_of_no_use);
		end_step(slices, slice, STEP_COMMIT);
	}
	leaf_scratch_release(&scratch);
	slice_reader_close(reader);
	return NULL;
}

/* ---- cuts ---------------------------------------------------------------------------------------------------- */

/* Returns how many bytes of the trace the next slice is to have. */
static uint64_t slice_length(const struct job_slices *slices)
{
	if (slices->plan.slice_events != 0)
		return slices->plan.slice_events * TRACE_EVENT_BYTES;
	return slices->length > SLICE_BYTES_MIN ? (uint64_t)slices->length : SLICE_BYTES_MIN;
}

/* Give the next slice to the threads. */
static void cut_slice(struct job_slices *slices)
{
	struct slice *slice = slice_at(slices, slices->cut);
	struct slice_frame frame = slices->frame;
	const struct interval_sink *sink = &slices->system->sink;
	histree_time from = slices->next, before = slices->before;
	slices->before = from;
	slices->next = trace_time_behind(slices->cutter, from, slice_length(slices));
	*slice = (struct slice){
		.range = { .known_from = from - (from - before) / KNOWN_SHARE - 1,
			   .from = from,
			   .to = slices->next },
		.bytes = slice_length(slices),
		.memory = slice->memory,
	};
	bool is_ready = sink->begin_pack == NULL ||
			sink->begin_pack(sink->context, slices->share / 16 * KEPT_MAX, &frame.log.pack, NULL) >= 0;
	if (!is_ready || slice_run_create(&slices->source, &frame, &slice->range, slices->pass.instance,
					  &slice->memory, &slice->run, NULL) != HISTREE_OK)
		slice->run = NULL;
	pthread_mutex_lock(&slices->mutex);
	slices->cut++;
	pthread_cond_broadcast(&slices->changed);
	pthread_mutex_unlock(&slices->mutex);
}

static void cut_slices(struct job_slices *slices)
{
	while (!slices->is_of_no_use && slices->next != INT64_MAX &&
	       slices->cut - slices->taken < slices->ring_size)
		cut_slice(slices);
}

/* ---- the owner ----------------------------------------------------------------------------------------------- */

/* Others need read no slices any more. */
static void give_up(struct job_slices *slices)
{
	atomic_store(&slices->is_of_no_use, true);
}

/* Read up to a time, from where the owner is. */
static enum histree_status read_on(struct job_slices *slices, histree_time to, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (slices->reader == NULL) {
		status = slice_reader_open(&slices->source, &slices->reader, error);
		slices->reads_here = !slices->has_begun; /* it begins with the first event */
	}
	if (status == HISTREE_OK && !slices->reads_here)
		status = slice_reader_go(slices->reader, slices->positions, error);
	slices->reads_here = status == HISTREE_OK;
	if (status == HISTREE_OK)
		status = slice_reader_pass(slices->reader, to, &slices->pass, slices->positions, error);
	slices->has_begun = true;
	if (!slices->plan.analysis->slices->help(slices->pass.instance))
		give_up(slices);
	return status;
}

/* Have the next slices as long as memory allows, going by one that was of use. */
static void learn_length(struct job_slices *slices, const struct slice *slice)
{
	struct slice_bytes bytes = slice_run_bytes(slice->run);
	double kept = (double)bytes.kept / ((double)slices->share / 16 * KEPT_MAX);
	double log = (double)bytes.log / ((double)slices->share / 16 * LOG_MAX);
	double fill = kept > log ? kept : log, factor = fill > 0 ? fill_aim / fill : growth_max;
	slices->length = (double)slice->bytes * (factor < growth_max ? factor : growth_max);
}

/* The oldest slice that was read. */
static enum histree_status commit(struct job_slices *slices, struct slice *slice, struct histree_error *error)
{
	enum slice_outcome outcome = SLICE_IS_OF_NO_USE;
	enum histree_status status = HISTREE_NOT_FOUND;
	slices->counts.slices++;
	if (slice->run != NULL && !slices->is_of_no_use)
		outcome = slice_run_outcome(slice->run, slices->positions);
	if (outcome == SLICE_IS_OF_USE)
		learn_length(slices, slice);
	if (outcome == SLICE_IS_OF_USE)
		status = slice_run_commit(slice->run, &slices->pass, slices->positions, error);
	if (status == HISTREE_OK) {
		slices->counts.taken++;
		slices->reads_here = false;
		return HISTREE_OK;
	}
	slice_run_free(slice->run);
	slice->run = NULL;
	slices->length *= shrink; /* it may have been too long */
	if (outcome == SLICE_HAS_MORE)
		give_up(slices);
	return status == HISTREE_NOT_FOUND ? read_on(slices, slice->range.to, error) : status;
}

/* The leaves of the oldest slice, which are made, go into the tree. */
static enum histree_status take(struct job_slices *slices, struct slice *slice, struct histree_error *error)
{
	const struct interval_sink *sink = &slices->system->sink;
	enum histree_status status = slice->made;
	const struct leaf_pack *pack = slice->run != NULL ? slice_run_pack(slice->run) : NULL;
	if (status != HISTREE_OK)
		error_set(error, status, "%s", slice->error.message);
	else if (pack != NULL)
		status = sink->take_pack(sink->context, pack, error);
	slices->bytes_done += slice->bytes;
	slice_run_free(slice->run);
	slice->run = NULL;
	return status;
}

/* Returns whether the slice has come to a step, after a while of waiting for it if `waits`. */
static bool has_come_to(struct job_slices *slices, const struct slice *slice, enum slice_step step, bool waits)
{
	struct timespec until;
	pthread_mutex_lock(&slices->mutex);
	if (waits && slice->step != step) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += wait_ns;
		until.tv_sec += until.tv_nsec / (1000 * 1000 * 1000);
		until.tv_nsec %= 1000 * 1000 * 1000;
		pthread_cond_timedwait(&slices->changed, &slices->mutex, &until);
	}
	bool has_come = slice->step == step;
	pthread_mutex_unlock(&slices->mutex);
	return has_come;
}

static void count_up(struct job_slices *slices, uint64_t *counter)
{
	pthread_mutex_lock(&slices->mutex);
	++*counter;
	pthread_mutex_unlock(&slices->mutex);
}

/* Do what can be done with the oldest slices.  *waits becomes false if that is something. */
static enum histree_status advance(struct job_slices *slices, bool *waits, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (slices->taken < slices->committed && has_come_to(slices, slice_at(slices, slices->taken), STEP_TAKE,
							     *waits && slices->committed == slices->cut)) {
		status = take(slices, slice_at(slices, slices->taken), error);
		count_up(slices, &slices->taken);
		*waits = false;
	}
	if (status != HISTREE_OK || slices->committed == slices->cut)
		return status;
	struct slice *slice = slice_at(slices, slices->committed);
	if (!has_come_to(slices, slice, STEP_COMMIT, *waits))
		return HISTREE_OK;
	*waits = false;
	status = commit(slices, slice, error);
	end_step(slices, slice, slice->run != NULL ? STEP_MAKE : STEP_TAKE);
	count_up(slices, &slices->committed);
	return status;
}

/* Nothing is left of slices: the rest of the trace, if there is any. */
static enum histree_status read_rest(struct job_slices *slices, struct histree_error *error)
{
	bool has_rest = slices->is_of_no_use && slices->next != INT64_MAX;
	slices->next = INT64_MAX;
	return has_rest ? read_on(slices, INT64_MAX, error) : HISTREE_OK;
}

/* One step; HISTREE_END: everything was seen. */
static enum histree_status step(struct job_slices *slices, bool waits, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	histree_time first = slices->next;
	cut_slices(slices);
	if (!slices->has_begun)
		return read_on(slices, first, error);
	if (slices->taken < slices->cut)
		return advance(slices, &waits, error);
	status = read_rest(slices, error);
	slices->is_over = status == HISTREE_OK;
	return status == HISTREE_OK ? HISTREE_END : status;
}

enum histree_status job_slices_step(struct job_slices *slices, struct histree_error *error)
{
	enum histree_status status = slices->is_over ? HISTREE_END : step(slices, false, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status job_slices_finish(struct job_slices *slices, struct histree_error *error)
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

static enum histree_status cannot_be_cut(const struct job_slices_plan *plan, struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_ARGUMENT,
		"'%s': cannot be cut in time, as slices have to be: that takes a CTF trace whose files are a "
		"stream each and whose packets say when they begin; build it without slices",
		plan->traces[0]);
}

static void describe(struct job_slices *slices, const struct trace *trace)
{
	const struct job_slices_plan *plan = &slices->plan;
	slices->source = (struct slice_source){
		.analysis = plan->analysis,
		.traces = plan->traces,
		.trace_count = plan->trace_count,
		.ignores_gaps = plan->ignores_gaps,
		.clock = plan->clock,
		.bytes = trace_bytes(trace),
		.file_count = trace_file_count(trace),
	};
	slices->frame = (struct slice_frame){
		.analysis = plan->analysis,
		.log = { .start = histree_state_start(slices->system),
			 .value_size_max = slices->system->sink.value_size_max,
			 .bytes_max = slices->share / 16 * LOG_MAX },
	};
}

static void start_threads(struct job_slices *slices)
{
	while (slices->thread_count < slices->plan.threads && slices->thread_count < THREADS_MAX &&
	       thread_create(&slices->threads[slices->thread_count], work, slices))
		slices->thread_count++;
	if (slices->thread_count == 0)
		give_up(slices);
}

enum histree_status job_slices_create(const struct job_slices_plan *plan, const struct trace *trace,
				      struct histree_state_system *system, struct job_slices **out,
				      struct histree_error *error)
{
	struct job_slices *slices = *out = calloc(1, sizeof(*slices));
	if (slices == NULL)
		return error_memory(error, "the slices of a trace");
	pthread_mutex_init(&slices->mutex, NULL);
	pthread_cond_init(&slices->changed, NULL);
	slices->plan = *plan;
	slices->system = system;
	slices->cutter = trace;
	slices->ring_size = plan->threads + SLICES_AHEAD;
	slices->share = plan->memory / slices->ring_size;
	slices->length = (double)slices->share * trace_share_first;
	slices->pass.last = INT64_MIN;
	describe(slices, trace);
	slices->ring = calloc(slices->ring_size, sizeof(*slices->ring));
	slices->positions = calloc(slices->source.file_count + 1, sizeof(*slices->positions));
	enum histree_status status = slices->ring != NULL && slices->positions != NULL
					     ? HISTREE_OK
					     : error_memory(error, "the slices of a trace");
	if (status == HISTREE_OK) {
		slices->before = trace_time_here(trace);
		slices->next = trace_time_behind(trace, slices->before, slice_length(slices) / FIRST_SHARE);
		if (slices->next == INT64_MIN)
			status = cannot_be_cut(plan, error);
	}
	if (status == HISTREE_OK)
		start_threads(slices);
	if (status != HISTREE_OK) {
		job_slices_free(slices);
		*out = NULL;
	}
	return status;
}

enum histree_status job_slices_input(struct job_slices *slices, void **input, struct histree_error *error)
{
	return analysis_inputs_get(&slices->inputs, slices->plan.analysis->input, input, error);
}

void job_slices_own(struct job_slices *slices, void *instance)
{
	slices->pass.inputs = &slices->inputs;
	slices->pass.instance = instance;
}

enum histree_status job_slices_read_alone(struct job_slices *slices, struct trace *trace, const struct event *first,
					  struct event_index_writer *index,
					  enum histree_status (*go_on)(void *context, struct histree_error *error),
					  void *context, struct histree_error *error)
{
	slices->pass.index = index;
	slices->pass.go_on = go_on;
	slices->pass.context = context;
	slices->reads_here = true;
	enum histree_status status = slice_reader_over(&slices->source, trace, first, &slices->reader, error);
	return status == HISTREE_OK ? job_slices_finish(slices, error) : status;
}

struct job_slices_counts job_slices_counts(const struct job_slices *slices)
{
	struct job_slices_counts counts = slices->counts;
	counts.events = slices->pass.events;
	counts.end = slices->pass.last;
	counts.share = slices->is_over ? 1 : (double)slices->bytes_done / ((double)slices->source.bytes + 1);
	return counts;
}

void job_slices_free(struct job_slices *slices)
{
	if (slices == NULL)
		return;
	give_up(slices);
	pthread_mutex_lock(&slices->mutex);
	slices->is_stopping = true;
	pthread_cond_broadcast(&slices->changed);
	pthread_mutex_unlock(&slices->mutex);
	for (unsigned i = 0; i < slices->thread_count; i++)
		pthread_join(slices->threads[i], NULL);
	for (size_t i = 0; i < slices->ring_size && slices->ring != NULL; i++) {
		slice_run_free(slices->ring[i].run);
		index_part_release(&slices->ring[i].memory.part);
	}
	free(slices->ring);
	free(slices->positions);
	slice_reader_close(slices->reader);
	analysis_inputs_release(&slices->inputs);
	pthread_cond_destroy(&slices->changed);
	pthread_mutex_destroy(&slices->mutex);
	free(slices);
}
