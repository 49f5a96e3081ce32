// SPDX-License-Identifier: MIT
/*
 * trace.c - one trace, or several as one experiment: opens their sources, merges them by time, and corrects times
 * by the clock of the host.
 */
#include <stdlib.h>

#include "trace/ctf/ctf_live.h"
#include "trace/trace.h"
#include "trace/trace_inside.h"

uint64_t trace_bytes(const struct trace *trace)
{
	uint64_t bytes = 0;
	for (size_t index = 0; index < trace->source_count; index++)
		bytes += trace->sources[index]->bytes;
	return bytes;
}

bool trace_is_live(const struct trace *trace)
{
	return trace->live != NULL;
}

void trace_want_gaps(struct trace *trace)
{
	trace->wants_gaps = true;
}

void trace_set_clock(struct trace *trace, const struct histree_clock *clock)
{
	trace->has_clock = clock != NULL;
	if (clock != NULL)
		trace->clock = *clock;
}

bool trace_may_have(const struct trace *trace, bool (*is_wanted)(const char *name))
{
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		if (source->kind->declares == NULL || source->kind->declares(source, is_wanted))
			return true;
	}
	return trace->live != NULL;
}

size_t trace_count(const struct trace *trace)
{
	return trace->live != NULL ? trace->live->known_count : trace->source_count;
}

const struct event_trace *trace_at(const struct trace *trace, size_t index)
{
	return trace->live != NULL ? ctf_live_trace_at(trace->live, index) : &trace->sources[index]->trace;
}

/* Apart, so that what is read of files need not make room for it. */
__attribute__((noinline)) static enum histree_status next_of_live(struct trace *trace, struct event *out,
								  struct histree_error *error)
{
	enum histree_status status;
	do
		status = ctf_live_next(trace->live, error);
	while (status == HISTREE_OK && trace->live->upcoming.gap != NULL && !trace->wants_gaps);
	if (status != HISTREE_OK)
		return status;
	*out = trace->live->upcoming;
	trace->notes.report.events += out->gap == NULL;
	trace->notes.report.gaps += out->gap != NULL;
	return HISTREE_OK;
}

/* Apart for the same reason. */
__attribute__((noinline)) static void correct_times(struct trace *trace, struct event *event)
{
	event->time = histree_clock_apply(&trace->clock, event->time);
	if (event->gap == NULL)
		return;
	trace->gap = *event->gap;
	trace->gap.begin = histree_clock_apply(&trace->clock, trace->gap.begin);
	if (trace->gap.end != INT64_MAX) /* which is to the end of the stream, by any clock */
		trace->gap.end = histree_clock_apply(&trace->clock, trace->gap.end);
	event->gap = &trace->gap;
}

enum histree_status trace_next(struct trace *trace, struct event *out, struct histree_error *error)
{
	enum histree_status status = trace->live != NULL
					     ? next_of_live(trace, out, error)
					     : trace_merge_next(&trace->merge, trace->wants_gaps, out, error);
	if (trace->has_clock && status == HISTREE_OK)
		correct_times(trace, out);
	return status;
}

const char *trace_stream_name(const struct trace *trace)
{
	/* The one that gave it stays the first until the next event is asked for. */
	const struct trace_stream *stream =
		trace->live == NULL && trace->merge.is_taken ? trace_merge_first(&trace->merge) : NULL;
	return stream == NULL ? NULL : stream->name;
}

static uint64_t bytes_done(const struct trace_source *source)
{
	return source->is_copy ? source->bytes : source->kind->bytes_done(source);
}

struct trace_report trace_report(const struct trace *trace)
{
	struct trace_report report = trace_notes_report(&trace->notes);
	for (size_t index = 0; index < trace->source_count; index++)
		report.bytes_done += bytes_done(trace->sources[index]);
	return report;
}

void trace_close(struct trace *trace)
{
	if (trace == NULL)
		return;
	for (size_t index = 0; index < trace->source_count; index++)
		trace->sources[index]->kind->free(trace->sources[index]);
	if (trace->live != NULL)
		ctf_live_close(trace->live);
	trace_merge_release(&trace->merge);
	trace_notes_release(&trace->notes);
	free(trace->live);
	free((void *)trace->sources);
	free(trace);
}
