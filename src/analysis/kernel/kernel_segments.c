// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_segments.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel/kernel_layout.h"
#include "base/error.h"

struct segment_binding {
	struct kernel_binding kernel;
	uint32_t extra[KERNEL_EXTRA_FIELDS];
	uint32_t tid; /* the field in which the event says its thread */
};

bool kernel_segments_applies(const struct event_trace *trace)
{
	return kernel_layout_knows(trace);
}

enum histree_status kernel_segments_create(const struct kernel_segments_kind *kind,
					   struct histree_segment_store *store, void **instance,
					   struct histree_error *error)
{
	*instance = NULL;
	struct kernel_segments *segments = calloc(1, sizeof(*segments));
	if (segments == NULL)
		return error_memory(error, "an analysis of a kernel trace");
	segments->kind = kind;
	segments->store = store;
	segments->gap_end = segments->gap_end_anywhere = INT64_MIN;
	*instance = segments;
	return HISTREE_OK;
}

void kernel_segments_no_memory(struct kernel_segments *segments)
{
	if (segments->status == HISTREE_OK)
		segments->status = error_memory(&segments->error, "segments");
}

static enum histree_status report(const struct kernel_segments *segments, struct histree_error *error)
{
	if (segments->status != HISTREE_OK && error != NULL)
		*error = segments->error;
	return segments->status;
}

/* ---- segments ---------------------------------------------------------------------------------------- */

void kernel_segments_abandon(struct kernel_segments *segments, uint64_t key)
{
	struct open_segment *segment = open_segments_find(&segments->open, key);
	if (segment == NULL)
		return;
	segments->counts.without_end++;
	open_segments_remove(&segments->open, segment);
}

struct open_segment *kernel_segments_begin(struct kernel_segments *segments, uint64_t key, histree_time start)
{
	kernel_segments_abandon(segments, key);
	struct open_segment *segment = open_segments_add(&segments->open, key, start);
	if (segment == NULL)
		kernel_segments_no_memory(segments);
	return segment;
}

struct open_segment *kernel_segments_ending(struct kernel_segments *segments, uint64_t key)
{
	struct open_segment *segment = open_segments_find(&segments->open, key);
	if (segment == NULL)
		segments->counts.without_start++;
	return segment;
}

void kernel_segments_end(struct kernel_segments *segments, struct open_segment *open, histree_time end,
			 histree_time gap_end)
{
	/* Where the clock steps back, time stands still. */
	struct histree_segment segment = {
		.start = open->start,
		.end = end < open->start ? open->start : end,
		.content = open->values,
	};
	if (open->start <= gap_end) {
		segments->counts.without_end++;
		segments->counts.without_start++;
	} else if (segments->status == HISTREE_OK) {
		segments->status = histree_segment_store_add(segments->store, &segment, &segments->error);
	}
	open_segments_remove(&segments->open, open);
}

/* ---- threads and CPUs -------------------------------------------------------------------------------- */

/* The record of an id, like `fresh` if it is new; NULL when memory is out. */
static void *record_of(struct kernel_segments *segments, struct id_map *map, int32_t id, const void *fresh,
		       size_t size)
{
	void *record = id_map_find(map, (uint32_t)id);
	if (record != NULL)
		return record;
	record = arena_allocate(&segments->records, size, alignof(max_align_t));
	if (record == NULL || !id_map_add(map, (uint32_t)id, record)) {
		kernel_segments_no_memory(segments);
		return NULL;
	}
	return memcpy(record, fresh, size);
}

struct segment_thread *kernel_segments_thread(struct kernel_segments *segments, int32_t tid)
{
	/* It may have been there unseen. */
	const struct segment_thread fresh = { .tid = tid, .gap_end = segments->gap_end };
	return record_of(segments, &segments->threads, tid, &fresh, sizeof(fresh));
}

static struct segment_cpu *cpu_of(struct kernel_segments *segments, int32_t number)
{
	if (number < 0)
		return NULL;
	const struct segment_cpu fresh = { .number = number, .gap_end = segments->gap_end_anywhere };
	return record_of(segments, &segments->cpus, number, &fresh, sizeof(fresh));
}

struct histree_value kernel_segments_text(struct kernel_segments *segments, const char *bytes, size_t size)
{
	uint32_t id = intern_add(&segments->texts, bytes, size);
	if (id == INTERN_NONE) {
		kernel_segments_no_memory(segments);
		return histree_null();
	}
	return histree_string_n(intern_get(&segments->texts, id, &size), size);
}

struct histree_value segment_thread_name(const struct segment_thread *thread)
{
	return thread == NULL || thread->name == NULL ? histree_null()
						      : histree_string_n(thread->name, thread->name_size);
}

static struct segment_thread *name_thread(struct kernel_segments *segments, int32_t tid, struct kernel_text name)
{
	struct segment_thread *thread = kernel_segments_thread(segments, tid);
	bool known = thread == NULL || (thread->name != NULL && thread->name_size == name.size &&
					memcmp(thread->name, name.bytes, name.size) == 0);
	if (known)
		return thread;
	uint32_t id = intern_add(&segments->texts, name.bytes, name.size);
	if (id == INTERN_NONE)
		kernel_segments_no_memory(segments);
	else
		thread->name = intern_get(&segments->texts, id, &thread->name_size);
	return thread;
}

/* Nobody is known to run there. */
static void vacate(struct segment_cpu *cpu)
{
	if (cpu->thread != NULL && cpu->thread->cpu == cpu)
		cpu->thread->cpu = NULL;
	cpu->thread = NULL;
}

/* What every kind learns, after its own handler. */
static void learn(struct kernel_segments *segments, enum kernel_role role, const struct kernel_segment_event *event)
{
	const struct kernel_event *kernel = &event->kernel;
	if (role == KERNEL_SWITCH) {
		struct segment_thread *previous = name_thread(segments, kernel->prev_tid, kernel->prev_comm);
		struct segment_thread *next = name_thread(segments, kernel->tid, kernel->comm);
		if (previous == NULL || next == NULL || event->cpu == NULL)
			return;
		if (event->event->time <= segments->gap_end)
			previous->gap_end = segments->gap_end;
		vacate(event->cpu);
		next->cpu = event->cpu;
		event->cpu->thread = next;
	} else if (role == KERNEL_FORK || role == KERNEL_PROCESS_STATE) {
		name_thread(segments, kernel->tid, kernel->comm);
	}
}

/* ---- gaps -------------------------------------------------------------------------------------------- */

static void widen(histree_time *gap_end, histree_time end)
{
	if (end > *gap_end)
		*gap_end = end;
}

static bool is_in_sight(const struct segment_thread *thread, const struct event_gap *gap)
{
	return thread->cpu != NULL && thread->cpu->gap_end < gap->begin;
}

/*
 * A thread that runs where nothing is lost does so in sight, until it leaves that CPU (learn()).  All others may
 * have run where events are lost.
 */
enum histree_status kernel_segments_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct kernel_segments *segments = instance;
	widen(&segments->gap_end, gap->end);
	if (gap->cpu < 0)
		widen(&segments->gap_end_anywhere, gap->end);
	else
		cpu_of(segments, gap->cpu);
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&segments->cpus, &at)) != NULL;) {
		struct segment_cpu *cpu = entry->record;
		if (gap->cpu >= 0 && cpu->number != gap->cpu)
			continue;
		widen(&cpu->gap_end, gap->end);
		vacate(cpu);
	}
	for (size_t at = 0; (entry = id_map_next(&segments->threads, &at)) != NULL;) {
		struct segment_thread *thread = entry->record;
		if (!is_in_sight(thread, gap))
			widen(&thread->gap_end, gap->end);
	}
	return report(segments, error);
}

/*
 * A gap reaches to the end of the packet before which the tracer ran out of room; what is in that packet is whole.
 * So it ends with the next event of its CPU, as for states (kernel_gap.h).
 */
static void settle(struct kernel_segments *segments, struct segment_cpu *cpu, histree_time now)
{
	if (cpu == NULL || now > cpu->gap_end || now <= segments->gap_end_anywhere || now == INT64_MIN)
		return;
	cpu->gap_end = now - 1;
	segments->gap_end = segments->gap_end_anywhere;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&segments->cpus, &at)) != NULL;)
		widen(&segments->gap_end, ((const struct segment_cpu *)entry->record)->gap_end);
	for (size_t at = 0; (entry = id_map_next(&segments->threads, &at)) != NULL;) {
		struct segment_thread *thread = entry->record;
		if (thread->gap_end > segments->gap_end)
			thread->gap_end = segments->gap_end;
	}
}

/* ---- events ------------------------------------------------------------------------------------------ */

/* The thread that the event names, else the one that runs on its CPU. */
static struct segment_thread *thread_of(struct kernel_segments *segments, const struct event *event, uint32_t field,
					const struct segment_cpu *cpu)
{
	int64_t tid;
	if (event_int(event, field, &tid) && tid >= 0)
		return kernel_segments_thread(segments, (int32_t)tid);
	return cpu != NULL ? cpu->thread : NULL;
}

/* NULL when memory is out. */
static const struct segment_binding *binding_of(struct kernel_segments *segments, const struct event_class *class)
{
	const struct segment_binding *known = class_table_find(&segments->bindings, class);
	if (known != NULL)
		return known;
	struct segment_binding binding = { .kernel = kernel_layout_bind(class),
					   .tid = kernel_layout_own_tid(class) };
	for (size_t i = 0; i < KERNEL_EXTRA_FIELDS; i++)
		binding.extra[i] = EVENT_NO_FIELD;
	for (size_t i = 0; segments->kind->extra[i] != NULL; i++)
		binding.extra[i] = event_class_field(class, segments->kind->extra[i]);
	return class_table_add(&segments->bindings, class, &binding, sizeof(binding));
}

/* A system call that has only a number gets its name. */
static void name_call(struct kernel_segments *segments, const struct event_trace *trace, struct kernel_event *event)
{
	const char *name = system_calls_name(&segments->calls, trace, event->number);
	if (name == NULL)
		kernel_segments_no_memory(segments);
	else
		event->name = (struct kernel_text){ name, strlen(name) };
}

static bool teaches(enum kernel_role role)
{
	return role == KERNEL_SWITCH || role == KERNEL_FORK || role == KERNEL_PROCESS_STATE;
}

enum histree_status kernel_segments_event(void *instance, const struct event *event, struct histree_error *error)
{
	struct kernel_segments *segments = instance;
	const struct segment_binding *binding = binding_of(segments, event->class);
	if (binding == NULL)
		return error_memory(error, "classes of events");
	enum kernel_role role = binding->kernel.role;
	struct kernel_segment_event decoded = { .event = event, .extra = binding->extra };
	bool wanted = segments->kind->handlers[role] != NULL;
	if (event->time <= segments->gap_end)
		settle(segments, cpu_of(segments, event->cpu), event->time);
	if ((!wanted && !teaches(role)) || !kernel_event_decode(&binding->kernel, event, &decoded.kernel))
		return HISTREE_OK;
	decoded.cpu = cpu_of(segments, event->cpu);
	decoded.thread = thread_of(segments, event, binding->tid, decoded.cpu);
	if (role == KERNEL_SYSCALL_ENTRY && decoded.kernel.name.bytes == NULL)
		name_call(segments, event->class->trace, &decoded.kernel);
	if (wanted && segments->status == HISTREE_OK)
		segments->kind->handlers[role](segments, &decoded);
	if (segments->status == HISTREE_OK)
		learn(segments, role, &decoded);
	return report(segments, error);
}

struct segment_counts kernel_segments_counts(const void *instance)
{
	const struct kernel_segments *segments = instance;
	struct segment_counts counts = segments->counts;
	counts.without_end += segments->open.count;
	return counts;
}

void kernel_segments_free(void *instance)
{
	struct kernel_segments *segments = instance;
	if (segments == NULL)
		return;
	open_segments_release(&segments->open);
	class_table_release(&segments->bindings);
	id_map_release(&segments->threads);
	id_map_release(&segments->cpus);
	system_calls_release(&segments->calls);
	intern_release(&segments->texts);
	arena_release(&segments->records);
	free(segments);
}
