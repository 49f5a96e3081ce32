// SPDX-License-Identifier: MIT
/*
 * switches.c - the analysis `switches`: how often CPUs went from thread to thread so far.
 *
 *	CPUs/<cpu>/switches		long: all of them, also to and from the idle loop
 *	CPUs/<cpu>/voluntary		long: from threads that went to sleep, or ended
 *	CPUs/<cpu>/involuntary		long: from threads that could have run on: they were preempted, or gave way
 *	CPUs/<cpu>/migrations		long: to threads that had run on another CPU before
 *	Threads/<tid>/voluntary, involuntary, migrations	long: the same by thread
 *	gaps				long: how often events were lost
 *
 * A thread that gets the number of one that is gone has run on no CPU yet.  The idle loop is no thread here.
 * Where events of a CPU are lost, its sums are unknown until its next switch, and go on from what was seen; those
 * of threads stay, as anybody may have run there, and `gaps` says that they are too low.
 */
#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"

enum { VOLUNTARY, INVOLUNTARY, MIGRATIONS, SWITCHES };
enum { CPUS, THREADS };

struct switches_thread {
	struct kernel_sum_row row;
	bool has_run;
	int32_t cpu; /* where it ran last */
};

static void count(struct kernel_sums *sums, struct kernel_sum_row *cpu, struct switches_thread *thread,
		  size_t which)
{
	kernel_sum_add(sums, cpu, which, 1);
	kernel_sum_add(sums, &thread->row, which, 1);
}

/* Returns the thread that is on a CPU now; that it came there may not have been seen.  NULL: the idle loop. */
static struct switches_thread *place(struct kernel_sums *sums, struct kernel_sum_row *cpu, int32_t tid)
{
	if (tid == 0)
		return NULL;
	struct kernel_sum_row *row = kernel_sum_row(sums, &sums->tables[THREADS], tid);
	struct switches_thread *thread = (struct switches_thread *)row;
	if (thread == NULL)
		return NULL;
	if (thread->has_run && thread->cpu != cpu->number)
		count(sums, cpu, thread, MIGRATIONS);
	thread->has_run = true;
	thread->cpu = cpu->number;
	return thread;
}

static void switches_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct kernel_sum_row *cpu = event->cpu >= 0 ? kernel_sum_row(sums, &sums->tables[CPUS], event->cpu) : NULL;
	if (cpu == NULL)
		return;
	kernel_sum_add(sums, cpu, SWITCHES, 1);
	struct switches_thread *previous = place(sums, cpu, event->prev_tid);
	if (previous != NULL)
		count(sums, cpu, previous, kernel_event_leave(event) == LEAVES_RUNNABLE ? INVOLUNTARY : VOLUNTARY);
	if (previous != NULL && kernel_event_leave(event) == LEAVES_FOREVER)
		previous->has_run = false;
	place(sums, cpu, event->tid);
}

/* A thread that gets a number has run nowhere yet, whatever another one did that had it before. */
static void begin_life(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct switches_thread *thread = id_map_find(&sums->tables[THREADS].rows, (uint32_t)event->tid);
	if (thread != NULL)
		thread->has_run = false;
}

static void switches_take(struct kernel_sums *sums, const struct kernel_event *event)
{
	if (event->role == KERNEL_FORK)
		begin_life(sums, event);
	else
		switches_count(sums, event);
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static const struct kernel_sums_kind switches_sums = {
	.what = "the switches of CPUs",
	.tables = {
		[CPUS] = {
			.folder = "CPUs",
			.names = { "voluntary", "involuntary", "migrations", "switches" },
			.sum_count = 4,
			.loss = SUMS_ARE_LOST_OF_CPU,
		},
		[THREADS] = {
			.folder = "Threads",
			.names = { "voluntary", "involuntary", "migrations" },
			.sum_count = 3,
			.row_size = sizeof(struct switches_thread),
		},
	},
	.roles = { KERNEL_SWITCH, KERNEL_FORK },
	.role_count = 2,
	.uncounted = KERNEL_FORK,
	.counts_gaps = true,
	.count = switches_take,
	.missing = "the trace has no switches: record sched_switch (lttng enable-event -k sched_switch, or "
		   "perf record -e sched:sched_switch)",
};

static enum histree_status switches_create(struct histree_state_system *system, void *input, void **instance,
					   struct histree_error *error)
{
	return kernel_sums_create(&switches_sums, system, input, instance, error);
}

static const struct histree_chart_entry cpu_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "CPUs/*" },
	{ .parent = 0, .path = "*", .shown = ".", .measure = HISTREE_CHART_RATE },
};
static const struct histree_chart_entry thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	{ .parent = 0, .path = "*", .shown = ".", .measure = HISTREE_CHART_RATE },
};

static const struct histree_chart charts[] = {
	{ .name = "cpu-switches",
	  .title = "Switches of CPUs",
	  .unit = "1/s",
	  .entries = cpu_entries,
	  .entry_count = sizeof(cpu_entries) / sizeof(*cpu_entries) },
	{ .name = "thread-switches",
	  .title = "Switches of threads",
	  .unit = "1/s",
	  .entries = thread_entries,
	  .entry_count = sizeof(thread_entries) / sizeof(*thread_entries) },
};

const struct analysis analysis_switches = {
	.name = "switches",
	.version = 2, /* 2: a number that is used again has not run yet */
	.summary =
		"how often each CPU and thread was switched so far: of its own accord, preempted, to another CPU",
	.charts = charts,
	.chart_count = sizeof(charts) / sizeof(*charts),
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = switches_create,
	KERNEL_SUMS_FUNCTIONS,
};
