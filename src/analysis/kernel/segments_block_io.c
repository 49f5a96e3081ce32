// SPDX-License-Identifier: MIT
/*
 * Requests to block devices: from the queue, or from the driver where they passed by the queue, to completion.
 *
 * A request is known by its device and first sector.  Its thread is the one that ran where it was put into the
 * queue: who asks, or who writes for others what they left in memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/kernel/kernel_segments.h"
#include "base/hash.h"

enum { BLOCK_NAME, BLOCK_DEVICE, BLOCK_SECTOR, BLOCK_BYTES, BLOCK_TID, BLOCK_PROCESS, BLOCK_FIELD_COUNT };

static const struct histree_segment_field fields[BLOCK_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "device", HISTREE_STRING }, { "sector", HISTREE_LONG },
	{ "bytes", HISTREE_LONG },  { "tid", HISTREE_INT },       { "process", HISTREE_STRING },
};

/* A device and a sector in 64 bits: that two requests in flight fall together is as likely as a hash collision. */
static uint64_t key_of(const struct kernel_event *event)
{
	return hash_mix((uint64_t)event->device) ^ (uint64_t)event->sector;
}

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

static struct histree_value direction(const struct kernel_event *event)
{
	int64_t flags = flags_of(event);
	if (event->letters.bytes == NULL && (event->has & HAS_FLAGS) == 0)
		return histree_null();
	if ((flags & FLAG_DISCARD) != 0)
		return histree_string("discard");
	if ((flags & FLAG_WRITE) != 0)
		return histree_string("write");
	return histree_string((flags & FLAG_READ) != 0 ? "read" : "other");
}

static void on_insert(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = kernel_segments_begin(segments, key_of(event), event->time);
	if (segment == NULL)
		return;
	char text[48];
	int size =
		snprintf(text, sizeof(text), "%" PRId64 ":%" PRId64, event->device >> 20, event->device & 0xfffff);
	segment->values[BLOCK_NAME] = direction(event);
	segment->values[BLOCK_DEVICE] = machine_text(segments->machine, text, (size_t)size);
	segment->values[BLOCK_SECTOR] = histree_long(event->sector);
	if ((event->has & HAS_SECTORS) != 0)
		segment->values[BLOCK_BYTES] = histree_long((int64_t)((uint64_t)event->sectors * 512));
	if (event->in_thread == NULL)
		return;
	segment->values[BLOCK_TID] = histree_int(event->in_thread->tid);
	segment->values[BLOCK_PROCESS] = machine_thread_name(event->in_thread);
}

static void on_issue(struct kernel_segments *segments, const struct kernel_event *event)
{
	if (open_segments_find(&segments->open, key_of(event)) == NULL)
		on_insert(segments, event);
}

static void on_complete(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = kernel_segments_ending(segments, key_of(event));
	if (segment != NULL)
		kernel_segments_end(segments, segment, event->time, segments->machine->gap_end);
}

static const struct kernel_segments_kind requests = {
	.needs = "requests to block devices: lttng enable-event -k 'block_rq_*', or perf record -e 'block:*'",
	.handlers = {
		[KERNEL_BLOCK_INSERT] = on_insert,
		[KERNEL_BLOCK_ISSUE] = on_issue,
		[KERNEL_BLOCK_COMPLETE] = on_complete,
	},
};

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
{
	return kernel_segments_create(&requests, input, store, instance, error);
}

const struct segment_analysis segment_analysis_block_io = {
	.name = "block-io",
	.version = 3,
	.summary = "requests to block devices, from the queue to completion",
	.fields = fields,
	.field_count = BLOCK_FIELD_COUNT,
	.create = create,
	KERNEL_SEGMENTS_FUNCTIONS,
};
