// SPDX-License-Identifier: MIT
#include "event_index/event_index_writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"

/* Room for `size` bytes more; NULL when memory is out. */
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

/* One that could not be read is not gone on with, and what there is of it is given back. */
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

static inline enum histree_status add(struct event_index_writer *writer, uint32_t type, histree_time time,
				      const struct trace_position *positions, size_t file_count,
				      struct histree_error *error)
{
	uint64_t number = writer->event_count;
	bool has_room = true;
	if (number == 0 || time > writer->end)
		writer->end = time;
	if (number % EVENTS_PER_TICK == 0)
		has_room = add_tick(writer);
	if (has_room && number % EVENTS_PER_BLOCK == 0)
		has_room = (number == 0 || end_block(writer)) && begin_block(writer, positions, file_count);
	if (!has_room)
		return error_memory(error, "the index of events");
	writer->counts[type]++;
	writer->event_count++;
	if (number % EVENTS_PER_BLOCK == 0)
		leave_out_if_too_large(writer, writer->blocks.size);
	return HISTREE_OK;
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
	return add(writer, writer->type_of_class[event->class->id] - 1, event->time, writer->positions,
		   begins_block ? trace_file_count(trace) : 0, error);
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

/* A build that is continued may find one there. */
static enum histree_status remove_old(const struct io *io, const char *path, struct histree_error *error)
{
	return io->unlink(io->context, path) == 0 || errno == ENOENT
		       ? HISTREE_OK
		       : error_set(error, HISTREE_ERR_IO, "cannot remove it: %s", strerror(errno));
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
		status = remove_old(io, path, error);
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
