// SPDX-License-Identifier: MIT
#include "event_index/event_index.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/search.h"

/* ---- decoding -------------------------------------------------------------------------------------------- */

static enum histree_status damaged(struct histree_error *error, const char *what)
{
	return error_set(error, HISTREE_ERR_FORMAT, "%s; build the store again with --force", what);
}

/* `count` elements that take at least one byte each of what is left; NULL: that cannot be, or memory is out. */
static void *room(struct event_index *index, const struct byte_reader *reader, uint64_t count, size_t size)
{
	if (count > byte_reader_left(reader))
		return NULL;
	return arena_allocate(&index->arena, (count + 1) * size, alignof(max_align_t));
}

static bool read_types(struct event_index *index, struct byte_reader *reader)
{
	index->types = room(index, reader, index->type_count, sizeof(*index->types));
	for (uint32_t i = 0; index->types != NULL && i < index->type_count; i++) {
		uint64_t size = read_varint(reader);
		const uint8_t *name = read_bytes(reader, size);
		index->types[i] = name != NULL ? arena_copy(&index->arena, name, size) : NULL;
		if (index->types[i] == NULL)
			return false;
	}
	return index->types != NULL;
}

static bool read_ticks(struct event_index *index, struct byte_reader *reader)
{
	index->tick_count = (index->event_count + EVENTS_PER_TICK - 1) / EVENTS_PER_TICK;
	index->ticks = room(index, reader, index->tick_count, sizeof(*index->ticks));
	histree_time time = 0;
	for (size_t i = 0; index->ticks != NULL && i < index->tick_count; i++) {
		uint64_t step = read_varint(reader);
		/* A trace may be as long as time itself, which no int64_t says. */
		if (i > 0 && step > (uint64_t)INT64_MAX - (uint64_t)time)
			return false;
		time = i == 0 ? unzigzag(step) : (histree_time)((uint64_t)time + step);
		index->ticks[i] = time;
	}
	return index->ticks != NULL && !reader->failed && time <= index->end;
}

static bool read_block(struct event_index *index, struct byte_reader *reader, struct event_block *block,
		       uint64_t expected)
{
	block->positions = room(index, reader, index->file_count, sizeof(*block->positions));
	for (uint32_t i = 0; block->positions != NULL && i < index->file_count; i++) {
		block->positions[i].packet = read_varint(reader) - 1; /* 0 is TRACE_FILE_DONE */
		block->positions[i].events = read_varint(reader);
	}
	uint64_t count = read_varint(reader), sum = 0;
	uint32_t *types = count <= index->type_count ? room(index, reader, count, sizeof(*types)) : NULL;
	uint32_t *counts = types != NULL ? room(index, reader, count, sizeof(*counts)) : NULL;
	if (block->positions == NULL || counts == NULL)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t type = read_varint(reader), events = read_varint(reader);
		if (type >= index->type_count || events > expected)
			return false;
		types[i] = (uint32_t)type;
		counts[i] = (uint32_t)events;
		sum += events;
	}
	block->types = types;
	block->counts = counts;
	block->type_count = (uint32_t)count;
	return !reader->failed && sum == expected;
}

static bool read_blocks(struct event_index *index, struct byte_reader *reader)
{
	index->block_count = (index->event_count + EVENTS_PER_BLOCK - 1) / EVENTS_PER_BLOCK;
	index->blocks = room(index, reader, index->block_count, sizeof(*index->blocks));
	for (size_t i = 0; index->blocks != NULL && i < index->block_count; i++) {
		uint64_t left = index->event_count - i * EVENTS_PER_BLOCK;
		if (!read_block(index, reader, &index->blocks[i],
				left < EVENTS_PER_BLOCK ? left : EVENTS_PER_BLOCK))
			return false;
	}
	return index->blocks != NULL;
}

static bool read_gap(const struct event_index *index, struct byte_reader *reader, histree_time before,
		     struct histree_gap *gap)
{
	uint64_t cpu = read_varint(reader), step = read_varint(reader), length = read_varint(reader);
	gap->events = read_varint(reader);
	if (reader->failed || cpu > INT32_MAX)
		return false;
	gap->cpu = (int32_t)cpu - 1;
	gap->from = (histree_time)((uint64_t)before + (uint64_t)unzigzag(step));
	gap->to = gap->from > index->end ? gap->from : index->end;
	return length == 0 || !__builtin_add_overflow(gap->from, length - 1, &gap->to);
}

static int compare_gaps(const void *a, const void *b)
{
	const struct histree_gap *first = a, *second = b;
	return (first->from > second->from) - (first->from < second->from);
}

/* They were met in the order of time, but for clocks that step back. */
static bool read_gaps(struct event_index *index, struct byte_reader *reader)
{
	index->gap_count = read_varint(reader);
	index->gaps = room(index, reader, index->gap_count, sizeof(*index->gaps));
	for (size_t i = 0; index->gaps != NULL && i < index->gap_count; i++)
		if (!read_gap(index, reader, i > 0 ? index->gaps[i - 1].from : 0, &index->gaps[i]))
			return false;
	if (index->gaps != NULL && index->gap_count > 1)
		qsort(index->gaps, index->gap_count, sizeof(*index->gaps), compare_gaps);
	return index->gaps != NULL;
}

static enum histree_status decode(const uint8_t *bytes, size_t size, struct event_index *index,
				  struct histree_error *error)
{
	if (size < EVENT_INDEX_HEADER_SIZE || memcmp(bytes, EVENT_INDEX_MAGIC, 8) != 0)
		return damaged(error, "this is no index of events");
	uint32_t version = get_le32(bytes + 8);
	if (version < EVENT_INDEX_VERSION_MIN || version > EVENT_INDEX_VERSION)
		return error_set(
			error, HISTREE_ERR_VERSION,
			"version %u of the index of events is not known; build the store again with --force",
			version);
	if (get_le32(bytes + 12) != crc32c(0, bytes + EVENT_INDEX_CHECKED_FROM, size - EVENT_INDEX_CHECKED_FROM))
		return damaged(error, "its checksum is wrong");
	struct byte_reader reader = byte_reader(bytes + EVENT_INDEX_CHECKED_FROM, size - EVENT_INDEX_CHECKED_FROM);
	index->event_count = read_le64(&reader);
	index->end = (histree_time)read_le64(&reader);
	index->file_count = read_le32(&reader);
	index->type_count = read_le32(&reader);
	bool is_sound = index->event_count <= size * (uint64_t)EVENTS_PER_TICK && read_types(index, &reader) &&
			read_ticks(index, &reader) && read_blocks(index, &reader) &&
			(version < 2 || read_gaps(index, &reader));
	return is_sound && byte_reader_left(&reader) == 0 ? HISTREE_OK
							  : damaged(error, "its numbers contradict each other");
}

enum histree_status event_index_read(const struct io *io, const char *path, struct event_index *out,
				     struct histree_error *error)
{
	*out = (struct event_index){ 0 };
	uint8_t *bytes = NULL;
	off_t size = 0;
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0)
		return error_set(error, errno == ENOENT ? HISTREE_NOT_FOUND : HISTREE_ERR_IO,
				 "cannot open '%s': %s", path, strerror(errno));
	enum histree_status status = HISTREE_OK;
	if (io->size(io->context, file, &size) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot get its size: %s", strerror(errno));
	else if ((bytes = malloc((size_t)size + 1)) == NULL)
		status = error_memory(error, "the index of events");
	if (status == HISTREE_OK)
		status = io_read_all(io, file, bytes, (size_t)size, 0, error);
	if (status == HISTREE_OK)
		status = decode(bytes, (size_t)size, out, error);
	if (status != HISTREE_OK) {
		error_prefix(error, "'%s'", path);
		event_index_release(out);
	}
	io->close(io->context, file);
	free(bytes);
	return status;
}

void event_index_release(struct event_index *index)
{
	arena_release(&index->arena);
	*index = (struct event_index){ 0 };
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

struct sought_time {
	const histree_time *ticks;
	histree_time time;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought_time *sought = context;
	return sought->ticks[index] < sought->time;
}

size_t event_index_tick_before(const struct event_index *index, histree_time time)
{
	const struct sought_time sought = { index->ticks, time };
	size_t after = search_first(0, index->tick_count, index->tick_count / 2, is_before, &sought);
	return after > 0 ? after - 1 : 0;
}

double event_index_estimate(const struct event_index *index, histree_time time)
{
	if (index->event_count == 0 || time <= index->ticks[0])
		return 0;
	if (time > index->end)
		return (double)index->event_count;
	size_t tick = event_index_tick_before(index, time);
	bool is_last = tick + 1 == index->tick_count;
	assert(index->ticks[tick] < time && (is_last || index->ticks[tick + 1] >= time));
	histree_time from = index->ticks[tick], to = is_last ? index->end : index->ticks[tick + 1];
	double before = (double)tick * EVENTS_PER_TICK;
	double between = (is_last ? (double)index->event_count : before + EVENTS_PER_TICK) - before;
	return before + between * ((double)time - (double)from) / ((double)to - (double)from);
}
