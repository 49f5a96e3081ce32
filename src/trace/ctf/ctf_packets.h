/* SPDX-License-Identifier: MIT */
/*
 * ctf_packets.h - the packets of one stream file, and the damage between them.
 *
 * The walk reads heads only, by the rules of CTF 1.8 section 5: each packet begins with the magic number, names a
 * stream of the metadata, the same one in the whole file, and is a whole number of bytes, not less than its
 * content, and inside the file.  A packet that breaks a rule is left out, and the next one is where its size
 * says, or else where the magic number is found again with a sound head behind it.
 */
#ifndef TRACE_CTF_CTF_PACKETS_H
#define TRACE_CTF_CTF_PACKETS_H

#include "trace/ctf/ctf_decoder.h"
#include "trace/trace_notes.h"
#include "trace/trace_window.h"

struct ctf_packet {
	uint64_t offset, size; /* bytes */
	uint64_t begin, end;   /* ticks of the clock; CTF_UNKNOWN where the packet does not say */
	uint64_t content;      /* bytes that are used, as far as the file has them */
	uint64_t identity;     /* the same for packets of one trace that may be the same */
	uint32_t head;         /* bytes: events begin there */
	bool is_certain;       /* that they are, because the packet says of which stream it is, and its number */
	bool is_repeated;      /* it is taken elsewhere (trace_repeats.h) */
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

#endif
