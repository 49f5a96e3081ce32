/* SPDX-License-Identifier: MIT */
/*
 * ctf_live.h - one live trace: a session at a relay daemon of LTTng, read by babeltrace2.
 *
 * The graph is one source.ctf.lttng-live and one sink of ours.  The source merges the streams of the session, so
 * there is one stream here, with the events of all CPUs.  ctf_live_next() runs the graph once, and the sink takes
 * one batch of messages.
 */
#ifndef TRACE_CTF_CTF_LIVE_H
#define TRACE_CTF_CTF_LIVE_H

#include <babeltrace2/babeltrace.h>

#include "histree/cancel.h"
#include "trace/ctf/ctf_live_class.h"
#include "trace/trace_stream.h"

struct ctf_live {
	struct trace_stream base;
	struct event_trace trace;
	struct arena texts; /* of `trace`, and the name of the stream */
	struct ctf_live_classes classes;
	const bt_plugin *plugin;
	bt_graph *graph;
	bt_message_iterator *iterator;   /* NULL: ended */
	bt_message_array_const messages; /* a batch; those from `next` on are ours to release */
	uint64_t count, next;
	const bt_message *current; /* the message of the upcoming event; NULL if there is none */
	bool pulls;                /* the sink is to take a batch */
	bt_message_iterator_next_status pulled_status;
	uint64_t packets; /* begun so far */
	char cause[256];  /* of the last failure, by babeltrace2 */
};

/*
 * Find and open the session that has this address; everything in `live` but its notes is zero.  `cancel`, which
 * may be NULL, is asked while the daemon is waited for.
 */
enum histree_status ctf_live_open(struct ctf_live *live, const char *address, const struct histree_cancel *cancel,
				  struct histree_error *error);

/*
 * Make the next event, or the next gap where gaps are wanted, the upcoming one.  Returns HISTREE_END when the
 * session has ended, or cannot be decoded any more, which the notes say; HISTREE_NOT_FOUND if there is none now;
 * HISTREE_ERR_MEMORY.
 */
enum histree_status ctf_live_next(struct ctf_live *live, struct histree_error *error);

/* This is called once, for one that was opened or half opened. */
void ctf_live_close(struct ctf_live *live);

/* Release what the stream holds of babeltrace2. */
void ctf_live_stream_release(struct ctf_live *live);

/* The stream is at its end because of `live->cause`. */
void ctf_live_stream_damaged(struct ctf_live *live);

#endif
