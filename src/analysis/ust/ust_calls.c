// SPDX-License-Identifier: MIT
/*
 * ust_calls.c - two analyses of the functions that programs call (call_stacks.h): `ust-calls`, the call stack of
 * each thread as states, and `function-calls`, a segment for each call.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/ust/call_stacks.h"
#include "base/table.h"
#include "base/error.h"
#include "histree/attributes.h"

/* ---- ust calls ----------------------------------------------------------------------------------------------- */

struct ust_thread {
	histree_quark node, stack, name;
};

struct ust_calls {
	struct changes changes;
	histree_quark group;
	struct call_stacks *stacks; /* borrowed */
	struct ust_thread *threads; /* by the numbers of the threads of the stacks */
	size_t thread_count, thread_capacity;
};

static enum histree_status ust_calls_create(struct histree_state_system *system, void *input, void **instance,
					    struct histree_error *error)
{
	*instance = NULL;
	struct ust_calls *calls = calloc(1, sizeof(*calls));
	if (calls == NULL)
		return error_memory(error, "the analysis of function calls");
	calls->changes.system = system;
	calls->group = NO_ATTRIBUTE;
	calls->stacks = input;
	*instance = calls;
	return HISTREE_OK;
}

/* Returns the attributes of a thread; NULL when memory is out, and the event has failed. */
static struct ust_thread *attributes_of(struct ust_calls *calls, const struct call_thread *thread)
{
	if (!array_reserve(&calls->threads, &calls->thread_capacity, (size_t)thread->number + 1)) {
		changes_fail(&calls->changes, HISTREE_ERR_MEMORY, "no memory for the threads of the trace");
		return NULL;
	}
	while (calls->thread_count <= thread->number)
		calls->threads[calls->thread_count++] =
			(struct ust_thread){ NO_ATTRIBUTE, NO_ATTRIBUTE, NO_ATTRIBUTE };
	return &calls->threads[thread->number];
}

static bool has_stack(const struct ust_calls *calls, const struct call_thread *thread)
{
	return thread->number < calls->thread_count && calls->threads[thread->number].stack != NO_ATTRIBUTE;
}

/* Returns false if the thread cannot have attributes. */
static bool name_thread(struct ust_calls *calls, struct ust_thread *thread, int32_t tid)
{
	if (thread->stack != NO_ATTRIBUTE)
		return true;
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRId32, tid);
	histree_quark parent = changes_child(&calls->changes, &calls->group, HISTREE_ROOT, "Threads", 7);
	changes_child(&calls->changes, &thread->node, parent, name, (size_t)size);
	changes_child(&calls->changes, &thread->stack, thread->node, "CallStack", 9);
	return thread->stack != NO_ATTRIBUTE;
}

static void enter(struct ust_calls *calls, const struct ust_thread *thread, const struct call_thread *stack)
{
	struct changes *changes = &calls->changes;
	if (changes->status != HISTREE_OK)
		return;
	char name[CALL_NAME_SIZE];
	const char *function = call_name(&stack->frames[stack->depth - 1], name);
	changes->status = histree_state_push(changes->system, changes->time, thread->stack,
					     histree_string(function), &changes->error);
}

static void leave(struct ust_calls *calls, const struct ust_thread *thread, size_t count)
{
	struct changes *changes = &calls->changes;
	for (size_t i = 0; i < count && changes->status == HISTREE_OK; i++) {
		enum histree_status status =
			histree_state_pop(changes->system, changes->time, thread->stack, NULL, &changes->error);
		/* An entry that was refused is not there. */
		changes->status = status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
	}
}

static void rename_thread(struct ust_calls *calls, struct ust_thread *thread, const struct call_event *event)
{
	if (event->process == NULL)
		return;
	changes_child(&calls->changes, &thread->name, thread->node, "Name", 4);
	change(&calls->changes, thread->name, histree_string_n(event->process, event->process_size));
}

/* ---- gaps ------------------------------------------------------------------------------------------------- */

/*
 * What a thread was in before the gap is not known any more: its stack begins anew, as at the beginning of a
 * trace.
 */
static void begin_again(struct ust_calls *calls, const struct ust_thread *thread)
{
	struct changes *changes = &calls->changes;
	if (changes->status == HISTREE_OK)
		changes->status =
			histree_state_remove(changes->system, changes->time, thread->stack, &changes->error);
}

/* A thread and all levels of its stack have this value since the event after `known`. */
static void set_stack(struct ust_calls *calls, const struct ust_thread *thread, histree_time known,
		      struct histree_value value)
{
	struct changes *changes = &calls->changes;
	const struct histree_attributes *attributes = histree_state_attributes(changes->system);
	change_after(changes, thread->stack, known, value);
	for (histree_quark level = histree_attributes_first_child(attributes, thread->stack); level != HISTREE_ROOT;
	     level = histree_attributes_next_sibling(attributes, level))
		change_after(changes, level, known, value);
}

static void doubt_thread(struct ust_calls *calls, const struct ust_thread *thread, histree_time last)
{
	calls->changes.time = last;
	set_stack(calls, thread, last, histree_unknown());
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct ust_calls *calls = instance;
	struct call_thread *thread;
	changes_begin(&calls->changes, gap->begin);
	for (size_t at = 0; (thread = call_stacks_next(calls->stacks, &at)) != NULL;) {
		if (has_stack(calls, thread))
			doubt_thread(calls, &calls->threads[thread->number], thread->last);
	}
	return changes_end(&calls->changes, error);
}

/* ---- events ----------------------------------------------------------------------------------------------- */

static void take(struct ust_calls *calls, const struct call_event *event)
{
	changes_begin(&calls->changes, event->thread->last);
	struct ust_thread *thread = attributes_of(calls, event->thread);
	if (thread == NULL || !name_thread(calls, thread, event->thread->tid))
		return;
	rename_thread(calls, thread, event);
	if (event->is_anew)
		begin_again(calls, thread);
	switch (event->outcome) {
	case CALL_IN_GAP:
		doubt_thread(calls, thread, event->thread->last);
		break;
	case CALL_BEGAN:
		enter(calls, thread, event->thread);
		break;
	case CALL_ENDED:
		leave(calls, thread, event->ended);
		break;
	case CALL_OF_NOBODY:
	case CALL_TOO_DEEP:
	case CALL_UNMATCHED:
		break;
	}
}

static enum histree_status ust_calls_on_event(void *instance, const struct event *source,
					      struct histree_error *error)
{
	struct ust_calls *calls = instance;
	const struct call_event *event = &calls->stacks->event;
	(void)source;
	if (event->role == CALL_NONE || event->thread == NULL)
		return HISTREE_OK;
	take(calls, event);
	return changes_end(&calls->changes, error);
}

/* Calls that never returned go on as long as they are known to, not until events of other processes end. */
static enum histree_status end_calls(struct ust_calls *calls, struct histree_error *error)
{
	struct call_thread *thread;
	changes_begin(&calls->changes, calls->stacks->latest);
	for (size_t at = 0; (thread = call_stacks_next(calls->stacks, &at)) != NULL;) {
		const histree_time known = call_stacks_known(thread);
		if (has_stack(calls, thread) && thread->depth > 0 && known < calls->stacks->latest)
			set_stack(calls, &calls->threads[thread->number], known, histree_null());
	}
	return changes_end(&calls->changes, error);
}

/* States stay addresses; what these are called is a label. */
static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct ust_calls *calls = instance;
	*end = INT64_MIN;
	enum histree_status status = end_calls(calls, error);
	return status == HISTREE_OK ? call_stacks_label(calls->stacks, calls->changes.system, error) : status;
}

static uint64_t refused(const void *instance)
{
	const struct ust_calls *calls = instance;
	return calls->changes.refused;
}

static void ust_calls_missing(const void *instance, char *text, size_t size)
{
	const struct ust_calls *calls = instance;
	call_stacks_missing(calls->stacks, text, size);
}

static void free_calls(void *instance)
{
	struct ust_calls *calls = instance;
	if (calls == NULL)
		return;
	free(calls->threads);
	free(calls);
}

const struct analysis analysis_ust_calls = {
	.name = "ust-calls",
	.version = 4,
	.summary = "function calls of instrumented programs (lttng-ust-cyg-profile, uftrace), as a stack a thread",
	.input = &call_stacks_kind,
	.applies = call_stacks_apply,
	.create = ust_calls_create,
	.event = ust_calls_on_event,
	.gap = on_gap,
	.finish = finish,
	.refused = refused,
	.missing = ust_calls_missing,
	.free = free_calls,
};

/* ---- segments function calls --------------------------------------------------------------------------------- */

enum { CALL_NAME, CALL_TID, CALL_PROCESS, CALL_DEPTH, CALL_SELF, CALL_CALLER, CALL_SITE, CALL_FIELD_COUNT };

static const struct histree_segment_field fields[CALL_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "tid", HISTREE_INT },   { "process", HISTREE_STRING },
	{ "depth", HISTREE_INT },   { "self", HISTREE_LONG }, { "caller", HISTREE_STRING },
	{ "site", HISTREE_STRING },
};

struct function_calls {
	struct histree_segment_store *store; /* borrowed */
	struct call_stacks *stacks;          /* borrowed */
	struct segment_counts counts;        /* without calls that are open, and those that gaps made forgotten */
};

static enum histree_status segments_function_calls_create(struct histree_segment_store *store, void *input,
							  void **instance, struct histree_error *error)
{
	struct function_calls *calls = calloc(1, sizeof(*calls));
	*instance = calls;
	if (calls == NULL)
		return error_memory(error, "the analysis of function calls");
	calls->store = store;
	calls->stacks = input;
	return HISTREE_OK;
}

static struct histree_value self_time(const struct call_frame *frame, uint64_t duration)
{
	uint64_t self = duration - frame->inside;
	return frame->is_whole && self <= INT64_MAX ? histree_long((int64_t)self) : histree_null();
}

static enum histree_status add_call(struct function_calls *calls, const struct call_event *event,
				    struct histree_error *error)
{
	const struct call_thread *thread = event->thread;
	const struct call_frame *frame = &thread->frames[thread->depth];
	struct histree_value values[CALL_FIELD_COUNT];
	const struct histree_segment segment = { frame->start, thread->last, values };
	char name_room[CALL_NAME_SIZE], caller_room[CALL_NAME_SIZE];
	const char *name, *site, *caller = NULL;
	enum histree_status status = call_symbol(calls->stacks, thread, frame, &name, name_room, error);
	if (status == HISTREE_OK && thread->depth > 0)
		status = call_symbol(calls->stacks, thread, &frame[-1], &caller, caller_room, error);
	if (status == HISTREE_OK)
		status = call_site(calls->stacks, thread, frame, &site, error);
	if (status != HISTREE_OK)
		return status;
	values[CALL_NAME] = histree_string(name);
	values[CALL_TID] = histree_int(thread->tid);
	values[CALL_PROCESS] =
		event->process == NULL ? histree_null() : histree_string_n(event->process, event->process_size);
	values[CALL_DEPTH] = histree_int((int32_t)thread->depth + 1);
	values[CALL_SELF] = self_time(frame, histree_segment_duration(&segment));
	values[CALL_CALLER] = caller == NULL ? histree_null() : histree_string(caller);
	values[CALL_SITE] = site == NULL ? histree_null() : histree_string(site);
	return histree_segment_store_add(calls->store, &segment, error);
}

static void count_alone(struct segment_counts *counts, enum call_role role)
{
	if (role == CALL_ENTRY)
		counts->without_end++;
	else
		counts->without_start++;
}

static enum histree_status segments_function_calls_on_event(void *instance, const struct event *source,
							    struct histree_error *error)
{
	struct function_calls *calls = instance;
	const struct call_event *event = &calls->stacks->event;
	(void)source;
	if (event->role == CALL_NONE || event->outcome == CALL_BEGAN)
		return HISTREE_OK;
	if (event->outcome != CALL_ENDED) {
		count_alone(&calls->counts, event->role);
		return HISTREE_OK;
	}
	calls->counts.without_end += event->ended - 1;
	return add_call(calls, event, error);
}

static uint64_t count_open(const struct call_stacks *stacks)
{
	uint64_t count = 0;
	const struct call_thread *thread;
	for (size_t at = 0; (thread = call_stacks_next(stacks, &at)) != NULL;)
		count += thread->depth;
	return count;
}

static struct segment_counts counts(const void *instance)
{
	const struct function_calls *calls = instance;
	struct segment_counts all = calls->counts;
	all.without_end += calls->stacks->forgotten + count_open(calls->stacks);
	return all;
}

static bool segments_function_calls_is_empty(const void *instance)
{
	return ((const struct function_calls *)instance)->stacks->entries_and_exits == 0;
}

static void segments_function_calls_missing(const void *instance, char *text, size_t size)
{
	const struct function_calls *calls = instance;
	call_stacks_missing(calls->stacks, text, size);
}

const struct segment_analysis segment_analysis_function_calls = {
	.name = "function-calls",
	.version = 4,
	.summary = "function calls of instrumented programs (lttng-ust-cyg-profile, uftrace), from entry to exit",
	.fields = fields,
	.field_count = CALL_FIELD_COUNT,
	.input = &call_stacks_kind,
	.applies = call_stacks_apply,
	.create = segments_function_calls_create,
	.event = segments_function_calls_on_event,
	.counts = counts,
	.is_empty = segments_function_calls_is_empty,
	.missing = segments_function_calls_missing,
	.free = free,
};
