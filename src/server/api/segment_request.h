/* SPDX-License-Identifier: MIT */
/*
 * segment_request.h - what the page asks of segments: the query of a request, checked.
 */
#ifndef SERVER_API_SEGMENT_REQUEST_H
#define SERVER_API_SEGMENT_REQUEST_H

#include "server/http/call.h"
#include "server/model/segment_list.h"

struct segment_request {
	struct dataset *dataset; /* held */
	struct segment_list *list;
	struct segment_listing_key key;        /* of `sort`, `descending` and `filter`, which is borrowed */
	struct histree_segment_filter *filter; /* NULL: all */
	struct histree_segment_query query;    /* with this filter, in this order, of all times */
	bool is_empty;                         /* range and filter have no time in common */
};

/*
 * Reads ?experiment= &analysis= &sort= &descending= &filter=; returns false if it has answered instead, and then
 * there is nothing to release.
 */
bool segment_request_open(const struct call *call, struct segment_request *out);
void segment_request_close(struct segment_request *request);

/* Makes ?from= &to= the window of the query; they are all of the trace if they are absent. */
bool segment_request_range(const struct call *call, struct segment_request *request);

/* Writes a member that says that segments are missing in the answer, if a damaged node was met. */
void segment_request_put_damage(struct json_writer *json, const struct segment_list *list);

#endif
