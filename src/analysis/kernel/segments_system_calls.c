// SPDX-License-Identifier: MIT
/*
 * System calls: of a thread, from the event of its entry to that of its exit; and those of them that are futex,
 * with what makes them contention: that the thread was taken off its CPU while it was in the call.
 *
 * The thread is the one that the event names, else the one that runs on its CPU.  Before a CPU's first switch it is
 * not known: then the call is the CPU's, until the switch says whose it was.  A call that ended before that has no
 * tid.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel/kernel_segments.h"
#include "base/array.h"

enum call_field { CALL_NAME, CALL_TID, CALL_PROCESS, CALL_RETURN, CALL_ARGUMENTS, CALL_FIELD_COUNT };

enum futex_field {
	FUTEX_NAME, /* of the operation */
	FUTEX_TID,
	FUTEX_PROCESS,
	FUTEX_RETURN,
	FUTEX_ADDRESS,
	FUTEX_VALUE,
	FUTEX_BLOCKED,
	FUTEX_FIELD_COUNT,
};

static const struct histree_segment_field call_fields[CALL_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "tid", HISTREE_INT },          { "process", HISTREE_STRING },
	{ "return", HISTREE_LONG }, { "arguments", HISTREE_STRING },
};

static const struct histree_segment_field futex_fields[FUTEX_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },  { "tid", HISTREE_INT },    { "process", HISTREE_STRING },
	{ "return", HISTREE_LONG },  { "uaddr", HISTREE_LONG }, { "val", HISTREE_LONG },
	{ "blocked", HISTREE_BOOL },
};

/* ---- whose a call is --------------------------------------------------------------------------------- */

static uint64_t key_of_thread(int32_t tid)
{
	return (uint32_t)tid;
}

/* What a CPU runs before its first switch. */
static uint64_t key_of_unknown(const struct segment_cpu *cpu)
{
	return UINT64_C(1) << 32 | (uint32_t)cpu->number;
}

static bool key_of(const struct kernel_segment_event *event, uint64_t *key)
{
	if (event->thread != NULL)
		*key = key_of_thread(event->thread->tid);
	else if (event->cpu != NULL)
		*key = key_of_unknown(event->cpu);
	return event->thread != NULL || event->cpu != NULL;
}

/* The first switch of a CPU says who ran there. */
static void adopt(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	if (event->cpu == NULL || event->cpu->thread != NULL)
		return;
	struct open_segment *segment = open_segments_find(&segments->open, key_of_unknown(event->cpu));
	if (segment == NULL)
		return;
	kernel_segments_abandon(segments, key_of_thread(event->kernel.prev_tid));
	if (!open_segments_rename(&segments->open, segment, key_of_thread(event->kernel.prev_tid)))
		kernel_segments_no_memory(segments);
}

/* A thread that is gone leaves no call: exit() has no exit. */
static void on_free(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	kernel_segments_abandon(segments, key_of_thread(event->kernel.tid));
}

/* The members that both kinds have at the same places. */
static void finish(struct kernel_segments *segments, struct open_segment *segment,
		   const struct kernel_segment_event *event)
{
	const struct segment_thread *thread = event->thread;
	int64_t result;
	if (thread != NULL) {
		segment->values[CALL_TID] = histree_int(thread->tid);
		segment->values[CALL_PROCESS] = segment_thread_name(thread);
	}
	if (event_int(event->event, event->extra[0], &result))
		segment->values[CALL_RETURN] = histree_long(result);
	kernel_segments_end(segments, segment, event->event->time,
			    thread != NULL ? thread->gap_end : event->cpu->gap_end);
}

/* ---- all calls --------------------------------------------------------------------------------------- */

/* False when memory is out. */
static bool append(struct open_segment *segment, size_t *used, const char *bytes, size_t size)
{
	if (!array_reserve(&segment->text, &segment->text_capacity, *used + size + 1))
		return false;
	memcpy(segment->text + *used, bytes, size);
	*used += size;
	return true;
}

/* "name = " and the value: a number so large that it can only be an address is in hexadecimal. */
static bool append_argument(struct open_segment *segment, size_t *used, const struct event *event, uint32_t field)
{
	const char *name = event->class->fields[field], *text;
	size_t size;
	int64_t number;
	char digits[32];
	bool quoted = false;
	if (event_int(event, field, &number)) {
		bool address = number > UINT32_MAX || number < INT32_MIN;
		size = (size_t)(address ? snprintf(digits, sizeof(digits), "0x%" PRIX64, (uint64_t)number)
					: snprintf(digits, sizeof(digits), "%" PRId64, number));
		text = digits;
	} else if (event_string(event, field, &text, &size)) {
		quoted = true;
	} else {
		return true;
	}
	return (*used == 0 || append(segment, used, ", ", 2)) && append(segment, used, name, strlen(name)) &&
	       append(segment, used, " = ", 3) && (!quoted || append(segment, used, "\"", 1)) &&
	       append(segment, used, text, size) && (!quoted || append(segment, used, "\"", 1));
}

/* perf puts what it says of itself and of the call's number in front of the arguments. */
static bool is_argument(const struct event_class *class, uint32_t field)
{
	static const char *const others[] = { "perf_", "common_", "__syscall_nr" };
	const char *name = class->fields[field];
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return false;
	return strncmp(class->name, "raw_syscalls:", strlen("raw_syscalls:")) != 0;
}

static void on_entry(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	uint64_t key;
	struct open_segment *segment =
		key_of(event, &key) ? kernel_segments_begin(segments, key, event->event->time) : NULL;
	if (segment == NULL)
		return;
	segment->values[CALL_NAME] = histree_string_n(event->kernel.name.bytes, event->kernel.name.size);
	size_t used = 0;
	for (uint32_t i = 0; i < event->event->class->payload_count; i++)
		if (is_argument(event->event->class, i) && !append_argument(segment, &used, event->event, i))
			kernel_segments_no_memory(segments);
	if (used > 0)
		segment->values[CALL_ARGUMENTS] = histree_string_n(segment->text, used);
}

static void on_exit_of_call(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	uint64_t key;
	struct open_segment *segment = key_of(event, &key) ? kernel_segments_ending(segments, key) : NULL;
	if (segment != NULL)
		finish(segments, segment, event);
}

static const struct kernel_segments_kind all_calls = {
	.handlers = {
		[KERNEL_SYSCALL_ENTRY] = on_entry,
		[KERNEL_SYSCALL_EXIT] = on_exit_of_call,
		[KERNEL_SWITCH] = adopt,
		[KERNEL_FREE] = on_free,
	},
	.extra = { "ret" },
};

static enum histree_status create_all(struct histree_segment_store *store, void **instance,
				      struct histree_error *error)
{
	return kernel_segments_create(&all_calls, store, instance, error);
}

const struct segment_analysis segment_analysis_system_calls = {
	.name = "system-calls",
	.version = 2,
	.summary = "system calls, from entry to exit",
	.fields = call_fields,
	.field_count = CALL_FIELD_COUNT,
	.applies = kernel_segments_applies,
	.create = create_all,
	.event = kernel_segments_event,
	.gap = kernel_segments_gap,
	.counts = kernel_segments_counts,
	.free = kernel_segments_free,
};

/* ---- futex ------------------------------------------------------------------------------------------- */

/* The kernel's futex(2): the low seven bits are the operation, above them are flags. */
static struct histree_value operation_name(struct kernel_segments *segments, int64_t operation)
{
	static const char *const names[] = {
		"wait",           "wake",      "fd",         "requeue",     "cmp_requeue", "wake_op",
		"lock_pi",        "unlock_pi", "trylock_pi", "wait_bitset", "wake_bitset", "wait_requeue_pi",
		"cmp_requeue_pi", "lock_pi2",
	};
	uint64_t number = (uint64_t)operation & 0x7f;
	char unknown[24];
	int size = snprintf(unknown, sizeof(unknown), "op %" PRIu64, number);
	if (number < sizeof(names) / sizeof(names[0]))
		return histree_string(names[number]);
	return kernel_segments_text(segments, unknown, (size_t)size);
}

static void on_futex_entry(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	uint64_t key;
	if (!key_of(event, &key))
		return;
	const struct kernel_text *name = &event->kernel.name;
	if (name->size != 5 || memcmp(name->bytes, "futex", 5) != 0) {
		kernel_segments_abandon(segments, key);
		return;
	}
	struct open_segment *segment = kernel_segments_begin(segments, key, event->event->time);
	if (segment == NULL)
		return;
	int64_t address, operation, value;
	if (event_int(event->event, event->extra[1], &address))
		segment->values[FUTEX_ADDRESS] = histree_long(address);
	if (event_int(event->event, event->extra[2], &operation))
		segment->values[FUTEX_NAME] = operation_name(segments, operation);
	if (event_int(event->event, event->extra[3], &value))
		segment->values[FUTEX_VALUE] = histree_long(value);
	segment->values[FUTEX_BLOCKED] = histree_bool(false);
}

/* The exits of other calls find nothing, and that is right. */
static void on_futex_exit(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	uint64_t key;
	struct open_segment *segment = key_of(event, &key) ? open_segments_find(&segments->open, key) : NULL;
	if (segment != NULL)
		finish(segments, segment, event);
}

/* A thread that is switched out while it could run was preempted, and waits for no lock. */
static void on_futex_switch(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	adopt(segments, event);
	struct open_segment *segment = open_segments_find(&segments->open, key_of_thread(event->kernel.prev_tid));
	if (segment != NULL && event->kernel.prev_state != 0)
		segment->values[FUTEX_BLOCKED] = histree_bool(true);
}

static const struct kernel_segments_kind futex_calls = {
	.handlers = {
		[KERNEL_SYSCALL_ENTRY] = on_futex_entry,
		[KERNEL_SYSCALL_EXIT] = on_futex_exit,
		[KERNEL_SWITCH] = on_futex_switch,
		[KERNEL_FREE] = on_free,
	},
	.extra = { "ret", "uaddr", "op", "val" },
};

static enum histree_status create_futex(struct histree_segment_store *store, void **instance,
					struct histree_error *error)
{
	return kernel_segments_create(&futex_calls, store, instance, error);
}

const struct segment_analysis segment_analysis_futex = {
	.name = "futex",
	.version = 2,
	.summary = "futex calls: who waited for which lock, and whether it blocked",
	.fields = futex_fields,
	.field_count = FUTEX_FIELD_COUNT,
	.applies = kernel_segments_applies,
	.create = create_futex,
	.event = kernel_segments_event,
	.gap = kernel_segments_gap,
	.counts = kernel_segments_counts,
	.free = kernel_segments_free,
};
