/* SPDX-License-Identifier: MIT */
/*
 * graph_packets.h - packets in the graph: who sends and who receives one has a vertex, and of what a host sends to
 * itself, an arrow goes from the one to the other.  What may go to or come from another host is kept by its number.
 */
#ifndef ANALYSIS_GRAPH_GRAPH_PACKETS_H
#define ANALYSIS_GRAPH_GRAPH_PACKETS_H

#include "analysis/class_table.h"
#include "analysis/graph/graph_workers.h"
#include "clock/packet_table.h"

/* A zeroed one is empty. */
struct graph_packets {
	struct class_table classes;  /* struct packet_class */
	struct packet_table *halves; /* NULL: there was no packet yet */
	bool has_buckets;
	histree_quark folder, buckets[PACKET_BUCKETS]; /* of what was sent */
};

/* If the event is one of a packet, do what it says. */
void graph_packets_event(struct graph_packets *packets, struct graph_workers *workers, const struct event *event);

/* Returns the receiver of a packet on a CPU now; NULL: not known to the graph. */
struct graph_worker *graph_packets_receiver(struct graph_workers *workers, struct graph_cpu *cpu);

void graph_packets_release(struct graph_packets *packets);

#endif
