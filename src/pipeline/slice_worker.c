// SPDX-License-Identifier: MIT
/*
 * slice_worker.c - the worker's end of slices.h: threads that read slices for a build in another process.
 *
 * Orders are queued as they come.  A thread takes one to make leaves first, as what waits for these has the most
 * memory, and else the oldest to read.  A slice that was read stays here, as a run, until its leaves are made: the
 * owner bounds how many there are (slice_ring.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/thread.h"
#include "histree/slices.h"
#include "pipeline/slice_plan.h"
#include "pipeline/slice_run.h"
#include "tree/leaf_pack.h"

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

static void leave_slice(struct histree_slice_worker *worker, struct held_slice *slice)
{
	pthread_mutex_lock(&worker->mutex);
	slice->is_busy = false;
	pthread_mutex_unlock(&worker->mutex);
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
	struct slice_frame frame = plan->frame;
	*is_indexed = saved_read_below(reader, 2) != 0;
	struct slice_range range = { .known_from = saved_read_signed(reader) };
	range.from = saved_read_signed(reader);
	range.to = saved_read_signed(reader);
	const struct saved_bytes hint = { .bytes = (uint8_t *)(uintptr_t)reader->at,
					  .size = byte_reader_left(reader) };
	if (reader->failed || (plan->has_packs && leaf_pack_create(&plan->tree, &worker->pool, plan->kept_max,
								   &frame.log.pack, NULL) != HISTREE_OK))
		return false;
	return slice_run_create(&plan->source, &frame, &range, &hint, &slice->memory, &slice->run, NULL) ==
	       HISTREE_OK;
}

/* What cannot be read, for whatever reason, is of no use. */
static void read_slice(struct histree_slice_worker *worker, const struct note *order, struct slice_reader *reader,
		       struct saved_bytes *out)
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
	leave_slice(worker, slice);
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

static void *work(void *context)
{
	struct histree_slice_worker *worker = context;
	struct slice_reader *reader = NULL;
	struct leaf_scratch scratch = { 0 };
	struct note *order;
	bool was_opened = false;
	while ((order = wait_for_order(worker)) != NULL) {
		struct saved_bytes out = { 0 };
		if (!was_opened && slice_reader_open(&worker->plan.source, &reader, NULL) != HISTREE_OK)
			reader = NULL;
		was_opened = true;
		if (order->kind == SLICE_READ)
			read_slice(worker, order, reader, &out);
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
		status = slice_reader_open(&worker->plan.source, &first, error);
	if (status != HISTREE_OK)
		return status;
	slice_reader_close(first);
	worker->has_plan = true;
	unsigned wanted = worker->thread_count;
	worker->thread_count = 0;
	while (worker->thread_count < wanted && thread_create(&worker->threads[worker->thread_count], work, worker))
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

static enum histree_status queue(struct histree_slice_worker *worker, const void *bytes, size_t size, uint64_t kind,
				 uint64_t number, size_t at, struct histree_error *error)
{
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
	return queue(worker, bytes, size, kind, number, size - byte_reader_left(&reader), error);
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
