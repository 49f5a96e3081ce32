// SPDX-License-Identifier: MIT
/*
 * One task at a time, each done before worker_wait() returns; ThreadSanitizer would see what is not handed over.
 */
#include "base/crew.h"
#include "support/test.h"

struct sum {
	unsigned total, next;
};

static void add_next(void *context)
{
	struct sum *sum = context;
	sum->total += sum->next;
}

TEST(tasks_are_done_in_order)
{
	struct worker worker;
	struct sum sum = { 0 };
	assert_true(worker_create(&worker));
	worker_wait(&worker);
	for (unsigned i = 1; i <= 1000; i++) {
		sum.next = i;
		worker_start(&worker, add_next, &sum);
		worker_wait(&worker);
		assert_int_equal(sum.total, i * (i + 1) / 2);
	}
	worker_stop(&worker);
}

TEST(stopping_finishes_the_task)
{
	struct worker worker;
	struct sum sum = { .next = 5 };
	assert_true(worker_create(&worker));
	worker_start(&worker, add_next, &sum);
	worker_stop(&worker);
	assert_int_equal(sum.total, 5);
}
