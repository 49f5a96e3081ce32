// SPDX-License-Identifier: MIT
/*
 * slice_worker.c - who reads slices: a crew of threads, the owner's end of messages to other processes, and the
 * worker's end there, which is a crew of its own.
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
	struct slice_crew *crew;
	struct slice_reader *reader; /* NULL: the trace cannot be opened */
	struct leaf_scratch scratch;
};

static enum histree_status begin_run(struct slice_crew *crew, struct slice *slice, struct slice_run **run,
				     struct histree_error *error)
{
	return slice_run_create(&crew->plan, &crew->pool, &slice->range, &slice->hint, &slice->memory, run, error);
}

/* What cannot be read, for whatever reason, is of no use. */
static void read_slice(struct hand *hand, struct slice *slice)
{
	struct slice_crew *crew = hand->crew;
	if (begin_run(crew, slice, &slice->run, NULL) == HISTREE_OK)
		slice_run_read(slice->run, hand->reader, slice->is_indexed, &crew->is_of_no_use);
	else
		slice->run = NULL;
	if (!crew->answers)
		return;
	byte_buffer_put_number(&slice->answer, SLICE_WAS_READ);
	byte_buffer_put_number(&slice->answer, slice->number);
	if (slice->run != NULL)
		slice_run_save_read(slice->run, &slice->answer);
	else
		byte_buffer_put_number(&slice->answer, 0);
}

/* Its intervals and its part of the index were in another process, which is gone. */
static enum histree_status read_again(struct hand *hand, struct slice *slice)
{
	struct slice_run *lost = slice->run, *run;
	enum histree_status status = begin_run(hand->crew, slice, &run, &slice->error);
	if (status != HISTREE_OK)
		return status;
	slice_run_read(run, hand->reader, lost->is_indexed, &hand->crew->is_ending);
	status = slice_run_replace(run, lost, &slice->error);
	slice->run = run;
	slice_run_free(lost);
	return status;
}

static void make_slice(struct hand *hand, struct slice *slice)
{
	struct byte_buffer *answer = &slice->answer;
	slice->made = slice->run->is_elsewhere ? read_again(hand, slice) : HISTREE_OK;
	if (slice->made == HISTREE_OK)
		slice->made = slice_run_make(slice->run, &hand->scratch, &slice->error);
	if (!hand->crew->answers)
		return;
	byte_buffer_put_number(answer, SLICE_WAS_MADE);
	byte_buffer_put_number(answer, slice->number);
	byte_buffer_put_signed(answer, slice->made);
	if (slice->made == HISTREE_OK)
		slice_run_save_made(slice->run, answer);
	else
		byte_buffer_put_text(answer, slice->error.message, strlen(slice->error.message));
	slice_run_free(slice->run);
	slice->run = NULL;
}

static void *slice_crew_work(void *context)
{
	struct hand hand = { .crew = context };
	struct slice_ring *ring = &hand.crew->ring;
	struct slice *slice;
	if (slice_reader_open(&hand.crew->plan.source, NULL, &hand.reader, NULL) != HISTREE_OK)
		hand.reader = NULL;
	while ((slice = slice_ring_wait(ring)) != NULL) {
		const bool is_to_make = slice->step == STEP_MAKE;
		slice->has_answer = hand.crew->answers;
		if (is_to_make)
			make_slice(&hand, slice);
		else
			read_slice(&hand, slice);
		slice_ring_end_step(ring, slice, is_to_make ? STEP_TAKE : STEP_COMMIT);
	}
	leaf_scratch_release(&hand.scratch);
	slice_reader_close(hand.reader);
	return NULL;
}

bool slice_crew_init(struct slice_crew *crew, size_t ring_size)
{
	crew->plan.ring_size = ring_size;
	chunk_pool_init(&crew->pool);
	return slice_ring_init(&crew->ring, ring_size);
}

unsigned slice_crew_start(struct slice_crew *crew, unsigned wanted)
{
	while (crew->count < wanted && crew->count < SLICE_CREW_MAX &&
	       thread_create(&crew->threads[crew->count], slice_crew_work, crew))
		crew->count++;
	return crew->count;
}

void slice_crew_end(struct slice_crew *crew)
{
	atomic_store(&crew->is_of_no_use, true);
	atomic_store(&crew->is_ending, true);
	slice_ring_stop(&crew->ring);
	for (unsigned i = 0; i < crew->count; i++)
		pthread_join(crew->threads[i], NULL);
	crew->count = 0;
}

void slice_crew_release(struct slice_crew *crew)
{
	slice_ring_release(&crew->ring);
	chunk_pool_release(&crew->pool);
}

/* ---- slice post ---------------------------------------------------------------------------------------------- */

struct post_worker {
	bool has_plan, is_lost;
	unsigned reading; /* slices that it has to read, or reads */
};

struct histree_slice_post {
	unsigned worker_count, threads;
	struct post_worker *workers; /* of the threads that carry */
	pthread_mutex_t mutex;       /* held while the crew is used */
	struct slice_crew *crew;     /* of the build; NULL: none is attached */
	atomic_bool has_failed;      /* what failed is known, and stays */
	struct histree_error failure;
	struct histree_slice_counts counts; /* of the build */
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
	return HISTREE_OK;
}

void histree_slice_post_free(struct histree_slice_post *post)
{
	if (post == NULL)
		return;
	pthread_mutex_destroy(&post->mutex);
	free(post->workers);
	free(post);
}

unsigned slice_post_slices(const struct histree_slice_post *post)
{
	return post->worker_count * (2 * post->threads);
}

void slice_post_attach(struct histree_slice_post *post, struct slice_crew *crew)
{
	pthread_mutex_lock(&post->mutex);
	post->crew = crew;
	pthread_mutex_unlock(&post->mutex);
}

/* Returns the crew for the calling thread alone, until end_use(); NULL: there is nothing to be carried. */
static struct slice_crew *begin_use(struct histree_slice_post *post, unsigned worker)
{
	if (worker >= post->worker_count || post->workers[worker].is_lost || atomic_load(&post->has_failed))
		return NULL;
	pthread_mutex_lock(&post->mutex);
	struct slice_crew *crew = post->crew;
	if (crew == NULL)
		pthread_mutex_unlock(&post->mutex);
	return crew;
}

static void end_use(struct histree_slice_post *post)
{
	pthread_mutex_unlock(&post->mutex);
}

/* The build ends with this. */
static enum histree_status fail(struct histree_slice_post *post, const struct histree_error *failure,
				struct histree_error *error)
{
	post->failure = *failure;
	atomic_store(&post->has_failed, true);
	return error_set(error, failure->status, "%s", failure->message);
}

enum histree_status slice_post_check(const struct histree_slice_post *post, struct histree_error *error)
{
	return atomic_load(&post->has_failed) ? error_set(error, post->failure.status, "%s", post->failure.message)
					      : HISTREE_OK;
}

void histree_slice_post_lose(struct histree_slice_post *post, unsigned worker)
{
	struct slice_crew *crew = begin_use(post, worker);
	if (worker < post->worker_count)
		post->workers[worker].is_lost = true;
	if (crew == NULL)
		return;
	slice_ring_lose(&crew->ring, (int)worker);
	end_use(post);
}

void slice_post_refuse(struct histree_slice_post *post, const char *why)
{
	post->counts.refusal = why;
}

void slice_post_count(struct histree_slice_post *post, int worker, bool was_used)
{
	post->counts.slices++;
	post->counts.used += was_used;
	post->counts.sent += was_used && worker >= 0;
}

struct histree_slice_counts histree_slice_post_counts(const struct histree_slice_post *post)
{
	return post->counts;
}

/* ---- to workers ---------------------------------------------------------------------------------------------- */

static void take_message(struct histree_slice_post *post, struct slice_crew *crew, unsigned worker,
			 struct byte_buffer *out)
{
	struct post_worker *state = &post->workers[worker];
	if (!state->has_plan) {
		byte_buffer_put_number(out, SLICE_PLAN);
		(void)!slice_plan_code(&crew->plan, NULL, &(struct codec){ .out = out }, NULL);
		state->has_plan = true;
		return;
	}
	struct slice *slice = slice_ring_take(&crew->ring, (int)worker, state->reading < post->threads);
	if (slice == NULL)
		return;
	const bool is_to_make = slice->step == STEP_MAKE;
	byte_buffer_put_number(out, is_to_make ? SLICE_MAKE : SLICE_READ);
	byte_buffer_put_number(out, slice->number);
	if (is_to_make) {
		slice_run_save_keys(slice->run, out);
		return;
	}
	state->reading++;
	byte_buffer_put_number(out, slice_ring_taken(&crew->ring));
	byte_buffer_put_number(out, slice->is_indexed);
	byte_buffer_put_signed(out, slice->range.known_from);
	byte_buffer_put_signed(out, slice->range.from);
	byte_buffer_put_signed(out, slice->range.to);
	byte_buffer_put(out, slice->hint.bytes, slice->hint.size);
}

enum histree_status histree_slice_post_take(struct histree_slice_post *post, unsigned worker, void **bytes,
					    size_t *size, struct histree_error *error)
{
	struct byte_buffer out = { 0 };
	struct histree_error failure;
	*bytes = NULL;
	*size = 0;
	struct slice_crew *crew = begin_use(post, worker);
	if (crew == NULL)
		return HISTREE_NOT_FOUND;
	take_message(post, crew, worker, &out);
	end_use(post);
	if (out.failed) {
		byte_buffer_release(&out);
		error_memory(&failure, "the workers of a build");
		return fail(post, &failure, error);
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

/* Returns what a worker says of its own failure. */
static enum histree_status its_error(int64_t said, struct byte_reader *reader, struct histree_error *error)
{
	size_t size;
	const char *text = byte_reader_text(reader, &size);
	if (reader->failed || said >= 0 || said < HISTREE_ERR_INTERNAL)
		return makes_no_sense(error);
	return error_set(error, (enum histree_status)said, "%.*s", (int)(size < 400 ? size : 400), text);
}

/* What only memory prevents is read by the owner. */
static enum histree_status put_read(struct slice_crew *crew, struct slice *slice, struct byte_reader *reader,
				    struct histree_error *error)
{
	const struct byte_buffer no_hint = { 0 };
	enum histree_status status =
		slice_run_create(&crew->plan, NULL, &slice->range, &no_hint, &slice->memory, &slice->run, error);
	if (status == HISTREE_OK)
		status = slice_run_load_read(slice->run, reader, error);
	if (status == HISTREE_ERR_MEMORY) {
		slice_run_free(slice->run);
		slice->run = NULL;
		status = HISTREE_OK;
	}
	slice_ring_end_step(&crew->ring, slice, STEP_COMMIT);
	return status;
}

static enum histree_status put_made(struct slice_crew *crew, struct slice *slice, struct byte_reader *reader,
				    struct histree_error *error)
{
	int64_t said = byte_reader_signed(reader);
	if (said != HISTREE_OK)
		return its_error(said, reader, error);
	slice->made = slice_run_load_made(slice->run, &crew->plan, &crew->pool, reader, error);
	const enum histree_status status = slice->made;
	if (status != HISTREE_OK)
		error_set(&slice->error, status, "%s", error->message);
	slice_ring_end_step(&crew->ring, slice, STEP_TAKE);
	return status;
}

static enum histree_status put_message(struct histree_slice_post *post, struct slice_crew *crew, unsigned worker,
				       struct byte_reader *reader, struct histree_error *error)
{
	uint64_t kind = read_varint(reader);
	if (kind == SLICE_REFUSED)
		return its_error(byte_reader_signed(reader), reader, error);
	const bool was_read = kind == SLICE_WAS_READ;
	uint64_t number = read_varint(reader);
	struct slice *slice = NULL;
	if (was_read || kind == SLICE_WAS_MADE)
		slice = slice_ring_find(&crew->ring, number, (int)worker, was_read ? STEP_READ : STEP_MAKE);
	if (reader->failed || slice == NULL)
		return makes_no_sense(error);
	post->workers[worker].reading -= was_read;
	return was_read ? put_read(crew, slice, reader, error) : put_made(crew, slice, reader, error);
}

enum histree_status histree_slice_post_put(struct histree_slice_post *post, unsigned worker, const void *bytes,
					   size_t size, struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	struct histree_error failure = { 0 };
	struct slice_crew *crew = begin_use(post, worker);
	if (crew == NULL)
		return HISTREE_OK;
	enum histree_status status = put_message(post, crew, worker, &reader, &failure);
	end_use(post);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	error_prefix(&failure, "rank %u", worker + 1);
	failure.status = status;
	return fail(post, &failure, error);
}

/* ---- slice worker -------------------------------------------------------------------------------------------- */

struct histree_slice_worker {
	unsigned thread_count;
	bool has_plan, is_ready; /* ready: the crew is */
	struct slice_crew crew;
	struct arena texts;
	struct byte_buffer refusal; /* what is wrong with what the owner says; it ends the build */
};

enum histree_status histree_slice_worker_create(unsigned threads, struct histree_slice_worker **out,
						struct histree_error *error)
{
	struct histree_slice_worker *worker = *out = calloc(1, sizeof(*worker));
	if (worker == NULL)
		return error_memory(error, "a worker of a build");
	worker->thread_count = threads < 1 ? 1 : threads;
	return HISTREE_OK;
}

/* The trace is opened here once, so that what is wrong with it is said. */
static enum histree_status take_plan(struct histree_slice_worker *worker, struct byte_reader *reader,
				     struct histree_error *error)
{
	struct slice_crew *crew = &worker->crew;
	struct slice_reader *first;
	if (worker->has_plan)
		return error_set(error, HISTREE_ERR_FORMAT, "how slices are to be read is said twice");
	worker->has_plan = true;
	enum histree_status status =
		slice_plan_code(&crew->plan, &worker->texts, &(struct codec){ .in = reader }, error);
	if (status == HISTREE_OK)
		status = slice_reader_open(&crew->plan.source, NULL, &first, error);
	if (status != HISTREE_OK)
		return status;
	slice_reader_close(first);
	worker->is_ready = true;
	crew->answers = true;
	if (!slice_crew_init(crew, crew->plan.ring_size))
		return error_memory(error, "a worker of a build");
	return slice_crew_start(crew, worker->thread_count) > 0
		       ? HISTREE_OK
		       : error_set(error, HISTREE_ERR_MEMORY, "there is no thread to read with");
}

static enum histree_status not_understood(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "the owner says what this histree does not understand");
}

static enum histree_status order_read(struct slice_ring *ring, uint64_t number, struct byte_reader *reader,
				      struct histree_error *error)
{
	uint64_t taken = read_varint(reader);
	bool is_indexed = byte_reader_below(reader, 2) != 0;
	struct slice_range range = { .known_from = byte_reader_signed(reader) };
	range.from = byte_reader_signed(reader);
	range.to = byte_reader_signed(reader);
	struct slice *slice = reader->failed ? NULL : slice_ring_add(ring, number, taken);
	if (slice == NULL)
		return not_understood(error);
	slice->range = range;
	slice->is_indexed = is_indexed;
	slice->worker = SLICE_WORKER_HERE;
	slice->hint.size = 0;
	byte_buffer_put(&slice->hint, reader->at, byte_reader_left(reader));
	if (slice->hint.failed) /* then nothing is known */
		byte_buffer_release(&slice->hint);
	slice_ring_end_step(ring, slice, STEP_READ);
	return HISTREE_OK;
}

static enum histree_status order_make(struct slice_ring *ring, uint64_t number, struct byte_reader *reader,
				      struct histree_error *error)
{
	struct slice *slice = slice_ring_find(ring, number, SLICE_WORKER_HERE, STEP_COMMIT);
	if (slice == NULL || slice->run == NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "a slice is to be made that was not read");
	enum histree_status status = slice_run_load_keys(slice->run, reader, error);
	if (status == HISTREE_OK)
		slice_ring_end_step(ring, slice, STEP_MAKE);
	return status;
}

static enum histree_status take_order(struct histree_slice_worker *worker, struct byte_reader *reader,
				      struct histree_error *error)
{
	uint64_t kind = read_varint(reader);
	if (kind == SLICE_PLAN)
		return take_plan(worker, reader, error);
	uint64_t number = read_varint(reader);
	if (reader->failed || worker->crew.count == 0 || (kind != SLICE_READ && kind != SLICE_MAKE))
		return not_understood(error);
	return kind == SLICE_READ ? order_read(&worker->crew.ring, number, reader, error)
				  : order_make(&worker->crew.ring, number, reader, error);
}

enum histree_status histree_slice_worker_put(struct histree_slice_worker *worker, const void *bytes, size_t size,
					     struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	struct histree_error why = { 0 };
	struct byte_buffer *refusal = &worker->refusal;
	enum histree_status status = take_order(worker, &reader, &why);
	if (status == HISTREE_OK || refusal->size > 0)
		return HISTREE_OK;
	/* The owner is told what is wrong with what it says, and ends the build. */
	byte_buffer_put_number(refusal, SLICE_REFUSED);
	byte_buffer_put_signed(refusal, status);
	byte_buffer_put_text(refusal, why.message, strlen(why.message));
	return refusal->failed ? error_memory(error, "a worker of a build") : HISTREE_OK;
}

enum histree_status histree_slice_worker_take(struct histree_slice_worker *worker, void **bytes, size_t *size,
					      struct histree_error *error)
{
	struct byte_buffer out = worker->refusal;
	*bytes = NULL;
	*size = 0;
	worker->refusal = (struct byte_buffer){ 0 };
	if (out.size == 0 && (worker->crew.count == 0 || !slice_ring_answer(&worker->crew.ring, &out)))
		return HISTREE_NOT_FOUND;
	if (out.failed) {
		byte_buffer_release(&out);
		return error_memory(error, "a worker of a build");
	}
	*bytes = out.bytes;
	*size = out.size;
	return HISTREE_OK;
}

void histree_slice_worker_free(struct histree_slice_worker *worker)
{
	if (worker == NULL)
		return;
	if (worker->is_ready) {
		slice_crew_end(&worker->crew);
		slice_crew_release(&worker->crew);
	}
	byte_buffer_release(&worker->refusal);
	arena_release(&worker->texts);
	free(worker);
}
