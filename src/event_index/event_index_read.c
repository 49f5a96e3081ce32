// SPDX-License-Identifier: MIT
/*
 * event_index_read.c - the index out of its file.
 *
 * The file is decoded as it is read, a piece at a time, and its checksum is known only at the end: so nothing in it
 * is believed.  What it asks memory for is counted first, and no element takes less than a byte: a file of n bytes
 * costs time proportional to n, and never more memory than EVENT_INDEX_MEMORY_MAX, however long it says it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "event_index/event_index.h"

enum { PIECE_SIZE = 64 << 10 };

struct index_file {
	const struct io *io;
	int file;
	uint64_t size, at; /* of the file; where the next piece begins */
	uint32_t crc;      /* of what was read so far */
	struct byte_reader reader;
	enum histree_status status; /* not HISTREE_OK: why decoding ended, which `error` says */
	struct histree_error *error;
	uint8_t piece[PIECE_SIZE];
};

static void damaged(struct index_file *in, const char *what)
{
	if (in->status == HISTREE_OK)
		in->status =
			error_set(in->error, HISTREE_ERR_FORMAT, "%s; build the store again with --force", what);
}

/* ---- pieces ---------------------------------------------------------------------------------------------- */

static void read_piece(struct index_file *in)
{
	size_t kept = byte_reader_left(&in->reader), size = PIECE_SIZE - kept;
	if (size > in->size - in->at)
		size = (size_t)(in->size - in->at);
	memmove(in->piece, in->reader.at, kept);
	enum histree_status status = io_read_all(in->io, in->file, in->piece + kept, size, in->at, in->error);
	if (status != HISTREE_OK) {
		in->status = in->status == HISTREE_OK ? status : in->status;
		in->at = in->size;
		size = 0;
	}
	in->crc = crc32c(in->crc, in->piece + kept, size);
	in->at += size;
	in->reader = byte_reader(in->piece, kept + size);
}

/* The reader, with so many bytes at hand or all that are left. */
static struct byte_reader *ahead(struct index_file *in, size_t size)
{
	if (byte_reader_left(&in->reader) < size && in->at < in->size && !in->reader.failed)
		read_piece(in);
	return &in->reader;
}

static uint64_t next_varint(struct index_file *in)
{
	return read_varint(ahead(in, VARINT_SIZE_MAX));
}

static uint64_t bytes_left(const struct index_file *in)
{
	return byte_reader_left(&in->reader) + (in->size - in->at);
}

/* The rest of the file is read for its checksum only. */
static bool checksum_is(struct index_file *in, uint32_t crc)
{
	while (in->at < in->size) {
		in->reader = byte_reader(in->piece, 0);
		read_piece(in);
	}
	return in->crc == crc;
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

/* `count` elements that take at least a byte each of what is left; NULL if there is no room, and `in` says why. */
static void *room(struct event_index *index, struct index_file *in, uint64_t count, size_t size)
{
	if (in->status != HISTREE_OK)
		return NULL;
	if (count > bytes_left(in)) {
		damaged(in, "its numbers contradict each other");
		return NULL;
	}
	index->memory += event_index_room(count, size);
	if (!event_index_fits(index->memory, in->size)) {
		in->status =
			error_set(in->error, HISTREE_ERR_TOO_LARGE,
				  "takes more than %d MiB of memory, so the events cannot be listed; states and "
				  "segments can be asked for without it",
				  EVENT_INDEX_MEMORY_MAX >> 20);
		return NULL;
	}
	void *memory = arena_allocate(&index->arena, ((size_t)count + 1) * size, alignof(max_align_t));
	if (memory == NULL)
		in->status = error_memory(in->error, "the index of events");
	return memory;
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

static const char *read_name(struct event_index *index, struct index_file *in)
{
	uint64_t size = next_varint(in), copied = 0;
	char *name = room(index, in, size, 1);
	while (name != NULL && copied < size && !in->reader.failed) {
		size_t piece = size - copied < PIECE_SIZE ? (size_t)(size - copied) : PIECE_SIZE;
		const uint8_t *bytes = read_bytes(ahead(in, piece), piece);
		if (bytes != NULL)
			memcpy(name + copied, bytes, piece);
		copied += piece;
	}
	if (name != NULL)
		name[size] = '\0';
	return in->reader.failed ? NULL : name;
}

static bool read_types(struct event_index *index, struct index_file *in)
{
	index->types = room(index, in, index->type_count, sizeof(*index->types));
	for (uint32_t i = 0; index->types != NULL && i < index->type_count; i++)
		if ((index->types[i] = read_name(index, in)) == NULL)
			return false;
	return index->types != NULL;
}

static bool read_ticks(struct event_index *index, struct index_file *in)
{
	index->tick_count = (index->event_count + EVENTS_PER_TICK - 1) / EVENTS_PER_TICK;
	index->ticks = room(index, in, index->tick_count, sizeof(*index->ticks));
	histree_time time = 0;
	for (size_t i = 0; index->ticks != NULL && i < index->tick_count && !in->reader.failed; i++) {
		uint64_t step = next_varint(in);
		/* A trace may be as long as time itself, which no int64_t says. */
		if (i > 0 && step > (uint64_t)INT64_MAX - (uint64_t)time)
			return false;
		time = i == 0 ? unzigzag(step) : (histree_time)((uint64_t)time + step);
		index->ticks[i] = time;
	}
	return index->ticks != NULL && !in->reader.failed && time <= index->end;
}

static bool read_positions(struct event_index *index, struct index_file *in, struct event_block *block)
{
	block->positions = room(index, in, index->file_count, sizeof(*block->positions));
	for (uint32_t i = 0; block->positions != NULL && i < index->file_count && !in->reader.failed; i++) {
		block->positions[i].packet = next_varint(in) - 1; /* 0 is TRACE_FILE_DONE */
		block->positions[i].events = next_varint(in);
	}
	return block->positions != NULL;
}

static bool read_counts(struct event_index *index, struct index_file *in, struct event_block *block,
			uint64_t expected)
{
	uint64_t count = next_varint(in), sum = 0;
	if (count > index->type_count)
		return false;
	uint32_t *types = room(index, in, count, sizeof(*types)), *counts = room(index, in, count, sizeof(*counts));
	for (uint64_t i = 0; counts != NULL && types != NULL && i < count; i++) {
		uint64_t type = next_varint(in), events = next_varint(in);
		if (in->reader.failed || type >= index->type_count || events > expected)
			return false;
		types[i] = (uint32_t)type;
		counts[i] = (uint32_t)events;
		sum += events;
	}
	block->types = types;
	block->counts = counts;
	block->type_count = (uint32_t)count;
	return types != NULL && counts != NULL && !in->reader.failed && sum == expected;
}

static bool read_blocks(struct event_index *index, struct index_file *in)
{
	index->block_count = (index->event_count + EVENTS_PER_BLOCK - 1) / EVENTS_PER_BLOCK;
	index->blocks = room(index, in, index->block_count, sizeof(*index->blocks));
	for (size_t i = 0; index->blocks != NULL && i < index->block_count; i++) {
		uint64_t left = index->event_count - i * EVENTS_PER_BLOCK;
		uint64_t expected = left < EVENTS_PER_BLOCK ? left : EVENTS_PER_BLOCK;
		if (!read_positions(index, in, &index->blocks[i]) ||
		    !read_counts(index, in, &index->blocks[i], expected))
			return false;
	}
	return index->blocks != NULL;
}

static bool read_gap(const struct event_index *index, struct index_file *in, histree_time before,
		     struct histree_gap *gap)
{
	uint64_t cpu = next_varint(in), step = next_varint(in), length = next_varint(in);
	gap->events = next_varint(in);
	if (in->reader.failed || cpu > INT32_MAX)
		return false;
	gap->cpu = (int32_t)cpu - 1;
	gap->host = 0;
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
static bool read_gaps(struct event_index *index, struct index_file *in)
{
	index->gap_count = next_varint(in);
	index->gaps = room(index, in, index->gap_count, sizeof(*index->gaps));
	for (size_t i = 0; index->gaps != NULL && i < index->gap_count; i++)
		if (!read_gap(index, in, i > 0 ? index->gaps[i - 1].from : 0, &index->gaps[i]))
			return false;
	if (index->gaps != NULL && index->gap_count > 1)
		qsort(index->gaps, index->gap_count, sizeof(*index->gaps), compare_gaps);
	return index->gaps != NULL;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* What is before the checksum, and the checksum. */
static uint32_t read_preamble(struct index_file *in, uint32_t *version)
{
	uint8_t bytes[EVENT_INDEX_CHECKED_FROM];
	if (in->size < EVENT_INDEX_HEADER_SIZE) {
		damaged(in, "this is no index of events");
		return 0;
	}
	in->status = io_read_all(in->io, in->file, bytes, sizeof(bytes), 0, in->error);
	in->at = sizeof(bytes);
	if (in->status != HISTREE_OK)
		return 0;
	if (memcmp(bytes, EVENT_INDEX_MAGIC, 8) != 0)
		damaged(in, "this is no index of events");
	*version = get_le32(bytes + 8);
	if (in->status == HISTREE_OK && (*version < EVENT_INDEX_VERSION_MIN || *version > EVENT_INDEX_VERSION))
		in->status = error_set(
			in->error, HISTREE_ERR_VERSION,
			"version %u of the index of events is not known; build the store again with --force",
			*version);
	if (in->status == HISTREE_OK && !event_index_fits(0, in->size))
		in->status =
			error_set(in->error, HISTREE_ERR_TOO_LARGE,
				  "has %llu bytes, more than the %d MiB of the largest that is read; states and "
				  "segments can be asked for without it",
				  (unsigned long long)in->size, EVENT_INDEX_MEMORY_MAX >> 20);
	return get_le32(bytes + 12);
}

static void decode(struct index_file *in, struct event_index *index)
{
	uint32_t version = 0, crc = read_preamble(in, &version);
	if (in->status != HISTREE_OK)
		return;
	index->event_count = read_le64(ahead(in, EVENT_INDEX_HEADER_SIZE));
	index->end = (histree_time)read_le64(&in->reader);
	index->file_count = read_le32(&in->reader);
	index->type_count = read_le32(&in->reader);
	bool is_sound = index->event_count <= in->size * EVENTS_PER_TICK && read_types(index, in) &&
			read_ticks(index, in) && read_blocks(index, in) && (version < 2 || read_gaps(index, in)) &&
			bytes_left(in) == 0;
	if (in->status != HISTREE_OK && in->status != HISTREE_ERR_FORMAT)
		return;
	if (!checksum_is(in, crc) && in->status != HISTREE_ERR_IO)
		in->status = error_set(in->error, HISTREE_ERR_FORMAT,
				       "its checksum is wrong; build the store again with --force");
	else if (!is_sound)
		damaged(in, "its numbers contradict each other");
	index->identity = event_index_identity(crc, in->size);
}

enum histree_status event_index_read(const struct io *io, const char *path, struct event_index *out,
				     struct histree_error *error)
{
	*out = (struct event_index){ 0 };
	off_t size = 0;
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0)
		return error_set(error, errno == ENOENT ? HISTREE_NOT_FOUND : HISTREE_ERR_IO,
				 "cannot open '%s': %s", path, strerror(errno));
	enum histree_status status;
	struct index_file *in = calloc(1, sizeof(*in));
	if (in == NULL) {
		status = error_memory(error, "the index of events");
	} else if (io->size(io->context, file, &size) != 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot get its size: %s", strerror(errno));
	} else {
		in->io = io;
		in->file = file;
		in->size = (uint64_t)size;
		in->error = error;
		in->reader = byte_reader(in->piece, 0);
		decode(in, out);
		status = in->status;
	}
	if (status != HISTREE_OK) {
		error_prefix(error, "'%s'", path);
		event_index_release(out);
	}
	io->close(io->context, file);
	free(in);
	return status;
}
