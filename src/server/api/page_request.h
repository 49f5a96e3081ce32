/* SPDX-License-Identifier: MIT */
/*
 * page_request.h - the parameters of a request of the page, checked: experiment, view, order of rows, range of
 * times; and those about segments.
 *
 * Functions that return false have already answered the request.
 */
#ifndef SERVER_API_PAGE_REQUEST_H
#define SERVER_API_PAGE_REQUEST_H

#include "server/http/http.h"
#include "server/model/row_order.h"
#include "server/model/segment_list.h"

enum { PAGE_PIXELS_MAX = 8192, PAGE_ROWS_MAX = 512 };

/* Reads a number of the query, which must be there unless `otherwise` is in the range. */
bool page_number(const struct call *call, const char *name, int64_t min, int64_t max, int64_t otherwise,
		 int64_t *out);

/* Returns a text of the query, "" if it has none of that name. */
const char *page_text(const struct call *call, const char *name);

/* Returns whether a dataset is there, and ready. */
bool page_is_ready(const struct call *call, const struct dataset *dataset);

/* Finds the dataset of an experiment, which is ready. */
bool page_dataset(struct call *call);

/* Finds that and its view of a kind; if it has none, the answer is `otherwise`, unless that is NULL. */
bool page_view(struct call *call, const struct view_kind *kind, const char *otherwise);

/*
 * The rows of a view, and their order.  With the parameter `early` these are rows that are available at once
 * (struct row_model): 1, while those of the view are being made and only their order is requested; 2, for rows that
 * came with such an answer.
 */
struct page_rows {
	const struct histree_store_info *info;
	const struct host_rows *rows;
	bool is_early;
	struct row_order_request request;
	uint32_t toggled[ROW_TOGGLES_MAX], pinned[ROWS_PINNED_MAX];
	struct row_order *order; /* held; NULL: it was not asked for */
};

/*
 * The first one must be closed even if it has answered.  The second one is for requests without an order.  The
 * struct must not move.
 */
bool page_rows_open(struct call *call, struct page_rows *out);
bool page_rows_open_unordered(struct call *call, struct page_rows *out);
void page_rows_close(struct page_rows *rows);

/* `from`, `to` and `pixels`, as times of the history. */
struct page_range {
	histree_time from, to;
	uint32_t pixels;
};

bool page_range(const struct call *call, histree_time start, histree_time end, struct page_range *out);

/* The same of the trace of a dataset that was found. */
bool page_range_of_trace(const struct call *call, struct page_range *out);

struct segment_request {
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
bool segment_request_open(struct call *call, struct segment_request *out);
void segment_request_close(struct segment_request *request);

/* Makes ?from= &to= the window of the query; they are all of the trace if they are absent. */
bool segment_request_range(const struct call *call, struct segment_request *request);

/* Ends the object of an answer of segments: it says if some are missing because a damaged node was met. */
void segment_request_end(const struct call *call, const struct segment_request *request);

/* Writes a number, a text, true or false; a number beyond 2^53 as a text, and what has none of these as null. */
void api_write_value(struct json_writer *json, const struct histree_value *value);

/* Writes the object of a style, with both of its colours. */
void api_write_style(struct json_writer *json, const struct histree_style *style);

#endif
