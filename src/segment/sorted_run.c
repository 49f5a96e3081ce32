// SPDX-License-Identifier: MIT
#include "segment/sorted_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "item/value_codec.h"

size_t sorted_run_item_size(const struct histree_segment *segment, size_t field_count)
{
	size_t size = 3 * VARINT_SIZE_MAX;
	for (size_t i = 0; i < field_count; i++)
		size += value_encoded_size(&segment->content[i]);
	return size;
}

uint8_t *sorted_run_put(uint8_t *at, const struct sorted_segment *item, size_t field_count)
{
	at = put_varint(at, zigzag(item->segment.start));
	at = put_varint(at, histree_segment_duration(&item->segment));
	at = put_varint(at, item->arrival);
	for (size_t i = 0; i < field_count; i++)
		at = value_encode(at, &item->segment.content[i]);
	return at;
}

enum histree_status sorted_run_open(struct sorted_run *run, uint64_t at, uint64_t end, size_t window)
{
	*run = (struct sorted_run){ .at = at, .end = end };
	return array_reserve(&run->window, &run->capacity, window) ? HISTREE_OK : HISTREE_ERR_MEMORY;
}

/* Move what is left to the front and fill up the rest; a window that is full of one segment grows. */
static enum histree_status refill(struct sorted_run *run, const struct spill_file *spill,
				  struct histree_error *error)
{
	size_t left = run->filled - run->used;
	memmove(run->window, run->window + run->used, left);
	run->used = 0;
	run->filled = left;
	if (left == run->capacity && !array_reserve(&run->window, &run->capacity, 2 * run->capacity))
		return error_memory(error, "merging");
	uint64_t wanted = run->capacity - left;
	size_t size = (size_t)(wanted < run->end - run->at ? wanted : run->end - run->at);
	enum histree_status status = spill_file_read(spill, run->window + left, size, run->at, error);
	run->filled += size;
	run->at += size;
	return status;
}

/* False: the window ends within the segment. */
static bool decode(struct sorted_run *run, size_t field_count)
{
	struct byte_reader reader = byte_reader(run->window + run->used, run->filled - run->used);
	run->first.segment.start = unzigzag(read_varint(&reader));
	run->first.segment.end = (histree_time)((uint64_t)run->first.segment.start + read_varint(&reader));
	run->first.segment.content = run->content;
	run->first.arrival = read_varint(&reader);
	for (size_t i = 0; i < field_count; i++)
		run->content[i] = value_decode(&reader);
	if (reader.failed)
		return false;
	run->used = (size_t)(reader.at - run->window);
	return true;
}

enum histree_status sorted_run_next(struct sorted_run *run, const struct spill_file *spill, size_t field_count,
				    struct histree_error *error)
{
	for (;;) {
		if (run->used < run->filled && decode(run, field_count))
			return HISTREE_OK;
		if (run->at == run->end)
			return run->used == run->filled
				       ? HISTREE_END
				       : error_set(error, HISTREE_ERR_IO, "a temporary file has changed");
		enum histree_status status = refill(run, spill, error);
		if (status != HISTREE_OK)
			return status;
	}
}

void sorted_run_release(struct sorted_run *run)
{
	free(run->window);
}
