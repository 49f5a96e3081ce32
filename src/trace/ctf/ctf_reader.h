/* SPDX-License-Identifier: MIT */
/*
 * ctf_reader.h - the events of one stream, out of the packets of its files.
 *
 * The walk over the packets of a file reads heads only, by the rules of CTF 1.8 section 5: each packet begins with
 * the magic number, names a stream of the metadata, the same one in the whole file, and is a whole number of bytes,
 * not less than its content, and inside the file.  A packet that breaks a rule is skipped.  The next one is where
 * its size says, or else where the magic number is found again, followed by a valid header.
 *
 * A packet that is damaged inside is lost from its first invalid event on; the stream continues with the next
 * packet.
 *
 * Marks say where every 64th event of a packet begins, so that a second visit need not decode it from its
 * beginning.  They are made while a place is searched for, not while a trace is read from start to end.
 */
#ifndef TRACE_CTF_CTF_READER_H
#define TRACE_CTF_CTF_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "trace/ctf/ctf_decoder.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

struct ctf_mark {
	uint64_t bit;   /* from the start of the packet */
	uint64_t clock; /* before the event */
};

struct ctf_packet_marks {
	struct ctf_mark *marks; /* of the events 64, 128, ... */
	size_t count, capacity;
};

/* Of the packets of a file.  A zeroed one is empty. */
struct ctf_marks {
	struct id_map packets; /* struct ctf_packet_marks, by the number of the packet */
	size_t count;          /* of all marks */
};

void ctf_marks_release(struct ctf_marks *marks);

struct ctf_packet {
	uint64_t offset, size; /* bytes */
	uint64_t begin, end;   /* ticks of the clock; CTF_UNKNOWN where the packet does not say */
	uint64_t content;      /* bytes that are used, as far as the file has them */
	uint64_t identity;     /* the same for packets of one trace that may be the same */
	uint32_t head;         /* bytes: events begin there */
	bool is_certain;       /* that they are, because the packet says of which stream it is, and its number */
	bool is_repeated;      /* it is taken elsewhere (ctf_repeats.c) */
	bool repeats_loss;     /* and the loss before it is reported there */
};

/* A zeroed one is empty. */
struct ctf_packets {
	struct ctf_packet
		*packets; /* one after the other; where one does not begin at the last one's end is damage */
	size_t count, capacity;
	uint64_t file_size;
	struct ctf_stream_decoder *stream; /* of the packets; NULL: there are no packets */
	uint64_t instance;                 /* CTF_UNKNOWN: the trace does not say */
	bool is_damaged;                   /* and the notes say so */
	bool is_cut;                       /* the last one is shorter than it says */
};

/*
 * Walk the file at `path`.  Damage, and a file that cannot be read, is no error: it goes into the notes.
 * HISTREE_ERR_MEMORY.
 */
enum histree_status ctf_packets_walk(const struct ctf_decoder *decoder, const struct io *io, const char *path,
				     struct trace_notes *notes, struct ctf_packets *out,
				     struct histree_error *error);
void ctf_packets_release(struct ctf_packets *packets);

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
enum histree_status ctf_reader_next(struct trace_stream *base, struct histree_error *error);

/*
 * For a reader that has read nothing yet: skip `events` events of its first packet.  On the way marks are left,
 * and existing ones are used.  Returns as ctf_reader_next().
 */
enum histree_status ctf_reader_skip(struct trace_stream *base, uint64_t events, struct histree_error *error);

/* A live stream has no more packets: say what is known at its end. */
void ctf_reader_end(struct ctf_reader *reader);
void ctf_reader_release(struct ctf_reader *reader);

#endif
