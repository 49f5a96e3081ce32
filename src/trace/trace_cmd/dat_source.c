// SPDX-License-Identifier: MIT
/*
 * dat_source.c - a trace.dat as a source: one file, a stream for each CPU of each buffer.
 */
#include "trace/trace_cmd/dat_source.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/io.h"
#include "trace/trace_cmd/dat_stream.h"

/* Of the chunks of all CPUs, one each; trace-cmd's are 40 KiB of a usual page size. */
enum { UNPACKED_SIZE_MAX = 256 << 20 };

struct dat_source {
	struct trace_source base;
	struct dat_file file;
	struct dat_classes classes;
	struct dat_stream *all;
	struct trace_stream **streams;
};

static struct dat_source *source_of(struct trace_source *base)
{
	return (struct dat_source *)base;
}

static struct trace_source *create(void)
{
	struct dat_source *source = calloc(1, sizeof(*source));
	return source == NULL ? NULL : &source->base;
}

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
	source->streams[base->file_count++] = &stream->base;
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
	source->streams = calloc(count + 1, sizeof(struct trace_stream *));
	if (source->all == NULL || source->streams == NULL || !dat_classes_init(&source->classes))
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

static void note_buffers(struct dat_source *source)
{
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
}

static enum histree_status scan(struct trace_source *base, const char *path, struct histree_error *error)
{
	struct dat_source *source = source_of(base);
	base->path = strdup(path);
	enum histree_status status = base->path == NULL ? error_memory(error, "a path")
							: dat_file_open(&source->file, base->io, base->path, error);
	if (status == HISTREE_OK)
		status = find_streams(source, error);
	if (status != HISTREE_OK) {
		error_prefix(error, "trace \"%s\"", path);
		return status;
	}
	note_buffers(source);
	base->facts = source->file.facts;
	base->bytes = source->file.size;
	base->trace = (struct event_trace){
		.id = base->trace.id,
		.path = base->path,
		.domain = "kernel",
		.tracer_name = "trace-cmd",
		.tracer_major = source->file.major,
		.tracer_minor = source->file.minor,
		.hostname = base->facts.hostname,
		.machine = source->file.machine,
		.has_new_task_states = trace_release_has_new_task_states(base->facts.kernel),
		.get_int = dat_event_int,
		.get_string = dat_event_string,
	};
	return HISTREE_OK;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

static enum histree_status next(struct trace_stream *stream, struct histree_error *error)
{
	return dat_stream_next((struct dat_stream *)stream, error);
}

/* A packet is the number of a page. */
static void position(const struct trace_stream *stream, struct trace_position *out)
{
	dat_stream_position((const struct dat_stream *)stream, out);
}

static const struct trace_stream_kind stream_kind = { .next = next, .position = position };

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct dat_source *source = source_of(base);
	(void)error;
	for (size_t i = 0; i < base->file_count; i++) {
		struct dat_stream *stream = &source->all[i];
		const struct trace_position *at = opening->positions == NULL ? NULL : &opening->positions[i];
		uint64_t count = stream->pages.count;
		stream->base = (struct trace_stream){ .kind = &stream_kind,
						      .first_file = i,
						      .trace = &base->trace,
						      .notes = base->notes,
						      .name = stream->base.name };
		dat_pages_open(&stream->pages, opening->window_size, opening->files_stay_open);
		dat_stream_begin(stream, at == NULL ? 0 : at->packet == TRACE_FILE_DONE ? count : at->packet);
	}
	base->streams = source->streams;
	base->stream_count = base->file_count;
	return HISTREE_OK;
}

static void leave(struct trace_source *base)
{
	struct dat_source *source = source_of(base);
	for (size_t i = 0; i < base->file_count; i++)
		dat_pages_close(&source->all[i].pages);
	base->stream_count = 0;
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

static void free_source(struct trace_source *base)
{
	struct dat_source *source = source_of(base);
	for (size_t i = 0; i < base->file_count; i++)
		dat_pages_release(&source->all[i].pages);
	dat_classes_release(&source->classes);
	dat_file_close(&source->file);
	free(source->all);
	free((void *)source->streams);
	free(base->path);
	free(source);
}

const struct trace_format_kind dat_format = {
	.reads = "trace.dat",
	.create = create,
	.scan = scan,
	.open = open_streams,
	.leave = leave,
	.has_places = has_places,
	.has_position = has_position,
	.span = span,
	.bytes_done = bytes_done,
	.facts = read_facts,
	.free = free_source,
};
