// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_event.h"

#include <string.h>

/*
 * Since Linux 4.14 the events have one bit of TASK_REPORT (include/linux/sched.h: EXIT_DEAD, EXIT_ZOMBIE,
 * TASK_PARKED, and TASK_REPORT_IDLE of threads of the kernel that sleep without being counted as load), or that of
 * preemption, TASK_REPORT_MAX.  WAKING is in no number, but of a letter that a kernel before that printed
 * (line_shape.h).  A bit above those, alone, is preemption as kernels before had it: a table of events does not say
 * which kernel it was.
 */
static enum kernel_leave leave_since_4_14(int32_t state)
{
	enum { IS_ASLEEP = 0x01 | 0x02 | 0x80, IS_DEAD = 0x10 | 0x20, REPORTED = 0xff };
	enum { WAS_PREEMPTED = 0x100, WAKING = 0x200 };

	if ((state & WAS_PREEMPTED) != 0)
		return LEAVES_RUNNABLE;
	if ((state & IS_DEAD) != 0)
		return LEAVES_FOREVER;
	if ((state & IS_ASLEEP) != 0)
		return LEAVES_ASLEEP;
	if ((state & REPORTED) != 0)
		return LEAVES_STOPPED;
	return (state & WAKING) != 0 ? LEAVES_WOKEN : LEAVES_RUNNABLE;
}

/*
 * Before, they have the state itself: TASK_DEAD is 64, TASK_PARKED 512 (since 3.9), and preemption is one bit above
 * all others, TASK_STATE_MAX, which is 1024 to 4096.  What no state of theirs is, alone, is what it is since 4.14:
 * not all traces say which kernel it was.
 */
static enum kernel_leave leave_before_4_14(int32_t state)
{
	enum { IS_ASLEEP = 0x01 | 0x02, IS_DEAD = 0x10 | 0x20 | 0x40, IS_IDLE = 0x80, STATES = 0x3ff };
	enum { WAS_PREEMPTED = 0x100 };

	if ((state & STATES) == 0 || (state & STATES) == WAS_PREEMPTED)
		return LEAVES_RUNNABLE;
	if ((state & IS_ASLEEP) != 0 || (state & STATES) == IS_IDLE)
		return LEAVES_ASLEEP;
	return (state & IS_DEAD) != 0 ? LEAVES_FOREVER : LEAVES_STOPPED;
}

enum kernel_leave kernel_event_leave(const struct kernel_event *event)
{
	return event->has_new_task_states ? leave_since_4_14(event->prev_state)
					  : leave_before_4_14(event->prev_state);
}

struct kernel_text kernel_event_new_name(const struct kernel_event *event)
{
	enum { NAME_MAX_SIZE = 15 };
	static const char by_number[] = "/dev/fd/"; /* fexecve(): the name is that of a file which nobody says */
	struct kernel_text name = event->comm;
	if (event->role != KERNEL_EXEC)
		return name;
	if (name.size >= sizeof(by_number) - 1 && memcmp(name.bytes, by_number, sizeof(by_number) - 1) == 0)
		return (struct kernel_text){ NULL, 0 };
	for (size_t i = name.size; i > 0; i--)
		if (name.bytes[i - 1] == '/') {
			name = (struct kernel_text){ name.bytes + i, name.size - i };
			break;
		}
	if (name.size > NAME_MAX_SIZE)
		name.size = NAME_MAX_SIZE;
	return name.size > 0 ? name : (struct kernel_text){ NULL, 0 };
}

int32_t kernel_event_wakeup_prio(const struct kernel_event *event)
{
	enum { MAX_RT_PRIO = 100, NICE_MAX = 39 };
	const struct event_trace *trace = event->source->class->trace;
	bool may_be_old = !event->is_perf && trace->tracer_major == 2 && trace->tracer_minor <= 7;
	bool is_old = may_be_old && (trace->tracer_minor < 7 || event->prio > NICE_MAX);
	return is_old ? event->prio - MAX_RT_PRIO : event->prio;
}

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
	out->own_tid = -1; /* the others of its own are not asked for then */
	out->is_perf = binding->is_perf;
	out->has_new_task_states = binding->has_new_task_states;
	out->tid = out->pid = out->parent = out->parent_pid = out->target_cpu = -1;
	out->name = binding->call_name;
	out->event_name = binding->event_name;
	out->letters = (struct kernel_text){ 0 };
}

/* What the event says of the thread in which it happened. */
static void decode_own(const struct kernel_binding *binding, const struct event *event, struct kernel_event *out)
{
	int64_t of;
	struct kernel_text comm;
	out->own_pid = out->own_ppid = -1;
	out->own_comm = (struct kernel_text){ 0 };
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
