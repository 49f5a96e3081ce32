// SPDX-License-Identifier: MIT
/*
 * Interrupts and softirqs: a handler at work on a CPU, from its entry to its exit.
 */
#include <string.h>

#include "analysis/kernel/kernel_segments.h"

enum { IRQ_NAME, IRQ_NUMBER, IRQ_CPU, IRQ_FIELD_COUNT };

static const struct histree_segment_field irq_fields[IRQ_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },
	{ "irq", HISTREE_INT },
	{ "cpu", HISTREE_INT },
};

static const struct histree_segment_field softirq_fields[IRQ_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },
	{ "vec", HISTREE_INT },
	{ "cpu", HISTREE_INT },
};

/* Lines and vectors are numbered apart. */
enum { LINE = 0, VECTOR = 1 };

static uint64_t key_of(const struct kernel_event *event, uint64_t numbering)
{
	return numbering << 63 | (uint64_t)(uint32_t)event->on_cpu->number << 32 | (uint32_t)event->number;
}

static void enter(struct kernel_segments *segments, const struct kernel_event *event, uint64_t numbering,
		  struct histree_value name)
{
	struct open_segment *segment = kernel_segments_begin(segments, key_of(event, numbering), event->time);
	if (segment == NULL)
		return;
	segment->values[IRQ_NAME] = name;
	segment->values[IRQ_NUMBER] = histree_int(event->number);
	segment->values[IRQ_CPU] = histree_int(event->on_cpu->number);
}

static void leave(struct kernel_segments *segments, const struct kernel_event *event, uint64_t numbering)
{
	struct open_segment *segment =
		event->on_cpu == NULL ? NULL : kernel_segments_ending(segments, key_of(event, numbering));
	if (segment != NULL)
		kernel_segments_end(segments, segment, event->time, event->on_cpu->gap_end);
}

static void on_line_entry(struct kernel_segments *segments, const struct kernel_event *event)
{
	const struct kernel_text *name = &event->name;
	if (event->on_cpu != NULL)
		enter(segments, event, LINE, machine_text(segments->machine, name->bytes, name->size));
}

static void on_exit_of_handler(struct kernel_segments *segments, const struct kernel_event *event)
{
	leave(segments, event, LINE);
}

/* "x86_irq_vectors_local_timer_entry": the name is what is between. */
static void on_vector_entry(struct kernel_segments *segments, const struct kernel_event *event)
{
	static const char prefix[] = "x86_irq_vectors_", suffix[] = "_entry";
	const struct kernel_text *name = &event->event_name;
	const size_t around = sizeof(prefix) - 1 + sizeof(suffix) - 1;
	if (event->on_cpu != NULL)
		enter(segments, event, VECTOR,
		      machine_text(segments->machine, name->bytes + sizeof(prefix) - 1, name->size - around));
}

static void on_vector_exit(struct kernel_segments *segments, const struct kernel_event *event)
{
	leave(segments, event, VECTOR);
}

static const struct kernel_segments_kind irqs = {
	.needs = "interrupts: lttng enable-event -k 'irq_handler_*', or perf record -e 'irq:*'",
	.handlers = {
		[KERNEL_IRQ_ENTRY] = on_line_entry,
		[KERNEL_IRQ_EXIT] = on_exit_of_handler,
		[KERNEL_VECTOR_ENTRY] = on_vector_entry,
		[KERNEL_VECTOR_EXIT] = on_vector_exit,
	},
};

static enum histree_status create_irqs(struct histree_segment_store *store, void *input, void **instance,
				       struct histree_error *error)
{
	return kernel_segments_create(&irqs, input, store, instance, error);
}

const struct segment_analysis segment_analysis_irqs = {
	.name = "irqs",
	.version = 3,
	.summary = "interrupt handlers, from entry to exit",
	.fields = irq_fields,
	.field_count = IRQ_FIELD_COUNT,
	.create = create_irqs,
	KERNEL_SEGMENTS_FUNCTIONS,
};

/* By number, as <linux/interrupt.h> has them since Linux 2.6.31; 5 was BLOCK_IOPOLL before 4.5. */
struct histree_value kernel_softirq_name(int32_t number)
{
	static const char *const names[] = { "HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };
	bool known = number >= 0 && (size_t)number < sizeof(names) / sizeof(names[0]);
	return known ? histree_string(names[number]) : histree_null();
}

static void on_softirq_entry(struct kernel_segments *segments, const struct kernel_event *event)
{
	if (event->on_cpu != NULL)
		enter(segments, event, LINE, kernel_softirq_name(event->number));
}

static const struct kernel_segments_kind softirqs = {
	.needs = "softirqs: lttng enable-event -k 'irq_softirq_*', or perf record -e 'irq:*'",
	.handlers = {
		[KERNEL_SOFTIRQ_ENTRY] = on_softirq_entry,
		[KERNEL_SOFTIRQ_EXIT] = on_exit_of_handler,
	},
};

static enum histree_status create_softirqs(struct histree_segment_store *store, void *input, void **instance,
					   struct histree_error *error)
{
	return kernel_segments_create(&softirqs, input, store, instance, error);
}

const struct segment_analysis segment_analysis_softirqs = {
	.name = "softirqs",
	.version = 3,
	.summary = "softirqs, from entry to exit",
	.fields = softirq_fields,
	.field_count = IRQ_FIELD_COUNT,
	.create = create_softirqs,
	KERNEL_SEGMENTS_FUNCTIONS,
};
