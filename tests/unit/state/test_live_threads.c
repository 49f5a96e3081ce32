// SPDX-License-Identifier: MIT
/*
 * test_live_threads.c - one thread builds a history, others ask it all the while.
 *
 * Attribute q becomes s at the time 10 s + q, so that anybody can tell what it was at any time.  The builder looks
 * at the history now and then and hands it out; the readers ask what was handed out last, several at a time, and
 * some of them open what was published.  Nothing that a reader does waits for the builder.
 *
 * It is run under ThreadSanitizer by scripts/trial.  HISTREE_SEED and HISTREE_ROUNDS as in support/workload.h.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/hash_index.h"
#include "histree/history.h"
#include "histree/states.h"
#include "support/effort.h"
#include "support/test.h"
#include "support/workload.h"

enum { KEYS = 10, READERS = 4, STEPS = 3000, STEPS_PER_LOOK = 60, STEPS_PER_PUBLISH = 250 };

/* A history that readers share; whoever lets go of it last closes it. */
struct shared {
	struct histree_history *history;
	unsigned users;
};

struct stress {
	const char *variant;
	char path[64];
	pthread_mutex_t mutex; /* guards `latest` and the users of each */
	struct shared *latest;
	atomic_bool done;
	atomic_uint answers, opened, faults;
	char fault[200]; /* the first */
};

struct reader {
	struct stress *stress;
	struct random random;
	bool opens; /* what was published, by its path */
};

static void let_go(struct stress *stress, struct shared *shared)
{
	pthread_mutex_lock(&stress->mutex);
	bool last = --shared->users == 0;
	pthread_mutex_unlock(&stress->mutex);
	if (last) {
		histree_history_close(shared->history);
		free(shared);
	}
}

static struct shared *take_latest(struct stress *stress)
{
	pthread_mutex_lock(&stress->mutex);
	struct shared *latest = stress->latest;
	if (latest != NULL)
		latest->users++;
	pthread_mutex_unlock(&stress->mutex);
	return latest;
}

static void hand_out(struct stress *stress, struct histree_history *history)
{
	struct shared *shared = malloc(sizeof(*shared));
	assert_non_null(shared);
	*shared = (struct shared){ .history = history, .users = 1 };
	pthread_mutex_lock(&stress->mutex);
	struct shared *before = stress->latest;
	stress->latest = shared;
	pthread_mutex_unlock(&stress->mutex);
	if (before != NULL)
		let_go(stress, before);
}

static void report(struct stress *stress, const char *what, histree_quark quark, histree_time time)
{
	if (atomic_fetch_add(&stress->faults, 1) == 0)
		snprintf(stress->fault, sizeof(stress->fault), "%s: attribute %u at %lld", what, quark,
			 (long long)time);
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

static void check(struct stress *stress, const struct histree_interval *found, histree_time end)
{
	histree_time since = found->start - found->quark;
	bool is_null = found->start == 0 && found->quark > 0; /* before its first change */
	histree_time last = is_null ? (histree_time)found->quark - 1 : found->start + 9;
	bool right = found->end == (last < end ? last : end) &&
		     (is_null ? found->value.type == HISTREE_NULL
			      : since % 10 == 0 && found->value.type == HISTREE_INT &&
					found->value.int32 == (int32_t)(since / 10));
	atomic_fetch_add(&stress->answers, 1);
	if (!right)
		report(stress, "wrong", found->quark, found->start);
}

static void ask(struct reader *reader, struct histree_history *history)
{
	struct stress *stress = reader->stress;
	histree_time end = histree_history_info(history)->end;
	struct histree_cursor *query;
	struct histree_interval found;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK) {
		report(stress, "no query", 0, 0);
		return;
	}
	for (int i = 0; i < 12; i++) {
		histree_quark quark = (histree_quark)random_below(&reader->random, KEYS);
		histree_time from = (histree_time)random_below(&reader->random, (uint64_t)end + 1);
		histree_time to = from + (histree_time)random_below(&reader->random, (uint64_t)(end - from) + 1);
		struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = from, .to = from };
		if (i % 3 == 0)
			region.quarks = NULL;
		if (i % 4 == 0)
			region.to = to < from + 300 ? to : from + 300;
		enum histree_status status = histree_query_start(query, &region, NULL);
		uint64_t count = 0;
		while (status == HISTREE_OK && (status = histree_cursor_next(query, NULL)) == HISTREE_OK) {
			found = *histree_cursor_interval(query);
			check(stress, &found, end);
			count++;
		}
		if (status != HISTREE_END || count == 0)
			report(stress, "no answer", quark, from);
	}
	histree_cursor_free(query);
}

static void *read_on(void *context)
{
	struct reader *reader = context;
	struct stress *stress = reader->stress;
	while (!atomic_load(&stress->done)) {
		struct histree_history *history = NULL;
		if (reader->opens) {
			if (histree_history_open(stress->path, NULL, &history, NULL) != HISTREE_OK)
				continue; /* nothing was published yet */
			atomic_fetch_add(&stress->opened, 1);
			ask(reader, history);
			histree_history_close(history);
			continue;
		}
		struct shared *shared = take_latest(stress);
		if (shared == NULL)
			continue;
		ask(reader, shared->history);
		let_go(stress, shared);
	}
	return NULL;
}

/* ---- building --------------------------------------------------------------------------------------------- */

static struct histree_state_system *begin(const struct stress *stress)
{
	struct histree_state_system *system;
	const struct histree_history_options options = {
		.path = stress->path,
		.start = 0,
		.tree = { .variant = stress->variant, .node_size = 4096, .fan_out = 5 }
	};
	assert_ok(histree_state_create(&options, &system, NULL));
	for (histree_quark key = 0; key < KEYS; key++) {
		char name[4];
		histree_quark quark;
		snprintf(name, sizeof(name), "%u", key);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	}
	return system;
}

static void build(struct stress *stress)
{
	struct histree_state_system *system = begin(stress);
	for (histree_time step = 0; step < STEPS; step++) {
		for (histree_quark quark = 0; quark < KEYS; quark++)
			assert_ok(histree_state_modify(system, step * 10 + quark, quark, histree_int((int32_t)step),
						       NULL));
		histree_time now = histree_state_current_end(system);
		if (step % STEPS_PER_LOOK == 0) {
			struct histree_history *history;
			assert_ok(histree_state_history(system, now, NULL, &history, NULL));
			assert_int_equal(histree_history_info(history)->end, now);
			hand_out(stress, history);
		}
		if (step % STEPS_PER_PUBLISH == 0)
			assert_ok(histree_state_publish(system, now - 1, NULL));
	}
	assert_ok(histree_state_close(system, STEPS * 10 - 1, NULL));
	histree_state_free(system);
}

static void answers_are_right_while_it_grows(void **state)
{
	struct stress stress = { .variant = *state, .mutex = PTHREAD_MUTEX_INITIALIZER };
	struct reader readers[READERS];
	pthread_t threads[READERS];
	snprintf(stress.path, sizeof(stress.path), "test_live_threads.%ld.sht", (long)getpid());
	unlink(stress.path);
	for (unsigned i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .stress = &stress,
					      .random = { test_seed() + i },
					      .opens = i == READERS - 1 };
		assert_int_equal(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
	}
	for (uint64_t round = 0; round < test_rounds(); round++) {
		unlink(stress.path);
		build(&stress);
	}
	/* On a machine that did nothing else meanwhile: let them ask something. */
	while (atomic_load(&stress.answers) < 1000 || atomic_load(&stress.opened) < 1)
		sched_yield();
	atomic_store(&stress.done, true);
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	let_go(&stress, stress.latest);
	unlink(stress.path);
	if (atomic_load(&stress.faults) > 0)
		fail_msg("%s: %u faults, the first: %s", stress.variant, atomic_load(&stress.faults), stress.fault);
}

TEST_SUITE
{
	static char cluster[] = "cluster", esht[] = "esht", rsht[] = "rsht";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(answers_are_right_while_it_grows, cluster),
		cmocka_unit_test_prestate(answers_are_right_while_it_grows, esht),
		cmocka_unit_test_prestate(answers_are_right_while_it_grows, rsht),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
