/* SPDX-License-Identifier: MIT */
/*
 * ctf_packets.h - the packets of one stream file, and where its damage begins.
 *
 * The walk looks at headers and contexts only, by the rules of CTF 1.8 section 5: each packet begins with
 * the magic number, names a stream class of the metadata, the same one in the whole file, and is a whole
 * number of bytes, not less than its content, and inside the file.
 */
#ifndef TRACE_CTF_CTF_PACKETS_H
#define TRACE_CTF_CTF_PACKETS_H

#include "histree/status.h"
#include "trace/ctf/ctf_layout.h"

struct ctf_packet {
	uint64_t offset, size; /* bytes */
	uint64_t begin;        /* cycles of the clock; 0 where the trace has none that makes sense */
	uint64_t end;          /* the same */
};

/* A zeroed one is empty. */
struct ctf_packets {
	struct ctf_packet *packets; /* one after the other, from offset 0 */
	size_t count, capacity;
	uint64_t file_size;
	/*
	 * What is wrong after the last of the packets or at its end, "" if nothing.  Then the last packet is
	 * taken to reach the end of the file, and what can be decoded of it is good.
	 */
	char damage[160];
};

/*
 * HISTREE_OK if the file could be read, whatever is in it; count 0 with damage: nothing of it is usable.
 * HISTREE_ERR_IO, HISTREE_ERR_MEMORY.
 */
enum histree_status ctf_packets_walk(const struct ctf_layout *layout, const char *path, struct ctf_packets *out,
				     struct histree_error *error);

/* Whether an LTTng index (babeltrace2 believes them) says the same; true if there is no such file. */
bool ctf_packets_match_index(const struct ctf_packets *packets, const char *index_path);

/*
 * Write the packets from `first` on as an LTTng index, version 1.0.  babeltrace2 wants the sizes in an index to
 * make up the size of the file, and takes but the offsets from it: the last packet is said to have what was left
 * out.
 */
enum histree_status ctf_packets_write_index(const struct ctf_packets *packets, size_t first, const char *index_path,
					    struct histree_error *error);

void ctf_packets_release(struct ctf_packets *packets);

#endif
