// SPDX-License-Identifier: MIT
/*
 * trace_source.c - one trace of an input, whatever its format: the functions of a format, and its streams, places,
 * notes and reports.
 */
#include "trace/trace_source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/status.h"
#include "histree/value.h"

/* ---- trace facts --------------------------------------------------------------------------------------------- */

#define NS_PER_SECOND INT64_C(1000000000)
__extension__ typedef __int128 wide;

bool trace_release_has_new_task_states(const char *release)
{
	unsigned major, minor;
	return sscanf(release, "%3u.%3u", &major, &minor) == 2 && (major > 4 || (major == 4 && minor >= 14));
}

bool trace_facts_time(const struct trace_facts *facts, uint64_t cycles, histree_time *out)
{
	if (!facts->has_clock)
		return false;
	wide ns = (wide)cycles * NS_PER_SECOND / (wide)facts->frequency + facts->zero;
	*out = (histree_time)ns;
	return *out == ns;
}

/* ---- trace notes --------------------------------------------------------------------------------------------- */

void trace_notes_warn(struct trace_notes *notes, const char *format, ...)
{
	if (notes->report.warning_count == TRACE_WARNINGS_MAX) {
		notes->warnings[TRACE_WARNINGS_MAX] = notes->last;
		snprintf(notes->last, sizeof(notes->last), "and %zu more warnings", ++notes->left_out);
		return;
	}
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	const char *copy = arena_copy(&notes->texts, text, strlen(text));
	if (copy != NULL)
		notes->warnings[notes->report.warning_count++] = copy;
}

struct trace_report trace_notes_report(const struct trace_notes *notes)
{
	struct trace_report report = notes->report;
	report.warnings = notes->warnings;
	if (notes->left_out > 0)
		report.warning_count++;
	return report;
}

void trace_notes_release(struct trace_notes *notes)
{
	arena_release(&notes->texts);
}

/* ---- trace stream -------------------------------------------------------------------------------------------- */

void trace_stream_put(struct trace_stream *stream, const struct event *event)
{
	if (stream->has_events && event->time < stream->last) {
		if (stream->steps_back++ == 0)
			stream->first_step_back = event->time;
		stream->notes->report.clock_steps_back++;
	}
	stream->has_events = true;
	stream->last = event->time;
	stream->upcoming = *event;
	stream->has_upcoming = true;
}

bool trace_stream_put_gap(struct trace_stream *stream)
{
	if (!stream->has_gap)
		return false;
	stream->has_gap = false;
	stream->upcoming = (struct event){ .time = stream->gap.begin, .cpu = stream->gap.cpu, .gap = &stream->gap };
	stream->has_upcoming = true;
	return true;
}

void trace_stream_lose(struct trace_stream *stream, struct trace_span span, uint64_t events)
{
	if (!stream->has_events || stream->last == INT64_MAX)
		return;
	histree_time begin = span.begin <= stream->last ? stream->last + 1 : span.begin;
	if (stream->has_gap && stream->gap.begin < begin)
		begin = stream->gap.begin;
	events += stream->has_gap ? stream->gap.events : 0;
	stream->gap = (struct event_gap){
		.trace = stream->trace,
		.cpu = stream->upcoming.cpu,
		.begin = begin,
		.end = span.end > begin ? span.end : begin,
		.events = events,
	};
	stream->has_gap = true;
}

void trace_stream_note_loss(struct trace_stream *stream, const char *what, const uint64_t *count,
			    struct trace_span span)
{
	char lost[48], range[2 * TIME_TEXT_SIZE + 16] = "", from[TIME_TEXT_SIZE], to[TIME_TEXT_SIZE];
	if (count != NULL)
		snprintf(lost, sizeof(lost), "%" PRIu64 " %s%s", *count, what, *count == 1 ? "" : "s");
	else
		snprintf(lost, sizeof(lost), "an unknown number of %ss", what);
	if (span.begin != INT64_MIN && span.end != INT64_MIN) {
		time_format_date(span.begin, from);
		time_format_date(span.end, to);
		snprintf(range, sizeof(range), " between %s and %s", from, to);
	}
	trace_notes_warn(stream->notes, "%s: the tracer lost %s%s", stream->name, lost, range);
}

void trace_stream_end(struct trace_stream *stream)
{
	char first[TIME_TEXT_SIZE];
	if (stream->steps_back == 0)
		return;
	time_format_date(stream->first_step_back, first);
	trace_notes_warn(stream->notes,
			 "%s: the clock steps back %" PRIu64
			 " time%s, first to %s; its events are taken in the order of the file",
			 stream->name, stream->steps_back, stream->steps_back == 1 ? "" : "s", first);
}

/* ---- trace source -------------------------------------------------------------------------------------------- */

struct trace_source *trace_source_create(const struct trace_format_kind *kind, const char *path)
{
	struct trace_source *source = calloc(1, kind->size);
	if (source == NULL)
		return NULL;
	source->kind = kind;
	source->path = strdup(path);
	if (source->path != NULL)
		return source;
	free(source);
	return NULL;
}

void trace_source_describe(struct trace_source *source, const char *domain, const char *tracer)
{
	source->trace = (struct event_trace){
		.id = source->trace.id,
		.path = source->path,
		.domain = domain,
		.tracer_name = tracer,
		.tracer_major = -1,
		.tracer_minor = -1,
		.hostname = source->facts.hostname,
		.machine = "",
	};
}

enum histree_status trace_source_add(struct trace_source *source, struct trace_stream *stream,
				     const struct trace_stream_kind *kind, size_t first_file, const char *name,
				     struct histree_error *error)
{
	if (!array_reserve(&source->streams, &source->stream_capacity, source->stream_count + 1))
		return error_memory(error, "the streams of a trace");
	*stream = (struct trace_stream){ .kind = kind,
					 .first_file = first_file,
					 .trace = &source->trace,
					 .notes = source->notes,
					 .name = name };
	source->streams[source->stream_count++] = stream;
	return HISTREE_OK;
}

void trace_source_free(struct trace_source *source)
{
	if (source == NULL)
		return;
	if (source->kind->release != NULL)
		source->kind->release(source);
	free((void *)source->streams);
	free(source->path);
	free(source);
}
