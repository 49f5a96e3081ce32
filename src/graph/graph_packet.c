// SPDX-License-Identifier: MIT
/*
 * graph_packet.c - packets between hosts: who of the others sent what came to a vertex.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event/packet_text.h"
#include "graph/graph_view.h"

/* So many packets are looked at, of one list of a host, before its sender is given up. */
enum { PACKETS_MAX = 4096 };

/* The number of the packet that came to a vertex. */
static enum histree_status received_at(struct graph_thread *thread, histree_time time, struct histree_interval *out,
				       struct packet_key *key, struct histree_error *error)
{
	histree_quark received = graph_part(thread, GRAPH_RECEIVED);
	if (received == HISTREE_ROOT || !graph_is_inside(thread->host, time))
		return HISTREE_NOT_FOUND;
	enum histree_status status = histree_query_single(thread->host->query, received, time, out, error);
	if (status != HISTREE_OK)
		return status;
	bool is_there = out->start == time && out->value.type == HISTREE_STRING;
	return is_there && packet_text_read(out->value.bytes, out->value.size, key, NULL) ? HISTREE_OK
											  : HISTREE_NOT_FOUND;
}

/* The list that has a packet, if the host ever sent any of it. */
static histree_quark packets_of(const struct graph_host *host, uint32_t bucket)
{
	char name[16];
	histree_quark list;
	int size = snprintf(name, sizeof(name), "%" PRIu32, bucket);
	if (host->packets == HISTREE_ROOT ||
	    histree_attributes_child(host->attributes, host->packets, name, (size_t)size, &list) != HISTREE_OK)
		return HISTREE_ROOT;
	return list;
}

/* The last time at which a host sent this packet, before `time`. */
static enum histree_status find_sender(struct graph_view *view, const struct graph_host *host,
				       const struct packet_key *key, histree_time time, struct graph_link *arrow,
				       struct histree_error *error)
{
	struct histree_interval sent;
	const histree_time start = histree_history_info(host->history)->start;
	const histree_time end = histree_history_info(host->history)->end;
	const histree_quark list = packets_of(host, packet_bucket(key));
	time = time > end ? end : time;
	for (unsigned i = 0; i < PACKETS_MAX && list != HISTREE_ROOT && time >= start; i++) {
		struct packet_key found;
		int32_t tid;
		enum histree_status status = histree_query_single(host->query, list, time, &sent, error);
		if (status != HISTREE_OK)
			return status;
		if (sent.value.type == HISTREE_NULL || graph_is_lost(&sent))
			break;
		if (sent.value.type == HISTREE_STRING &&
		    packet_text_read(sent.value.bytes, sent.value.size, &found, &tid) &&
		    memcmp(&found, key, sizeof(found)) == 0) {
			arrow->start = sent.start;
			return graph_view_thread(view, host->number, tid, &arrow->from, error);
		}
		time = sent.start - 1;
	}
	return HISTREE_NOT_FOUND;
}

enum histree_status graph_packet_into(struct graph_view *view, struct graph_thread *thread, histree_time time,
				      struct graph_link *out, struct histree_error *error)
{
	struct histree_interval interval;
	struct packet_key key;
	bool is_found = false;
	*out = (struct graph_link){
		.to = thread, .start = time, .end = time, .is_arrow = true, .state = HISTREE_GRAPH_NETWORK
	};
	enum histree_status status =
		view->host_count > 1 ? received_at(thread, time, &interval, &key, error) : HISTREE_NOT_FOUND;
	if (status != HISTREE_OK)
		return status;
	for (uint32_t i = 0; i < view->host_count; i++) {
		struct graph_link arrow = *out;
		if (&view->hosts[i] == thread->host || view->hosts[i].history == NULL)
			continue;
		status = find_sender(view, &view->hosts[i], &key, time, &arrow, error);
		if (status < 0)
			return status;
		if (status == HISTREE_OK && (!is_found || arrow.start > out->start)) {
			*out = arrow;
			is_found = true;
		}
	}
	return is_found ? HISTREE_OK : HISTREE_NOT_FOUND;
}
