// SPDX-License-Identifier: MIT
#include "graph/graph_view.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

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
		graph_window_release(thread->window);
		free(thread->window);
		thread->window = NULL;
		view->window_count--;
	}
}

void graph_view_release(struct graph_view *view)
{
	drop_windows(view);
	for (uint32_t i = 0; i < view->host_count; i++) {
		histree_query_free(view->hosts[i].query);
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
				 "; 'histree ls STORE -a graph Threads/*' lists those that it has",
				 tid);
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

/* Widen a time that is lost to all that is lost around it. */
static enum histree_status widen(struct graph_thread *thread, struct histree_interval *interval,
				 struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(thread->host->history);
	const histree_time time = interval->start;
	enum histree_status status = find_lost(thread, time, info->end, &interval->end, error);
	return status == HISTREE_OK ? find_lost(thread, time, info->start, &interval->start, error) : status;
}

static enum histree_status read_single(struct graph_thread *thread, histree_time time, struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status =
		histree_query_single(thread->host->query, thread->state, time, &interval, error);
	if (status == HISTREE_OK && graph_is_lost(&interval))
		status = widen(thread, &interval, error);
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

/* The edge over a time; where there is none, out->end is still set. */
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

/* Of what a damaged file says: an arrow leads from a thread that there is, and never back in time. */
static enum histree_status find_origin(struct graph_view *view, int64_t tid, struct graph_link *arrow,
				       struct histree_error *error)
{
	if (arrow->start > arrow->end || tid < INT32_MIN || tid > INT32_MAX)
		return HISTREE_NOT_FOUND;
	return graph_view_thread(view, arrow->to->host->number, (int32_t)tid, &arrow->from, error);
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
	return status == HISTREE_OK ? find_origin(view, tid, out, error) : status;
}
