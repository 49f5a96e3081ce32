/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_stream.h - one stream of a live session: what a reader of files (ctf_reader.h) reads of its packets,
 * each of which the relay daemon announces, and of which parts are asked for as they are needed.
 */
#ifndef TRACE_CTF_CTF_LIVE_STREAM_H
#define TRACE_CTF_CTF_LIVE_STREAM_H

#include "trace/ctf/ctf_live_trace.h"
#include "trace/ctf/ctf_reader.h"

struct live_stream {
	struct ctf_reader reader;
	struct live_trace *trace;
	struct live_relay *relay;
	uint64_t id; /* at the daemon */
	char *name;  /* of its file, below the folder of the session */
	struct ctf_file file;
	struct ctf_packet packet; /* the only one of that file, which begins at `offset` at the daemon */
	uint64_t offset;
	struct trace_window_source source;
	bool is_begun; /* the reader is ready */
	bool is_over;  /* there is nothing more */
	bool has_index;
	struct live_index index; /* of a packet that waits for metadata */
	int64_t refused_ms;      /* when the daemon had nothing of it */
	histree_time quiet;      /* all that comes is not before; INT64_MIN: that is not known */
};

/* Returns a stream; NULL if memory is out. */
struct live_stream *live_stream_create(const struct live_stream_facts *facts, struct live_trace *trace,
				       struct live_relay *relay);

void live_stream_free(struct live_stream *stream);

/* Returns whether it has an event, or a gap, which comes next. */
static inline bool live_stream_has_event(const struct live_stream *stream)
{
	return stream->reader.base.has_upcoming;
}

/*
 * Of a stream without an event: ask the daemon for its next packet, and begin that.  *flags becomes what else is to
 * be asked for before an event of it is handed out.  Returns what ends the connection, and HISTREE_ERR_MEMORY.
 */
enum histree_status live_stream_ask(struct live_stream *stream, uint32_t *flags, struct histree_error *error);

/* Step to the next event of the packet, if it has one.  Returns as above. */
enum histree_status live_stream_advance(struct live_stream *stream, struct histree_error *error);

/* There is nothing more of it. */
void live_stream_end(struct live_stream *stream);

#endif
