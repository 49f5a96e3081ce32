// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Metadata come at most so many bytes at a time; those that are cut are waited for that long. */
enum { PIECE_SIZE = 64 << 10, PATIENCE_MS = 5000 };

struct live_trace *live_trace_create(const struct live_stream_facts *facts, const char *path,
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

void live_trace_free(struct live_trace *trace)
{
	if (trace->has_decoder)
		ctf_decoder_release(&trace->decoder);
	live_metadata_release(&trace->metadata);
	free(trace->name);
	free(trace);
}

void live_trace_damaged(struct live_trace *trace, const char *why)
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

enum histree_status live_trace_fetch(struct live_trace *trace, struct live_relay *relay,
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

bool live_trace_is_ready(const struct live_trace *trace, int64_t now_ms)
{
	return trace->has_decoder && (trace->is_over || !live_metadata_is_cut(&trace->metadata) ||
				      now_ms - trace->piece_ms > PATIENCE_MS);
}

void live_trace_begin(struct live_trace *trace)
{
	if (trace->is_known || !trace->has_decoder)
		return;
	trace->is_known = true;
	trace->trace.id = (*trace->known_count)++;
	ctf_schema_describe(&trace->metadata.schema, &trace->trace);
}

bool live_trace_time(const struct live_trace *trace, uint64_t stream, uint64_t ticks, histree_time *out)
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
