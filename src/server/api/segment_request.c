// SPDX-License-Identifier: MIT
#include "server/api/segment_request.h"

#include <string.h>

#include "server/api/page_request.h"

/* "" is by start; else a key of time or the name of a field. */
static bool read_sort(const struct segment_list *list, const char *sort, struct segment_listing_key *key)
{
	static const struct {
		const char *name;
		enum histree_segment_order order;
	} orders[] = {
		{ "", HISTREE_SEGMENTS_BY_START },
		{ "start", HISTREE_SEGMENTS_BY_START },
		{ "end", HISTREE_SEGMENTS_BY_END },
		{ "duration", HISTREE_SEGMENTS_BY_DURATION },
	};
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (strcmp(sort, orders[i].name) == 0) {
			key->order = orders[i].order;
			return true;
		}
	}
	key->order = HISTREE_SEGMENTS_BY_FIELD;
	return histree_segment_store_field(list->store, sort, &key->field) == HISTREE_OK;
}

static bool read_query(const struct call *call, struct segment_request *request)
{
	int64_t descending;
	struct histree_error error = { 0 };
	const char *sort = page_text(call, "sort");
	if (!page_number(call, "descending", 0, 1, 0, &descending))
		return false;
	request->key =
		(struct segment_listing_key){ .descending = descending != 0, .filter = page_text(call, "filter") };
	if (!read_sort(request->list, sort, &request->key)) {
		reply_error(call->reply, HTTP_BAD_REQUEST, "there is no field '%.80s'", sort);
		return false;
	}
	if (segment_list_filter(request->list, request->key.filter, &request->filter, &error) != HISTREE_OK) {
		reply_failure(call->reply, &error);
		return false;
	}
	request->query = HISTREE_SEGMENTS_ALL;
	request->query.order = request->key.order;
	request->query.field = request->key.field;
	request->query.descending = request->key.descending;
	if (request->filter != NULL)
		histree_segment_filter_apply(request->filter, &request->query);
	return true;
}

static bool open_list(const struct call *call, struct segment_request *request)
{
	void *view;
	struct histree_error error = { 0 };
	enum histree_status status =
		dataset_view(request->dataset, segment_lists_make, segment_lists_free, &view, &error);
	if (status == HISTREE_OK)
		status = segment_list_find(view, page_text(call, "analysis"), &request->list, &error);
	if (status != HISTREE_OK)
		reply_failure(call->reply, &error);
	return status == HISTREE_OK;
}

bool segment_request_open(const struct call *call, struct segment_request *out)
{
	*out = (struct segment_request){ 0 };
	if (!page_dataset(call, &out->dataset))
		return false;
	if (open_list(call, out) && read_query(call, out))
		return true;
	segment_request_close(out);
	return false;
}

void segment_request_close(struct segment_request *request)
{
	histree_segment_filter_free(request->filter);
	dataset_release(request->dataset);
	*request = (struct segment_request){ 0 };
}

bool segment_request_range(const struct call *call, struct segment_request *request)
{
	int64_t from, to, last = request->list->end - request->list->start;
	if (!page_number(call, "from", 0, last, 0, &from) || !page_number(call, "to", from, last, last, &to))
		return false;
	histree_time start = request->list->start + from, end = request->list->start + to;
	/* The filter may have made the window narrower. */
	request->query.from = request->query.from > start ? request->query.from : start;
	request->query.to = request->query.to < end ? request->query.to : end;
	request->is_empty = request->query.from > request->query.to;
	return true;
}

void segment_request_put_damage(struct json_writer *json, const struct segment_list *list)
{
	if (!histree_segment_store_met_damage(list->store))
		return;
	json_key(json, "isDamaged");
	json_put_bool(json, true);
}
