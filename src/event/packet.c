// SPDX-License-Identifier: MIT
/*
 * packet.c - which fields of which events tell of a packet, and its number as text.
 */
#include "event/packet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event/event.h"

/* ---- packet -------------------------------------------------------------------------------------------------- */

/* Tracers have had several places for them. */
static const struct packet_place packet_places[] = {
	{ "seq", "seq", "ack_seq", "flags" },
	{ "network_header", "network_header.transport_header.seq", "network_header.transport_header.ack_seq",
	  "network_header.transport_header.flags" },
	{ "transport_fields", "transport_fields.thtype_tcp.seq", "transport_fields.thtype_tcp.ack_seq",
	  "transport_fields.thtype_tcp.flags" },
};

static const struct {
	const char *name;
	bool is_sent;
} packet_events[] = {
	{ "inet_sock_local_out", true }, { "inet_sock_local_in", false }, { "net_dev_queue", true },
	{ "netif_receive_skb", false },  { "net_if_receive_skb", false },
};

bool packet_name_is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(packet_events) / sizeof(*packet_events); i++)
		if (strcmp(name, packet_events[i].name) == 0)
			return true;
	return false;
}

struct packet_class packet_class_of(const struct event_class *class)
{
	struct packet_class out = { .is_known = true };
	for (size_t i = 0; i < sizeof(packet_events) / sizeof(*packet_events); i++) {
		if (strcmp(class->name, packet_events[i].name) != 0)
			continue;
		out.is_sent = packet_events[i].is_sent;
		for (size_t j = 0; j < sizeof(packet_places) / sizeof(*packet_places) && out.place == NULL; j++)
			if (event_class_field(class, packet_places[j].field) != EVENT_NO_FIELD)
				out.place = &packet_places[j];
	}
	return out;
}

static bool find_number(const struct event *event, const char *path, uint32_t *out)
{
	struct event_part part;
	if (!event_find(event, path, &part) || (part.kind != EVENT_INT && part.kind != EVENT_UNSIGNED))
		return false;
	*out = (uint32_t)part.integer;
	return true;
}

bool packet_read(const struct packet_class *class, const struct event *event, struct packet_key *out)
{
	return find_number(event, class->place->seq, &out->seq) &&
	       find_number(event, class->place->ack_seq, &out->ack_seq) &&
	       find_number(event, class->place->flags, &out->flags);
}
