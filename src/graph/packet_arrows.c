// SPDX-License-Identifier: MIT
/*
 * packet_arrows.c - the packets between hosts that came in a range, one after the other in no order.
 *
 * Which threads ever received one is found once for each host; so a question reads what is in its range.
 */
#include <stdlib.h>

#include "base/table.h"
#include "base/cancel.h"
#include "base/error.h"
#include "graph/critical_path.h"

enum { CHILDREN = 1024 };

static int by_quark(const void *one, const void *other)
{
	const struct graph_receiver *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

static bool add_receiver(struct graph_host *host, const struct graph_receiver *receiver)
{
	if (!array_reserve(&host->receivers, &host->receiver_capacity, host->receiver_count + 1))
		return false;
	host->receivers[host->receiver_count++] = *receiver;
	return true;
}

/* Adds a thread if it ever received anything. */
static enum histree_status look_at(struct graph_host *host, histree_quark thread, struct histree_error *error)
{
	char name[16], *end;
	struct graph_receiver receiver;
	enum histree_status status =
		histree_attributes_child(host->attributes, thread, "Received", 8, &receiver.quark);
	if (status != HISTREE_OK ||
	    histree_attributes_name(host->attributes, thread, name, sizeof(name)) >= sizeof(name))
		return HISTREE_OK;
	receiver.tid = (int32_t)strtol(name, &end, 10);
	if (*end != '\0' || end == name)
		return HISTREE_OK;
	return add_receiver(host, &receiver) ? HISTREE_OK : error_memory(error, "threads of a graph");
}

static enum histree_status find_receivers(struct graph_host *host, const struct histree_work *cancel,
					  struct histree_error *error)
{
	histree_quark children[CHILDREN], last = HISTREE_ROOT;
	size_t found = CHILDREN;
	enum histree_status status = HISTREE_OK;
	if (host->has_receivers || host->threads == HISTREE_ROOT)
		return HISTREE_OK;
	host->receiver_count = 0;
	while (found == CHILDREN && status == HISTREE_OK) {
		found = histree_attributes_children(host->attributes, host->threads, last, children, CHILDREN);
		status = cancel_check(cancel, 0, error);
		for (size_t i = 0; i < found && status == HISTREE_OK; i++)
			status = look_at(host, children[i], error);
		last = found > 0 ? children[found - 1] : last;
	}
	if (host->receiver_count > 0)
		qsort(host->receivers, host->receiver_count, sizeof(*host->receivers), by_quark);
	host->has_receivers = status == HISTREE_OK;
	return status;
}

/* ---- a range ------------------------------------------------------------------------------------------------ */

/* When a thread received something. */
struct arrival {
	int32_t tid;
	histree_time time;
};

struct arrivals {
	struct arrival *all;
	size_t count, capacity;
};

static enum histree_status read_arrivals(struct arrivals *arrivals, const struct graph_host *host,
					 struct histree_cursor *query,
					 const struct histree_packets_request *request, struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status = HISTREE_OK;
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_check(&request->work, step, error);
		if (status == HISTREE_OK) {
			status = histree_cursor_next(query, error);
			if (status == HISTREE_OK)
				interval = *histree_cursor_interval(query);
		}
		if (status != HISTREE_OK || interval.value.type != HISTREE_STRING || interval.start < request->from)
			continue;
		const struct graph_receiver wanted = { .quark = interval.quark };
		const struct graph_receiver *receiver =
			bsearch(&wanted, host->receivers, host->receiver_count, sizeof(wanted), by_quark);
		if (!array_reserve(&arrivals->all, &arrivals->capacity, arrivals->count + 1))
			return error_memory(error, "packets");
		if (receiver != NULL)
			arrivals->all[arrivals->count++] = (struct arrival){ receiver->tid, interval.start };
		if (arrivals->count > request->count_max)
			return HISTREE_END;
	}
	return status;
}

static enum histree_status find_arrivals(struct arrivals *arrivals, const struct graph_host *host,
					 const struct histree_packets_request *request, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(host->history);
	struct histree_region region = { .quark_count = host->receiver_count,
					 .from = request->from > info->start ? request->from : info->start,
					 .to = request->to < info->end ? request->to : info->end };
	struct histree_cursor *query = NULL;
	if (region.from > region.to || host->receiver_count == 0)
		return HISTREE_END;
	histree_quark *quarks = malloc(host->receiver_count * sizeof(*quarks));
	for (size_t i = 0; quarks != NULL && i < host->receiver_count; i++)
		quarks[i] = host->receivers[i].quark;
	region.quarks = quarks;
	enum histree_status status = quarks != NULL ? histree_query_create(host->history, &query, error)
						    : error_memory(error, "packets");
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	if (status == HISTREE_OK)
		status = read_arrivals(arrivals, host, query, request, error);
	histree_cursor_free(query);
	free(quarks);
	return status;
}

static enum histree_status visit_arrival(struct critical_path *path, const struct graph_host *host,
					 const struct arrival *arrival,
					 const struct histree_packets_request *request, struct histree_error *error)
{
	struct graph_thread *thread;
	struct graph_link link;
	bool is_found = false;
	enum histree_status status = graph_view_thread(&path->view, host->number, arrival->tid, &thread, error);
	if (status == HISTREE_OK)
		status = path_found(graph_packet_into(&path->view, thread, arrival->time, &link, error), &is_found);
	if (status != HISTREE_OK || !is_found)
		return status;
	const struct histree_path_step step = { .is_arrow = true,
						.start = link.start,
						.end = link.end,
						.host = link.from->host->number,
						.to_host = host->number,
						.tid = link.from->tid,
						.to_tid = arrival->tid,
						.state = HISTREE_GRAPH_NETWORK };
	return request->visit(request->context, &step, error);
}

static enum histree_status visit_host(struct critical_path *path, struct graph_host *host,
				      const struct histree_packets_request *request, struct histree_error *error)
{
	struct arrivals arrivals = { 0 };
	enum histree_status status = find_receivers(host, &request->work, error);
	if (status == HISTREE_OK)
		status = find_arrivals(&arrivals, host, request, error);
	bool are_too_many = arrivals.count > request->count_max;
	if (status == HISTREE_END)
		status = are_too_many ? HISTREE_NOT_FOUND : HISTREE_OK;
	for (size_t i = 0; i < arrivals.count && status == HISTREE_OK; i++) {
		status = cancel_check(&request->work, i, error);
		if (status == HISTREE_OK)
			status = visit_arrival(path, host, &arrivals.all[i], request, error);
	}
	free(arrivals.all);
	return are_too_many && status == HISTREE_NOT_FOUND
		       ? error_set(error, HISTREE_NOT_FOUND, "more than %zu packets came in that time",
				   request->count_max)
		       : status;
}

enum histree_status histree_critical_path_packets(struct histree_cursor *cursor,
						  const struct histree_packets_request *request,
						  struct histree_error *error)
{
	struct critical_path *path = critical_path_of(cursor);
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < path->view.host_count && path->view.host_count > 1 && status == HISTREE_OK; i++)
		if (path->view.hosts[i].history != NULL)
			status = visit_host(path, &path->view.hosts[i], request, error);
	return status;
}
