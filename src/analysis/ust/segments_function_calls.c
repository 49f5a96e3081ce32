// SPDX-License-Identifier: MIT
/*
 * Calls of functions that lttng-ust-cyg-profile or uftrace recorded, from entry to exit (call_stacks.h).
 *
 * Of the first a function is called by its name, if that was found by the time the call ended (call_symbols.h),
 * else by its address.  Depth 1 is the outermost call that the trace knows of, not main().  The time in a call
 * itself is its duration without the calls that it made; null where one of those is missing, as its exit or entry
 * is lost.  The site is where it was called: the functions that are there by the debugging information, inlined
 * ones too, each with its line.
 */
#include <stdlib.h>

#include "analysis/segment_analysis.h"
#include "analysis/ust/call_stacks.h"
#include "base/error.h"

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

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
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

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
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

static void missing(const void *instance, char *text, size_t size)
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
	.create = create,
	.event = on_event,
	.counts = counts,
	.missing = missing,
	.free = free,
};
