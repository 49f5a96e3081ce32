// SPDX-License-Identifier: MIT
/*
 * segments_block_io.c - requests to block devices, from the queue to completion.
 *
 * A request is known by its device, direction and first sector.  It may grow while it waits, go behind another one,
 * and be completed in parts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/kernel/kernel_segments.h"
#include "base/hash_index.h"
#include "histree/value.h"

enum { BLOCK_NAME, BLOCK_DEVICE, BLOCK_SECTOR, BLOCK_BYTES, BLOCK_TID, BLOCK_PROCESS, BLOCK_FIELD_COUNT };

/* Of an open one, behind its fields: how many sectors it has, null if nobody says, and whether it was issued so. */
enum { BLOCK_SECTORS = BLOCK_FIELD_COUNT, BLOCK_IS_ISSUED };

_Static_assert((int)BLOCK_IS_ISSUED < (int)OPEN_SEGMENT_VALUES, "an open request has room for what it is");

static const struct histree_segment_field request_fields[BLOCK_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "device", HISTREE_STRING }, { "sector", HISTREE_LONG },
	{ "bytes", HISTREE_LONG },  { "tid", HISTREE_INT },       { "process", HISTREE_STRING },
};

/* LTTng has the kernel's letters as bits; perf has the letters. */
enum { FLAG_WRITE = 1, FLAG_DISCARD = 2, FLAG_READ = 4, FLAG_FLUSH = 256 };

static int64_t flags_of(const struct kernel_event *event)
{
	const struct kernel_text *letters = &event->letters;
	if (letters->bytes == NULL)
		return event->flags;
	return (memchr(letters->bytes, 'W', letters->size) != NULL ? FLAG_WRITE : 0) |
	       (memchr(letters->bytes, 'D', letters->size) != NULL ? FLAG_DISCARD : 0) |
	       (memchr(letters->bytes, 'R', letters->size) != NULL ? FLAG_READ : 0) |
	       (memchr(letters->bytes, 'F', letters->size) != NULL ? FLAG_FLUSH : 0);
}

enum direction { READ, WRITE, DISCARD, FLUSH, OTHER, DIRECTION_COUNT, ANY_DIRECTION = DIRECTION_COUNT };

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
	if ((flags & FLAG_READ) != 0)
		return READ;
	return (flags & FLAG_FLUSH) != 0 ? FLUSH : OTHER;
}

/*
 * A flush of what a disk caches has no sector: -1 in the kernel, which is written as 0 when it is issued (since
 * Linux 4.16, blk_rq_trace_sector()), and as -1 when it is completed.
 */
static int64_t sector_of(const struct kernel_event *event)
{
	return event->sector == -1 ? 0 : event->sector;
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
static struct open_segment *request_find(struct kernel_segments *segments, const struct kernel_event *event,
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

static struct open_segment *request_begin(struct kernel_segments *segments, const struct kernel_event *event)
{
	const enum direction direction = direction_of(event);
	struct open_segment *again = request_find(segments, event, sector_of(event), direction, FITS);
	const uint64_t key = again != NULL ? again->key : free_key(segments, event, direction, sector_of(event));
	struct open_segment *segment = kernel_segments_begin(segments, key, event->time);
	if (segment == NULL)
		return NULL;
	char device[KERNEL_DEVICE_SIZE];
	const size_t size = kernel_device_text(event->device, device);
	static const char *const names[] = { "read", "write", "discard", "flush", "other", "other" };
	bool says = event->letters.bytes != NULL || (event->has & HAS_FLAGS) != 0;
	segment->values[BLOCK_NAME] = says ? histree_string(names[direction_of(event)]) : histree_null();
	segment->values[BLOCK_DEVICE] = machine_text(segments->machine, device, size);
	segment->values[BLOCK_SECTOR] = histree_long(sector_of(event));
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
	request_begin(segments, event);
}

/* One that was inserted may have grown; from now on it has the size that it has. */
static void on_issue(struct kernel_segments *segments, const struct kernel_event *event)
{
	const enum direction direction = direction_of(event);
	struct open_segment *segment = request_find(segments, event, sector_of(event), direction, FITS);
	if (segment == NULL)
		segment = request_find(segments, event, sector_of(event), direction, FITS_GROWN);
	if (segment == NULL)
		segment = request_begin(segments, event);
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
		segment = request_find(segments, event, behind, direction, fit);
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
	struct open_segment *segment = request_find(segments, event, sector_of(event), direction_of(event), FITS);
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
			if (open_segments_find(&segments->open, key_of(event, at, sector_of(event), i)) != NULL)
				return true;
	return false;
}

static void on_complete(struct kernel_segments *segments, const struct kernel_event *event)
{
	const enum direction direction = direction_of(event);
	struct open_segment *segment = NULL;
	enum fit fit = FITS;
	for (; fit < FIT_COUNT && segment == NULL; fit++)
		segment = request_find(segments, event, sector_of(event), direction, fit);
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
	.version = 5,
	.summary = "requests to block devices, from the queue to completion",
	.fields = request_fields,
	.field_count = BLOCK_FIELD_COUNT,
	.kind = &requests,
	KERNEL_SEGMENTS_FUNCTIONS,
};
