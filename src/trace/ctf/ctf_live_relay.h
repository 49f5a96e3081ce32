/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_relay.h - a connection to a relay daemon of LTTng: the requests of a viewer, the answers, and the
 * session that an address names.
 *
 * The protocol is that of LTTng's viewers, 2.4 (lttng-tools, lttng-viewer-abi.h).  Answers are received in parts of
 * bounded size, whatever the daemon sends; a number outside its bounds ends the connection.
 *
 * No call waits without end: an answer must begin within five seconds, and each 64 KiB of it may take one more. The
 * first failure ends the connection: all later calls fail, too.
 */
#ifndef TRACE_CTF_CTF_LIVE_RELAY_H
#define TRACE_CTF_CTF_LIVE_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "histree/status.h"

/* What carries the bytes.  Tests have others than the socket. */
struct live_wire {
	/* Wait at most `ms` ms until something can be sent, or received; -1: the connection is broken. */
	int (*wait)(void *context, bool to_send, int ms);
	/* As send(2) and recv(2) of a socket that does not block. */
	ssize_t (*send)(void *context, const void *bytes, size_t size);
	ssize_t (*receive)(void *context, void *bytes, size_t size);
	int64_t (*now_ms)(void *context);
	void (*close)(void *context);
};

struct live_relay {
	const struct live_wire *wire; /* NULL: there is no connection */
	void *context;
	int socket;
	const char *place; /* "HOST" or "HOST:PORT", up to a slash or the end; borrowed */
	int place_size;
	const struct histree_work *work; /* asked while something is waited for; may be NULL */
	bool is_attached;                /* what fails now is a session that was read, not an address */
	int64_t end_ms;                  /* by when the daemon must have answered */
};

/*
 * Connect to the daemon at a place.  Returns HISTREE_ERR_TRACE if none answers, and the message says what does;
 * HISTREE_ERR_CANCELLED as soon as `cancel` says so.
 */
enum histree_status live_relay_connect(struct live_relay *relay, const char *place, const struct histree_work *work,
				       struct histree_error *error);
void live_relay_close(struct live_relay *relay);
int64_t live_relay_now(const struct live_relay *relay);

/* Receive exactly `size` bytes of the answer. */
enum histree_status live_relay_receive(struct live_relay *relay, void *bytes, size_t size,
				       struct histree_error *error);

/* What was received is no answer.  Returns HISTREE_ERR_TRACE. */
enum histree_status live_relay_no_answer(struct live_relay *relay, struct histree_error *error);

enum { LIVE_SESSIONS_MAX = 4096, LIVE_TRACES_MAX = 8192, LIVE_STREAMS_MAX = 65536 };

struct live_session {
	uint64_t id;
	char host[65]; /* that is traced */
	char name[256];
};

struct live_stream_facts {
	uint64_t id, trace;
	bool is_metadata;
	char path[4097], channel[256]; /* where its file is, below the folder of the session */
};

/* What comes of each session, or stream, of an answer.  An error ends the answer. */
typedef enum histree_status (*live_take_session)(void *context, const struct live_session *session,
						 struct histree_error *error);

typedef enum histree_status (*live_take_stream)(void *context, const struct live_stream_facts *facts,
						struct histree_error *error);

/* What the daemon says of a request; the numbers of the protocol differ from one to the next. */
enum live_attachment {
	LIVE_ATTACHED = 1,
	LIVE_ATTACHED_ALREADY,
	LIVE_UNKNOWN,
	LIVE_NOT_LIVE,
	LIVE_WRONG_SEEK,
	LIVE_NO_VIEWER,
};

enum live_news { LIVE_STREAMS = 1, LIVE_NO_STREAMS, LIVE_STREAMS_FAILED, LIVE_SESSION_OVER };

enum live_index_kind {
	LIVE_INDEX = 1,
	LIVE_INDEX_LATER,
	LIVE_INDEX_OVER,
	LIVE_INDEX_FAILED,
	LIVE_INDEX_QUIET, /* its end is a time: all that comes is not before */
	LIVE_INDEX_END,
};

enum live_bytes { LIVE_BYTES = 1, LIVE_BYTES_LATER, LIVE_BYTES_FAILED, LIVE_BYTES_END };

enum live_piece { LIVE_PIECE = 1, LIVE_NO_PIECE, LIVE_PIECE_FAILED, LIVE_PIECES_OVER };

/* More is to be asked for before a packet can be read. */
enum { LIVE_NEW_METADATA = 1, LIVE_NEW_STREAMS = 2 };

/* Of the next packet of a stream. */
struct live_index {
	enum live_index_kind kind;
	uint32_t flags;
	uint64_t offset, size, content; /* bytes in the file of the stream; bits; bits */
	uint64_t end;                   /* ticks */
	uint64_t stream;                /* id of its kind in the metadata */
};

/*
 * Each returns HISTREE_ERR_TRACE if the connection has ended, or the answer is malformed; HISTREE_ERR_CANCELLED.
 */

/* Attach to a session, from the first packet on that the daemon still has. */
enum histree_status live_ask_attach(struct live_relay *relay, uint64_t session, live_take_stream take,
				    void *context, enum live_attachment *out, struct histree_error *error);

/* Ask for the streams that came to the session since. */
enum histree_status live_ask_streams(struct live_relay *relay, uint64_t session, live_take_stream take,
				     void *context, enum live_news *out, struct histree_error *error);
enum histree_status live_ask_index(struct live_relay *relay, uint64_t stream, struct live_index *out,
				   struct histree_error *error);

/* Ask for exactly `size` bytes of the file of a stream, which are there if *out is LIVE_BYTES. */
enum histree_status live_ask_bytes(struct live_relay *relay, uint64_t stream, uint64_t offset, void *bytes,
				   size_t size, enum live_bytes *out, uint32_t *flags, struct histree_error *error);

/* Ask for the metadata that came since.  *size bytes are then to be received, if *out is LIVE_PIECE. */
enum histree_status live_ask_metadata(struct live_relay *relay, uint64_t stream, enum live_piece *out,
				      uint64_t *size, struct histree_error *error);

/* Find the session of an address, "net://HOST/host/NAME/SESSION".  HISTREE_ERR_TRACE says what there is instead. */
enum histree_status live_session_find(struct live_relay *relay, const char *address, uint64_t *out,
				      struct histree_error *error);

#endif
