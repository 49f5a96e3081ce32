// SPDX-License-Identifier: MIT
/*
 * segments_system_calls.c - the arguments of a system call as text
 */
#include "analysis/kernel/segments_system_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_segments.h"
#include "base/hash_index.h"
#include "base/number_text.h"
#include "base/table.h"

/* ---- call arguments ------------------------------------------------------------------------------------------ */

struct argument {
	uint32_t field;
	uint32_t size;    /* of ", NAME = " */
	const char *text; /* that, in the list */
};

struct argument_list {
	size_t count, room; /* of the texts and of a number behind each */
	struct argument all[];
};

/* ---- which fields are arguments ---------------------------------------------------------------------- */

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

/* ", NAME = ", which lives as long as the lists; NULL when memory is out. */
static const char *argument_text(struct class_table *lists, const char *name)
{
	const size_t size = strlen(name) + strlen(",  = ") + 1;
	char *text = arena_allocate(&lists->memory, size, 1);
	if (text != NULL)
		snprintf(text, size, ", %s = ", name);
	return text;
}

/* Returns NULL when memory is out. */
static const struct argument_list *make_list(struct class_table *lists, const struct event_class *class)
{
	size_t size = sizeof(struct argument_list) + class->payload_count * sizeof(struct argument);
	struct argument_list *list = malloc(size);
	if (list == NULL)
		return NULL;
	list->count = list->room = 0;
	for (uint32_t field = 0; field < class->payload_count; field++) {
		const char *text = is_argument(class, field) ? argument_text(lists, class->fields[field]) : NULL;
		if (is_argument(class, field) && text == NULL) {
			free(list);
			return NULL;
		}
		if (text == NULL)
			continue;
		const uint32_t text_size = (uint32_t)strlen(text);
		list->all[list->count++] = (struct argument){ field, text_size, text };
		list->room += text_size + NUMBER_TEXT_SIZE;
	}
	const struct argument_list *kept = class_table_add(lists, class, list, size);
	free(list);
	return kept;
}

/* ---- as text ----------------------------------------------------------------------------------------- */

static void append(struct call_text *text, const char *bytes, size_t size)
{
	memcpy(*text->bytes + text->size, bytes, size);
	text->size += size;
}

/* There is room for it: a comma after the argument before, and the name. */
static void append_name(struct call_text *text, const struct argument *argument)
{
	const size_t comma = text->size > 0 ? 0 : strlen(", ");
	append(text, argument->text + comma, argument->size - comma);
}

static size_t format_address(uint64_t address, char *digits)
{
	size_t count = 2;
	unsigned shift = address == 0 ? 0 : (unsigned)(63 - __builtin_clzll(address)) & ~3U;
	memcpy(digits, "0x", 2);
	for (;; shift -= 4) {
		digits[count++] = "0123456789ABCDEF"[address >> shift & 15];
		if (shift == 0)
			return count;
	}
}

/*
 * There is room for all names and numbers; a string makes its own.  A field of another kind, such as an array, is
 * left out.
 */
static bool append_argument(struct call_text *text, const struct argument *argument, const struct event *event,
			    size_t *room)
{
	const char *bytes;
	size_t size;
	int64_t number;
	if (event_int(event, argument->field, &number)) {
		append_name(text, argument);
		/* A number so large that it can only be an address is in hexadecimal. */
		bool is_address = number > UINT32_MAX || number < INT32_MIN;
		char *digits = *text->bytes + text->size;
		text->size += is_address ? format_address((uint64_t)number, digits)
					 : number_format_signed(number, digits);
		return true;
	}
	if (event_string(event, argument->field, &bytes, &size)) {
		*room += size + 2;
		if (!array_reserve(text->bytes, text->capacity, *room))
			return false;
		append_name(text, argument);
		append(text, "\"", 1);
		append(text, bytes, size);
		append(text, "\"", 1);
		return true;
	}
	return true;
}

/*
 * Append the arguments that an event has.  `lists` keeps what was found out about classes, and nothing else.
 * Returns false when memory runs out.
 */
static bool call_arguments_append(struct class_table *lists, const struct event *event, struct call_text *text)
{
	const struct argument_list *list = class_table_find(lists, event->class);
	if (list == NULL)
		list = make_list(lists, event->class);
	if (list == NULL)
		return false;
	size_t room = text->size + list->room;
	if (!array_reserve(text->bytes, text->capacity, room))
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (!append_argument(text, &list->all[i], event, &room))
			return false;
	return true;
}

/* ---- segments system calls ----------------------------------------------------------------------------------- */

enum call_field { CALL_NAME, CALL_TID, CALL_PROCESS, CALL_RETURN, CALL_ARGUMENTS, CALL_FIELD_COUNT };

enum futex_field {
	FUTEX_NAME, /* of the operation */
	FUTEX_TID,
	FUTEX_PROCESS,
	FUTEX_RETURN,
	FUTEX_ADDRESS,
	FUTEX_VALUE,
	FUTEX_BLOCKED,
	FUTEX_WAKER,
	FUTEX_WAKER_NAME,
	FUTEX_OWNER,
	FUTEX_FIELD_COUNT,
	FUTEX_WOKEN = FUTEX_FIELD_COUNT, /* of an open one: when sched_waking said so */
};

_Static_assert((int)FUTEX_WOKEN < (int)OPEN_SEGMENT_VALUES, "an open call of futex has its time behind its fields");

static const struct histree_segment_field call_fields[CALL_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "tid", HISTREE_INT },          { "process", HISTREE_STRING },
	{ "return", HISTREE_LONG }, { "arguments", HISTREE_STRING },
};

static const struct histree_segment_field futex_fields[FUTEX_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },  { "tid", HISTREE_INT },    { "process", HISTREE_STRING },
	{ "return", HISTREE_LONG },  { "uaddr", HISTREE_LONG }, { "val", HISTREE_LONG },
	{ "blocked", HISTREE_BOOL }, { "waker", HISTREE_INT },  { "waker_name", HISTREE_STRING },
	{ "owner", HISTREE_INT },
};

static const char needs[] = "entries and exits of system calls: lttng enable-event -k --syscall --all, or "
			    "perf record -e 'raw_syscalls:*'";

/* ---- whose a call is --------------------------------------------------------------------------------- */

/* A CPU runs somebody before its first switch, too. */
static bool key_of(const struct kernel_event *event, uint64_t *key)
{
	if (event->in_thread != NULL)
		*key = event->in_thread->place;
	else if (event->on_cpu != NULL)
		*key = event->on_cpu->place_of_unknown;
	return event->in_thread != NULL || event->on_cpu != NULL;
}

/* The first switch of a CPU says who ran there. */
static void adopt(struct kernel_segments *segments, const struct kernel_event *event)
{
	if (event->on_cpu == NULL || event->on_cpu->thread != NULL)
		return;
	struct open_segment *segment = open_segments_find(&segments->open, event->on_cpu->place_of_unknown);
	if (segment == NULL)
		return;
	kernel_segments_abandon(segments, event->previous->place);
	if (!open_segments_rename(&segments->open, segment, event->previous->place))
		kernel_segments_no_memory(segments);
}

/* A thread that is gone leaves no call: exit() has no exit. */
static void on_free(struct kernel_segments *segments, const struct kernel_event *event)
{
	kernel_segments_abandon(segments, event->thread->place);
}

/* Fill in the values that both kinds have at the same index, and end the segment. */
static void finish(struct kernel_segments *segments, struct open_segment *segment, const struct kernel_event *event)
{
	const struct machine_thread *thread = event->in_thread;
	if (thread != NULL) {
		segment->values[CALL_TID] = histree_int(thread->tid);
		segment->values[CALL_PROCESS] = machine_thread_name(thread);
	}
	if ((event->has & HAS_RESULT) != 0)
		segment->values[CALL_RETURN] = histree_long(event->result);
	kernel_segments_end(segments, segment, event->time,
			    thread != NULL ? thread->gap_end : event->on_cpu->gap_end);
}

/* ---- all calls --------------------------------------------------------------------------------------- */

static void on_entry(struct kernel_segments *segments, const struct kernel_event *event)
{
	uint64_t key;
	struct open_segment *segment =
		key_of(event, &key) ? kernel_segments_begin(segments, key, event->time) : NULL;
	if (segment == NULL)
		return;
	segment->values[CALL_NAME] = histree_string_n(event->name.bytes, event->name.size);
	struct call_text text = { .bytes = &segment->text, .capacity = &segment->text_capacity };
	if (!call_arguments_append(&segments->bindings, event->source, &text))
		kernel_segments_no_memory(segments);
	if (text.size > 0)
		segment->values[CALL_ARGUMENTS] = histree_string_n(segment->text, text.size);
}

static void on_exit_of_call(struct kernel_segments *segments, const struct kernel_event *event)
{
	uint64_t key;
	struct open_segment *segment = key_of(event, &key) ? kernel_segments_ending(segments, key) : NULL;
	if (segment != NULL)
		finish(segments, segment, event);
}

static const struct kernel_segments_kind all_calls = {
	.is_of_threads = true,
	.needs = needs,
	.handlers = {
		[KERNEL_SYSCALL_ENTRY] = on_entry,
		[KERNEL_SYSCALL_EXIT] = on_exit_of_call,
		[KERNEL_SWITCH] = adopt,
		[KERNEL_FREE] = on_free,
	},
};

const struct segment_analysis segment_analysis_system_calls = {
	.name = "system-calls",
	.version = 3,
	.summary = "system calls, from entry to exit",
	.fields = call_fields,
	.field_count = CALL_FIELD_COUNT,
	.kind = &all_calls,
	KERNEL_SEGMENTS_FUNCTIONS,
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
	if (number < sizeof(names) / sizeof(names[0]))
		return histree_string(names[number]);
	char unknown[24];
	int size = snprintf(unknown, sizeof(unknown), "op %" PRIu64, number);
	return machine_text(segments->machine, unknown, (size_t)size);
}

/* ---- who woke it ------------------------------------------------------------------------------------- */

/* The last call that wakes at an address, of those that are kept aside. */
enum { WAKE_TID, WAKE_NAME, WAKE_RETURN /* null: it goes on */ };

/* Whether a call gives a lock away, or says that something has happened. */
static bool is_of_waker(const struct open_segment *call)
{
	static const char *const operations[] = { "wake",        "wake_bitset",    "wake_op",  "requeue",
						  "cmp_requeue", "cmp_requeue_pi", "unlock_pi" };
	const struct histree_value *name = &call->values[FUTEX_NAME];
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations) && name->type == HISTREE_STRING; i++)
		if (strlen(operations[i]) == name->size && memcmp(operations[i], name->bytes, name->size) == 0)
			return call->values[FUTEX_ADDRESS].type == HISTREE_LONG;
	return false;
}

static uint64_t key_of_address(const struct open_segment *call)
{
	return hash_mix((uint64_t)call->values[FUTEX_ADDRESS].int64);
}

static void keep_wake(struct kernel_segments *segments, const struct kernel_event *event,
		      const struct open_segment *call)
{
	if (event->in_thread == NULL || !is_of_waker(call))
		return;
	const uint64_t key = key_of_address(call);
	struct open_segment *wake = open_segments_find(&segments->aside, key);
	if (wake == NULL)
		wake = open_segments_add(&segments->aside, key, event->time);
	if (wake == NULL) {
		kernel_segments_no_memory(segments);
		return;
	}
	wake->start = event->time;
	wake->values[WAKE_TID] = histree_int(event->in_thread->tid);
	wake->values[WAKE_NAME] = machine_thread_name(event->in_thread);
	wake->values[WAKE_RETURN] = histree_null();
}

static void end_wake(struct kernel_segments *segments, const struct kernel_event *event,
		     const struct open_segment *call)
{
	struct open_segment *wake =
		is_of_waker(call) ? open_segments_find(&segments->aside, key_of_address(call)) : NULL;
	if (wake != NULL && event->in_thread != NULL && wake->values[WAKE_TID].int32 == event->in_thread->tid &&
	    (event->has & HAS_RESULT) != 0)
		wake->values[WAKE_RETURN] = histree_long(event->result);
}

/*
 * Who woke it in a call at the same address had what it waited for until then, on whichever CPU the wake-up is
 * seen: before sched_waking was, that may be the CPU of the thread that is woken.
 */
static void put_waker(struct kernel_segments *segments, const struct kernel_event *event, struct open_segment *call)
{
	const struct machine_thread *waker = kernel_event_waker(event);
	const struct open_segment *wake = call->values[FUTEX_ADDRESS].type == HISTREE_LONG
						  ? open_segments_find(&segments->aside, key_of_address(call))
						  : NULL;
	const bool is_owner =
		wake != NULL && wake->start >= call->start &&
		(wake->values[WAKE_RETURN].type != HISTREE_LONG || wake->values[WAKE_RETURN].int64 > 0);
	call->values[FUTEX_OWNER] = is_owner ? wake->values[WAKE_TID] : histree_null();
	call->values[FUTEX_WAKER] = is_owner        ? wake->values[WAKE_TID]
				    : waker != NULL ? histree_int(waker->tid)
						    : histree_null();
	call->values[FUTEX_WAKER_NAME] = is_owner ? wake->values[WAKE_NAME] : machine_thread_name(waker);
}

static void on_futex_entry(struct kernel_segments *segments, const struct kernel_event *event)
{
	uint64_t key;
	if (!key_of(event, &key))
		return;
	const struct kernel_text *name = &event->name;
	if (name->size != 5 || memcmp(name->bytes, "futex", 5) != 0) {
		kernel_segments_abandon(segments, key);
		return;
	}
	struct open_segment *segment = kernel_segments_begin(segments, key, event->time);
	if (segment == NULL)
		return;
	if ((event->has & HAS_ADDRESS) != 0)
		segment->values[FUTEX_ADDRESS] = histree_long(event->address);
	if ((event->has & HAS_OPERATION) != 0)
		segment->values[FUTEX_NAME] = operation_name(segments, event->operation);
	if ((event->has & HAS_VALUE) != 0)
		segment->values[FUTEX_VALUE] = histree_long(event->value);
	segment->values[FUTEX_BLOCKED] = histree_bool(false);
	keep_wake(segments, event, segment);
}

/* The exits of other calls find nothing, and that is right. */
static void on_futex_exit(struct kernel_segments *segments, const struct kernel_event *event)
{
	uint64_t key;
	struct open_segment *segment = key_of(event, &key) ? open_segments_find(&segments->open, key) : NULL;
	if (segment == NULL)
		return;
	end_wake(segments, event, segment);
	/* Its time ran out, or a signal came. */
	if ((event->has & HAS_RESULT) != 0 && event->result < 0)
		segment->values[FUTEX_OWNER] = histree_null();
	finish(segments, segment, event);
}

/* A thread that is switched out while it could run was preempted, and waits for no lock. */
static void on_futex_switch(struct kernel_segments *segments, const struct kernel_event *event)
{
	adopt(segments, event);
	struct open_segment *segment = open_segments_find(&segments->open, event->previous->place);
	if (segment == NULL || kernel_event_leave(event) == LEAVES_RUNNABLE)
		return;
	segment->values[FUTEX_BLOCKED] = histree_bool(true);
	const struct histree_value *woken = &segment->values[FUTEX_WOKEN];
	if (woken->type == HISTREE_LONG && !kernel_event_is_woken_leaving(event, woken->int64))
		segment->values[FUTEX_WOKEN] = histree_null();
}

static void on_futex_waking(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *call = open_segments_find(&segments->open, event->thread->place);
	if (call == NULL)
		return;
	put_waker(segments, event, call);
	call->values[FUTEX_WOKEN] = histree_long(event->time);
}

/* After a sched_waking, it may happen on the CPU of the thread, whoever runs there. */
static void on_futex_wakeup(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *call = open_segments_find(&segments->open, event->thread->place);
	if (call != NULL && call->values[FUTEX_WOKEN].type != HISTREE_LONG)
		put_waker(segments, event, call);
}

static const struct kernel_segments_kind futex_calls = {
	.is_of_threads = true,
	.needs = needs,
	.handlers = {
		[KERNEL_SYSCALL_ENTRY] = on_futex_entry,
		[KERNEL_SYSCALL_EXIT] = on_futex_exit,
		[KERNEL_SWITCH] = on_futex_switch,
		[KERNEL_WAKING] = on_futex_waking,
		[KERNEL_WAKEUP] = on_futex_wakeup,
		[KERNEL_FREE] = on_free,
	},
};

const struct segment_analysis segment_analysis_futex = {
	.name = "futex",
	.version = 5,
	.summary = "futex calls: who waited for which lock, whether it blocked, and who woke it",
	.fields = futex_fields,
	.field_count = FUTEX_FIELD_COUNT,
	.kind = &futex_calls,
	KERNEL_SEGMENTS_FUNCTIONS,
};
