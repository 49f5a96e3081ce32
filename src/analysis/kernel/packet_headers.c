// SPDX-License-Identifier: MIT
#include "analysis/kernel/packet_headers.h"

#include <inttypes.h>
#include <stdio.h>

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

void packet_headers_read(const struct event *event, struct packet_headers *out)
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
