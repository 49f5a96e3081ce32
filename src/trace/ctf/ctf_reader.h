/* SPDX-License-Identifier: MIT */
/*
 * ctf_reader.h - the events of one stream, out of the packets of its files.
 *
 * A packet that is damaged costs itself, from its first event that is wrong; the stream goes on with the next one.
 */
#ifndef TRACE_CTF_CTF_READER_H
#define TRACE_CTF_CTF_READER_H

#include "trace/ctf/ctf_marks.h"
#include "trace/ctf/ctf_packets.h"
#include "trace/trace_stream.h"

struct ctf_file {
	char *path;
	struct ctf_packets packets;
	struct ctf_marks *marks; /* in its packets; shared with the readers */
};

/* A packet of a stream that is kept in several files. */
struct ctf_piece {
	uint32_t file, packet;
};

struct ctf_reader {
	struct trace_stream base;
	struct ctf_decoder *decoder;
	struct ctf_stream_decoder *stream;
	const struct ctf_file *files; /* of the stream */
	size_t file_count;
	struct ctf_piece *pieces; /* in their order; NULL: the packets of the only file, as they are */
	uint64_t packet_count;
	const struct io *io; /* by which the files are read */
	bool stays_open;
	bool is_in_order;   /* no event of the trace has a time, and their order stands for it */
	bool is_live;       /* it has one packet at a time, its only file's, and others may follow until it ends */
	size_t window_size; /* that is read at a time */

	uint64_t packets;       /* begun so far, with those that were skipped */
	uint64_t packet_events; /* of the last of them, up to the upcoming one */

	struct trace_window window;
	uint32_t window_file;
	struct ctf_cursor cursor;
	size_t place_capacity, slot_capacity;
	struct ctf_texts texts;       /* of the event */
	bool is_open;                 /* a packet is */
	uint64_t offset;              /* of the packet in its file */
	uint64_t content, size;       /* of the packet, in bits, as far as the file has it */
	struct ctf_head head, before; /* of the packet, and of the one before it */
	bool has_before;
	int32_t cpu;
	uint64_t ticks;  /* of the event that was decoded last: its own fields may move the clock on */
	bool is_damaged; /* and counted so */
	bool is_done;
	char why[64]; /* room for a reason with a number */
};

/* Everything up to `window_size` is set by the caller, but what is zero. */
enum histree_status ctf_reader_init(struct ctf_reader *reader, struct histree_error *error);

/*
 * Make the next event of the stream, or the next gap where gaps are wanted, its upcoming one.  Returns
 * HISTREE_END at the end, HISTREE_NOT_FOUND if a live stream has no event now; HISTREE_ERR_MEMORY, and the errors
 * of the source of a live stream, except HISTREE_ERR_IO.
 */
enum histree_status ctf_reader_next(struct ctf_reader *reader, struct histree_error *error);

/*
 * For a reader that has read nothing yet: skip `events` events of its first packet.  On the way marks are left,
 * and existing ones are used.  Returns as ctf_reader_next().
 */
enum histree_status ctf_reader_skip(struct ctf_reader *reader, uint64_t events, struct histree_error *error);

/* A live stream has no more packets: say what is known at its end. */
void ctf_reader_end(struct ctf_reader *reader);

void ctf_reader_release(struct ctf_reader *reader);

#endif
