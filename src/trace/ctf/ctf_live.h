/* SPDX-License-Identifier: MIT */
/*
 * ctf_live.h - a live session at a relay daemon of LTTng as traces: metadata and packets that come in pieces.
 *
 * *Metadata* grow while they are read.  A piece may end anywhere, within a packet or within a declaration; complete
 * declarations are read, the rest waits.  Declarations stay at their addresses, and so do classes of events.  Each
 * byte is read once, wherever the pieces are cut.
 *
 * A *stream* is read by the reader of files (ctf_reader.h); the relay daemon announces each packet, and parts of it
 * are requested as they are needed.
 *
 * A *trace* has metadata, as far as the relay daemon has received them, and a decoder.  A session has several: one
 * of the kernel, one for each traced user or process.
 *
 * The *session* merges its streams by time while they grow.  An event is handed out once no event before it can
 * come: each other stream has its next event, or has ended, or is known to be past that time, from a beacon of the
 * daemon or the end of a packet.  Streams with events at the same time come in the order of their files.  So the
 * events, and their order, are the same as in the files of the session.
 *
 * When the index of a packet announces new streams, they are requested before an event of the packet is handed out:
 * all their events are later than those handed out before.
 */
#ifndef TRACE_CTF_CTF_LIVE_H
#define TRACE_CTF_CTF_LIVE_H

#include "trace/ctf/ctf_decoder.h"
#include "trace/ctf/ctf_live_relay.h"
#include "trace/ctf/ctf_reader.h"
#include "trace/ctf/ctf_source.h"
#include "trace/ctf/tsdl.h"
#include "trace/trace_source.h"

/* Where the text is, as far as it was looked at. */
enum live_text {
	LIVE_TEXT,
	LIVE_SLASH,
	LIVE_LINE_COMMENT,
	LIVE_COMMENT,
	LIVE_STAR,
	LIVE_STRING,
	LIVE_ESCAPE,
};

/* A zeroed one is empty. */
struct live_metadata {
	struct ctf_schema schema;
	struct tsdl_reader *reader;
	uint64_t size; /* of all pieces */
	bool has_form, is_packetized, big_endian;
	uint8_t *bytes; /* of packets that are not whole */
	size_t count, capacity;
	char *text; /* that was not read */
	size_t text_count, text_capacity;
	size_t seen, whole; /* of the text: looked at, and up to the end of the last whole declaration */
	size_t depth;       /* of braces at `seen` */
	enum live_text state;
};

/* Room for the next bytes of a piece; NULL if memory runs out or there are more than 64 MiB in all. */
uint8_t *live_metadata_room(struct live_metadata *metadata, size_t size);

/* Take in `size` bytes of that room.  HISTREE_ERR_TRACE, with the place of the fault, ends its use. */
enum histree_status live_metadata_take(struct live_metadata *metadata, size_t size, struct histree_error *error);

/* Returns whether the trace is declared: packets can be read. */
bool live_metadata_is_begun(const struct live_metadata *metadata);

/* Returns whether the last piece ended within a packet or a declaration. */
bool live_metadata_is_cut(const struct live_metadata *metadata);
void live_metadata_release(struct live_metadata *metadata);

struct live_trace {
	struct event_trace trace;
	uint64_t id; /* at the daemon */
	char *name;  /* its folder below that of the session */
	struct trace_notes *notes;
	uint32_t *class_count; /* of the input */
	uint32_t *known_count; /* of the session: traces that have said what they are, whose ids are dense */
	bool has_stream;       /* that its metadata is in, which has this id */
	uint64_t stream;
	bool wants_metadata; /* there may be more */
	bool is_over;        /* there will be no more */
	bool is_damaged;     /* it cannot be read, which the notes say */
	struct live_metadata metadata;
	int64_t piece_ms; /* when the last piece came */
	bool has_decoder;
	bool is_known; /* it has said what it is, and has its id */
	struct ctf_decoder decoder;
};

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

struct ctf_live {
	struct live_relay relay;
	char *address;
	uint64_t session;
	struct trace_notes *notes;
	uint32_t *class_count;
	struct live_trace **traces;
	size_t trace_count, trace_capacity;
	uint32_t known_count;         /* of the traces, that have said what they are */
	struct live_stream **streams; /* in the order that decides ties */
	size_t stream_count, stream_capacity;
	struct live_stream *current; /* whose event was handed out last */
	bool wants_streams;          /* there are new ones */
	bool has_ended;              /* there will be no new ones */
	bool has_forgotten;          /* a process that has exited may lack its end, which the notes say */
	bool is_broken;              /* the connection ended before the session, which the notes say */
	int64_t news_ms;             /* when new streams were asked for */
	struct event upcoming;
};

/*
 * Find and open the session that has this address; everything in `live` but notes and count of classes is zero.
 * Returns HISTREE_ERR_TRACE if no relay daemon answers, or it has no such session: the message says which, and the
 * way out.  `cancel`, which may be NULL, is asked while the daemon is waited for, from here on.
 */
enum histree_status ctf_live_open(struct ctf_live *live, const char *address, const struct histree_work *work,
				  struct histree_error *error);

/* The same, over a connection that is open already. */
enum histree_status ctf_live_attach(struct ctf_live *live, const char *address, struct histree_error *error);

/*
 * Make the next event, or the next gap, the upcoming one.  Returns HISTREE_END when the session has ended, or the
 * connection to the daemon, which the notes say; HISTREE_NOT_FOUND if there is no event now;
 * HISTREE_ERR_CANCELLED, HISTREE_ERR_MEMORY.
 */
enum histree_status ctf_live_next(struct ctf_live *live, struct histree_error *error);

/* Returns the trace of an id below `known_count`. */
const struct event_trace *ctf_live_trace_at(const struct ctf_live *live, size_t id);

/* This is called once, for one that was opened or half opened. */
void ctf_live_close(struct ctf_live *live);

#endif
