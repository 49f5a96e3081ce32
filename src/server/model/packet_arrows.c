// SPDX-License-Identifier: MIT
/*
 * packet_arrows.c - the packets between hosts, as arrows over the rows of their threads; where these are folded,
 * or the kernel sent it, of the hosts.
 */
#include <string.h>

#include "server/model/host_rows.h"
#include "server/model/kernel_rows.h"

/* Who ever received a packet is found with the first question, and known from then on. */
static enum histree_status make(const void *context, const struct arrow_range *range, struct histree_arrows **out,
				struct histree_error *error)
{
	struct host_rows *rows = (struct host_rows *)(uintptr_t)context;
	const struct histree_history_info *info = histree_history_info(rows->graph);
	struct histree_arrows_request request = {
		.history = rows->graph,
		.from = range->from > info->start ? range->from : info->start,
		.to = range->to < info->end ? range->to : info->end,
		.pixels = range->pixels,
		.cancel = range->cancel,
	};
	enum histree_status status = HISTREE_OK;
	if (request.from > request.to)
		return HISTREE_OK;
	pthread_mutex_lock(&rows->paths_lock);
	if (rows->paths == NULL)
		status = histree_critical_path_create(rows->graph, &rows->paths, error);
	request.paths = rows->paths;
	if (status == HISTREE_OK)
		status = histree_arrows_create(&request, out, error);
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

const struct arrow_model arrow_model_packets = { make, rows_of_packet, name_of_row, row_of_host };
