/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_trace.h - one trace of a live session: its metadata, as far as the relay daemon has it, and its decoder.
 *
 * A session has several: one of the kernel, one for each user or process that is traced.
 */
#ifndef TRACE_CTF_CTF_LIVE_TRACE_H
#define TRACE_CTF_CTF_LIVE_TRACE_H

#include "trace/ctf/ctf_decoder.h"
#include "trace/ctf/ctf_live_metadata.h"
#include "trace/ctf/ctf_live_protocol.h"
#include "trace/trace_notes.h"

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

/* Returns a trace without metadata; NULL if memory is out. */
struct live_trace *live_trace_create(const struct live_stream_facts *facts, const char *path,
				     struct trace_notes *notes, uint32_t *class_count, uint32_t *known_count);

void live_trace_free(struct live_trace *trace);

/*
 * Ask for metadata, if there may be more.  What is wrong with them is no error: the trace is damaged then.  Returns
 * what ends the connection, and HISTREE_ERR_MEMORY.
 */
enum histree_status live_trace_fetch(struct live_trace *trace, struct live_relay *relay,
				     struct histree_error *error);

/* Returns whether its packets can be read: its metadata are there, and whole as far as one can wait for that. */
bool live_trace_is_ready(const struct live_trace *trace, int64_t now_ms);

/* Its first packet or beacon is there: what its metadata say of it by now is what it is. */
void live_trace_begin(struct live_trace *trace);

/* Say in the notes that it cannot be read, and why. */
void live_trace_damaged(struct live_trace *trace, const char *why);

/* Returns the time of a value of the clock of a kind of stream, or of any if there is none of that id. */
bool live_trace_time(const struct live_trace *trace, uint64_t stream, uint64_t ticks, histree_time *out);

#endif
