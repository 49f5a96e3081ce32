// SPDX-License-Identifier: MIT
/*
 * event_stream.c - the events of a trace for all who read them: directly, or in batches from a feed.
 */
#include "trace/event_stream.h"

#include "base/error.h"

/* ---- opening ---------------------------------------------------------------------------------------------- */

static enum histree_status prepare(struct event_stream *stream, const struct event_origin *origin,
				   struct histree_error *error)
{
	struct trace *trace = stream->trace;
	if (origin->changed != NULL &&
	    (trace_bytes(trace) != origin->bytes || trace_file_count(trace) != origin->file_count))
		return error_set(error, HISTREE_ERR_TRACE, "%s", origin->changed);
	if (origin->wants_gaps)
		trace_want_gaps(trace);
	if (origin->clock != NULL)
		trace_set_clock(trace, origin->clock);
	return HISTREE_OK;
}

static enum histree_status opened(struct event_stream *stream, const struct event_origin *origin,
				  enum histree_status status, struct histree_error *error)
{
	if (status == HISTREE_OK)
		status = prepare(stream, origin, error);
	if (status != HISTREE_OK)
		event_stream_close(stream);
	return status;
}

enum histree_status event_stream_open(struct event_stream *stream, const struct event_origin *origin,
				      const struct histree_cancel *cancel, struct histree_error *error)
{
	return opened(stream, origin,
		      trace_open_or_cancel(origin->paths, origin->path_count, cancel, &stream->trace, error),
		      error);
}

enum histree_status event_stream_open_at(struct event_stream *stream, const struct event_origin *origin,
					 const struct trace_position *positions, size_t position_count,
					 struct histree_error *error)
{
	return opened(
		stream, origin,
		trace_open_at(origin->paths, origin->path_count, positions, position_count, &stream->trace, error),
		error);
}

void event_stream_close(struct event_stream *stream)
{
	event_stream_release_ahead(stream);
	trace_close(stream->trace);
	stream->trace = NULL;
	stream->count = 0;
}

/* ---- events ----------------------------------------------------------------------------------------------- */

/* Why there are no batches after the last one. */
static enum histree_status end_of_feed(struct event_stream *stream, struct histree_error *error)
{
	const struct event_batch *last = stream->last;
	stream->has_failed = last->has_failed;
	return last->status < 0 ? error_set(error, last->status, "%s", last->error.message) : last->status;
}

/* A batch that was given back is filled again, except the last one. */
enum histree_status event_stream_read_batch(struct event_stream *stream, struct histree_error *error)
{
	if (stream->last != NULL)
		return end_of_feed(stream, error);
	const struct event_batch *batch = event_feed_take(stream->feed);
	if (batch == NULL)
		return HISTREE_END;
	stream->report = batch->report;
	stream->last = batch->status != HISTREE_OK ? batch : NULL;
	stream->events = batch->kept.events;
	stream->count = batch->kept.count;
	if (stream->count > 0)
		return HISTREE_OK;
	event_feed_give_back(stream->feed);
	return end_of_feed(stream, error);
}

enum histree_status event_stream_go(struct event_stream *stream, const struct trace_position *positions,
				    size_t position_count, struct histree_error *error)
{
	event_stream_forget(stream);
	return trace_move(stream->trace, positions, position_count, error);
}

/* While there is a feed, the trace is not ours to ask. */
struct trace_report event_stream_report(const struct event_stream *stream)
{
	return stream->feed != NULL ? stream->report : trace_report(stream->trace);
}

/* ---- read ahead ---------------------------------------------------------------------------------------------- */

bool event_stream_read_ahead(struct event_stream *stream, struct crew *crew)
{
	stream->feed = event_feed_start(crew, stream->trace, &stream->watch);
	return stream->feed != NULL;
}

void event_stream_end_ahead(struct event_stream *stream, bool is_in_vain)
{
	if (stream->feed != NULL)
		event_feed_end(stream->feed, is_in_vain);
}

void event_stream_release_ahead(struct event_stream *stream)
{
	event_feed_free(stream->feed);
	stream->feed = NULL;
	stream->last = NULL;
}
