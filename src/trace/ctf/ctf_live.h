/* SPDX-License-Identifier: MIT */
/*
 * ctf_live.h - a live session at a relay daemon of LTTng: its streams, merged by time while they grow.
 *
 * An event is handed out when nothing that comes can be before it: each other stream has its next event, or has
 * ended, or is known to be past that time, by a beacon of the daemon or the end of a packet.  At the same time
 * streams come in the order of their files.  So the events, and their order, are those of the files of the
 * session.
 *
 * New streams are asked for before an event of a packet is handed out with whose index the daemon said that there
 * are some: each event of theirs is later than all that was handed out before.
 */
#ifndef TRACE_CTF_CTF_LIVE_H
#define TRACE_CTF_CTF_LIVE_H

#include "trace/ctf/ctf_live_stream.h"

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
enum histree_status ctf_live_open(struct ctf_live *live, const char *address, const struct histree_cancel *cancel,
				  struct histree_error *error);

/* The same, over a connection that is open already. */
enum histree_status ctf_live_attach(struct ctf_live *live, const char *address, struct histree_error *error);

/*
 * Make the next event, or the next gap, the upcoming one.  Returns HISTREE_END when the session has ended, or the
 * connection to the daemon, which the notes say; HISTREE_NOT_FOUND if there is none now; HISTREE_ERR_CANCELLED,
 * HISTREE_ERR_MEMORY.
 */
enum histree_status ctf_live_next(struct ctf_live *live, struct histree_error *error);

/* Returns the trace of an id below `known_count`. */
const struct event_trace *ctf_live_trace_at(const struct ctf_live *live, size_t id);

/* This is called once, for one that was opened or half opened. */
void ctf_live_close(struct ctf_live *live);

#endif
