// SPDX-License-Identifier: MIT
/*
 * segments_waits.c - waits of threads for a CPU, and who had it meanwhile.
 *
 * A thread waits after a wake-up, from when it can run to when it runs, or after a preemption, from the switch
 * away from it to the next switch to it.  One that calls sched_yield() leaves its CPU like a preempted one: events
 * do not distinguish the two.
 */
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_segments.h"
#include "histree/value.h"

/* ---- wakeups ------------------------------------------------------------------------------------------------- */

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

_Static_assert((int)WAKEUP_STAGE < (int)OPEN_SEGMENT_VALUES,
	       "an open segment has its stage behind its wakeup_fields");

enum wakeup_stage {
	BY_WAKEUP,
	BY_WAKING,
	BY_WAKING_WHILE_IT_RAN, /* no segment, unless it is leaving */
	BY_WAKING_AS_IT_LEFT,
};

static const struct histree_segment_field wakeup_fields[WAKEUP_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },        { "tid", HISTREE_INT },
	{ "prio", HISTREE_INT },           { "cpu", HISTREE_INT },
	{ "waker", HISTREE_INT },          { "had_by", HISTREE_INT },
	{ "had_by_name", HISTREE_STRING },
};

static enum wakeup_stage stage_of(const struct open_segment *segment)
{
	return (enum wakeup_stage)segment->values[WAKEUP_STAGE].int32;
}

static void wakeup_begin(struct kernel_segments *segments, const struct kernel_event *event,
			 enum wakeup_stage stage)
{
	struct open_segment *segment = kernel_segments_begin(segments, event->thread->place, event->time);
	if (segment == NULL)
		return;
	segment->values[WAKEUP_TID] = histree_int(event->tid);
	segment->values[WAKEUP_PRIO] = histree_int(kernel_event_wakeup_prio(event));
	segment->values[WAKEUP_STAGE] = histree_int(stage);
	const struct machine_thread *waker = kernel_event_waker(event);
	if (waker != NULL)
		segment->values[WAKEUP_WAKER] = histree_int(waker->tid);
}

/* A thread that is woken up runs: it never slept, and what seemed to wake it as it left did not. */
static void on_wakeup(struct kernel_segments *segments, const struct kernel_event *event)
{
	const struct machine_thread *thread = event->thread;
	struct open_segment *segment = open_segments_find(&segments->open, thread->place);
	if (thread->cpu == NULL && segment == NULL)
		wakeup_begin(segments, event, BY_WAKEUP);
	else if (thread->cpu != NULL && segment != NULL && stage_of(segment) == BY_WAKING_WHILE_IT_RAN)
		open_segments_remove(&segments->open, segment);
}

/*
 * Another sched_waking denies the one before, as who is being woken is not woken again: the thread ran meanwhile,
 * which was lost.
 */
static void on_waking(struct kernel_segments *segments, const struct kernel_event *event)
{
	const struct machine_thread *thread = event->thread;
	struct open_segment *segment = open_segments_find(&segments->open, thread->place);
	bool runs = thread->cpu != NULL;
	if (segment != NULL && (runs || stage_of(segment) != BY_WAKEUP)) {
		open_segments_remove(&segments->open, segment);
		segment = NULL;
	}
	if (segment == NULL && (!runs || thread->cpu != event->on_cpu))
		wakeup_begin(segments, event, runs ? BY_WAKING_WHILE_IT_RAN : BY_WAKING);
}

/* The thread leaves its CPU: was it being woken as it did? */
static void on_leave(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = open_segments_find(&segments->open, event->previous->place);
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
		kernel_segments_abandon(segments, event->previous->place);
	}
}

static struct histree_value name_of(struct kernel_text said, const struct machine_thread *thread)
{
	const struct kernel_text name = machine_name_at_switch(said, thread);
	return name.bytes != NULL ? histree_string_n(name.bytes, name.size) : histree_null();
}

static struct histree_value prio_of(int32_t said)
{
	return said != KERNEL_NO_PRIO ? histree_int(said) : histree_null();
}

static void wakeups_on_switch(struct kernel_segments *segments, const struct kernel_event *event)
{
	on_leave(segments, event);
	struct open_segment *segment = open_segments_find(&segments->open, event->thread->place);
	if (segment == NULL)
		return;
	segment->values[WAKEUP_NAME] = name_of(event->comm, event->thread);
	if (event->on_cpu != NULL)
		segment->values[WAKEUP_CPU] = histree_int(event->on_cpu->number);
	segment->values[WAKEUP_HAD_BY] = histree_int(event->prev_tid);
	segment->values[WAKEUP_HAD_BY_NAME] = name_of(event->prev_comm, event->previous);
	kernel_segments_end(segments, segment, event->time, kernel_segments_gap_end(segments, event->thread));
}

static const struct kernel_segments_kind wakeups = {
	.is_of_threads = true,
	.needs = "wake-ups: lttng enable-event -k 'sched_*', or perf record -e 'sched:*'",
	.handlers = {
		[KERNEL_WAKEUP] = on_wakeup,
		[KERNEL_WAKING] = on_waking,
		[KERNEL_SWITCH] = wakeups_on_switch,
		[KERNEL_FREE] = kernel_segments_on_free,
	},
};

const struct segment_analysis segment_analysis_wakeups = {
	.name = "wakeups",
	.version = 7,
	.summary = "how long woken threads waited for a CPU",
	.fields = wakeup_fields,
	.field_count = WAKEUP_FIELD_COUNT,
	.kind = &wakeups,
	KERNEL_SEGMENTS_FUNCTIONS,
};

/* ---- preemptions --------------------------------------------------------------------------------------------- */

enum {
	PREEMPTION_NAME,
	PREEMPTION_TID,
	PREEMPTION_PRIO,
	PREEMPTION_CPU,
	PREEMPTION_TO_CPU,
	PREEMPTION_TAKER,
	PREEMPTION_TAKER_NAME,
	PREEMPTION_TAKER_PRIO,
	PREEMPTION_TURNS,
	PREEMPTION_FIELD_COUNT
};

static const struct histree_segment_field preemption_fields[PREEMPTION_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },       { "tid", HISTREE_INT },        { "prio", HISTREE_INT },
	{ "cpu", HISTREE_INT },           { "to_cpu", HISTREE_INT },     { "taker", HISTREE_INT },
	{ "taker_name", HISTREE_STRING }, { "taker_prio", HISTREE_INT }, { "turns", HISTREE_LONG },
};

static void on_loss(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = kernel_segments_begin(segments, event->previous->place, event->time);
	if (segment == NULL)
		return;
	segment->values[PREEMPTION_TID] = histree_int(event->prev_tid);
	segment->values[PREEMPTION_PRIO] = prio_of(event->prev_prio);
	segment->values[PREEMPTION_TAKER] = histree_int(event->tid);
	if (event->comm.bytes != NULL)
		segment->values[PREEMPTION_TAKER_NAME] =
			machine_text(segments->machine, event->comm.bytes, event->comm.size);
	else
		segment->values[PREEMPTION_TAKER_NAME] = machine_thread_name(event->thread);
	segment->values[PREEMPTION_TAKER_PRIO] = prio_of(event->prio);
	if (event->on_cpu == NULL)
		return;
	segment->values[PREEMPTION_CPU] = histree_int(event->on_cpu->number);
	/* Until it ends: the turns that the CPU had before. */
	segment->values[PREEMPTION_TURNS] = histree_long((int64_t)event->on_cpu->turns);
}

/* The idle loop is not preempted, but done. */
static void preemptions_on_switch(struct kernel_segments *segments, const struct kernel_event *event)
{
	if (event->prev_tid != 0 && kernel_event_leave(event) == LEAVES_RUNNABLE)
		on_loss(segments, event);
	else
		kernel_segments_abandon(segments, event->previous->place);
	struct open_segment *segment = open_segments_find(&segments->open, event->thread->place);
	if (segment != NULL && event->tid != event->prev_tid) {
		segment->values[PREEMPTION_NAME] = name_of(event->comm, event->thread);
		if (event->on_cpu != NULL)
			segment->values[PREEMPTION_TO_CPU] = histree_int(event->on_cpu->number);
		/* Unknown where it is in doubt what that CPU ran. */
		struct histree_value *turns = &segment->values[PREEMPTION_TURNS];
		if (turns->type == HISTREE_LONG) {
			const struct machine_cpu *lost =
				machine_cpu(segments->machine, segment->values[PREEMPTION_CPU].int32);
			*turns = lost != NULL && lost->gap_end < segment->start
					 ? histree_long((int64_t)lost->turns - turns->int64)
					 : histree_null();
		}
		kernel_segments_end(segments, segment, event->time,
				    kernel_segments_gap_end(segments, event->thread));
	}
	segments->has_events = true;
}

static const struct kernel_segments_kind preemptions = {
	.is_of_threads = true,
	.needs = "switches: lttng enable-event -k sched_switch, or perf record -e sched:sched_switch",
	.handlers = {
		[KERNEL_SWITCH] = preemptions_on_switch,
		[KERNEL_FREE] = kernel_segments_on_free,
	},
};

const struct segment_analysis segment_analysis_preemptions = {
	.name = "preemptions",
	.version = 2,
	.summary = "how long preempted threads waited for a CPU, and who had it",
	.fields = preemption_fields,
	.field_count = PREEMPTION_FIELD_COUNT,
	.kind = &preemptions,
	KERNEL_SEGMENTS_FUNCTIONS,
};
