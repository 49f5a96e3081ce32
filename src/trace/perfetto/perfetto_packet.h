/* SPDX-License-Identifier: MIT */
/*
 * perfetto_packet.h - what a packet says of itself, and what is in it (protos/perfetto/trace/trace_packet.proto).
 */
#ifndef TRACE_PERFETTO_PERFETTO_PACKET_H
#define TRACE_PERFETTO_PERFETTO_PACKET_H

#include "trace/perfetto/wire.h"

/* Numbers of fields: what a packet is about. */
enum perfetto_data {
	PERFETTO_NO_DATA = 0,
	PERFETTO_FTRACE_EVENTS = 1,
	PERFETTO_PROCESS_TREE = 2,
	PERFETTO_CLOCK_SNAPSHOT = 6,
	PERFETTO_TRACK_EVENT = 11,
	PERFETTO_FTRACE_STATS = 34,
	PERFETTO_PROCESS_DESCRIPTOR = 43, /* of old, of the sequence's own process */
	PERFETTO_THREAD_DESCRIPTOR = 44,
	PERFETTO_SYSTEM_INFO = 45,
	PERFETTO_STREAMING_PROFILE = 54,
	PERFETTO_TRACK_DESCRIPTOR = 60,
	PERFETTO_PERF_SAMPLE = 66,
	PERFETTO_TRACE_UUID = 89,
};

struct perfetto_packet {
	enum perfetto_data data;
	struct wire_message content; /* of the data */
	struct wire_message interned, defaults;
	bool has_interned, has_defaults;
	bool has_time, has_clock;
	uint64_t time;
	uint32_t clock;
	uint32_t sequence; /* 0: it is of none */
	bool begins_state; /* what was interned before on its sequence counts no more */
	bool needs_state;
	bool is_behind_loss; /* packets before it on its sequence are missing */
	bool is_first;       /* of its sequence: nothing is missing */
	uint32_t machine;    /* 0: the one that the service runs on */
	bool is_damaged;     /* what is behind the fields that were read is none */
};

/* The data are borrowed as the message is. */
struct perfetto_packet perfetto_packet_read(struct wire_message message);

#endif
