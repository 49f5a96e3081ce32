// SPDX-License-Identifier: MIT
/*
 * kernel_machine.c - the layouts of attributes, and whether contradictions are so frequent that events must be
 * missing, with the warning.  Each kind of event that can contradict others counts separately.
 */
#include "analysis/kernel/kernel_machine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analysis/kernel/kernel_layout.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/value.h"
#include "item/value.h"

enum { CONFLICTS_MANY = 10, CONFLICTS_RATE = 1000 };

/* ---- kernel conflicts ---------------------------------------------------------------------------------------- */

void conflicts_describe(const struct kernel_conflicts *conflicts, const char *what_follows, char *text, size_t size)
{
	static const char *const formats[CONFLICT_KINDS] = {
		[CONFLICT_SWITCH] =
			"%s %" PRIu64 " times a thread ran where none of %" PRIu64 " switches had brought it",
		[CONFLICT_CALL] = "%s %" PRIu64 " of %" PRIu64 " beginnings and ends of system calls do not match",
		[CONFLICT_INTERRUPT] =
			"%s %" PRIu64 " of %" PRIu64 " beginnings and ends of interrupts do not match",
	};
	const char *before = "events are missing that nobody said were lost:";
	size_t length = 0;
	text[0] = '\0';
	for (enum kernel_conflict kind = 0; kind < CONFLICT_KINDS && length < size; kind++) {
		bool is_no_loss = kind == CONFLICT_SWITCH && conflicts->to_idle > 0 && conflicts->from_idle == 0;
		if (is_no_loss || !(conflicts->denials[kind] >= CONFLICTS_MANY &&
				    conflicts->denials[kind] > conflicts->events[kind] / CONFLICTS_RATE))
			continue;
		length += (size_t)snprintf(text + length, size - length, formats[kind], before,
					   conflicts->denials[kind], conflicts->events[kind]);
		before = ",";
	}
	if (length > 0 && length < size)
		snprintf(text + length, size - length, "; %s", what_follows);
}

/* ---- kernel places ------------------------------------------------------------------------------------------- */

#define GROUPS                                                                             \
	{                                                                                  \
		[GROUP_CPUS] = "CPUs", [GROUP_THREADS] = "Threads", [GROUP_IRQS] = "IRQs", \
		[GROUP_SOFT_IRQS] = "Soft_IRQs",                                           \
	}
#define ONE_ATTRIBUTE_EACH                                                                                       \
	{                                                                                                        \
		[THREAD_STATUS] = { .name = "Status" }, [THREAD_SYSTEM_CALL] = { .name = "System_call" },        \
		[THREAD_RUN_QUEUE] = { .name = "Current_cpu_rq" }, [THREAD_EXEC_NAME] = { .name = "Exec_name" }, \
		[THREAD_PPID] = { .name = "PPID" }, [THREAD_PID] = { .name = "PID" },                            \
		[THREAD_PRIO] = { .name = "Prio" },                                                              \
	}
const struct kernel_places kernel_places_2016 = {
	.groups = GROUPS,
	.threads = ONE_ATTRIBUTE_EACH,
};

const struct kernel_places kernel_places_plain = {
	.groups = GROUPS,
	.status_on_node = true,
	.threads = ONE_ATTRIBUTE_EACH,
};

/* The halves of a pair change together nearly always: most events that tell of one tell of the other. */
const struct kernel_places kernel_places_compact = {
	.groups = {
		[GROUP_CPUS] = "CPUs",
		[GROUP_THREADS] = "Threads",
		[GROUP_IRQS] = "Interrupts",
		[GROUP_SOFT_IRQS] = "Interrupts",
	},
	.groups_are_folders = true,
	.status_on_node = true,
	.only_known = true,
	.interrupts_have_signs = true,
	.threads = {
		[THREAD_STATUS] = { .name = "Status" },
		[THREAD_SYSTEM_CALL] = { .name = "System_call" },
		[THREAD_RUN_QUEUE] = { "Scheduling", HISTREE_FIRST_PART, THREAD_PRIO },
		[THREAD_EXEC_NAME] = { .name = "Exec_name" },
		[THREAD_PPID] = { "Process", HISTREE_FIRST_PART, THREAD_PID },
		[THREAD_PID] = { "Process", HISTREE_SECOND_PART, THREAD_PPID },
		[THREAD_PRIO] = { "Scheduling", HISTREE_SECOND_PART, THREAD_RUN_QUEUE },
	},
};

/* ---- kernel machine ------------------------------------------------------------------------------------------ */

void machine_init(struct machine *machine)
{
	*machine = (struct machine){ .gap_end = INT64_MIN, .gap_end_anywhere = INT64_MIN };
}

void machine_use_space(struct machine *machine, struct table_space *tables)
{
	id_map_use_space(&machine->threads, tables);
	id_map_use_space(&machine->cpus, tables);
	intern_use_space(&machine->texts, tables);
	machine->records.space = tables;
}

void machine_release(struct machine *machine)
{
	id_map_release(&machine->threads);
	id_map_release(&machine->cpus);
	intern_release(&machine->texts);
	arena_release(&machine->records);
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* Returns a new record of an id, a copy of `fresh`. */
static void *add_record(struct machine *machine, struct id_map *map, int32_t id, const void *fresh, size_t size)
{
	void *record = arena_allocate(&machine->records, size, alignof(max_align_t));
	if (record == NULL || !id_map_add(map, (uint32_t)id, record)) {
		machine->fault = MACHINE_HAS_NO_MEMORY;
		return NULL;
	}
	return memcpy(record, fresh, size);
}

struct machine_thread *machine_thread(struct machine *machine, int32_t tid)
{
	struct machine_thread *thread = id_map_find_again(&machine->threads, (uint32_t)tid);
	if (thread != NULL)
		return thread;
	/* It may have been there unseen. */
	const struct machine_thread fresh = { .tid = tid,
					      .place = machine->place_count,
					      .gap_end = machine->gap_end };
	machine->place_count++;
	return add_record(machine, &machine->threads, tid, &fresh, sizeof(fresh));
}

/* A thread does something: if the one before it that had the number has ended, it is the next one. */
static void live(struct machine_thread *thread)
{
	thread->life += thread->has_ended;
	thread->has_ended = false;
	thread->is_seen = true;
	thread->is_cloned = false;
}

struct machine_thread *machine_thread_of_event(struct machine *machine, int32_t tid)
{
	struct machine_thread *thread = machine_thread(machine, tid);
	if (thread != NULL)
		live(thread);
	return thread;
}

struct machine_cpu *machine_cpu(struct machine *machine, int32_t number)
{
	if (number < 0)
		return NULL;
	struct machine_cpu *cpu = id_map_find_again(&machine->cpus, (uint32_t)number);
	if (cpu != NULL)
		return cpu;
	const struct machine_cpu fresh = { .number = number,
					   .place = (uint32_t)machine->cpus.count,
					   .place_of_unknown = machine->place_count++,
					   .gap_end = machine->gap_end_anywhere };
	return add_record(machine, &machine->cpus, number, &fresh, sizeof(fresh));
}

struct histree_value machine_text(struct machine *machine, const char *bytes, size_t size)
{
	const uint64_t ends = hash_ends(bytes, size);
	struct machine_recent *recent = &machine->recent[ends % MACHINE_RECENT];
	if (recent->bytes != NULL && recent->ends == ends && recent->size == size &&
	    (size == 0 || memcmp(recent->bytes, bytes, size) == 0))
		return histree_string_n(recent->bytes, size);
	uint32_t id = intern_add(&machine->texts, bytes, size);
	if (id == INTERN_NONE) {
		machine->fault = MACHINE_HAS_NO_MEMORY;
		return histree_null();
	}
	*recent = (struct machine_recent){ ends, intern_get(&machine->texts, id, NULL), size };
	return histree_string_n(recent->bytes, size);
}

struct histree_value machine_thread_name(const struct machine_thread *thread)
{
	return thread == NULL || thread->name == NULL ? histree_null()
						      : histree_string_n(thread->name, thread->name_size);
}

struct kernel_text machine_name_at_switch(struct kernel_text said, const struct machine_thread *thread)
{
	return said.bytes != NULL ? said : (struct kernel_text){ thread->name, thread->name_size };
}

/* ---- what events say --------------------------------------------------------------------------------- */

static bool has_name(const struct machine_thread *thread, struct kernel_text name)
{
	return thread->name != NULL && thread->name_size == name.size &&
	       memcmp(thread->name, name.bytes, name.size) == 0;
}

static void name_thread(struct machine *machine, struct machine_thread *thread, struct kernel_text name)
{
	if (thread == NULL || name.bytes == NULL || has_name(thread, name))
		return;
	struct histree_value text = machine_text(machine, name.bytes, name.size);
	if (text.type == HISTREE_NULL)
		return;
	thread->name = text.bytes;
	thread->name_size = text.size;
}

/* A thread that is said to run on a CPU is the one that the CPU runs; of two such CPUs, on the later one. */
static void assert_runs(const struct machine_thread *thread)
{
	assert(thread->cpu == NULL || thread->cpu->thread == thread);
}

/* Nobody is known to run there. */
static void vacate(struct machine_cpu *cpu)
{
	if (cpu->thread != NULL && cpu->thread->cpu == cpu)
		cpu->thread->cpu = NULL;
	cpu->thread = cpu->left = NULL;
}

static void occupy(struct machine_cpu *cpu, struct machine_thread *thread)
{
	vacate(cpu);
	thread->cpu = cpu;
	cpu->thread = thread;
	assert_runs(thread);
}

/* It is most often the one that is known to run there. */
struct machine_thread *machine_thread_leaving(struct machine *machine, const struct kernel_event *event)
{
	struct machine_thread *running = event->on_cpu != NULL ? event->on_cpu->thread : NULL;
	return running != NULL && running->tid == event->prev_tid ? running
								  : machine_thread(machine, event->prev_tid);
}

static void widen(histree_time *gap_end, histree_time end)
{
	if (end > *gap_end)
		*gap_end = end;
}

/* Returns the thread that an event says runs on its CPU until now; NULL: it does not say. */
static struct machine_thread *running_thread(const struct kernel_event *event)
{
	if (event->role == KERNEL_SWITCH)
		return event->previous;
	return event->own_tid >= 0 ? event->in_thread : NULL;
}

static void doubt_thread(struct machine_thread *thread, histree_time now)
{
	if (thread != NULL)
		widen(&thread->gap_end, now - 1);
}

/* The CPU does not run its thread any more, and nobody saw since when. */
static void lose_sight(struct machine_cpu *cpu, histree_time now)
{
	widen(&cpu->gap_end, now - 1);
	doubt_thread(cpu->thread, now);
	vacate(cpu);
}

/* Returns the CPU where a thread is said to run.  All idle threads are one here, and so are on any CPU. */
static struct machine_cpu *cpu_of(const struct machine_thread *thread)
{
	return thread->tid != 0 ? thread->cpu : NULL;
}

/* A thread is found on a CPU.  Returns whether that denies what was known. */
static bool find_thread(struct machine_cpu *cpu, struct machine_thread *thread, histree_time now)
{
	struct machine_cpu *elsewhere = cpu_of(thread);
	if (cpu->thread == thread || (cpu->thread == NULL && elsewhere == NULL))
		return false;
	if (elsewhere != NULL)
		lose_sight(elsewhere, now);
	lose_sight(cpu, now);
	doubt_thread(thread, now);
	occupy(cpu, thread);
	return true;
}

/* A thread comes to a CPU.  Returns whether it was said to run on another. */
static bool find_nowhere(struct machine_cpu *cpu, struct machine_thread *thread, histree_time now)
{
	struct machine_cpu *elsewhere = cpu_of(thread);
	if (elsewhere == NULL || elsewhere == cpu)
		return false;
	lose_sight(elsewhere, now);
	return true;
}

bool machine_is_in_switch(const struct kernel_event *event)
{
	const struct machine_cpu *cpu = event->on_cpu;
	return cpu != NULL && cpu->left != NULL && cpu->left->tid == event->own_tid && cpu_of(cpu->left) == NULL &&
	       kernel_event_may_be_in_switch(event, cpu->left_at);
}

/*
 * A thread that is found where it was not known to run came there unseen, and the one that was said to run left
 * unseen.  Where no CPU ever ceased to be idle, the tracer was asked for some programs only, and has all that these
 * did (kernel_machine.h).
 */
void machine_meet(struct machine *machine, const struct kernel_event *event)
{
	struct kernel_conflicts *conflicts = &machine->conflicts;
	if (event->role == KERNEL_SWITCH) {
		conflicts->events[CONFLICT_SWITCH]++;
		conflicts->to_idle += event->tid == 0;
		conflicts->from_idle += event->prev_tid == 0;
	}
	if (event->on_cpu == NULL || conflicts->from_idle == 0 || event->time == INT64_MIN)
		return;
	struct machine_thread *thread = running_thread(event);
	event->on_cpu->left = NULL;
	bool is_denied = thread != NULL && find_thread(event->on_cpu, thread, event->time);
	thread = event->role == KERNEL_SWITCH ? event->thread : NULL;
	is_denied |= thread != NULL && find_nowhere(event->on_cpu, thread, event->time);
	conflicts->denials[CONFLICT_SWITCH] += is_denied;
}

/* Where switches say no names: those of the time before the first event. */
static void learn_early_names(struct machine *machine, const struct kernel_event *event)
{
	const struct event_images *images = event->source->class->trace->images;
	machine->has_early_names = true;
	for (size_t i = 0; images != NULL && i < images->name_count; i++) {
		const struct event_thread_name *name = &images->names[i];
		struct machine_thread *thread = name->tid > 0 && name->tid <= INT32_MAX
							? machine_thread(machine, (int32_t)name->tid)
							: NULL;
		if (thread != NULL && thread->name == NULL)
			name_thread(machine, thread, (struct kernel_text){ name->name, strlen(name->name) });
	}
}

static void learn_switch(struct machine *machine, const struct kernel_event *event)
{
	struct machine_thread *previous = event->previous, *next = event->thread;
	if (event->comm.bytes == NULL && !machine->has_early_names)
		learn_early_names(machine, event);
	name_thread(machine, previous, event->prev_comm);
	name_thread(machine, next, event->comm);
	if (previous != NULL && next != NULL) {
		/* Idle threads are one here, and have one life. */
		live(previous);
		previous->has_ended = previous->tid != 0 && kernel_event_leave(event) == LEAVES_FOREVER;
		live(next);
	}
	if (previous == NULL || next == NULL || event->on_cpu == NULL)
		return;
	if (event->time <= machine->gap_end)
		previous->gap_end = machine->gap_end;
	occupy(event->on_cpu, next);
	event->on_cpu->left = previous;
	event->on_cpu->left_at = event->time;
	event->on_cpu->turns += event->tid != 0;
}

static void learn_name(struct machine *machine, const struct kernel_event *event)
{
	struct kernel_text name = kernel_event_new_name(event);
	struct machine_thread *thread = event->tid > 0 ? event->thread : event->in_thread;
	if (name.bytes != NULL)
		name_thread(machine, thread, name);
}

/*
 * One that still had the number has ended, and nobody saw when.  The event of a fork may come after another one of
 * the same thread.
 */
static void learn_fork(struct machine *machine, const struct kernel_event *event)
{
	struct machine_thread *thread = event->thread;
	if (event->role == KERNEL_FORK)
		name_thread(machine, thread, event->comm);
	if (thread == NULL || event->tid <= 0)
		return;
	thread->life += thread->is_seen && !(thread->is_cloned && event->role == KERNEL_FORK);
	thread->has_ended = false;
	thread->is_seen = true;
	thread->is_cloned = event->role != KERNEL_FORK;
}

static void learn_thread(struct machine *machine, const struct kernel_event *event)
{
	name_thread(machine, event->thread, event->comm);
	if (event->thread != NULL)
		event->thread->is_seen = true;
}

static void learn_end(struct machine_thread *thread)
{
	if (thread != NULL && thread->tid > 0)
		thread->has_ended = thread->has_ended || thread->is_seen;
}

void machine_learn(struct machine *machine, const struct kernel_event *event)
{
	if (event->role == KERNEL_SWITCH)
		learn_switch(machine, event);
	else if (event->role == KERNEL_FORK || event->role == KERNEL_NEW_TASK || event->role == KERNEL_PERF_FORK)
		learn_fork(machine, event);
	else if (event->role == KERNEL_FREE)
		learn_end(event->thread);
	else if (event->role == KERNEL_PROCESS_STATE)
		learn_thread(machine, event);
	else if (event->role == KERNEL_RENAME || event->role == KERNEL_EXEC || event->role == KERNEL_PERF_NAME)
		learn_name(machine, event);
}

/* ---- gaps -------------------------------------------------------------------------------------------- */

static bool is_in_sight(const struct machine_thread *thread, const struct event_gap *gap)
{
	assert_runs(thread);
	return thread->cpu != NULL && thread->cpu->gap_end < gap->begin;
}

/*
 * A thread that runs where nothing is lost does so in sight, until it leaves that CPU (learn_switch).  All others
 * may have run where events are lost.
 */
__attribute__((cold)) void machine_asked_in_vain(const struct kernel_event *event)
{
	if (event->not_kept != NULL)
		event->not_kept->fault = MACHINE_IS_NOT_DECLARED;
}

void machine_begin_gap(struct machine *machine, const struct event_gap *gap)
{
	widen(&machine->gap_end, gap->end);
	if (gap->cpu < 0)
		widen(&machine->gap_end_anywhere, gap->end);
	else
		machine_cpu(machine, gap->cpu);
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&machine->cpus, &at)) != NULL;) {
		struct machine_cpu *cpu = entry->record;
		if (gap->cpu >= 0 && cpu->number != gap->cpu)
			continue;
		widen(&cpu->gap_end, gap->end);
		vacate(cpu);
	}
	for (size_t at = 0; (entry = id_map_next(&machine->threads, &at)) != NULL;) {
		struct machine_thread *thread = entry->record;
		if (!is_in_sight(thread, gap))
			widen(&thread->gap_end, gap->end);
	}
}

/*
 * A gap reaches to the end of the packet before which the tracer ran out of room; what is in that packet is whole.
 * So it ends with the next event of its CPU, as for states (kernel_gap.h).
 */
void machine_end_gap(struct machine *machine, int32_t cpu_number, histree_time now)
{
	if (now > machine->gap_end)
		return;
	struct machine_cpu *cpu = machine_cpu(machine, cpu_number);
	if (cpu == NULL || now > cpu->gap_end || now <= machine->gap_end_anywhere || now == INT64_MIN)
		return;
	cpu->gap_end = now - 1;
	machine->gap_end = machine->gap_end_anywhere;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&machine->cpus, &at)) != NULL;)
		widen(&machine->gap_end, ((const struct machine_cpu *)entry->record)->gap_end);
	for (size_t at = 0; (entry = id_map_next(&machine->threads, &at)) != NULL;) {
		struct machine_thread *thread = entry->record;
		if (thread->gap_end > machine->gap_end)
			thread->gap_end = machine->gap_end;
	}
}
