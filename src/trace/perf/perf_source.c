// SPDX-License-Identifier: MIT
/*
 * perf_source.c - a recording of perf as a source: one file, one stream; or a folder (--threads), each file a
 * stream.
 */
#include "trace/perf/perf_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "trace/perf/perf_stream.h"

/* Some thousand events: a millisecond or more of a busy machine.  Of a part of a folder, some hundred of a CPU. */
enum { ROUND_SIZE = 256 << 10, PART_ROUND_SIZE = 32 << 10, WINDOW_SIZE = 256 << 10 };

struct perf_source {
	struct trace_source base;
	struct perf_file file;
	struct perf_parts parts; /* of a folder */
	struct perf_stream *all; /* of the parts, then of the file; NULL: it is not open */
	struct perf_loss_count loss_count;
};

static struct perf_source *source_of(struct trace_source *base)
{
	return (struct perf_source *)base;
}

static struct trace_source *create(void)
{
	struct perf_source *source = calloc(1, sizeof(*source));
	return source == NULL ? NULL : &source->base;
}

struct samples {
	bool are_there, are_all, lack_stacks;
};

static struct samples samples_of(const struct perf_file *file)
{
	struct samples samples = { .are_all = true };
	for (size_t i = 0; i < file->attribute_count; i++) {
		const struct perf_attribute *attribute = &file->attributes[i];
		samples.are_there |= perf_attribute_samples(attribute);
		samples.are_all &= attribute->type != PERF_TYPE_IS_TRACEPOINT;
		samples.lack_stacks |= (attribute->sample_type & PERF_HAS_STACK_MEMORY) != 0;
	}
	samples.are_all &= samples.are_there;
	return samples;
}

static enum histree_status scan(struct trace_source *base, const char *path, struct histree_error *error)
{
	struct perf_source *source = source_of(base);
	base->path = strdup(path);
	enum histree_status status = base->path == NULL
					     ? error_memory(error, "a path")
					     : perf_file_open(&source->file, base->io, base->path, error);
	if (status == HISTREE_OK && source->file.is_in_parts)
		status = perf_parts_find(&source->parts, base->io, path, source->file.is_big, error);
	if (status != HISTREE_OK) {
		error_prefix(error, "trace \"%s\"", path);
		return status;
	}
	base->facts = source->file.facts;
	base->file_count = source->parts.count + 1;
	base->bytes = source->file.part.size;
	for (size_t i = 0; i < source->parts.count; i++)
		base->bytes += source->parts.parts[i].size;
	struct samples samples = samples_of(&source->file);
	bool has_calls = false;
	for (size_t i = 0; i < source->file.attribute_count && !has_calls; i++)
		has_calls = source->file.names[i] != NULL &&
			    event_name_is_system_call(source->file.names[i], strlen(source->file.names[i]));
	base->trace = (struct event_trace){
		.id = base->trace.id,
		.path = base->path,
		.domain = "kernel",
		.tracer_name = "perf",
		.tracer_major = -1,
		.tracer_minor = -1,
		.hostname = base->facts.hostname,
		.machine = source->file.machine,
		.has_new_task_states = trace_release_has_new_task_states(base->facts.kernel),
		.declares = has_calls ? EVENT_DECLARES_SYSTEM_CALLS | EVENT_DECLARES_ALL : EVENT_DECLARES_ALL,
		.has_samples = samples.are_there,
		.has_only_samples = samples.are_all,
		.images = &source->file.images.before,
		.get_int = perf_event_int,
		.get_string = perf_event_string,
		.visit = perf_event_visit,
	};
	return HISTREE_OK;
}

/* ---- the stream ------------------------------------------------------------------------------------------ */

static enum histree_status next(struct trace_stream *stream, struct histree_error *error)
{
	return perf_stream_next((struct perf_stream *)stream, error);
}

/* A packet is the offset of a round. */
static void position(const struct trace_stream *base, struct trace_position *out)
{
	const struct perf_stream *stream = (const struct perf_stream *)base;
	uint64_t before;
	out->packet = perf_rounds_base(&stream->rounds, &before);
	out->events = before - (base->upcoming.gap == NULL);
}

static const struct trace_stream_kind stream_kind = { .next = next, .position = position };

/* perf compresses each buffer by itself, and says so in the file. */
static enum histree_status open_stream(struct perf_source *source, size_t number,
				       const struct trace_opening *opening, struct histree_error *error)
{
	struct trace_source *base = &source->base;
	bool is_part = number < source->parts.count;
	struct perf_part *part = is_part ? &source->parts.parts[number] : &source->file.part;
	const struct trace_position *at = opening->positions;
	uint64_t begin = at == NULL || at[number].packet == TRACE_FILE_DONE ? part->end : at[number].packet;
	struct perf_stream *stream = &source->all[number];
	stream->base = (struct trace_stream){
		.kind = &stream_kind,
		.first_file = number,
		.trace = &base->trace,
		.notes = base->notes,
		.name = is_part ? part->path : base->path,
	};
	part->is_compressed |= source->file.part.is_compressed;
	stream->file = &source->file;
	stream->part = part;
	stream->loss_count = &source->loss_count;
	stream->class_count = base->class_count;
	stream->window_size = is_part ? opening->window_size : WINDOW_SIZE;
	stream->round_size = is_part ? PART_ROUND_SIZE : ROUND_SIZE;
	stream->lacks_rounds = is_part;
	base->streams[base->stream_count++] = &stream->base;
	enum histree_status status = perf_stream_init(stream, at == NULL ? NULL : &begin, error);
	base->trace.has_first = source->loss_count.has_latest;
	base->trace.first = source->loss_count.earliest;
	base->trace.counts_otherwise = source->loss_count.counts_otherwise;
	return status;
}

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct perf_source *source = source_of(base);
	source->all = calloc(base->file_count, sizeof(*source->all));
	base->streams = calloc(base->file_count, sizeof(struct trace_stream *));
	if (source->all == NULL || base->streams == NULL)
		return error_memory(error, "the streams of a trace");
	if (source->file.lacks_features)
		trace_notes_warn(base->notes, "%s: what perf wrote behind the events is cut or damaged",
				 base->path);
	if (samples_of(&source->file).lack_stacks)
		trace_notes_warn(
			base->notes,
			"%s: of the stacks of programs it has a copy of the memory (perf record --call-graph "
			"dwarf), which is not unwound: only functions of the kernel have their callers; "
			"record with '--call-graph fp', and programs with -fno-omit-frame-pointer",
			base->path);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < base->file_count; i++)
		status = open_stream(source, i, opening, error);
	perf_images_end(&source->file.images);
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", base->path);
	return status;
}

/* ---- what is known of it --------------------------------------------------------------------------------- */

/* What is compressed can be read from the start only; so is a folder. */
static bool has_places(const struct trace_source *base)
{
	const struct perf_file *file = &((const struct perf_source *)base)->file;
	return !file->part.is_compressed && !file->is_in_parts;
}

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	const struct perf_part *of = &((const struct perf_source *)base)->file.part;
	(void)file;
	return at->packet >= of->begin && at->packet <= of->end;
}

static bool span(const struct trace_source *base, histree_time *begin, histree_time *end)
{
	const struct perf_file *file = &((const struct perf_source *)base)->file;
	return file->first != 0 && perf_file_time(file, file->first, begin) &&
	       perf_file_time(file, file->last, end);
}

static uint64_t bytes_done(const struct trace_source *base)
{
	const struct perf_source *source = (const struct perf_source *)base;
	uint64_t left = 0;
	for (size_t i = 0; i < base->stream_count; i++) {
		const struct perf_stream *stream = &source->all[i];
		left += stream->has_read_all ? 0 : stream->part->size - stream->records.at;
	}
	return base->bytes - left;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	struct perf_file file = { 0 };
	enum histree_status status = perf_file_open(&file, &io_posix, path, error);
	if (status == HISTREE_OK)
		*out = file.facts;
	else
		error_prefix(error, "trace \"%s\"", path);
	perf_file_close(&file);
	return status;
}

static void free_source(struct trace_source *base)
{
	struct perf_source *source = source_of(base);
	for (size_t i = 0; i < base->stream_count; i++)
		perf_stream_release(&source->all[i]);
	free(source->all);
	free((void *)base->streams);
	perf_parts_release(&source->parts);
	perf_file_close(&source->file);
	free(base->path);
	free(source);
}

const struct trace_format_kind perf_format = {
	.reads = "perf.data",
	.create = create,
	.scan = scan,
	.open = open_streams,
	.has_places = has_places,
	.has_position = has_position,
	.span = span,
	.bytes_done = bytes_done,
	.facts = read_facts,
	.free = free_source,
};
