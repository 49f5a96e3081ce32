/* SPDX-License-Identifier: MIT */
/*
 * packet.h - events that tell of a TCP segment which a host sent or received, in the words of several tracers; and
 * the number of a packet as text, "SEQ/ACK/FLAGS", as a graph keeps those that go between hosts.
 */
#ifndef EVENT_PACKET_H
#define EVENT_PACKET_H

#include <inttypes.h>
#include <stdio.h>

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

enum { PACKET_TEXT_SIZE = 40, PACKET_BUCKETS = 256 };

/* Returns how many bytes it has. */
static inline size_t packet_text(const struct packet_key *key, char text[PACKET_TEXT_SIZE])
{
	return (size_t)snprintf(text, PACKET_TEXT_SIZE, "%" PRIu32 "/%" PRIu32 "/%" PRIu32, key->seq, key->ack_seq,
				key->flags);
}

/*
 * Reads what packet_text() wrote, and after a slash the thread that sent it, unless `tid` is NULL.  Returns false
 * if it is something else.
 */
static inline bool packet_text_read(const char *bytes, size_t size, struct packet_key *key, int32_t *tid)
{
	int64_t numbers[4];
	const size_t count = tid != NULL ? 4 : 3;
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t first = at;
		bool is_negative = i == 3 && at < size && bytes[at] == '-';
		at += is_negative;
		numbers[i] = 0;
		for (; at < size && bytes[at] >= '0' && bytes[at] <= '9' && numbers[i] <= UINT32_MAX; at++)
			numbers[i] = numbers[i] * 10 + (bytes[at] - '0');
		if (at == first + is_negative || numbers[i] > UINT32_MAX)
			return false;
		numbers[i] = is_negative ? -numbers[i] : numbers[i];
		if (i + 1 < count && (at >= size || bytes[at++] != '/'))
			return false;
	}
	if (at != size || (tid != NULL && (numbers[3] < INT32_MIN || numbers[3] > INT32_MAX)))
		return false;
	*key = (struct packet_key){ (uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2] };
	if (tid != NULL)
		*tid = (int32_t)numbers[3];
	return true;
}

/* Returns the list that a packet is kept in after it was sent. */
static inline uint32_t packet_bucket(const struct packet_key *key)
{
	return (key->seq * UINT32_C(2654435761) ^ key->ack_seq * UINT32_C(2246822519)) >> 24;
}

#endif
