// SPDX-License-Identifier: MIT
/*
 * test_time_use.c - what threads did with their time, against arrays that say it for each nanosecond: random
 * threads, CPUs and system calls, random ranges, keys and filters, and windows of a few states; of a history in
 * this process, and of one that somebody else holds.
 */
#include <sys/stat.h>

#include "base/hash_index.h"
#include "histree/history.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "overview/overview_writer.h"
#include "state/history.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/local_source.h"
#include "support/test.h"

enum { THREADS = 5, CPUS = 3, LENGTH = 600, START = 1000, NOTHING = -100, NOT_KNOWN = -101, ATTRIBUTES = 3 };
enum { STATUS, QUEUE, CALL };
enum { REUSED = 3 };

/* The first two are idle loops: those of CPUs 0 and 1. */
static const char *const names[THREADS] = { "0_0", "0_1", "7", "8", "9" };
static const int32_t tids[THREADS] = { 0, 0, 7, 8, 9 }, pids[THREADS] = { 0, 0, 7, 7, 9 };
static const char *const programs[THREADS] = { "swapper/0", "swapper/1", "one", "one", "two" };
static const char *const calls[] = { "read", "futex", "write" };

struct world {
	int32_t of_thread[THREADS][ATTRIBUTES][LENGTH]; /* calls: an index */
	int32_t owner[CPUS][LENGTH];
	int used_again; /* from here on the number of REUSED is another thread's; LENGTH: it never is */
	struct histree_history *history;
	struct histree_history *held; /* the same, of which somebody else answers */
	char path[64];
};

/* ---- a history, and what it is at each time ------------------------------------------------------------- */

static struct histree_value value_of(int32_t number, bool is_call)
{
	return number == NOTHING     ? histree_null()
	       : number == NOT_KNOWN ? histree_unknown()
	       : is_call             ? histree_string(calls[number])
				     : histree_int(number);
}

/* An attribute that changes now and then, from its first state on. */
static void fill(struct random *random, struct histree_state_system *system, const char *path, int32_t *at,
		 int32_t below, bool is_call)
{
	histree_quark quark;
	int32_t now = NOTHING;
	uint64_t often = 1 + random_below(random, 60);
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	for (int t = 0; t < LENGTH; t++) {
		if (random_below(random, often) == 0) {
			now = (int32_t)random_below(random, (uint64_t)below + 1);
			now = now == below ? (random_percent(random, 70) ? NOTHING : NOT_KNOWN) : now;
			assert_ok(histree_state_modify(system, START + t, quark, value_of(now, is_call), NULL));
		}
		at[t] = now;
	}
}

static void put(struct histree_state_system *system, const char *thread, const char *what,
		struct histree_value value)
{
	char path[64];
	histree_quark quark;
	snprintf(path, sizeof(path), "Threads/%s/%s", thread, what);
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	assert_ok(histree_state_modify(system, START, quark, value, NULL));
}

static const char *program_at(const struct world *world, int thread, int t)
{
	return thread == REUSED && t >= world->used_again ? "three" : programs[thread];
}

/* No state goes on from the one thread to the other, no call, and no time on a CPU. */
static bool can_end(const struct world *world, int t)
{
	const int32_t *status = world->of_thread[REUSED][STATUS], *call = world->of_thread[REUSED][CALL];
	bool can = status[t] < 0 && status[t] != status[t - 1] && (call[t] == NOTHING || call[t] != call[t - 1]);
	for (int cpu = 0; cpu < CPUS; cpu++)
		can &= world->owner[cpu][t] != tids[REUSED] || world->owner[cpu][t - 1] != tids[REUSED];
	return can;
}

/* Its name is null from when the thread is gone, or nobody knows what it does, until the other has one. */
static void use_again(struct world *world, struct random *random, struct histree_state_system *system)
{
	histree_quark quark;
	char path[64];
	int t = 1 + (int)random_below(random, LENGTH / 2), named;
	while (t < LENGTH && !can_end(world, t))
		t++;
	world->used_again = LENGTH;
	named = t + 1 + (int)random_below(random, 20);
	if (named >= LENGTH - 1)
		return;
	world->used_again = t;
	snprintf(path, sizeof(path), "Threads/%s/Exec_name", names[REUSED]);
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	assert_ok(histree_state_modify(system, START + t, quark, histree_null(), NULL));
	assert_ok(histree_state_modify(system, START + named, quark, histree_string("three"), NULL));
}

static void open_world(struct world *world)
{
	struct histree_history *history;
	assert_ok(histree_history_open(world->path, NULL, &world->history, NULL));
	assert_ok(histree_history_open(world->path, NULL, &history, NULL));
	assert_ok(local_source_make(history, &world->held, NULL));
}

static void close_world(struct world *world)
{
	histree_history_close(world->history);
	histree_history_close(world->held);
}

static void make(struct world *world, struct random *random)
{
	struct histree_state_system *system;
	char path[64];
	snprintf(world->path, sizeof(world->path), "test_time_use.%ld.sht", (long)getpid());
	unlink(world->path);
	const struct histree_history_options options = { .path = world->path,
							 .provider = "kernel",
							 .start = START,
							 .tree = { .node_size = 4096, .threads = 1 } };
	assert_ok(histree_state_create(&options, &system, NULL));
	for (int i = 0; i < THREADS; i++) {
		put(system, names[i], "Exec_name", histree_string(programs[i]));
		if (pids[i] != tids[i])
			put(system, names[i], "PID", histree_int(pids[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		static const char *const parts[ATTRIBUTES] = { "", "/Current_cpu_rq", "/System_call" };
		static const int32_t below[ATTRIBUTES] = { 8, CPUS + 1,
							   3 }; /* a queue of a CPU that there is none of */
		for (int k = 0; k < ATTRIBUTES; k++) {
			snprintf(path, sizeof(path), "Threads/%s%s", names[i], parts[k]);
			fill(random, system, path, world->of_thread[i][k], below[k], k == CALL);
		}
	}
	for (int cpu = 0; cpu < CPUS; cpu++) {
		snprintf(path, sizeof(path), "CPUs/%d/Current_thread", cpu);
		fill(random, system, path, world->owner[cpu], 10, false);
	}
	use_again(world, random, system);
	assert_ok(histree_state_close(system, START + LENGTH - 1, NULL));
	histree_state_free(system);
	open_world(world);
}

static void say(void *context, const char *fault)
{
	(void)context;
	print_error("%s\n", fault);
}

/* Have the overview of sums and the cube as well, of windows of some states, and open the history with them. */
static void sum_up(struct world *world, struct random *random)
{
	const struct overview_options options = {
		.history_states_min = 1,
		.states_in_window = 1 + (uint32_t)random_below(random, 400),
		.percent_max = 100000,
		.sums_percent_max = 100000,
		.sum_states_min = 1 + (uint32_t)random_below(random, 20),
		/* So little that cells become wider, or so much that they do not. */
		.cube_percent_max = 30 + (uint32_t)random_below(random, UINT64_C(100) << random_below(random, 10)),
		.threads = 1,
	};
	struct histree_error error = { 0 };
	close_world(world);
	if (overviews_write(&io_posix, world->path, &options, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	open_world(world);
	if (histree_history_verify(world->history, say, NULL, &error) != HISTREE_OK ||
	    histree_sums_verify(world->history, say, NULL, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
}

static void remove_world(struct world *world)
{
	close_world(world);
	history_files_remove(world->path);
}

/* ---- the same, one nanosecond after the other ------------------------------------------------------------ */

static enum histree_use use_at(const struct world *world, int thread, int t)
{
	static const enum histree_use uses[] = {
		HISTREE_USE_UNKNOWN,     HISTREE_USE_BLOCKED, HISTREE_USE_USER,  HISTREE_USE_SYSTEM,
		HISTREE_USE_INTERRUPTED, HISTREE_USE_WAITING, HISTREE_USE_OTHER, HISTREE_USE_OTHER,
	};
	int32_t status = world->of_thread[thread][STATUS][t];
	if (status == NOT_KNOWN)
		return HISTREE_USE_UNKNOWN;
	if (tids[thread] == 0 && (status == 2 || status == 3))
		return HISTREE_USE_IDLE;
	return uses[status];
}

/* Whether there is the thread; of an idle loop only while no other has its CPU. */
static bool is_counted(const struct world *world, int thread, int t)
{
	int32_t status = world->of_thread[thread][STATUS][t];
	return status != NOTHING && (tids[thread] != 0 || status != 5);
}

static int32_t had_by_at(const struct world *world, int thread, int t)
{
	if (use_at(world, thread, t) != HISTREE_USE_WAITING)
		return NOTHING;
	int32_t cpu = world->of_thread[thread][QUEUE][t];
	if (cpu < 0 || cpu >= CPUS || world->owner[cpu][t] == NOTHING)
		return NOT_KNOWN;
	return world->owner[cpu][t];
}

/* Whether the nanosecond of the thread belongs to the row. */
static bool is_of(const struct world *world, const struct histree_use_row *row, unsigned by, int thread, int t)
{
	const int32_t call = world->of_thread[thread][CALL][t];
	const int32_t cpu = tids[thread] == 0 ? thread : world->of_thread[thread][QUEUE][t];
	const struct histree_value values[HISTREE_USE_KEY_COUNT] = {
		histree_int(tids[thread]),
		histree_int(pids[thread]),
		histree_string(program_at(world, thread, t)),
		value_of(cpu, false),
		histree_int((int32_t)use_at(world, thread, t)),
		value_of(call, true),
		value_of(had_by_at(world, thread, t), false),
	};
	for (int i = 0; i < HISTREE_USE_KEY_COUNT; i++) {
		const struct histree_value wanted = by & 1U << i ? values[i] : histree_null();
		if (row->keys[i].type != wanted.type ||
		    (wanted.type > HISTREE_NULL && !histree_value_equal(&row->keys[i], &wanted)))
			return false;
	}
	const int32_t owner = had_by_at(world, thread, t);
	if ((by & HISTREE_BY(HAD_BY)) != 0 && owner == tids[REUSED] &&
	    strcmp(row->had_by_name, program_at(world, REUSED, t)) != 0)
		return false;
	return (by & HISTREE_BY(THREAD)) == 0 || (row->from <= START + t && row->to >= START + t);
}

struct filter {
	const char *text;
	bool (*passes)(const struct world *world, int thread, int t);
};

static bool all_pass(const struct world *world, int thread, int t)
{
	(void)world, (void)thread, (void)t;
	return true;
}

static bool of_process(const struct world *world, int thread, int t)
{
	(void)world, (void)t;
	return pids[thread] == 7 && tids[thread] > 7;
}

static bool waits_or_reads(const struct world *world, int thread, int t)
{
	return use_at(world, thread, t) == HISTREE_USE_WAITING || world->of_thread[thread][CALL][t] == 0;
}

static bool of_owner(const struct world *world, int thread, int t)
{
	int32_t owner = had_by_at(world, thread, t);
	return owner >= 0 && owner != 3 && strcmp(program_at(world, thread, t), "one") == 0;
}

static bool on_cpu(const struct world *world, int thread, int t)
{
	int32_t cpu = tids[thread] == 0 ? thread : world->of_thread[thread][QUEUE][t];
	return cpu == 1 || cpu == 2;
}

static bool is_read(const struct world *world, int thread, int t)
{
	return world->of_thread[thread][CALL][t] == 0;
}

static bool waits_for_another(const struct world *world, int thread, int t)
{
	int32_t owner = had_by_at(world, thread, t);
	return use_at(world, thread, t) == HISTREE_USE_WAITING && owner >= 0 && owner != 3;
}

static const struct filter filters[] = {
	{ NULL, all_pass },
	{ "process == 7 && thread > 7", of_process },
	{ "state == waiting || system_call == read", waits_or_reads },
	{ "had_by != 3 && name == one", of_owner },
	{ "cpu >= 1 && cpu < 3", on_cpu },
	{ "system_call == read", is_read },
	{ "had_by != 3 && state == waiting", waits_for_another },
};

/* ---- comparing ------------------------------------------------------------------------------------------ */

/* Idle loops are counted by CPU and by state. */
static int first_thread(unsigned by)
{
	return (by & (HISTREE_BY(CPU) | HISTREE_BY(STATE))) != 0 ? 0 : 2;
}

static void expect(const struct world *world, const struct histree_use_row *row, unsigned by,
		   const struct filter *filter, int from, int to, uint64_t *ns)
{
	memset(ns, 0, HISTREE_USE_COUNT * sizeof(*ns));
	for (int thread = first_thread(by); thread < THREADS; thread++)
		for (int t = from; t <= to; t++)
			if (is_counted(world, thread, t) && filter->passes(world, thread, t) &&
			    is_of(world, row, by, thread, t))
				ns[use_at(world, thread, t)]++;
}

/* States that begin, or go on at the start; by system call those in no call, and calls with a part in the row. */
static uint64_t count_of(const struct world *world, const struct histree_use_row *row, unsigned by,
			 const struct filter *filter, int from, int to)
{
	uint64_t count = 0;
	for (int thread = first_thread(by); thread < THREADS; thread++) {
		const int32_t *status = world->of_thread[thread][STATUS], *call = world->of_thread[thread][CALL];
		int call_start = 0, counted = -1;
		for (int t = 0; t <= to; t++) {
			if (t > 0 && call[t] != call[t - 1])
				call_start = t;
			if (t < from || !is_counted(world, thread, t) || !filter->passes(world, thread, t) ||
			    !is_of(world, row, by, thread, t))
				continue;
			if ((by & HISTREE_BY(SYSTEM_CALL)) == 0 || call[t] == NOTHING)
				count += t == from || t == 0 || status[t] != status[t - 1];
			else if (counted != call_start)
				count++;
			if (call[t] != NOTHING)
				counted = call_start;
		}
	}
	return count;
}

/* The longest piece of a use in the row, and of equal ones the first. */
static struct histree_use_longest longest_of(const struct world *world, const struct histree_use_row *row,
					     unsigned by, const struct filter *filter, int from, int to,
					     enum histree_use wanted)
{
	struct histree_use_longest longest = { 0 };
	for (int thread = first_thread(by); thread < THREADS; thread++) {
		uint64_t run = 0;
		for (int t = from; t <= to; t++) {
			bool counts = is_counted(world, thread, t) && filter->passes(world, thread, t) &&
				      use_at(world, thread, t) == wanted && is_of(world, row, by, thread, t);
			run = counts ? run + 1 : 0;
			const histree_time start = START + t + 1 - (histree_time)run;
			if (run > longest.ns || (run > 0 && run == longest.ns && start < longest.start))
				longest = (struct histree_use_longest){ run, start };
		}
	}
	return longest;
}

static void expect_longest(const struct world *world, const struct histree_use_row *row,
			   const struct histree_time_use_request *request, const struct filter *filter)
{
	const int from = (int)(request->from - START), to = (int)(request->to - START);
	const struct histree_use_longest none = { 0 };
	const struct histree_use_longest wait =
		!request->longest ? none
				  : longest_of(world, row, request->by, filter, from, to, HISTREE_USE_WAITING);
	const struct histree_use_longest block =
		!request->longest ? none
				  : longest_of(world, row, request->by, filter, from, to, HISTREE_USE_BLOCKED);
	assert_int_equal(row->longest_wait.ns, wait.ns);
	assert_int_equal(row->longest_wait.start, wait.start);
	assert_int_equal(row->longest_block.ns, block.ns);
	assert_int_equal(row->longest_block.start, block.start);
}

static uint64_t count_all(const struct world *world, unsigned by, const struct filter *filter, int from, int to)
{
	uint64_t sum = 0;
	for (int thread = first_thread(by); thread < THREADS; thread++)
		for (int t = from; t <= to; t++)
			sum += is_counted(world, thread, t) && filter->passes(world, thread, t);
	return sum;
}

static void compare_to(const struct world *world, struct histree_history *history,
		       const struct histree_time_use_request *request, const struct filter *filter)
{
	const int from = (int)(request->from - START), to = (int)(request->to - START);
	struct histree_error error = { 0 };
	struct histree_time_use *use;
	uint64_t ns[HISTREE_USE_COUNT], sum = 0;
	size_t count;
	if (histree_time_use_create(history, request, &use, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	assert_int_equal(histree_time_use_loss(use).nodes, 0);
	for (size_t i = 0; i < count; i++) {
		expect(world, &rows[i], request->by, filter, from, to, ns);
		assert_memory_equal(rows[i].ns, ns, sizeof(ns));
		assert_int_equal(rows[i].count, count_of(world, &rows[i], request->by, filter, from, to));
		expect_longest(world, &rows[i], request, filter);
		for (int use_kind = 0; use_kind < HISTREE_USE_COUNT; use_kind++)
			sum += ns[use_kind];
	}
	/* All of it is in some row, and in one only. */
	assert_int_equal(sum, count_all(world, request->by, filter, from, to));
	histree_time_use_free(use);
}

static void compare(struct random *random, const struct world *world)
{
	int one = (int)random_below(random, LENGTH), other = (int)random_below(random, LENGTH);
	int from = one < other ? one : other, to = one < other ? other : one;
	const struct filter *filter = &filters[random_below(random, sizeof(filters) / sizeof(*filters))];
	/* What cubes are for, and all else. */
	static const unsigned keys[] = { 0,
					 HISTREE_BY(CPU),
					 HISTREE_BY(STATE),
					 HISTREE_BY(CPU) | HISTREE_BY(STATE),
					 HISTREE_BY(SYSTEM_CALL),
					 HISTREE_BY(HAD_BY),
					 HISTREE_BY(HAD_BY) | HISTREE_BY(STATE) };
	const bool is_for_cube = random_percent(random, 50);
	if (random_percent(random, 10)) {
		from = random_percent(random, 50) ? 0 : from;
		to = from > 0 || random_percent(random, 50) ? LENGTH - 1 : to;
	}
	const struct histree_time_use_request request = {
		.from = START + from,
		.to = START + to,
		.by = is_for_cube ? keys[random_below(random, sizeof(keys) / sizeof(*keys))]
				  : (unsigned)random_below(random, 1 << HISTREE_USE_KEY_COUNT),
		.where = filter->text,
		.longest = !is_for_cube && random_percent(random, 40),
		.states_max = random_percent(random, 70) ? 1 + random_below(random, 50) : 0,
	};
	compare_to(world, random_percent(random, 50) ? world->history : world->held, &request, filter);
}

TEST(every_nanosecond_is_in_a_row)
{
	static struct world world;
	struct random random = { test_seed() };
	unsigned summed = 0, cubes = 0, with_owners = 0;
	for (uint64_t round = test_effort(60, 15) * test_rounds(); round > 0; round--) {
		make(&world, &random);
		for (int i = 0; i < 20; i++)
			compare(&random, &world);
		sum_up(&world, &random);
		summed += history_pyramid(world.history, PYRAMID_SUMS)->level_count > 0;
		cubes += history_pyramid(world.history, PYRAMID_CUBE)->level_count > 0;
		with_owners += history_pyramid(world.history, PYRAMID_CUBE)->level_count > 0 &&
			       history_pyramid(world.history, PYRAMID_CUBE)->levels[0].count > 1;
		for (int i = 0; i < 40; i++)
			compare(&random, &world);
		remove_world(&world);
	}
	assert_true(summed > 0 && cubes > 0 && with_owners > 0);
}

/* A call that goes on where states meet cells counts once, also if its thread has no status for a while. */
TEST(calls_count_once)
{
	static struct world world;
	struct random random = { test_seed() + 5 };
	for (uint64_t round = test_effort(20, 6) * test_rounds(); round > 0; round--) {
		make(&world, &random);
		sum_up(&world, &random);
		for (int i = 0; i < 100; i++) {
			int one = (int)random_below(&random, LENGTH), other = (int)random_below(&random, LENGTH);
			const struct histree_time_use_request request = { .from = START +
										  (one < other ? one : other),
									  .to = START + (one < other ? other : one),
									  .by = HISTREE_BY(SYSTEM_CALL) };
			compare_to(&world, world.history, &request, &filters[0]);
		}
		remove_world(&world);
	}
}

/* Of some keys only the statuses of threads are read, and of these most of a range comes from sums. */
TEST(counts_do_not_depend_on_sums)
{
	static struct world world;
	struct random random = { test_seed() + 2 };
	const unsigned keys = HISTREE_BY(THREAD) | HISTREE_BY(PROCESS) | HISTREE_BY(NAME) | HISTREE_BY(STATE);
	for (int round = 0; round < 8; round++) {
		make(&world, &random);
		struct histree_time_use *plain[64], *summed;
		struct histree_time_use_request requests[64];
		for (int i = 0; i < 64; i++) {
			int one = (int)random_below(&random, LENGTH), other = (int)random_below(&random, LENGTH);
			requests[i] = (struct histree_time_use_request){
				.from = START + (i == 0        ? 0
						 : one < other ? one
							       : other),
				.to = START + (i == 0        ? LENGTH - 1
					       : one < other ? other
							     : one),
				.by = (unsigned)random_bits(&random) & keys,
			};
			assert_ok(histree_time_use_create(world.history, &requests[i], &plain[i], NULL));
		}
		sum_up(&world, &random);
		for (int i = 0; i < 64; i++) {
			size_t count, summed_count;
			assert_ok(histree_time_use_create(i % 2 ? world.held : world.history, &requests[i], &summed,
							  NULL));
			const struct histree_use_row *rows = histree_time_use_rows(plain[i], &count);
			const struct histree_use_row *summed_rows = histree_time_use_rows(summed, &summed_count);
			assert_int_equal(count, summed_count);
			for (size_t k = 0; k < count; k++) {
				assert_int_equal(rows[k].count, summed_rows[k].count);
				assert_memory_equal(rows[k].ns, summed_rows[k].ns, sizeof(rows[k].ns));
			}
			histree_time_use_free(plain[i]);
			histree_time_use_free(summed);
		}
		remove_world(&world);
	}
}

/* A bit of a file is another one, until it is turned once more. */
static void turn(const char *path, long at, int bit)
{
	FILE *file = fopen(path, "r+b");
	assert_non_null(file);
	fseek(file, at, SEEK_SET);
	const int byte = fgetc(file);
	fseek(file, at, SEEK_SET);
	fputc(byte ^ (1 << bit), file);
	assert_int_equal(fclose(file), 0);
}

/* Any byte of the overview changes, or its end is cut off: the answer stays what it is. */
static void damaged_is_no_use(enum pyramid_id id, unsigned by)
{
	static struct world world;
	struct random random = { test_seed() + 3 };
	const struct histree_time_use_request request = { .from = START + 3, .to = START + LENGTH - 2, .by = by };
	char path[96];
	bool is_there;
	do {
		make(&world, &random);
		sum_up(&world, &random);
		pyramid_path(id, world.path, 1, path);
		is_there = access(path, F_OK) == 0;
		if (!is_there)
			remove_world(&world);
	} while (!is_there);
	struct histree_time_use *whole, *use;
	size_t count, damaged_count;
	assert_ok(histree_time_use_create(world.history, &request, &whole, NULL));
	const struct histree_use_row *rows = histree_time_use_rows(whole, &count), *damaged;
	struct stat about;
	assert_int_equal(stat(path, &about), 0);
	for (int round = 0; round < 60; round++) {
		const long at = (long)random_below(&random, (uint64_t)about.st_size);
		const int bit = (int)random_below(&random, 8);
		close_world(&world);
		turn(path, at, bit);
		if (round == 59)
			assert_int_equal(truncate(path, about.st_size / 2), 0);
		open_world(&world);
		struct histree_history *history = round % 2 ? world.held : world.history;
		assert_ok(histree_time_use_create(history, &request, &use, NULL));
		damaged = histree_time_use_rows(use, &damaged_count);
		assert_int_equal(count, damaged_count);
		for (size_t k = 0; k < count; k++) {
			assert_memory_equal(rows[k].ns, damaged[k].ns, sizeof(rows[k].ns));
			assert_int_equal(rows[k].count, damaged[k].count);
		}
		histree_time_use_free(use);
		if (round < 59)
			turn(path, at, bit);
	}
	histree_time_use_free(whole);
	remove_world(&world);
}

TEST(damaged_sums_are_no_use)
{
	damaged_is_no_use(PYRAMID_SUMS, HISTREE_BY(THREAD));
	damaged_is_no_use(PYRAMID_CUBE, HISTREE_BY(CPU));
	damaged_is_no_use(PYRAMID_CUBE, HISTREE_BY(SYSTEM_CALL));
	damaged_is_no_use(PYRAMID_CUBE, HISTREE_BY(HAD_BY));
}

TEST(counts_do_not_depend_on_windows)
{
	static struct world world;
	struct random random = { test_seed() + 1 };
	make(&world, &random);
	for (unsigned by = 0; by < 1U << HISTREE_USE_KEY_COUNT; by++) {
		struct histree_time_use_request request = { .from = START, .to = START + LENGTH - 1, .by = by };
		struct histree_time_use *whole, *parts;
		size_t count, part_count;
		assert_ok(histree_time_use_create(world.history, &request, &whole, NULL));
		request.states_max = 3;
		assert_ok(histree_time_use_create(world.history, &request, &parts, NULL));
		const struct histree_use_row *rows = histree_time_use_rows(whole, &count);
		const struct histree_use_row *part_rows = histree_time_use_rows(parts, &part_count);
		assert_int_equal(count, part_count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(rows[i].count, part_rows[i].count);
		histree_time_use_free(whole);
		histree_time_use_free(parts);
	}
	close_world(&world);
	unlink(world.path);
}

/* As they are when a rank says something else: none is taken for rows, or harms. */
TEST(changed_bytes_are_no_rows)
{
	static struct world world;
	struct random random = { test_seed() + 4 };
	make(&world, &random);
	const struct histree_time_use_request request = {
		.from = START, .to = START + LENGTH - 1, .by = (1U << HISTREE_USE_KEY_COUNT) - 1, .longest = true
	};
	struct histree_time_use *use;
	size_t count, rows = 0, refused = 0;
	for (int round = 0; round < 300; round++) {
		local_source_change(&random);
		enum histree_status status = histree_time_use_create(world.held, &request, &use, NULL);
		assert_true(status == HISTREE_OK || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_ARGUMENT);
		refused += status != HISTREE_OK;
		if (status == HISTREE_OK)
			histree_time_use_rows(use, &count);
		rows += status == HISTREE_OK ? count : 0;
		histree_time_use_free(use);
	}
	local_source_change(NULL);
	assert_true(rows > 0 && refused > 10);
	remove_world(&world);
}

TEST(wrong_questions_are_refused)
{
	static struct world world;
	struct random random = { 3 };
	struct histree_time_use *use;
	struct histree_error error = { 0 };
	make(&world, &random);
	struct histree_time_use_request request = { .from = START, .to = START + 9, .where = "colour == 3" };
	assert_int_equal(histree_time_use_create(world.history, &request, &use, &error), HISTREE_ERR_ARGUMENT);
	assert_null(use);
	assert_non_null(strstr(error.message, "colour"));
	request = (struct histree_time_use_request){ .from = START + 9, .to = START };
	assert_int_equal(histree_time_use_create(world.history, &request, &use, &error), HISTREE_ERR_ARGUMENT);
	close_world(&world);
	unlink(world.path);
}
