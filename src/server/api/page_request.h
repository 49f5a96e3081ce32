/* SPDX-License-Identifier: MIT */
/*
 * page_request.h - the query of a request of the page, checked: experiment, view, order of rows, range of times.
 *
 * Functions that are false have answered.
 */
#ifndef SERVER_API_PAGE_REQUEST_H
#define SERVER_API_PAGE_REQUEST_H

#include "server/http/call.h"
#include "server/model/row_order.h"

enum { PAGE_PIXELS_MAX = 8192, PAGE_ROWS_MAX = 512 };

/* Reads a number of the query, which must be there unless `otherwise` is in the range. */
bool page_number(const struct call *call, const char *name, int64_t min, int64_t max, int64_t otherwise,
		 int64_t *out);

/* Returns a text of the query, "" if it has none of that name. */
const char *page_text(const struct call *call, const char *name);

/* Gets the dataset of an experiment, which is ready; the caller releases it. */
bool page_dataset(const struct call *call, struct dataset **out);

/*
 * A dataset and the rows of one of its views.  With the parameter `early` these are rows that are there at once
 * (struct row_model): 1, while those of the view are being made and nothing but their order is asked for; 2, for
 * rows that came with such an answer.
 */
struct page_rows {
	struct dataset *dataset; /* held */
	const struct row_model *model;
	void *view;
	bool is_early;
};

bool page_rows_open(const struct call *call, struct page_rows *out);
void page_rows_close(struct page_rows *rows);

/* Which rows are where. */
struct page_order {
	struct row_order_request request;
	uint32_t toggled[ROW_TOGGLES_MAX];
	struct row_order *order; /* held */
};

bool page_order_open(const struct call *call, const struct page_rows *rows, struct page_order *out);
void page_order_close(struct page_order *order);

/* `from`, `to` and `pixels`, as times of the history. */
struct page_range {
	histree_time from, to;
	uint32_t pixels;
};

bool page_range(const struct call *call, histree_time start, histree_time end, struct page_range *out);

#endif
