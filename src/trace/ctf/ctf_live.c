// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/ctf/ctf_live_session.h"

/*
 * Who had nothing is asked again after 10 ms, and later where there are so many streams that the daemon would do
 * nothing but answer.
 */
enum { PAUSE_MS = 10, STREAMS_PER_MS = 8 };

/* ---- the session ----------------------------------------------------------------------------------------- */

/* As the files of a session come when its folder is read: folder by folder, each by name. */
static int compare_places(const char *a, const char *b)
{
	while (*a == *b && *a != '\0')
		a++, b++;
	int first = *a == '/' ? 0 : (unsigned char)*a, second = *b == '/' ? 0 : (unsigned char)*b;
	return first != second ? first - second : (*a == '/') - (*b == '/');
}

static enum histree_status find_trace(struct ctf_live *live, const struct live_stream_facts *facts,
				      struct live_trace **out, struct histree_error *error)
{
	for (size_t i = 0; i < live->trace_count; i++)
		if (live->traces[i]->id == facts->trace) {
			*out = live->traces[i];
			return HISTREE_OK;
		}
	if (live->trace_count == LIVE_TRACES_MAX)
		return live_relay_no_answer(&live->relay, error);
	if (!array_reserve(&live->traces, &live->trace_capacity, live->trace_count + 1))
		return error_memory(error, "the traces of a session");
	*out = live_trace_create(facts, live->address, live->notes, live->class_count, &live->known_count);
	if (*out == NULL)
		return error_memory(error, "the traces of a session");
	live->traces[live->trace_count++] = *out;
	return HISTREE_OK;
}

/* Put a stream in its place among the others. */
static enum histree_status add_stream(struct ctf_live *live, const struct live_stream_facts *facts,
				      struct live_trace *trace, struct histree_error *error)
{
	if (live->stream_count == LIVE_STREAMS_MAX)
		return live_relay_no_answer(&live->relay, error);
	if (!array_reserve(&live->streams, &live->stream_capacity, live->stream_count + 1))
		return error_memory(error, "the streams of a session");
	struct live_stream *stream = live_stream_create(facts, trace, &live->relay);
	if (stream == NULL)
		return error_memory(error, "the streams of a session");
	size_t low = 0, high = live->stream_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_places(live->streams[middle]->name, stream->name) > 0)
			high = middle;
		else
			low = middle + 1;
	}
	memmove((void *)&live->streams[low + 1], (void *)&live->streams[low],
		(live->stream_count++ - low) * sizeof(struct live_stream *));
	live->streams[low] = stream;
	return HISTREE_OK;
}

static enum histree_status take_stream(void *context, const struct live_stream_facts *facts,
				       struct histree_error *error)
{
	struct ctf_live *live = context;
	struct live_trace *trace = NULL;
	enum histree_status status = find_trace(live, facts, &trace, error);
	if (status != HISTREE_OK || !facts->is_metadata)
		return status == HISTREE_OK ? add_stream(live, facts, trace, error) : status;
	trace->has_stream = true;
	trace->stream = facts->id;
	return HISTREE_OK;
}

/* The metadata of a process that has ended are soon gone: they are fetched as soon as they are known of. */
static enum histree_status fetch_metadata(struct ctf_live *live, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < live->trace_count && status == HISTREE_OK; i++)
		status = live_trace_fetch(live->traces[i], &live->relay, error);
	return status;
}

/* What traces have not got by now, they will not get. */
static enum histree_status end_session(struct ctf_live *live, struct histree_error *error)
{
	live->has_ended = true;
	for (size_t i = 0; i < live->trace_count; i++)
		live->traces[i]->wants_metadata = true;
	enum histree_status status = fetch_metadata(live, error);
	for (size_t i = 0; i < live->trace_count; i++)
		live->traces[i]->is_over = true;
	return status;
}

/*
 * LTTng 2.13 passes nothing of a stream on once it is closed, and the buffers of a process are when that exits:
 * what was written last may not have been read, and nobody can say whether it was.
 */
static void note_forgotten(struct ctf_live *live)
{
	for (size_t i = 0; i < live->stream_count && !live->has_forgotten; i++) {
		const struct live_stream *stream = live->streams[i];
		const struct ctf_environment *scheme =
			ctf_schema_environment(&stream->trace->metadata.schema, "tracer_buffering_scheme");
		if (!stream->is_over || scheme == NULL || scheme->text == NULL || strcmp(scheme->text, "pid") != 0)
			continue;
		trace_notes_warn(live->notes,
				 "%s: the last events of a process that has exited may be missing: LTTng passes on "
				 "the whole of buffers of a user only; the files have them",
				 stream->name);
		live->has_forgotten = true;
	}
}

static enum histree_status fetch_streams(struct ctf_live *live, struct histree_error *error)
{
	enum live_news news;
	live->wants_streams = false;
	live->news_ms = live_relay_now(&live->relay);
	enum histree_status status = live_ask_streams(&live->relay, live->session, take_stream, live, &news, error);
	if (status != HISTREE_OK)
		return status;
	/* The daemon that no longer knows the session has closed it. */
	if (news == LIVE_SESSION_OVER || news == LIVE_STREAMS_FAILED)
		return end_session(live, error);
	if (news != LIVE_STREAMS && news != LIVE_NO_STREAMS)
		return live_relay_no_answer(&live->relay, error);
	note_forgotten(live);
	return fetch_metadata(live, error);
}

static enum histree_status check_attachment(enum live_attachment outcome, struct histree_error *error)
{
	switch (outcome) {
	case LIVE_ATTACHED:
		return HISTREE_OK;
	case LIVE_ATTACHED_ALREADY:
		return error_set(error, HISTREE_ERR_TRACE,
				 "another viewer reads the session, and LTTng allows one at a time");
	case LIVE_UNKNOWN:
		return error_set(error, HISTREE_ERR_TRACE, "the session has just ended; build its files");
	case LIVE_NOT_LIVE:
		return error_set(
			error, HISTREE_ERR_TRACE,
			"the session is not live; make one with 'lttng create --live', or build its files");
	case LIVE_WRONG_SEEK:
	case LIVE_NO_VIEWER:
		break;
	}
	return error_set(error, HISTREE_ERR_TRACE, "the relay daemon refuses to show the session (%d)",
			 (int)outcome);
}

enum histree_status ctf_live_attach(struct ctf_live *live, const char *address, struct histree_error *error)
{
	enum live_attachment outcome = LIVE_ATTACHED;
	live->address = strdup(address);
	enum histree_status status = live->address == NULL ? error_memory(error, "a trace") : HISTREE_OK;
	if (status == HISTREE_OK)
		status = live_session_find(&live->relay, address, &live->session, error);
	if (status == HISTREE_OK)
		status = live_ask_attach(&live->relay, live->session, take_stream, live, &outcome, error);
	if (status == HISTREE_OK)
		status = check_attachment(outcome, error);
	if (status == HISTREE_OK)
		status = fetch_metadata(live, error);
	live->relay.is_attached = true;
	if (status == HISTREE_ERR_TRACE)
		error_prefix(error, "'%s'", address);
	return status;
}

enum histree_status ctf_live_open(struct ctf_live *live, const char *address, const struct histree_cancel *cancel,
				  struct histree_error *error)
{
	enum histree_status status = live_relay_connect(&live->relay, strstr(address, "://") + 3, cancel, error);
	if (status == HISTREE_OK)
		return ctf_live_attach(live, address, error);
	if (status == HISTREE_ERR_TRACE)
		error_prefix(error, "'%s'", address);
	return status;
}

const struct event_trace *ctf_live_trace_at(const struct ctf_live *live, size_t id)
{
	size_t i = 0;
	while (!live->traces[i]->is_known || live->traces[i]->trace.id != id)
		i++;
	return &live->traces[i]->trace;
}

void ctf_live_close(struct ctf_live *live)
{
	live_relay_close(&live->relay);
	for (size_t i = 0; i < live->stream_count; i++)
		live_stream_free(live->streams[i]);
	for (size_t i = 0; i < live->trace_count; i++)
		live_trace_free(live->traces[i]);
	free((void *)live->streams);
	free((void *)live->traces);
	free(live->address);
}

/* ---- the merge ------------------------------------------------------------------------------------------- */

static struct live_stream *find_first(const struct ctf_live *live)
{
	struct live_stream *first = NULL;
	for (size_t i = 0; i < live->stream_count; i++) {
		struct live_stream *stream = live->streams[i];
		if (live_stream_has_event(stream) &&
		    (first == NULL || stream->reader.base.upcoming.time < first->reader.base.upcoming.time))
			first = stream;
	}
	return first;
}

/* Whether an event of this stream may still come before, or at the same time as, the first one that is there. */
static bool holds_back(const struct live_stream *stream, const struct live_stream *first)
{
	return !stream->is_over && !live_stream_has_event(stream) &&
	       (first == NULL || stream->quiet <= first->reader.base.upcoming.time);
}

static bool is_held_back(const struct ctf_live *live, const struct live_stream *first)
{
	for (size_t i = 0; i < live->stream_count; i++)
		if (holds_back(live->streams[i], first))
			return true;
	return false;
}

static bool is_due(const struct ctf_live *live, int64_t since_ms)
{
	int64_t pause = PAUSE_MS + (int64_t)(live->stream_count / STREAMS_PER_MS);
	return since_ms == INT64_MIN || live_relay_now(&live->relay) - since_ms >= pause;
}

/* Ask the daemon for what is missing.  HISTREE_NOT_FOUND if it is not time to ask anything. */
static enum histree_status ask(struct ctf_live *live, const struct live_stream *first, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	bool has_asked = false;
	for (size_t i = 0; i < live->stream_count && status == HISTREE_OK; i++) {
		struct live_stream *stream = live->streams[i];
		uint32_t flags;
		if (!holds_back(stream, first) || !is_due(live, stream->refused_ms))
			continue;
		status = live_stream_ask(stream, &flags, error);
		live->wants_streams |= (flags & LIVE_NEW_STREAMS) != 0;
		has_asked = true;
	}
	if (status == HISTREE_OK && !live->has_ended && (live->wants_streams || is_due(live, live->news_ms))) {
		status = fetch_streams(live, error);
		has_asked = true;
	}
	return status != HISTREE_OK || has_asked ? status : HISTREE_NOT_FOUND;
}

/* The connection is no more.  What was handed out is all that was before some time. */
static enum histree_status break_off(struct ctf_live *live, const char *why)
{
	if (!live->is_broken)
		trace_notes_warn(live->notes, "%s; the session is read up to there", why);
	live->notes->report.damaged_streams += !live->is_broken;
	live->is_broken = true;
	return HISTREE_END;
}

static enum histree_status next(struct ctf_live *live, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (live->current != NULL)
		status = live_stream_advance(live->current, error);
	live->current = NULL;
	while (status == HISTREE_OK) {
		struct live_stream *first = find_first(live);
		bool is_held = live->wants_streams || is_held_back(live, first);
		if (first != NULL && !is_held) {
			live->current = first;
			live->upcoming = first->reader.base.upcoming;
			return HISTREE_OK;
		}
		if (live->has_ended && !is_held)
			return HISTREE_END;
		status = ask(live, first, error);
	}
	return status;
}

enum histree_status ctf_live_next(struct ctf_live *live, struct histree_error *error)
{
	struct histree_error told = { 0 };
	if (live->is_broken)
		return HISTREE_END;
	enum histree_status status = next(live, &told);
	if (status == HISTREE_ERR_TRACE)
		return break_off(live, told.message);
	if (status < 0 && error != NULL)
		*error = told;
	return status;
}
