// SPDX-License-Identifier: MIT
/*
 * cpu_usage.c - the analysis `cpu-usage`: how long each thread has run on each CPU so far.
 *
 *	CPUs/<cpu>/<tid>	long: ns, from each switch away from the thread on
 *
 * These are the states of Trace Compass's analysis of CPU usage.  A thread that runs is counted when it is switched
 * from; the first one of a CPU from the start of the trace on.  What ran in a gap is counted for nobody, as nobody
 * knows: sums are then of what was seen.
 */
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_labels.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/number_text.h"

struct usage_cpu {
	histree_quark node;
	histree_time since; /* the switch before; that to whoever runs */
	bool is_known;      /* false: events were missing since then */
};

struct usage_thread {
	histree_quark quark;
	uint64_t ns;
};

struct cpu_usage {
	struct kernel_input *input; /* borrowed */
	struct changes changes;
	histree_quark group;
	struct id_map cpus, threads; /* struct usage_cpu by number; struct usage_thread by CPU and tid */
	struct arena records;
	bool has_switches, lost_all; /* lost_all: there was a gap of all CPUs */
	histree_time start, now;     /* of the input, but not before the history begins */
};

static void *new_record(struct cpu_usage *usage, struct id_map *map, uint64_t id, size_t size)
{
	void *record = arena_allocate(&usage->records, size, alignof(max_align_t));
	if (record != NULL && id_map_add(map, id, record))
		return memset(record, 0, size);
	changes_fail(&usage->changes, HISTREE_ERR_MEMORY, "the usage of CPUs");
	return NULL;
}

static histree_quark child(struct cpu_usage *usage, histree_quark *known, histree_quark parent, int32_t number)
{
	char name[NUMBER_TEXT_SIZE];
	if (*known != NO_ATTRIBUTE)
		return *known;
	const size_t size = number_format_signed(number, name);
	return changes_child(&usage->changes, known, parent, name, size);
}

static struct usage_cpu *cpu_of(struct cpu_usage *usage, int32_t number)
{
	struct usage_cpu *cpu = id_map_find_again(&usage->cpus, (uint32_t)number);
	if (cpu != NULL)
		return cpu;
	cpu = new_record(usage, &usage->cpus, (uint32_t)number, sizeof(*cpu));
	if (cpu != NULL)
		*cpu = (struct usage_cpu){ .node = NO_ATTRIBUTE,
					   .since = usage->start,
					   .is_known = !usage->lost_all };
	return cpu;
}

static struct usage_thread *thread_of(struct cpu_usage *usage, int32_t cpu, int32_t tid)
{
	uint64_t id = (uint64_t)(uint32_t)cpu << 32 | (uint32_t)tid;
	struct usage_thread *thread = id_map_find_again(&usage->threads, id);
	if (thread != NULL)
		return thread;
	thread = new_record(usage, &usage->threads, id, sizeof(*thread));
	if (thread != NULL)
		*thread = (struct usage_thread){ .quark = NO_ATTRIBUTE };
	return thread;
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	struct cpu_usage *usage = calloc(1, sizeof(*usage));
	*instance = usage;
	if (usage == NULL)
		return error_memory(error, "the usage of CPUs");
	usage->input = input;
	usage->changes.system = system;
	usage->group = NO_ATTRIBUTE;
	struct table_space *space = usage->input->machine.records.space;
	id_map_use_space(&usage->threads, space);
	usage->records.space = space;
	kernel_input_want(input, KERNEL_SWITCH);
	return HISTREE_OK;
}

static void usage_begin(struct cpu_usage *usage)
{
	const struct kernel_input *input = usage->input;
	histree_time start = histree_state_start(usage->changes.system); /* what was before that is of no kernel */
	usage->start = input->start > start ? input->start : start;
	usage->now = input->now > start ? input->now : start;
	changes_begin(&usage->changes, usage->now);
}

static bool wants(const void *instance, const struct event_class *class)
{
	return kernel_input_role(((const struct cpu_usage *)instance)->input, class) == KERNEL_SWITCH;
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct cpu_usage *usage = instance;
	const struct kernel_event *event = &usage->input->event;
	(void)source;
	usage_begin(usage);
	if (event->role != KERNEL_SWITCH)
		return HISTREE_OK;
	usage->has_switches = true;
	struct usage_cpu *cpu = event->cpu >= 0 ? cpu_of(usage, event->cpu) : NULL;
	struct usage_thread *thread = cpu != NULL ? thread_of(usage, event->cpu, event->prev_tid) : NULL;
	if (thread != NULL) {
		struct changes *changes = &usage->changes;
		changes_child(changes, &usage->group, HISTREE_ROOT, "CPUs", strlen("CPUs"));
		child(usage, &cpu->node, usage->group, event->cpu);
		if (cpu->is_known) {
			thread->ns += (uint64_t)usage->now - (uint64_t)cpu->since;
			change(changes, child(usage, &thread->quark, cpu->node, event->prev_tid),
			       histree_long((int64_t)thread->ns));
		}
		cpu->since = usage->now;
		cpu->is_known = true;
	}
	return changes_end(&usage->changes, error);
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct cpu_usage *usage = instance;
	size_t position = 0;
	const struct id_entry *entry;
	usage_begin(usage);
	if (gap->cpu >= 0) {
		struct usage_cpu *cpu = cpu_of(usage, gap->cpu);
		if (cpu != NULL)
			cpu->is_known = false;
	} else {
		usage->lost_all = true;
	}
	while (gap->cpu < 0 && (entry = id_map_next(&usage->cpus, &position)) != NULL)
		((struct usage_cpu *)entry->record)->is_known = false;
	return changes_end(&usage->changes, error);
}

static uint64_t refused(const void *instance)
{
	return ((const struct cpu_usage *)instance)->changes.refused;
}

static bool is_empty(const void *instance)
{
	return !((const struct cpu_usage *)instance)->has_switches;
}

static void missing(const void *instance, char *text, size_t size)
{
	const struct cpu_usage *usage = instance;
	*text = '\0';
	if (!usage->has_switches)
		snprintf(text, size,
			 "the trace has no switches: record sched_switch (lttng enable-event -k sched_switch, or "
			 "perf "
			 "record -e sched:sched_switch)");
}

static void free_usage(void *instance)
{
	struct cpu_usage *usage = instance;
	if (usage == NULL)
		return;
	id_map_release(&usage->cpus);
	id_map_release(&usage->threads);
	arena_release(&usage->records);
	free(usage);
}

const struct analysis analysis_cpu_usage = {
	.name = "cpu-usage",
	.version = 1,
	.summary = "how long each thread has run on each CPU so far, as Trace Compass counts it",
	.charts = cpu_usage_charts,
	.chart_count = CPU_USAGE_CHARTS,
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.wants = wants,
	.event = on_event,
	.gap = on_gap,
	.refused = refused,
	.is_empty = is_empty,
	.missing = missing,
	.free = free_usage,
};
