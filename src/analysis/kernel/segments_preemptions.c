// SPDX-License-Identifier: MIT
/*
 * Preemptions: from the switch away from a thread that could have run on to the next switch to it.
 *
 * A thread that calls sched_yield() leaves its CPU in the same way, and the events do not tell the two apart.
 */
#include "analysis/kernel/kernel_segments.h"

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

static const struct histree_segment_field fields[PREEMPTION_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },       { "tid", HISTREE_INT },        { "prio", HISTREE_INT },
	{ "cpu", HISTREE_INT },           { "to_cpu", HISTREE_INT },     { "taker", HISTREE_INT },
	{ "taker_name", HISTREE_STRING }, { "taker_prio", HISTREE_INT }, { "turns", HISTREE_LONG },
};

static void on_loss(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = kernel_segments_begin(segments, (uint32_t)event->prev_tid, event->time);
	if (segment == NULL)
		return;
	segment->values[PREEMPTION_TID] = histree_int(event->prev_tid);
	segment->values[PREEMPTION_PRIO] = histree_int(event->prev_prio);
	segment->values[PREEMPTION_TAKER] = histree_int(event->tid);
	segment->values[PREEMPTION_TAKER_NAME] =
		machine_text(segments->machine, event->comm.bytes, event->comm.size);
	segment->values[PREEMPTION_TAKER_PRIO] = histree_int(event->prio);
	if (event->on_cpu == NULL)
		return;
	segment->values[PREEMPTION_CPU] = histree_int(event->on_cpu->number);
	/* Until it ends: the turns that the CPU had before. */
	segment->values[PREEMPTION_TURNS] = histree_long((int64_t)event->on_cpu->turns);
}

/* Unknown where it is in doubt what that CPU ran. */
static void count_turns(struct kernel_segments *segments, struct open_segment *segment)
{
	struct histree_value *turns = &segment->values[PREEMPTION_TURNS];
	if (turns->type != HISTREE_LONG)
		return;
	const struct machine_cpu *lost = machine_cpu(segments->machine, segment->values[PREEMPTION_CPU].int32);
	*turns = lost != NULL && lost->gap_end < segment->start ? histree_long((int64_t)lost->turns - turns->int64)
								: histree_null();
}

static void on_return(struct kernel_segments *segments, const struct kernel_event *event,
		      struct open_segment *segment)
{
	segment->values[PREEMPTION_NAME] = histree_string_n(event->comm.bytes, event->comm.size);
	if (event->on_cpu != NULL)
		segment->values[PREEMPTION_TO_CPU] = histree_int(event->on_cpu->number);
	count_turns(segments, segment);
	kernel_segments_end(segments, segment, event->time, kernel_segments_gap_end(segments, event->tid));
}

/* The idle loop is not preempted, but done. */
static void on_switch(struct kernel_segments *segments, const struct kernel_event *event)
{
	if (event->prev_tid != 0 && kernel_event_leave(event) == LEAVES_RUNNABLE)
		on_loss(segments, event);
	else
		kernel_segments_abandon(segments, (uint32_t)event->prev_tid);
	struct open_segment *segment = open_segments_find(&segments->open, (uint32_t)event->tid);
	if (segment != NULL && event->tid != event->prev_tid)
		on_return(segments, event, segment);
	segments->has_events = true;
}

static const struct kernel_segments_kind preemptions = {
	.needs = "switches: lttng enable-event -k sched_switch, or perf record -e sched:sched_switch",
	.handlers = {
		[KERNEL_SWITCH] = on_switch,
		[KERNEL_FREE] = kernel_segments_on_free,
	},
};

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
{
	return kernel_segments_create(&preemptions, input, store, instance, error);
}

const struct segment_analysis segment_analysis_preemptions = {
	.name = "preemptions",
	.version = 2,
	.summary = "how long threads that could run had lost their CPU, and to whom",
	.fields = fields,
	.field_count = PREEMPTION_FIELD_COUNT,
	.create = create,
	KERNEL_SEGMENTS_FUNCTIONS,
};
