/* SPDX-License-Identifier: MIT */
/*
 * clock.h - clocks of hosts: transforms of times, and how the clocks of many hosts are found from the packets
 * between them.
 *
 * A *transform* converts times of one clock to another; transforms can be composed.
 *
 * A *tree* has the clocks of many hosts, computed from those of pairs (docs/design/13-hosts.md).
 *
 * Packets between two hosts restrict the relation of their clocks: the possible lines y = alpha x + beta, where x
 * is the time of one and y that of the other, lie between two convex hulls.
 *
 * A packet from the host of y is a point below the line, one to it a point above (Poirier et al., "Accurate offline
 * synchronization of distributed traces using kernel-level events", 2010).
 *
 * A hull has, on one side, the points that a line above all of them, or below all, can touch.
 *
 * The x of a point is a time by one clock and y one by another, both within CLOCK_TIME_MAX of zero, so that
 * products of differences are exact in 128 bits.
 *
 * Packets that one host sent or received wait in a *table* until the other half is seen.
 *
 * Halves come in the order of uncorrected time, so that a packet may be received before it was sent.  There is room
 * for PACKET_TABLE_ROOM halves; a new one takes the place of the oldest.
 */
#ifndef CLOCK_CLOCK_H
#define CLOCK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/exact_sum.h"
#include "event/event.h"
#include "histree/store.h"
#include "histree/value.h"

/* Returns the transform the other way round. */
struct histree_clock clock_invert(const struct histree_clock *clock);

enum { CLOCK_TEXT_SIZE = 64 };

/* Write "OFFSET,SLOPE"; one that was read so is the same when it is read again. */
void clock_text_write(const struct histree_clock *clock, char out[CLOCK_TEXT_SIZE]);

struct clock_point {
	histree_time x, y;
};

/* A slope dy / dx, where dx > 0. */
struct clock_slope {
	int64_t dy, dx;
};

/* One that is zeroed, except for the side, is empty. */
struct clock_hull {
	int side;                   /* 1: the points that a line above all can touch; -1: below all */
	struct clock_point *points; /* by ascending x */
	size_t count, capacity;
};

/* Returns how far a point is above the line of a slope through another, times dx: 0 if it is on it. */
wide_int clock_above(struct clock_point point, struct clock_point through, struct clock_slope slope);

/* A line through two points, the one below and the one above; their x differ. */
struct clock_line {
	bool is_there;
	struct clock_point below, above;
};

struct clock_pair {
	struct clock_hull below, above;
	struct clock_line flattest, steepest;
	uint64_t matches;
	uint64_t accurate; /* those of them that narrowed the range of possible lines */
	bool is_contradicted;
	struct clock_point contradiction; /* the packet after which no line could be */
	histree_time first, last;         /* the least and the greatest x of all packets */
};

/* Make it empty; release it later. */
void clock_pair_begin(struct clock_pair *pair);
void clock_pair_release(struct clock_pair *pair);

/*
 * Add a packet: its time by x and by y, and whether the host of y sent it.  Times beyond CLOCK_TIME_MAX, and those
 * after a contradiction, are counted and nothing else.  Returns false if memory runs out.
 */
bool clock_pair_add(struct clock_pair *pair, struct clock_point packet, bool is_from_y);

/* Returns the line in the middle of the possible ones, as the transform of times of y to those of x. */
struct histree_clock clock_pair_fit(const struct clock_pair *pair);

/* Packets between two hosts, in the sense of clock.h. */
struct clock_link {
	uint32_t x, y;
	struct clock_pair pair;
};

/*
 * Find the clock of each host: the reference's is as it is, others come over the links with the smallest errors (a
 * minimal spanning tree, by Prim's algorithm), those of a better quality first.  `clocks` and `neighbours` have
 * room for all; a host that no link leads to has the quality absent, keeps its time, and is its own neighbour.
 */
void clock_tree_find(const struct clock_link *links, size_t link_count, uint32_t reference, size_t host_count,
		     struct histree_clock *clocks, size_t *neighbours);

enum { PACKET_TABLE_ROOM = 1 << 18 };

struct packet_half {
	struct packet_key key;
	uint32_t host;
	bool is_sent;
	int32_t tid; /* of the thread, for callers that need it */
	histree_time time;
};

struct packet_table;

/* Returns NULL if memory runs out. */
struct packet_table *packet_table_create(void);
void packet_table_free(struct packet_table *table);

/*
 * Take a half: if its other one waits, that is taken out, *other becomes it, and the result is true; else the half
 * waits, unless the same host has one that waits already.  What a host sent to itself is a pair too, if it was sent
 * first.
 */
bool packet_table_take(struct packet_table *table, const struct packet_half *half, struct packet_half *other);

#endif
