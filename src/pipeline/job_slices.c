// SPDX-License-Identifier: MIT
#include "pipeline/job_slices.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/slice_run.h"
#include "state/state_system.h"

enum {
	SLICE_EVENTS = 64 << 10,
	KNOWN_SHARE = 16, /* of the length of a slice, what is read before it */
	THREADS_MAX = 64,
	SLICES_AHEAD = 2, /* that wait for a thread, or to be handed over, besides those at hand */
};

/* A slice, or the first place from which one will be read. */
struct slice {
	struct trace_position *known_from, *from; /* positions of the events before it, and of its first one */
	uint64_t known, events;                   /* events and gaps: before it, and of it */
	struct slice_run *run;                    /* NULL: it could not be made */
	bool is_done;
};

struct job_slices {
	struct job_slices_plan plan;
	struct slice_source source;
	struct slice_frame frame;
	struct analysis_inputs inputs; /* of the instance that sees everything */
	void *instance;
	struct slice_reader *reader; /* that it reads by itself: the first slice, and those that are of no use */
	size_t file_count;

	bool is_of_no_use; /* to have slices analysed by others, from here on */
	uint64_t at;       /* events and gaps so far */
	uint64_t known_at; /* when the place before the next slice was taken */
	uint64_t began_at; /* when the slice at hand began; nothing before the first one */
	histree_time last; /* the greatest time so far */
	struct trace_position *known_from, *from;
	bool has_known_from;
	struct job_slices_counts counts;

	/* A ring: slices that were cut, in order. */
	struct slice *ring;
	size_t ring_size;
	uint64_t cut, begun, handed_over;
	pthread_mutex_t mutex; /* of the ring's counters and `is_done`, and of: */
	pthread_cond_t changed;
	atomic_bool is_stopping;
	pthread_t threads[THREADS_MAX];
	unsigned thread_count;
};

/* ---- threads ------------------------------------------------------------------------------------------------- */

static struct slice *slice_at(struct job_slices *slices, uint64_t number)
{
	return &slices->ring[number % slices->ring_size];
}

/* Wait for a slice to analyse; NULL: there will be none. */
static struct slice *next_slice(struct job_slices *slices)
{
	struct slice *slice = NULL;
	pthread_mutex_lock(&slices->mutex);
	while (!slices->is_stopping && slices->begun == slices->cut)
		pthread_cond_wait(&slices->changed, &slices->mutex);
	if (!slices->is_stopping)
		slice = slice_at(slices, slices->begun++);
	pthread_mutex_unlock(&slices->mutex);
	return slice;
}

static void analyse(struct job_slices *slices, struct slice_reader *reader, struct slice *slice)
{
	const struct slice_range range = {
		.known_from = slice->known_from,
		.known = slice->known,
		.events = slice->events,
	};
	/* A slice that fails is one that is of no use. */
	if (slice->run != NULL &&
	    slice_run_read(slice->run, reader, &range, &slices->is_stopping, NULL) != HISTREE_OK)
		slice_run_spoil(slice->run);
	pthread_mutex_lock(&slices->mutex);
	slice->is_done = true;
	pthread_cond_broadcast(&slices->changed);
	pthread_mutex_unlock(&slices->mutex);
}

static void *work(void *context)
{
	struct job_slices *slices = context;
	struct slice_reader *reader = NULL;
	struct slice *slice;
	if (slice_reader_open(&slices->source, &reader, NULL) != HISTREE_OK)
		reader = NULL;
	while ((slice = next_slice(slices)) != NULL)
		analyse(slices, reader, slice);
	slice_reader_close(reader);
	return NULL;
}

/* ---- the hand-over ------------------------------------------------------------------------------------------- */

static enum histree_status analyse_again(struct job_slices *slices, const struct slice *slice,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (slices->reader == NULL)
		status = slice_reader_open(&slices->source, &slices->reader, error);
	if (status == HISTREE_OK)
		status = slice_reader_feed(slices->reader, slice->from, slice->events, &slices->inputs,
					   slices->instance, error);
	return status;
}

/* The oldest slice is done. */
static enum histree_status hand_over(struct job_slices *slices, struct slice *slice, struct histree_error *error)
{
	enum histree_status status = HISTREE_NOT_FOUND;
	slices->counts.slices++;
	if (slice->run != NULL)
		status = slice_run_commit(slice->run, slices->instance, error);
	slices->counts.taken += status == HISTREE_OK;
	slice_run_free(slice->run);
	slice->run = NULL;
	if (status == HISTREE_NOT_FOUND)
		status = analyse_again(slices, slice, error);
	slices->is_of_no_use = slices->thread_count == 0 || !slices->plan.analysis->slices->help(slices->instance);
	return status;
}

/* Returns the oldest slice if it is done, or if that is waited for; NULL: there is none. */
static struct slice *take_oldest(struct job_slices *slices, bool waits)
{
	struct slice *oldest = NULL;
	pthread_mutex_lock(&slices->mutex);
	if (slices->handed_over < slices->cut) {
		oldest = slice_at(slices, slices->handed_over);
		while (waits && !oldest->is_done)
			pthread_cond_wait(&slices->changed, &slices->mutex);
		if (!oldest->is_done)
			oldest = NULL;
	}
	pthread_mutex_unlock(&slices->mutex);
	return oldest;
}

/* Hand over what is done, and so much more that only `left` slices are on their way. */
static enum histree_status hand_over_down_to(struct job_slices *slices, uint64_t left, struct histree_error *error)
{
	struct slice *slice;
	while ((slice = take_oldest(slices, slices->cut - slices->handed_over > left)) != NULL) {
		enum histree_status status = hand_over(slices, slice, error);
		if (status != HISTREE_OK)
			return status;
		slices->handed_over++;
	}
	return HISTREE_OK;
}

/* ---- cuts ---------------------------------------------------------------------------------------------------- */

static void swap(struct trace_position **a, struct trace_position **b)
{
	struct trace_position *other = *a;
	*a = *b;
	*b = other;
}

/* The slice that is at hand ends here: a thread may have it. */
static enum histree_status end_slice(struct job_slices *slices, struct histree_error *error)
{
	enum histree_status status = hand_over_down_to(slices, slices->ring_size - 1, error);
	if (status != HISTREE_OK)
		return status;
	struct slice *slice = slice_at(slices, slices->cut);
	slice->events = slices->at - slices->began_at;
	slice->is_done = false;
	/* Of the first one, all is known that came before it. */
	bool is_for_others = slices->cut > 0 && !slices->is_of_no_use;
	if (!is_for_others ||
	    slice_run_create(&slices->source, &slices->frame, slices->instance, &slice->run, NULL) != HISTREE_OK)
		slice->run = NULL;
	pthread_mutex_lock(&slices->mutex);
	slices->cut++;
	pthread_cond_broadcast(&slices->changed);
	pthread_mutex_unlock(&slices->mutex);
	return HISTREE_OK;
}

/* Here the next slice begins, as it will be read: some events after the place that was taken before. */
static void begin_slice(struct job_slices *slices, const struct trace *trace)
{
	struct slice *slice = slice_at(slices, slices->cut);
	trace_positions(trace, slices->from);
	swap(&slice->from, &slices->from);
	swap(&slice->known_from, &slices->known_from);
	slice->known = slices->at - slices->known_at;
	slices->began_at = slices->at;
	slices->has_known_from = false;
}

/* The trace is at its first event. */
static void begin_first_slice(struct job_slices *slices, const struct trace *trace)
{
	trace_positions(trace, slices->known_from);
	begin_slice(slices, trace);
}

/* An event that is later than all before it, where no gap is about to begin. */
static bool is_place_for_cut(const struct job_slices *slices, const struct trace *trace, const struct event *event)
{
	return event->gap == NULL && event->time > slices->last && trace_can_begin_here(trace);
}

/* Returns HISTREE_OK; the event that comes next may begin a slice. */
static enum histree_status look_for_cut(struct job_slices *slices, const struct trace *trace,
					const struct event *event, struct histree_error *error)
{
	uint64_t length = slices->plan.slice_events, so_far = slices->at - slices->began_at;
	if (!slices->has_known_from && so_far + length / KNOWN_SHARE >= length && event->gap == NULL &&
	    trace_can_begin_here(trace)) {
		trace_positions(trace, slices->known_from);
		slices->has_known_from = true;
		slices->known_at = slices->at;
	}
	if (so_far < length || !slices->has_known_from || !is_place_for_cut(slices, trace, event))
		return HISTREE_OK;
	enum histree_status status = end_slice(slices, error);
	if (status == HISTREE_OK)
		status = hand_over_down_to(slices, slices->ring_size - 1, error);
	if (status == HISTREE_OK)
		begin_slice(slices, trace);
	return status;
}

enum histree_status job_slices_handle(struct job_slices *slices, const struct trace *trace,
				      const struct event *event, struct histree_error *error)
{
	enum histree_status status = look_for_cut(slices, trace, event, error);
	if (event->time > slices->last)
		slices->last = event->time;
	slices->at++;
	return status;
}

enum histree_status job_slices_finish(struct job_slices *slices, struct histree_error *error)
{
	enum histree_status status = end_slice(slices, error);
	return status == HISTREE_OK ? hand_over_down_to(slices, 0, error) : status;
}

/* ---- from the beginning to the end --------------------------------------------------------------------------- */

static bool make_places(struct job_slices *slices)
{
	size_t count = slices->file_count + 1;
	slices->ring = calloc(slices->ring_size, sizeof(*slices->ring));
	slices->from = calloc(count, sizeof(*slices->from));
	slices->known_from = calloc(count, sizeof(*slices->known_from));
	bool made = slices->ring != NULL && slices->from != NULL && slices->known_from != NULL;
	for (size_t i = 0; i < slices->ring_size && made; i++) {
		slices->ring[i].from = calloc(count, sizeof(*slices->from));
		slices->ring[i].known_from = calloc(count, sizeof(*slices->from));
		made = slices->ring[i].from != NULL && slices->ring[i].known_from != NULL;
	}
	return made;
}

enum histree_status job_slices_create(const struct job_slices_plan *plan, const struct trace *trace,
				      struct histree_state_system *system, struct job_slices **out,
				      struct histree_error *error)
{
	*out = NULL;
	if (!trace_can_begin_here(trace))
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"'%s': cannot be read from the middle on, as slices have to be: that takes a trace "
			"whose files are a stream each; build it without slices",
			plan->traces[0]);
	struct job_slices *slices = calloc(1, sizeof(*slices));
	if (slices == NULL)
		return error_memory(error, "the slices of a trace");
	pthread_mutex_init(&slices->mutex, NULL);
	pthread_cond_init(&slices->changed, NULL);
	slices->plan = *plan;
	if (plan->slice_events == 0)
		slices->plan.slice_events = SLICE_EVENTS;
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
		.start = histree_state_start(system),
		.value_size_max = system->sink.value_size_max,
	};
	slices->last = INT64_MIN;
	slices->file_count = trace_file_count(trace);
	unsigned threads = plan->threads < THREADS_MAX ? plan->threads : THREADS_MAX;
	slices->ring_size = threads + SLICES_AHEAD;
	enum histree_status status =
		make_places(slices) ? HISTREE_OK : error_memory(error, "the slices of a trace");
	while (status == HISTREE_OK && slices->thread_count < threads &&
	       pthread_create(&slices->threads[slices->thread_count], NULL, work, slices) == 0)
		slices->thread_count++;
	slices->is_of_no_use = slices->thread_count == 0;
	if (status == HISTREE_OK)
		begin_first_slice(slices, trace);
	if (status != HISTREE_OK) {
		job_slices_free(slices);
		return status;
	}
	*out = slices;
	return HISTREE_OK;
}

enum histree_status job_slices_input(struct job_slices *slices, void **input, struct histree_error *error)
{
	return analysis_inputs_get(&slices->inputs, slices->plan.analysis->input, input, error);
}

void job_slices_own(struct job_slices *slices, void *instance)
{
	slices->instance = instance;
}

struct job_slices_counts job_slices_counts(const struct job_slices *slices)
{
	return slices->counts;
}

void job_slices_free(struct job_slices *slices)
{
	if (slices == NULL)
		return;
	pthread_mutex_lock(&slices->mutex);
	slices->is_stopping = true;
	pthread_cond_broadcast(&slices->changed);
	pthread_mutex_unlock(&slices->mutex);
	for (unsigned i = 0; i < slices->thread_count; i++)
		pthread_join(slices->threads[i], NULL);
	for (size_t i = 0; i < slices->ring_size && slices->ring != NULL; i++) {
		slice_run_free(slices->ring[i].run);
		free(slices->ring[i].from);
		free(slices->ring[i].known_from);
	}
	free(slices->ring);
	free(slices->from);
	free(slices->known_from);
	slice_reader_close(slices->reader);
	analysis_inputs_release(&slices->inputs);
	pthread_cond_destroy(&slices->changed);
	pthread_mutex_destroy(&slices->mutex);
	free(slices);
}
