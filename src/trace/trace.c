// SPDX-License-Identifier: MIT
/*
 * trace.c - merges streams by time in a heap.  Events of equal time come in the order of the streams, and
 * those of one stream keep its order.
 *
 * One trace, or several as one experiment: opens their sources, merges them by time, corrects times by
 * the clock of the host, and goes on from a place where the reading was.
 *
 * Events without a time:
 *
 * An event without a time is recorded as if the clock was 0, such as the side events of "perf data convert
 * --all".  But the first event of a board that has just been started is at 0, too, and it may sleep long after
 * that.  So events nearer to the zero of their clock than a millionth of what follows are taken for events
 * without a time only if what follows is shorter than the silence behind them, and there is other evidence: their
 * packet, which begins later; or their neighbours, as several events of one stream are in the very same
 * nanosecond 0, or the silence is longer than any recording.
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/search.h"
#include "event/event.h"
#include "histree/status.h"
#include "histree/store.h"
#include "trace/ctf/ctf_live.h"
#include "trace/trace_source.h"

/* Returns the stream whose event comes first; NULL: there are no more. */
static inline const struct trace_stream *trace_merge_first(const struct trace_merge *merge)
{
	return merge->queue_count == 0 ? NULL : merge->streams[merge->queue[0].stream];
}

/* ---- trace merge --------------------------------------------------------------------------------------------- */

static bool comes_before(const struct trace_upcoming *a, const struct trace_upcoming *b)
{
	return a->time != b->time ? a->time < b->time : a->stream < b->stream;
}

/* Move queue[at] down to where it belongs. */
static inline void sift_down(struct trace_merge *merge, size_t at)
{
	struct trace_upcoming *queue = merge->queue, moved = queue[at];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= merge->queue_count)
			break;
		if (child + 1 < merge->queue_count && comes_before(&queue[child + 1], &queue[child]))
			child++;
		if (comes_before(&moved, &queue[child]))
			break;
		queue[at] = queue[child];
		at = child;
	}
	queue[at] = moved;
}

/* Whether the one at the top belongs there. */
static inline bool is_first(const struct trace_merge *merge)
{
	const struct trace_upcoming *queue = merge->queue;
	return merge->queue_count < 2 || (comes_before(&queue[0], &queue[1]) &&
					  (merge->queue_count == 2 || comes_before(&queue[0], &queue[2])));
}

static int compare_streams(const void *a, const void *b)
{
	const struct trace_stream *first = *(struct trace_stream *const *)a;
	const struct trace_stream *second = *(struct trace_stream *const *)b;
	if (first->trace != second->trace)
		return first->trace->id < second->trace->id ? -1 : 1;
	return strcmp(first->name, second->name);
}

enum histree_status trace_merge_begin(struct trace_merge *merge, struct trace_source *const *sources, size_t count,
				      struct trace_report *report, struct histree_error *error)
{
	size_t room = 1, stream_count = 0;
	merge->report = report;
	for (size_t index = 0; index < count; index++)
		room += sources[index]->stream_count;
	merge->streams = calloc(room, sizeof(struct trace_stream *));
	merge->queue = calloc(room, sizeof(*merge->queue));
	if (merge->streams == NULL || merge->queue == NULL)
		return error_memory(error, "the streams of a trace");

	for (size_t index = 0; index < count; index++)
		for (size_t stream = 0; stream < sources[index]->stream_count; stream++)
			if (sources[index]->streams[stream]->has_upcoming)
				merge->streams[stream_count++] = sources[index]->streams[stream];
	qsort((void *)merge->streams, stream_count, sizeof(struct trace_stream *), compare_streams);
	for (size_t index = 0; index < stream_count; index++)
		merge->queue[index] = (struct trace_upcoming){ .time = merge->streams[index]->upcoming.time,
							       .stream = (uint32_t)index };
	merge->queue_count = stream_count;
	for (size_t at = stream_count / 2; at-- > 0;)
		sift_down(merge, at);
	return HISTREE_OK;
}

static void trace_merge_release(struct trace_merge *merge)
{
	free((void *)merge->streams);
	free(merge->queue);
	*merge = (struct trace_merge){ 0 };
}

static inline enum histree_status advance(struct trace_merge *merge, struct histree_error *error)
{
	struct trace_upcoming *top = &merge->queue[0];
	struct trace_stream *stream = merge->streams[top->stream];
	enum histree_status status = stream->kind->next(stream, error);
	if (status < 0)
		return status;
	if (status == HISTREE_END)
		*top = merge->queue[--merge->queue_count];
	else
		top->time = stream->upcoming.time;
	/* Events of a stream come in bursts: mostly it stays the first. */
	if (!is_first(merge))
		sift_down(merge, 0);
	return HISTREE_OK;
}

/* Bring that stream, which there is, to its next event. */
static enum histree_status trace_merge_advance(struct trace_merge *merge, struct histree_error *error)
{
	return advance(merge, error);
}

/* Of a merge that has handed out nothing yet: bring each stream to its first event of that time or later. */
static enum histree_status trace_merge_skip(struct trace_merge *merge, histree_time time,
					    struct histree_error *error)
{
	size_t left = 0;
	for (size_t index = 0; index < merge->queue_count; index++) {
		struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		enum histree_status status = HISTREE_OK;
		while (status == HISTREE_OK && stream->upcoming.time < time)
			status = stream->kind->next(stream, error);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			merge->queue[left++] = (struct trace_upcoming){ .time = stream->upcoming.time,
									.stream = merge->queue[index].stream };
	}
	merge->queue_count = left;
	for (size_t at = left / 2; at-- > 0;)
		sift_down(merge, at);
	return HISTREE_OK;
}

/* Hand out the next event, or gap if those are wanted.  Returns HISTREE_END, HISTREE_ERR_MEMORY. */
static enum histree_status trace_merge_next(struct trace_merge *merge, bool wants_gaps, struct event *out,
					    struct histree_error *error)
{
	do {
		enum histree_status status = merge->is_taken ? advance(merge, error) : HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
		merge->is_taken = merge->queue_count > 0;
		if (!merge->is_taken)
			return HISTREE_END;
		*out = merge->streams[merge->queue[0].stream]->upcoming;
	} while (out->gap != NULL && !wants_gaps);
	merge->report->events += out->gap == NULL;
	merge->report->gaps += out->gap != NULL;
	return HISTREE_OK;
}

/* ---- trace time ---------------------------------------------------------------------------------------------- */

/* How many bytes come before a time, about.  Returns false if packets do not say. */
static bool find_bytes(const struct trace *trace, histree_time time, uint64_t *bytes)
{
	*bytes = 0;
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		if (source->is_copy)
			continue;
		if (source->kind->find_time == NULL)
			return false;
		for (size_t file = 0; file < source->file_count; file++) {
			struct trace_position at;
			uint64_t of_file;
			if (!source->kind->find_time(source, file, time, &at, &of_file))
				return false;
			*bytes += of_file;
		}
	}
	return true;
}

/* The greatest time that packets speak of. */
static histree_time last_time(const struct trace *trace)
{
	histree_time last = INT64_MIN, of_source;
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		of_source = source->kind->last != NULL ? source->kind->last(source) : INT64_MIN;
		last = of_source > last ? of_source : last;
	}
	return last;
}

histree_time trace_time_behind(const struct trace *trace, histree_time from, uint64_t bytes)
{
	const histree_time low = from, high = last_time(trace);
	uint64_t before, all, here;
	if (!trace_can_move(trace) || trace_file_count(trace) == 0 || !find_bytes(trace, from, &before) ||
	    !find_bytes(trace, high, &all))
		return INT64_MIN;
	if (high <= low || all < before || all - before < bytes + bytes / 2)
		return INT64_MAX;
	/* The first time behind `from` before which there are as many bytes; the last one, if none is. */
	bool is_known = true;
	const size_t ns = SEARCH(i, 1, (uint64_t)high - (uint64_t)low,
				 (is_known = is_known && find_bytes(trace, low + (histree_time)i, &here)) &&
					 here < before + bytes);
	return is_known ? low + (histree_time)ns : INT64_MIN;
}

enum histree_status trace_move_before(struct trace *trace, histree_time time, struct histree_error *error)
{
	struct trace_position *positions = calloc(trace->file_count + 1, sizeof(*positions));
	enum histree_status status = HISTREE_OK;
	if (positions == NULL)
		return error_memory(error, "a place in the trace");
	for (size_t index = 0; index < trace->file_count; index++)
		positions[index].packet = TRACE_FILE_DONE;
	for (size_t index = 0; index < trace->source_count && status == HISTREE_OK; index++) {
		const struct trace_source *source = trace->sources[index];
		for (size_t file = 0; !source->is_copy && file < source->file_count && status == HISTREE_OK;
		     file++) {
			uint64_t bytes;
			if (source->kind->find_time == NULL ||
			    !source->kind->find_time(source, file, time, &positions[source->first_file + file],
						     &bytes))
				status = error_set(error, HISTREE_ERR_ARGUMENT,
						   "the packets of the trace do not say when they begin");
		}
	}
	if (status == HISTREE_OK)
		status = trace_move_silently(trace, positions, trace->file_count, error);
	if (status == HISTREE_OK)
		status = trace_merge_skip(&trace->merge, time, error);
	free(positions);
	return status;
}

/* ---- trace zero ---------------------------------------------------------------------------------------------- */

enum { NEAR_ZERO = 1000000, NS_CLOCK = 1000000000 };

static const uint64_t longest_silence = UINT64_C(365) * 86400 * 1000000000; /* ns: no recording lasts as long */

static bool is_near_zero(const struct trace *trace, const struct event *event)
{
	const struct event_trace *of = event->gap != NULL ? event->gap->trace : event->class->trace;
	histree_time zero = trace->sources[of->id]->facts.zero, end = trace->sources[of->id]->last;
	return event->time >= zero && end > event->time &&
	       (uint64_t)event->time - (uint64_t)zero < ((uint64_t)end - (uint64_t)event->time) / NEAR_ZERO;
}

/* What is said of events near to zero: whether they have none of the times that they seem to have. */
struct suspicion {
	const struct trace_stream *stream; /* of the last one that is at 0 itself */
	bool is_confirmed;
};

static void look_closer(const struct trace *trace, const struct trace_stream *stream, struct suspicion *suspicion)
{
	const struct event *event = &stream->upcoming;
	if (event->gap != NULL)
		return;
	const struct trace_facts *facts = &trace->sources[event->class->trace->id]->facts;
	bool counts_ns = !facts->has_clock || facts->frequency >= NS_CLOCK;
	if (stream->kind->is_before_packet != NULL && stream->kind->is_before_packet(stream))
		suspicion->is_confirmed = true;
	if (event->time != facts->zero || !counts_ns)
		return;
	suspicion->is_confirmed |= suspicion->stream == stream;
	suspicion->stream = stream;
}

static void learn_last(struct trace_source *source)
{
	source->last = source->is_copy || source->kind->last == NULL ? INT64_MIN : source->kind->last(source);
}

bool trace_begins_at_zero(struct trace *trace)
{
	const struct trace_stream *first = trace_merge_first(&trace->merge);
	for (size_t index = 0; index < trace->source_count; index++)
		learn_last(trace->sources[index]);
	return first != NULL && is_near_zero(trace, &first->upcoming);
}

static histree_time end_of(const struct trace *trace)
{
	histree_time end = INT64_MIN;
	for (size_t index = 0; index < trace->source_count; index++)
		if (trace->sources[index]->last > end)
			end = trace->sources[index]->last;
	return end;
}

enum histree_status trace_find_begin(struct trace *trace, histree_time *begin, struct histree_error *error)
{
	histree_time end = end_of(trace), last = INT64_MIN;
	struct suspicion suspicion = { 0 };
	enum histree_status status = HISTREE_OK;
	const struct trace_stream *first;
	*begin = INT64_MIN;
	while (status == HISTREE_OK && (first = trace_merge_first(&trace->merge)) != NULL) {
		const struct event *event = &first->upcoming;
		if (!is_near_zero(trace, event)) {
			uint64_t silence = last == INT64_MIN ? 0 : (uint64_t)event->time - (uint64_t)last;
			bool is_far = end >= event->time && silence > (uint64_t)end - (uint64_t)event->time;
			bool is_otherwise = suspicion.is_confirmed || silence > longest_silence;
			*begin = is_far && is_otherwise ? event->time : INT64_MIN;
			return HISTREE_OK;
		}
		last = event->time;
		look_closer(trace, first, &suspicion);
		status = trace_merge_advance(&trace->merge, error);
	}
	return status;
}

enum histree_status trace_leave_out_before(struct trace *trace, histree_time begin, struct histree_error *error)
{
	char first[TIME_TEXT_SIZE] = "", real[TIME_TEXT_SIZE];
	uint64_t count = 0;
	enum histree_status status = HISTREE_OK;
	const struct trace_stream *stream = trace_merge_first(&trace->merge);
	if (stream != NULL)
		time_format_date(stream->upcoming.time, first);
	time_format_date(begin, real);
	for (; status == HISTREE_OK && stream != NULL && stream->upcoming.time < begin;
	     stream = trace_merge_first(&trace->merge)) {
		count += stream->upcoming.gap == NULL;
		status = trace_merge_advance(&trace->merge, error);
	}
	trace_notes_warn(
		&trace->notes,
		"%llu event%s at %s, when the clock was 0, ha%s no time and %s left out; the others begin at "
		"%s",
		(unsigned long long)count, count == 1 ? "" : "s", first, count == 1 ? "s" : "ve",
		count == 1 ? "is" : "are", real);
	return status;
}

/* ---- trace move ---------------------------------------------------------------------------------------------- */

size_t trace_file_count(const struct trace *trace)
{
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		if (source->kind->has_places != NULL && !source->kind->has_places(source))
			return 0;
	}
	return trace->file_count;
}

void trace_positions(const struct trace *trace, struct trace_position *out)
{
	const struct trace_merge *merge = &trace->merge;
	for (size_t index = 0; index < trace->file_count; index++)
		out[index] = (struct trace_position){ .packet = TRACE_FILE_DONE };
	for (size_t index = 0; index < merge->queue_count; index++) {
		const struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		const struct trace_source *source = trace->sources[stream->trace->id];
		stream->kind->position(stream, &out[source->first_file + stream->first_file]);
	}
}

size_t trace_position_here(const struct trace *trace, struct trace_position *out)
{
	const struct trace_stream *stream = trace_merge_first(&trace->merge);
	stream->kind->position(stream, out);
	return trace->sources[stream->trace->id]->first_file + stream->first_file;
}

histree_time trace_time_here(const struct trace *trace)
{
	return trace->merge.queue[0].time;
}

static bool positions_fit(const struct trace *trace, const struct trace_position *positions, size_t position_count)
{
	bool fits = position_count == trace->file_count;
	for (size_t index = 0; fits && index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		for (size_t file = 0; fits && file < source->file_count; file++, positions++)
			fits = positions->packet == TRACE_FILE_DONE ||
			       source->kind->has_position(source, file, positions);
	}
	return fits;
}

enum histree_status trace_check_positions(const struct trace *trace, const struct trace_position *positions,
					  size_t position_count, struct histree_error *error)
{
	if (positions_fit(trace, positions, position_count))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace has changed since its store was built; build it again");
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
	const struct trace_merge *merge = &trace->merge;
	if (!trace_can_move(trace) || trace_file_count(trace) == 0)
		return false;
	for (size_t index = 0; index < merge->queue_count; index++) {
		const struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		if (stream->upcoming.gap != NULL || stream->has_gap)
			return false;
	}
	return true;
}

enum histree_status trace_move(struct trace *trace, const struct trace_position *positions, size_t position_count,
			       struct histree_error *error)
{
	if (!trace_can_move(trace))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the trace cannot be read from another place; it has to be opened there");
	enum histree_status status = trace_check_positions(trace, positions, position_count, error);
	if (status != HISTREE_OK)
		return status;
	trace_merge_release(&trace->merge);
	for (size_t index = 0; index < trace->source_count; index++)
		if (!trace->sources[index]->is_copy)
			trace->sources[index]->kind->leave(trace->sources[index]);
	return trace_open_sources(trace, positions, error);
}

enum histree_status trace_move_silently(struct trace *trace, const struct trace_position *positions,
					size_t position_count, struct histree_error *error)
{
	const struct trace_report said = trace->notes.report;
	const size_t left_out = trace->notes.left_out;
	enum histree_status status = trace_move(trace, positions, position_count, error);
	trace->notes.report = said;
	trace->notes.left_out = left_out;
	return status;
}

/* ---- trace --------------------------------------------------------------------------------------------------- */

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
