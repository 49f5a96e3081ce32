/* SPDX-License-Identifier: MIT */
/*
 * packet_table.h - packets that one host sent or received, until the other half is seen.
 *
 * Halves come in the order of uncorrected time, so that a packet may be received before it was sent.  There is room
 * for PACKET_TABLE_ROOM halves; a new one takes the place of the oldest.
 */
#ifndef CLOCK_PACKET_TABLE_H
#define CLOCK_PACKET_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/packet.h"
#include "histree/value.h"

enum { PACKET_TABLE_ROOM = 1 << 18 };

struct packet_half {
	struct packet_key key;
	uint32_t host;
	bool is_sent;
	int32_t tid; /* of the thread, for those who want to know */
	histree_time time;
};

struct packet_table;

/* Returns NULL if memory is out. */
struct packet_table *packet_table_create(void);
void packet_table_free(struct packet_table *table);

/*
 * Take a half: if its other one waits, that is taken out, *other becomes it, and the result is true; else the half
 * waits, unless the same host has one that waits already.  What a host sent to itself is a pair too, if it was sent
 * first.
 */
bool packet_table_take(struct packet_table *table, const struct packet_half *half, struct packet_half *other);

#endif
