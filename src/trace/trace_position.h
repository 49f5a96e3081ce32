/* SPDX-License-Identifier: MIT */
/*
 * trace_position.h - a place in a stream file, from which it can be read on.
 */
#ifndef TRACE_TRACE_POSITION_H
#define TRACE_TRACE_POSITION_H

#include <stdint.h>

/*
 * How far the reading of one stream file has come: the packet of the next event, and how many events of that
 * packet come before it.  A trace is read on from any event by the positions of all its files at that event.  What
 * a packet is, each format says for itself: of perf.data it is the offset of a round, of a
 * trace.dat the number of a page of a CPU.
 */
struct trace_position {
	uint64_t packet; /* TRACE_FILE_DONE: the file has no more events */
	uint64_t events;
};

#define TRACE_FILE_DONE UINT64_MAX

#endif
