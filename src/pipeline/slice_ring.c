// SPDX-License-Identifier: MIT
#include "pipeline/slice_ring.h"

#include <stdlib.h>
#include <time.h>

static const long wait_ns = 50 * 1000 * 1000;

bool slice_ring_init(struct slice_ring *ring, size_t size)
{
	*ring = (struct slice_ring){ .size = size };
	pthread_mutex_init(&ring->mutex, NULL);
	pthread_cond_init(&ring->changed, NULL);
	ring->slices = calloc(size, sizeof(*ring->slices));
	return ring->slices != NULL;
}

void slice_ring_release(struct slice_ring *ring)
{
	for (size_t i = 0; i < ring->size && ring->slices != NULL; i++) {
		struct slice *slice = &ring->slices[i];
		slice_run_free(slice->run);
		saved_release(&slice->hint);
		index_part_release(&slice->memory.part);
	}
	free(ring->slices);
	pthread_cond_destroy(&ring->changed);
	pthread_mutex_destroy(&ring->mutex);
	*ring = (struct slice_ring){ .size = 0 };
}

void slice_ring_cut(struct slice_ring *ring)
{
	pthread_mutex_lock(&ring->mutex);
	ring->cut++;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mutex);
}

/* ---- who does the steps -------------------------------------------------------------------------------------- */

/* Leaves first: what waits for them has the most memory. */
static struct slice *take(struct slice_ring *ring, int worker, bool may_read)
{
	struct slice *found = NULL;
	for (uint64_t number = ring->taken; number < ring->cut; number++) {
		struct slice *slice = slice_ring_at(ring, number);
		bool is_to_make = slice->step == STEP_MAKE && slice->worker == worker;
		if (slice->is_begun || (!is_to_make && (slice->step != STEP_READ || !may_read)))
			continue;
		if (is_to_make || found == NULL)
			found = slice;
		if (is_to_make)
			break;
	}
	if (found == NULL)
		return NULL;
	found->is_begun = true;
	found->worker = worker;
	return found;
}

struct slice *slice_ring_take(struct slice_ring *ring, int worker, bool may_read)
{
	pthread_mutex_lock(&ring->mutex);
	struct slice *slice = ring->is_stopping ? NULL : take(ring, worker, may_read);
	pthread_mutex_unlock(&ring->mutex);
	return slice;
}

struct slice *slice_ring_wait(struct slice_ring *ring)
{
	struct slice *slice = NULL;
	pthread_mutex_lock(&ring->mutex);
	while (!ring->is_stopping && (slice = take(ring, SLICE_WORKER_HERE, true)) == NULL)
		pthread_cond_wait(&ring->changed, &ring->mutex);
	pthread_mutex_unlock(&ring->mutex);
	return slice;
}

struct slice *slice_ring_find(struct slice_ring *ring, uint64_t number, int worker, enum slice_step step)
{
	struct slice *found = NULL;
	pthread_mutex_lock(&ring->mutex);
	if (number >= ring->taken && number < ring->cut) {
		struct slice *slice = slice_ring_at(ring, number);
		if (slice->is_begun && slice->step == step && slice->worker == worker)
			found = slice;
	}
	pthread_mutex_unlock(&ring->mutex);
	return found;
}

void slice_ring_end_step(struct slice_ring *ring, struct slice *slice, enum slice_step next)
{
	pthread_mutex_lock(&ring->mutex);
	slice->step = next;
	slice->is_begun = false;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mutex);
}

void slice_ring_lose(struct slice_ring *ring, int worker)
{
	pthread_mutex_lock(&ring->mutex);
	for (uint64_t number = ring->taken; number < ring->cut; number++) {
		struct slice *slice = slice_ring_at(ring, number);
		if (slice->worker != worker || slice->step == STEP_TAKE)
			continue;
		slice->worker = SLICE_WORKER_HERE;
		slice->is_begun = false;
	}
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mutex);
}

void slice_ring_stop(struct slice_ring *ring)
{
	pthread_mutex_lock(&ring->mutex);
	ring->is_stopping = true;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mutex);
}

/* ---- the owner ----------------------------------------------------------------------------------------------- */

bool slice_ring_has_come(struct slice_ring *ring, const struct slice *slice, enum slice_step step, bool waits)
{
	struct timespec until;
	pthread_mutex_lock(&ring->mutex);
	if (waits && slice->step != step) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += wait_ns;
		until.tv_sec += until.tv_nsec / (1000 * 1000 * 1000);
		until.tv_nsec %= 1000 * 1000 * 1000;
		pthread_cond_timedwait(&ring->changed, &ring->mutex, &until);
	}
	bool has_come = slice->step == step;
	pthread_mutex_unlock(&ring->mutex);
	return has_come;
}

void slice_ring_count(struct slice_ring *ring, uint64_t *counter)
{
	pthread_mutex_lock(&ring->mutex);
	++*counter;
	pthread_mutex_unlock(&ring->mutex);
}

int slice_ring_worker(struct slice_ring *ring, const struct slice *slice)
{
	pthread_mutex_lock(&ring->mutex);
	int worker = slice->worker;
	pthread_mutex_unlock(&ring->mutex);
	return worker;
}

uint64_t slice_ring_taken(struct slice_ring *ring)
{
	pthread_mutex_lock(&ring->mutex);
	uint64_t taken = ring->taken;
	pthread_mutex_unlock(&ring->mutex);
	return taken;
}
