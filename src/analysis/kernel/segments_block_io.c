// SPDX-License-Identifier: MIT
/*
 * Requests to block devices: from the queue, or from the driver where they passed by the queue, to completion.
 *
 * A request is known by its device and first sector.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/kernel/kernel_segments.h"
#include "base/hash.h"

enum { BLOCK_NAME, BLOCK_DEVICE, BLOCK_SECTOR, BLOCK_BYTES, BLOCK_FIELD_COUNT };

static const struct histree_segment_field fields[BLOCK_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },
	{ "device", HISTREE_STRING },
	{ "sector", HISTREE_LONG },
	{ "bytes", HISTREE_LONG },
};

enum { EXTRA_DEVICE, EXTRA_SECTOR, EXTRA_SECTORS, EXTRA_FLAGS };

/* A device and a sector in 64 bits: that two requests in flight fall together is as likely as a hash collision. */
static bool key_of(const struct kernel_segment_event *event, int64_t *device, int64_t *sector, uint64_t *key)
{
	if (!event_int(event->event, event->extra[EXTRA_DEVICE], device) ||
	    !event_int(event->event, event->extra[EXTRA_SECTOR], sector))
		return false;
	*key = hash_mix((uint64_t)*device) ^ (uint64_t)*sector;
	return true;
}

/* LTTng has the kernel's letters as bits: write, discard, read; perf has the letters. */
static struct histree_value direction(const struct kernel_segment_event *event)
{
	enum { WRITE = 1, DISCARD = 2, READ = 4 };
	int64_t flags = 0;
	const char *letters;
	size_t size;
	if (event_string(event->event, event->extra[EXTRA_FLAGS], &letters, &size)) {
		flags |= memchr(letters, 'W', size) != NULL ? WRITE : 0;
		flags |= memchr(letters, 'D', size) != NULL ? DISCARD : 0;
		flags |= memchr(letters, 'R', size) != NULL ? READ : 0;
	} else if (!event_int(event->event, event->extra[EXTRA_FLAGS], &flags)) {
		return histree_null();
	}
	if ((flags & DISCARD) != 0)
		return histree_string("discard");
	if ((flags & WRITE) != 0)
		return histree_string("write");
	return histree_string((flags & READ) != 0 ? "read" : "other");
}

static void begin(struct kernel_segments *segments, const struct kernel_segment_event *event, uint64_t key,
		  int64_t device, int64_t sector)
{
	struct open_segment *segment = kernel_segments_begin(segments, key, event->event->time);
	if (segment == NULL)
		return;
	char text[48];
	int size = snprintf(text, sizeof(text), "%" PRId64 ":%" PRId64, device >> 20, device & 0xfffff);
	int64_t sectors;
	segment->values[BLOCK_NAME] = direction(event);
	segment->values[BLOCK_DEVICE] = kernel_segments_text(segments, text, (size_t)size);
	segment->values[BLOCK_SECTOR] = histree_long(sector);
	if (event_int(event->event, event->extra[EXTRA_SECTORS], &sectors))
		segment->values[BLOCK_BYTES] = histree_long((int64_t)((uint64_t)sectors * 512));
}

static void on_insert(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	int64_t device, sector;
	uint64_t key;
	if (key_of(event, &device, &sector, &key))
		begin(segments, event, key, device, sector);
}

static void on_issue(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	int64_t device, sector;
	uint64_t key;
	if (key_of(event, &device, &sector, &key) && open_segments_find(&segments->open, key) == NULL)
		begin(segments, event, key, device, sector);
}

static void on_complete(struct kernel_segments *segments, const struct kernel_segment_event *event)
{
	int64_t device, sector;
	uint64_t key;
	struct open_segment *segment =
		key_of(event, &device, &sector, &key) ? kernel_segments_ending(segments, key) : NULL;
	if (segment != NULL)
		kernel_segments_end(segments, segment, event->event->time, segments->gap_end);
}

static const struct kernel_segments_kind requests = {
	.handlers = {
		[KERNEL_BLOCK_INSERT] = on_insert,
		[KERNEL_BLOCK_ISSUE] = on_issue,
		[KERNEL_BLOCK_COMPLETE] = on_complete,
	},
	.extra = { "dev", "sector", "nr_sector", "rwbs" },
};

static enum histree_status create(struct histree_segment_store *store, void **instance, struct histree_error *error)
{
	return kernel_segments_create(&requests, store, instance, error);
}

const struct segment_analysis segment_analysis_block_io = {
	.name = "block-io",
	.version = 2,
	.summary = "requests to block devices, from the queue to completion",
	.fields = fields,
	.field_count = BLOCK_FIELD_COUNT,
	.applies = kernel_segments_applies,
	.create = create,
	.event = kernel_segments_event,
	.gap = kernel_segments_gap,
	.counts = kernel_segments_counts,
	.free = kernel_segments_free,
};
