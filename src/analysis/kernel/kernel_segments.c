// SPDX-License-Identifier: MIT
/*
 * kernel_segments.c - how analyses of segments of the kernel live, and those of which the events alone are needed:
 * waits for a CPU, requests to disks, packets.
 *
 * A thread waits for a CPU after a wake-up, from when it can run to when it runs, or after a preemption, from the
 * switch away from it to the next switch to it.  One that calls sched_yield() leaves its CPU like a preempted one:
 * events do not distinguish the two.
 *
 * Headers of packets are used if the tracer records them, as LTTng does since 2.8.
 */
#include "analysis/kernel/kernel_segments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/open_segments.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "histree/value.h"

/* ---- kernel segments ----------------------------------------------------------------------------------------- */

void kernel_segments_start(const struct segment_analysis *analysis, void *instance)
{
	const struct kernel_segments_kind *kind = analysis->kind;
	struct kernel_segments *segments = instance;
	segments->kind = kind;
	segments->machine = &segments->input->machine;
	for (enum kernel_role role = KERNEL_NO_ROLE; role < KERNEL_ROLE_COUNT; role++)
		if (kind->handlers[role] != NULL)
			kernel_input_want(segments->input, role);
	kernel_input_need_machine(segments->input);
	segments->open.is_dense = kind->is_of_threads;
	open_segments_use_space(&segments->open, segments->machine->records.space);
}

/* KERNEL_FREE: the thread is gone, and what is open under its number with it. */
static void kernel_segments_on_free(struct kernel_segments *segments, const struct kernel_event *event)
{
	kernel_segments_abandon(segments, event->thread->place);
}

void kernel_segments_no_memory(struct kernel_segments *segments)
{
	if (segments->status == HISTREE_OK)
		segments->status = error_memory(&segments->error, "segments");
}

/* ---- segments ---------------------------------------------------------------------------------------- */

void kernel_segments_abandon(struct kernel_segments *segments, uint64_t key)
{
	struct open_segment *segment = open_segments_find(&segments->open, key);
	if (segment == NULL)
		return;
	segments->counts.without_end++;
	open_segments_remove(&segments->open, segment);
}

struct open_segment *kernel_segments_begin(struct kernel_segments *segments, uint64_t key, histree_time start)
{
	struct open_segment *segment = open_segments_find(&segments->open, key);
	if (segment != NULL)
		segments->counts.without_end++;
	segment = open_segments_add(&segments->open, key, start);
	if (segment == NULL)
		kernel_segments_no_memory(segments);
	return segment;
}

struct open_segment *kernel_segments_ending(struct kernel_segments *segments, uint64_t key)
{
	struct open_segment *segment = open_segments_find(&segments->open, key);
	if (segment == NULL)
		segments->counts.without_start++;
	return segment;
}

void kernel_segments_end(struct kernel_segments *segments, struct open_segment *open, histree_time end,
			 histree_time gap_end)
{
	/* Where the clock steps back, time stands still. */
	struct histree_segment segment = {
		.start = open->start,
		.end = end < open->start ? open->start : end,
		.content = open->values,
	};
	if (open->start <= gap_end) {
		segments->counts.without_end++;
		segments->counts.without_start++;
	} else if (segments->status == HISTREE_OK) {
		segments->status = histree_segment_store_add(segments->store, &segment, &segments->error);
	}
	open_segments_remove(&segments->open, open);
}

/* ---- events ------------------------------------------------------------------------------------------ */

bool kernel_segments_wants(const void *instance, const struct event_class *class)
{
	const struct kernel_segments *segments = instance;
	return segments->kind->handlers[kernel_input_role(segments->input, class)] != NULL;
}

enum histree_status kernel_segments_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct kernel_segments *segments = instance;
	const struct kernel_event *event = &segments->input->event;
	(void)source;
	if (segments->kind->handlers[event->role] == NULL)
		return HISTREE_OK;
	/* Those two only say whose a segment is. */
	segments->has_events |= event->role != KERNEL_SWITCH && event->role != KERNEL_FREE;
	if (segments->status == HISTREE_OK)
		segments->kind->handlers[event->role](segments, event);
	if (segments->status != HISTREE_OK && error != NULL)
		*error = segments->error;
	return segments->status;
}

struct segment_counts kernel_segments_counts(const void *instance)
{
	const struct kernel_segments *segments = instance;
	struct segment_counts counts = segments->counts;
	counts.without_end += segments->open.count;
	return counts;
}

bool kernel_segments_is_empty(const void *instance)
{
	return !((const struct kernel_segments *)instance)->has_events;
}

void kernel_segments_missing(const void *instance, char *text, size_t size)
{
	const struct kernel_segments *segments = instance;
	if (!segments->has_events)
		snprintf(text, size, "the trace has no %s", segments->kind->needs);
	else
		conflicts_describe(&segments->machine->conflicts,
				   "what began before that and ended after it is left out", text, size);
	if (*text == '\0' && segments->kind->say_missing != NULL)
		segments->kind->say_missing(segments, text, size);
}

void kernel_segments_free(void *instance)
{
	struct kernel_segments *segments = instance;
	if (segments == NULL)
		return;
	open_segments_release(&segments->open);
	open_segments_release(&segments->aside);
	class_table_release(&segments->bindings);
	free(segments);
}

/* ---- segments wakeups ---------------------------------------------------------------------------------------- */

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
	       "an open segment has its stage behind its segments_wakeups_fields");

enum wakeup_stage {
	BY_WAKEUP,
	BY_WAKING,
	BY_WAKING_WHILE_IT_RAN, /* no segment, unless it is leaving */
	BY_WAKING_AS_IT_LEFT,
};

static const struct histree_segment_field segments_wakeups_fields[WAKEUP_FIELD_COUNT] = {
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
	if (event->in_thread != NULL)
		segment->values[WAKEUP_WAKER] = histree_int(event->in_thread->tid);
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

static void segments_wakeups_on_switch(struct kernel_segments *segments, const struct kernel_event *event)
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
		[KERNEL_SWITCH] = segments_wakeups_on_switch,
		[KERNEL_FREE] = kernel_segments_on_free,
	},
};

const struct segment_analysis segment_analysis_wakeups = {
	.name = "wakeups",
	.version = 6,
	.summary = "how long woken threads waited for a CPU",
	.fields = segments_wakeups_fields,
	.field_count = WAKEUP_FIELD_COUNT,
	.kind = &wakeups,
	KERNEL_SEGMENTS_FUNCTIONS,
};

/* ---- segments preemptions ------------------------------------------------------------------------------------ */

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

static const struct histree_segment_field segments_preemptions_fields[PREEMPTION_FIELD_COUNT] = {
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
static void segments_preemptions_on_switch(struct kernel_segments *segments, const struct kernel_event *event)
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
		[KERNEL_SWITCH] = segments_preemptions_on_switch,
		[KERNEL_FREE] = kernel_segments_on_free,
	},
};

const struct segment_analysis segment_analysis_preemptions = {
	.name = "preemptions",
	.version = 2,
	.summary = "how long preempted threads waited for a CPU, and who had it",
	.fields = segments_preemptions_fields,
	.field_count = PREEMPTION_FIELD_COUNT,
	.kind = &preemptions,
	KERNEL_SEGMENTS_FUNCTIONS,
};

/* ---- segments block io --------------------------------------------------------------------------------------- */

enum { BLOCK_NAME, BLOCK_DEVICE, BLOCK_SECTOR, BLOCK_BYTES, BLOCK_TID, BLOCK_PROCESS, BLOCK_FIELD_COUNT };

/* Of an open one, behind its fields: how many sectors it has, null if nobody says, and whether it was issued so. */
enum { BLOCK_SECTORS = BLOCK_FIELD_COUNT, BLOCK_IS_ISSUED };

_Static_assert((int)BLOCK_IS_ISSUED < (int)OPEN_SEGMENT_VALUES, "an open request has room for what it is");

static const struct histree_segment_field segments_block_io_fields[BLOCK_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "device", HISTREE_STRING }, { "sector", HISTREE_LONG },
	{ "bytes", HISTREE_LONG },  { "tid", HISTREE_INT },       { "process", HISTREE_STRING },
};

/* LTTng has the kernel's letters as bits; perf has the letters. */
enum { FLAG_WRITE = 1, FLAG_DISCARD = 2, FLAG_READ = 4 };

static int64_t flags_of(const struct kernel_event *event)
{
	const struct kernel_text *letters = &event->letters;
	if (letters->bytes == NULL)
		return event->flags;
	return (memchr(letters->bytes, 'W', letters->size) != NULL ? FLAG_WRITE : 0) |
	       (memchr(letters->bytes, 'D', letters->size) != NULL ? FLAG_DISCARD : 0) |
	       (memchr(letters->bytes, 'R', letters->size) != NULL ? FLAG_READ : 0);
}

enum direction { READ, WRITE, DISCARD, OTHER, DIRECTION_COUNT, ANY_DIRECTION = DIRECTION_COUNT };

/* perf's completions of some kernels have N, whatever they complete. */
static enum direction direction_of(const struct kernel_event *event)
{
	const struct kernel_text *letters = &event->letters;
	int64_t flags = flags_of(event);
	bool says = letters->bytes != NULL || (event->has & HAS_FLAGS) != 0;
	bool says_nothing = letters->bytes != NULL && letters->size == 1 && letters->bytes[0] == 'N';
	if (!says || says_nothing)
		return ANY_DIRECTION;
	if ((flags & FLAG_DISCARD) != 0)
		return DISCARD;
	if ((flags & FLAG_WRITE) != 0)
		return WRITE;
	return (flags & FLAG_READ) != 0 ? READ : OTHER;
}

/* ---- requests in flight ------------------------------------------------------------------------------ */

enum { AT_ONE_SECTOR_MAX = 8 };

/* In 64 bits: that two requests in flight fall together is as likely as a hash collision. */
static uint64_t key_of(const struct kernel_event *event, enum direction direction, int64_t sector, unsigned number)
{
	return hash_mix((uint64_t)event->device << 8 | (uint64_t)direction << 4 | number) ^
	       hash_mix((uint64_t)sector);
}

/* An unknown size, and the size of a flush, match any. */
static bool is_of_size(const struct open_segment *segment, const struct kernel_event *event)
{
	const struct histree_value *sectors = &segment->values[BLOCK_SECTORS];
	return (event->has & HAS_SECTORS) == 0 || sectors->type != HISTREE_LONG ||
	       sectors->int64 == event->sectors || sectors->int64 == 0;
}

static bool is_issued(const struct open_segment *segment)
{
	return segment->values[BLOCK_IS_ISSUED].type == HISTREE_BOOL;
}

/* How a request may be completed: best as it is, or in part, or when it had grown. */
enum fit { FITS, FITS_IN_PART, FITS_GROWN, FIT_COUNT };

static bool fits(const struct open_segment *segment, const struct kernel_event *event, enum fit fit)
{
	const struct histree_value *sectors = &segment->values[BLOCK_SECTORS];
	if (fit == FITS || is_of_size(segment, event))
		return fit == FITS && is_of_size(segment, event);
	bool is_part = event->sectors > 0 && event->sectors < sectors->int64;
	return fit == FITS_IN_PART ? is_part : !is_part && event->sectors > 0 && !is_issued(segment);
}

/* Find a request at a sector, of a direction or of any. */
static struct open_segment *open_segment_find(struct kernel_segments *segments, const struct kernel_event *event,
					      int64_t sector, enum direction direction, enum fit fit)
{
	for (enum direction at = 0; at <= ANY_DIRECTION; at++)
		for (unsigned i = 0; i < AT_ONE_SECTOR_MAX; i++) {
			bool is_asked = direction == ANY_DIRECTION || at == ANY_DIRECTION || at == direction;
			struct open_segment *segment =
				is_asked ? open_segments_find(&segments->open, key_of(event, at, sector, i)) : NULL;
			if (segment != NULL && fits(segment, event, fit))
				return segment;
		}
	return NULL;
}

/* Returns a key at which there is no request; if there are too many, that of one which is taken for alone. */
static uint64_t free_key(struct kernel_segments *segments, const struct kernel_event *event,
			 enum direction direction, int64_t sector)
{
	unsigned number = 0;
	while (number < AT_ONE_SECTOR_MAX - 1 &&
	       open_segments_find(&segments->open, key_of(event, direction, sector, number)) != NULL)
		number++;
	return key_of(event, direction, sector, number);
}

static void set_size(struct open_segment *segment, int64_t sectors)
{
	segment->values[BLOCK_SECTORS] = histree_long(sectors);
	segment->values[BLOCK_BYTES] = histree_long((int64_t)((uint64_t)sectors * 512));
}

/* Another first sector, by which the request is known then. */
static void move(struct kernel_segments *segments, const struct kernel_event *event, struct open_segment *segment,
		 enum direction direction, int64_t sector)
{
	const uint64_t key = free_key(segments, event, direction, sector);
	kernel_segments_abandon(segments, key);
	if (!open_segments_rename(&segments->open, segment, key))
		kernel_segments_no_memory(segments);
}

/* ---- events ------------------------------------------------------------------------------------------ */

static struct open_segment *segments_block_io_begin(struct kernel_segments *segments,
						    const struct kernel_event *event)
{
	const enum direction direction = direction_of(event);
	struct open_segment *again = open_segment_find(segments, event, event->sector, direction, FITS);
	const uint64_t key = again != NULL ? again->key : free_key(segments, event, direction, event->sector);
	struct open_segment *segment = kernel_segments_begin(segments, key, event->time);
	if (segment == NULL)
		return NULL;
	char text[48];
	int size =
		snprintf(text, sizeof(text), "%" PRId64 ":%" PRId64, event->device >> 20, event->device & 0xfffff);
	static const char *const names[] = { "read", "write", "discard", "other", "other" };
	bool says = event->letters.bytes != NULL || (event->has & HAS_FLAGS) != 0;
	segment->values[BLOCK_NAME] = says ? histree_string(names[direction_of(event)]) : histree_null();
	segment->values[BLOCK_DEVICE] = machine_text(segments->machine, text, (size_t)size);
	segment->values[BLOCK_SECTOR] = histree_long(event->sector);
	if ((event->has & HAS_SECTORS) != 0)
		set_size(segment, event->sectors);
	if (event->in_thread == NULL)
		return segment;
	segment->values[BLOCK_TID] = histree_int(event->in_thread->tid);
	segment->values[BLOCK_PROCESS] = machine_thread_name(event->in_thread);
	return segment;
}

static void on_insert(struct kernel_segments *segments, const struct kernel_event *event)
{
	segments_block_io_begin(segments, event);
}

/* One that was inserted may have grown; from now on it has the size that it has. */
static void on_issue(struct kernel_segments *segments, const struct kernel_event *event)
{
	const enum direction direction = direction_of(event);
	struct open_segment *segment = open_segment_find(segments, event, event->sector, direction, FITS);
	if (segment == NULL)
		segment = open_segment_find(segments, event, event->sector, direction, FITS_GROWN);
	if (segment == NULL)
		segment = segments_block_io_begin(segments, event);
	else if ((event->has & HAS_SECTORS) != 0)
		set_size(segment, event->sectors);
	if (segment != NULL)
		segment->values[BLOCK_IS_ISSUED] = histree_bool(true);
}

/* Sectors come before those of a request that waits: it is known by the first of these then. */
static void on_front_merge(struct kernel_segments *segments, const struct kernel_event *event)
{
	int64_t behind;
	if ((event->has & HAS_SECTORS) == 0 || __builtin_add_overflow(event->sector, event->sectors, &behind))
		return;
	const enum direction direction = direction_of(event);
	struct open_segment *segment = NULL;
	for (enum fit fit = FITS; fit < FIT_COUNT && segment == NULL; fit++)
		segment = open_segment_find(segments, event, behind, direction, fit);
	if (segment == NULL || is_issued(segment))
		return;
	segment->values[BLOCK_SECTOR] = histree_long(event->sector);
	if (segment->values[BLOCK_SECTORS].type == HISTREE_LONG)
		set_size(segment, segment->values[BLOCK_SECTORS].int64 + event->sectors);
	move(segments, event, segment, direction, event->sector);
}

/* A request goes behind another one, which is completed for both. */
static void on_request_merge(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = open_segment_find(segments, event, event->sector, direction_of(event), FITS);
	if (segment != NULL)
		open_segments_remove(&segments->open, segment);
}

/* The rest of the request begins where this part ends. */
static void complete_part(struct kernel_segments *segments, const struct kernel_event *event,
			  struct open_segment *segment)
{
	int64_t rest;
	if (__builtin_add_overflow(event->sector, event->sectors, &rest))
		return;
	segment->values[BLOCK_SECTORS] = histree_long(segment->values[BLOCK_SECTORS].int64 - event->sectors);
	move(segments, event, segment, direction_of(event), rest);
}

/* Whether there are requests at the sector of a completion that fits none of them. */
static bool has_others(struct kernel_segments *segments, const struct kernel_event *event)
{
	for (enum direction at = 0; at <= ANY_DIRECTION; at++)
		for (unsigned i = 0; i < AT_ONE_SECTOR_MAX; i++)
			if (open_segments_find(&segments->open, key_of(event, at, event->sector, i)) != NULL)
				return true;
	return false;
}

static void on_complete(struct kernel_segments *segments, const struct kernel_event *event)
{
	const enum direction direction = direction_of(event);
	struct open_segment *segment = NULL;
	enum fit fit = FITS;
	for (; fit < FIT_COUNT && segment == NULL; fit++)
		segment = open_segment_find(segments, event, event->sector, direction, fit);
	if (segment == NULL) {
		segments->counts.without_start++;
		segments->unmatched += has_others(segments, event);
	} else if (fit - 1 == FITS_IN_PART) {
		complete_part(segments, event, segment);
	} else {
		if (fit - 1 == FITS_GROWN)
			set_size(segment, event->sectors);
		kernel_segments_end(segments, segment, event->time, segments->machine->gap_end);
	}
}

static void say_unmatched(const struct kernel_segments *segments, char *text, size_t size)
{
	if (segments->unmatched > 0)
		snprintf(text, size,
			 "%" PRIu64
			 " requests were completed with another direction or size than those that began at "
			 "their sector: they are left out, as their beginning is not in the trace",
			 segments->unmatched);
}

static const struct kernel_segments_kind requests = {
	.needs = "requests to block devices: lttng enable-event -k 'block_rq_*', or perf record -e 'block:*'",
	.handlers = {
		[KERNEL_BLOCK_INSERT] = on_insert,
		[KERNEL_BLOCK_ISSUE] = on_issue,
		[KERNEL_BLOCK_COMPLETE] = on_complete,
		[KERNEL_BLOCK_FRONT_MERGE] = on_front_merge,
		[KERNEL_BLOCK_REQUEST_MERGE] = on_request_merge,
	},
	.say_missing = say_unmatched,
};

const struct segment_analysis segment_analysis_block_io = {
	.name = "block-io",
	.version = 4,
	.summary = "requests to block devices, from the queue to completion",
	.fields = segments_block_io_fields,
	.field_count = BLOCK_FIELD_COUNT,
	.kind = &requests,
	KERNEL_SEGMENTS_FUNCTIONS,
};

/* ---- segments packets ---------------------------------------------------------------------------------------- */

/* Null where the event does not say it; a protocol without a name is a number in text. */
struct packet_headers {
	struct histree_value protocol; /* its bytes live as long as the headers */
	struct histree_value source_port, dest_port;
	char number[16];
};

/* ---- packet headers ------------------------------------------------------------------------------------------ */

/* Numbers of https://www.iana.org/assignments/protocol-numbers that hosts send. */
static const struct {
	int64_t number;
	const char *name;
} protocols[] = {
	{ 1, "icmp" }, { 2, "igmp" }, { 6, "tcp" },     { 17, "udp" },   { 47, "gre" },
	{ 50, "esp" }, { 51, "ah" },  { 58, "icmpv6" }, { 132, "sctp" },
};

static bool find_number(const struct event *event, const char *path, int64_t *out)
{
	struct event_part part;
	if (!event_find(event, path, &part) || (part.kind != EVENT_INT && part.kind != EVENT_UNSIGNED))
		return false;
	*out = part.integer;
	return true;
}

static struct histree_value find_port(const struct event *event, const char *path)
{
	int64_t port;
	return find_number(event, path, &port) && port >= 0 && port <= UINT16_MAX ? histree_int((int32_t)port)
										  : histree_null();
}

static void packet_headers_read(const struct event *event, struct packet_headers *out)
{
	int64_t number;
	out->protocol = out->source_port = out->dest_port = histree_null();
	if (event_class_field(event->class, "network_header") == EVENT_NO_FIELD ||
	    (!find_number(event, "network_header.protocol", &number) &&
	     !find_number(event, "network_header.nexthdr", &number)))
		return;
	snprintf(out->number, sizeof(out->number), "%" PRId64, number);
	out->protocol = histree_string(out->number);
	for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++)
		if (protocols[i].number == number)
			out->protocol = histree_string(protocols[i].name);
	out->source_port = find_port(event, "network_header.transport_header.source_port");
	out->dest_port = find_port(event, "network_header.transport_header.dest_port");
}

/* ---- segments packets ---------------------------------------------------------------------------------------- */

enum {
	PACKET_NAME,
	PACKET_DEVICE,
	PACKET_BYTES,
	PACKET_PROTOCOL,
	PACKET_SOURCE_PORT,
	PACKET_DEST_PORT,
	PACKET_TID,
	PACKET_PROCESS,
	PACKET_OUTCOME,
	PACKET_FIELD_COUNT
};

_Static_assert((int)PACKET_FIELD_COUNT <= (int)OPEN_SEGMENT_VALUES,
	       "an open segment has room for all segments_packets_fields");

static const struct histree_segment_field segments_packets_fields[PACKET_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },     { "device", HISTREE_STRING },   { "bytes", HISTREE_LONG },
	{ "protocol", HISTREE_STRING }, { "source_port", HISTREE_INT }, { "dest_port", HISTREE_INT },
	{ "tid", HISTREE_INT },         { "process", HISTREE_STRING },  { "outcome", HISTREE_STRING },
};

/* Of a buffer that is sent, and of one that was received: over the loopback interface it may be both. */
static uint64_t sent_key(const struct kernel_event *event)
{
	return (uint64_t)event->address;
}

static uint64_t received_key(const struct kernel_event *event)
{
	return (uint64_t)event->address ^ 1;
}

static void put_thread(struct open_segment *segment, const struct kernel_event *event)
{
	if (event->in_thread == NULL)
		return;
	segment->values[PACKET_TID] = histree_int(event->in_thread->tid);
	segment->values[PACKET_PROCESS] = machine_thread_name(event->in_thread);
}

static struct open_segment *segments_packets_begin(struct kernel_segments *segments,
						   const struct kernel_event *event, uint64_t key,
						   const char *direction)
{
	struct packet_headers headers;
	struct open_segment *segment = kernel_segments_begin(segments, key, event->time);
	if (segment == NULL)
		return NULL;
	packet_headers_read(event->source, &headers);
	segment->values[PACKET_NAME] = histree_string(direction);
	segment->values[PACKET_DEVICE] = machine_text(segments->machine, event->name.bytes, event->name.size);
	segment->values[PACKET_BYTES] = histree_long(event->bytes);
	if (headers.protocol.type == HISTREE_STRING)
		segment->values[PACKET_PROTOCOL] =
			machine_text(segments->machine, headers.protocol.bytes, headers.protocol.size);
	segment->values[PACKET_SOURCE_PORT] = headers.source_port;
	segment->values[PACKET_DEST_PORT] = headers.dest_port;
	return segment;
}

static void open_segment_end(struct kernel_segments *segments, const struct kernel_event *event,
			     struct open_segment *segment, const char *outcome)
{
	segment->values[PACKET_OUTCOME] = histree_string(outcome);
	kernel_segments_end(segments, segment, event->time, segments->machine->gap_end);
}

static void on_queue(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = segments_packets_begin(segments, event, sent_key(event), "sent");
	if (segment != NULL)
		put_thread(segment, event);
}

/* A driver that is busy is asked again. */
static void on_transmit(struct kernel_segments *segments, const struct kernel_event *event)
{
	if ((event->has & HAS_RESULT) != 0 && event->result != 0)
		return;
	struct open_segment *segment = kernel_segments_ending(segments, sent_key(event));
	if (segment != NULL)
		open_segment_end(segments, event, segment, "transmitted");
}

static void on_receive(struct kernel_segments *segments, const struct kernel_event *event)
{
	segments_packets_begin(segments, event, received_key(event), "received");
}

/* What is read in parts is delivered with the first one; so are packets that came before the trace, or never. */
static void on_copy(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = open_segments_find(&segments->open, received_key(event));
	if (segment == NULL)
		return;
	put_thread(segment, event);
	open_segment_end(segments, event, segment, "delivered");
}

/* The buffer is given up, whichever way it went; most of them were delivered or transmitted before. */
static void give_up(struct kernel_segments *segments, const struct kernel_event *event, const char *outcome)
{
	const uint64_t keys[] = { sent_key(event), received_key(event) };
	for (size_t i = 0; i < 2; i++) {
		struct open_segment *segment = open_segments_find(&segments->open, keys[i]);
		if (segment != NULL)
			open_segment_end(segments, event, segment, outcome);
	}
}

static void on_consume(struct kernel_segments *segments, const struct kernel_event *event)
{
	give_up(segments, event, "consumed");
}

static void on_drop(struct kernel_segments *segments, const struct kernel_event *event)
{
	give_up(segments, event, "dropped");
}

static const struct kernel_segments_kind packets = {
	.needs = "packets: lttng enable-event -k 'net_*,netif_*,skb_*', or perf record -e 'net:*' -e 'skb:*'",
	.handlers = {
		[KERNEL_PACKET_QUEUE] = on_queue,
		[KERNEL_PACKET_TRANSMIT] = on_transmit,
		[KERNEL_PACKET_RECEIVE] = on_receive,
		[KERNEL_PACKET_COPY] = on_copy,
		[KERNEL_PACKET_CONSUME] = on_consume,
		[KERNEL_PACKET_DROP] = on_drop,
	},
};

const struct segment_analysis segment_analysis_packets = {
	.name = "packets",
	.version = 1,
	.summary = "network packets: from the queue to the driver, from the driver to who reads them",
	.fields = segments_packets_fields,
	.field_count = PACKET_FIELD_COUNT,
	.kind = &packets,
	KERNEL_SEGMENTS_FUNCTIONS,
};
