/* SPDX-License-Identifier: MIT */
/*
 * packet.h - events that tell of a TCP segment which a host sent or received, in the words of several tracers.
 */
#ifndef EVENT_PACKET_H
#define EVENT_PACKET_H

#include "event/event.h"

/* What the header of a segment says: enough to know it again on the other host. */
struct packet_key {
	uint32_t seq, ack_seq, flags;
};

/* Where a class of events has these numbers: paths of event_find(). */
struct packet_place {
	const char *field; /* of the event, by which the place is known */
	const char *seq, *ack_seq, *flags;
};

struct packet_class {
	bool is_known, is_sent;
	const struct packet_place *place; /* NULL: it is about no packet */
};

/* Returns what a class is; `is_known` is set. */
struct packet_class packet_class_of(const struct event_class *class);

/* Returns whether a class of that name may be about packets. */
bool packet_name_is_known(const char *name);

/* Returns whether the event, of such a class, has the numbers of a segment, and them in *out. */
bool packet_read(const struct packet_class *class, const struct event *event, struct packet_key *out);

#endif
