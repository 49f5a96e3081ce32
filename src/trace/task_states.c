// SPDX-License-Identifier: MIT
/*
 * task_states.c - how the kernel of a trace wrote the states of threads that leave a CPU.
 */
#include "trace/task_states.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "event/event.h"
#include "trace/trace_source.h"

enum { NUMBER_OF_IDLE = 8, IDLE = 0x80, WAS_PREEMPTED = 0x100 };

static bool is_switch(const char *name)
{
	static const char suffix[] = "sched_switch";
	const size_t length = strlen(name);
	return length >= sizeof(suffix) - 1 && strcmp(name + length - (sizeof(suffix) - 1), suffix) == 0;
}

/* Threads of the kernel that sleep as TASK_REPORT_IDLE. */
static bool is_idler(const struct event *event)
{
	static const char *const idlers[] = { "kworker/", "rcu_" };
	const char *comm;
	size_t size;
	if (!event_string(event, event_class_field(event->class, "prev_comm"), &comm, &size))
		return false;
	for (size_t i = 0; i < sizeof(idlers) / sizeof(idlers[0]); i++)
		if (size >= strlen(idlers[i]) && memcmp(comm, idlers[i], strlen(idlers[i])) == 0)
			return true;
	return false;
}

/* ---- states as they were meant ------------------------------------------------------------------------------- */

static bool get_as_written(const struct event *event, uint32_t field, int64_t *out, bool *is_state)
{
	const struct event_class *class = event->class;
	if (!class->trace->get_int_as_written(event, field, out))
		return false;
	*is_state = strcmp(class->fields[field], "prev_state") == 0 && is_switch(class->name);
	return true;
}

/*
 * One bit too high, TASK_REPORT_IDLE is the same number as preemption.  Threads of the kernel that idle so leave by
 * it much more often than they are preempted.  libtraceevent prints it as R.
 */
static bool get_one_bit_lower(const struct event *event, uint32_t field, int64_t *out)
{
	enum { STATES = 0xff };
	bool is_state;
	if (!get_as_written(event, field, out, &is_state))
		return false;
	if (is_state)
		*out = (*out & STATES) != 0 ? (*out & STATES) >> 1 : is_idler(event) ? IDLE : WAS_PREEMPTED;
	return true;
}

static bool get_bit_of_number(const struct event *event, uint32_t field, int64_t *out)
{
	bool is_state;
	if (!get_as_written(event, field, out, &is_state))
		return false;
	if (is_state && *out > NUMBER_OF_IDLE)
		*out = WAS_PREEMPTED;
	else if (is_state && *out > 0)
		*out = INT64_C(1) << (*out - 1);
	return true;
}

void task_states_decide(struct event_trace *trace, struct task_state_signs signs)
{
	const bool is_shifted =
		signs.idle_is_asleep && !signs.has_runnable && signs.idles_behind[1] > signs.idles_behind[0];
	const bool is_number = signs.has_number && signs.has_runnable && !signs.has_bit;
	if (!is_shifted && !is_number)
		return;
	trace->get_int_as_written = trace->get_int;
	trace->get_int = is_shifted ? get_one_bit_lower : get_bit_of_number;
	trace->has_new_task_states = true;
}

/* ---- signs --------------------------------------------------------------------------------------------------- */

/* The fields of the last class of a switch that was met. */
struct switch_fields {
	const struct event_class *class;
	uint32_t previous, state, next;
};

static uint32_t either(const struct event_class *class, const char *first, const char *second)
{
	const uint32_t field = event_class_field(class, first);
	return field != EVENT_NO_FIELD ? field : event_class_field(class, second);
}

static void see_event(struct task_state_signs *signs, struct switch_fields *fields, const struct event *event)
{
	int64_t previous, state, next;
	if (event->gap != NULL || (event->class != fields->class && !is_switch(event->class->name)))
		return;
	if (event->class != fields->class)
		*fields = (struct switch_fields){ event->class, either(event->class, "prev_tid", "prev_pid"),
						  event_class_field(event->class, "prev_state"),
						  either(event->class, "next_tid", "next_pid") };
	if (!event_int(event, fields->previous, &previous) || !event_int(event, fields->state, &state) ||
	    !event_int(event, fields->next, &next))
		return;
	task_state_signs_see(signs, previous, state, next);
	/* A worker is never traced. */
	signs->has_number |= state == NUMBER_OF_IDLE && is_idler(event);
}

/* 4.14 to 4.20, or not known. */
static bool may_be_otherwise(const char *release)
{
	unsigned major, minor;
	return sscanf(release, "%3u.%3u", &major, &minor) != 2 || (major == 4 && minor >= 14 && minor <= 20);
}

/* Whatever else the trace has. */
static bool are_as_meant(const struct task_state_signs *signs)
{
	return signs->has_runnable && signs->has_bit;
}

static enum histree_status see_stream(struct trace_stream *stream, struct task_state_signs *signs,
				      struct histree_error *error)
{
	enum { EVENTS_MAX = 20000 };
	struct switch_fields fields = { 0 };
	enum histree_status status = stream->kind->skip != NULL ? stream->kind->skip(stream, 0, error)
								: stream->kind->next(stream, error);
	for (size_t i = 0; i < EVENTS_MAX && status == HISTREE_OK && stream->has_upcoming; i++) {
		see_event(signs, &fields, &stream->upcoming);
		if (are_as_meant(signs))
			break;
		status = stream->kind->next(stream, error);
	}
	return status;
}

enum histree_status task_states_look(struct trace_source *source, struct histree_error *error)
{
	if (!source->kind->has_states_as_written || source->is_copy || !may_be_otherwise(source->facts.kernel) ||
	    strcmp(source->trace.domain, "ust") == 0 ||
	    (source->kind->declares != NULL && !source->kind->declares(source, is_switch)))
		return HISTREE_OK;
	struct trace_notes notes = { 0 };
	struct trace_services services = { 0 };
	struct task_state_signs signs = { 0 };
	uint32_t class_count = 0;
	struct trace_source *apart = trace_source_create(source->kind, source->path);
	if (apart == NULL)
		return error_memory(error, "the traces");
	apart->io = source->io;
	apart->notes = &notes;
	apart->class_count = &class_count;
	apart->services = &services;
	const struct trace_opening opening = { .window_size = 64 << 10, .is_alone = true };
	enum histree_status status = apart->kind->scan(apart, error);
	if (status == HISTREE_OK)
		status = apart->kind->open(apart, &opening, error);
	for (size_t i = 0; status == HISTREE_OK && i < apart->stream_count && !are_as_meant(&signs); i++) {
		status = see_stream(apart->streams[i], &signs, error);
		status = status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
	}
	trace_source_free(apart);
	trace_notes_release(&notes);
	task_states_decide(&source->trace, signs);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}
