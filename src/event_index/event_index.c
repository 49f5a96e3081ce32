// SPDX-License-Identifier: MIT
/*
 * event_index.c - events.idx: where the events of a trace are, and how many there are of each type.
 *
 * Reading the file:
 *
 * The file is decoded as it is read, a piece at a time, and its checksum is known only at the end: so nothing in it
 * is trusted.  Memory is accounted for before it is allocated, and no element takes less than a byte: a file of n
 * bytes costs time proportional to n, and never more memory than EVENT_INDEX_MEMORY_MAX, whatever sizes it states.
 */
#include "event_index/event_index.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/events.h"
#include "trace/trace.h"

/* Returns the identity of an index of `size` bytes that has this checksum. */
static inline uint64_t event_index_identity(uint32_t crc, uint64_t size)
{
	return (uint64_t)crc << 32 | (uint32_t)size;
}

/* ---- event index --------------------------------------------------------------------------------------------- */

void event_index_release(struct event_index *index)
{
	arena_release(&index->arena);
	*index = (struct event_index){ 0 };
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

size_t event_index_tick_before(const struct event_index *index, histree_time time)
{
	const size_t after = SEARCH(i, 0, index->tick_count, index->ticks[i] < time);
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

/* ---- event index writer -------------------------------------------------------------------------------------- */

/* Room for `size` bytes more; NULL when memory runs out. */
static uint8_t *reserve(struct index_bytes *bytes, size_t size)
{
	return array_reserve(&bytes->bytes, &bytes->capacity, bytes->size + size) ? bytes->bytes + bytes->size
										  : NULL;
}

static void set_end(struct index_bytes *bytes, const uint8_t *end)
{
	bytes->size = (size_t)(end - bytes->bytes);
}

/* ---- how large it is -------------------------------------------------------------------------------------- */

static uint64_t memory_of(const struct event_index_writer *writer)
{
	uint64_t ticks = (writer->event_count + EVENTS_PER_TICK - 1) / EVENTS_PER_TICK;
	uint64_t blocks = (writer->event_count + EVENTS_PER_BLOCK - 1) / EVENTS_PER_BLOCK;
	return writer->memory + event_index_room(writer->types.count, sizeof(char *)) +
	       event_index_room(ticks, sizeof(histree_time)) +
	       event_index_room(blocks, sizeof(struct event_block)) +
	       event_index_room(writer->gap_count, sizeof(struct histree_gap));
}

/* An index that cannot be read is not extended, and its memory is released. */
static void leave_out_if_too_large(struct event_index_writer *writer, uint64_t file_size)
{
	if (event_index_fits(memory_of(writer), file_size))
		return;
	event_index_writer_release(writer);
	writer->is_left_out = true;
}

const char *event_index_missing(const struct event_index_writer *writer)
{
	return writer->is_left_out
		       ? "the trace has too many events for an index of them, so they cannot be listed; "
			 "states and segments can be asked for without it"
		       : NULL;
}

/* ---- events and gaps -------------------------------------------------------------------------------------- */

static bool add_tick(struct event_index_writer *writer)
{
	uint8_t *at = reserve(&writer->ticks, VARINT_SIZE_MAX);
	if (at == NULL)
		return false;
	bool is_first = writer->event_count == 0;
	set_end(&writer->ticks, put_varint(at, is_first ? zigzag(writer->end)
							: (uint64_t)writer->end - (uint64_t)writer->last_tick));
	assert(is_first || writer->end >= writer->last_tick);
	writer->last_tick = writer->end;
	return true;
}

/* What the block had of each type. */
static bool end_block(struct event_index_writer *writer)
{
	uint8_t *at = reserve(&writer->blocks, (1 + 2 * writer->count_count) * VARINT_SIZE_MAX);
	if (at == NULL)
		return false;
	uint64_t seen = 0;
	for (size_t i = 0; i < writer->count_count; i++)
		seen += writer->counts[i] > 0;
	assert(seen > 0 && seen <= EVENTS_PER_BLOCK);
	at = put_varint(at, seen);
	writer->memory += 2 * event_index_room(seen, sizeof(uint32_t)); /* their types and counts */
	for (size_t i = 0; i < writer->count_count; i++) {
		if (writer->counts[i] == 0)
			continue;
		at = put_varint(put_varint(at, i), writer->counts[i]);
		writer->counts[i] = 0;
	}
	set_end(&writer->blocks, at);
	return true;
}

static bool begin_block(struct event_index_writer *writer, const struct trace_position *positions,
			size_t file_count)
{
	if (writer->event_count == 0)
		writer->file_count = file_count;
	assert(file_count == writer->file_count);
	uint8_t *at = reserve(&writer->blocks, 2 * file_count * VARINT_SIZE_MAX + 1);
	if (at == NULL)
		return false;
	writer->memory += event_index_room(file_count, sizeof(*positions));
	for (size_t i = 0; i < file_count; i++)
		at = put_varint(put_varint(at, positions[i].packet + 1), positions[i].events);
	set_end(&writer->blocks, at);
	return true;
}

uint32_t event_index_type(struct event_index_writer *writer, const char *name, size_t size)
{
	uint32_t type = intern_add(&writer->types, name, size);
	if (type == INTERN_NONE ||
	    !array_reserve(&writer->counts, &writer->count_capacity, (size_t)writer->types.count))
		return INTERN_NONE;
	if (writer->count_count < writer->types.count)
		writer->memory += event_index_room(size, 1);
	while (writer->count_count < writer->types.count)
		writer->counts[writer->count_count++] = 0;
	return type;
}

/* Classes of one name, of several traces or streams, are one type. */
static bool learn_class(struct event_index_writer *writer, const struct event_class *class)
{
	size_t classes = (size_t) class->id + 1;
	if (!array_reserve(&writer->type_of_class, &writer->class_capacity, classes))
		return false;
	while (writer->class_count < classes)
		writer->type_of_class[writer->class_count++] = 0;
	uint32_t type = event_index_type(writer, class->name, strlen(class->name));
	if (type != INTERN_NONE)
		writer->type_of_class[class->id] = type + 1;
	return type != INTERN_NONE;
}

enum histree_status event_index_add_stretch(struct event_index_writer *writer, struct index_stretch *stretch,
					    struct histree_error *error)
{
	bool begins_block = writer->event_count % EVENTS_PER_BLOCK == 0, has_room = true;
	uint64_t end = writer->event_count + stretch->events;
	while (writer->event_count < end && has_room) {
		uint64_t number = writer->event_count, to_tick = EVENTS_PER_TICK - number % EVENTS_PER_TICK;
		if (number % EVENTS_PER_TICK == 0) {
			histree_time tick = *stretch->ticks++;
			writer->end = number == 0 || tick > writer->end ? tick : writer->end;
			has_room = add_tick(writer);
		}
		if (has_room && begins_block) {
			has_room = (number == 0 || end_block(writer)) &&
				   begin_block(writer, stretch->positions, stretch->file_count);
			writer->event_count++;
			leave_out_if_too_large(writer, writer->blocks.size);
			if (writer->is_left_out)
				return HISTREE_OK;
			writer->event_count--;
			begins_block = false;
		}
		writer->event_count += end - number < to_tick ? end - number : to_tick;
	}
	return has_room ? HISTREE_OK : error_memory(error, "the index of events");
}

/* Where the trace is. */
static bool find_positions(struct event_index_writer *writer, const struct trace *trace)
{
	size_t count = trace_file_count(trace);
	if (writer->positions == NULL)
		writer->positions = calloc(count + 1, sizeof(*writer->positions));
	if (writer->positions != NULL && count > 0)
		trace_positions(trace, writer->positions);
	return writer->positions != NULL;
}

enum histree_status event_index_add(struct event_index_writer *writer, const struct trace *trace,
				    const struct event *event, struct histree_error *error)
{
	if (writer->is_left_out)
		return HISTREE_OK;
	bool is_known = event->class->id < writer->class_count && writer->type_of_class[event->class->id] != 0;
	bool begins_block = event_index_begins_block(writer);
	if ((!is_known && !learn_class(writer, event->class)) || (begins_block && !find_positions(writer, trace)))
		return error_memory(error, "the index of events");
	uint64_t number = writer->event_count;
	bool has_room = true;
	if (number == 0 || event->time > writer->end)
		writer->end = event->time;
	if (number % EVENTS_PER_TICK == 0)
		has_room = add_tick(writer);
	if (has_room && number % EVENTS_PER_BLOCK == 0)
		has_room = (number == 0 || end_block(writer)) &&
			   begin_block(writer, writer->positions, begins_block ? trace_file_count(trace) : 0);
	if (!has_room)
		return error_memory(error, "the index of events");
	writer->counts[writer->type_of_class[event->class->id] - 1]++;
	writer->event_count++;
	if (number % EVENTS_PER_BLOCK == 0)
		leave_out_if_too_large(writer, writer->blocks.size);
	return HISTREE_OK;
}

enum histree_status event_index_add_gap(struct event_index_writer *writer, const struct event_gap *gap,
					struct histree_error *error)
{
	if (writer->is_left_out)
		return HISTREE_OK;
	uint8_t *at = reserve(&writer->gaps, (size_t)4 * VARINT_SIZE_MAX);
	if (at == NULL)
		return error_memory(error, "the index of events");
	bool is_open = gap->end == INT64_MAX;
	at = put_varint(at, (uint64_t)((int64_t)gap->cpu + 1));
	at = put_varint(at, zigzag((int64_t)((uint64_t)gap->begin - (uint64_t)writer->last_gap)));
	at = put_varint(at, is_open ? 0 : (uint64_t)gap->end - (uint64_t)gap->begin + 1);
	at = put_varint(at, gap->events);
	set_end(&writer->gaps, at);
	writer->last_gap = gap->begin;
	writer->gap_count++;
	leave_out_if_too_large(writer, writer->gaps.size);
	return HISTREE_OK;
}

enum histree_status event_index_see(void *writer, const struct trace *trace, const struct event *event,
				    struct histree_error *error)
{
	return event->gap == NULL ? event_index_add(writer, trace, event, error)
				  : event_index_add_gap(writer, event->gap, error);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static bool append(struct index_bytes *out, const void *bytes, size_t size)
{
	uint8_t *at = reserve(out, size + 1);
	if (at != NULL && size > 0)
		memcpy(at, bytes, size);
	out->size += at != NULL ? size : 0;
	return at != NULL;
}

static bool append_number(struct index_bytes *out, uint64_t number)
{
	uint8_t bytes[VARINT_SIZE_MAX];
	return append(out, bytes, (size_t)(put_varint(bytes, number) - bytes));
}

static bool append_types(struct index_bytes *out, const struct intern *types)
{
	for (uint32_t i = 0; i < types->count; i++) {
		size_t size;
		const char *name = intern_get(types, i, &size);
		if (!append_number(out, size) || !append(out, name, size))
			return false;
	}
	return true;
}

static bool encode(struct event_index_writer *writer, struct index_bytes *out)
{
	uint8_t header[EVENT_INDEX_HEADER_SIZE];
	memcpy(header, EVENT_INDEX_MAGIC, 8);
	put_le32(header + 8, EVENT_INDEX_VERSION);
	put_le64(header + 16, writer->event_count);
	put_le64(header + 24, (uint64_t)writer->end);
	put_le32(header + 32, (uint32_t)writer->file_count);
	put_le32(header + 36, writer->types.count);
	if ((writer->event_count > 0 && !end_block(writer)) || !append(out, header, sizeof(header)) ||
	    !append_types(out, &writer->types) || !append(out, writer->ticks.bytes, writer->ticks.size) ||
	    !append(out, writer->blocks.bytes, writer->blocks.size) || !append_number(out, writer->gap_count) ||
	    !append(out, writer->gaps.bytes, writer->gaps.size))
		return false;
	put_le32(out->bytes + 12,
		 crc32c(0, out->bytes + EVENT_INDEX_CHECKED_FROM, out->size - EVENT_INDEX_CHECKED_FROM));
	return true;
}

enum histree_status event_index_write(struct event_index_writer *writer, const struct io *io, const char *path,
				      uint64_t *identity, struct histree_error *error)
{
	struct index_bytes out = { 0 };
	enum histree_status status = HISTREE_OK;
	int file = -1;
	*identity = 0;
	if (!writer->is_left_out && !encode(writer, &out)) {
		status = error_memory(error, "the index of events");
		goto out;
	}
	leave_out_if_too_large(writer, out.size);
	if (writer->is_left_out) {
		status = io->unlink(io->context, path) == 0 || errno == ENOENT
				 ? HISTREE_OK
				 : error_set(error, HISTREE_ERR_IO, "cannot remove it: %s", strerror(errno));
		goto out;
	}
	*identity = event_index_identity(get_le32(out.bytes + 12), out.size);
	file = io->open(io->context, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (file < 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot make it: %s", strerror(errno));
		goto out;
	}
	status = io_write_all(io, file, out.bytes, out.size, 0, error);
	if (status == HISTREE_OK && io->sync(io->context, file) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot sync: %s", strerror(errno));
	if (io->close(io->context, file) != 0 && status == HISTREE_OK)
		status = error_set(error, HISTREE_ERR_IO, "cannot close: %s", strerror(errno));
out:
	if (status != HISTREE_OK)
		error_prefix(error, "'%s'", path);
	free(out.bytes);
	return status;
}

void event_index_writer_release(struct event_index_writer *writer)
{
	intern_release(&writer->types);
	free(writer->type_of_class);
	free(writer->counts);
	free(writer->positions);
	free(writer->ticks.bytes);
	free(writer->blocks.bytes);
	free(writer->gaps.bytes);
	*writer = (struct event_index_writer){ 0 };
}

/* ---- event index read ---------------------------------------------------------------------------------------- */

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

/* Returns the reader, with `size` bytes at hand or all that are left. */
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

COMPARE(compare_gaps, struct histree_gap, BY(from))

/* Gaps were met in the order of time, except where clocks step back. */
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
