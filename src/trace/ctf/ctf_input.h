/* SPDX-License-Identifier: MIT */
/*
 * ctf_input.h - one CTF trace: its babeltrace2 graph and the streams that come out of it.
 *
 * The graph is one source.ctf.fs and one sink of ours with an input port a stream.  babeltrace2's
 * flt.utils.muxer is not in between: it ends where the clock of a stream steps back.  The sink consumes
 * what it is told to: ctf_stream_next() names a stream, runs the graph once, and the sink takes one batch
 * of messages from that stream.
 */
#ifndef TRACE_CTF_CTF_INPUT_H
#define TRACE_CTF_CTF_INPUT_H

#include <babeltrace2/babeltrace.h>

#include "trace/ctf/ctf_class.h"
#include "trace/ctf/ctf_folder.h"
#include "trace/trace_notes.h"

struct ctf_input;

struct ctf_stream {
	struct ctf_input *input;
	bt_message_iterator *iterator;   /* NULL: ended */
	bt_message_array_const messages; /* a batch; those from `next` on are ours to release */
	uint64_t count, next;
	const bt_message *current; /* the message of `upcoming`; NULL if there is none */
	struct event upcoming;     /* the event that comes next */

	const char *name;       /* of its first file, as the user would write it; first of the folder */
	struct ctf_file *file;  /* NULL if not known */
	uint64_t packets;       /* begun so far, with those that were skipped */
	uint64_t packet_events; /* of the last of them, up to `upcoming` */
	int32_t cpu;            /* of the packet */
	bool has_events;
	histree_time last; /* time of the last event, if there was one */
	struct event_gap gap;
	bool has_gap; /* it was met, and is still to become the upcoming event */
	uint64_t steps_back;
	histree_time first_step_back;
};

struct ctf_input {
	struct event_trace trace;
	struct arena texts; /* of `trace`, and the names of streams */
	struct ctf_folder folder;
	bt_graph *graph;
	struct ctf_stream *streams;
	size_t stream_count;
	uint64_t packets_done;
	size_t streams_ended;
	bool wants_gaps;
	bool is_live; /* one stream, in which babeltrace2 merges all those of the session */

	struct ctf_stream *pulled; /* the stream that the sink takes a batch of */
	bt_message_iterator_next_status pulled_status;
	char cause[256]; /* of the last failure, by babeltrace2 */

	struct ctf_classes *classes; /* shared by all inputs */
	struct trace_notes *notes;
};

/* The plugin that reads CTF.  The caller puts the reference back with bt_plugin_put_ref(). */
enum histree_status ctf_plugin_find(const bt_plugin **out, struct histree_error *error);

/*
 * Find the files of the trace in the folder `path`; everything in `input` but its `trace.id`, classes and notes is
 * zero.
 */
enum histree_status ctf_input_scan(struct ctf_input *input, const char *path, struct histree_error *error);

/* Then open it; each file begins at its `first_packet`. */
enum histree_status ctf_input_open(struct ctf_input *input, const bt_plugin *plugin, struct histree_error *error);

/* Find and open the session at a relay daemon that has this address. */
enum histree_status ctf_input_open_live(struct ctf_input *input, const bt_plugin *plugin, const char *address,
					struct histree_error *error);

/* Bytes of the stream files that were decoded, by the packets in them. */
uint64_t ctf_input_bytes_done(const struct ctf_input *input);

/* This is called once for each input, opened or half opened. */
void ctf_input_close(struct ctf_input *input);

/*
 * Make the next event of a stream, or the next gap where gaps are wanted, its upcoming one.  Returns HISTREE_END
 * when there are no more, also where the rest of the stream is damaged, which the notes say; HISTREE_NOT_FOUND if a
 * live trace has none now; HISTREE_ERR_MEMORY.
 */
enum histree_status ctf_stream_next(struct ctf_stream *stream, struct histree_error *error);

/* Release what a stream holds of babeltrace2. */
void ctf_stream_release(struct ctf_stream *stream);

/* The stream is at its end because of `input->cause`. */
void ctf_stream_damaged(struct ctf_stream *stream);

#endif
