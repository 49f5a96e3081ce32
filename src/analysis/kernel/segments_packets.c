// SPDX-License-Identifier: MIT
/*
 * segments_packets.c - network packets, from the queue to the driver, and from the driver to who reads them.
 *
 * A packet is known by the address of its buffer.  Its headers are used if the tracer records them, as LTTng does
 * since 2.8.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/kernel/kernel_segments.h"
#include "histree/value.h"

/* ---- packet headers ------------------------------------------------------------------------------------------ */

/* Null where the event does not say it; a protocol without a name is a number in text. */
struct packet_headers {
	struct histree_value protocol; /* its bytes live as long as the headers */
	struct histree_value source_port, dest_port;
	char number[16];
};

/* Numbers of https://www.iana.org/assignments/protocol-numbers that hosts send. */
static const struct {
	int64_t number;
	const char *name;
} protocols[] = {
	{ 1, "icmp" }, { 2, "igmp" }, { 6, "tcp" },     { 17, "udp" },   { 47, "gre" },
	{ 50, "esp" }, { 51, "ah" },  { 58, "icmpv6" }, { 132, "sctp" },
};

static bool find_number(const struct event *event, const char *path, int64_t *out)
{
	struct event_part part;
	if (!event_find(event, path, &part) || (part.kind != EVENT_INT && part.kind != EVENT_UNSIGNED))
		return false;
	*out = part.integer;
	return true;
}

static struct histree_value find_port(const struct event *event, const char *path)
{
	int64_t port;
	return find_number(event, path, &port) && port >= 0 && port <= UINT16_MAX ? histree_int((int32_t)port)
										  : histree_null();
}

static void packet_headers_read(const struct event *event, struct packet_headers *out)
{
	int64_t number;
	out->protocol = out->source_port = out->dest_port = histree_null();
	if (event_class_field(event->class, "network_header") == EVENT_NO_FIELD ||
	    (!find_number(event, "network_header.protocol", &number) &&
	     !find_number(event, "network_header.nexthdr", &number)))
		return;
	snprintf(out->number, sizeof(out->number), "%" PRId64, number);
	out->protocol = histree_string(out->number);
	for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++)
		if (protocols[i].number == number)
			out->protocol = histree_string(protocols[i].name);
	out->source_port = find_port(event, "network_header.transport_header.source_port");
	out->dest_port = find_port(event, "network_header.transport_header.dest_port");
}

/* ---- packets ------------------------------------------------------------------------------------------------- */

enum {
	PACKET_NAME,
	PACKET_DEVICE,
	PACKET_BYTES,
	PACKET_PROTOCOL,
	PACKET_SOURCE_PORT,
	PACKET_DEST_PORT,
	PACKET_TID,
	PACKET_PROCESS,
	PACKET_OUTCOME,
	PACKET_FIELD_COUNT
};

_Static_assert((int)PACKET_FIELD_COUNT <= (int)OPEN_SEGMENT_VALUES,
	       "an open segment has room for all packet_fields");

static const struct histree_segment_field packet_fields[PACKET_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },     { "device", HISTREE_STRING },   { "bytes", HISTREE_LONG },
	{ "protocol", HISTREE_STRING }, { "source_port", HISTREE_INT }, { "dest_port", HISTREE_INT },
	{ "tid", HISTREE_INT },         { "process", HISTREE_STRING },  { "outcome", HISTREE_STRING },
};

/* Of a buffer that is sent, and of one that was received: over the loopback interface it may be both. */
static uint64_t sent_key(const struct kernel_event *event)
{
	return (uint64_t)event->address;
}

static uint64_t received_key(const struct kernel_event *event)
{
	return (uint64_t)event->address ^ 1;
}

static void put_thread(struct open_segment *segment, const struct kernel_event *event)
{
	if (event->in_thread == NULL)
		return;
	segment->values[PACKET_TID] = histree_int(event->in_thread->tid);
	segment->values[PACKET_PROCESS] = machine_thread_name(event->in_thread);
}

static struct open_segment *packet_open(struct kernel_segments *segments, const struct kernel_event *event,
					uint64_t key, const char *direction)
{
	struct packet_headers headers;
	struct open_segment *segment = kernel_segments_begin(segments, key, event->time);
	if (segment == NULL)
		return NULL;
	packet_headers_read(event->source, &headers);
	segment->values[PACKET_NAME] = histree_string(direction);
	segment->values[PACKET_DEVICE] = machine_text(segments->machine, event->name.bytes, event->name.size);
	segment->values[PACKET_BYTES] = histree_long(event->bytes);
	if (headers.protocol.type == HISTREE_STRING)
		segment->values[PACKET_PROTOCOL] =
			machine_text(segments->machine, headers.protocol.bytes, headers.protocol.size);
	segment->values[PACKET_SOURCE_PORT] = headers.source_port;
	segment->values[PACKET_DEST_PORT] = headers.dest_port;
	return segment;
}

static void packet_close(struct kernel_segments *segments, const struct kernel_event *event,
			 struct open_segment *segment, const char *outcome)
{
	segment->values[PACKET_OUTCOME] = histree_string(outcome);
	kernel_segments_end(segments, segment, event->time, segments->machine->gap_end);
}

static void on_queue(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = packet_open(segments, event, sent_key(event), "sent");
	if (segment != NULL)
		put_thread(segment, event);
}

/* A driver that is busy is asked again. */
static void on_transmit(struct kernel_segments *segments, const struct kernel_event *event)
{
	if ((event->has & HAS_RESULT) != 0 && event->result != 0)
		return;
	struct open_segment *segment = kernel_segments_ending(segments, sent_key(event));
	if (segment != NULL)
		packet_close(segments, event, segment, "transmitted");
}

static void on_receive(struct kernel_segments *segments, const struct kernel_event *event)
{
	packet_open(segments, event, received_key(event), "received");
}

/* What is read in parts is delivered with the first one; so are packets that came before the trace, or never. */
static void on_copy(struct kernel_segments *segments, const struct kernel_event *event)
{
	struct open_segment *segment = open_segments_find(&segments->open, received_key(event));
	if (segment == NULL)
		return;
	put_thread(segment, event);
	packet_close(segments, event, segment, "delivered");
}

/* The buffer is given up, whichever way it went; most of them were delivered or transmitted before. */
static void give_up(struct kernel_segments *segments, const struct kernel_event *event, const char *outcome)
{
	const uint64_t keys[] = { sent_key(event), received_key(event) };
	for (size_t i = 0; i < 2; i++) {
		struct open_segment *segment = open_segments_find(&segments->open, keys[i]);
		if (segment != NULL)
			packet_close(segments, event, segment, outcome);
	}
}

static void on_consume(struct kernel_segments *segments, const struct kernel_event *event)
{
	give_up(segments, event, "consumed");
}

static void on_drop(struct kernel_segments *segments, const struct kernel_event *event)
{
	give_up(segments, event, "dropped");
}

static const struct kernel_segments_kind packets = {
	.needs = "packets: lttng enable-event -k 'net_*,netif_*,skb_*', or perf record -e 'net:*' -e 'skb:*'",
	.handlers = {
		[KERNEL_PACKET_QUEUE] = on_queue,
		[KERNEL_PACKET_TRANSMIT] = on_transmit,
		[KERNEL_PACKET_RECEIVE] = on_receive,
		[KERNEL_PACKET_COPY] = on_copy,
		[KERNEL_PACKET_CONSUME] = on_consume,
		[KERNEL_PACKET_DROP] = on_drop,
	},
};

const struct segment_analysis segment_analysis_packets = {
	.name = "packets",
	.version = 1,
	.summary = "network packets: from the queue to the driver, from the driver to who reads them",
	.fields = packet_fields,
	.field_count = PACKET_FIELD_COUNT,
	.kind = &packets,
	KERNEL_SEGMENTS_FUNCTIONS,
};
