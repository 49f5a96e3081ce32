// SPDX-License-Identifier: MIT
/*
 * property_occupancy.c - whatever a kernel trace lacks, threads never run where no CPU runs them.
 *
 * Switches, or events of any kind, are left out at random, and nobody says so: of recorded traces, and of one of a
 * machine that is made up.  The analysis `kernel` makes a history on disk of what is left, in which the library
 * finds no contradiction, and whose threads do not run longer together than there are CPUs.  If much is left out
 * the analysis says so, and if nothing is it does not.  Of the whole made-up trace nothing is unknown.  The compact
 * layout of the same states says the same (layout_twins.h).
 */
#include "driver.h"
#include "histree/states.h"
#include "layout_twins.h"
#include "losses.h"
#include "support/analysis_feed.h"
#include "support/effort.h"
#include "support/test.h"
#include "support/workload.h"
#include "support/written_events.h"
#include "trace/trace.h"
#include "view/view.h"

/* ---- one history ----------------------------------------------------------------------------------------- */

struct kind {
	const char *name;
	const char *trace;  /* recorded; NULL: made up */
	const char *tracer; /* of what is made up */
	bool any_event;     /* is left out, not switches only */
	bool has_contexts;  /* events made up say in which thread they happened */
	bool is_noise;      /* what is made up makes no sense as it is */
	bool is_long;
};

struct run {
	char path[64];
	struct histree_state_system *system;
	struct analysis_inputs inputs;
	void *instance;
	histree_time end;
	struct random random;
	unsigned percent;       /* that are left out */
	uint64_t met, left_out; /* of those that may be left out */
	bool is_of_one_program; /* events of others are missing anyway */
	char missing[400];      /* what the analysis says of it */
	bool has_twins;         /* both layouts are compared */
	struct layout_twins twins;
};

static void begin_run(struct run *run, uint64_t seed, unsigned percent)
{
	static unsigned number;
	*run = (struct run){ .random = { seed }, .percent = percent };
	snprintf(run->path, sizeof(run->path), "property_occupancy.%d.%u.sht", (int)getpid(), number++);
}

static void start_history(struct run *run, histree_time start)
{
	static const char *const variants[] = { "cluster", "sht", "osht", "esht", "rsht", "vrsht" };
	struct histree_error error;
	const struct histree_history_options options = {
		.path = run->path,
		.provider = "kernel",
		.provider_version = analysis_kernel.version,
		.start = start,
		.tree = { .variant = variants[random_below(&run->random, 6)], .threads = 1 },
	};
	if (histree_state_create(&options, &run->system, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_ok(feed_create(&run->inputs, &analysis_kernel, run->system, &run->instance, NULL));
	if (run->has_twins)
		layout_twins_begin(&run->twins, start);
}

static void feed(struct run *run, const struct event *event)
{
	assert_ok(feed_event(&run->inputs, &analysis_kernel, run->instance, event, NULL));
	if (run->has_twins)
		layout_twins_take(&run->twins, event);
}

static bool is_left_out(struct run *run, const struct kind *kind, const struct event *event)
{
	bool is_switch = strstr(event->class->name, "sched_switch") != NULL;
	bool may_be = is_switch || kind->any_event, is_out = may_be && random_percent(&run->random, run->percent);
	run->met += may_be;
	run->left_out += is_out;
	return is_out;
}

static void take_event(struct run *run, const struct kind *kind, const struct event *event)
{
	if (run->system == NULL)
		start_history(run, event->time);
	run->end = event->time > run->end ? event->time : run->end;
	if (!is_left_out(run, kind, event))
		feed(run, event);
}

static void end_run(struct run *run)
{
	struct histree_error error;
	if (histree_state_close(run->system, run->end, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	analysis_kernel.missing(run->instance, run->missing, sizeof(run->missing));
	analysis_kernel.free(run->instance);
	analysis_inputs_release(&run->inputs);
	histree_state_free(run->system);
	if (run->has_twins)
		layout_twins_end(&run->twins, run->end);
}

/* ---- a machine that is made up ---------------------------------------------------------------------------- */

enum { MADE_CPUS = 3, MADE_THREADS = 12, MADE_EVENTS = 3000, MADE_STEP = 5 };

/* Threads 1 to MADE_THREADS; on_cpu -1: it waits, or sleeps. */
struct made {
	struct written_events events;
	const struct kind *kind;
	struct run *run;
	histree_time now;
	int current[MADE_CPUS], in_irq[MADE_CPUS];
	int on_cpu[MADE_THREADS + 1];
	bool in_call[MADE_THREADS + 1];
};

static void say(struct made *made, int cpu, const char *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void say(struct made *made, int cpu, const char *name, const char *format, ...)
{
	char fields[WRITTEN_TEXT_SIZE], full[64];
	bool is_perf = strcmp(made->kind->tracer, "perf") == 0;
	int size = 0;
	if (is_perf && made->kind->has_contexts)
		size = snprintf(fields, sizeof(fields), "common_pid=%d ", made->current[cpu]);
	va_list arguments;
	va_start(arguments, format);
	size += vsnprintf(fields + size, sizeof(fields) - (size_t)size, format, arguments);
	va_end(arguments);
	if (!is_perf && made->kind->has_contexts)
		snprintf(fields + size, sizeof(fields) - (size_t)size, " | tid=%d", made->current[cpu]);
	const char *group = !is_perf                           ? ""
			    : strncmp(name, "irq", 3) == 0     ? "irq:"
			    : strncmp(name, "syscall", 7) == 0 ? "syscalls:"
							       : "sched:";
	const char *own = is_perf && strncmp(name, "syscall_", 8) == 0
				  ? (name[9] == 'n' ? "sys_enter_read" : "sys_exit_read")
				  : name;
	snprintf(full, sizeof(full), "%s%s", group, own);
	made->now += (histree_time)random_below(&made->run->random, MADE_STEP);
	struct event event = written_event(&made->events, made->now, cpu, full, fields);
	take_event(made->run, made->kind, &event);
}

/* Who waits for a CPU, or sleeps and is woken up; 0 is nobody. */
static int choose_next(struct made *made, int cpu)
{
	int tid = (int)random_below(&made->run->random, MADE_THREADS + 1);
	if (tid != 0 && made->on_cpu[tid] >= 0)
		return 0;
	if (tid != 0 && random_percent(&made->run->random, 70))
		say(made, cpu, "sched_waking", "%s=%d prio=20 target_cpu=%d",
		    strcmp(made->kind->tracer, "perf") == 0 ? "pid" : "tid", tid, cpu);
	return tid;
}

static void switch_threads(struct made *made, int cpu)
{
	const char *id = strcmp(made->kind->tracer, "perf") == 0 ? "pid" : "tid";
	int previous = made->current[cpu], next = choose_next(made, cpu);
	if (next == previous)
		return;
	say(made, cpu, "sched_switch",
	    "prev_comm=p prev_%s=%d prev_prio=20 prev_state=%d next_comm=n next_%s=%d next_prio=20", id, previous,
	    previous == 0 ? 0 : (int)random_below(&made->run->random, 2), id, next);
	if (previous != 0)
		made->on_cpu[previous] = -1;
	if (next != 0)
		made->on_cpu[next] = cpu;
	made->current[cpu] = next;
}

static void make_event(struct made *made)
{
	int cpu = (int)random_below(&made->run->random, MADE_CPUS), tid = made->current[cpu];
	unsigned what = (unsigned)random_below(&made->run->random, 10);
	if (made->in_irq[cpu] != 0) {
		made->in_irq[cpu] = 0;
		say(made, cpu, "irq_handler_exit", "irq=5 ret=1");
	} else if (what < 4) {
		switch_threads(made, cpu);
	} else if (what < 6) {
		made->in_irq[cpu] = 1;
		say(made, cpu, "irq_handler_entry", "irq=5 name=disk");
	} else if (tid != 0) {
		say(made, cpu, made->in_call[tid] ? "syscall_exit_read" : "syscall_entry_read", "ret=0");
		made->in_call[tid] = !made->in_call[tid];
	}
}

/* ---- nonsense: any event of any thread on any CPU, at any time, and losses that are told -------------------- */

static int any_number(struct made *made, int from, int to)
{
	return from + (int)random_below(&made->run->random, (uint64_t)(to - from) + 1);
}

static void say_gap(struct made *made)
{
	const struct event_gap gap = { .trace = &made->events.trace,
				       .cpu = any_number(made, -1, MADE_CPUS),
				       .begin = made->now,
				       .end = made->now + any_number(made, 0, 100) };
	const struct event loss = { .time = gap.begin, .cpu = gap.cpu, .gap = &gap };
	made->run->end = made->now > made->run->end ? made->now : made->run->end;
	if (made->run->system != NULL)
		feed(made->run, &loss);
}

static void say_noise(struct made *made, int tid, int other)
{
	static const struct {
		const char *name, *fields;
	} others[] = {
		{ "irq_handler_entry", "irq=5 name=disk" },
		{ "irq_handler_exit", "irq=5 ret=1" },
		{ "irq_softirq_raise", "vec=1" },
		{ "irq_softirq_entry", "vec=1" },
		{ "irq_softirq_exit", "vec=1" },
		{ "syscall_entry_read", "fd=0" },
		{ "syscall_exit_read", "ret=0" },
		{ "x86_irq_vectors_local_timer_entry", "vector=239" },
		{ "x86_irq_vectors_local_timer_exit", "vector=239" },
	};
	char fields[WRITTEN_TEXT_SIZE], context[32] = "";
	int what = any_number(made, 0, 15), cpu = any_number(made, -1, MADE_CPUS - 1);
	const char *name = "sched_switch";
	if (what < 9) {
		name = others[what].name;
		snprintf(fields, sizeof(fields), "%s", others[what].fields);
	} else if (what == 9) {
		name = "sched_process_fork";
		snprintf(fields, sizeof(fields), "parent_comm=p parent_tid=%d child_comm=c child_tid=%d", tid,
			 other);
	} else if (what <= 12) {
		name = what == 10 ? "sched_process_free" : what == 11 ? "sched_migrate_task" : "sched_waking";
		snprintf(fields, sizeof(fields), "comm=x tid=%d prio=20 dest_cpu=%d target_cpu=0", tid, other);
	} else if (what == 13) {
		name = "lttng_statedump_process_state";
		snprintf(fields, sizeof(fields), "tid=%d pid=%d ppid=1 name=d status=%d cpu=0", tid, other,
			 any_number(made, 0, 8));
	} else {
		snprintf(fields, sizeof(fields),
			 "prev_comm=p prev_tid=%d prev_prio=20 prev_state=%d next_comm=n next_tid=%d next_prio=20",
			 tid, any_number(made, 0, 64), other);
	}
	if (made->kind->has_contexts)
		snprintf(context, sizeof(context), " | tid=%d", any_number(made, -1, MADE_THREADS));
	strcat(fields, context);
	struct event event = written_event(&made->events, made->now, cpu, name, fields);
	take_event(made->run, made->kind, &event);
}

static void make_noise(struct made *made)
{
	made->now += any_number(made, -MADE_STEP, 2 * MADE_STEP);
	if (random_percent(&made->run->random, 1))
		say_gap(made);
	else
		say_noise(made, any_number(made, -1, MADE_THREADS), any_number(made, -1, MADE_THREADS));
}

static void make_trace(struct run *run, const struct kind *kind)
{
	struct made made = { .kind = kind, .run = run };
	written_events_init(&made.events, kind->tracer, 2, 8);
	for (int tid = 1; tid <= MADE_THREADS; tid++)
		made.on_cpu[tid] = -1;
	for (int i = 0; i < MADE_EVENTS; i++)
		kind->is_noise ? make_noise(&made) : make_event(&made);
}

static void read_trace(struct run *run, const struct kind *kind)
{
	const char *path = losses_trace_path(kind->trace);
	struct trace *trace;
	struct event event;
	struct histree_error error = { 0 };
	if (trace_open(&path, 1, &trace, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	while (trace_next(trace, &event, &error) == HISTREE_OK)
		take_event(run, kind, &event);
	trace_close(trace);
	run->is_of_one_program = strstr(path, "demo-trace") != NULL;
}

/* ---- what must hold --------------------------------------------------------------------------------------- */

static void report(void *context, const char *fault)
{
	const struct run *run = context;
	fail_msg("%u %% left out: %s", run->percent, fault);
}

/* By quark, which attributes are the status of a thread.  The caller frees it. */
static bool *find_statuses(struct histree_history *history)
{
	uint32_t count = histree_history_info(history)->attribute_count;
	bool *is_status = calloc(count + 1, sizeof(*is_status));
	assert_non_null(is_status);
	for (histree_quark quark = 0; quark < count; quark++)
		is_status[quark] = histree_meaning_of(history, quark) == HISTREE_MEANS_THREAD_STATUS;
	return is_status;
}

/* Returns for how long threads run, all together; *unknown: how many of their states are. */
static uint64_t running_time(struct histree_history *history, uint64_t *unknown)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_cursor *query;
	struct histree_interval state;
	bool *is_status = find_statuses(history);
	uint64_t sum = 0;
	assert_ok(histree_query_create(history, &query, NULL));
	const struct histree_region all = { .from = info->start, .to = info->end };
	assert_ok(histree_query_start(query, &all, NULL));
	*unknown = 0;
	while (histree_cursor_next(query, NULL) == HISTREE_OK) {
		state = *histree_cursor_interval(query);
		if (!is_status[state.quark])
			continue;
		*unknown += state.value.type == HISTREE_UNKNOWN;
		if (state.value.type == HISTREE_INT && state.value.int32 >= 2 && state.value.int32 <= 4)
			sum += (uint64_t)(state.end - state.start) + 1;
	}
	histree_cursor_free(query);
	free(is_status);
	return sum;
}

static uint64_t cpu_time(struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_attributes *attributes = histree_history_attributes(history);
	histree_quark group;
	uint64_t cpus = 0;
	assert_ok(histree_attributes_find(attributes, HISTREE_ROOT, "CPUs", &group));
	for (histree_quark cpu = histree_attributes_first_child(attributes, group); cpu != HISTREE_ROOT;
	     cpu = histree_attributes_next_sibling(attributes, cpu))
		cpus++;
	return cpus * ((uint64_t)(info->end - info->start) + 1);
}

static void check_history(struct run *run, const struct kind *kind)
{
	struct histree_history *history;
	struct histree_error error;
	uint64_t unknown;
	if (histree_history_open(run->path, &(struct histree_open_options){ 0 }, &history, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_ok(histree_history_verify(history, report, run, &error));
	assert_ok(histree_occupancy_verify(history, report, run, &error));
	assert_true(running_time(history, &unknown) <= cpu_time(history));
	/* One in a hundred of fewer may be none: of the demo trace's 405 switches, with one seed in sixty. */
	bool is_enough = run->met * run->percent > 2000;
	assert_true(run->percent > 0 ? run->left_out > 0 || !is_enough
				     : kind->trace != NULL || kind->is_noise || unknown == 0);
	histree_history_close(history);
	unlink(run->path);
	if (run->is_of_one_program || kind->is_noise)
		return;
	if (run->percent >= 10 && run->missing[0] == '\0')
		fail_msg("%u %% left out, and nothing is said of it", run->percent);
	if (run->percent == 0 && run->missing[0] != '\0')
		fail_msg("nothing was left out, but: %s", run->missing);
}

static void threads_run_on_cpus_only(const void *chosen, uint64_t seed)
{
	static const unsigned percents[] = { 0, 1, 10, 50 };
	const struct kind *kind = chosen;
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		struct run run;
		begin_run(&run, seed + i, percents[i]);
		run.has_twins = !kind->is_long;
		if (kind->trace != NULL)
			read_trace(&run, kind);
		else
			make_trace(&run, kind);
		end_run(&run);
		check_history(&run, kind);
	}
}

static bool has_time(const void *kind)
{
	return !((const struct kind *)kind)->is_long || !test_is_quick();
}

static const struct kind kinds[] = {
	{ .name = "made_up", .tracer = "lttng-modules" },
	{ .name = "made_up_any_event", .tracer = "lttng-modules", .any_event = true },
	{ .name = "made_up_contexts", .tracer = "lttng-modules", .any_event = true, .has_contexts = true },
	{ .name = "made_up_perf", .tracer = "perf", .has_contexts = true },
	{ .name = "made_up_perf_any_event", .tracer = "perf", .any_event = true, .has_contexts = true },
	{ .name = "noise", .tracer = "lttng-modules", .any_event = true, .is_noise = true },
	{ .name = "noise_contexts",
	  .tracer = "lttng-modules",
	  .any_event = true,
	  .is_noise = true,
	  .has_contexts = true },
	{ .name = "perf", .trace = "demo" },
	{ .name = "perf_any_event", .trace = "demo", .any_event = true },
	{ .name = "scp_dest", .trace = "scp_dest" },
	{ .name = "scp_dest_any_event", .trace = "scp_dest", .any_event = true, .is_long = true },
	{ .name = "many_threads", .trace = "many-threads", .is_long = true },
	{ .name = "many_threads_any_event", .trace = "many-threads", .any_event = true, .is_long = true },
	{ .name = NULL },
};

PROPERTIES({ KINDS(kinds), .rounds = 1, .check = threads_run_on_cpus_only, .applies = has_time })
