// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* So many bytes of a packet are asked for at a time; part of a packet is waited for that long. */
enum { WINDOW_SIZE = 64 << 10, PATIENCE_MS = 5000 };

/* Read a part of the packet that is open. */
static enum histree_status read_packet(void *context, uint64_t offset, uint8_t *bytes, size_t size,
				       struct histree_error *error)
{
	const struct live_stream *stream = context;
	const int64_t end_ms = live_relay_now(stream->relay) + PATIENCE_MS;
	for (;;) {
		enum live_bytes outcome;
		uint32_t flags;
		enum histree_status status = live_ask_bytes(stream->relay, stream->id, stream->offset + offset,
							    bytes, size, &outcome, &flags, error);
		if (status != HISTREE_OK || outcome == LIVE_BYTES)
			return status;
		/* Old daemons say only here that there are new metadata; they change no packet. */
		if ((flags & LIVE_NEW_METADATA) != 0) {
			stream->trace->wants_metadata = true;
			status = live_trace_fetch(stream->trace, stream->relay, error);
			if (status != HISTREE_OK)
				return status;
		} else if (outcome != LIVE_BYTES_LATER) {
			return HISTREE_ERR_IO;
		}
		if (live_relay_now(stream->relay) >= end_ms)
			return HISTREE_ERR_IO;
	}
}

struct live_stream *live_stream_create(const struct live_stream_facts *facts, struct live_trace *trace,
				       struct live_relay *relay)
{
	struct live_stream *stream = calloc(1, sizeof(*stream));
	if (stream == NULL || asprintf(&stream->name, "%s/%s", facts->path, facts->channel) < 0) {
		free(stream);
		return NULL;
	}
	stream->trace = trace;
	stream->relay = relay;
	stream->id = facts->id;
	stream->refused_ms = stream->quiet = INT64_MIN;
	stream->reader.base =
		(struct trace_stream){ .trace = &trace->trace, .notes = trace->notes, .name = stream->name };
	return stream;
}

void live_stream_free(struct live_stream *stream)
{
	if (stream->is_begun)
		ctf_reader_release(&stream->reader);
	free(stream->name);
	free(stream);
}

void live_stream_end(struct live_stream *stream)
{
	if (stream->is_over)
		return;
	stream->is_over = true;
	if (stream->is_begun)
		ctf_reader_end(&stream->reader);
}

/* There is nothing more of it, and there should be. */
static void break_off(struct live_stream *stream, const char *why)
{
	struct trace_stream *base = &stream->reader.base;
	trace_notes_warn(base->notes, "%s: %s; what came before is read", stream->name, why);
	base->notes->report.damaged_streams++;
	trace_stream_lose(base, (struct trace_span){ .begin = INT64_MIN, .end = INT64_MAX }, 0);
	trace_stream_put_gap(base);
	live_stream_end(stream);
}

static enum histree_status begin_reader(struct live_stream *stream, const struct ctf_stream_type *type,
					struct histree_error *error)
{
	struct ctf_reader *reader = &stream->reader;
	stream->file = (struct ctf_file){
		.path = stream->name,
		.packets = { .packets = &stream->packet, .count = 1, .instance = CTF_UNKNOWN },
	};
	stream->source = (struct trace_window_source){ .read = read_packet, .context = stream };
	reader->decoder = &stream->trace->decoder;
	reader->stream = reader->decoder->streams[type->index];
	reader->files = &stream->file;
	reader->file_count = 1;
	reader->is_live = stream->is_begun = true;
	reader->window_size = WINDOW_SIZE;
	reader->cpu = -1;
	enum histree_status status = ctf_reader_init(reader, error);
	reader->window.source = &stream->source;
	return status;
}

/* What the daemon no longer has, because a session was rotated or files are written over, it does not tell. */
static void note_late_start(const struct live_stream *stream)
{
	const struct ctf_head *head = &stream->reader.head;
	if (stream->reader.packets == 1 && head->sequence != CTF_UNKNOWN && head->sequence > 0)
		trace_notes_warn(stream->trace->notes,
				 "%s: begins with packet %" PRIu64
				 ": the relay daemon does not pass on what was recorded before",
				 stream->name, head->sequence);
}

enum histree_status live_stream_advance(struct live_stream *stream, struct histree_error *error)
{
	if (!stream->is_begun || stream->is_over) {
		stream->reader.base.has_upcoming = false;
		return HISTREE_OK;
	}
	enum histree_status status = ctf_reader_next(&stream->reader, error);
	histree_time end;
	if (status < 0)
		return status;
	/* The next packet begins where this one ends, or later. */
	if (status != HISTREE_OK && ctf_decoder_time(stream->reader.stream, stream->reader.head.end, &end) &&
	    end > stream->quiet)
		stream->quiet = end;
	return HISTREE_OK;
}

static enum histree_status begin_packet(struct live_stream *stream, struct histree_error *error)
{
	const struct live_index *index = &stream->index;
	const struct ctf_stream_type *type =
		id_map_find(&stream->trace->metadata.schema.streams_by_id, index->stream);
	stream->has_index = false;
	live_trace_begin(stream->trace);
	if (type == NULL || type->index >= stream->trace->decoder.stream_count) {
		break_off(stream, "its packets are of a kind that the metadata does not have");
		return HISTREE_OK;
	}
	if (index->size == 0 || index->size % 8 != 0 || index->content > index->size ||
	    index->size / 8 > UINT64_MAX / 2 - index->offset) {
		break_off(stream, "a packet has an impossible size");
		return HISTREE_OK;
	}
	if (!stream->is_begun) {
		enum histree_status status = begin_reader(stream, type, error);
		if (status != HISTREE_OK)
			return status;
	}
	stream->packet = (struct ctf_packet){ .size = index->size / 8, .begin = CTF_UNKNOWN, .end = CTF_UNKNOWN };
	stream->offset = index->offset;
	stream->source.end = index->size / 8;
	stream->reader.window.count = 0;
	stream->reader.packet_count++;
	enum histree_status status = live_stream_advance(stream, error);
	if (status == HISTREE_OK)
		note_late_start(stream);
	return status;
}

/* A packet was announced: read it, as soon as its metadata are there. */
static enum histree_status begin_if_ready(struct live_stream *stream, struct histree_error *error)
{
	struct live_trace *trace = stream->trace;
	enum histree_status status = live_trace_fetch(trace, stream->relay, error);
	if (status != HISTREE_OK)
		return status;
	if (!trace->has_decoder && trace->is_over)
		live_trace_damaged(trace, "the relay daemon has no metadata of it");
	if (trace->is_damaged) {
		break_off(stream, "its metadata cannot be read");
		return HISTREE_OK;
	}
	if (live_trace_is_ready(trace, live_relay_now(stream->relay)))
		return begin_packet(stream, error);
	trace->wants_metadata = true;
	stream->refused_ms = live_relay_now(stream->relay);
	return HISTREE_OK;
}

enum histree_status live_stream_ask(struct live_stream *stream, uint32_t *flags, struct histree_error *error)
{
	struct live_index *index = &stream->index;
	histree_time quiet;
	*flags = 0;
	if (stream->has_index)
		return begin_if_ready(stream, error);
	enum histree_status status = live_ask_index(stream->relay, stream->id, index, error);
	if (status != HISTREE_OK)
		return status;
	*flags = index->flags;
	stream->trace->wants_metadata |= (index->flags & LIVE_NEW_METADATA) != 0;
	stream->refused_ms = INT64_MIN;
	switch (index->kind) {
	case LIVE_INDEX:
		stream->has_index = true;
		return begin_if_ready(stream, error);
	case LIVE_INDEX_QUIET:
		status = live_trace_fetch(stream->trace, stream->relay, error);
		live_trace_begin(stream->trace);
		if (live_trace_time(stream->trace, index->stream, index->end, &quiet) && quiet > stream->quiet)
			stream->quiet = quiet;
		/* fall through */
	case LIVE_INDEX_LATER:
		stream->refused_ms = live_relay_now(stream->relay);
		return status;
	case LIVE_INDEX_OVER:
	case LIVE_INDEX_END:
		live_stream_end(stream);
		return HISTREE_OK;
	case LIVE_INDEX_FAILED:
		break_off(stream, "the relay daemon cannot read more of it");
		return HISTREE_OK;
	}
	return live_relay_no_answer(stream->relay, error);
}
