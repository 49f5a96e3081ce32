// SPDX-License-Identifier: MIT
/*
 * packed_source.c - a trace whose events are decoded once and sorted by time, before the first is handed out.  The
 * sort goes to disk when memory is short.
 */
#include "trace/packed/packed_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "event/event.h"
#include "store/record_sort.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

/* ---- packed parts -------------------------------------------------------------------------------------------- */

enum { PACKED_NAMED = 0x80, PACKED_TRUTH = 0x40 };

/* ---- putting --------------------------------------------------------------------------------------------- */

void packed_parts_clear(struct packed_parts *parts)
{
	*parts = (struct packed_parts){ .bytes = parts->bytes, .capacity = parts->capacity };
}

void packed_parts_release(struct packed_parts *parts)
{
	free(parts->bytes);
	*parts = (struct packed_parts){ 0 };
}

/* Returns where `size` bytes behind the kind and the name go; NULL if the part is left out. */
static uint8_t *begin_part(struct packed_parts *parts, enum event_part_kind kind, const char *name,
			   size_t name_size, size_t size)
{
	name_size = name != NULL ? strnlen(name, name_size) : 0;
	if (parts->too_deep > 0)
		return NULL;
	if (parts->has_failed ||
	    !array_reserve(&parts->bytes, &parts->capacity, parts->size + 2 + VARINT_SIZE_MAX + name_size + size)) {
		parts->has_failed = true;
		return NULL;
	}
	uint8_t *at = parts->bytes + parts->size;
	*at++ = (uint8_t)((unsigned)kind | (name != NULL ? PACKED_NAMED : 0));
	if (name == NULL)
		return at;
	at = put_varint(at, name_size);
	memcpy(at, name, name_size);
	at[name_size] = '\0';
	return at + name_size + 1;
}

static void end_part(struct packed_parts *parts, const uint8_t *at)
{
	parts->size = (size_t)(at - parts->bytes);
}

void packed_parts_open(struct packed_parts *parts, enum event_part_kind kind, const char *name, size_t name_size)
{
	if (parts->too_deep > 0 || parts->depth == PACKED_DEPTH_MAX) {
		if (parts->too_deep == 0)
			packed_parts_nothing(parts, name, name_size);
		parts->too_deep++;
		parts->has_left_out = true;
		return;
	}
	const uint8_t *at = begin_part(parts, kind, name, name_size, 0);
	parts->depth++;
	if (at != NULL)
		end_part(parts, at);
}

void packed_parts_close(struct packed_parts *parts)
{
	if (parts->too_deep > 0) {
		parts->too_deep--;
		return;
	}
	const uint8_t *at = begin_part(parts, EVENT_END, NULL, 0, 0);
	parts->depth--;
	if (at != NULL)
		end_part(parts, at);
}

void packed_parts_nothing(struct packed_parts *parts, const char *name, size_t name_size)
{
	const uint8_t *at = begin_part(parts, EVENT_NOTHING, name, name_size, 0);
	if (at != NULL)
		end_part(parts, at);
}

void packed_parts_int(struct packed_parts *parts, const char *name, size_t name_size, int64_t number)
{
	uint8_t *at = begin_part(parts, EVENT_INT, name, name_size, VARINT_SIZE_MAX);
	if (at != NULL)
		end_part(parts, put_varint(at, zigzag(number)));
}

void packed_parts_truth(struct packed_parts *parts, const char *name, size_t name_size, bool is_true)
{
	const size_t begin = parts->size;
	packed_parts_int(parts, name, name_size, is_true);
	if (parts->size > begin)
		parts->bytes[begin] |= PACKED_TRUTH;
}

void packed_parts_unsigned(struct packed_parts *parts, const char *name, size_t name_size, uint64_t number)
{
	uint8_t *at = begin_part(parts, EVENT_UNSIGNED, name, name_size, VARINT_SIZE_MAX);
	if (at != NULL)
		end_part(parts, put_varint(at, number));
}

void packed_parts_real(struct packed_parts *parts, const char *name, size_t name_size, double number)
{
	uint8_t *at = begin_part(parts, EVENT_REAL, name, name_size, sizeof(number));
	if (at == NULL)
		return;
	memcpy(at, &number, sizeof(number));
	end_part(parts, at + sizeof(number));
}

static void put_bytes(struct packed_parts *parts, enum event_part_kind kind, const char *name, size_t name_size,
		      const void *bytes, size_t size)
{
	uint8_t *at = begin_part(parts, kind, name, name_size, VARINT_SIZE_MAX + size);
	if (at == NULL)
		return;
	at = put_varint(at, size);
	if (size > 0)
		memcpy(at, bytes, size);
	end_part(parts, at + size);
}

void packed_parts_text(struct packed_parts *parts, const char *name, size_t name_size, const char *text,
		       size_t size)
{
	put_bytes(parts, EVENT_TEXT, name, name_size, text, size);
}

void packed_parts_put(struct packed_parts *parts, const struct event_part *part)
{
	const char *name = part->depth > 0 ? part->name : NULL;
	const size_t size = name != NULL ? strlen(name) : 0;
	switch (part->kind) {
	case EVENT_NOTHING:
		packed_parts_nothing(parts, name, size);
		break;
	case EVENT_INT:
		if (part->is_truth)
			packed_parts_truth(parts, name, size, part->integer != 0);
		else
			packed_parts_int(parts, name, size, part->integer);
		break;
	case EVENT_UNSIGNED:
		packed_parts_unsigned(parts, name, size, (uint64_t)part->integer);
		break;
	case EVENT_REAL:
		packed_parts_real(parts, name, size, part->real);
		break;
	case EVENT_TEXT:
	case EVENT_BYTES:
		put_bytes(parts, part->kind, name, size, part->bytes, part->size);
		break;
	case EVENT_STRUCTURE:
	case EVENT_ARRAY:
		packed_parts_open(parts, part->kind, name, size);
		break;
	case EVENT_END:
		packed_parts_close(parts);
		break;
	}
}

/* ---- visiting -------------------------------------------------------------------------------------------- */

static const char *read_name(struct byte_reader *reader)
{
	uint64_t size = read_varint(reader);
	if (size >= byte_reader_left(reader))
		reader->failed = true;
	const uint8_t *name = read_bytes(reader, (size_t)size + 1);
	if (name != NULL && name[size] != '\0')
		reader->failed = true;
	return (const char *)name;
}

static void read_value(struct byte_reader *reader, struct event_part *part)
{
	const uint8_t *bytes;
	switch (part->kind) {
	case EVENT_INT:
		part->integer = unzigzag(read_varint(reader));
		break;
	case EVENT_UNSIGNED:
		part->integer = (int64_t)read_varint(reader);
		break;
	case EVENT_REAL:
		bytes = read_bytes(reader, sizeof(part->real));
		if (bytes != NULL)
			memcpy(&part->real, bytes, sizeof(part->real));
		break;
	case EVENT_TEXT:
	case EVENT_BYTES:
		part->size = (size_t)read_varint(reader);
		part->bytes = (const char *)read_bytes(reader, part->size);
		break;
	case EVENT_NOTHING:
	case EVENT_STRUCTURE:
	case EVENT_ARRAY:
	case EVENT_END:
		break;
	default:
		reader->failed = true;
	}
}

bool packed_parts_visit(const void *bytes, size_t size, const char *name, event_visitor visitor, void *context)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t elements[PACKED_DEPTH_MAX + 1]; /* so far, of what is open at each depth from 1 on */
	uint32_t depth = 0;
	do {
		const uint8_t *kind = read_bytes(&reader, 1);
		if (kind == NULL)
			break;
		const unsigned marks = PACKED_NAMED | PACKED_TRUTH;
		struct event_part part = { .kind = (enum event_part_kind)(*kind & ~marks) };
		if ((*kind & PACKED_NAMED) != 0)
			part.name = read_name(&reader);
		read_value(&reader, &part);
		part.is_truth = (*kind & PACKED_TRUTH) != 0;
		if (part.is_truth)
			part.label = part.integer != 0 ? "true" : "false";
		bool opens = part.kind == EVENT_STRUCTURE || part.kind == EVENT_ARRAY;
		if (reader.failed || (part.kind == EVENT_END && depth == 0) || (opens && depth == PACKED_DEPTH_MAX))
			break;
		depth -= part.kind == EVENT_END;
		part.depth = depth;
		if (depth == 0)
			part.name = name;
		else if (part.name == NULL && part.kind != EVENT_END)
			part.index = elements[depth]++;
		if (!visitor(context, &part))
			return false;
		depth += opens;
		if (opens)
			elements[depth] = 0;
	} while (depth > 0);
	return true;
}

/* ---- packed event -------------------------------------------------------------------------------------------- */

enum { KINDS = 8 };

/* Counts the cells that are there.  Returns more bytes than all of them take. */
static inline size_t packed_cells_size_max(const struct packed_cell *cells, uint32_t count, uint32_t *present)
{
	size_t size = VARINT_SIZE_MAX + (size_t)count * 2 * VARINT_SIZE_MAX;
	*present = 0;
	for (uint32_t i = 0; i < count; i++) {
		size += cells[i].size;
		*present += cells[i].kind != PACKED_ABSENT;
	}
	return size;
}

static inline uint8_t *write_cell(uint8_t *at, const struct packed_cell *cell)
{
	switch (cell->kind) {
	case PACKED_INT:
		return put_varint(at, zigzag(cell->integer));
	case PACKED_UNSIGNED:
		return put_varint(at, (uint64_t)cell->integer);
	case PACKED_REAL:
		memcpy(at, &cell->real, sizeof(cell->real));
		return at + sizeof(cell->real);
	case PACKED_TEXT:
	case PACKED_PARTS:
		at = put_varint(at, cell->size);
		if (cell->size > 0)
			memcpy(at, cell->bytes, cell->size);
		return at + cell->size;
	case PACKED_ABSENT:
		break;
	}
	return at;
}

/* Returns where the next cell is, or NULL if there is no whole cell here. */
static inline const uint8_t *read_cell(const uint8_t *at, const uint8_t *end, struct packed_cell *cell)
{
	uint64_t number;
	switch (cell->kind) {
	case PACKED_REAL:
		if (end - at < (ptrdiff_t)sizeof(cell->real))
			return NULL;
		memcpy(&cell->real, at, sizeof(cell->real));
		return at + sizeof(cell->real);
	case PACKED_INT:
	case PACKED_UNSIGNED:
	case PACKED_TEXT:
	case PACKED_PARTS:
		at = get_varint(at, end, &number);
		break;
	default:
		return NULL;
	}
	if (at == NULL)
		return NULL;
	if (cell->kind == PACKED_INT || cell->kind == PACKED_UNSIGNED) {
		cell->integer = cell->kind == PACKED_INT ? unzigzag(number) : (int64_t)number;
		return at;
	}
	cell->size = (size_t)number;
	cell->bytes = at;
	return number <= (size_t)(end - at) ? at + number : NULL;
}

void packed_cells_read(struct byte_reader *reader, struct packed_cell *cells, uint32_t count)
{
	uint64_t present = read_varint(reader);
	uint32_t next = 0;
	const uint8_t *at = reader->at;
	for (uint32_t i = 0; i < count; i++)
		cells[i] = (struct packed_cell){ .kind = PACKED_ABSENT };
	for (; present > 0 && !reader->failed; present--, next++) {
		uint64_t tag;
		at = get_varint(at, reader->end, &tag);
		if (at == NULL || tag / KINDS >= count - next) {
			reader->failed = true;
			return;
		}
		next += (uint32_t)(tag / KINDS);
		cells[next].kind = (enum packed_kind)(tag % KINDS);
		at = read_cell(at, reader->end, &cells[next]);
		reader->failed = at == NULL;
	}
	reader->at = reader->failed ? reader->at : at;
}

/* ---- what analyses ask ----------------------------------------------------------------------------------- */

static const struct packed_cell *cell_of(const struct event *event, uint32_t field)
{
	static const struct packed_cell absent = { .kind = PACKED_ABSENT };
	const struct packed_cell *cells = event->handle;
	return field < event->class->field_count ? &cells[field] : &absent;
}

bool packed_event_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct packed_cell *cell = cell_of(event, field);
	bool is_number = cell->kind == PACKED_INT || cell->kind == PACKED_UNSIGNED;
	*out = is_number ? cell->integer : 0;
	return is_number;
}

bool packed_event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct packed_cell *cell = cell_of(event, field);
	if (cell->kind != PACKED_TEXT)
		return false;
	*text = cell->bytes;
	*size = cell->size;
	return true;
}

bool packed_event_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	static const enum event_part_kind kinds[] = {
		[PACKED_ABSENT] = EVENT_NOTHING, [PACKED_INT] = EVENT_INT,   [PACKED_UNSIGNED] = EVENT_UNSIGNED,
		[PACKED_REAL] = EVENT_REAL,      [PACKED_TEXT] = EVENT_TEXT,
	};
	const struct packed_cell *cell = cell_of(event, field);
	const char *name = event->class->fields[field];
	if (cell->kind == PACKED_PARTS)
		return packed_parts_visit(cell->bytes, cell->size, name, visitor, context);
	struct event_part part = { .kind = kinds[cell->kind], .name = name };
	if (cell->kind == PACKED_TEXT) {
		part.bytes = cell->bytes;
		part.size = cell->size;
	} else if (cell->kind == PACKED_REAL) {
		part.real = cell->real;
	} else {
		part.integer = cell->integer;
	}
	return visitor(context, &part);
}

/* ---- packed source ------------------------------------------------------------------------------------------- */

enum { STEPS_PER_LOOK = 512 }; /* at what is resident of the tables */

void packed_source_init(struct packed_source *source, const struct packed_reader *reader)
{
	source->reader = reader;
	source->io = &io_posix;
	source->memory_max = PACKED_MEMORY;
}

void packed_source_release(struct packed_source *source)
{
	packed_source_leave(&source->base);
	intern_release(&source->class_keys);
	arena_release(&source->class_memory);
	free((void *)source->classes);
	free(source->spill_path);
	free(source->cells);
	trace_bytes_close(&source->content);
	table_space_release(&source->tables);
}

/* ---- what it is ------------------------------------------------------------------------------------------ */

void packed_source_describe(struct packed_source *source, const char *domain, const char *tracer)
{
	struct trace_source *base = &source->base;
	base->file_count = 1;
	trace_source_describe(base, domain, tracer);
	base->trace.get_int = packed_event_int;
	base->trace.get_string = packed_event_string;
	base->trace.visit = packed_event_visit;
}

enum histree_status packed_source_scan(struct trace_source *base, const struct packed_reader *reader,
				       const char *domain, const char *tracer, struct histree_error *error)
{
	struct packed_source *source = (struct packed_source *)base;
	packed_source_init(source, reader);
	enum histree_status status = packed_source_rewind(source, error);
	if (status != HISTREE_OK) {
		error_prefix(error, "trace \"%s\"", base->path);
		return status == HISTREE_ERR_IO ? HISTREE_ERR_TRACE : status;
	}
	base->bytes = source->content.size;
	packed_source_describe(source, domain, tracer);
	trace_bytes_close(&source->content);
	return HISTREE_OK;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

enum histree_status packed_source_rewind(struct packed_source *source, struct histree_error *error)
{
	trace_bytes_close(&source->content);
	return trace_bytes_open(&source->content, source->io, source->base.path, error);
}

enum histree_status packed_source_look(struct packed_source *source, struct histree_error *error)
{
	const uint64_t step = source->looks++;
	if (step % STEPS_PER_LOOK == 0)
		table_space_look(&source->tables);
	return source->work == NULL ? HISTREE_OK : cancel_check(source->work, step, error);
}

/* If memory runs out there, other memory may still be free. */
static enum histree_status spilled(enum histree_status status, struct histree_error *error)
{
	if (status == HISTREE_ERR_IO && error != NULL) {
		size_t length = strlen(error->message);
		snprintf(error->message + length, sizeof(error->message) - length,
			 "; events are sorted there, and TMPDIR=FOLDER names another folder");
	}
	return status;
}

static uint8_t *room(struct packed_source *source, size_t size, struct histree_error *error)
{
	struct histree_error own;
	error = error != NULL ? error : &own;
	uint8_t *at = record_sort_room(source->sort, size, error);
	if (at == NULL)
		spilled(error->status, error);
	return at;
}

enum histree_status packed_source_add(struct packed_source *source, const struct packed_event *event,
				      struct histree_error *error)
{
	uint32_t count = event->class->class.field_count, present, absent = 0;
	struct histree_error own;
	error = error != NULL ? error : &own;
	enum histree_status status = packed_source_look(source, error);
	if (status != HISTREE_OK)
		return status;
	size_t size = 2 * VARINT_SIZE_MAX + packed_cells_size_max(event->cells, count, &present);
	uint8_t *begin = room(source, size, error);
	if (begin == NULL)
		return error->status;
	uint8_t *at = put_varint(begin, (uint64_t)event->class->number + 1);
	at = put_varint(at, (uint64_t)(event->cpu + INT64_C(1)));
	at = put_varint(at, present);
	for (const struct packed_cell *cell = event->cells; present > 0; cell++) {
		if (cell->kind == PACKED_ABSENT) {
			absent++;
			continue;
		}
		at = put_varint(at, (uint64_t)absent * KINDS + cell->kind);
		at = write_cell(at, cell);
		absent = 0;
		present--;
	}
	record_sort_add(source->sort, record_key_signed(event->time), (size_t)(at - begin));
	source->added++;
	if (event->time == PACKED_NO_TIME)
		return HISTREE_OK;
	if (event->time < source->first)
		source->first = event->time;
	if (event->time > source->last)
		source->last = event->time;
	else if ((uint64_t)source->last - (uint64_t)event->time > source->disorder)
		source->disorder = (uint64_t)source->last - (uint64_t)event->time;
	return HISTREE_OK;
}

enum histree_status packed_source_lose(struct packed_source *source, int32_t cpu, struct trace_span span,
				       uint64_t events, struct histree_error *error)
{
	struct histree_error own;
	error = error != NULL ? error : &own;
	uint8_t *begin = room(source, 4 * VARINT_SIZE_MAX, error);
	if (begin == NULL)
		return error->status;
	uint8_t *at = put_varint(begin, 0);
	at = put_varint(at, (uint64_t)(cpu + INT64_C(1)));
	at = put_varint(at, zigzag(span.end > span.begin ? span.end : span.begin));
	at = put_varint(at, events);
	record_sort_add(source->sort, record_key_signed(span.begin), (size_t)(at - begin));
	source->added++;
	return HISTREE_OK;
}

enum histree_status packed_source_lose_rest(struct packed_source *source, struct histree_error *error)
{
	if (source->first > source->last)
		return HISTREE_OK; /* no event has a time */
	uint64_t length = (uint64_t)source->last - (uint64_t)source->first;
	uint64_t back = source->disorder < length ? source->disorder : length;
	const struct trace_span rest = { (histree_time)((uint64_t)source->last - back), INT64_MAX };
	return packed_source_lose(source, -1, rest, 0, error);
}

bool packed_source_shift(struct packed_source *source, histree_time by)
{
	/* What has no time comes at 0 if nothing has one. */
	const bool has_times = source->first <= source->last;
	histree_time shift;
	if (__builtin_add_overflow(source->shift, by, &shift) ||
	    !packed_time_can_shift(has_times ? source->first : 0, shift) ||
	    !packed_time_can_shift(has_times ? source->last : 0, shift))
		return false;
	source->shift = shift;
	return true;
}

static enum histree_status read_all(struct packed_source *source, struct histree_error *error)
{
	packed_source_leave(&source->base);
	free(source->spill_path);
	if (asprintf(&source->spill_path, "%s/histree", io_temporary_folder()) < 0)
		source->spill_path = NULL;
	if (source->spill_path == NULL)
		return error_memory(error, "a path");
	if (source->tables.folder == NULL && !table_space_init(&source->tables, source->spill_path, PACKED_TABLES))
		return error_memory(error, "a path");
	enum histree_status status =
		record_sort_create(source->io, source->spill_path, source->memory_max, &source->sort, error);
	if (status == HISTREE_OK)
		status = source->reader->read(source, error);
	trace_bytes_close(&source->content);
	if (status == HISTREE_OK)
		status = spilled(record_sort_finish(source->sort, error), error);
	source->is_read = status == HISTREE_OK;
	return status;
}

/* ---- handing out ----------------------------------------------------------------------------------------- */

static enum histree_status has_changed(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_IO, "the temporary file of sorted events has changed");
}

/* Returns HISTREE_NOT_FOUND for a gap before the first event: what was before that is not known anyway. */
static enum histree_status put_gap(struct trace_stream *stream, struct byte_reader *reader, int32_t cpu,
				   histree_time begin, histree_time shift, struct histree_error *error)
{
	histree_time end = unzigzag(read_varint(reader));
	end = end == INT64_MAX ? end : end + shift;
	uint64_t events = read_varint(reader);
	if (reader->failed)
		return has_changed(error);
	/* What has no time may have come at a later one. */
	begin = stream->has_events && begin < stream->last ? stream->last : begin;
	if (!stream->has_events || end < begin)
		return HISTREE_NOT_FOUND;
	stream->gap = (struct event_gap){
		.trace = stream->trace, .cpu = cpu, .begin = begin, .end = end, .events = events
	};
	stream->has_gap = true;
	trace_stream_put_gap(stream);
	return HISTREE_OK;
}

static enum histree_status put_event(struct packed_source *source, struct byte_reader *reader, int32_t cpu,
				     uint64_t number, histree_time time, struct histree_error *error)
{
	if (number >= source->class_count)
		return has_changed(error);
	const struct event_class *class = &source->classes[number]->class;
	packed_cells_read(reader, source->cells, class->field_count);
	if (reader->failed)
		return has_changed(error);
	if (time == PACKED_NO_TIME)
		time = source->first != INT64_MAX ? source->first : 0;
	const struct event event = {
		.time = time + source->shift, .cpu = cpu, .class = class, .handle = source->cells
	};
	trace_stream_put(&source->stream, &event);
	return HISTREE_OK;
}

static enum histree_status packed_source_next(struct trace_stream *stream, struct histree_error *error)
{
	struct packed_source *source =
		(struct packed_source *)((char *)stream - offsetof(struct packed_source, stream));
	struct sorted_record record;
	enum histree_status status;
	stream->has_upcoming = false;
	do {
		status = record_sort_next(source->sort, &record, error);
		if (status != HISTREE_OK)
			return status;
		if (source->given++ % STEPS_PER_LOOK == 0)
			table_space_look(&source->tables);
		struct byte_reader reader = byte_reader(record.bytes, record.size);
		histree_time time = (histree_time)(record.key ^ UINT64_C(1) << 63);
		uint64_t class = read_varint(&reader);
		int32_t cpu = (int32_t)((int64_t)read_varint(&reader) - 1);
		status = class == 0 ? put_gap(stream, &reader, cpu, time + source->shift, source->shift, error)
				    : put_event(source, &reader, cpu, class - 1, time, error);
	} while (status == HISTREE_NOT_FOUND);
	return status;
}

static const struct trace_stream_kind stream_kind = { .next = packed_source_next };

enum histree_status packed_source_open(struct trace_source *base, const struct trace_opening *opening,
				       struct histree_error *error)
{
	struct packed_source *source = (struct packed_source *)base;
	enum histree_status status = trace_source_add(base, &source->stream, &stream_kind, 0, base->path, error);
	source->work = opening->work;
	if (status == HISTREE_OK)
		status = read_all(source, error);
	source->work = NULL;
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", base->path);
	return status;
}

/* Classes keep their numbers. */
void packed_source_leave(struct trace_source *base)
{
	struct packed_source *source = (struct packed_source *)base;
	record_sort_free(source->sort);
	source->sort = NULL;
	source->added = source->given = source->disorder = 0;
	source->shift = 0;
	source->first = INT64_MAX;
	source->last = INT64_MIN;
	source->is_read = false;
}

/* ---- classes --------------------------------------------------------------------------------------------- */

/* What tells classes from one another, as one text: the trace, the name, the fields, and which are the payload. */
static char *make_key(const struct event_class *as, size_t *size)
{
	char *key = NULL;
	FILE *file = open_memstream(&key, size);
	if (file == NULL)
		return NULL;
	fprintf(file, "%p %u %s", (const void *)as->trace, as->payload_count, as->name);
	for (uint32_t i = 0; i < as->field_count; i++)
		fprintf(file, "%c%s", '\0', as->fields[i]);
	if (fclose(file) == 0)
		return key;
	free(key);
	return NULL;
}

static struct packed_class *copy_class(struct packed_source *source, const struct event_class *as)
{
	struct arena *memory = &source->class_memory;
	struct packed_class *class = arena_allocate(memory, sizeof(*class), _Alignof(struct packed_class));
	const char **fields =
		arena_allocate(memory, (as->field_count + (size_t)1) * sizeof(char *), _Alignof(char *));
	const char *name = arena_copy(memory, as->name, strlen(as->name));
	if (class == NULL || fields == NULL || name == NULL)
		return NULL;
	for (uint32_t i = 0; i < as->field_count; i++) {
		fields[i] = arena_copy(memory, as->fields[i], strlen(as->fields[i]));
		if (fields[i] == NULL)
			return NULL;
	}
	*class = (struct packed_class){
		.class = { .trace = as->trace,
			   .id = *source->base.class_count,
			   .name = name,
			   .fields = fields,
			   .field_count = as->field_count,
			   .payload_count = as->payload_count },
		.number = (uint32_t)source->class_count,
	};
	return class;
}

static struct packed_class *add_class(struct packed_source *source, const struct event_class *as, const char *key,
				      size_t key_size, struct histree_error *error)
{
	if (as->field_count > PACKED_FIELDS_MAX || source->class_count == PACKED_CLASSES_MAX) {
		error_set(error, HISTREE_ERR_TRACE,
			  "'%.80s' is one class of events more than %d, or has more than %d fields", as->name,
			  PACKED_CLASSES_MAX, PACKED_FIELDS_MAX);
		return NULL;
	}
	struct packed_class *class = copy_class(source, as);
	if (class == NULL || !array_reserve(&source->classes, &source->class_capacity, source->class_count + 1) ||
	    !array_reserve(&source->cells, &source->cell_capacity, (size_t)as->field_count + 1) ||
	    intern_add(&source->class_keys, key, key_size) != class->number) {
		error_memory(error, "the classes of events");
		return NULL;
	}
	source->classes[source->class_count++] = class;
	++*source->base.class_count;
	if (as->trace == &source->base.trace && event_name_is_system_call(as->name, strlen(as->name)))
		source->base.trace.declares |= EVENT_DECLARES_SYSTEM_CALLS;
	return class;
}

const struct packed_class *packed_source_class(struct packed_source *source, const struct event_class *as,
					       struct histree_error *error)
{
	struct event_class wanted = *as;
	size_t size;
	wanted.trace = as->trace != NULL ? as->trace : &source->base.trace;
	char *key = make_key(&wanted, &size);
	if (key == NULL) {
		error_memory(error, "the classes of events");
		return NULL;
	}
	uint32_t number = intern_find(&source->class_keys, key, size);
	const struct packed_class *class =
		number != INTERN_NONE ? source->classes[number] : add_class(source, &wanted, key, size, error);
	free(key);
	return class;
}

/* ---- what is known of it --------------------------------------------------------------------------------- */

static uint64_t bytes_read(const struct packed_source *source)
{
	return source->reader->bytes_read != NULL ? source->reader->bytes_read(source) : source->content.taken;
}

/* Half of it is to read the file, the other half to hand out what was in it. */
uint64_t packed_source_bytes_done(const struct trace_source *base)
{
	const struct packed_source *source = (const struct packed_source *)base;
	if (!source->is_read)
		return source->sort != NULL ? bytes_read(source) / 2 : 0;
	if (source->given >= source->added)
		return base->bytes;
	double share = (double)source->given / (double)source->added;
	return base->bytes / 2 + (uint64_t)((double)(base->bytes - base->bytes / 2) * share);
}
