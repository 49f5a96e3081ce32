/* SPDX-License-Identifier: MIT */
/*
 * perfetto_packets.h - the packets of a trace one after another (protos/perfetto/trace/trace.proto), those that the
 * tracing service has compressed included.
 *
 * Where there is no packet, reading goes on behind the next marker that the service writes now and then for that
 * (TracePacket.synchronization_marker).
 */
#ifndef TRACE_PERFETTO_PERFETTO_PACKETS_H
#define TRACE_PERFETTO_PERFETTO_PACKETS_H

#include "trace/perfetto/wire.h"
#include "trace/trace_bytes.h"
#include "trace/unpack_limit.h"

/* A zeroed one is closed. */
struct perfetto_packets {
	struct trace_bytes bytes;
	uint8_t *inner; /* of the last packet that had some inside */
	size_t inner_capacity;
	struct wire_message inside; /* what is left of these */
	bool is_inner_cut;          /* that is not all that there was */
	bool is_in_place;           /* damage was inside of a packet: another follows */
	struct unpack_limit limit;  /* of all packets of packets */
};

/* Returns whether the first bytes of a file are those of a packet. */
bool perfetto_packets_begin(const void *bytes, size_t size);

enum histree_status perfetto_packets_open(struct perfetto_packets *packets, const struct io *io, const char *path,
					  struct histree_error *error);

void perfetto_packets_close(struct perfetto_packets *packets);

/*
 * Get the next packet, borrowed until the next call.  Returns HISTREE_END, HISTREE_ERR_TRACE if there is damage
 * instead of one (perfetto_packets_resume() goes on behind it), HISTREE_ERR_MEMORY.
 */
enum histree_status perfetto_packets_next(struct perfetto_packets *packets, struct wire_message *out,
					  struct histree_error *error);

/* Look for a packet behind damage.  Returns HISTREE_END if there is none. */
enum histree_status perfetto_packets_resume(struct perfetto_packets *packets, struct histree_error *error);

#endif
