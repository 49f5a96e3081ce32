// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_event.h"

#include <string.h>

static bool decode_field(const struct kernel_bound_field *bound, const struct event *event, char *member)
{
	if (bound->kind == KERNEL_TEXT) {
		struct kernel_text text;
		if (!event_string(event, bound->field, &text.bytes, &text.size))
			return false;
		memcpy(member, &text, sizeof(text));
		return true;
	}
	int64_t number;
	if (!event_int(event, bound->field, &number))
		return false;
	/* The kernel's numbers fit into 32 bits; of others the low ones count, as in Trace Compass. */
	int32_t number32 = (int32_t)number;
	if (bound->kind == KERNEL_INT32)
		memcpy(member, &number32, sizeof(number32));
	else
		memcpy(member, &number, sizeof(number));
	return true;
}

/* What an event has without its fields; members that are not of its role keep what they were. */
static void begin_event(struct kernel_event *out, const struct kernel_binding *binding, const struct event *event)
{
	out->source = event;
	out->time = event->time;
	out->role = binding->role;
	out->has = 0;
	out->cpu = event->cpu;
	out->own_tid = out->own_pid = out->own_ppid = -1;
	out->own_comm = (struct kernel_text){ 0 };
	out->is_perf = binding->is_perf;
	out->has_new_task_states = binding->has_new_task_states;
	out->pid = out->parent = out->parent_pid = out->target_cpu = -1;
	out->name = binding->call_name;
	out->event_name = binding->event_name;
	out->letters = (struct kernel_text){ 0 };
}

/* What the event says of the thread in which it happened. */
static void decode_own(const struct kernel_binding *binding, const struct event *event, struct kernel_event *out)
{
	int64_t of;
	struct kernel_text comm;
	if (!event_int(event, binding->own_tid, &out->own_tid) || out->own_tid <= 0)
		return;
	if (event_int(event, binding->own_pid_of, &of) ? of == out->own_tid : binding->own_pid_of == EVENT_NO_FIELD)
		event_int(event, binding->own_pid, &out->own_pid);
	event_int(event, binding->own_ppid, &out->own_ppid);
	if (event_string(event, binding->own_comm, &comm.bytes, &comm.size))
		out->own_comm = comm;
}

bool kernel_event_decode(const struct kernel_binding *binding, const struct event *event, struct kernel_event *out)
{
	begin_event(out, binding, event);
	if (binding->own_tid != EVENT_NO_FIELD)
		decode_own(binding, event, out);
	for (uint32_t i = 0; i < binding->field_count; i++) {
		const struct kernel_bound_field *bound = &binding->fields[i];
		if (decode_field(bound, event, (char *)out + bound->member))
			out->has |= bound->presence;
		else if (bound->presence == 0)
			return false;
	}
	return true;
}
