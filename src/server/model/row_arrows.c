// SPDX-License-Identifier: MIT
/*
 * row_arrows.c - the arrows of each kind of rows: between threads, between resources, the packets between hosts,
 * the flows between attributes.
 *
 * Those of a kernel have indexes of threads or of resources as their rows; asking for the arrows of threads makes
 * their tree.  Packets are arrows over the rows of threads of all hosts; where these are folded, or the kernel sent
 * it, over those of the hosts.
 */
#include "server/model/row_arrows.h"

#include <string.h>

#include "histree/attributes.h"
#include "server/model/host_rows.h"
#include "server/model/kernel_rows.h"

/* Those of a request that meet a range, cut at the history. */
static enum histree_status make_within(struct histree_arrows_request *request, const struct arrow_range *range,
				       struct histree_arrows **out, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(request->history);
	request->from = range->from > info->start ? range->from : info->start;
	request->to = range->to < info->end ? range->to : info->end;
	request->pixels = range->pixels;
	request->cancel = range->cancel;
	return request->from <= request->to ? histree_arrows_create(request, out, error) : HISTREE_OK;
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

static enum histree_status make_of_threads(const void *context, const struct arrow_range *range,
					   struct histree_arrows **out, struct histree_error *error)
{
	const struct kernel_view *view = context;
	struct histree_arrows_request request = { .history = view->history,
						  .resources = view->resources,
						  .flow = view->threads->flow,
						  .wakeups = view->wakeups };
	return make_within(&request, range, out, error);
}

static bool rows_of_threads(const void *context, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	const struct kernel_view *view = context;
	if (arrow->kind == HISTREE_ARROW_MIGRATION)
		return false;
	*from = histree_control_flow_find_at(view->threads->flow, arrow->from, -1, arrow->start);
	*to = histree_control_flow_find_at(view->threads->flow, arrow->to, -1, arrow->end);
	return *from != HISTREE_NO_INDEX && *to != HISTREE_NO_INDEX;
}

static void name_of_thread(const void *context, uint32_t row, struct piece *name)
{
	const struct kernel_view *view = context;
	const struct histree_thread *thread = &view->threads->list[row];
	kernel_thread_label(view, thread->tid, thread->from, name);
}

const struct arrow_model arrow_model_threads = { make_of_threads, rows_of_threads, name_of_thread, NULL };

/* ---- resources -------------------------------------------------------------------------------------------- */

static enum histree_status make_of_resources(const void *context, const struct arrow_range *range,
					     struct histree_arrows **out, struct histree_error *error)
{
	const struct kernel_view *view = context;
	struct histree_arrows_request request = { .history = view->history, .resources = view->resources };
	return make_within(&request, range, out, error);
}

/* The row of a CPU's status. */
static uint32_t find_cpu(const struct kernel_view *view, int32_t cpu)
{
	for (uint32_t i = 0; i < view->resource_count; i++)
		if (view->resource_list[i].kind == HISTREE_RESOURCE_CPU && view->resource_list[i].cpu == cpu)
			return i;
	return HISTREE_NO_INDEX;
}

static bool rows_of_resources(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	if (arrow->kind != HISTREE_ARROW_MIGRATION)
		return false;
	*from = find_cpu(view, arrow->from);
	*to = find_cpu(view, arrow->to);
	return *from != HISTREE_NO_INDEX && *to != HISTREE_NO_INDEX;
}

static void name_of_resource(const void *context, uint32_t row, struct piece *name)
{
	const struct kernel_view *view = context;
	piece_put_text(name, view->resource_list[row].name);
}

const struct arrow_model arrow_model_resources = { make_of_resources, rows_of_resources, name_of_resource, NULL };

/* ---- packets ---------------------------------------------------------------------------------------------- */

/* Who ever received a packet is found with the first question, and known from then on. */
static enum histree_status packet_arrows_make(const void *context, const struct arrow_range *range,
					      struct histree_arrows **out, struct histree_error *error)
{
	struct host_rows *rows = (struct host_rows *)(uintptr_t)context;
	struct histree_arrows_request request = { .history = rows->graph };
	const struct histree_history_info *info = histree_history_info(rows->graph);
	enum histree_status status = HISTREE_OK;
	if (range->from > info->end || range->to < info->start)
		return HISTREE_OK;
	pthread_mutex_lock(&rows->paths_lock);
	if (rows->paths == NULL)
		status = histree_critical_path_create(rows->graph, &rows->paths, error);
	request.paths = rows->paths;
	if (status == HISTREE_OK)
		status = make_within(&request, range, out, error);
	pthread_mutex_unlock(&rows->paths_lock);
	return status;
}

/* Hosts of the graph are known by their names; NULL: the rows do not have that one. */
static const struct host_view *find_host(const struct host_rows *rows, uint32_t number)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(rows->graph, &count);
	for (size_t i = 0; number < count && i < rows->host_count; i++)
		if (strcmp(rows->hosts[i].name, hosts[number].name) == 0)
			return &rows->hosts[i];
	return NULL;
}

static bool find_row(const struct host_rows *rows, uint32_t number, int32_t tid, uint32_t *row)
{
	const struct host_view *host = find_host(rows, number);
	if (host == NULL)
		return false;
	const struct kernel_threads *threads = host->view;
	uint32_t own =
		threads != NULL && tid > 0 ? histree_control_flow_find(threads->flow, tid, -1) : HISTREE_NO_INDEX;
	*row = own != HISTREE_NO_INDEX ? host_row(rows, host, own) : host->first;
	return true;
}

static bool rows_of_packet(const void *context, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	const struct host_rows *rows = context;
	return find_row(rows, arrow->from_host, arrow->from, from) && find_row(rows, arrow->to_host, arrow->to, to);
}

/* "sshd (42) on b", or "b". */
static void name_of_row(const void *context, uint32_t row, struct piece *name)
{
	uint32_t own;
	const struct host_rows *rows = context;
	const struct host_view *host = host_rows_find(rows, row, &own);
	if (host != NULL && own != HISTREE_NO_INDEX) {
		const struct kernel_threads *threads = host->view;
		arrow_model_threads.name(threads->kernel, own, name);
		piece_put_text(name, " on ");
	}
	if (host != NULL)
		piece_put_text(name, host->name);
}

static uint32_t row_of_host(const void *context, uint32_t row)
{
	uint32_t own;
	const struct host_view *host = host_rows_find(context, row, &own);
	return host != NULL ? host->first : row;
}

const struct arrow_model arrow_model_packets = { packet_arrows_make, rows_of_packet, name_of_row, row_of_host };

/* ---- flows ------------------------------------------------------------------------------------------------ */

bool track_arrows_apply(const struct dataset *dataset)
{
	const struct histree_store_info *store = histree_store_info(dataset->store);
	bool has_flows = false;
	for (size_t i = 0; i < store->segments_count; i++)
		has_flows = has_flows || strcmp(store->segments[i].analysis, "track-flows") == 0;
	return has_flows && dataset_history(dataset, "tracks") != NULL;
}

/* States can be shown without them. */
void track_arrows_open(struct track_arrows *arrows, struct dataset *dataset)
{
	*arrows = (struct track_arrows){ 0 };
	if (track_arrows_apply(dataset) &&
	    histree_store_segments(dataset->store, "track-flows", false, NULL, &arrows->flows, NULL) == HISTREE_OK)
		arrows->history = dataset_history(dataset, "tracks");
	else
		arrows->flows = NULL;
}

void track_arrows_close(struct track_arrows *arrows)
{
	histree_segment_store_close(arrows->flows);
}

static enum histree_status flow_arrows_make(const void *view, const struct arrow_range *range,
					    struct histree_arrows **out, struct histree_error *error)
{
	const struct track_arrows *arrows = view;
	struct histree_arrows_request request = { .history = arrows->history, .flows = arrows->flows };
	return make_within(&request, range, out, error);
}

static bool rows_of_flow(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	(void)view;
	*from = (uint32_t)arrow->from;
	*to = (uint32_t)arrow->to;
	return true;
}

/* The whole path, as a row of its own is called by its depth only. */
static void name_of_flow(const void *view, uint32_t row, struct piece *name)
{
	const struct track_arrows *arrows = view;
	const struct histree_attributes *attributes = histree_history_attributes(arrows->history);
	size_t size = histree_attributes_path(attributes, row, NULL, 0);
	char *room = piece_room(name, size + 1);
	if (room != NULL)
		name->size += histree_attributes_path(attributes, row, room, size + 1);
}

const struct arrow_model arrow_model_flows = { flow_arrows_make, rows_of_flow, name_of_flow, NULL };
