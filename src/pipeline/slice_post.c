// SPDX-License-Identifier: MIT
#include "pipeline/slice_post.h"

#include <stdlib.h>

#include "base/error.h"
#include "tree/leaf_pack.h"

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

static void write_order(const struct slice_post_job *job, const struct slice *slice, struct saved_bytes *out)
{
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
	write_order(job, slice, out);
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

/* What only memory prevents is read by the owner. */
static enum histree_status put_read(const struct slice_post_job *job, struct slice *slice,
				    struct byte_reader *reader, struct histree_error *error)
{
	const struct saved_bytes no_hint = { 0 };
	enum histree_status status = slice_run_create(&job->plan.source, &job->plan.frame, &slice->range, &no_hint,
						      &slice->memory, &slice->run, error);
	if (status == HISTREE_OK)
		status = slice_run_load_read(slice->run, &job->plan.frame, reader, error);
	if (status == HISTREE_ERR_MEMORY) {
		slice_run_free(slice->run);
		slice->run = NULL;
		status = HISTREE_OK;
	}
	slice_ring_end_step(job->ring, slice, STEP_COMMIT);
	return status;
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

static enum histree_status put(struct histree_slice_post *post, const struct slice_post_job *job, unsigned worker,
			       struct byte_reader *reader, struct histree_error *error)
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
	return put_read(job, slice, reader, error);
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
	enum histree_status status = put(post, job, worker, &reader, &failure);
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
