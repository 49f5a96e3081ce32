// SPDX-License-Identifier: MIT
/*
 * test_view.c - the models of views, of a small kernel history made by hand.
 */
#include "histree/history.h"
#include "histree/states.h"
#include "support/test.h"
#include "view/view.h"

enum { START = 0, END = 9999 };

struct fixture {
	char path[64];
	struct histree_history *history;
	struct histree_control_flow *flow;
};

static const struct {
	const char *path;
	histree_time at;
	struct histree_value value;
} changes[] = {
	{ "Threads/0_1", 0, { .type = HISTREE_INT, .int32 = 2 } },
	{ "Threads/0_0", 0, { .type = HISTREE_INT, .int32 = 2 } },
	{ "Threads/0_1", 2500, { .type = HISTREE_INT, .int32 = 5 } },
	{ "Threads/0_0", 5000, { .type = HISTREE_INT, .int32 = 5 } },
	{ "Threads/1", 0, { .type = HISTREE_INT, .int32 = 1 } },
	{ "Threads/1/Exec_name", 0, { .type = HISTREE_STRING, .size = 7, .bytes = "Systemd" } },
	{ "Threads/not a thread", 0, { .type = HISTREE_INT, .int32 = 1 } },
	{ "Threads/-1/PPID", 0, { .type = HISTREE_NULL } },
	/* A ring of parents: each says that the other made it. */
	{ "Threads/21/PPID", 0, { .type = HISTREE_INT, .int32 = 22 } },
	{ "Threads/22/PPID", 0, { .type = HISTREE_INT, .int32 = 21 } },
	{ "Threads/21", 3000, { .type = HISTREE_INT, .int32 = 2 } },
	{ "Threads/22", 2000, { .type = HISTREE_INT, .int32 = 3 } },
	/* Made late, and gone before the end. */
	{ "Threads/11", 1000, { .type = HISTREE_INT, .int32 = 5 } },
	{ "Threads/11/PPID", 1000, { .type = HISTREE_INT, .int32 = 10 } },
	{ "Threads/11/PID", 1000, { .type = HISTREE_INT, .int32 = 10 } },
	{ "Threads/11", 5000, { .type = HISTREE_NULL } },
	{ "Threads/11/PPID", 5000, { .type = HISTREE_NULL } },
	{ "Threads/10", 500, { .type = HISTREE_INT, .int32 = 2 } },
	{ "Threads/10/PPID", 500, { .type = HISTREE_INT, .int32 = 1 } },
	{ "Threads/10/Exec_name", 500, { .type = HISTREE_STRING, .size = 4, .bytes = "bash" } },
	{ "Threads/10/Exec_name", 600, { .type = HISTREE_STRING, .size = 4, .bytes = "make" } },
	{ "Threads/10/System_call", 700, { .type = HISTREE_STRING, .size = 4, .bytes = "read" } },
	{ "Threads/9", 500, { .type = HISTREE_INT, .int32 = 1 } },
	{ "Threads/9/PPID", 500, { .type = HISTREE_INT, .int32 = 1 } },
	{ "Threads/30/PPID", 500, { .type = HISTREE_INT, .int32 = 4711 } },
	/* Two CPUs. */
	{ "CPUs/10", 0, { .type = HISTREE_INT, .int32 = 0 } },
	{ "CPUs/2/Current_thread", 0, { .type = HISTREE_INT, .int32 = 0 } },
	{ "CPUs/10/Current_thread", 0, { .type = HISTREE_INT, .int32 = 1 } },
	{ "CPUs/2/Current_thread", 2500, { .type = HISTREE_INT, .int32 = 10 } },
	{ "CPUs/2/Current_thread", 4000, { .type = HISTREE_INT, .int32 = 1 } },
	{ "CPUs/2/Current_thread", 5000, { .type = HISTREE_INT, .int32 = 0 } },
	{ "CPUs/10/Current_thread", 5000, { .type = HISTREE_NULL } },
	{ "CPUs/2/Frequency", 0, { .type = HISTREE_LONG, .int64 = 1000000000 } },
	{ "CPUs/2/IRQs/19\\/ahci", 100, { .type = HISTREE_INT, .int32 = 2 } },
	{ "CPUs/2/IRQs/4", 100, { .type = HISTREE_INT, .int32 = 2 } },
	{ "CPUs/2/Soft_IRQs/1", 100, { .type = HISTREE_INT, .int32 = 8 } },
	{ "IRQs/19\\/ahci", 100, { .type = HISTREE_INT, .int32 = 2 } },
	{ "Soft_IRQs/12", 100, { .type = HISTREE_INT, .int32 = 1 } },
};

static int compare_changes(const void *one, const void *other)
{
	size_t a = *(const size_t *)one, b = *(const size_t *)other;
	if (changes[a].at != changes[b].at)
		return changes[a].at < changes[b].at ? -1 : 1;
	return (a > b) - (a < b);
}

static void build(const char *path)
{
	struct histree_state_system *system;
	size_t order[sizeof(changes) / sizeof(changes[0])];
	const size_t count = sizeof(order) / sizeof(order[0]);
	const struct histree_history_options options = { .path = path, .provider = "kernel", .start = START };
	unlink(path);
	assert_ok(histree_state_create(&options, &system, NULL));
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort(order, count, sizeof(order[0]), compare_changes);
	for (size_t i = 0; i < count; i++) {
		histree_quark quark;
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, changes[order[i]].path, &quark, NULL));
		assert_ok(histree_state_modify(system, changes[order[i]].at, quark, changes[order[i]].value, NULL));
	}
	assert_ok(histree_state_close(system, END, NULL));
	histree_state_free(system);
}

static int set_up(void **state)
{
	static struct fixture fixture;
	snprintf(fixture.path, sizeof(fixture.path), "test_view.%ld.sht", (long)getpid());
	build(fixture.path);
	assert_ok(histree_history_open(fixture.path, NULL, &fixture.history, NULL));
	assert_ok(histree_control_flow_create(fixture.history, (struct histree_work){ 0 }, &fixture.flow, NULL));
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	histree_control_flow_free(fixture->flow);
	histree_control_flow_free(NULL);
	histree_history_close(fixture->history);
	return unlink(fixture->path);
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

TEST(threads_are_a_tree)
{
	struct fixture *fixture = *state;
	/*
	 * What changed comes first, then by first time and tid: 10, which made one that changed, is before 9; the
	 * ring where its first thread began, then the unseen, and idle loops last.
	 */
	static const struct {
		int32_t tid, cpu;
		uint32_t parent, depth, descendants;
		bool has_changed;
	} expected[] = {
		{ 1, -1, HISTREE_NO_INDEX, 0, 3, false },
		{ 10, -1, 0, 1, 1, false },
		{ 11, -1, 1, 2, 0, true },
		{ 9, -1, 0, 1, 0, false },
		{ 22, -1, HISTREE_NO_INDEX, 0, 1, false },
		{ 21, -1, 4, 1, 0, false },
		{ -1, -1, HISTREE_NO_INDEX, 0, 0, false },
		{ 30, -1, HISTREE_NO_INDEX, 0, 0, false },
		{ 0, 0, HISTREE_NO_INDEX, 0, 0, true },
		{ 0, 1, HISTREE_NO_INDEX, 0, 0, true },
	};
	uint32_t count;
	const struct histree_thread *threads = histree_control_flow_threads(fixture->flow, &count);
	assert_int_equal(count, sizeof(expected) / sizeof(expected[0]));
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(threads[i].tid, expected[i].tid);
		assert_int_equal(threads[i].cpu, expected[i].cpu);
		assert_int_equal(threads[i].parent, expected[i].parent);
		assert_int_equal(threads[i].depth, expected[i].depth);
		assert_int_equal(threads[i].descendants, expected[i].descendants);
		assert_int_equal(threads[i].has_changed, expected[i].has_changed);
		assert_int_equal(histree_control_flow_find(fixture->flow, threads[i].tid, threads[i].cpu), i);
	}
	assert_int_equal(histree_control_flow_find(fixture->flow, 12, -1), HISTREE_NO_INDEX);
	assert_int_equal(histree_control_flow_find(fixture->flow, 0, 7), HISTREE_NO_INDEX);
}

TEST(threads_have_names_and_lives)
{
	struct fixture *fixture = *state;
	uint32_t count;
	const struct histree_thread *threads = histree_control_flow_threads(fixture->flow, &count);
	const struct histree_thread *init = &threads[0], *make = &threads[1], *late = &threads[2],
				    *unseen = &threads[7];
	assert_string_equal(init->name, "Systemd");
	assert_int_equal(init->ppid, -1);
	assert_int_equal(init->pid, 1);
	assert_int_equal(init->first, START);
	assert_int_equal(init->last, END);
	assert_int_equal(init->last_status, 1);
	assert_int_equal(init->system_call, HISTREE_ROOT);
	assert_string_equal(make->name, "make"); /* the last */
	assert_int_equal(make->ppid, 1);
	assert_int_equal(make->first, 500);
	assert_int_not_equal(make->system_call, HISTREE_ROOT);
	assert_string_equal(late->name, "");
	assert_int_equal(late->pid, 10);
	assert_int_equal(late->ppid, 10); /* though it is null in the end */
	assert_int_equal(late->first, 1000);
	assert_int_equal(late->last, 4999);
	assert_int_equal(late->last_status, -1);
	assert_true(unseen->first > unseen->last);
	assert_int_equal(unseen->ppid, 4711);
}

TEST(threads_are_found_by_text)
{
	struct histree_control_flow *flow = ((struct fixture *)*state)->flow;
	assert_int_equal(histree_control_flow_search(flow, "SYS", HISTREE_NO_INDEX, false), 0);
	assert_int_equal(histree_control_flow_search(flow, "sys", 0, false), HISTREE_NO_INDEX);
	assert_int_equal(histree_control_flow_search(flow, "mak", HISTREE_NO_INDEX, true), 1);
	assert_int_equal(histree_control_flow_search(flow, "bash", HISTREE_NO_INDEX, false), HISTREE_NO_INDEX);
	assert_int_equal(histree_control_flow_search(flow, "1", HISTREE_NO_INDEX, false), 0); /* tid 1, 10, 11 */
	assert_int_equal(histree_control_flow_search(flow, "1", 0, false), 1);
	assert_int_equal(histree_control_flow_search(flow, "1", 1, false), 2);
	assert_int_equal(histree_control_flow_search(flow, "1", 2, false), HISTREE_NO_INDEX);
	assert_int_equal(histree_control_flow_search(flow, "1", 2, true), 1);
	assert_int_equal(histree_control_flow_search(flow, "1", 0, true), HISTREE_NO_INDEX);
	assert_int_equal(histree_control_flow_search(flow, "", HISTREE_NO_INDEX, false), 0);
	assert_int_equal(histree_control_flow_search(flow, "", 0, true), HISTREE_NO_INDEX);
}

/* Threads of one range of attributes (attributes.h), and some that are not. */
enum { ALIKE = 5000 };

TEST(threads_that_are_alike_are_told_apart)
{
	struct histree_state_system *system;
	struct histree_history *history;
	struct histree_control_flow *flow;
	char path[64];
	snprintf(path, sizeof(path), "test_view_alike.%ld.sht", (long)getpid());
	unlink(path);
	const struct histree_history_options options = { .path = path, .start = START };
	assert_ok(histree_state_create(&options, &system, NULL));
	for (int32_t tid = 1; tid <= ALIKE; tid++) {
		/* Every 1000th has its parent before its name, and one a PID long after the others. */
		static const char *const facts[] = { "Exec_name", "PPID", "Exec_name" };
		for (int i = 0; i < 2; i++) {
			char attribute[64], name[16];
			const char *fact = facts[i + (tid % 1000 == 0)];
			snprintf(attribute, sizeof(attribute), "Threads/%d/%s", (int)tid, fact);
			int size = snprintf(name, sizeof(name), "n%d", (int)tid);
			struct histree_value value =
				*fact == 'E' ? histree_string_n(name, (size_t)size) : histree_int(tid - 1);
			histree_quark quark;
			assert_ok(histree_state_attribute(system, HISTREE_ROOT, attribute, &quark, NULL));
			assert_ok(histree_state_modify(system, tid, quark, value, NULL));
		}
	}
	histree_quark late;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "Threads/17/PID", &late, NULL));
	assert_ok(histree_state_modify(system, END, late, histree_int(4711), NULL));
	assert_ok(histree_state_close(system, END, NULL));
	histree_state_free(system);
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	assert_ok(histree_control_flow_create(history, (struct histree_work){ 0 }, &flow, NULL));
	uint32_t count;
	const struct histree_thread *threads = histree_control_flow_threads(flow, &count);
	assert_int_equal(count, ALIKE);
	for (uint32_t i = 0; i < count; i++) {
		char name[16];
		int32_t tid = (int32_t)i + 1; /* each is the only child of the one before */
		snprintf(name, sizeof(name), "n%d", (int)tid);
		assert_int_equal(threads[i].tid, tid);
		assert_int_equal(threads[i].depth, i);
		assert_int_equal(threads[i].ppid, tid - 1);
		assert_int_equal(threads[i].pid, tid == 17 ? 4711 : tid);
		assert_string_equal(threads[i].name, name);
	}
	histree_control_flow_free(flow);
	histree_history_close(history);
	assert_int_equal(unlink(path), 0);
}

static bool never(void *context)
{
	(void)context;
	return false;
}

TEST(what_is_no_longer_wanted_is_not_made)
{
	struct fixture *fixture = *state;
	const struct histree_work cancel = { .go_on = never };
	struct histree_control_flow *flow;
	struct histree_cpu_usage *usage;
	struct histree_cursor *rows;
	const histree_quark quark = 0;
	uint64_t counts[10];
	assert_int_equal(histree_control_flow_create(fixture->history, cancel, &flow, NULL), HISTREE_ERR_CANCELLED);
	assert_null(flow);
	assert_int_equal(histree_cpu_usage_create(
				 fixture->history,
				 &(struct histree_cpu_usage_request){ .to = END, .pixels = 10, .work = cancel },
				 &usage, NULL),
			 HISTREE_ERR_CANCELLED);
	assert_null(usage);
	assert_int_equal(histree_density(fixture->history, START, END, 10, cancel, counts, NULL),
			 HISTREE_ERR_CANCELLED);
	assert_ok(histree_rows_create(fixture->history, &rows, NULL));
	assert_ok(histree_rows_start(
		rows,
		&(struct histree_rows_request){
			.quarks = &quark, .quark_count = 1, .to = END, .pixels = 10, .work = { .go_on = never } },
		NULL));
	assert_int_equal(histree_cursor_next(rows, NULL), HISTREE_ERR_CANCELLED);
	histree_cursor_free(rows);
	struct histree_tree_layout *layout;
	assert_int_equal(histree_tree_layout_create(fixture->history,
						    &(struct histree_tree_layout_options){ .width = 100 }, cancel,
						    &layout, NULL),
			 HISTREE_ERR_CANCELLED);
	assert_null(layout);
}

static struct histree_tree_layout *lay_out(struct fixture *fixture, double width)
{
	struct histree_tree_layout *layout;
	assert_ok(histree_tree_layout_create(fixture->history,
					     &(struct histree_tree_layout_options){ .width = width },
					     (struct histree_work){ 0 }, &layout, NULL));
	return layout;
}

static void check_equal(const struct histree_tree_layout *layout, const struct histree_tree_layout *other)
{
	uint32_t count, other_count;
	const struct histree_layout_node *nodes = histree_tree_layout_nodes(layout, &count);
	const struct histree_layout_node *others = histree_tree_layout_nodes(other, &other_count);
	assert_int_equal(count, other_count);
	for (uint32_t i = 0; i < count; i++)
		assert_true(nodes[i].x == others[i].x && nodes[i].y == others[i].y);
	const struct histree_node_level *levels = histree_tree_layout_levels(layout, &count);
	const struct histree_node_level *other_levels = histree_tree_layout_levels(other, &other_count);
	assert_int_equal(count, other_count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(levels[i].rows, other_levels[i].rows);
		assert_int_equal(levels[i].lines, other_levels[i].lines);
		assert_true(levels[i].distance == other_levels[i].distance &&
			    levels[i].size == other_levels[i].size && levels[i].top == other_levels[i].top &&
			    levels[i].bottom == other_levels[i].bottom);
	}
}

/* In a picture of another width they are as if they had been in no other, back and forth. */
TEST(nodes_are_placed_anew)
{
	static const double widths[] = { 3, 1000, 100, 3 };
	struct histree_tree_layout *layout = lay_out(*state, 100);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct histree_tree_layout *fresh = lay_out(*state, widths[i]);
		histree_tree_layout_arrange(layout, &(struct histree_tree_layout_options){ .width = widths[i] });
		check_equal(layout, fresh);
		histree_tree_layout_free(fresh);
	}
	histree_tree_layout_free(layout);
}

/* ---- resources -------------------------------------------------------------------------------------------- */

TEST(resources_go_by_number)
{
	struct fixture *fixture = *state;
	static const char *const expected[] = {
		"CPU 2",           "CPU 2 thread", "CPU 2 frequency", "IRQ 4",       "IRQ 19 ahci",
		"softirq 1 timer", "CPU 10",       "CPU 10 thread",   "IRQ 19 ahci", "softirq 12 ",
	};
	struct histree_resources *resources;
	uint32_t count;
	assert_ok(histree_resources_create(fixture->history, &resources, NULL));
	const struct histree_resource *list = histree_resources_list(resources, &count);
	assert_int_equal(count, sizeof(expected) / sizeof(expected[0]));
	for (uint32_t i = 0; i < count; i++) {
		assert_string_equal(list[i].name, expected[i]);
		assert_int_equal(list[i].cpu, i < 6 ? 2 : i < 8 ? 10 : -1);
		assert_int_equal(list[i].parent, i == 0 || i == 6 || i > 7 ? HISTREE_NO_INDEX : i < 6 ? 0 : 6);
		assert_int_equal(histree_meaning_of(fixture->history, list[i].quark),
				 histree_resource_meaning(list[i].kind));
	}
	assert_int_equal(list[4].number, 19);
	histree_resources_free(resources);
	histree_resources_free(NULL);
}

/* ---- CPU usage -------------------------------------------------------------------------------------------- */

TEST(usage_is_the_time_of_threads)
{
	struct fixture *fixture = *state;
	static const int32_t tids[] = { 10, 77 };
	static const double all[] = { 100, 100, 150, 200, 200, 0, 0, 0, 0, 0 };
	static const double ten[] = { 0, 0, 50, 100, 0, 0, 0, 0, 0, 0 };
	struct histree_cpu_usage *usage;
	const struct histree_cpu_usage_request request = {
		.from = START, .to = END, .pixels = 10, .tids = tids, .tid_count = 2
	};
	assert_ok(histree_cpu_usage_create(fixture->history, &request, &usage, NULL));
	for (int i = 0; i < 10; i++) {
		assert_true(histree_cpu_usage_curve(usage, HISTREE_NO_INDEX)[i] == all[i]);
		assert_true(histree_cpu_usage_curve(usage, 0)[i] == ten[i]);
		assert_true(histree_cpu_usage_curve(usage, 1)[i] == 0);
	}
	size_t count;
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &count);
	assert_int_equal(count, 2);
	assert_int_equal(times[0].tid, 1);
	assert_int_equal(times[0].ns, 6000);
	assert_int_equal(times[1].tid, 10);
	assert_int_equal(times[1].ns, 1500);
	histree_cpu_usage_free(usage);
	histree_cpu_usage_free(NULL);
}

/* A CPU that nobody knows of is neither idle nor busy. */
TEST(usage_says_what_is_not_known)
{
	char path[64];
	struct histree_state_system *system;
	struct histree_history *history;
	struct histree_cpu_usage *usage;
	histree_quark cpus[2];
	snprintf(path, sizeof(path), "test_view_unknown.%ld.sht", (long)getpid());
	const struct histree_history_options options = { .path = path };
	assert_ok(histree_state_create(&options, &system, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "CPUs/0/Current_thread", &cpus[0], NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "CPUs/1/Current_thread", &cpus[1], NULL));
	const struct {
		histree_time at;
		unsigned cpu;
		struct histree_value value;
	} states[] = { { 0, 0, histree_int(7) },      { 0, 1, histree_int(0) },   { 250, 0, histree_unknown() },
		       { 300, 1, histree_unknown() }, { 600, 0, histree_int(0) }, { 600, 1, histree_int(7) } };
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		assert_ok(histree_state_modify(system, states[i].at, cpus[states[i].cpu], states[i].value, NULL));
	assert_ok(histree_state_close(system, 999, NULL));
	histree_state_free(system);
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	static const double known[] = { 100, 100, 50, 0, 0, 0, 100, 100, 100, 100 };
	static const double unknown[] = { 0, 0, 50, 200, 200, 200, 0, 0, 0, 0 };
	static const int32_t tid = 7;
	struct histree_cpu_usage_request request = { .to = 999, .pixels = 10, .tids = &tid, .tid_count = 1 };
	assert_ok(histree_cpu_usage_create(history, &request, &usage, NULL));
	for (int i = 0; i < 10; i++) {
		assert_true(histree_cpu_usage_curve(usage, HISTREE_NO_INDEX)[i] == known[i]);
		assert_true(histree_cpu_usage_curve(usage, 0)[i] == known[i]);
		assert_true(histree_cpu_usage_unknown(usage)[i] == unknown[i]);
	}
	size_t count;
	assert_int_equal(histree_cpu_usage_times(usage, &count)[0].ns, 650);
	assert_int_equal(count, 1);
	histree_cpu_usage_free(usage);
	histree_history_close(history);
	assert_int_equal(unlink(path), 0);
}

TEST(usage_is_the_same_without_the_times_of_threads)
{
	struct fixture *fixture = *state;
	struct histree_cpu_usage *with, *without;
	struct histree_cpu_usage_request request = { .from = START, .to = END, .pixels = 7 };
	assert_ok(histree_cpu_usage_create(fixture->history, &request, &with, NULL));
	request.no_times = true;
	assert_ok(histree_cpu_usage_create(fixture->history, &request, &without, NULL));
	assert_memory_equal(histree_cpu_usage_curve(with, HISTREE_NO_INDEX),
			    histree_cpu_usage_curve(without, HISTREE_NO_INDEX), 7 * sizeof(double));
	size_t count;
	histree_cpu_usage_times(without, &count);
	assert_int_equal(count, 0);
	histree_cpu_usage_free(with);
	histree_cpu_usage_free(without);
}

TEST(usage_may_be_of_some_cpus_and_a_part)
{
	struct fixture *fixture = *state;
	static const int32_t cpu = 2, twice[] = { 1, 1 };
	struct histree_cpu_usage *usage;
	struct histree_cpu_usage_request request = {
		.from = 3999, .to = 4000, .pixels = 4, .cpus = &cpu, .cpu_count = 1
	};
	assert_ok(histree_cpu_usage_create(fixture->history, &request, &usage, NULL));
	for (int i = 0; i < 4; i++) /* more pixels than ns */
		assert_true(histree_cpu_usage_curve(usage, HISTREE_NO_INDEX)[i] == 100);
	size_t count;
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &count);
	assert_int_equal(count, 2);
	assert_int_equal(times[0].tid, 1); /* equal times: by tid */
	assert_int_equal(times[0].ns, 1);
	histree_cpu_usage_free(usage);
	request.tids = twice;
	request.tid_count = 2;
	assert_int_equal(histree_cpu_usage_create(fixture->history, &request, &usage, NULL), HISTREE_ERR_ARGUMENT);
	request.tid_count = 1;
	request.pixels = 0;
	assert_int_equal(histree_cpu_usage_create(fixture->history, &request, &usage, NULL), HISTREE_ERR_ARGUMENT);
}

TEST(density_counts_changes)
{
	struct fixture *fixture = *state;
	uint64_t counts[10], expected[10] = { 0 };
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (changes[i].at > START)
			expected[changes[i].at / 1000]++;
	assert_ok(histree_density(fixture->history, START, END, 10, (struct histree_work){ 0 }, counts, NULL));
	for (int i = 0; i < 10; i++)
		assert_int_equal(counts[i], expected[i]);
	assert_int_equal(histree_density(fixture->history, START, END, 0, (struct histree_work){ 0 }, counts, NULL),
			 HISTREE_ERR_ARGUMENT);
}

/* ---- styles ----------------------------------------------------------------------------------------------- */

TEST(values_have_styles)
{
	const struct histree_value null = histree_null(), read = histree_string("read"),
				   same = histree_string("read"), unknown = histree_unknown();
	const struct histree_value statuses[] = { histree_int(3), histree_int(8), histree_int(-1) };
	const struct histree_label_table *threads = histree_labels_for(NULL, HISTREE_MEANS_THREAD_STATUS);
	const struct histree_label_table *cpus = histree_labels_for(NULL, HISTREE_MEANS_CPU_STATUS);
	const struct histree_label_table *softirqs = histree_labels_for(NULL, HISTREE_MEANS_SOFT_IRQ);
	assert_string_equal(histree_style_of(threads, &statuses[0])->key, "System call");
	assert_null(histree_style_of(threads, &statuses[1]));
	assert_null(histree_style_of(threads, &statuses[2]));
	assert_null(histree_style_of(threads, &read));
	assert_string_equal(histree_style_of(cpus, &statuses[1])->key, "Soft Irq");
	assert_null(histree_style_of(cpus, &statuses[0]));
	assert_string_equal(histree_style_of(softirqs, &statuses[0])->key, "Soft Irq raised");
	assert_string_equal(histree_style_of(softirqs, &statuses[1])->key, "Soft Irq");
	assert_ptr_equal(histree_style_of(NULL, &read), histree_style_of(NULL, &same));
	for (int meaning = 0; meaning < HISTREE_MEANING_COUNT; meaning++) {
		const struct histree_label_table *table = histree_labels_for(NULL, (enum histree_meaning)meaning);
		const struct histree_style *lost = histree_style_of(table, &unknown), *style, *other;
		bool is_listed = false;
		assert_int_equal(table == NULL, meaning == HISTREE_MEANS_ANYTHING);
		assert_null(histree_style_of(table, &null));
		assert_string_equal(lost->key, "Unknown");
		for (size_t i = 0; (style = histree_styles(table, i)) != NULL; i++) {
			is_listed = is_listed || style == lost;
			for (size_t k = 0; k < i && (other = histree_styles(table, k)) != NULL; k++)
				assert_string_not_equal(style->key, other->key);
		}
		assert_true(is_listed);
	}
}

TEST_FILE(set_up, tear_down)
