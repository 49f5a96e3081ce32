// SPDX-License-Identifier: MIT
/*
 * ctf_live.c - a live session as traces: metadata and packets that come in pieces.
 */
#include "trace/ctf/ctf_live.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "trace/ctf/ctf2.h"
#include "trace/ctf/ctf_decoder.h"
#include "trace/ctf/ctf_live_relay.h"
#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/ctf_reader.h"
#include "trace/ctf/ctf_source.h"
#include "trace/ctf/tsdl.h"
#include "trace/trace_source.h"

/* Returns whether it has an event, or a gap, which comes next. */
static inline bool live_stream_has_event(const struct live_stream *stream)
{
	return stream->reader.base.has_upcoming;
}

static void live_trace_damaged(struct live_trace *trace, const char *why);
static enum histree_status live_trace_fetch(struct live_trace *trace, struct live_relay *relay,
					    struct histree_error *error);
static bool live_trace_is_ready(const struct live_trace *trace, int64_t now_ms);
static void live_trace_begin(struct live_trace *trace);
static bool live_trace_time(const struct live_trace *trace, uint64_t stream, uint64_t ticks, histree_time *out);

/* ---- ctf live metadata --------------------------------------------------------------------------------------- */

uint8_t *live_metadata_room(struct live_metadata *metadata, size_t size)
{
	if (size > CTF_METADATA_SIZE_MAX || metadata->size > CTF_METADATA_SIZE_MAX - size ||
	    !array_reserve(&metadata->bytes, &metadata->capacity, metadata->count + size))
		return NULL;
	return metadata->bytes + metadata->count;
}

/* Returns where the text is behind a byte (CTF 1.8, section C.1: comments and strings as in C). */
static enum live_text step(struct live_metadata *metadata, char byte)
{
	switch (metadata->state) {
	case LIVE_SLASH:
		if (byte == '/' || byte == '*')
			return byte == '/' ? LIVE_LINE_COMMENT : LIVE_COMMENT;
		break;
	case LIVE_LINE_COMMENT:
		return byte == '\n' ? LIVE_TEXT : LIVE_LINE_COMMENT;
	case LIVE_STAR:
		if (byte == '/')
			return LIVE_TEXT;
		/* fall through */
	case LIVE_COMMENT:
		return byte == '*' ? LIVE_STAR : LIVE_COMMENT;
	case LIVE_STRING:
		return byte == '"' ? LIVE_TEXT : byte == '\\' ? LIVE_ESCAPE : LIVE_STRING;
	case LIVE_ESCAPE:
		return LIVE_STRING;
	case LIVE_TEXT:
		break;
	}
	metadata->depth += byte == '{';
	metadata->depth -= byte == '}' && metadata->depth > 0;
	if (byte == ';' && metadata->depth == 0)
		metadata->whole = metadata->seen + 1;
	return byte == '/' ? LIVE_SLASH : byte == '"' ? LIVE_STRING : LIVE_TEXT;
}

/* Move the texts of whole packets, or what is no packet, behind the text. */
static enum histree_status take_text(struct live_metadata *metadata, struct histree_error *error)
{
	size_t used = metadata->count, size = metadata->count;
	enum histree_status status = HISTREE_OK;
	if (metadata->is_packetized)
		status = ctf_metadata_unpack(metadata->bytes, metadata->count, metadata->big_endian, &used, &size,
					     error);
	if (status != HISTREE_OK)
		return status;
	/* One byte more, for the zero behind what is read. */
	if (!array_reserve(&metadata->text, &metadata->text_capacity, metadata->text_count + size + 1))
		return error_memory(error, "the metadata");
	if (size > 0 && memchr(metadata->bytes, '\0', size) != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata is damaged: it is not text");
	memcpy(metadata->text + metadata->text_count, metadata->bytes, size);
	metadata->text_count += size;
	metadata->count -= used;
	memmove(metadata->bytes, metadata->bytes + used, metadata->count);
	return HISTREE_OK;
}

static enum histree_status ctf_live_begin(struct live_metadata *metadata, struct histree_error *error)
{
	metadata->reader = tsdl_reader_create(&metadata->schema);
	if (metadata->reader == NULL)
		return error_memory(error, "the metadata");
	metadata->is_packetized =
		ctf_metadata_is_packetized(metadata->bytes, metadata->count, &metadata->big_endian);
	metadata->has_form = true;
	return HISTREE_OK;
}

enum histree_status live_metadata_take(struct live_metadata *metadata, size_t size, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	metadata->count += size;
	metadata->size += size;
	if (!metadata->has_form && metadata->count < 4) /* bytes of the magic number of a packet */
		return HISTREE_OK;
	if (!metadata->has_form)
		status = ctf_live_begin(metadata, error);
	if (status == HISTREE_OK)
		status = take_text(metadata, error);
	if (status == HISTREE_OK && metadata->text_count > 0 && metadata->text[0] == CTF2_SEPARATOR)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"it is a session of CTF 2, which histree reads from files only; record it in CTF 1.8");
	if (status != HISTREE_OK)
		return status;
	/* Read the whole declarations of the text, and keep the rest. */
	for (; metadata->seen < metadata->text_count; metadata->seen++)
		metadata->state = step(metadata, metadata->text[metadata->seen]);
	size_t whole = metadata->whole;
	if (whole == 0)
		return HISTREE_OK;
	char behind = metadata->text[whole];
	metadata->text[whole] = '\0';
	status = tsdl_read_more(metadata->reader, metadata->text, error);
	metadata->text[whole] = behind;
	memmove(metadata->text, metadata->text + whole, metadata->text_count - whole);
	metadata->text_count -= whole;
	metadata->seen -= whole;
	metadata->whole = 0;
	return status;
}

bool live_metadata_is_begun(const struct live_metadata *metadata)
{
	return metadata->reader != NULL && tsdl_reader_is_begun(metadata->reader);
}

/* Blanks and comments may follow the last declaration. */
bool live_metadata_is_cut(const struct live_metadata *metadata)
{
	size_t at = 0;
	while (at < metadata->text_count && isspace((unsigned char)metadata->text[at]))
		at++;
	return metadata->count > 0 || (at < metadata->text_count && metadata->text[at] != '/');
}

void live_metadata_release(struct live_metadata *metadata)
{
	free(metadata->bytes);
	free(metadata->text);
	free(metadata->reader);
	ctf_schema_release(&metadata->schema);
	*metadata = (struct live_metadata){ 0 };
}

/* ---- ctf live stream ----------------------------------------------------------------------------------------- */

/* So many bytes of a packet are asked for at a time; part of a packet is waited for that long. */
enum { WINDOW_SIZE = 64 << 10, CTF_LIVE_STREAM_PATIENCE_MS = 5000 };

/* Read a part of the packet that is open. */
static enum histree_status read_packet(void *context, uint64_t offset, uint8_t *bytes, size_t size,
				       struct histree_error *error)
{
	const struct live_stream *stream = context;
	const int64_t end_ms = live_relay_now(stream->relay) + CTF_LIVE_STREAM_PATIENCE_MS;
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

/* Returns a stream; NULL if memory runs out. */
static struct live_stream *live_stream_create(const struct live_stream_facts *facts, struct live_trace *trace,
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

/* There is nothing more of it. */
static void live_stream_end(struct live_stream *stream)
{
	if (stream->is_over)
		return;
	stream->is_over = true;
	if (stream->is_begun)
		ctf_reader_end(&stream->reader);
}

/* There is nothing more of it, and there should be. */
static void ctf_live_stream_break_off(struct live_stream *stream, const char *why)
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

/* Step to the next event of the packet, if it has one.  Returns as above. */
static enum histree_status live_stream_advance(struct live_stream *stream, struct histree_error *error)
{
	if (!stream->is_begun || stream->is_over) {
		stream->reader.base.has_upcoming = false;
		return HISTREE_OK;
	}
	enum histree_status status = ctf_reader_next(&stream->reader.base, error);
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
		ctf_live_stream_break_off(stream, "its packets are of a kind that the metadata does not have");
		return HISTREE_OK;
	}
	if (index->size == 0 || index->size % 8 != 0 || index->content > index->size ||
	    index->size / 8 > UINT64_MAX / 2 - index->offset) {
		ctf_live_stream_break_off(stream, "a packet has an impossible size");
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
	if (status == HISTREE_OK) {
		/*
		 * What the daemon no longer has, because a session was rotated or files are written over, it
		 * does not tell.
		 */
		const struct ctf_head *head = &stream->reader.head;
		if (stream->reader.packets == 1 && head->sequence != CTF_UNKNOWN && head->sequence > 0)
			trace_notes_warn(stream->trace->notes,
					 "%s: begins with packet %" PRIu64
					 ": the relay daemon does not pass on what was recorded before",
					 stream->name, head->sequence);
	}
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
		ctf_live_stream_break_off(stream, "its metadata cannot be read");
		return HISTREE_OK;
	}
	if (live_trace_is_ready(trace, live_relay_now(stream->relay)))
		return begin_packet(stream, error);
	trace->wants_metadata = true;
	stream->refused_ms = live_relay_now(stream->relay);
	return HISTREE_OK;
}

/*
 * For a stream without an event: request the next packet from the daemon, and begin it. *flags gets what else must
 * be requested before one of its events is handed out.  Returns errors that end the connection, and
 * HISTREE_ERR_MEMORY.
 */
static enum histree_status live_stream_ask(struct live_stream *stream, uint32_t *flags, struct histree_error *error)
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
		ctf_live_stream_break_off(stream, "the relay daemon cannot read more of it");
		return HISTREE_OK;
	}
	return live_relay_no_answer(stream->relay, error);
}

/* ---- ctf live trace ------------------------------------------------------------------------------------------ */

/* The most bytes of metadata that come at a time, and how long the rest of a cut piece is awaited. */
enum { PIECE_SIZE = 64 << 10, CTF_LIVE_TRACE_PATIENCE_MS = 5000 };

/* Returns a trace without metadata; NULL if memory runs out. */
static struct live_trace *live_trace_create(const struct live_stream_facts *facts, const char *path,
					    struct trace_notes *notes, uint32_t *class_count, uint32_t *known_count)
{
	struct live_trace *trace = calloc(1, sizeof(*trace));
	char *name = strdup(facts->path);
	if (trace == NULL || name == NULL) {
		free(name);
		free(trace);
		return NULL;
	}
	*trace = (struct live_trace){
		.trace = { .path = path },
		.id = facts->trace,
		.name = name,
		.notes = notes,
		.class_count = class_count,
		.known_count = known_count,
		.wants_metadata = true,
	};
	return trace;
}

/* Say in the notes that it cannot be read, and why. */
static void live_trace_damaged(struct live_trace *trace, const char *why)
{
	if (trace->is_damaged)
		return;
	trace_notes_warn(trace->notes, "%s: %s; the rest of it is not read", trace->name, why);
	trace->notes->report.damaged_streams++;
	trace->is_damaged = true;
}

/* What was declared is there for the decoder. */
static enum histree_status extend(struct live_trace *trace, struct histree_error *error)
{
	if (!live_metadata_is_begun(&trace->metadata))
		return HISTREE_OK;
	if (trace->has_decoder)
		return ctf_decoder_extend(&trace->decoder, error);
	trace->has_decoder = true;
	return ctf_decoder_init(&trace->decoder, &trace->metadata.schema, &trace->trace, trace->class_count, error);
}

/* Take in a piece.  Memory is had for bytes that came, not for those that were announced. */
static enum histree_status receive(struct live_trace *trace, struct live_relay *relay, uint64_t size,
				   struct histree_error *error)
{
	struct histree_error told = { 0 };
	trace->piece_ms = live_relay_now(relay);
	while (size > 0) {
		size_t part = size < PIECE_SIZE ? (size_t)size : PIECE_SIZE;
		uint8_t *room = live_metadata_room(&trace->metadata, part);
		if (room == NULL && trace->metadata.size > CTF_METADATA_SIZE_MAX - part)
			return live_relay_no_answer(relay, error);
		if (room == NULL)
			return error_memory(error, "the metadata");
		enum histree_status status = live_relay_receive(relay, room, part, error);
		if (status != HISTREE_OK)
			return status;
		size -= part;
		if (trace->is_damaged)
			continue;
		status = live_metadata_take(&trace->metadata, part, &told);
		if (status == HISTREE_OK)
			status = extend(trace, &told);
		if (status == HISTREE_ERR_MEMORY)
			return error_memory(error, "the metadata");
		if (status != HISTREE_OK)
			live_trace_damaged(trace, told.message);
	}
	return HISTREE_OK;
}

/*
 * Ask for metadata, if there may be more.  What is wrong with them is no error: the trace is damaged then.  Returns
 * what ends the connection, and HISTREE_ERR_MEMORY.
 */
static enum histree_status live_trace_fetch(struct live_trace *trace, struct live_relay *relay,
					    struct histree_error *error)
{
	while (trace->wants_metadata && trace->has_stream && !trace->is_over && !trace->is_damaged) {
		enum live_piece piece;
		uint64_t size;
		enum histree_status status = live_ask_metadata(relay, trace->stream, &piece, &size, error);
		if (status != HISTREE_OK)
			return status;
		/* LTTng 2.13 says that all is well, and sends nothing, while a session is cleared. */
		if (piece != LIVE_PIECE || size == 0) {
			trace->wants_metadata = false;
			trace->is_over = piece == LIVE_PIECE_FAILED || piece == LIVE_PIECES_OVER;
			break;
		}
		status = receive(trace, relay, size, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* Returns whether its packets can be read: its metadata are there, and whole as far as one can wait for that. */
static bool live_trace_is_ready(const struct live_trace *trace, int64_t now_ms)
{
	return trace->has_decoder && (trace->is_over || !live_metadata_is_cut(&trace->metadata) ||
				      now_ms - trace->piece_ms > CTF_LIVE_TRACE_PATIENCE_MS);
}

/* The first packet or beacon of the trace has arrived: the facts in its metadata so far are taken as final. */
static void live_trace_begin(struct live_trace *trace)
{
	if (trace->is_known || !trace->has_decoder)
		return;
	trace->is_known = true;
	trace->trace.id = (*trace->known_count)++;
	ctf_schema_describe(&trace->metadata.schema, &trace->trace);
}

/* Returns the time of a value of the clock of a kind of stream, or of any clock if the stream is not known. */
static bool live_trace_time(const struct live_trace *trace, uint64_t stream, uint64_t ticks, histree_time *out)
{
	const struct ctf_stream_type *type = id_map_find(&trace->metadata.schema.streams_by_id, stream);
	if (!trace->has_decoder)
		return false;
	if (type != NULL && type->index < trace->decoder.stream_count)
		return ctf_decoder_time(trace->decoder.streams[type->index], ticks, out);
	for (size_t i = 0; i < trace->decoder.stream_count; i++)
		if (ctf_decoder_time(trace->decoder.streams[i], ticks, out))
			return true;
	return false;
}

/* ---- ctf live ------------------------------------------------------------------------------------------------ */

/*
 * A stream without data is asked again after 10 ms, and later with many streams, so that the daemon is not kept
 * busy with answers.
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
	const size_t low =
		SEARCH(i, 0, live->stream_count, compare_places(live->streams[i]->name, stream->name) <= 0);
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

static enum histree_status fetch_streams(struct ctf_live *live, struct histree_error *error)
{
	enum live_news news;
	live->wants_streams = false;
	live->news_ms = live_relay_now(&live->relay);
	enum histree_status status = live_ask_streams(&live->relay, live->session, take_stream, live, &news, error);
	if (status != HISTREE_OK)
		return status;
	/* The daemon that no longer knows the session has closed it. */
	if (news == LIVE_SESSION_OVER || news == LIVE_STREAMS_FAILED) {
		/* What traces have not got by now, they will not get. */
		live->has_ended = true;
		for (size_t i = 0; i < live->trace_count; i++)
			live->traces[i]->wants_metadata = true;
		status = fetch_metadata(live, error);
		for (size_t i = 0; i < live->trace_count; i++)
			live->traces[i]->is_over = true;
		return status;
	}
	if (news != LIVE_STREAMS && news != LIVE_NO_STREAMS)
		return live_relay_no_answer(&live->relay, error);
	/*
	 * LTTng 2.13 passes nothing of a stream on once it is closed, and the buffers of a process are closed
	 * when it exits: what was written last may not have been read, and it cannot be known whether it was.
	 */
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

enum histree_status ctf_live_open(struct ctf_live *live, const char *address, const struct histree_work *work,
				  struct histree_error *error)
{
	enum histree_status status = live_relay_connect(&live->relay, strstr(address, "://") + 3, work, error);
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
	for (size_t i = 0; i < live->stream_count; i++) {
		if (live->streams[i]->is_begun)
			ctf_reader_release(&live->streams[i]->reader);
		free(live->streams[i]->name);
		free(live->streams[i]);
	}
	for (size_t i = 0; i < live->trace_count; i++) {
		if (live->traces[i]->has_decoder)
			ctf_decoder_release(&live->traces[i]->decoder);
		live_metadata_release(&live->traces[i]->metadata);
		free(live->traces[i]->name);
		free(live->traces[i]);
	}
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

static enum histree_status ctf_live_step(struct ctf_live *live, struct histree_error *error)
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
		/* Ask the daemon for what is missing. HISTREE_NOT_FOUND if it is not time to ask anything. */
		status = HISTREE_OK;
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
		if (status == HISTREE_OK && !live->has_ended &&
		    (live->wants_streams || is_due(live, live->news_ms))) {
			status = fetch_streams(live, error);
			has_asked = true;
		}
		status = status != HISTREE_OK || has_asked ? status : HISTREE_NOT_FOUND;
	}
	return status;
}

enum histree_status ctf_live_next(struct ctf_live *live, struct histree_error *error)
{
	struct histree_error told = { 0 };
	if (live->is_broken)
		return HISTREE_END;
	enum histree_status status = ctf_live_step(live, &told);
	if (status == HISTREE_ERR_TRACE) {
		/* The connection is no more. What was handed out is all that was before some time. */
		if (!live->is_broken)
			trace_notes_warn(live->notes, "%s; the session is read up to there", told.message);
		live->notes->report.damaged_streams += !live->is_broken;
		live->is_broken = true;
		return HISTREE_END;
	}
	if (status < 0 && error != NULL)
		*error = told;
	return status;
}
