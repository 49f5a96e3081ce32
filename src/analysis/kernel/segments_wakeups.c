// SPDX-License-Identifier: MIT
/*
 * Wake-ups: from the time at which a thread may run (sched_waking, or sched_wakeup where the trace has no other) to
 * the switch that lets it.
 *
 * A thread that runs needs no switch, and one that was preempted is switched to without a wake-up: neither is a
 * segment, nor counted.  Of a thread that ran before the first switch of its CPU, the switch away from it says so
 * too late: what was taken for a wake-up then is alone.
 *
 * But another CPU may wake a thread that is about to sleep after it has left its queue and before the switch is
 * traced (kernel_layout.h): then it can run from that switch on.
 */
#include "analysis/kernel/kernel_segments.h"

enum {
	WAKEUP_NAME,
	WAKEUP_TID,
	WAKEUP_PRIO,
	WAKEUP_CPU,
	WAKEUP_WAKER,
	WAKEUP_HAD_BY, /* who had the CPU until then */
	WAKEUP_HAD_BY_NAME,
	WAKEUP_FIELD_COUNT,
	WAKEUP_STAGE = WAKEUP_FIELD_COUNT /* of an open one: enum wakeup_stage */
};

_Static_assert((int)WAKEUP_STAGE < (int)OPEN_SEGMENT_VALUES, "an open segment has its stage behind its fields");

enum wakeup_stage {
	BY_WAKEUP,
	BY_WAKING,
	BY_WAKING_WHILE_IT_RAN, /* no segment, unless it is leaving */
	BY_WAKING_AS_IT_LEFT,   /* another sched_waking denies it: who is being woken is not woken again */
};

static const struct histree_segment_field fields[WAKEUP_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },        { "tid", HISTREE_INT },
	{ "prio", HISTREE_INT },           { "cpu", HISTREE_INT },
	{ "waker", HISTREE_INT },          { "had_by", HISTREE_INT },
	{ "had_by_name", HISTREE_STRING },
};

static enum wakeup_stage stage_of(const struct open_segment *segment)
{
	return (enum wakeup_stage)segment->values[WAKEUP_STAGE].int32;
}

static void begin(struct kernel_segments *segments, const struct kernel_event *event, enum wakeup_stage stage)
{
	struct open_segment *segment = kernel_segments_begin(segments, (uint32_t)event->tid, event->time);
	if (segment == NULL)
		return;
	segment->values[WAKEUP_TID] = histree_int(event->tid);
	segment->values[WAKEUP_PRIO] = histree_int(kernel_event_wakeup_prio(event));
	segment->values[WAKEUP_STAGE] = histree_int(stage);
	if (event->in_thread != NULL)
		segment->values[WAKEUP_WAKER] = histree_int(event->in_thread->tid);
}

/* A thread that is woken up runs: it never slept, and what seemed to wake it as it left did not. */
static void on_wakeup(struct kernel_segments *segments, const struct kernel_event *event)
{
	const struct machine_thread *thread = machine_thread(segments->machine, event->tid);
	struct open_segment *segment = open_segments_find(&segments->open, (uint32_t)event->tid);
	if (thread == NULL)
		return;
	if (thread->cpu == NULL && segment == NULL)
		begin(segments, event, BY_WAKEUP);
	else if (thread->cpu != NULL && segment != NULL && stage_of(segment) == BY_WAKING_WHILE_IT_RAN)
		open_segments_remove(&segments->open, segment);
}

static void on_waking(struct kernel_segments *segments, const struct kernel_event *event)
{
	const struct machine_thread *thread = machine_thread(segments->machine, event->tid);
	struct open_segment *segment = open_segments_find(&segments->open, (uint32_t)event->tid);
	if (thread == NULL)
		return;
	bool runs = thread->cpu != NULL;
	if (segment != NULL && (runs || stage_of(segment) == BY_WAKING_AS_IT_LEFT)) {
		open_segments_remove(&segments->open, segment);
		segment = NULL;
	}
	if (segment == NULL && (!runs || thread->cpu != event->on_cpu))
		begin(segments, event, runs ? BY_WAKING_WHILE_IT_RAN : BY_WAKING);
}

/* The thread leaves its CPU: was it being woken as it did? */
static void on_leave(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = open_segments_find(&segments->open, (uint32_t)event->prev_tid);
	if (segment == NULL)
		return;
	enum wakeup_stage stage = stage_of(segment);
	bool by_waking = stage == BY_WAKING || stage == BY_WAKING_WHILE_IT_RAN;
	if (by_waking && kernel_event_is_woken_leaving(event, segment->start)) {
		segment->start = event->time;
		segment->values[WAKEUP_STAGE] = histree_int(BY_WAKING_AS_IT_LEFT);
	} else if (stage == BY_WAKING_WHILE_IT_RAN) {
		open_segments_remove(&segments->open, segment);
	} else {
		kernel_segments_abandon(segments, (uint32_t)event->prev_tid);
	}
}

static void on_switch(struct kernel_segments *segments, const struct kernel_event *event)
{
	on_leave(segments, event);
	struct open_segment *segment = open_segments_find(&segments->open, (uint32_t)event->tid);
	if (segment == NULL)
		return;
	segment->values[WAKEUP_NAME] = histree_string_n(event->comm.bytes, event->comm.size);
	if (event->on_cpu != NULL)
		segment->values[WAKEUP_CPU] = histree_int(event->on_cpu->number);
	segment->values[WAKEUP_HAD_BY] = histree_int(event->prev_tid);
	segment->values[WAKEUP_HAD_BY_NAME] = histree_string_n(event->prev_comm.bytes, event->prev_comm.size);
	kernel_segments_end(segments, segment, event->time, kernel_segments_gap_end(segments, event->tid));
}

static const struct kernel_segments_kind wakeups = {
	.needs = "wake-ups: lttng enable-event -k 'sched_*', or perf record -e 'sched:*'",
	.handlers = {
		[KERNEL_WAKEUP] = on_wakeup,
		[KERNEL_WAKING] = on_waking,
		[KERNEL_SWITCH] = on_switch,
		[KERNEL_FREE] = kernel_segments_on_free,
	},
};

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
{
	return kernel_segments_create(&wakeups, input, store, instance, error);
}

const struct segment_analysis segment_analysis_wakeups = {
	.name = "wakeups",
	.version = 5,
	.summary = "how long woken threads waited for a CPU",
	.fields = fields,
	.field_count = WAKEUP_FIELD_COUNT,
	.create = create,
	KERNEL_SEGMENTS_FUNCTIONS,
};
