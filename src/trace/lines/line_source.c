// SPDX-License-Identifier: MIT
/*
 * line_source.c - the text of a kernel trace as a source: one file, one stream, an event a line.
 */
#include "trace/lines/line_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/trace_word.h"
#include "trace/lines/line_preface.h"
#include "trace/lines/line_stream.h"
#include "trace/lines/line_tracks.h"
#include "trace/text/event_map.h"

struct line_source {
	struct trace_source base;
	const char *path; /* of the file */
	bool is_in_json;
	struct line_preface preface;
	struct line_classes classes;
	struct line_stream stream;
	struct trace_stream *streams[1];
};

static struct line_source *source_of(struct trace_source *base)
{
	return (struct line_source *)base;
}

static struct trace_source *create(void)
{
	struct line_source *source = calloc(1, sizeof(*source));
	return source == NULL ? NULL : &source->base;
}

static struct trace_source *create_in_json(void)
{
	struct line_source *source = calloc(1, sizeof(*source));
	if (source == NULL)
		return NULL;
	source->is_in_json = true;
	return &source->base;
}

/* ---- what the text says of itself ------------------------------------------------------------------------ */

/* A map can only say the machine here, as there are no columns. */
static enum histree_status read_map(struct line_source *source, struct histree_error *error)
{
	struct event_map map = { 0 };
	if (source->path == source->base.path)
		return HISTREE_OK;
	const char *text = source->base.path + strlen(TRACE_WORD_TEXT);
	enum histree_status status = event_map_read(&map, text, (size_t)(source->path - text) - 1, error);
	if (status == HISTREE_OK && map.machine != NULL)
		strncpy(source->preface.machine, map.machine, TRACE_FACT_SIZE - 1);
	event_map_release(&map);
	return status;
}

static enum histree_status read_preface(struct line_source *source, struct histree_error *error)
{
	struct line_preface *preface = &source->preface;
	const struct line_place place = { source->base.io, source->path, NULL, source->is_in_json, 0 };
	enum histree_status status = line_preface_read(&place, preface, error);
	if (status != HISTREE_OK)
		return status;
	if (preface->is_count)
		return error_set(error, HISTREE_ERR_TRACE,
				 "'%.200s' has counts instead of times: record with a clock of time, as in 'echo "
				 "mono > trace_clock'",
				 source->path);
	if (preface->has_event)
		return preface->lacks_cpu ? line_cpus_check(&place, error) : HISTREE_OK;
	if (preface->is_graph || preface->is_strace || source->is_in_json)
		return HISTREE_END;
	bool is_nop = strcmp(preface->tracer, "nop") == 0 || strcmp(preface->tracer, "function") == 0;
	if (is_nop)
		return error_set(error, HISTREE_ERR_TRACE, "'%.200s' has no events", source->path);
	return error_set(
		error, HISTREE_ERR_TRACE,
		"'%.200s' is what the tracer '%.40s' wrote, which has no event in each line: record events "
		"with 'echo nop > current_tracer'",
		source->path, preface->tracer);
}

static enum histree_status find_size(struct line_source *source, struct histree_error *error)
{
	struct text_input input;
	enum histree_status status = text_input_open(&input, source->base.io, source->path, error);
	source->base.bytes = source->is_in_json ? 0 : input.size; /* bytes of a file count once */
	text_input_close(&input);
	return status;
}

static enum histree_status scan(struct trace_source *base, const char *path, struct histree_error *error)
{
	struct line_source *source = source_of(base);
	base->path = strdup(path);
	if (base->path == NULL)
		return error_memory(error, "a path");
	source->path = trace_word_path(base->path);
	enum histree_status status = read_preface(source, error);
	if (status == HISTREE_OK)
		status = read_map(source, error);
	if (status == HISTREE_OK)
		status = find_size(source, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_IO ? error_set(error, HISTREE_ERR_TRACE, "%s", error->message)
						: status;
	base->facts = source->preface.facts;
	base->file_count = 1;
	base->trace = (struct event_trace){
		.id = base->trace.id,
		.path = base->path,
		.domain = "kernel",
		.tracer_name = "perf",
		.tracer_major = -1,
		.tracer_minor = -1,
		.hostname = base->facts.hostname,
		.machine = source->preface.machine,
		.has_new_task_states =
			true, /* letters have become those bits, whatever the kernel (line_shape.h) */
		.has_samples = source->preface.has_samples,
		.has_only_samples = source->preface.has_only_samples,
		.get_int = event_row_get_int,
		.get_string = event_row_get_string,
		.visit = event_row_visit,
	};
	source->classes.trace = &base->trace;
	source->classes.class_count = base->class_count;
	return HISTREE_OK;
}

/* ---- the stream ------------------------------------------------------------------------------------------ */

static enum histree_status next(struct trace_stream *stream, struct histree_error *error)
{
	return line_stream_next((struct line_stream *)stream, error);
}

/* A packet is a byte of the text. */
static void position(const struct trace_stream *stream, struct trace_position *out)
{
	line_stream_position((const struct line_stream *)stream, out);
}

static const struct trace_stream_kind stream_kind = { .next = next, .position = position };

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct line_source *source = source_of(base);
	struct line_stream *stream = &source->stream;
	const struct trace_position *at = opening->positions;
	uint64_t begin = at == NULL || at->packet == TRACE_FILE_DONE ? base->bytes : at->packet;
	stream->base = (struct trace_stream){
		.kind = &stream_kind, .trace = &base->trace, .notes = base->notes, .name = source->path
	};
	stream->classes = &source->classes;
	stream->tells_cpus = source->preface.lacks_cpu;
	source->streams[0] = &stream->base;
	base->streams = source->streams;
	base->stream_count = 1;
	if (at == NULL && source->preface.overwritten > 0) {
		base->notes->report.discarded_events += source->preface.overwritten;
		trace_notes_warn(base->notes, "%s: the tracer wrote over %llu events that were before the first",
				 source->path, (unsigned long long)source->preface.overwritten);
	}
	stream->has_samples = source->preface.has_samples;
	stream->has_no_times = source->preface.has_no_times;
	stream->first = source->preface.first;
	if (at == NULL && stream->has_no_times)
		trace_notes_warn(
			base->notes,
			"%s: its samples have no times, and are counted in the order of the file, one a ns; "
			"'perf script -F +time' writes times",
			source->path);
	const struct line_place place = { base->io, source->path, opening->cancel, source->is_in_json,
					  source->preface.columns };
	enum histree_status status = line_stream_init(stream, &place, at == NULL ? NULL : &begin, error);
	if (stream->losses.has_calls)
		base->trace.declares |= EVENT_DECLARES_SYSTEM_CALLS;
	return status;
}

/* ---- what is known of it --------------------------------------------------------------------------------- */

/*
 * What is packed can be read from the start only, and so can samples whose time is their number and events whose
 * CPU those before them tell.
 */
static bool has_places(const struct trace_source *base)
{
	const struct line_source *source = (const struct line_source *)base;
	const struct line_preface *preface = &source->preface;
	return source->stream.text.unpack == NULL && !source->is_in_json && !preface->has_no_times &&
	       !preface->lacks_cpu;
}

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	(void)file;
	return at->packet < base->bytes;
}

static bool span(const struct trace_source *base, histree_time *begin, histree_time *end)
{
	(void)base;
	*begin = *end = 0;
	return false;
}

/* Times near the zero of the clock are times. */
static histree_time last_time(const struct trace_source *base)
{
	(void)base;
	return INT64_MIN;
}

static uint64_t bytes_done(const struct trace_source *base)
{
	const struct line_source *source = (const struct line_source *)base;
	uint64_t at = source->stream.text.input.at;
	return at < base->bytes ? at : base->bytes;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	struct line_preface preface;
	const struct line_place place = { .io = &io_posix, .path = trace_word_path(path) };
	enum histree_status status = line_preface_read(&place, &preface, error);
	*out = preface.facts;
	return status;
}

static void free_source(struct trace_source *base)
{
	struct line_source *source = source_of(base);
	line_stream_release(&source->stream);
	line_classes_release(&source->classes);
	free(base->path);
	free(source);
}

/* What a trace in JSON says of itself its other part does. */
static enum histree_status read_no_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	(void)path, (void)error;
	*out = (struct trace_facts){ 0 };
	return HISTREE_OK;
}

#define LINES                                                                                                     \
	.scan = scan, .open = open_streams, .has_places = has_places, .has_position = has_position, .span = span, \
	.last = last_time, .bytes_done = bytes_done, .free = free_source

const struct trace_format_kind line_format = { .reads = "texts of ftrace and perf script",
					       .create = create,
					       .facts = read_facts,
					       .beside = &line_tracks_format,
					       LINES };

const struct trace_format_kind line_in_json_format = {
	.create = create_in_json, .facts = read_no_facts, .beside = &line_tracks_in_json_format, LINES
};

bool line_source_is(const char *word)
{
	struct line_preface preface;
	struct stat facts;
	const struct line_place place = { .io = &io_posix, .path = trace_word_path(word) };
	return stat(place.path, &facts) == 0 && S_ISREG(facts.st_mode) &&
	       line_preface_read(&place, &preface, NULL) == HISTREE_OK && preface.is_trace;
}
