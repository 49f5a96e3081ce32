// SPDX-License-Identifier: MIT
/*
 * trace_zero.c - events without a time.
 *
 * An event without a time is recorded as if the clock was 0, such as the side events of "perf data convert
 * --all".  But the first event of a board that has just been started is at 0, too, and it may sleep long after
 * that.  So events nearer to the zero of their clock than a millionth of what follows are taken for events
 * without a time only if what follows is shorter than the silence behind them, and there is other evidence: their
 * packet, which begins later; or their neighbours, as several events of one stream are in the very same
 * nanosecond 0, or the silence is longer than any recording.
 */
#include "base/time_text.h"
#include "trace/trace_inside.h"

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
	source->last = source->is_copy ? INT64_MIN : source->kind->last(source);
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
