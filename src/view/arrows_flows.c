// SPDX-License-Identifier: MIT
/*
 * Flows, from the segments of that analysis: which stacks they join.  In which row of a stack an arrow begins and
 * ends, the history says of those that are left when the list is thinned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "histree/attributes.h"
#include "histree/query.h"
#include "view/arrow_list.h"

struct flows {
	const struct histree_arrows_request *request;
	const struct histree_attributes *attributes;
	size_t from_field, to_field, host_field;
	const struct histree_history_host *hosts; /* of a history of several; NULL: of one */
	size_t host_count, host;                  /* host: of the flow before */
	struct histree_segment_iter *iter;
	char *path; /* with its terminator */
	size_t capacity;
};

/* The folder of the host of a flow, below which its paths are; false: that host has no history. */
static bool find_folder(struct flows *flows, const struct histree_value *host, histree_quark *folder)
{
	*folder = HISTREE_ROOT;
	if (flows->hosts == NULL)
		return true;
	for (size_t i = 0; i < flows->host_count; i++) {
		size_t index = (flows->host + i) % flows->host_count;
		const char *name = flows->hosts[index].name;
		if (host->type != HISTREE_STRING || strlen(name) != host->size ||
		    memcmp(name, host->bytes, host->size) != 0)
			continue;
		flows->host = index;
		*folder = flows->hosts[index].folder;
		return flows->hosts[index].history != NULL;
	}
	return false;
}

/* Finds the stack of a path; HISTREE_ROOT: it is not said, or nothing was ever on it. */
static enum histree_status find_stack(struct flows *flows, histree_quark folder, const struct histree_value *path,
				      histree_quark *out, struct histree_error *error)
{
	*out = HISTREE_ROOT;
	if (path->type != HISTREE_STRING)
		return HISTREE_OK;
	if (!array_reserve(&flows->path, &flows->capacity, (size_t)path->size + 1))
		return error_memory(error, "arrows");
	memcpy(flows->path, path->bytes, path->size);
	flows->path[path->size] = '\0';
	if (histree_attributes_find(flows->attributes, folder, flows->path, out) != HISTREE_OK)
		*out = HISTREE_ROOT;
	return HISTREE_OK;
}

static enum histree_status add_flow(struct flows *flows, const struct histree_segment *segment,
				    struct arrow_list *list, struct histree_error *error)
{
	histree_quark folder, from, to = HISTREE_ROOT;
	if (!find_folder(flows, &segment->content[flows->host_field], &folder))
		return HISTREE_OK;
	enum histree_status status = find_stack(flows, folder, &segment->content[flows->from_field], &from, error);
	if (status == HISTREE_OK)
		status = find_stack(flows, folder, &segment->content[flows->to_field], &to, error);
	if (status != HISTREE_OK || from > INT32_MAX || to > INT32_MAX) /* HISTREE_ROOT among them */
		return status;
	return arrow_list_add(list,
			      &(struct histree_arrow){
				      .kind = HISTREE_ARROW_FLOW,
				      .from = (int32_t)from,
				      .to = (int32_t)to,
				      .cpu = -1,
				      .tid = -1,
				      .start = segment->start,
				      .end = segment->end,
			      },
			      error);
}

static enum histree_status read_flows(struct flows *flows, struct arrow_list *list, struct histree_error *error)
{
	struct histree_segment segment;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.from = flows->request->from;
	query.to = flows->request->to;
	enum histree_status status = histree_segment_iter_start(flows->iter, &query, NULL, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		if (step == ARROW_READS_MAX) {
			list->count = 0;
			list->lacks_some = true;
			return HISTREE_OK;
		}
		status = cancel_check(&flows->request->cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_segment_iter_next(flows->iter, &segment, error);
		if (status == HISTREE_OK)
			status = add_flow(flows, &segment, list, error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status arrows_gather_flows(const struct histree_arrows_request *request, struct arrow_list *list,
					struct histree_error *error)
{
	struct flows flows = { .request = request, .attributes = histree_history_attributes(request->history) };
	if (request->flows == NULL)
		return HISTREE_OK;
	if (histree_segment_store_field(request->flows, "from_stack", &flows.from_field) != HISTREE_OK ||
	    histree_segment_store_field(request->flows, "to_stack", &flows.to_field) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT, "these segments are no flows");
	flows.hosts = histree_history_hosts(request->history, &flows.host_count);
	if (flows.hosts != NULL &&
	    histree_segment_store_field(request->flows, "host", &flows.host_field) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "these flows are of one host, and the history is of several");
	enum histree_status status = histree_segment_iter_create(request->flows, &flows.iter, error);
	if (status == HISTREE_OK)
		status = read_flows(&flows, list, error);
	histree_segment_iter_free(flows.iter);
	free(flows.path);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/*
 * Replaces a stack by the row of the innermost span that is open.  Where none is, or nobody knows, a flow meets the
 * outermost row: the span that it belongs to is yet to come.
 */
static enum histree_status find_row(struct histree_query *query, const struct histree_attributes *attributes,
				    int32_t *row, histree_time time, struct histree_error *error)
{
	char depth[16];
	histree_quark slot;
	struct histree_interval open;
	enum histree_status status = histree_query_single(query, (histree_quark)*row, time, &open, error);
	if (status != HISTREE_OK)
		return status;
	bool is_known = open.value.type == HISTREE_INT && open.value.int32 > 0;
	snprintf(depth, sizeof(depth), "%d", is_known ? open.value.int32 : 1);
	if (histree_attributes_find(attributes, (histree_quark)*row, depth, &slot) == HISTREE_OK &&
	    slot <= INT32_MAX)
		*row = (int32_t)slot;
	return HISTREE_OK;
}

static histree_time inside(const struct histree_history_info *info, histree_time time)
{
	return time < info->start ? info->start : time > info->end ? info->end : time;
}

enum histree_status arrows_find_rows(const struct histree_arrows_request *request, struct arrow_list *list,
				     struct histree_error *error)
{
	struct histree_query *query;
	const struct histree_history_info *info = histree_history_info(request->history);
	const struct histree_attributes *attributes = histree_history_attributes(request->history);
	if (request->flows == NULL || list->count == 0)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(request->history, &query, error);
	for (size_t i = 0; i < list->count && status == HISTREE_OK; i++) {
		struct histree_arrow *arrow = &list->arrows[i];
		status = cancel_check(&request->cancel, i, error);
		if (status == HISTREE_OK && arrow->kind == HISTREE_ARROW_FLOW)
			status = find_row(query, attributes, &arrow->from, inside(info, arrow->start), error);
		if (status == HISTREE_OK && arrow->kind == HISTREE_ARROW_FLOW)
			status = find_row(query, attributes, &arrow->to, inside(info, arrow->end), error);
	}
	histree_query_free(query);
	return status;
}
