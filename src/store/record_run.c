// SPDX-License-Identifier: MIT
#include "store/record_run.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"

enum histree_status record_run_open(struct record_run *run, uint64_t at, uint64_t end, size_t window)
{
	*run = (struct record_run){ .at = at, .end = end };
	return array_reserve(&run->window, &run->capacity, window) ? HISTREE_OK : HISTREE_ERR_MEMORY;
}

/* Move what is left to the front and fill up the rest; a window that is full of one record grows. */
static enum histree_status refill(struct record_run *run, const struct spill_file *spill,
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

/* False: the window ends within the record. */
static bool decode(struct record_run *run)
{
	struct byte_reader reader = byte_reader(run->window + run->used, run->filled - run->used);
	uint64_t step = read_varint(&reader), size = read_varint(&reader);
	if (reader.failed || size > byte_reader_left(&reader))
		return false;
	run->first =
		(struct sorted_record){ .key = run->first.key + step, .bytes = reader.at, .size = (size_t)size };
	run->used = (size_t)(reader.at - run->window) + (size_t)size;
	return true;
}

enum histree_status record_run_next(struct record_run *run, const struct spill_file *spill,
				    struct histree_error *error)
{
	for (;;) {
		if (run->used < run->filled && decode(run))
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

void record_run_release(struct record_run *run)
{
	free(run->window);
}
