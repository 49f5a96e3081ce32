// SPDX-License-Identifier: MIT
/*
 * event_source.c - events whose index came as bytes, and which somebody else reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event_index/events.h"

/* ---- bytes as a file ------------------------------------------------------------------------------------- */

struct held_bytes {
	const uint8_t *bytes;
	size_t size;
};

static int open_held(void *context, const char *path, int flags, mode_t mode)
{
	(void)context, (void)path, (void)flags, (void)mode;
	return 0;
}

static ssize_t read_held(void *context, int file, void *bytes, size_t size, off_t offset)
{
	const struct held_bytes *held = context;
	(void)file;
	if (offset < 0) {
		errno = EINVAL;
		return -1;
	}
	size_t at = (uint64_t)offset < held->size ? (size_t)offset : held->size;
	size_t count = size < held->size - at ? size : held->size - at;
	memcpy(bytes, held->bytes + at, count);
	return (ssize_t)count;
}

static int size_held(void *context, int file, off_t *size)
{
	(void)file;
	*size = (off_t)((const struct held_bytes *)context)->size;
	return 0;
}

static int close_held(void *context, int file)
{
	(void)context, (void)file;
	return 0;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

enum histree_status histree_events_of_source(const struct histree_event_source *source, const void *index,
					     size_t size, bool are_in_order, struct histree_events **out,
					     struct histree_error *error)
{
	struct held_bytes held = { index, size };
	const struct io io = {
		.open = open_held,
		.pread = read_held,
		.size = size_held,
		.close = close_held,
		.context = &held,
	};
	struct histree_events *events = calloc(1, sizeof(*events));
	*out = NULL;
	if (events == NULL) {
		source->free(source->context);
		return error_memory(error, "the events of a source");
	}
	events->source = *source;
	events->are_in_order = are_in_order;
	enum histree_status status = event_index_read(&io, EVENT_INDEX_FILE, &events->index, error);
	if (status == HISTREE_OK)
		*out = events;
	else
		histree_events_close(events);
	return status;
}
