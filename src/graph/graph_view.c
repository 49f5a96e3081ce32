// SPDX-License-Identifier: MIT
/*
 * graph_view.c - the graph of which thread waited for which, read from its history: edges, arrows, packets.
 *
 * For a packet between hosts that arrived at a vertex, its sender is found.
 */
#include "graph/graph_view.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/critical_path.h"
#include "histree/states.h"
#include "state/attributes.h"

/* What is read: attributes of a thread. */
struct graph_window_source {
	struct histree_cursor *query;
	histree_quark edges, woken_by; /* the latter is a child of the former; HISTREE_ROOT: missing */
};

static inline bool graph_is_inside(const struct graph_host *host, histree_time time)
{
	const struct histree_history_info *info = histree_history_info(host->history);
	return time >= info->start && time <= info->end;
}

/* What a damaged node held is unknown, a nanosecond at a time. */
static inline bool graph_is_lost(const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_UNKNOWN && interval->start == interval->end;
}

static enum histree_graph_state graph_state_of(const struct histree_value *value);
static const struct graph_edge *graph_window_edge(const struct graph_window *window, histree_time time);
static bool graph_window_wakeup(const struct graph_window *window, histree_time time,
				const struct graph_wakeup **wakeup);
static enum histree_status graph_window_read(struct graph_window *window, const struct graph_window_source *source,
					     const struct graph_edge *last, int way, struct histree_error *error);

/* ---- graph states -------------------------------------------------------------------------------------------- */

const char *histree_graph_state_name(enum histree_graph_state state)
{
	static const char *const names[HISTREE_GRAPH_STATE_COUNT] = {
		[HISTREE_GRAPH_UNKNOWN] = "UNKNOWN",           [HISTREE_GRAPH_RUNNING] = "RUNNING",
		[HISTREE_GRAPH_PREEMPTED] = "PREEMPTED",       [HISTREE_GRAPH_BLOCKED] = "BLOCKED",
		[HISTREE_GRAPH_NETWORK] = "NETWORK",           [HISTREE_GRAPH_TIMER] = "TIMER",
		[HISTREE_GRAPH_BLOCK_DEVICE] = "BLOCK_DEVICE", [HISTREE_GRAPH_INTERRUPTED] = "INTERRUPTED",
		[HISTREE_GRAPH_DEFAULT] = "DEFAULT",
	};
	return (unsigned)state < HISTREE_GRAPH_STATE_COUNT ? names[state] : names[HISTREE_GRAPH_UNKNOWN];
}

/* ---- graph view ---------------------------------------------------------------------------------------------- */

enum { WINDOWS_MAX = 4096 }; /* 64 MiB if all are full */

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

static void drop_windows(struct graph_view *view)
{
	size_t position = 0;
	const struct id_entry *entry;
	while (view->window_count > 0 && (entry = id_map_next(&view->known, &position)) != NULL) {
		struct graph_thread *thread = entry->record;
		if (thread->window == NULL)
			continue;
		/* Empty it, and give its memory back. */
		struct graph_window *window = thread->window;
		free(window->edges);
		free(window->wakeups);
		*window = (struct graph_window){ 0 };
		free(thread->window);
		thread->window = NULL;
		view->window_count--;
	}
}

void graph_view_release(struct graph_view *view)
{
	drop_windows(view);
	for (uint32_t i = 0; i < view->host_count; i++) {
		histree_cursor_free(view->hosts[i].query);
		free(view->hosts[i].receivers);
	}
	free(view->hosts);
	id_map_release(&view->known);
	arena_release(&view->records);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

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
	histree_quark state = has_threads ? attributes_child_near(host->attributes, host->threads, name,
								  strlen(name), &host->near_threads)
					  : HISTREE_ROOT;
	if (state == HISTREE_ROOT)
		return error_set(error, HISTREE_NOT_FOUND,
				 "the graph has no thread %" PRId32
				 "; 'histree info --attributes STORE -a graph Threads/*' lists those that it has",
				 tid);
	struct graph_thread *thread = arena_allocate(&view->records, sizeof(*thread), alignof(struct graph_thread));
	if (thread == NULL || !id_map_add(&view->known, id, thread))
		return error_memory(error, "threads of a graph");
	*thread = (struct graph_thread){
		.host = host,
		.tid = tid,
		.state = state,
		.life_to = INT64_MIN,
	};
	*out = thread;
	return HISTREE_OK;
}

histree_quark graph_part(struct graph_thread *thread, enum graph_part part)
{
	static const char *const names[GRAPH_PART_COUNT] = { "Woken_by", "Received_from", "Sent_at",
							     "Received", "Name",          "Woken_leaving_by" };
	struct graph_host *host = thread->host;
	if ((thread->known & 1U << part) == 0) {
		thread->parts[part] = attributes_child_near(host->attributes, thread->state, names[part],
							    strlen(names[part]), &host->near_parts);
		thread->known |= 1U << part;
	}
	return thread->parts[part];
}

/* ---- edges -------------------------------------------------------------------------------------------------- */

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
		if (graph_is_lost(&interval))
			lost = at;
		else
			found = at;
		step = step <= UINT64_MAX / 4 ? 2 * step : step;
	}
	*out = (histree_time)((uint64_t)time + (uint64_t)way * lost);
	return status;
}

static enum histree_status read_single(struct graph_thread *thread, histree_time time, struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status =
		histree_query_single(thread->host->query, thread->state, time, &interval, error);
	if (status == HISTREE_OK && graph_is_lost(&interval)) {
		/* Widen a time that is lost to all that is lost around it. */
		const struct histree_history_info *info = histree_history_info(thread->host->history);
		const histree_time when = interval.start;
		status = find_lost(thread, when, info->end, &interval.end, error);
		status = status == HISTREE_OK ? find_lost(thread, when, info->start, &interval.start, error)
					      : status;
	}
	if (status != HISTREE_OK)
		return status;
	thread->edge = (struct graph_edge){ interval.start, interval.end, interval.value.type == HISTREE_NULL,
					    graph_state_of(&interval.value) };
	return HISTREE_OK;
}

/* Edges from the neighbour of the last one on, or back from there.  HISTREE_NOT_FOUND: read them singly. */
static enum histree_status read_window(struct graph_view *view, struct graph_thread *thread, int way,
				       struct histree_error *error)
{
	const histree_quark woken_by = graph_part(thread, GRAPH_WOKEN_BY);
	const struct graph_window_source source = {
		.query = thread->host->query,
		.edges = thread->state,
		.woken_by = woken_by > thread->state ? woken_by : HISTREE_ROOT,
	};
	if (histree_history_info(thread->host->history)->partial)
		return HISTREE_NOT_FOUND; /* what is left out is made again: no more than is needed */
	if (view->window_count >= WINDOWS_MAX)
		drop_windows(view);
	if (thread->window == NULL) {
		thread->window = calloc(1, sizeof(*thread->window));
		if (thread->window == NULL)
			return error_memory(error, "edges of a graph");
		view->window_count++;
	}
	return graph_window_read(thread->window, &source, &thread->edge, way, error);
}

/* Have the edge over a time be thread->edge. */
static enum histree_status find_edge(struct graph_view *view, struct graph_thread *thread, histree_time time,
				     struct histree_error *error)
{
	const struct graph_edge *last = &thread->edge, *found = NULL;
	enum histree_status status = HISTREE_NOT_FOUND;
	if (thread->has_edge && time >= last->start && time <= last->end)
		return HISTREE_OK;
	if (thread->window != NULL)
		found = graph_window_edge(thread->window, time);
	const bool is_next = thread->has_edge && last->end < time && last->end + 1 == time;
	const bool is_before = thread->has_edge && time < last->start && time + 1 == last->start;
	if (found == NULL && (is_next || is_before)) {
		status = read_window(view, thread, is_next ? 1 : -1, error);
		found = status == HISTREE_OK ? graph_window_edge(thread->window, time) : NULL;
	}
	if (status < 0)
		return status;
	if (found != NULL) {
		thread->edge = *found;
		return HISTREE_OK;
	}
	status = read_single(thread, time, error);
	thread->has_edge = thread->has_edge || status == HISTREE_OK;
	return status;
}

/* Finds the edge over a time; if there is no edge, out->end is still set. */
static enum histree_status edge_at(struct graph_view *view, struct graph_thread *thread, histree_time time,
				   struct graph_link *out, struct histree_error *error)
{
	if (!graph_is_inside(thread->host, time))
		return HISTREE_NOT_FOUND;
	enum histree_status status = find_edge(view, thread, time, error);
	if (status != HISTREE_OK)
		return status;
	*out = (struct graph_link){
		.from = thread,
		.to = thread,
		.start = thread->edge.start,
		.end = thread->edge.end + 1,
		.state = thread->edge.state,
	};
	return thread->edge.is_null ? HISTREE_NOT_FOUND : HISTREE_OK;
}

enum histree_status graph_edge_over(struct graph_view *view, struct graph_thread *thread, histree_time time,
				    struct graph_link *out, struct histree_error *error)
{
	return edge_at(view, thread, time, out, error);
}

enum histree_status graph_edge_before(struct graph_view *view, struct graph_thread *thread, histree_time time,
				      struct graph_link *out, struct histree_error *error)
{
	enum histree_status status = edge_at(view, thread, time - 1, out, error);
	return status == HISTREE_OK && out->end != time ? HISTREE_NOT_FOUND : status;
}

enum histree_status graph_edge_after(struct graph_view *view, struct graph_thread *thread, histree_time time,
				     struct graph_link *out, struct histree_error *error)
{
	enum histree_status status = edge_at(view, thread, time, out, error);
	return status == HISTREE_OK && out->start != time ? HISTREE_NOT_FOUND : status;
}

enum histree_status graph_edge_from(struct graph_view *view, struct graph_thread *thread, histree_time time,
				    struct graph_link *out, struct histree_error *error)
{
	enum histree_status status = edge_at(view, thread, time, out, error);
	while (graph_is_inside(thread->host, time) &&
	       (status == HISTREE_NOT_FOUND || (status == HISTREE_OK && out->start < time))) {
		time = out->end;
		status = edge_at(view, thread, time, out, error);
	}
	return status;
}

/* ---- arrows ------------------------------------------------------------------------------------------------- */

/* The number that an attribute of a vertex has: one that began there. */
static enum histree_status number_at(const struct graph_host *host, histree_quark quark, histree_time time,
				     int64_t *out, struct histree_error *error)
{
	struct histree_interval interval;
	if (quark == HISTREE_ROOT || !graph_is_inside(host, time))
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

/* Who woke a thread at a vertex. */
static enum histree_status waker_at(struct graph_thread *thread, histree_time time, int64_t *out,
				    struct histree_error *error)
{
	const struct graph_wakeup *wakeup;
	if (thread->window == NULL || !graph_window_wakeup(thread->window, time, &wakeup))
		return number_at(thread->host, graph_part(thread, GRAPH_WOKEN_BY), time, out, error);
	if (wakeup == NULL)
		return HISTREE_NOT_FOUND;
	*out = wakeup->tid;
	return HISTREE_OK;
}

enum histree_status graph_was_woken_leaving(struct graph_thread *thread, histree_time time, bool *out,
					    struct histree_error *error)
{
	int64_t tid;
	enum histree_status status =
		number_at(thread->host, graph_part(thread, GRAPH_WOKEN_LEAVING_BY), time, &tid, error);
	*out = status == HISTREE_OK;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

enum histree_status graph_arrow_into(struct graph_view *view, struct graph_thread *thread, histree_time time,
				     struct graph_link *out, struct histree_error *error)
{
	int64_t tid;
	*out = (struct graph_link){
		.to = thread, .start = time, .end = time, .is_arrow = true, .state = HISTREE_GRAPH_DEFAULT
	};
	enum histree_status status = waker_at(thread, time, &tid, error);
	if (status == HISTREE_NOT_FOUND) {
		out->state = HISTREE_GRAPH_NETWORK;
		status = number_at(thread->host, graph_part(thread, GRAPH_RECEIVED_FROM), time, &tid, error);
		if (status == HISTREE_OK)
			status = number_at(thread->host, graph_part(thread, GRAPH_SENT_AT), time, &out->start,
					   error);
	}
	if (status == HISTREE_NOT_FOUND)
		return graph_packet_into(view, thread, time, out, error);
	/*
	 * Checks an arrow, which a damaged file may have wrong: it leads from an existing thread, and never back
	 * in time.
	 */
	if (status != HISTREE_OK)
		return status;
	if (out->start > out->end || tid < INT32_MIN || tid > INT32_MAX)
		return HISTREE_NOT_FOUND;
	return graph_view_thread(view, out->to->host->number, (int32_t)tid, &out->from, error);
}

/* ---- graph packet -------------------------------------------------------------------------------------------- */

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

/* ---- graph window -------------------------------------------------------------------------------------------- */

enum {
	STATES_MAX = 512,   /* that a window has; with more it is read again, shorter */
	EDGES_MANY = 128,   /* with as many it does not grow */
	EDGES_AT_FIRST = 8, /* edges to read, when the thread has none yet */
	SHORTER_LOG2 = 3,
};

/* An int that is the state of an edge; any other value is an edge of unknown state. */
static enum histree_graph_state graph_state_of(const struct histree_value *value)
{
	bool is_known = value->type == HISTREE_INT && value->int32 >= 0 && value->int32 < HISTREE_GRAPH_DEFAULT;
	return is_known ? (enum histree_graph_state)value->int32 : HISTREE_GRAPH_UNKNOWN;
}

/* ---- asking ------------------------------------------------------------------------------------------------- */

/* Returns the edge over a time, NULL if the window does not have it. */
static const struct graph_edge *graph_window_edge(const struct graph_window *window, histree_time time)
{
	const size_t at = SEARCH(i, 0, window->edge_count, window->edges[i].end < time);
	return at < window->edge_count && window->edges[at].start <= time ? &window->edges[at] : NULL;
}

/* Returns whether the window knows; *wakeup is then that at a time, or NULL. */
static bool graph_window_wakeup(const struct graph_window *window, histree_time time,
				const struct graph_wakeup **wakeup)
{
	*wakeup = NULL;
	if (window->edge_count == 0 || time < window->from || time > window->to)
		return false;
	const size_t at = SEARCH(i, 0, window->wakeup_count, window->wakeups[i].time < time);
	if (at < window->wakeup_count && window->wakeups[at].time == time)
		*wakeup = &window->wakeups[at];
	return true;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static enum histree_status graph_view_add(struct graph_window *window, const struct graph_window_source *source,
					  const struct histree_interval *interval, struct histree_error *error)
{
	const struct histree_value *value = &interval->value;
	if (!array_reserve(&window->edges, &window->edge_capacity, window->edge_count + 1) ||
	    !array_reserve(&window->wakeups, &window->wakeup_capacity, window->wakeup_count + 1))
		return error_memory(error, "edges of a graph");
	if (interval->quark == source->edges)
		window->edges[window->edge_count++] =
			(struct graph_edge){ interval->start, interval->end, value->type == HISTREE_NULL,
					     graph_state_of(value) };
	else if (value->type == HISTREE_INT || value->type == HISTREE_LONG)
		window->wakeups[window->wakeup_count++] =
			(struct graph_wakeup){ interval->start,
					       value->type == HISTREE_INT ? value->int32 : value->int64 };
	return HISTREE_OK;
}

COMPARE(by_start, struct graph_edge, BY(start))

COMPARE(by_time, struct graph_wakeup, BY(time))

/* States come in no order, but those of one leaf in that of their times: most often there is nothing to do. */
static void sort(void *items, size_t count, size_t size, int (*compare)(const void *one, const void *other))
{
	const char *item = items;
	size_t sorted = 1;
	while (sorted < count && compare(item + (sorted - 1) * size, item + sorted * size) <= 0)
		sorted++;
	if (sorted < count)
		qsort(items, count, size, compare);
}

static void empty(struct graph_window *window)
{
	window->edge_count = window->wakeup_count = 0;
}

/* Read what is from window->from to window->to.  HISTREE_PARTIAL: it is too much. */
static enum histree_status read_all(struct graph_window *window, const struct graph_window_source *source,
				    struct histree_error *error)
{
	const histree_quark quarks[] = { source->edges, source->woken_by };
	const struct histree_region region = { .quarks = quarks,
					       .quark_count = source->woken_by != HISTREE_ROOT ? 2 : 1,
					       .from = window->from,
					       .to = window->to };
	struct histree_interval interval;
	bool is_known = true;
	empty(window);
	enum histree_status status = histree_query_start(source->query, &region, error);
	while (status == HISTREE_OK && is_known) {
		status = histree_cursor_next(source->query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(source->query);
		if (status != HISTREE_OK)
			break;
		is_known = interval.value.type != HISTREE_UNKNOWN;
		status = graph_view_add(window, source, &interval, error);
		if (status == HISTREE_OK && window->edge_count + window->wakeup_count > STATES_MAX &&
		    window->from < window->to)
			status = HISTREE_PARTIAL;
	}
	is_known = is_known && histree_cursor_loss(source->query).nodes == 0;
	/* The region is ours: what is left of the answer is not asked for. */
	const struct histree_region none = { .quarks = quarks };
	enum histree_status stopped = histree_query_start(source->query, &none, error);
	if (status != HISTREE_END && status != HISTREE_OK)
		return status;
	if (stopped != HISTREE_OK)
		return stopped;
	return is_known ? HISTREE_OK : HISTREE_NOT_FOUND;
}

/*
 * Read edges from a time on, `way` 1, or back from it, -1.  Returns HISTREE_NOT_FOUND, without a message and with
 * nothing in the window, if some of it is not known: single queries say more of that.
 */
static enum histree_status graph_window_read(struct graph_window *window, const struct graph_window_source *source,
					     const struct graph_edge *last, int way, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(histree_query_history(source->query));
	const histree_time time = way > 0 ? last->end + 1 : last->start - 1;
	enum histree_status status;
	if (window->ns == 0) {
		uint64_t of_last = (uint64_t)last->end - (uint64_t)last->start + 1;
		window->ns = of_last <= UINT64_MAX / EDGES_AT_FIRST ? EDGES_AT_FIRST * of_last : UINT64_MAX;
	}
	/* A walk that looks back from later and later times, as along the wakers of a thread, will do so again. */
	const bool goes_on = way < 0 && window->edge_count > 0 && window->to < time;
	do {
		const uint64_t before = way > 0 ? 0 : goes_on ? window->ns / 2 : window->ns;
		uint64_t after = way > 0 ? window->ns : goes_on ? window->ns / 2 : 0;
		const uint64_t since = (uint64_t)time - (uint64_t)info->start,
			       left = (uint64_t)info->end - (uint64_t)time;
		window->from = (histree_time)((uint64_t)time - (before < since ? before : since));
		window->to = (histree_time)((uint64_t)time + (after < left ? after : left));
		status = read_all(window, source, error);
		if (status == HISTREE_PARTIAL)
			window->ns >>= SHORTER_LOG2;
	} while (status == HISTREE_PARTIAL);
	if (status != HISTREE_OK) {
		empty(window);
		return status == HISTREE_ERR_FORMAT ? HISTREE_NOT_FOUND : status;
	}
	if (window->edge_count < EDGES_MANY && window->ns <= UINT64_MAX / 2)
		window->ns *= 2;
	sort(window->edges, window->edge_count, sizeof(*window->edges), by_start);
	sort(window->wakeups, window->wakeup_count, sizeof(*window->wakeups), by_time);
	return HISTREE_OK;
}
