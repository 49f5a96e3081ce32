// SPDX-License-Identifier: MIT
/*
 * slice_worker.c - who reads slices: threads of a build, the owner's end of messages to other processes, and the
 * worker's end there.
 *
 * A worker queues orders as they come.  A thread takes one to make leaves first, as what waits for these has the
 * most memory, and else the oldest to read.  A slice that was read stays here, as a run, until its leaves are made:
 * the owner bounds how many there are (slice_run.h).
 */
#include "pipeline/build/slice_worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/crew.h"
#include "base/error.h"
#include "pipeline/build/slice_run.h"
#include "pipeline/slices.h"
#include "tree/leaf_pack.h"

/* ---- slice crew ---------------------------------------------------------------------------------------------- */

/* What a thread has. */
struct hand {
	const struct slice_crew_plan *plan;
	struct slice_reader *reader; /* NULL: the trace cannot be opened */
	struct leaf_scratch scratch;
};

static enum histree_status begin_run(const struct slice_crew_plan *plan, struct slice *slice,
				     struct slice_run **run, struct histree_error *error)
{
	const struct interval_sink *sink = plan->sink;
	struct change_log_frame frame = *plan->frame;
	if (sink->begin_pack != NULL) {
		enum histree_status status = sink->begin_pack(sink->context, plan->kept_max, &frame.pack, error);
		if (status < 0)
			return status;
	}
	return slice_run_create(plan->source, &frame, &slice->range, &slice->hint, &slice->memory, run, error);
}

/* Its intervals and its part of the index were in another process, which is gone. */
static enum histree_status read_again(struct slice_crew *crew, struct hand *hand, struct slice *slice)
{
	struct slice_run *lost = slice->run, *run;
	enum histree_status status = begin_run(hand->plan, slice, &run, &slice->error);
	if (status != HISTREE_OK)
		return status;
	slice_run_read(run, hand->reader, lost->is_indexed, &crew->is_ending);
	status = slice_run_replace(run, lost, &slice->error);
	slice->run = run;
	slice_run_free(lost);
	return status;
}

static enum histree_status slice_worker_make(struct slice_crew *crew, struct hand *hand, struct slice *slice)
{
	enum histree_status status = HISTREE_OK;
	if (slice->run->is_elsewhere)
		status = read_again(crew, hand, slice);
	return status == HISTREE_OK ? slice_run_make(slice->run, &hand->scratch, &slice->error) : status;
}

static void *slice_crew_work(void *context)
{
	struct slice_crew *crew = context;
	struct hand hand = { .plan = &crew->plan };
	struct slice *slice;
	if (slice_reader_open(crew->plan.source, NULL, &hand.reader, NULL) != HISTREE_OK)
		hand.reader = NULL;
	while ((slice = slice_ring_wait(crew->plan.ring)) != NULL) {
		if (slice->step == STEP_MAKE) {
			slice->made = slice_worker_make(crew, &hand, slice);
			slice_ring_end_step(crew->plan.ring, slice, STEP_TAKE);
			continue;
		}
		const struct slice_crew_plan *plan = hand.plan;
		if (begin_run(plan, slice, &slice->run, NULL) == HISTREE_OK)
			slice_run_read(slice->run, hand.reader, plan->pass->index != NULL, &crew->is_of_no_use);
		else
			slice->run = NULL;
		slice_ring_end_step(crew->plan.ring, slice, STEP_COMMIT);
	}
	leaf_scratch_release(&hand.scratch);
	slice_reader_close(hand.reader);
	return NULL;
}

unsigned slice_crew_start(struct slice_crew *crew, const struct slice_crew_plan *plan, unsigned wanted)
{
	crew->plan = *plan;
	while (crew->count < wanted && crew->count < SLICE_CREW_MAX &&
	       thread_create(&crew->threads[crew->count], slice_crew_work, crew))
		crew->count++;
	return crew->count;
}

void slice_crew_end(struct slice_crew *crew)
{
	atomic_store(&crew->is_of_no_use, true);
	atomic_store(&crew->is_ending, true);
	for (unsigned i = 0; i < crew->count; i++)
		pthread_join(crew->threads[i], NULL);
	crew->count = 0;
}

/* ---- slice post ---------------------------------------------------------------------------------------------- */

struct post_worker {
	bool has_plan, is_lost;
	unsigned reading; /* slices that it has to read, or reads */
};

struct histree_slice_post {
	unsigned worker_count, threads;
	struct post_worker *workers; /* of whoever carries */
	pthread_mutex_t mutex;       /* of what follows */
	pthread_cond_t idle;
	const struct slice_post_job *job; /* NULL: none is attached */
	bool is_in_use;                   /* the job is, by whoever carries */
	struct histree_error failure;
	struct histree_slice_counts counts;
};

enum histree_status histree_slice_post_create(unsigned workers, unsigned threads, struct histree_slice_post **out,
					      struct histree_error *error)
{
	struct histree_slice_post *post = *out = calloc(1, sizeof(*post));
	struct post_worker *all = calloc((size_t)workers + 1, sizeof(*all));
	if (post == NULL || all == NULL) {
		free(post);
		free(all);
		*out = NULL;
		return error_memory(error, "the workers of a build");
	}
	post->worker_count = workers;
	post->threads = threads > 0 ? threads : 1;
	post->workers = all;
	pthread_mutex_init(&post->mutex, NULL);
	pthread_cond_init(&post->idle, NULL);
	return HISTREE_OK;
}

void histree_slice_post_free(struct histree_slice_post *post)
{
	if (post == NULL)
		return;
	pthread_cond_destroy(&post->idle);
	pthread_mutex_destroy(&post->mutex);
	free(post->workers);
	free(post);
}

/* ---- the job ------------------------------------------------------------------------------------------------- */

unsigned slice_post_slices(const struct histree_slice_post *post)
{
	return post->worker_count * (2 * post->threads);
}

void slice_post_attach(struct histree_slice_post *post, const struct slice_post_job *job)
{
	pthread_mutex_lock(&post->mutex);
	while (post->is_in_use)
		pthread_cond_wait(&post->idle, &post->mutex);
	post->job = job;
	pthread_mutex_unlock(&post->mutex);
}

static const struct slice_post_job *begin_use(struct histree_slice_post *post)
{
	pthread_mutex_lock(&post->mutex);
	const struct slice_post_job *job = post->failure.status == HISTREE_OK ? post->job : NULL;
	post->is_in_use = job != NULL;
	pthread_mutex_unlock(&post->mutex);
	return job;
}

static void end_use(struct histree_slice_post *post)
{
	pthread_mutex_lock(&post->mutex);
	post->is_in_use = false;
	pthread_cond_broadcast(&post->idle);
	pthread_mutex_unlock(&post->mutex);
}

enum histree_status slice_post_check(struct histree_slice_post *post, struct histree_error *error)
{
	pthread_mutex_lock(&post->mutex);
	const struct histree_error failure = post->failure;
	pthread_mutex_unlock(&post->mutex);
	return failure.status == HISTREE_OK ? HISTREE_OK : error_set(error, failure.status, "%s", failure.message);
}

void histree_slice_post_lose(struct histree_slice_post *post, unsigned worker)
{
	if (worker >= post->worker_count || post->workers[worker].is_lost)
		return;
	post->workers[worker].is_lost = true;
	const struct slice_post_job *job = begin_use(post);
	if (job == NULL)
		return;
	slice_ring_lose(job->ring, (int)worker);
	end_use(post);
}

void slice_post_refuse(struct histree_slice_post *post, const char *why)
{
	pthread_mutex_lock(&post->mutex);
	post->counts.refusal = why;
	pthread_mutex_unlock(&post->mutex);
}

void slice_post_count(struct histree_slice_post *post, int worker, bool was_used)
{
	pthread_mutex_lock(&post->mutex);
	post->counts.slices++;
	post->counts.used += was_used;
	post->counts.sent += was_used && worker >= 0;
	pthread_mutex_unlock(&post->mutex);
}

struct histree_slice_counts histree_slice_post_counts(const struct histree_slice_post *post)
{
	return post->counts;
}

/* ---- to workers ---------------------------------------------------------------------------------------------- */

static void take_message(struct histree_slice_post *post, const struct slice_post_job *job, unsigned worker,
			 struct saved_bytes *out)
{
	struct post_worker *state = &post->workers[worker];
	if (!state->has_plan) {
		saved_put(out, SLICE_PLAN);
		slice_plan_save(&job->plan, out);
		state->has_plan = true;
		return;
	}
	struct slice *slice = slice_ring_take(job->ring, (int)worker, state->reading < post->threads);
	if (slice == NULL)
		return;
	state->reading += slice->step == STEP_READ;
	if (slice->step == STEP_MAKE) {
		saved_put(out, SLICE_MAKE);
		saved_put(out, slice->number);
		slice_run_save_keys(slice->run, out);
		return;
	}
	saved_put(out, SLICE_READ);
	saved_put(out, slice->number);
	saved_put(out, slice_ring_taken(job->ring));
	saved_put(out, job->pass->index != NULL);
	saved_put_signed(out, slice->range.known_from);
	saved_put_signed(out, slice->range.from);
	saved_put_signed(out, slice->range.to);
	saved_put_bytes(out, slice->hint.bytes, slice->hint.size);
}

enum histree_status histree_slice_post_take(struct histree_slice_post *post, unsigned worker, void **bytes,
					    size_t *size, struct histree_error *error)
{
	struct saved_bytes out = { 0 };
	*bytes = NULL;
	*size = 0;
	if (worker >= post->worker_count || post->workers[worker].is_lost)
		return HISTREE_NOT_FOUND;
	const struct slice_post_job *job = begin_use(post);
	if (job == NULL)
		return HISTREE_NOT_FOUND;
	take_message(post, job, worker, &out);
	end_use(post);
	if (out.no_memory) {
		saved_release(&out);
		enum histree_status status = error_memory(error, "the workers of a build");
		pthread_mutex_lock(&post->mutex);
		error_memory(&post->failure, "the workers of a build");
		pthread_mutex_unlock(&post->mutex);
		return status;
	}
	*bytes = out.bytes;
	*size = out.size;
	return out.size > 0 ? HISTREE_OK : HISTREE_NOT_FOUND;
}

/* ---- from workers -------------------------------------------------------------------------------------------- */

static enum histree_status makes_no_sense(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "it says what this histree does not understand");
}

static bool is_error(int64_t status)
{
	return status < 0 && status >= HISTREE_ERR_INTERNAL;
}

static enum histree_status put_made(const struct slice_post_job *job, struct slice *slice,
				    struct byte_reader *reader, struct histree_error *error)
{
	struct leaf_pack *pack = NULL;
	size_t size;
	int64_t said = saved_read_signed(reader);
	if (said != HISTREE_OK) {
		const char *text = saved_read_text(reader, &size);
		if (reader->failed || !is_error(said))
			return makes_no_sense(error);
		return error_set(error, (enum histree_status)said, "%.*s", (int)(size < 400 ? size : 400), text);
	}
	enum histree_status status = HISTREE_OK;
	if (job->plan.has_packs)
		status = job->sink->begin_pack(job->sink->context, job->plan.kept_max, &pack, error);
	if (status == HISTREE_OK)
		status = slice_run_load_made(slice->run, pack, reader, error);
	slice->made = status;
	if (status != HISTREE_OK)
		error_set(&slice->error, status, "%s", error->message);
	slice_ring_end_step(job->ring, slice, STEP_TAKE);
	return status;
}

static enum histree_status slice_worker_put(struct histree_slice_post *post, const struct slice_post_job *job,
					    unsigned worker, struct byte_reader *reader,
					    struct histree_error *error)
{
	uint64_t kind = read_varint(reader);
	size_t size;
	if (kind == SLICE_REFUSED) {
		int64_t said = saved_read_signed(reader);
		const char *text = saved_read_text(reader, &size);
		if (!is_error(said))
			return makes_no_sense(error);
		return error_set(error, (enum histree_status)said, "%.*s", (int)(size < 400 ? size : 400), text);
	}
	uint64_t number = read_varint(reader);
	bool was_read = kind == SLICE_WAS_READ;
	struct slice *slice = was_read || kind == SLICE_WAS_MADE ? slice_ring_find(job->ring, number, (int)worker,
										   was_read ? STEP_READ : STEP_MAKE)
								 : NULL;
	if (reader->failed || slice == NULL)
		return makes_no_sense(error);
	if (!was_read)
		return put_made(job, slice, reader, error);
	post->workers[worker].reading--;

	/* What only memory prevents is read by the owner. */
	const struct saved_bytes no_hint = { 0 };
	enum histree_status status = slice_run_create(&job->plan.source, &job->plan.frame, &slice->range, &no_hint,
						      &slice->memory, &slice->run, error);
	if (status == HISTREE_OK)
		status = slice_run_load_read(slice->run, reader, error);
	if (status == HISTREE_ERR_MEMORY) {
		slice_run_free(slice->run);
		slice->run = NULL;
		status = HISTREE_OK;
	}
	slice_ring_end_step(job->ring, slice, STEP_COMMIT);
	return status;
}

enum histree_status histree_slice_post_put(struct histree_slice_post *post, unsigned worker, const void *bytes,
					   size_t size, struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	struct histree_error failure = { 0 };
	if (worker >= post->worker_count || post->workers[worker].is_lost)
		return HISTREE_OK;
	const struct slice_post_job *job = begin_use(post);
	if (job == NULL)
		return HISTREE_OK;
	enum histree_status status = slice_worker_put(post, job, worker, &reader, &failure);
	end_use(post);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	error_prefix(&failure, "rank %u", worker + 1);
	pthread_mutex_lock(&post->mutex);
	post->failure = failure;
	post->failure.status = status;
	pthread_mutex_unlock(&post->mutex);
	return error_set(error, status, "%s", failure.message);
}

/* ---- slice worker -------------------------------------------------------------------------------------------- */

enum { THREADS_MAX = 64 };

/* A message, in a list. */
struct note {
	struct note *next;
	struct saved_bytes bytes;
	size_t at; /* of an order: what it has begins there */
	uint64_t kind, number;
};

struct notes {
	struct note *first, **end;
};

/* A slice that was read, until it is made; free ones are kept for their memory. */
struct held_slice {
	struct held_slice *next;
	uint64_t number;
	bool is_used, is_busy; /* busy: a thread has it, and nobody else touches it, whatever the owner says */
	struct slice_run *run; /* NULL: it could not be made */
	struct slice_memory memory;
};

struct histree_slice_worker {
	unsigned thread_count;
	pthread_t threads[THREADS_MAX];
	bool has_plan;
	struct slice_plan plan;
	struct arena texts;
	struct chunk_pool pool;

	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t changed;
	bool is_stopping;
	struct notes orders, answers;
	struct held_slice *slices;
	atomic_bool is_of_no_use; /* what is being read */
};

/* ---- messages ------------------------------------------------------------------------------------------------ */

static void add_note(struct notes *notes, struct note *note)
{
	note->next = NULL;
	*notes->end = note;
	notes->end = &note->next;
}

static struct note *take_note(struct notes *notes, struct note **at)
{
	struct note *note = *at;
	if (note == NULL)
		return NULL;
	*at = note->next;
	if (notes->end == &note->next)
		notes->end = at;
	return note;
}

static void free_note(struct note *note)
{
	if (note != NULL)
		saved_release(&note->bytes);
	free(note);
}

static void free_notes(struct notes *notes)
{
	while (notes->first != NULL)
		free_note(take_note(notes, &notes->first));
}

static void answer(struct histree_slice_worker *worker, struct note *note)
{
	pthread_mutex_lock(&worker->mutex);
	add_note(&worker->answers, note);
	pthread_mutex_unlock(&worker->mutex);
}

/* Wait for an order; NULL: there will be none. */
static struct note *wait_for_order(struct histree_slice_worker *worker)
{
	struct note **at = NULL;
	pthread_mutex_lock(&worker->mutex);
	while (!worker->is_stopping && worker->orders.first == NULL)
		pthread_cond_wait(&worker->changed, &worker->mutex);
	at = &worker->orders.first;
	while (*at != NULL && (*at)->kind != SLICE_MAKE)
		at = &(*at)->next;
	if (*at == NULL)
		at = &worker->orders.first;
	struct note *order = worker->is_stopping ? NULL : take_note(&worker->orders, at);
	pthread_mutex_unlock(&worker->mutex);
	return order;
}

/* ---- slices -------------------------------------------------------------------------------------------------- */

/* Returns room for a slice, NULL if memory is out. */
static struct held_slice *hold_slice(struct histree_slice_worker *worker, uint64_t number)
{
	pthread_mutex_lock(&worker->mutex);
	struct held_slice *slice = worker->slices;
	while (slice != NULL && slice->is_used)
		slice = slice->next;
	if (slice == NULL && (slice = calloc(1, sizeof(*slice))) != NULL) {
		slice->next = worker->slices;
		worker->slices = slice;
	}
	if (slice != NULL) {
		slice->is_used = slice->is_busy = true;
		slice->number = number;
	}
	pthread_mutex_unlock(&worker->mutex);
	return slice;
}

/* Returns a slice that was read, for the calling thread alone. */
static struct held_slice *find_slice(struct histree_slice_worker *worker, uint64_t number)
{
	pthread_mutex_lock(&worker->mutex);
	struct held_slice *slice = worker->slices;
	while (slice != NULL &&
	       (!slice->is_used || slice->is_busy || slice->number != number || slice->run == NULL))
		slice = slice->next;
	if (slice != NULL)
		slice->is_busy = true;
	pthread_mutex_unlock(&worker->mutex);
	return slice;
}

/* The calling thread has it. */
static void drop_slice(struct histree_slice_worker *worker, struct held_slice *slice)
{
	slice_run_free(slice->run);
	pthread_mutex_lock(&worker->mutex);
	slice->run = NULL;
	slice->is_used = slice->is_busy = false;
	pthread_mutex_unlock(&worker->mutex);
}

/* The owner is through with those before this one: what is held of them, it has refused. */
static void drop_before(struct histree_slice_worker *worker, uint64_t number)
{
	struct held_slice *slice;
	do {
		pthread_mutex_lock(&worker->mutex);
		slice = worker->slices;
		while (slice != NULL && (!slice->is_used || slice->is_busy || slice->number >= number))
			slice = slice->next;
		if (slice != NULL)
			slice->is_busy = true;
		pthread_mutex_unlock(&worker->mutex);
		if (slice != NULL)
			drop_slice(worker, slice);
	} while (slice != NULL);
}

static bool create_run(struct histree_slice_worker *worker, struct held_slice *slice, struct byte_reader *reader,
		       bool *is_indexed)
{
	const struct slice_plan *plan = &worker->plan;
	struct change_log_frame frame = plan->frame;
	*is_indexed = saved_read_below(reader, 2) != 0;
	struct slice_range range = { .known_from = saved_read_signed(reader) };
	range.from = saved_read_signed(reader);
	range.to = saved_read_signed(reader);
	const struct saved_bytes hint = { .bytes = (uint8_t *)(uintptr_t)reader->at,
					  .size = byte_reader_left(reader) };
	if (reader->failed || (plan->has_packs && leaf_pack_create(&plan->tree, &worker->pool, plan->kept_max,
								   &frame.pack, NULL) != HISTREE_OK))
		return false;
	return slice_run_create(&plan->source, &frame, &range, &hint, &slice->memory, &slice->run, NULL) ==
	       HISTREE_OK;
}

/* What cannot be read, for whatever reason, is of no use. */
static void slice_worker_read_slice(struct histree_slice_worker *worker, const struct note *order,
				    struct slice_reader *reader, struct saved_bytes *out)
{
	struct byte_reader bytes = byte_reader(order->bytes.bytes + order->at, order->bytes.size - order->at);
	struct held_slice *slice = hold_slice(worker, order->number);
	bool is_indexed;
	saved_put(out, SLICE_WAS_READ);
	saved_put(out, order->number);
	if (slice == NULL || !create_run(worker, slice, &bytes, &is_indexed)) {
		saved_put(out, 0);
		if (slice != NULL)
			drop_slice(worker, slice);
		return;
	}
	slice_run_read(slice->run, reader, is_indexed, &worker->is_of_no_use);
	slice_run_save_read(slice->run, out);
	pthread_mutex_lock(&worker->mutex);
	slice->is_busy = false;
	pthread_mutex_unlock(&worker->mutex);
}

static void make_slice(struct histree_slice_worker *worker, const struct note *order, struct leaf_scratch *scratch,
		       struct saved_bytes *out)
{
	struct byte_reader bytes = byte_reader(order->bytes.bytes + order->at, order->bytes.size - order->at);
	struct held_slice *slice = find_slice(worker, order->number);
	struct histree_error error = { 0 };
	enum histree_status status =
		slice != NULL ? slice_run_load_keys(slice->run, &bytes, &error)
			      : error_set(&error, HISTREE_ERR_FORMAT, "a slice is to be made that was not read");
	if (status == HISTREE_OK)
		status = slice_run_make(slice->run, scratch, &error);
	saved_put(out, SLICE_WAS_MADE);
	saved_put(out, order->number);
	saved_put_signed(out, status);
	if (status == HISTREE_OK)
		slice_run_save_made(slice->run, out);
	else
		saved_put_text(out, error.message, strlen(error.message));
	if (slice != NULL)
		drop_slice(worker, slice);
}

static void *slice_worker_work(void *context)
{
	struct histree_slice_worker *worker = context;
	struct slice_reader *reader = NULL;
	struct leaf_scratch scratch = { 0 };
	struct note *order;
	bool was_opened = false;
	while ((order = wait_for_order(worker)) != NULL) {
		struct saved_bytes out = { 0 };
		if (!was_opened && slice_reader_open(&worker->plan.source, NULL, &reader, NULL) != HISTREE_OK)
			reader = NULL;
		was_opened = true;
		if (order->kind == SLICE_READ)
			slice_worker_read_slice(worker, order, reader, &out);
		else
			make_slice(worker, order, &scratch, &out);
		/* What was the order is the answer: whoever waits for it gets one, if only that memory is out. */
		saved_release(&order->bytes);
		order->bytes = out;
		answer(worker, order);
	}
	leaf_scratch_release(&scratch);
	slice_reader_close(reader);
	return NULL;
}

/* ---- from the beginning to the end --------------------------------------------------------------------------- */

enum histree_status histree_slice_worker_create(unsigned threads, struct histree_slice_worker **out,
						struct histree_error *error)
{
	struct histree_slice_worker *worker = *out = calloc(1, sizeof(*worker));
	if (worker == NULL)
		return error_memory(error, "a worker of a build");
	worker->thread_count = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
	worker->orders.end = &worker->orders.first;
	worker->answers.end = &worker->answers.first;
	chunk_pool_init(&worker->pool);
	pthread_mutex_init(&worker->mutex, NULL);
	pthread_cond_init(&worker->changed, NULL);
	return HISTREE_OK;
}

/* The trace is opened here once, so that what is wrong with it is said. */
static enum histree_status take_plan(struct histree_slice_worker *worker, struct byte_reader *reader,
				     struct histree_error *error)
{
	struct slice_reader *first;
	if (worker->has_plan)
		return error_set(error, HISTREE_ERR_FORMAT, "how slices are to be read is said twice");
	enum histree_status status = slice_plan_load(&worker->plan, &worker->texts, reader, error);
	if (status == HISTREE_OK)
		status = slice_reader_open(&worker->plan.source, NULL, &first, error);
	if (status != HISTREE_OK)
		return status;
	slice_reader_close(first);
	worker->has_plan = true;
	unsigned wanted = worker->thread_count;
	worker->thread_count = 0;
	while (worker->thread_count < wanted &&
	       thread_create(&worker->threads[worker->thread_count], slice_worker_work, worker))
		worker->thread_count++;
	return worker->thread_count > 0 ? HISTREE_OK
					: error_set(error, HISTREE_ERR_MEMORY, "there is no thread to read with");
}

/* The owner is told what is wrong with what it says, and ends the build. */
static enum histree_status refuse(struct histree_slice_worker *worker, const struct histree_error *why,
				  struct histree_error *error)
{
	struct note *note = calloc(1, sizeof(*note));
	if (note == NULL)
		return error_memory(error, "a worker of a build");
	saved_put(&note->bytes, SLICE_REFUSED);
	saved_put_signed(&note->bytes, why->status);
	saved_put_text(&note->bytes, why->message, strlen(why->message));
	answer(worker, note);
	return HISTREE_OK;
}

enum histree_status histree_slice_worker_put(struct histree_slice_worker *worker, const void *bytes, size_t size,
					     struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	struct histree_error why = { 0 };
	uint64_t kind = read_varint(&reader);
	if (kind == SLICE_PLAN)
		return take_plan(worker, &reader, &why) == HISTREE_OK ? HISTREE_OK : refuse(worker, &why, error);
	uint64_t number = read_varint(&reader), done = kind == SLICE_READ ? read_varint(&reader) : 0;
	if (reader.failed || !worker->has_plan || (kind != SLICE_READ && kind != SLICE_MAKE)) {
		error_set(&why, HISTREE_ERR_FORMAT, "the owner says what this histree does not understand");
		return refuse(worker, &why, error);
	}
	drop_before(worker, done);
	size_t at = size - byte_reader_left(&reader);
	struct note *order = calloc(1, sizeof(*order));
	if (order == NULL)
		return error_memory(error, "a worker of a build");
	*order = (struct note){ .kind = kind, .number = number, .at = at };
	saved_put_bytes(&order->bytes, bytes, size);
	if (order->bytes.no_memory) {
		free_note(order);
		return error_memory(error, "a worker of a build");
	}
	pthread_mutex_lock(&worker->mutex);
	add_note(&worker->orders, order);
	pthread_cond_signal(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
	return HISTREE_OK;
}

enum histree_status histree_slice_worker_take(struct histree_slice_worker *worker, void **bytes, size_t *size,
					      struct histree_error *error)
{
	*bytes = NULL;
	*size = 0;
	pthread_mutex_lock(&worker->mutex);
	struct note *note = take_note(&worker->answers, &worker->answers.first);
	pthread_mutex_unlock(&worker->mutex);
	if (note == NULL)
		return HISTREE_NOT_FOUND;
	bool no_memory = note->bytes.no_memory;
	if (!no_memory) {
		*bytes = note->bytes.bytes;
		*size = note->bytes.size;
		note->bytes = (struct saved_bytes){ 0 };
	}
	free_note(note);
	return no_memory ? error_memory(error, "a worker of a build") : HISTREE_OK;
}

void histree_slice_worker_free(struct histree_slice_worker *worker)
{
	if (worker == NULL)
		return;
	atomic_store(&worker->is_of_no_use, true);
	pthread_mutex_lock(&worker->mutex);
	worker->is_stopping = true;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
	for (unsigned i = 0; worker->has_plan && i < worker->thread_count; i++)
		pthread_join(worker->threads[i], NULL);
	free_notes(&worker->orders);
	free_notes(&worker->answers);
	while (worker->slices != NULL) {
		struct held_slice *slice = worker->slices;
		worker->slices = slice->next;
		slice_run_free(slice->run);
		index_part_release(&slice->memory.part);
		free(slice);
	}
	chunk_pool_release(&worker->pool);
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->mutex);
	arena_release(&worker->texts);
	free(worker);
}
