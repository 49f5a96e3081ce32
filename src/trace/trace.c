// SPDX-License-Identifier: MIT
/*
 * The merge: a binary heap of the streams that have an event, by its time.  Of two events at the same
 * nanosecond the one of the earlier stream comes first: streams are numbered by trace, in the order that
 * was given, and then by the name of their file.
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/time_text.h"
#include "trace/ctf/ctf_live.h"
#include "trace/ctf/ctf_source.h"
#include "trace/trace_hosts.h"
#include "trace/trace_list.h"
#include "trace/trace_repeats.h"

struct upcoming {
	histree_time time;
	uint32_t stream; /* index in trace.streams */
};

/* What the buffers of all streams may take together, and those of one. */
enum { WINDOWS_SIZE = 16 << 20, WINDOW_SIZE_MAX = 64 << 10, OPEN_FILES_MAX = 256 };

struct trace {
	struct trace_source **sources; /* one a trace */
	size_t source_count;
	struct ctf_live *live; /* the only stream of a live trace, which has no sources; else NULL */
	uint32_t class_count;  /* of events that were met */
	struct trace_notes notes;

	struct trace_stream **streams; /* of all sources, in the order that decides ties */
	size_t stream_count;
	struct upcoming *queue; /* a heap: the parent of i is (i - 1) / 2 */
	size_t queue_count;
	bool wants_gaps;                     /* hand them out */
	bool handed_out;                     /* queue[0] is the event that trace_next() gave last */
	size_t file_count;                   /* stream files of all sources */
	const struct histree_cancel *cancel; /* while it is opened; NULL: nobody is asked */
};

static bool comes_before(const struct upcoming *a, const struct upcoming *b)
{
	return a->time != b->time ? a->time < b->time : a->stream < b->stream;
}

/* Move queue[at] down to where it belongs. */
static void sift_down(struct trace *trace, size_t at)
{
	struct upcoming *queue = trace->queue, moved = queue[at];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= trace->queue_count)
			break;
		if (child + 1 < trace->queue_count && comes_before(&queue[child + 1], &queue[child]))
			child++;
		if (comes_before(&moved, &queue[child]))
			break;
		queue[at] = queue[child];
		at = child;
	}
	queue[at] = moved;
}

static int compare_streams(const void *a, const void *b)
{
	const struct trace_stream *first = *(struct trace_stream *const *)a;
	const struct trace_stream *second = *(struct trace_stream *const *)b;
	if (first->trace != second->trace)
		return first->trace->id < second->trace->id ? -1 : 1;
	return strcmp(first->name, second->name);
}

/* Put the streams that have an event in order. */
static enum histree_status begin_streams(struct trace *trace, struct histree_error *error)
{
	size_t count = 0;
	for (size_t index = 0; index < trace->source_count; index++)
		count += trace->sources[index]->stream_count;
	trace->streams = calloc(count + 1, sizeof(struct trace_stream *));
	trace->queue = calloc(count + 1, sizeof(*trace->queue));
	if (trace->streams == NULL || trace->queue == NULL)
		return error_memory(error, "the streams of a trace");

	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		for (size_t stream = 0; stream < source->stream_count; stream++)
			if (source->streams[stream]->has_upcoming)
				trace->streams[trace->stream_count++] = source->streams[stream];
	}
	qsort((void *)trace->streams, trace->stream_count, sizeof(struct trace_stream *), compare_streams);
	for (size_t index = 0; index < trace->stream_count; index++)
		trace->queue[index] = (struct upcoming){ .time = trace->streams[index]->upcoming.time,
							 .stream = (uint32_t)index };
	trace->queue_count = trace->stream_count;
	for (size_t at = trace->queue_count / 2; at-- > 0;)
		sift_down(trace, at);
	return HISTREE_OK;
}

static enum histree_status scan_sources(struct trace *trace, const struct trace_list *list,
					struct histree_error *error)
{
	trace->sources = calloc(list->count, sizeof(struct trace_source *));
	if (trace->sources == NULL)
		return error_memory(error, "the traces");
	for (size_t index = 0; index < list->count; index++) {
		const struct trace_format_kind *kind = list->entries[index].kind;
		struct trace_source *source = kind->create();
		if (source == NULL)
			return error_memory(error, "the traces");
		trace->sources[trace->source_count++] = source;
		source->kind = kind;
		source->trace.id = (uint32_t)index;
		source->io = &io_posix;
		source->class_count = &trace->class_count;
		source->notes = &trace->notes;
		enum histree_status status = kind->scan(source, list->entries[index].path, error);
		if (status != HISTREE_OK)
			return status;
		trace->notes.report.bytes_total += source->bytes;
		trace->file_count += source->file_count;
	}
	return HISTREE_OK;
}

static enum histree_status check_hosts(const struct trace *trace, struct histree_error *error)
{
	struct trace_host *hosts = calloc(trace->source_count + 1, sizeof(*hosts));
	if (hosts == NULL)
		return error_memory(error, "the hosts of traces");
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		struct trace_host *host = &hosts[index];
		*host = (struct trace_host){ .path = source->path, .facts = &source->facts };
		if (!source->kind->span(source, &host->begin, &host->end))
			host->begin = 1, host->end = 0;
	}
	enum histree_status status = trace_hosts_check(hosts, trace->source_count, error);
	free(hosts);
	return status;
}

/* Only packets of CTF can be told from one another. */
static enum histree_status find_repeats(struct trace *trace, struct histree_error *error)
{
	size_t count = 0;
	struct ctf_source **sources = calloc(trace->source_count + 1, sizeof(struct ctf_source *));
	if (sources == NULL)
		return error_memory(error, "the packets of an input");
	for (size_t index = 0; index < trace->source_count; index++)
		if (trace->sources[index]->kind == &ctf_format)
			sources[count++] = ctf_source_of(trace->sources[index]);
	enum histree_status status = trace_repeats_find(sources, count, &trace->notes, error);
	free((void *)sources);
	return status;
}

/* From the first event of the packet of a stream on to the event of its position. */
static enum histree_status skip_events(struct trace_stream *stream, uint64_t events, struct histree_error *error)
{
	if (stream->kind->skip != NULL)
		return stream->kind->skip(stream, events, error);
	enum histree_status status = stream->kind->next(stream, error);
	while (status == HISTREE_OK && events > 0) {
		events -= stream->upcoming.gap == NULL;
		status = stream->kind->next(stream, error);
	}
	return status < 0 ? status : HISTREE_OK;
}

/* Open each trace; its files begin at positions, or at the start if those are NULL. */
static enum histree_status open_sources(struct trace *trace, const struct trace_position *positions,
					struct histree_error *error)
{
	size_t window_size = WINDOWS_SIZE / (trace->file_count + 1);
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; status == HISTREE_OK && index < trace->source_count; index++) {
		struct trace_source *source = trace->sources[index];
		const struct trace_opening opening = {
			.window_size = window_size > WINDOW_SIZE_MAX ? WINDOW_SIZE_MAX : window_size,
			.files_stay_open = trace->file_count <= OPEN_FILES_MAX,
			.positions = positions,
			.cancel = trace->cancel,
		};
		status = source->kind->open(source, &opening, error);
		for (size_t i = 0; status == HISTREE_OK && i < source->stream_count; i++) {
			struct trace_stream *stream = source->streams[i];
			status = skip_events(stream, positions == NULL ? 0 : positions[stream->first_file].events,
					     error);
		}
		if (positions != NULL)
			positions += source->file_count;
	}
	return status;
}

/* ---- positions ------------------------------------------------------------------------------------------- */

/* Returns the number of the first file of a source among the files of all. */
static size_t first_file(const struct trace *trace, size_t source)
{
	size_t first = 0;
	while (source-- > 0)
		first += trace->sources[source]->file_count;
	return first;
}

size_t trace_file_count(const struct trace *trace)
{
	for (size_t index = 0; index < trace->source_count; index++)
		if (!trace->sources[index]->kind->has_places(trace->sources[index]))
			return 0;
	return trace->file_count;
}

void trace_positions(const struct trace *trace, struct trace_position *out)
{
	for (size_t index = 0; index < trace->file_count; index++)
		out[index] = (struct trace_position){ .packet = TRACE_FILE_DONE };
	for (size_t index = 0; index < trace->queue_count; index++) {
		const struct trace_stream *stream = trace->streams[trace->queue[index].stream];
		stream->kind->position(stream, &out[first_file(trace, stream->trace->id) + stream->first_file]);
	}
}

/* Returns whether the positions are of these files. */
static bool positions_fit(const struct trace *trace, const struct trace_position *positions, size_t position_count)
{
	bool fits = position_count == trace->file_count;
	for (size_t index = 0; fits && index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		for (size_t i = 0; fits && i < source->file_count; i++, positions++)
			fits = positions->packet == TRACE_FILE_DONE ||
			       source->kind->has_position(source, i, positions);
	}
	return fits;
}

bool trace_can_move(const struct trace *trace)
{
	for (size_t index = 0; index < trace->source_count; index++)
		if (trace->sources[index]->kind->leave == NULL)
			return false;
	return trace->live == NULL;
}

bool trace_can_begin_here(const struct trace *trace)
{
	if (!trace_can_move(trace) || trace_file_count(trace) == 0)
		return false;
	for (size_t index = 0; index < trace->queue_count; index++) {
		const struct trace_stream *stream = trace->streams[trace->queue[index].stream];
		if (stream->upcoming.gap != NULL || stream->has_gap)
			return false;
	}
	return true;
}

static enum histree_status has_changed(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace has changed since its store was built; build it again");
}

enum histree_status trace_move(struct trace *trace, const struct trace_position *positions, size_t position_count,
			       struct histree_error *error)
{
	if (!positions_fit(trace, positions, position_count))
		return has_changed(error);
	free((void *)trace->streams);
	free(trace->queue);
	trace->streams = NULL;
	trace->queue = NULL;
	trace->stream_count = trace->queue_count = 0;
	trace->handed_out = false;
	for (size_t index = 0; index < trace->source_count; index++)
		trace->sources[index]->kind->leave(trace->sources[index]);
	enum histree_status status = open_sources(trace, positions, error);
	return status == HISTREE_OK ? begin_streams(trace, error) : status;
}

uint64_t trace_bytes(const struct trace *trace)
{
	uint64_t bytes = 0;
	for (size_t index = 0; index < trace->source_count; index++)
		bytes += trace->sources[index]->bytes;
	return bytes;
}

bool trace_is_address(const char *path)
{
	return strncmp(path, "net://", 6) == 0 || strncmp(path, "net4://", 7) == 0;
}

bool trace_is_live(const struct trace *trace)
{
	return trace->live != NULL;
}

static enum histree_status open_live(struct trace *trace, const char *address, const struct histree_cancel *cancel,
				     struct histree_error *error)
{
	trace->live = calloc(1, sizeof(*trace->live));
	if (trace->live == NULL)
		return error_memory(error, "the traces");
	trace->live->base.notes = &trace->notes;
	return ctf_live_open(trace->live, address, cancel, error);
}

/* Open every trace at or below the paths; from the start if `positions` is NULL. */
static enum histree_status open_paths(struct trace *trace, const char *const *paths, size_t path_count,
				      const struct trace_position *positions, size_t position_count,
				      struct histree_error *error)
{
	struct trace_list list = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; status == HISTREE_OK && index < path_count; index++) {
		if (trace_is_address(paths[index]))
			status = error_set(error, HISTREE_ERR_ARGUMENT, "'%s': a live trace is read alone",
					   paths[index]);
		else
			status = trace_list_find(&list, paths[index], error);
	}
	if (status == HISTREE_OK)
		status = scan_sources(trace, &list, error);
	if (status == HISTREE_OK)
		status = check_hosts(trace, error);
	if (status == HISTREE_OK)
		status = find_repeats(trace, error);
	if (status == HISTREE_OK && positions != NULL && !positions_fit(trace, positions, position_count))
		status = has_changed(error);
	if (status == HISTREE_OK)
		status = open_sources(trace, positions, error);
	if (status == HISTREE_OK)
		status = begin_streams(trace, error);
	trace_list_release(&list);
	return status;
}

static enum histree_status open_from(const char *const *paths, size_t path_count,
				     const struct trace_position *positions, size_t position_count,
				     const struct histree_cancel *cancel, struct trace **out,
				     struct histree_error *error)
{
	*out = NULL;
	if (path_count == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "no trace was named");
	struct trace *trace = calloc(1, sizeof(*trace));
	if (trace == NULL)
		return error_memory(error, "a trace");
	enum histree_status status = HISTREE_OK;
	*out = trace;
	trace->cancel = cancel;
	if (status == HISTREE_OK && positions == NULL && path_count == 1 && trace_is_address(paths[0]))
		status = open_live(trace, paths[0], cancel, error);
	else if (status == HISTREE_OK)
		status = open_paths(trace, paths, path_count, positions, position_count, error);
	trace->cancel = NULL;
	if (status != HISTREE_OK) {
		*out = NULL;
		trace_close(trace);
	}
	return status;
}

/* Bring the stream at the top of the heap to its next event, or take it out. */
static enum histree_status advance(struct trace *trace, struct histree_error *error)
{
	struct upcoming *top = &trace->queue[0];
	struct trace_stream *stream = trace->streams[top->stream];
	enum histree_status status = stream->kind->next(stream, error);
	if (status < 0)
		return status;
	if (status == HISTREE_END)
		*top = trace->queue[--trace->queue_count];
	else
		top->time = stream->upcoming.time;
	if (trace->queue_count > 0)
		sift_down(trace, 0);
	return HISTREE_OK;
}

/* ---- events without a time ------------------------------------------------------------------------------- */

/*
 * What has no time is recorded when the clock was 0, such as the side events of "perf data convert --all".  Events
 * nearer to the zero of their clock than a millionth of what follows are taken for such if what follows is shorter
 * than the silence behind them.
 */
enum { NEAR_ZERO = 1000000 };

static histree_time find_end(const struct trace *trace)
{
	histree_time end = INT64_MIN;
	for (size_t index = 0; index < trace->source_count; index++) {
		struct trace_source *source = trace->sources[index];
		source->last = source->kind->last(source);
		if (source->last > end)
			end = source->last;
	}
	return end;
}

static bool is_near_zero(const struct trace *trace, const struct event *event)
{
	const struct event_trace *of = event->gap != NULL ? event->gap->trace : event->class->trace;
	histree_time zero = trace->sources[of->id]->facts.zero, end = trace->sources[of->id]->last;
	return event->time >= zero && end > event->time &&
	       (uint64_t)event->time - (uint64_t)zero < ((uint64_t)end - (uint64_t)event->time) / NEAR_ZERO;
}

/* Reads on to the first event that has a time, and says when that is; INT64_MIN: all have one. */
static enum histree_status find_begin(struct trace *trace, histree_time *begin, struct histree_error *error)
{
	histree_time end = find_end(trace), last = INT64_MIN;
	enum histree_status status = HISTREE_OK;
	*begin = INT64_MIN;
	while (status == HISTREE_OK && trace->queue_count > 0) {
		const struct event *event = &trace->streams[trace->queue[0].stream]->upcoming;
		if (!is_near_zero(trace, event)) {
			bool is_far =
				last != INT64_MIN && end >= event->time &&
				(uint64_t)event->time - (uint64_t)last > (uint64_t)end - (uint64_t)event->time;
			*begin = is_far ? event->time : INT64_MIN;
			return HISTREE_OK;
		}
		last = event->time;
		status = advance(trace, error);
	}
	return status;
}

static enum histree_status leave_out_before(struct trace *trace, histree_time begin, struct histree_error *error)
{
	char first[TIME_TEXT_SIZE], real[TIME_TEXT_SIZE];
	uint64_t count = 0;
	enum histree_status status = HISTREE_OK;
	time_format_date(trace->queue[0].time, first);
	time_format_date(begin, real);
	while (status == HISTREE_OK && trace->queue_count > 0 && trace->queue[0].time < begin) {
		count += trace->streams[trace->queue[0].stream]->upcoming.gap == NULL;
		status = advance(trace, error);
	}
	trace_notes_warn(
		&trace->notes,
		"%llu event%s at %s, when the clock was 0, ha%s no time and %s left out; the others begin at "
		"%s",
		(unsigned long long)count, count == 1 ? "" : "s", first, count == 1 ? "s" : "ve",
		count == 1 ? "is" : "are", real);
	return status;
}

enum histree_status trace_open_or_cancel(const char *const *paths, size_t path_count,
					 const struct histree_cancel *cancel, struct trace **out,
					 struct histree_error *error)
{
	histree_time begin;
	enum histree_status status = open_from(paths, path_count, NULL, 0, cancel, out, error);
	if (status != HISTREE_OK || (*out)->queue_count == 0)
		return status;
	find_end(*out);
	if (!is_near_zero(*out, &(*out)->streams[(*out)->queue[0].stream]->upcoming))
		return status;
	/* Looking for the beginning has read the trace. */
	status = find_begin(*out, &begin, error);
	trace_close(*out);
	*out = NULL;
	if (status == HISTREE_OK)
		status = open_from(paths, path_count, NULL, 0, cancel, out, error);
	if (status == HISTREE_OK && begin != INT64_MIN)
		status = leave_out_before(*out, begin, error);
	if (status != HISTREE_OK) {
		trace_close(*out);
		*out = NULL;
	}
	return status;
}

enum histree_status trace_open(const char *const *paths, size_t path_count, struct trace **out,
			       struct histree_error *error)
{
	return trace_open_or_cancel(paths, path_count, NULL, out, error);
}

enum histree_status trace_open_at(const char *const *paths, size_t path_count,
				  const struct trace_position *positions, size_t position_count, struct trace **out,
				  struct histree_error *error)
{
	return open_from(paths, path_count, positions, position_count, NULL, out, error);
}

void trace_want_gaps(struct trace *trace)
{
	trace->wants_gaps = true;
}

size_t trace_count(const struct trace *trace)
{
	return trace->live != NULL ? 1 : trace->source_count;
}

const struct event_trace *trace_at(const struct trace *trace, size_t index)
{
	return trace->live != NULL ? &trace->live->trace : &trace->sources[index]->trace;
}

/* Hand out the earliest of the upcoming events. */
static enum histree_status merge(struct trace *trace, struct event *out, struct histree_error *error)
{
	enum histree_status status = trace->handed_out ? advance(trace, error) : HISTREE_OK;
	while (status == HISTREE_OK && trace->queue_count > 0) {
		*out = trace->streams[trace->queue[0].stream]->upcoming;
		if (out->gap == NULL || trace->wants_gaps)
			break;
		status = advance(trace, error);
	}
	trace->handed_out = status == HISTREE_OK && trace->queue_count > 0;
	return status == HISTREE_OK && !trace->handed_out ? HISTREE_END : status;
}

enum histree_status trace_next(struct trace *trace, struct event *out, struct histree_error *error)
{
	enum histree_status status;
	if (trace->live == NULL) {
		status = merge(trace, out, error);
	} else {
		do
			status = ctf_live_next(trace->live, error);
		while (status == HISTREE_OK && trace->live->base.upcoming.gap != NULL && !trace->wants_gaps);
		*out = trace->live->base.upcoming;
	}
	if (status != HISTREE_OK)
		return status;
	trace->notes.report.events += out->gap == NULL;
	trace->notes.report.gaps += out->gap != NULL;
	return HISTREE_OK;
}

struct trace_report trace_report(const struct trace *trace)
{
	struct trace_report report = trace_notes_report(&trace->notes);
	for (size_t index = 0; index < trace->source_count; index++)
		report.bytes_done += trace->sources[index]->kind->bytes_done(trace->sources[index]);
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
	trace_notes_release(&trace->notes);
	free(trace->live);
	free((void *)trace->sources);
	free((void *)trace->streams);
	free(trace->queue);
	free(trace);
}
