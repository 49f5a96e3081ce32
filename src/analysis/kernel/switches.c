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
 * The idle loop is no thread here.  Where events of a CPU are lost, its sums are unknown until its next switch,
 * and go on from what was seen; those of threads stay, as anybody may have run there, and `gaps` says that they
 * are too low.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"
#include "base/error.h"

enum { VOLUNTARY, INVOLUNTARY, MIGRATIONS, SWITCHES };
enum { GAPS };

struct switches_thread {
	struct kernel_sum_row row;
	bool has_run;
	int32_t cpu; /* where it ran last */
};

static const struct kernel_sum_kind of_cpus = {
	.folder = "CPUs",
	.names = { "voluntary", "involuntary", "migrations", "switches" },
	.name_count = 4,
	.row_size = sizeof(struct kernel_sum_row),
};
static const struct kernel_sum_kind of_threads = {
	.folder = "Threads",
	.names = { "voluntary", "involuntary", "migrations" },
	.name_count = 3,
	.row_size = sizeof(struct switches_thread),
};
static const struct kernel_sum_kind of_gaps = {
	.names = { "gaps" },
	.name_count = 1,
	.row_size = sizeof(struct kernel_sum_row),
};

struct switches {
	struct kernel_sums sums;
	struct kernel_sum_table cpus, threads, gaps;
	bool has_switches;
};

static void count(struct switches *switches, struct kernel_sum_row *cpu, struct switches_thread *thread,
		  size_t which)
{
	kernel_sum_add(&switches->sums, cpu, which, 1);
	kernel_sum_add(&switches->sums, &thread->row, which, 1);
}

/* Returns the thread that is on a CPU now; that it came there may not have been seen.  NULL: the idle loop. */
static struct switches_thread *place(struct switches *switches, struct kernel_sum_row *cpu, int32_t tid)
{
	if (tid == 0)
		return NULL;
	struct kernel_sum_row *row = kernel_sum_row(&switches->sums, &switches->threads, tid);
	struct switches_thread *thread = (struct switches_thread *)row;
	if (thread == NULL)
		return NULL;
	if (thread->has_run && thread->cpu != cpu->number)
		count(switches, cpu, thread, MIGRATIONS);
	thread->has_run = true;
	thread->cpu = cpu->number;
	return thread;
}

static void on_switch(struct switches *switches, const struct kernel_event *event)
{
	struct kernel_sum_row *cpu =
		event->cpu >= 0 ? kernel_sum_row(&switches->sums, &switches->cpus, event->cpu) : NULL;
	if (cpu == NULL)
		return;
	kernel_sum_add(&switches->sums, cpu, SWITCHES, 1);
	struct switches_thread *previous = place(switches, cpu, event->prev_tid);
	if (previous != NULL)
		count(switches, cpu, previous,
		      kernel_event_leave(event) == LEAVES_RUNNABLE ? INVOLUNTARY : VOLUNTARY);
	place(switches, cpu, event->tid);
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	struct switches *switches = calloc(1, sizeof(*switches));
	*instance = switches;
	if (switches == NULL)
		return error_memory(error, "the switches of CPUs");
	kernel_sums_init(&switches->sums, system, input);
	kernel_sum_table_init(&switches->sums, &switches->cpus, &of_cpus);
	kernel_sum_table_init(&switches->sums, &switches->threads, &of_threads);
	kernel_sum_table_init(&switches->sums, &switches->gaps, &of_gaps);
	kernel_input_want(input, KERNEL_SWITCH);
	return HISTREE_OK;
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct switches *switches = instance;
	const struct kernel_event *event = &switches->sums.input->event;
	if (event->role != KERNEL_SWITCH)
		return HISTREE_OK;
	kernel_sums_begin(&switches->sums, source->time);
	switches->has_switches = true;
	on_switch(switches, event);
	return changes_end(&switches->sums.changes, error);
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct switches *switches = instance;
	const struct id_entry *entry;
	kernel_sums_begin(&switches->sums, gap->begin);
	struct kernel_sum_row *gaps = kernel_sum_row(&switches->sums, &switches->gaps, 0);
	if (gaps != NULL)
		kernel_sum_add(&switches->sums, gaps, GAPS, 1);
	for (size_t position = 0; (entry = id_map_next(&switches->cpus.rows, &position)) != NULL;)
		if (gap->cpu < 0 || entry->id == (uint32_t)gap->cpu)
			kernel_sum_lose(&switches->sums, entry->record);
	return changes_end(&switches->sums.changes, error);
}

static uint64_t refused(const void *instance)
{
	return ((const struct switches *)instance)->sums.changes.refused;
}

static void missing(const void *instance, char *text, size_t size)
{
	*text = '\0';
	if (!((const struct switches *)instance)->has_switches)
		snprintf(text, size,
			 "the trace has no switches: record sched_switch (lttng enable-event -k sched_switch, or "
			 "perf record -e sched:sched_switch)");
}

static void free_switches(void *instance)
{
	struct switches *switches = instance;
	if (switches == NULL)
		return;
	kernel_sum_table_release(&switches->cpus);
	kernel_sum_table_release(&switches->threads);
	kernel_sum_table_release(&switches->gaps);
	kernel_sums_release(&switches->sums);
	free(switches);
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
	.version = 1,
	.summary =
		"how often each CPU and thread was switched so far: of its own accord, preempted, to another CPU",
	.charts = charts,
	.chart_count = sizeof(charts) / sizeof(*charts),
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.event = on_event,
	.gap = on_gap,
	.refused = refused,
	.missing = missing,
	.free = free_switches,
};
