/* SPDX-License-Identifier: MIT */
/*
 * clock_tree.h - the clocks of many hosts, from those of pairs of them.
 */
#ifndef CLOCK_CLOCK_TREE_H
#define CLOCK_CLOCK_TREE_H

#include "clock/clock_pair.h"

/* Packets between two hosts, in the sense of clock_pair.h. */
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

#endif
