// SPDX-License-Identifier: MIT
/*
 * A task is done by one thread at a time, all of its steps are done, and who waits helps; ThreadSanitizer would see
 * what is not handed over.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/crew.h"
#include "support/test.h"

/* Adds 1, 2, 3... as often as it was asked to. */
struct sum {
	uint64_t wanted; /* written by who starts it, while nobody is at it */
	uint64_t steps, total;
	atomic_uint at_work;
	struct crew_task task;
};

static bool add_next(void *context)
{
	struct sum *sum = context;
	assert_int_equal(atomic_fetch_add(&sum->at_work, 1), 0);
	if (sum->steps < sum->wanted)
		sum->total += ++sum->steps;
	bool goes_on = sum->steps < sum->wanted;
	atomic_fetch_sub(&sum->at_work, 1);
	return goes_on;
}

static void begin_sum(struct sum *sum)
{
	*sum = (struct sum){ .task = { .step = add_next, .context = sum } };
}

TEST(test_finish)
{
	enum { SUMS = 5, ROUNDS = 2000 };
	static const unsigned threads[] = { 1, 2, 7 };
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct crew crew;
		struct sum sums[SUMS];
		assert_true(crew_begin(&crew, threads[i]));
		for (unsigned which = 0; which < SUMS; which++)
			begin_sum(&sums[which]);
		for (uint64_t round = 1; round <= ROUNDS; round++) {
			struct sum *sum = &sums[round % SUMS];
			crew_finish(&crew, &sum->task);
			assert_int_equal(sum->steps, sum->wanted);
			assert_int_equal(sum->total, sum->steps * (sum->steps + 1) / 2);
			sum->wanted += round % 4;
			crew_start(&crew, &sum->task);
			crew_start(&crew, &sum->task);
		}
		for (unsigned which = 0; which < SUMS; which++) {
			crew_finish(&crew, &sums[which].task);
			assert_int_equal(sums[which].steps, sums[which].wanted);
		}
		crew_end(&crew);
	}
}

/* Numbers go through a ring of eight from a task that makes them to one that takes them, or to the caller. */
struct ring {
	struct crew crew;
	struct crew_task making, taking;
	pthread_mutex_t mutex;
	uint64_t made, last, taken[2], sums[2];
};

enum { RING = 8 };

static bool has_room(const struct ring *ring)
{
	uint64_t behind = ring->taken[0] < ring->taken[1] ? ring->taken[0] : ring->taken[1];
	return ring->made < ring->last && ring->made - behind < RING;
}

static bool make_one(void *context)
{
	struct ring *ring = context;
	pthread_mutex_lock(&ring->mutex);
	bool makes_one = has_room(ring);
	ring->made += makes_one;
	bool goes_on = has_room(ring);
	pthread_mutex_unlock(&ring->mutex);
	if (makes_one)
		crew_start(&ring->crew, &ring->taking);
	return goes_on;
}

/* Returns whether there was one. */
static bool take_one(struct ring *ring, unsigned taker)
{
	pthread_mutex_lock(&ring->mutex);
	bool has_one = ring->taken[taker] < ring->made;
	ring->taken[taker] += has_one;
	ring->sums[taker] += has_one ? ring->taken[taker] : 0;
	pthread_mutex_unlock(&ring->mutex);
	if (has_one)
		crew_start(&ring->crew, &ring->making);
	return has_one;
}

static bool take_by_task(void *context)
{
	return take_one(context, 1);
}

static bool is_there_one(void *context)
{
	struct ring *ring = context;
	pthread_mutex_lock(&ring->mutex);
	bool is_there = ring->taken[0] < ring->made;
	pthread_mutex_unlock(&ring->mutex);
	return is_there;
}

TEST(test_await)
{
	enum { NUMBERS = 20000 };
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct ring ring = { .last = NUMBERS };
		ring.making = (struct crew_task){ .step = make_one, .context = &ring };
		ring.taking = (struct crew_task){ .step = take_by_task, .context = &ring };
		pthread_mutex_init(&ring.mutex, NULL);
		assert_true(crew_begin(&ring.crew, threads));
		crew_start(&ring.crew, &ring.making);
		for (unsigned i = 0; i < NUMBERS; i++) {
			crew_await(&ring.crew, i % 3 > 0 ? &ring.making : NULL, is_there_one, &ring);
			assert_true(take_one(&ring, 0));
		}
		crew_finish(&ring.crew, &ring.making);
		crew_finish(&ring.crew, &ring.taking);
		crew_finish(&ring.crew, &ring.making); /* which the other one has started */
		assert_int_equal(ring.sums[0], (uint64_t)NUMBERS * (NUMBERS + 1) / 2);
		assert_int_equal(ring.sums[1], ring.sums[0]);
		crew_end(&ring.crew);
		pthread_mutex_destroy(&ring.mutex);
	}
}

/* Without any thread to be had there is no crew, and nothing to end. */
TEST(test_no_threads)
{
	struct crew crew;
	assert_false(crew_begin(&crew, 0));
}
