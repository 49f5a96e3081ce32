// SPDX-License-Identifier: MIT
/*
 * Function calls that lttng-ust-cyg-profile recorded, as a stack a thread:
 *
 *	Threads/<vtid>/CallStack        depth; below it 1, 2, ...: the address of the function, "0x40472b"
 *	Threads/<vtid>/Name             of the process
 *
 * The thread comes from the context vtid (or tid) of the events; those without say nothing.  An exit takes the
 * innermost call away, whichever it is: where events were lost, only the nesting can be trusted.
 */
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/class_table.h"
#include "analysis/id_map.h"
#include "base/arena.h"
#include "base/error.h"
#include "histree/attributes.h"

enum call_role { CALL_NONE, CALL_ENTRY, CALL_EXIT };

struct call_binding {
	enum call_role role;
	uint32_t tid, address, name; /* fields */
};

struct ust_thread {
	histree_quark node, stack, name;
	histree_time last; /* when something of it changed last */
	bool in_doubt;     /* since a gap */
};

struct ust_calls {
	struct changes changes;
	histree_quark threads;
	struct id_map threads_by_tid; /* struct ust_thread */
	histree_time gap_end;         /* until then any thread may make calls that nobody sees; INT64_MIN: no gap */
	struct arena records;
	struct class_table bindings; /* struct call_binding */
};

static bool applies(const struct event_trace *trace)
{
	return strcmp(trace->domain, "ust") == 0 || strcmp(trace->tracer_name, "lttng-ust") == 0;
}

static enum histree_status create(struct histree_state_system *system, void **instance, struct histree_error *error)
{
	*instance = NULL;
	struct ust_calls *calls = calloc(1, sizeof(*calls));
	if (calls == NULL)
		return error_memory(error, "the analysis of function calls");
	calls->changes.system = system;
	calls->threads = NO_ATTRIBUTE;
	calls->gap_end = INT64_MIN;
	*instance = calls;
	return HISTREE_OK;
}

static struct call_binding bind_class(const struct event_class *class)
{
	static const struct {
		const char *name;
		enum call_role role;
	} rows[] = {
		{ "lttng_ust_cyg_profile:func_entry", CALL_ENTRY },
		{ "lttng_ust_cyg_profile:func_exit", CALL_EXIT },
		{ "lttng_ust_cyg_profile_fast:func_entry", CALL_ENTRY },
		{ "lttng_ust_cyg_profile_fast:func_exit", CALL_EXIT },
	};
	struct call_binding binding = { .role = CALL_NONE };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(class->name, rows[i].name) == 0)
			binding.role = rows[i].role;
	binding.tid = event_class_field(class, "vtid");
	if (binding.tid == EVENT_NO_FIELD)
		binding.tid = event_class_field(class, "tid");
	binding.address = event_class_field(class, "addr");
	binding.name = event_class_field(class, "procname");
	return binding;
}

/* NULL when memory is out. */
static const struct call_binding *binding_of(struct ust_calls *calls, const struct event_class *class)
{
	const struct call_binding *known = class_table_find(&calls->bindings, class);
	if (known != NULL)
		return known;
	struct call_binding binding = bind_class(class);
	return class_table_add(&calls->bindings, class, &binding, sizeof(binding));
}

static struct ust_thread *add_thread(struct ust_calls *calls, int32_t tid)
{
	struct ust_thread *thread = arena_allocate(&calls->records, sizeof(*thread), alignof(struct ust_thread));
	if (thread == NULL || !id_map_add(&calls->threads_by_tid, (uint32_t)tid, thread)) {
		changes_fail(&calls->changes, HISTREE_ERR_MEMORY, "no memory for the threads of the trace");
		return NULL;
	}
	*thread = (struct ust_thread){
		.node = NO_ATTRIBUTE, .stack = NO_ATTRIBUTE, .name = NO_ATTRIBUTE, .last = INT64_MIN
	};
	return thread;
}

/* NULL if there is no memory, or the thread cannot have attributes. */
static struct ust_thread *thread_of(struct ust_calls *calls, int32_t tid)
{
	struct ust_thread *thread = id_map_find(&calls->threads_by_tid, (uint32_t)tid);
	if (thread == NULL)
		thread = add_thread(calls, tid);
	if (thread != NULL && thread->node == NO_ATTRIBUTE) {
		char name[16];
		int size = snprintf(name, sizeof(name), "%" PRId32, tid);
		histree_quark parent = changes_child(&calls->changes, &calls->threads, HISTREE_ROOT, "Threads", 7);
		changes_child(&calls->changes, &thread->node, parent, name, (size_t)size);
	}
	return thread == NULL || thread->node == NO_ATTRIBUTE ? NULL : thread;
}

static void enter(struct ust_calls *calls, const struct ust_thread *thread, int64_t address)
{
	struct changes *changes = &calls->changes;
	if (changes->status != HISTREE_OK)
		return;
	char text[24];
	int size = snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)address);
	changes->status = histree_state_push(changes->system, changes->time, thread->stack,
					     histree_string_n(text, (size_t)size), &changes->error);
}

/* An exit whose entry is not in the trace finds an empty stack: there is nothing to say. */
static void leave(struct ust_calls *calls, const struct ust_thread *thread)
{
	struct changes *changes = &calls->changes;
	if (changes->status != HISTREE_OK)
		return;
	enum histree_status status =
		histree_state_pop(changes->system, changes->time, thread->stack, NULL, &changes->error);
	changes->status = status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

static void rename_thread(struct ust_calls *calls, struct ust_thread *thread, const struct event *event,
			  uint32_t field)
{
	const char *name;
	size_t size;
	if (!event_string(event, field, &name, &size))
		return;
	changes_child(&calls->changes, &thread->name, thread->node, "Name", 4);
	change(&calls->changes, thread->name, histree_string_n(name, size));
}

/* ---- gaps ------------------------------------------------------------------------------------------------- */

/* What a thread was in before the gap nobody knows: its stack begins anew, as at the beginning of a trace. */
static void begin_again(struct ust_calls *calls, struct ust_thread *thread)
{
	struct changes *changes = &calls->changes;
	if (changes->status == HISTREE_OK)
		changes->status =
			histree_state_remove(changes->system, changes->time, thread->stack, &changes->error);
	thread->in_doubt = false;
}

/* Any thread may have run where the events were lost. */
static void doubt_thread(struct ust_calls *calls, struct ust_thread *thread, histree_time begin)
{
	struct changes *changes = &calls->changes;
	const struct histree_attributes *attributes = histree_state_attributes(changes->system);
	if (thread->stack == NO_ATTRIBUTE)
		return;
	changes->time = begin > thread->last ? begin : thread->last;
	thread->last = changes->time;
	thread->in_doubt = true;
	change(changes, thread->stack, histree_unknown());
	for (histree_quark place = histree_attributes_first_child(attributes, thread->stack); place != HISTREE_ROOT;
	     place = histree_attributes_next_sibling(attributes, place))
		change(changes, place, histree_unknown());
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct ust_calls *calls = instance;
	changes_begin(&calls->changes, gap->begin);
	if (gap->end > calls->gap_end)
		calls->gap_end = gap->end;
	for (size_t i = 0; i < calls->threads_by_tid.slot_count; i++)
		if (calls->threads_by_tid.slots[i].record != NULL)
			doubt_thread(calls, calls->threads_by_tid.slots[i].record, gap->begin);
	return changes_end(&calls->changes, error);
}

/* ---- events ----------------------------------------------------------------------------------------------- */

static void handle(struct ust_calls *calls, const struct call_binding *binding, const struct event *event)
{
	int64_t tid, address = 0;
	if (!event_int(event, binding->tid, &tid))
		return;
	/* Only entries need one: exits of the fast variant have none. */
	if (!event_int(event, binding->address, &address) && binding->role == CALL_ENTRY)
		return;
	struct ust_thread *thread = thread_of(calls, (int32_t)tid);
	if (thread == NULL)
		return;
	/* A call must begin before the calls that it makes: where the clock steps back, time stands still. */
	if (calls->changes.time < thread->last)
		calls->changes.time = thread->last;
	thread->last = calls->changes.time;
	changes_child(&calls->changes, &thread->stack, thread->node, "CallStack", 9);
	rename_thread(calls, thread, event, binding->name);
	if (event->time <= calls->gap_end) {
		doubt_thread(calls, thread, event->time);
		return;
	}
	if (thread->in_doubt)
		begin_again(calls, thread);
	if (binding->role == CALL_ENTRY)
		enter(calls, thread, address);
	else
		leave(calls, thread);
}

static enum histree_status on_event(void *instance, const struct event *event, struct histree_error *error)
{
	struct ust_calls *calls = instance;
	const struct call_binding *binding = binding_of(calls, event->class);
	if (binding == NULL)
		return error_memory(error, "classes of events");
	if (binding->role == CALL_NONE)
		return HISTREE_OK;
	changes_begin(&calls->changes, event->time);
	handle(calls, binding, event);
	return changes_end(&calls->changes, error);
}

static uint64_t refused(const void *instance)
{
	const struct ust_calls *calls = instance;
	return calls->changes.refused;
}

static void free_calls(void *instance)
{
	struct ust_calls *calls = instance;
	if (calls == NULL)
		return;
	class_table_release(&calls->bindings);
	id_map_release(&calls->threads_by_tid);
	arena_release(&calls->records);
	free(calls);
}

const struct analysis analysis_ust_calls = {
	.name = "ust-calls",
	.version = 1,
	.summary = "function calls of instrumented programs (lttng-ust-cyg-profile), as a stack a thread",
	.applies = applies,
	.create = create,
	.event = on_event,
	.gap = on_gap,
	.refused = refused,
	.free = free_calls,
};
