// SPDX-License-Identifier: MIT
/*
 * dat_stream.c - a trace.dat as a source: a stream for each CPU of each buffer, page by page, and gaps where the
 * kernel lost events.
 *
 * No event reaches beyond its page.
 */
#include "trace/trace_cmd/dat_stream.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "event/event.h"
#include "trace/formats.h"
#include "trace/packed/packed_markers.h"
#include "trace/trace_cmd/dat_file.h"
#include "trace/trace_source.h"
#include "trace/tracepoint.h"

/* ---- ring page ----------------------------------------------------------------------------------------------- */

enum { TYPE_LONG = 0, TYPE_PADDING = 29, TYPE_TIME_EXTEND = 30, TYPE_TIME_STAMP = 31, DELTA_BITS = 27 };

#define DELTA_MASK ((UINT32_C(1) << DELTA_BITS) - 1)
#define COMMIT_MASK ((UINT32_C(1) << 27) - 1)
#define MISSED (UINT32_C(1) << 31)
#define MISSED_STORED (UINT32_C(1) << 30)
#define STAMP_TOP_BITS (UINT64_C(0xf8) << 56) /* that a time of 59 bits does not have */
static uint64_t read_long(const uint8_t *at, uint32_t size, bool is_big)
{
	return size == 8 ? ordered_u64(at, is_big) : ordered_u32(at, is_big);
}

bool ring_page_open(struct ring_page *page, const struct tracing_page *layout, bool is_big, const uint8_t *bytes,
		    size_t size, size_t page_size)
{
	if (size < layout->begin || page_size < layout->begin)
		return false;
	uint32_t commit = (uint32_t)read_long(bytes + 8, layout->long_size, is_big), length = commit & COMMIT_MASK;
	if (length > page_size - layout->begin)
		return false;
	uint32_t end = layout->begin + length;
	*page = (struct ring_page){
		.bytes = bytes,
		.at = layout->begin,
		.end = end <= size ? end : (uint32_t)size,
		.is_big = is_big,
		.is_cut = end > size,
		.stamp = ordered_u64(bytes, is_big),
		.has_loss = (commit & MISSED) != 0,
	};
	/* The count is behind the entries. */
	if (page->has_loss && (commit & MISSED_STORED) != 0 && layout->long_size <= size - page->end &&
	    !page->is_cut)
		page->lost = read_long(bytes + end, layout->long_size, is_big);
	return true;
}

/* The entry needs bytes that are not there. */
static enum ring_outcome lacks(const struct ring_page *page)
{
	return page->is_cut ? RING_CUT : RING_DAMAGED;
}

enum ring_outcome ring_page_next(struct ring_page *page)
{
	for (;;) {
		uint32_t left = page->end - page->at;
		const uint8_t *at = page->bytes + page->at;
		if (left < 4)
			return left > 0 || page->is_cut ? lacks(page) : RING_END;
		uint32_t word = ordered_u32(at, page->is_big);
		uint32_t type = page->is_big ? word >> DELTA_BITS : word & 31;
		uint64_t delta = page->is_big ? word & DELTA_MASK : word >> 5;
		bool has_word = type == TYPE_LONG || type >= TYPE_PADDING;
		if (has_word && left < 8) {
			/* The rest of a page that is no entry any more. */
			if (type == TYPE_PADDING && delta == 0)
				return RING_END;
			return lacks(page);
		}
		uint64_t next = has_word ? ordered_u32(at + 4, page->is_big) : 0;
		switch (type) {
		case TYPE_PADDING:
			if (delta == 0)
				return RING_END;
			page->stamp += delta;
			next = 4 + next;
			break;
		case TYPE_TIME_EXTEND:
			page->stamp += (next << DELTA_BITS) + delta;
			next = 8;
			break;
		case TYPE_TIME_STAMP:
			page->stamp = (page->stamp & STAMP_TOP_BITS) | ((next << DELTA_BITS) + delta);
			next = 8;
			break;
		case TYPE_LONG:
			page->stamp += delta;
			if (next <= 4 || next > left - 4)
				return lacks(page);
			page->event = at + 8;
			page->event_size = (uint32_t)next - 4;
			next = 4 + (next + 3) / 4 * 4;
			page->at += (uint32_t)(next < left ? next : left);
			return RING_EVENT;
		default:
			page->stamp += delta;
			if (4 * type > left - 4)
				return lacks(page);
			page->event = at + 4;
			page->event_size = 4 * type;
			page->at += 4 + 4 * type;
			return RING_EVENT;
		}
		if (next > left)
			return lacks(page);
		page->at += (uint32_t)next;
	}
}

/* ---- dat stream ---------------------------------------------------------------------------------------------- */

enum { DAT_CLASSES_MAX = 1 << 16 };

/* ---- dat class ----------------------------------------------------------------------------------------------- */

/* Returns NULL when memory runs out. */
static struct dat_class *make_class(const struct tracepoint *tracepoint, struct dat_file *file,
				    const struct event_trace *trace, uint32_t id)
{
	struct arena *memory = &file->memory;
	const uint32_t field_count = tracepoint->field_count + (file->processes.count > 0 ? 1 : 0);
	char name[256];
	int size = snprintf(name, sizeof(name), "%s:%s", tracepoint->system, tracepoint->name);
	const char *copy = arena_copy(memory, name, size < (int)sizeof(name) ? (size_t)size : sizeof(name) - 1);
	struct dat_class *class = arena_allocate(memory, sizeof(*class), alignof(struct dat_class));
	const char **fields =
		arena_allocate(memory, (tracepoint->field_count + 1) * sizeof(char *), alignof(char *));
	if (copy == NULL || class == NULL || fields == NULL)
		return NULL;
	const struct tracepoint_field *pid = NULL, *mark = NULL;
	const bool is_print = strcmp(copy, "ftrace:print") == 0;
	fields[tracepoint->field_count] = "common_tgid";
	for (uint32_t i = 0; i < tracepoint->field_count; i++) {
		fields[i] = tracepoint->fields[i].name;
		if (strcmp(fields[i], "common_pid") == 0)
			pid = &tracepoint->fields[i];
		else if (is_print && strcmp(fields[i], "buf") == 0)
			mark = &tracepoint->fields[i];
	}
	*class = (struct dat_class){
		.class = { .trace = trace,
			   .id = id,
			   .name = copy,
			   .field_count = field_count,
			   .fields = fields,
			   .payload_count = field_count },
		.tracepoint = tracepoint,
		.processes = &file->processes,
		.pid = pid,
		.is_call = strcmp(copy, "ftrace:funcgraph_entry") == 0,
		.mark = mark,
	};
	return class;
}

/*
 * Find, or make, the class of a number; *out is NULL if the file does not describe it.  Returns HISTREE_ERR_MEMORY.
 */
static enum histree_status dat_classes_find(struct dat_classes *classes, struct dat_file *file, uint16_t number,
					    const struct event_trace *trace, uint32_t *class_count,
					    const struct dat_class **out, struct histree_error *error)
{
	struct dat_class **class = &classes->of[number];
	if (*class == NULL) {
		const struct tracepoint *tracepoint = id_map_find(&file->tracepoints, number);
		if (tracepoint != NULL) {
			*class = make_class(tracepoint, file, trace, *class_count);
			if (*class == NULL)
				return error_memory(error, "the classes of events");
			++*class_count;
		}
	}
	*out = *class;
	return HISTREE_OK;
}

/* Of which process the thread is in which the event happened. */
static bool process_of(const struct dat_class *class, struct tracepoint_bytes bytes, int64_t *out)
{
	int64_t tid;
	if (class->pid == NULL || !tracepoint_field_int(class->pid, bytes, &tid))
		return false;
	*out = (int64_t)(uintptr_t)id_map_find(class->processes, (uint64_t)tid);
	return *out > 0;
}

/* The two functions of struct event_trace; a handle is a struct tracepoint_bytes. */
static bool dat_event_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct dat_class *class = (const struct dat_class *)event->class;
	const struct tracepoint_bytes *bytes = event->handle;
	if (field >= class->class.field_count)
		return false;
	return field < class->tracepoint->field_count
		       ? tracepoint_field_int(&class->tracepoint->fields[field], *bytes, out)
		       : process_of(class, *bytes, out);
}

static bool dat_event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct dat_class *class = (const struct dat_class *)event->class;
	const struct tracepoint_bytes *bytes = event->handle;
	return field < class->tracepoint->field_count &&
	       tracepoint_field_text(&class->tracepoint->fields[field], *bytes, text, size);
}

/* ---- dat pages ----------------------------------------------------------------------------------------------- */

/* trace-cmd packs 10 pages together. */
enum { CHUNK_PAGES_MAX = 64, CHUNK_HEAD_SIZE = 8, COUNT_SIZE = 4 };

/* ---- how many there are ---------------------------------------------------------------------------------- */

/* Read `size` bytes that are only looked at here and there. */
static enum histree_status read_few(struct trace_window *window, uint64_t offset, size_t size,
				    struct histree_error *error)
{
	enum histree_status status = trace_window_move(window, offset, size, error);
	return status == HISTREE_OK && window->count < size ? HISTREE_END : status;
}

/* Returns HISTREE_END if it is not a chunk, or is not whole before `end`. */
static enum histree_status add_chunk(struct dat_pages *pages, struct trace_window *window, uint64_t *at,
				     uint64_t end, struct histree_error *error)
{
	const struct dat_file *file = pages->file;
	if (end - *at < CHUNK_HEAD_SIZE)
		return HISTREE_END;
	enum histree_status status = read_few(window, *at, CHUNK_HEAD_SIZE, error);
	if (status != HISTREE_OK)
		return status;
	struct dat_chunk chunk = {
		.offset = *at + CHUNK_HEAD_SIZE,
		.size = ordered_u32(window->bytes, file->is_big),
		.plain_size = ordered_u32(window->bytes + 4, file->is_big),
		.begin = pages->plain_size,
	};
	if (chunk.size == 0 || chunk.plain_size == 0 || chunk.size > end - chunk.offset ||
	    chunk.plain_size > CHUNK_PAGES_MAX * (uint64_t)pages->buffer->page_size)
		return HISTREE_END;
	if (!array_reserve(&pages->chunks, &pages->chunk_capacity, pages->chunk_count + 1))
		return error_memory(error, "the pages of a CPU");
	pages->chunks[pages->chunk_count++] = chunk;
	pages->plain_size += chunk.plain_size;
	if (chunk.plain_size > pages->chunk_size_max)
		pages->chunk_size_max = chunk.plain_size;
	*at = chunk.offset + chunk.size;
	return HISTREE_OK;
}

static enum histree_status find_chunks(struct dat_pages *pages, struct histree_error *error)
{
	struct trace_window window;
	uint64_t at = pages->cpu->offset, file_size = pages->file->size;
	trace_window_init(&window, pages->file->io, pages->file->path, true);
	enum histree_status status = at < file_size ? read_few(&window, at, COUNT_SIZE, error) : HISTREE_END;
	uint32_t count = status == HISTREE_OK ? ordered_u32(window.bytes, pages->file->is_big) : 0;
	at += COUNT_SIZE;
	/* The size for a CPU is that of its chunks, without their count. */
	uint64_t end = pages->cpu->size < file_size - at ? at + pages->cpu->size : file_size;
	for (; status == HISTREE_OK && count > 0; count--)
		status = add_chunk(pages, &window, &at, end, error);
	pages->is_cut = status == HISTREE_END;
	trace_window_release(&window);
	return status < 0 ? status : HISTREE_OK;
}

/* Find out how many there are.  `pages` is zeroed.  Returns HISTREE_ERR_IO, HISTREE_ERR_MEMORY. */
static enum histree_status dat_pages_find(struct dat_pages *pages, const struct dat_file *file,
					  const struct dat_buffer *buffer, const struct dat_cpu *cpu,
					  struct histree_error *error)
{
	pages->file = file;
	pages->buffer = buffer;
	pages->cpu = cpu;
	if (buffer->is_packed) {
		enum histree_status status = find_chunks(pages, error);
		if (status != HISTREE_OK)
			return status;
	} else {
		uint64_t there = cpu->offset < file->size ? file->size - cpu->offset : 0;
		pages->is_cut = cpu->size > there;
		pages->plain_size = pages->is_cut ? there : cpu->size;
	}
	pages->count = pages->plain_size / buffer->page_size + (pages->plain_size % buffer->page_size != 0);
	return HISTREE_OK;
}

/* ---- one of them ----------------------------------------------------------------------------------------- */

/* Prepare for reading, at least this many bytes of the file at a time. */
static void dat_pages_open(struct dat_pages *pages, size_t window_size, bool stays_open)
{
	size_t page = pages->buffer->page_size;
	pages->window_size = window_size < page ? page : window_size / page * page;
	trace_window_init(&pages->window, pages->file->io, pages->file->path, stays_open);
}

/* Returns the chunk that a plain byte is in. */
static size_t chunk_of(const struct dat_pages *pages, uint64_t at)
{
	const size_t low = SEARCH(i, 1, pages->chunk_count, pages->chunks[i].begin <= at) - 1;
	return low;
}

static enum histree_status unpack(struct dat_pages *pages, size_t number, struct histree_error *error)
{
	const struct dat_chunk *chunk = &pages->chunks[number];
	if (pages->has_unpacked && pages->unpacked == number)
		return HISTREE_OK;
	if (pages->plain == NULL)
		pages->plain = malloc(pages->chunk_size_max);
	if (pages->plain == NULL)
		return error_memory(error, "the pages of a CPU");
	pages->has_unpacked = false;
	enum histree_status status = trace_window_move(&pages->window, chunk->offset, chunk->size, error);
	if (status != HISTREE_OK)
		return status;
	if (pages->window.count < chunk->size ||
	    !dat_unpack(pages->file->packing, pages->window.bytes, chunk->size, pages->plain, chunk->plain_size))
		return error_set(error, HISTREE_ERR_TRACE, "it cannot be unpacked");
	pages->unpacked = number;
	pages->has_unpacked = true;
	return HISTREE_OK;
}

/*
 * Returns a page and how many bytes of it are there, which are valid until the next.  HISTREE_ERR_TRACE: it is
 * damaged; HISTREE_ERR_IO, HISTREE_ERR_MEMORY.
 */
static enum histree_status dat_pages_load(struct dat_pages *pages, uint64_t number, const uint8_t **out,
					  size_t *size, struct histree_error *error)
{
	uint64_t at = number * pages->buffer->page_size, left = pages->plain_size - at;
	*size = left < pages->buffer->page_size ? (size_t)left : pages->buffer->page_size;
	if (pages->buffer->is_packed) {
		size_t of = chunk_of(pages, at);
		const struct dat_chunk *chunk = &pages->chunks[of];
		enum histree_status status = unpack(pages, of, error);
		if (status != HISTREE_OK)
			return status;
		size_t inside = (size_t)(at - chunk->begin);
		if (*size > chunk->plain_size - inside)
			*size = chunk->plain_size - inside;
		*out = pages->plain + inside;
		return HISTREE_OK;
	}
	struct trace_window *window = &pages->window;
	uint64_t offset = pages->cpu->offset + at;
	if (offset < window->offset || offset + *size > window->offset + window->count) {
		size_t wanted = left < pages->window_size ? (size_t)left : pages->window_size;
		enum histree_status status = trace_window_move(window, offset, wanted, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (window->count < offset - window->offset + *size)
		return error_set(error, HISTREE_ERR_TRACE, "the file has become shorter");
	*out = window->bytes + (offset - window->offset);
	return HISTREE_OK;
}

/* Returns the first page behind one that could not be loaded that is not damaged with it. */
static uint64_t dat_pages_behind(const struct dat_pages *pages, uint64_t number)
{
	uint32_t page = pages->buffer->page_size;
	if (!pages->buffer->is_packed)
		return number + 1;
	const struct dat_chunk *chunk = &pages->chunks[chunk_of(pages, number * page)];
	uint64_t end = chunk->begin + chunk->plain_size;
	return end / page + (end % page != 0);
}

/* It can be opened again. */
static void dat_pages_close(struct dat_pages *pages)
{
	trace_window_release(&pages->window);
	free(pages->plain);
	pages->plain = NULL;
	pages->has_unpacked = false;
}

/* ---- dat stream ---------------------------------------------------------------------------------------------- */

/* A packet is the number of a page. */
static void dat_stream_position(const struct trace_stream *base, struct trace_position *out)
{
	const struct dat_stream *stream = (const struct dat_stream *)base;
	out->packet = stream->next_page - stream->is_in_page;
	out->events = stream->page_events - (stream->base.upcoming.gap == NULL);
}

/* ---- losses ---------------------------------------------------------------------------------------------- */

static histree_time time_of(const struct dat_stream *stream, uint64_t stamp)
{
	histree_time time;
	return dat_clock_time(&stream->file->clock, stream->pages.cpu->number, stamp, &time) ? time : INT64_MIN;
}

/* What is missing lies before a time, or before the end. */
static void note_loss(struct dat_stream *stream, histree_time end)
{
	struct trace_span span = { .begin = INT64_MIN, .end = end };
	stream->has_loss = false;
	trace_stream_lose(&stream->base, span, stream->lost);
	stream->lost = 0;
}

/* The kernel says with a page that it had no room for what came before. */
static void read_loss(struct dat_stream *stream)
{
	const struct ring_page *page = &stream->page;
	struct trace_stream *base = &stream->base;
	struct trace_span span = { .begin = base->has_events ? base->last : INT64_MIN,
				   .end = time_of(stream, page->stamp) };
	trace_stream_note_loss(base, "event", page->lost > 0 ? &page->lost : NULL, span);
	base->notes->report.discarded_events += page->lost;
	stream->has_loss = true;
	stream->lost += page->lost;
}

/* A page costs itself, from its damage on. */
static void leave_page(struct dat_stream *stream, uint64_t page, const char *why)
{
	bool is_expected = stream->pages.is_cut && page + 1 >= stream->pages.count;
	if (!is_expected)
		trace_notes_warn(stream->base.notes,
				 "%s: page %" PRIu64 " cannot be decoded (%s); the events before that are read",
				 stream->base.name, page, why);
	if (!stream->is_damaged)
		stream->base.notes->report.damaged_streams++;
	stream->is_damaged = stream->has_loss = true;
	stream->is_in_page = false;
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

/* Begin the next sound page.  Returns HISTREE_END after the last one. */
static enum histree_status open_page(struct dat_stream *stream, struct histree_error *error)
{
	while (stream->next_page < stream->pages.count) {
		const uint8_t *bytes;
		size_t size;
		struct histree_error why;
		uint64_t number = stream->next_page++;
		stream->page_events = 0;
		enum histree_status status = dat_pages_load(&stream->pages, number, &bytes, &size, &why);
		if (status == HISTREE_ERR_MEMORY)
			return error_memory(error, "a page of a trace");
		if (status != HISTREE_OK) {
			stream->next_page = dat_pages_behind(&stream->pages, number);
			leave_page(stream, number, why.message);
			continue;
		}
		stream->is_in_page = ring_page_open(&stream->page, &stream->file->page, stream->file->is_big, bytes,
						    size, stream->pages.buffer->page_size);
		if (!stream->is_in_page) {
			leave_page(stream, number, "its head is malformed");
			continue;
		}
		if (stream->page.has_loss)
			read_loss(stream);
		if (stream->has_loss)
			note_loss(stream, time_of(stream, stream->page.stamp));
		return HISTREE_OK;
	}
	return HISTREE_END;
}

static void end_stream(struct dat_stream *stream)
{
	if (stream->is_done)
		return;
	stream->is_done = true;
	if (stream->pages.is_cut) {
		trace_notes_warn(stream->base.notes, "%s: it was cut short; the events that it has are read",
				 stream->base.name);
		if (!stream->is_damaged)
			stream->base.notes->report.damaged_streams++;
		stream->is_damaged = stream->has_loss = true;
	}
	if (stream->unknown > 0)
		trace_notes_warn(stream->base.notes,
				 "%s: %" PRIu64 " event%s %s of no class that the file describes, and left out",
				 stream->base.name, stream->unknown, stream->unknown == 1 ? "" : "s",
				 stream->unknown == 1 ? "is" : "are");
	if (stream->has_loss)
		note_loss(stream, INT64_MAX);
	if (stream->classes->have_spans && !stream->classes->is_told)
		trace_notes_warn(
			stream->base.notes,
			"%s: calls of functions, or what programs marked, are only events here: 'trace-cmd "
			"report -t' writes a text of which they are spans",
			stream->base.name);
	stream->classes->is_told = stream->classes->have_spans;
	trace_stream_end(&stream->base);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* Calls of functions, and markers of programs, are spans in texts. */
static bool says_of_span(const struct dat_class *class, struct tracepoint_bytes event)
{
	const char *text;
	size_t size;
	return class->is_call || (class->mark != NULL && tracepoint_field_text(class->mark, event, &text, &size) &&
				  packed_marker_is(text, size));
}

/* Make the event of the page the upcoming one.  HISTREE_END: it is not handed out. */
static enum histree_status put_event(struct dat_stream *stream, struct histree_error *error)
{
	const struct ring_page *page = &stream->page;
	const struct dat_class *class = NULL;
	uint32_t cpu = stream->pages.cpu->number;
	uint16_t number = ordered_u16(page->event, page->is_big); /* common_type; an event has 4 bytes at least */
	enum histree_status status = dat_classes_find(stream->classes, stream->file, number, stream->base.trace,
						      stream->class_count, &class, error);
	if (status != HISTREE_OK)
		return status;
	if (class == NULL) {
		stream->unknown++;
		return HISTREE_END;
	}
	struct event event = { .cpu = (int32_t)cpu, .class = &class->class, .handle = &stream->current };
	if (!dat_clock_time(&stream->file->clock, cpu, page->stamp, &event.time)) {
		leave_page(stream, stream->next_page - 1, "an event has no time");
		return HISTREE_END;
	}
	stream->current.bytes = page->event;
	stream->current.size = page->event_size;
	stream->page_events++;
	if (class->is_call || class->mark != NULL)
		stream->classes->have_spans = stream->classes->have_spans || says_of_span(class, stream->current);
	trace_stream_put(&stream->base, &event);
	return HISTREE_OK;
}

static enum histree_status dat_stream_next(struct trace_stream *base, struct histree_error *error)
{
	struct dat_stream *stream = (struct dat_stream *)base;
	stream->base.has_upcoming = false;
	for (;;) {
		if (!stream->is_in_page) {
			enum histree_status status = open_page(stream, error);
			if (status == HISTREE_END)
				end_stream(stream);
			if (status < 0)
				return status;
			if (trace_stream_put_gap(&stream->base))
				return HISTREE_OK;
			if (status == HISTREE_END)
				return HISTREE_END;
		}
		enum ring_outcome outcome = ring_page_next(&stream->page);
		if (outcome == RING_EVENT) {
			enum histree_status status = put_event(stream, error);
			if (status != HISTREE_END)
				return status;
		} else if (outcome == RING_END) {
			stream->is_in_page = false;
		} else {
			leave_page(stream, stream->next_page - 1,
				   outcome == RING_CUT ? "it is cut short" : "an entry reaches behind its end");
		}
	}
}

/* ---- dat source ---------------------------------------------------------------------------------------------- */

/* Of the chunks of all CPUs, one each; trace-cmd's are 40 KiB of a usual page size. */
enum { UNPACKED_SIZE_MAX = 256 << 20 };

struct dat_source {
	struct trace_source base;
	struct dat_file file;
	struct dat_classes classes;
	struct dat_stream *all;
};

/* ---- what there is --------------------------------------------------------------------------------------- */

/* "FILE: CPU 3", "FILE: buffer NAME, CPU 3": numbers of one width, as streams go by their names. */
static const char *name_of(struct dat_source *source, const struct dat_buffer *buffer, uint32_t cpu)
{
	char *name;
	bool is_instance = buffer->name[0] != '\0';
	int size = asprintf(&name, "%s: %s%s%sCPU %*" PRIu32, source->base.path, is_instance ? "buffer " : "",
			    buffer->name, is_instance ? ", " : "", source->file.cpu_count > 10 ? 4 : 1, cpu);
	if (size < 0)
		return NULL;
	const char *copy = arena_copy(&source->file.memory, name, (size_t)size);
	free(name);
	return copy;
}

static enum histree_status add_stream(struct dat_source *source, const struct dat_buffer *buffer,
				      const struct dat_cpu *cpu, struct histree_error *error)
{
	struct trace_source *base = &source->base;
	struct dat_stream *stream = &source->all[base->file_count];
	*stream = (struct dat_stream){ .file = &source->file,
				       .classes = &source->classes,
				       .class_count = base->class_count };
	stream->base.name = name_of(source, buffer, cpu->number);
	if (stream->base.name == NULL)
		return error_memory(error, "the streams of a trace");
	enum histree_status status = dat_pages_find(&stream->pages, &source->file, buffer, cpu, error);
	base->file_count++;
	return status;
}

static enum histree_status find_streams(struct dat_source *source, struct histree_error *error)
{
	const struct dat_file *file = &source->file;
	size_t count = 0;
	uint64_t unpacked = 0;
	for (size_t i = 0; i < file->buffer_count; i++)
		count += file->buffers[i].cpu_count;
	source->all = calloc(count + 1, sizeof(*source->all));
	source->classes.of = calloc(DAT_CLASSES_MAX, sizeof(struct dat_class *));
	if (source->all == NULL || source->classes.of == NULL)
		return error_memory(error, "the streams of a trace");
	for (size_t i = 0; i < file->buffer_count; i++)
		for (uint32_t cpu = 0; cpu < file->buffers[i].cpu_count; cpu++) {
			enum histree_status status =
				add_stream(source, &file->buffers[i], &file->buffers[i].cpus[cpu], error);
			if (status != HISTREE_OK)
				return status;
			unpacked += source->all[source->base.file_count - 1].pages.chunk_size_max;
		}
	if (unpacked > UNPACKED_SIZE_MAX)
		return error_set(error, HISTREE_ERR_TRACE,
				 "its CPUs need %" PRIu64 " MiB to unpack one piece each, and %d are the limit; "
				 "convert it with 'trace-cmd convert --compression none -i FILE -o FILE'",
				 unpacked >> 20, UNPACKED_SIZE_MAX >> 20);
	return HISTREE_OK;
}

/* Times of such a clock are cycles, or a count of events. */
static bool is_in_ns(const struct dat_file *file, const char *clock)
{
	static const char *const others[] = { "counter", "x86-tsc", "ppc-tb", "x86-tsc-kvm" };
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(clock, others[i]) == 0)
			return file->clock.multiplier != 0 && strcmp(clock, "counter") != 0;
	return true;
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	struct dat_source *source = (struct dat_source *)base;
	enum histree_status status = dat_file_open(&source->file, base->io, base->path, error);
	if (status == HISTREE_OK)
		status = find_streams(source, error);
	if (status != HISTREE_OK) {
		error_prefix(error, "trace \"%s\"", base->path);
		return status;
	}
	const struct dat_file *file = &source->file;
	for (size_t i = 0; i < file->buffer_count; i++) {
		const struct dat_buffer *buffer = &file->buffers[i];
		if (buffer->is_lost)
			trace_notes_warn(
				source->base.notes,
				"%s: where the events of buffer '%s' are is cut off or damaged; it is left out",
				source->base.path, buffer->name);
		if (!is_in_ns(file, buffer->clock))
			trace_notes_warn(source->base.notes,
					 "%s: its clock '%s' does not tell ns; a tick is shown as 1 ns",
					 source->base.path, buffer->clock);
		else if (strcmp(buffer->clock, file->buffers[0].clock) != 0)
			trace_notes_warn(source->base.notes,
					 "%s: buffer '%s' has the clock '%s', and the others '%s': their times "
					 "cannot be compared",
					 source->base.path, buffer->name, buffer->clock, file->buffers[0].clock);
	}
	base->facts = source->file.facts;
	base->bytes = source->file.size;
	trace_source_describe(base, "kernel", "trace-cmd");
	base->trace.tracer_major = source->file.major;
	base->trace.tracer_minor = source->file.minor;
	base->trace.machine = source->file.machine;
	base->trace.has_new_task_states =
		tracepoint_has_new_task_states(source->file.zombie_bit, base->facts.kernel);
	base->trace.get_int = dat_event_int;
	base->trace.get_string = dat_event_string;
	return HISTREE_OK;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

static const struct trace_stream_kind stream_kind = { .next = dat_stream_next, .position = dat_stream_position };

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct dat_source *source = (struct dat_source *)base;
	for (size_t i = 0; i < base->file_count; i++) {
		struct dat_stream *stream = &source->all[i];
		const struct trace_position *at = opening->positions == NULL ? NULL : &opening->positions[i];
		uint64_t count = stream->pages.count;
		enum histree_status status =
			trace_source_add(base, &stream->base, &stream_kind, i, stream->base.name, error);
		if (status != HISTREE_OK)
			return status;
		dat_pages_open(&stream->pages, opening->window_size, opening->files_stay_open);
		/* Begin at a page. What is above `next_page` is set. */
		stream->next_page = at == NULL ? 0 : at->packet == TRACE_FILE_DONE ? count : at->packet;
		stream->is_in_page = stream->has_loss = stream->is_done = false;
		stream->page_events = stream->lost = stream->unknown = 0;
		stream->current.is_big = stream->file->is_big;
	}
	return HISTREE_OK;
}

static void leave(struct trace_source *base)
{
	struct dat_source *source = (struct dat_source *)base;
	for (size_t i = 0; i < base->file_count; i++)
		dat_pages_close(&source->all[i].pages);
}

/* ---- what is known of it --------------------------------------------------------------------------------- */

static bool has_places(const struct trace_source *base)
{
	return base->file_count > 0;
}

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	return at->packet <= ((const struct dat_source *)base)->all[file].pages.count;
}

/* The events of a page, by its first time and, `is_last`, its last one. */
static bool page_time(struct dat_stream *stream, uint64_t number, bool is_last, histree_time *out)
{
	const uint8_t *bytes;
	size_t size;
	struct ring_page page;
	const struct dat_file *file = stream->file;
	if (dat_pages_load(&stream->pages, number, &bytes, &size, NULL) != HISTREE_OK ||
	    !ring_page_open(&page, &file->page, file->is_big, bytes, size, stream->pages.buffer->page_size))
		return false;
	while (is_last && ring_page_next(&page) == RING_EVENT)
		continue;
	return dat_clock_time(&file->clock, stream->pages.cpu->number, page.stamp, out);
}

static bool span(const struct trace_source *base, histree_time *begin, histree_time *end)
{
	const struct dat_source *source = (const struct dat_source *)base;
	bool is_known = false;
	*begin = INT64_MAX;
	*end = INT64_MIN;
	for (size_t i = 0; i < base->file_count; i++) {
		struct dat_stream *stream = &source->all[i];
		histree_time first, last;
		if (stream->pages.count == 0)
			continue;
		dat_pages_open(&stream->pages, 0, false);
		bool has_both = page_time(stream, 0, false, &first) &&
				page_time(stream, stream->pages.count - 1, true, &last);
		dat_pages_close(&stream->pages);
		if (!has_both)
			return false;
		is_known = true;
		if (first < *begin)
			*begin = first;
		if (last > *end)
			*end = last;
	}
	return is_known;
}

static uint64_t bytes_done(const struct trace_source *base)
{
	const struct dat_source *source = (const struct dat_source *)base;
	uint64_t pages = 0, done = 0;
	for (size_t i = 0; i < base->file_count; i++) {
		pages += source->all[i].pages.count;
		done += source->all[i].is_done ? source->all[i].pages.count : source->all[i].next_page;
	}
	return done >= pages ? base->bytes : (uint64_t)((double)base->bytes * (double)done / (double)pages);
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	struct dat_file file = { 0 };
	enum histree_status status = dat_file_open(&file, &io_posix, path, error);
	if (status == HISTREE_OK)
		*out = file.facts;
	else
		error_prefix(error, "trace \"%s\"", path);
	dat_file_close(&file);
	return status;
}

static void release(struct trace_source *base)
{
	struct dat_source *source = (struct dat_source *)base;
	for (size_t i = 0; i < base->file_count; i++) {
		struct dat_pages *pages = &source->all[i].pages;
		dat_pages_close(pages);
		free(pages->chunks);
		*pages = (struct dat_pages){ 0 };
	}
	free((void *)source->classes.of);
	source->classes.of = NULL;
	dat_file_close(&source->file);
	free(source->all);
}

const struct trace_format_kind dat_format = {
	.size = sizeof(struct dat_source),
	.reads = "trace.dat",
	.name = DAT_NAME,
	.begins = dat_begins,
	.scan = scan,
	.open = open_streams,
	.leave = leave,
	.has_places = has_places,
	.has_position = has_position,
	.span = span,
	.bytes_done = bytes_done,
	.facts = read_facts,
	.has_states_as_written = true,
	.release = release,
};
