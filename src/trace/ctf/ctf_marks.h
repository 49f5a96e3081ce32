/* SPDX-License-Identifier: MIT */
/*
 * ctf_marks.h - where every 64th event of a packet begins, as far as the packet has been read.
 *
 * A second visit to a packet need not decode it from its beginning.  Marks are made while a place is looked for,
 * not while a trace is read through.
 */
#ifndef TRACE_CTF_CTF_MARKS_H
#define TRACE_CTF_CTF_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"

/* All marks of a file are forgotten when they are more: they have a MiB then. */
enum { CTF_EVENTS_PER_MARK = 64, CTF_MARKS_MAX = 1 << 16 };

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

/* Add the next mark of a packet.  Memory that is out costs the mark. */
void ctf_marks_add(struct ctf_marks *marks, uint64_t packet, struct ctf_mark mark);

/* Returns how many marks a packet has; *out becomes the last one that is not behind an event. */
size_t ctf_marks_find(const struct ctf_marks *marks, uint64_t packet, uint64_t event, struct ctf_mark *out,
		      uint64_t *event_of_mark);

void ctf_marks_release(struct ctf_marks *marks);

#endif
