// SPDX-License-Identifier: MIT
/*
 * test_arrows.c - arrows of a made-up kernel, against a list of all of them that is searched linearly.
 */
#include "base/hash_index.h"
#include "histree/history.h"
#include "support/test.h"
#include "view/view.h"

enum {
	CPUS = 3,
	THREADS = 40,
	END = 200000,
	WIDTH_MAX = 1000, /* of a range in which every ns has a pixel of its own */
	KNOWN_MAX = 400000,
	RUNS_MAX = 300000,
	STATUS_BLOCKED = 1,
	STATUS_WAITS_FOR_CPU = 5,
	NOBODY = -1,    /* a null state */
	NOT_KNOWN = -2, /* an unknown one */
};

/* Who had a CPU from when on, as it was written. */
struct run {
	histree_time start, end;
	int32_t tid;
};

struct world {
	char path[64];
	struct run *runs[CPUS];
	size_t run_counts[CPUS];
	struct histree_history *history;
	struct histree_resources *resources;
	struct histree_control_flow *flow;
	struct histree_segment_store *wakeups;
	struct histree_arrow *known; /* all there are, in no order */
	size_t known_count;
};

/* ---- making a kernel -------------------------------------------------------------------------------------- */

static histree_quark attribute(struct histree_state_system *system, const char *format, int number)
{
	char path[64];
	histree_quark quark;
	snprintf(path, sizeof(path), format, number);
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	return quark;
}

static void know(struct world *world, const struct histree_arrow *arrow)
{
	assert_true(world->known_count < KNOWN_MAX);
	world->known[world->known_count++] = *arrow;
}

/* Somebody who is on no CPU; one in five is idle, a few are nobody. */
static int32_t choose_thread(const struct world *world, struct random *random, int cpu)
{
	for (;;) {
		int32_t tid = (int32_t)random_below(random, THREADS + 10) - 9;
		bool is_free = true;
		tid = tid == -9 ? (random_percent(random, 50) ? NOBODY : NOT_KNOWN) : tid < 0 ? 0 : tid;
		for (int i = 0; i < CPUS; i++) {
			size_t count = world->run_counts[i];
			if (count > 0 && world->runs[i][count - 1].tid == tid && (i == cpu || tid > 0))
				is_free = false;
		}
		if (is_free)
			return tid;
	}
}

/* Stays on the CPUs: short or, in one part of the history, long where `has_calm`. */
static void make_runs(struct world *world, struct random *random, uint64_t longest, bool has_calm)
{
	histree_time next[CPUS] = { 0 };
	for (;;) {
		int cpu = 0;
		for (int i = 1; i < CPUS; i++)
			cpu = next[i] < next[cpu] ? i : cpu;
		histree_time now = next[cpu];
		if (now > END)
			return;
		bool is_calm = has_calm && now > END / 4 && now < END / 2;
		histree_time end = now + (histree_time)random_below(random, is_calm ? 5000 : longest);
		int32_t tid = choose_thread(world, random, cpu);
		assert_true(world->run_counts[cpu] < RUNS_MAX);
		world->runs[cpu][world->run_counts[cpu]++] = (struct run){ now, end < END ? end : END, tid };
		next[cpu] = end + 1;
	}
}

static void know_switches(struct world *world, int cpu)
{
	for (size_t i = 0; i < world->run_counts[cpu]; i++) {
		const struct run *to = &world->runs[cpu][i], *from = to - 1;
		if (i == 0 || to->tid <= 0)
			continue;
		if (from->tid == 0 && i > 1)
			from--;
		if (from->tid > 0)
			know(world, &(struct histree_arrow){ HISTREE_ARROW_SWITCH, from->tid, to->tid, cpu, to->tid,
							     from->end + 1, to->start, 0, 0, NULL });
	}
}

/* unknown_before[t]: at how many of the times before t some CPU is unknown.  The caller frees it. */
static uint32_t *count_unknown(const struct world *world)
{
	uint32_t *unknown_before = calloc(END + 2, sizeof(*unknown_before));
	assert_non_null(unknown_before);
	for (int cpu = 0; cpu < CPUS; cpu++)
		for (size_t i = 0; i < world->run_counts[cpu]; i++)
			for (histree_time t = world->runs[cpu][i].start; t <= world->runs[cpu][i].end; t++)
				unknown_before[t + 1] |= world->runs[cpu][i].tid == NOT_KNOWN;
	for (size_t t = 1; t < END + 2; t++)
		unknown_before[t] += unknown_before[t - 1];
	return unknown_before;
}

/*
 * Each run of a thread, and the last one of it that began before on any CPU; unless a CPU was unknown between them.
 */
static void know_migrations(struct world *world)
{
	size_t next[CPUS] = { 0 };
	uint32_t *unknown_before = count_unknown(world);
	const struct run *last[THREADS + 1] = { NULL };
	int last_cpu[THREADS + 1];
	for (;;) {
		int cpu = -1;
		for (int i = 0; i < CPUS; i++)
			if (next[i] < world->run_counts[i] &&
			    (cpu < 0 || world->runs[i][next[i]].start < world->runs[cpu][next[cpu]].start))
				cpu = i;
		if (cpu < 0)
			break;
		const struct run *run = &world->runs[cpu][next[cpu]++];
		if (run->tid <= 0)
			continue;
		const struct run *from = last[run->tid];
		if (from != NULL && last_cpu[run->tid] != cpu && from->end < run->start &&
		    unknown_before[from->end + 1] == unknown_before[run->start])
			know(world, &(struct histree_arrow){ HISTREE_ARROW_MIGRATION, last_cpu[run->tid], cpu, cpu,
							     run->tid, from->end + 1, run->start, 0, 0, NULL });
		last[run->tid] = run;
		last_cpu[run->tid] = cpu;
	}
	free(unknown_before);
}

static void write_runs(struct world *world, struct histree_state_system *system)
{
	size_t next[CPUS] = { 0 };
	histree_quark quarks[CPUS];
	for (int i = 0; i < CPUS; i++)
		quarks[i] = attribute(system, "CPUs/%d/Current_thread", i);
	for (histree_time now = 0; now <= END; now++)
		for (int i = 0; i < CPUS; i++) {
			if (next[i] == world->run_counts[i] || world->runs[i][next[i]].start != now)
				continue;
			int32_t tid = world->runs[i][next[i]++].tid;
			struct histree_value value = tid == NOT_KNOWN ? histree_unknown()
						     : tid == NOBODY  ? histree_null()
								      : histree_int(tid);
			assert_ok(histree_state_modify(system, now, quarks[i], value, NULL));
		}
}

/* Odd threads were made by thread 1 when the trace saw it, the others were there before. */
static void write_threads(struct world *world, struct histree_state_system *system)
{
	for (int tid = 1; tid <= THREADS; tid++) {
		bool is_fork = tid % 2 == 1 && tid > 1;
		histree_time birth = is_fork ? tid * 1000 : 0;
		histree_quark status = attribute(system, "Threads/%d", tid),
			      ppid = attribute(system, "Threads/%d/PPID", tid);
		assert_ok(histree_state_modify(system, birth, status,
					       histree_int(is_fork ? STATUS_WAITS_FOR_CPU : STATUS_BLOCKED), NULL));
		assert_ok(histree_state_modify(system, birth, ppid, histree_int(1), NULL));
		if (is_fork)
			know(world, &(struct histree_arrow){ HISTREE_ARROW_FORK, 1, tid, -1, tid, birth, birth, 0,
							     0, NULL });
	}
}

static void make_wakeups(struct world *world, struct random *random, int count)
{
	static const struct histree_segment_field fields[] = { { "cpu", HISTREE_INT },
							       { "waker", HISTREE_INT },
							       { "tid", HISTREE_INT } };
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_LAZY,
		.schema = { .provider = "wakeups", .fields = fields, .field_count = 3 },
	};
	assert_ok(histree_segment_store_create(&options, &world->wakeups, NULL));
	for (int i = 0; i < count; i++) {
		int32_t waker = (int32_t)random_below(random, THREADS),
			tid = 1 + (int32_t)random_below(random, THREADS);
		int32_t cpu = (int32_t)random_below(random, CPUS);
		histree_time start = (histree_time)random_below(random, END - 500);
		histree_time end = start + (histree_time)random_below(random, 500);
		struct histree_value content[] = { histree_int(cpu),
						   waker == 5 ? histree_null() : histree_int(waker),
						   histree_int(tid) };
		struct histree_segment segment = { start, end, content };
		assert_ok(histree_segment_store_add(world->wakeups, &segment, NULL));
		if (waker > 0 && waker != 5)
			know(world, &(struct histree_arrow){ HISTREE_ARROW_WAKEUP, waker, tid, cpu, tid, start, end,
							     0, 0, NULL });
	}
	assert_ok(histree_segment_store_finish(world->wakeups, NULL));
}

static void make_world(struct world *world, uint64_t seed, uint64_t longest, bool has_calm, int wakeups)
{
	struct random random = { seed };
	struct histree_state_system *system;
	*world = (struct world){ .known = calloc(KNOWN_MAX, sizeof(*world->known)) };
	assert_non_null(world->known);
	snprintf(world->path, sizeof(world->path), "test_arrows.%ld.sht", (long)getpid());
	const struct histree_history_options options = { .path = world->path };
	unlink(world->path);
	assert_ok(histree_state_create(&options, &system, NULL));
	for (int cpu = 0; cpu < CPUS; cpu++) {
		world->runs[cpu] = calloc(RUNS_MAX, sizeof(*world->runs[cpu]));
		assert_non_null(world->runs[cpu]);
	}
	make_runs(world, &random, longest, has_calm);
	for (int cpu = 0; cpu < CPUS; cpu++)
		know_switches(world, cpu);
	know_migrations(world);
	write_threads(world, system);
	write_runs(world, system);
	assert_ok(histree_state_close(system, END, NULL));
	histree_state_free(system);
	make_wakeups(world, &random, wakeups);
	assert_ok(histree_history_open(world->path, NULL, &world->history, NULL));
	assert_ok(histree_resources_create(world->history, &world->resources, NULL));
	assert_ok(histree_control_flow_create(world->history, (struct histree_work){ 0 }, &world->flow, NULL));
}

static void end_world(struct world *world)
{
	histree_control_flow_free(world->flow);
	histree_resources_free(world->resources);
	histree_history_close(world->history);
	histree_segment_store_close(world->wakeups);
	unlink(world->path);
	for (int cpu = 0; cpu < CPUS; cpu++)
		free(world->runs[cpu]);
	free(world->known);
}

/* ---- comparing -------------------------------------------------------------------------------------------- */

static struct histree_arrows_request request_of(const struct world *world, histree_time from, histree_time to)
{
	return (struct histree_arrows_request){
		.history = world->history,
		.resources = world->resources,
		.flow = world->flow,
		.wakeups = world->wakeups,
		.from = from,
		.to = to,
		.pixels = 4096,
	};
}

static int compare(const void *a, const void *b)
{
	const struct histree_arrow *first = a, *second = b;
	const int64_t pairs[][2] = { { first->kind, second->kind }, { first->cpu, second->cpu },
				     { first->end, second->end },   { first->start, second->start },
				     { first->from, second->from }, { first->to, second->to },
				     { first->tid, second->tid } };
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i][0] != pairs[i][1])
			return pairs[i][0] < pairs[i][1] ? -1 : 1;
	return 0;
}

/* Those that meet a range, in order.  A migration is known where both of its runs meet it. */
static struct histree_arrow *expected(const struct world *world, histree_time from, histree_time to, size_t *count)
{
	struct histree_arrow *found = calloc(world->known_count + 1, sizeof(*found));
	assert_non_null(found);
	*count = 0;
	for (size_t i = 0; i < world->known_count; i++) {
		const struct histree_arrow *arrow = &world->known[i];
		bool is_known = arrow->kind != HISTREE_ARROW_MIGRATION || (arrow->start > from && arrow->end <= to);
		if (arrow->end >= from && arrow->start <= to && is_known)
			found[(*count)++] = *arrow;
	}
	qsort(found, *count, sizeof(*found), compare);
	return found;
}

static bool is_known(const struct histree_arrow *sorted, size_t count, const struct histree_arrow *arrow)
{
	return bsearch(arrow, sorted, count, sizeof(*sorted), compare) != NULL;
}

/* Where every ns is a pixel, of one kind and CPU there is one arrow for each ns in which some end, and no other. */
static void check_narrow(const struct world *world, histree_time from, histree_time to)
{
	struct histree_arrows_request request = request_of(world, from, to);
	struct histree_arrows *arrows;
	size_t count, known_count, at = 0;
	bool left_some = false;
	struct histree_arrow *known = expected(world, from, to, &known_count);
	assert_ok(histree_arrows_create(&request, &arrows, NULL));
	const struct histree_arrow *list = histree_arrows_list(arrows, &count);
	for (size_t i = 0; i < known_count; i++) {
		histree_time end = known[i].end < to ? known[i].end : to;
		if (i > 0 && known[i].kind == known[i - 1].kind && known[i].cpu == known[i - 1].cpu &&
		    end == (known[i - 1].end < to ? known[i - 1].end : to)) {
			left_some = true;
			continue;
		}
		assert_true(at < count);
		assert_int_equal(compare(&list[at++], &known[i]), 0);
	}
	assert_int_equal(at, count);
	assert_int_equal(histree_arrows_are_all(arrows), !left_some);
	histree_arrows_free(arrows);
	free(known);
}

/* Of any range: nothing that is not there, and no more than can be seen. */
static void check_wide(const struct world *world, histree_time from, histree_time to, size_t *counts)
{
	struct histree_arrows_request request = request_of(world, from, to);
	struct histree_arrows *arrows;
	size_t count, known_count;
	struct histree_arrow *known = expected(world, from, to, &known_count);
	assert_ok(histree_arrows_create(&request, &arrows, NULL));
	const struct histree_arrow *list = histree_arrows_list(arrows, &count);
	assert_true(count <= HISTREE_ARROWS_MAX && count <= known_count);
	assert_true(!histree_arrows_are_all(arrows) || count == known_count);
	for (size_t i = 0; i < count; i++) {
		assert_true(is_known(known, known_count, &list[i]));
		counts[list[i].kind]++;
	}
	histree_arrows_free(arrows);
	free(known);
}

TEST(test_narrow_ranges)
{
	struct world world;
	struct random random = { 41 };
	make_world(&world, 40, 40, false, 3000);
	for (int i = 0; i < 400; i++) {
		histree_time width = (histree_time)random_below(&random, i % 2 == 0 ? 20 : WIDTH_MAX);
		histree_time from = (histree_time)random_below(&random, (uint64_t)(END - width));
		check_narrow(&world, from, from + width);
	}
	check_narrow(&world, 0, WIDTH_MAX);
	check_narrow(&world, END - WIDTH_MAX, END);
	check_narrow(&world, END, END);
	end_world(&world);
}

TEST(test_wide_ranges)
{
	struct world world;
	struct random random = { 43 };
	size_t counts[HISTREE_ARROW_KIND_COUNT] = { 0 };
	make_world(&world, 42, 40, false, 3000);
	for (int i = 0; i < 20; i++) {
		histree_time from = (histree_time)random_below(&random, END);
		check_wide(&world, from, from + (histree_time)random_below(&random, (uint64_t)(END - from) + 1),
			   counts);
	}
	check_wide(&world, 0, END, counts);
	for (size_t i = 0; i < HISTREE_ARROW_FLOW; i++)
		assert_true(counts[i] > 0);
	end_world(&world);
}

/*
 * More switches and wake-ups than are read: what is left is true all the same, and the answer says that it lacks
 * some.
 */
TEST(test_too_many)
{
	struct world world;
	size_t counts[HISTREE_ARROW_KIND_COUNT] = { 0 };
	struct histree_arrows *arrows;
	make_world(&world, 44, 3, true, 70000);
	check_wide(&world, 0, END, counts);
	assert_true(counts[HISTREE_ARROW_SWITCH] > 0);
	assert_true(counts[HISTREE_ARROW_FORK] > 0);
	assert_int_equal(counts[HISTREE_ARROW_MIGRATION], 0);
	assert_int_equal(counts[HISTREE_ARROW_WAKEUP], 0);
	struct histree_arrows_request request = request_of(&world, 0, END);
	assert_ok(histree_arrows_create(&request, &arrows, NULL));
	assert_false(histree_arrows_are_all(arrows));
	histree_arrows_free(arrows);
	end_world(&world);
}

static bool stop(void *context)
{
	++*(int *)context;
	return false;
}

TEST(test_refused_and_cancelled)
{
	struct world world;
	struct histree_arrows *arrows;
	struct histree_error error;
	int asked = 0;
	make_world(&world, 45, 40, false, 10);
	struct histree_arrows_request request = request_of(&world, 0, END);
	request.work = (struct histree_work){ .go_on = stop, .context = &asked };
	assert_int_equal(histree_arrows_create(&request, &arrows, &error), HISTREE_ERR_CANCELLED);
	assert_null(arrows);
	assert_int_equal(asked, 1);
	request = request_of(&world, 0, END + 1);
	assert_int_equal(histree_arrows_create(&request, &arrows, &error), HISTREE_ERR_TIME_RANGE);
	request = request_of(&world, 10, 9);
	assert_int_equal(histree_arrows_create(&request, &arrows, &error), HISTREE_ERR_TIME_RANGE);
	request = request_of(&world, 0, END);
	request.pixels = 0;
	assert_int_equal(histree_arrows_create(&request, &arrows, &error), HISTREE_ERR_ARGUMENT);
	/* Of what is not there nothing comes. */
	size_t count;
	request = (struct histree_arrows_request){ .history = world.history, .to = END, .pixels = 1 };
	assert_ok(histree_arrows_create(&request, &arrows, &error));
	histree_arrows_list(arrows, &count);
	assert_int_equal(count, 0);
	assert_true(histree_arrows_are_all(arrows));
	histree_arrows_free(arrows);
	end_world(&world);
}
