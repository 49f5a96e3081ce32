// SPDX-License-Identifier: MIT
/*
 * Function calls that lttng-ust-cyg-profile recorded, as a stack a thread:
 *
 *	Threads/<vtid>/CallStack        depth; below it 1, 2, ...: the address of the function, "0x40472b"
 *	Threads/<vtid>/Name             of the process
 *
 * Which call an exit ends, call_stacks.h says.  Trace Compass takes the innermost one away, whichever it is: after
 * an exit that was never recorded, such as of what longjmp() leaves, its stacks stay one too deep to the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/ust/call_stacks.h"
#include "base/error.h"
#include "histree/attributes.h"

struct ust_thread {
	struct call_thread calls;
	bool is_known; /* what follows is set */
	histree_quark node, stack, name;
};

struct ust_calls {
	struct changes changes;
	histree_quark threads;
	struct call_stacks stacks; /* struct ust_thread */
};

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	(void)input;
	*instance = NULL;
	struct ust_calls *calls = calloc(1, sizeof(*calls));
	if (calls == NULL)
		return error_memory(error, "the analysis of function calls");
	calls->changes.system = system;
	calls->threads = NO_ATTRIBUTE;
	call_stacks_init(&calls->stacks, sizeof(struct ust_thread));
	*instance = calls;
	return HISTREE_OK;
}

/* False if the thread cannot have attributes. */
static bool name_thread(struct ust_calls *calls, struct ust_thread *thread)
{
	if (!thread->is_known) {
		thread->node = thread->stack = thread->name = NO_ATTRIBUTE;
		thread->is_known = true;
	}
	if (thread->stack != NO_ATTRIBUTE)
		return true;
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRId32, thread->calls.tid);
	histree_quark parent = changes_child(&calls->changes, &calls->threads, HISTREE_ROOT, "Threads", 7);
	changes_child(&calls->changes, &thread->node, parent, name, (size_t)size);
	changes_child(&calls->changes, &thread->stack, thread->node, "CallStack", 9);
	return thread->stack != NO_ATTRIBUTE;
}

static void enter(struct ust_calls *calls, const struct ust_thread *thread)
{
	struct changes *changes = &calls->changes;
	if (changes->status != HISTREE_OK)
		return;
	char name[CALL_NAME_SIZE];
	size_t size = call_name(thread->calls.frames[thread->calls.depth - 1].address, name);
	changes->status = histree_state_push(changes->system, changes->time, thread->stack,
					     histree_string_n(name, size), &changes->error);
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

static void rename_thread(struct ust_calls *calls, struct ust_thread *thread, const struct call_step *step)
{
	if (step->process == NULL)
		return;
	changes_child(&calls->changes, &thread->name, thread->node, "Name", 4);
	change(&calls->changes, thread->name, histree_string_n(step->process, step->process_size));
}

/* ---- gaps ------------------------------------------------------------------------------------------------- */

/* What a thread was in before the gap nobody knows: its stack begins anew, as at the beginning of a trace. */
static void begin_again(struct ust_calls *calls, const struct ust_thread *thread)
{
	struct changes *changes = &calls->changes;
	if (changes->status == HISTREE_OK)
		changes->status =
			histree_state_remove(changes->system, changes->time, thread->stack, &changes->error);
}

static void doubt_thread(struct ust_calls *calls, const struct ust_thread *thread)
{
	struct changes *changes = &calls->changes;
	const struct histree_attributes *attributes = histree_state_attributes(changes->system);
	changes->time = thread->calls.last;
	change(changes, thread->stack, histree_unknown());
	for (histree_quark place = histree_attributes_first_child(attributes, thread->stack); place != HISTREE_ROOT;
	     place = histree_attributes_next_sibling(attributes, place))
		change(changes, place, histree_unknown());
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct ust_calls *calls = instance;
	struct call_thread *thread;
	changes_begin(&calls->changes, gap->begin);
	call_stacks_lose(&calls->stacks, gap);
	for (size_t place = 0; (thread = call_stacks_next(&calls->stacks, &place)) != NULL;) {
		const struct ust_thread *known = (const struct ust_thread *)thread;
		if (known->is_known && known->stack != NO_ATTRIBUTE)
			doubt_thread(calls, known);
	}
	return changes_end(&calls->changes, error);
}

/* ---- events ----------------------------------------------------------------------------------------------- */

static void take(struct ust_calls *calls, const struct call_step *step)
{
	struct ust_thread *thread = (struct ust_thread *)step->thread;
	changes_begin(&calls->changes, thread->calls.last);
	if (!name_thread(calls, thread))
		return;
	rename_thread(calls, thread, step);
	if (step->is_anew)
		begin_again(calls, thread);
	switch (step->outcome) {
	case CALL_IN_GAP:
		doubt_thread(calls, thread);
		break;
	case CALL_BEGAN:
		enter(calls, thread);
		break;
	case CALL_ENDED:
		leave(calls, thread, step->ended);
		break;
	case CALL_OF_NOBODY:
	case CALL_TOO_DEEP:
	case CALL_UNMATCHED:
		break;
	}
}

static enum histree_status on_event(void *instance, const struct event *event, struct histree_error *error)
{
	struct ust_calls *calls = instance;
	struct call_step step;
	if (!call_stacks_follow(&calls->stacks, event, &step))
		return error_memory(error, "the calls of the trace");
	if (step.role == CALL_NONE || step.thread == NULL)
		return HISTREE_OK;
	take(calls, &step);
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
	call_stacks_release(&calls->stacks);
	free(calls);
}

const struct analysis analysis_ust_calls = {
	.name = "ust-calls",
	.version = 2,
	.summary = "function calls of instrumented programs (lttng-ust-cyg-profile), as a stack a thread",
	.applies = call_stacks_apply,
	.create = create,
	.event = on_event,
	.gap = on_gap,
	.refused = refused,
	.free = free_calls,
};
