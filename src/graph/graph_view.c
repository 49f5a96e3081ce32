// SPDX-License-Identifier: MIT
#include "graph/graph_view.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event/packet_text.h"

static enum histree_status open_host(struct graph_view *view, struct histree_history *history,
				     struct histree_error *error)
{
	struct graph_host *host = &view->hosts[view->host_count];
	*host = (struct graph_host){
		.number = view->host_count++, .history = history, .threads = HISTREE_ROOT, .packets = HISTREE_ROOT
	};
	if (history == NULL)
		return HISTREE_OK;
	const char *provider = histree_history_info(history)->provider;
	if (strcmp(provider, "graph") != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the history is of the analysis '%s'; critical paths are found in that of 'graph'",
				 provider);
	host->attributes = histree_history_attributes(history);
	if (histree_attributes_find(host->attributes, HISTREE_ROOT, "Threads", &host->threads) != HISTREE_OK)
		host->threads = HISTREE_ROOT;
	if (histree_attributes_find(host->attributes, HISTREE_ROOT, "Packets", &host->packets) != HISTREE_OK)
		host->packets = HISTREE_ROOT;
	return histree_query_create(history, &host->query, error);
}

enum histree_status graph_view_open(struct graph_view *view, struct histree_history *history,
				    struct histree_error *error)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	*view = (struct graph_view){ .hosts = calloc(count + 1, sizeof(*view->hosts)) };
	if (view->hosts == NULL)
		return error_memory(error, "the hosts of a graph");
	enum histree_status status = count == 0 ? open_host(view, history, error) : HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = open_host(view, hosts[i].history, error);
	return status;
}

void graph_view_release(struct graph_view *view)
{
	for (uint32_t i = 0; i < view->host_count; i++) {
		histree_query_free(view->hosts[i].query);
		free(view->hosts[i].receivers);
	}
	free(view->hosts);
	id_map_release(&view->known);
	arena_release(&view->records);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

static histree_quark child_of(const struct graph_host *host, histree_quark parent, const char *name)
{
	histree_quark child;
	enum histree_status found = histree_attributes_child(host->attributes, parent, name, strlen(name), &child);
	return found == HISTREE_OK ? child : HISTREE_ROOT;
}

enum histree_status graph_view_thread(struct graph_view *view, size_t number, int32_t tid,
				      struct graph_thread **out, struct histree_error *error)
{
	char name[16];
	uint64_t id = (uint64_t)number << 32 | (uint32_t)tid;
	*out = id_map_find(&view->known, id);
	if (*out != NULL)
		return HISTREE_OK;
	struct graph_host *host = number < view->host_count ? &view->hosts[number] : NULL;
	snprintf(name, sizeof(name), "%" PRId32, tid);
	bool has_threads = host != NULL && host->threads != HISTREE_ROOT;
	histree_quark state = has_threads ? child_of(host, host->threads, name) : HISTREE_ROOT;
	if (state == HISTREE_ROOT)
		return error_set(error, HISTREE_NOT_FOUND, "the graph has no thread %" PRId32, tid);
	struct graph_thread *thread = arena_allocate(&view->records, sizeof(*thread), alignof(struct graph_thread));
	if (thread == NULL || !id_map_add(&view->known, id, thread))
		return error_memory(error, "threads of a graph");
	*thread = (struct graph_thread){
		.host = host,
		.tid = tid,
		.state = state,
	};
	*out = thread;
	return HISTREE_OK;
}

histree_quark graph_part(struct graph_thread *thread, enum graph_part part)
{
	static const char *const names[GRAPH_PART_COUNT] = { "Woken_by", "Received_from", "Sent_at", "Received",
							     "Name" };
	if ((thread->known & 1U << part) == 0) {
		thread->parts[part] = child_of(thread->host, thread->state, names[part]);
		thread->known |= 1U << part;
	}
	return thread->parts[part];
}

/* ---- edges -------------------------------------------------------------------------------------------------- */

static bool is_inside(const struct graph_host *host, histree_time time)
{
	const struct histree_history_info *info = histree_history_info(host->history);
	return time >= info->start && time <= info->end;
}

/* What is damaged is an edge of which nothing is known. */
static enum histree_graph_state state_of(const struct histree_value *value)
{
	bool is_known = value->type == HISTREE_INT && value->int32 >= 0 && value->int32 < HISTREE_GRAPH_DEFAULT;
	return is_known ? (enum histree_graph_state)value->int32 : HISTREE_GRAPH_UNKNOWN;
}

/* What a damaged node held is unknown, a nanosecond at a time. */
static bool is_lost(const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_UNKNOWN && interval->start == interval->end;
}

/*
 * Find how far what is lost goes, from a time that is, forwards or back, but not beyond `end`: by doubled steps,
 * and then by halves.  What is known between lost times may be passed over.
 */
static enum histree_status find_lost(struct graph_thread *thread, histree_time time, histree_time end,
				     histree_time *out, struct histree_error *error)
{
	const int64_t way = end >= time ? 1 : -1;
	uint64_t lost = 0, left = way > 0 ? (uint64_t)end - (uint64_t)time : (uint64_t)time - (uint64_t)end;
	uint64_t found = left + 1; /* the first distance that is known not to be lost */
	enum histree_status status = HISTREE_OK;
	for (uint64_t step = 1; found - lost > 1 && status == HISTREE_OK;) {
		struct histree_interval interval;
		const uint64_t at = found <= left || step >= found - lost ? lost + (found - lost) / 2 : lost + step;
		status =
			histree_query_single(thread->host->query, thread->state,
					     (histree_time)((uint64_t)time + (uint64_t)way * at), &interval, error);
		if (status != HISTREE_OK)
			break;
		if (is_lost(&interval))
			lost = at;
		else
			found = at;
		step = step <= UINT64_MAX / 4 ? 2 * step : step;
	}
	*out = (histree_time)((uint64_t)time + (uint64_t)way * lost);
	return status;
}

/* Widen a time that is lost to all that is lost around it. */
static enum histree_status widen(struct graph_thread *thread, struct histree_interval *interval,
				 struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(thread->host->history);
	const histree_time time = interval->start;
	enum histree_status status = find_lost(thread, time, info->end, &interval->end, error);
	return status == HISTREE_OK ? find_lost(thread, time, info->start, &interval->start, error) : status;
}

/* The edge over a time; where there is none, out->end is still set. */
static enum histree_status edge_at(struct graph_thread *thread, histree_time time, struct graph_link *out,
				   struct histree_error *error)
{
	struct histree_interval interval;
	if (!is_inside(thread->host, time))
		return HISTREE_NOT_FOUND;
	if (!thread->has_edge || time < thread->start || time > thread->end) {
		enum histree_status status =
			histree_query_single(thread->host->query, thread->state, time, &interval, error);
		if (status == HISTREE_OK && is_lost(&interval))
			status = widen(thread, &interval, error);
		if (status != HISTREE_OK)
			return status;
		thread->has_edge = true;
		thread->start = interval.start;
		thread->end = interval.end;
		thread->is_null = interval.value.type == HISTREE_NULL;
		thread->edge = state_of(&interval.value);
	}
	*out = (struct graph_link){
		.from = thread,
		.to = thread,
		.start = thread->start,
		.end = thread->end + 1,
		.state = thread->edge,
	};
	return thread->is_null ? HISTREE_NOT_FOUND : HISTREE_OK;
}

enum histree_status graph_edge_over(struct graph_thread *thread, histree_time time, struct graph_link *out,
				    struct histree_error *error)
{
	return edge_at(thread, time, out, error);
}

enum histree_status graph_edge_before(struct graph_thread *thread, histree_time time, struct graph_link *out,
				      struct histree_error *error)
{
	enum histree_status status = edge_at(thread, time - 1, out, error);
	return status == HISTREE_OK && out->end != time ? HISTREE_NOT_FOUND : status;
}

enum histree_status graph_edge_after(struct graph_thread *thread, histree_time time, struct graph_link *out,
				     struct histree_error *error)
{
	enum histree_status status = edge_at(thread, time, out, error);
	return status == HISTREE_OK && out->start != time ? HISTREE_NOT_FOUND : status;
}

enum histree_status graph_edge_from(struct graph_thread *thread, histree_time time, struct graph_link *out,
				    struct histree_error *error)
{
	enum histree_status status = edge_at(thread, time, out, error);
	while (is_inside(thread->host, time) &&
	       (status == HISTREE_NOT_FOUND || (status == HISTREE_OK && out->start < time))) {
		time = out->end;
		status = edge_at(thread, time, out, error);
	}
	return status;
}

/* ---- arrows ------------------------------------------------------------------------------------------------- */

/* The number that an attribute of a vertex has: one that began there. */
static enum histree_status number_at(const struct graph_host *host, histree_quark quark, histree_time time,
				     int64_t *out, struct histree_error *error)
{
	struct histree_interval interval;
	if (quark == HISTREE_ROOT || !is_inside(host, time))
		return HISTREE_NOT_FOUND;
	enum histree_status status = histree_query_single(host->query, quark, time, &interval, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_value *value = &interval.value;
	if (interval.start != time || (value->type != HISTREE_INT && value->type != HISTREE_LONG))
		return HISTREE_NOT_FOUND;
	*out = value->type == HISTREE_INT ? value->int32 : value->int64;
	return HISTREE_OK;
}

/* Of what a damaged file says: an arrow leads from a thread that there is, and never back in time. */
static enum histree_status find_origin(struct graph_view *view, int64_t tid, struct graph_link *arrow,
				       struct histree_error *error)
{
	if (arrow->start > arrow->end || tid < INT32_MIN || tid > INT32_MAX)
		return HISTREE_NOT_FOUND;
	return graph_view_thread(view, arrow->to->host->number, (int32_t)tid, &arrow->from, error);
}

/* ---- packets between hosts ---------------------------------------------------------------------------------- */

/* So many packets are looked at, of one list of a host, before its sender is given up. */
enum { PACKETS_MAX = 4096 };

/* The number of the packet that came to a vertex. */
static enum histree_status received_at(struct graph_thread *thread, histree_time time, struct histree_interval *out,
				       struct packet_key *key, struct histree_error *error)
{
	histree_quark received = graph_part(thread, GRAPH_RECEIVED);
	if (received == HISTREE_ROOT || !is_inside(thread->host, time))
		return HISTREE_NOT_FOUND;
	enum histree_status status = histree_query_single(thread->host->query, received, time, out, error);
	if (status != HISTREE_OK)
		return status;
	bool is_there = out->start == time && out->value.type == HISTREE_STRING;
	return is_there && packet_text_read(out->value.bytes, out->value.size, key, NULL) ? HISTREE_OK
											  : HISTREE_NOT_FOUND;
}

/* The last time at which a host sent this packet, before `time`. */
static enum histree_status find_sender(struct graph_view *view, const struct graph_host *host,
				       const struct packet_key *key, histree_time time, struct graph_link *arrow,
				       struct histree_error *error)
{
	char name[8];
	struct histree_interval sent;
	const histree_time start = histree_history_info(host->history)->start;
	const histree_time end = histree_history_info(host->history)->end;
	snprintf(name, sizeof(name), "%" PRIu32, packet_bucket(key));
	histree_quark list = host->packets != HISTREE_ROOT ? child_of(host, host->packets, name) : HISTREE_ROOT;
	time = time > end ? end : time;
	for (unsigned i = 0; i < PACKETS_MAX && list != HISTREE_ROOT && time >= start; i++) {
		struct packet_key found;
		int32_t tid;
		enum histree_status status = histree_query_single(host->query, list, time, &sent, error);
		if (status != HISTREE_OK)
			return status;
		if (sent.value.type == HISTREE_NULL || is_lost(&sent))
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

/* Of those who sent it before, on other hosts, the last. */
static enum histree_status arrow_of_packet(struct graph_view *view, struct graph_thread *thread, histree_time time,
					   struct graph_link *out, struct histree_error *error)
{
	struct histree_interval interval;
	struct packet_key key;
	bool is_found = false;
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

enum histree_status graph_packet_into(struct graph_view *view, struct graph_thread *thread, histree_time time,
				      struct graph_link *out, struct histree_error *error)
{
	*out = (struct graph_link){
		.to = thread, .start = time, .end = time, .is_arrow = true, .state = HISTREE_GRAPH_NETWORK
	};
	return arrow_of_packet(view, thread, time, out, error);
}

enum histree_status graph_arrow_into(struct graph_view *view, struct graph_thread *thread, histree_time time,
				     struct graph_link *out, struct histree_error *error)
{
	int64_t tid;
	*out = (struct graph_link){
		.to = thread, .start = time, .end = time, .is_arrow = true, .state = HISTREE_GRAPH_DEFAULT
	};
	enum histree_status status = number_at(thread->host, graph_part(thread, GRAPH_WOKEN_BY), time, &tid, error);
	if (status == HISTREE_NOT_FOUND) {
		out->state = HISTREE_GRAPH_NETWORK;
		status = number_at(thread->host, graph_part(thread, GRAPH_RECEIVED_FROM), time, &tid, error);
		if (status == HISTREE_OK)
			status = number_at(thread->host, graph_part(thread, GRAPH_SENT_AT), time, &out->start,
					   error);
	}
	if (status == HISTREE_NOT_FOUND)
		return arrow_of_packet(view, thread, time, out, error);
	return status == HISTREE_OK ? find_origin(view, tid, out, error) : status;
}
