// SPDX-License-Identifier: MIT
/*
 * page_request.c - the parameters of a request of the page, checked; and the common parts of answers.
 */
#include "server/api/page_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/search.h"
#include "server/catalogue/catalogue.h"
#include "server/http/http.h"
#include "server/model/row_order.h"
#include "server/model/segment_list.h"

/* ---- page request -------------------------------------------------------------------------------------------- */

static const char *parameter(const struct call *call, const char *name)
{
	return target_parameter(&call->request->target, name);
}

static bool bad(const struct call *call, const char *name)
{
	return reply_error(call->reply, HTTP_BAD_REQUEST, "'%s' is missing or out of range", name);
}

bool page_number(const struct call *call, const char *name, int64_t min, int64_t max, int64_t otherwise,
		 int64_t *out)
{
	const char *text = parameter(call, name);
	*out = otherwise;
	if (text != NULL) {
		char *rest;
		errno = 0;
		*out = strtoll(text, &rest, 10);
		if (errno != 0 || rest == text || *rest != '\0')
			return bad(call, name);
		/* A browser's numbers have 53 bits: the end of a long trace comes back rounded. */
		if (*out > max && (double)*out == (double)max)
			*out = max;
	}
	return (*out >= min && *out <= max) || bad(call, name);
}

const char *page_text(const struct call *call, const char *name)
{
	const char *text = parameter(call, name);
	return text != NULL ? text : "";
}

bool page_is_ready(const struct call *call, const struct dataset *dataset)
{
	if (dataset == NULL)
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no such experiment");
	else if (dataset_status(dataset) != DATASET_READY)
		reply_error(call->reply, HTTP_CONFLICT, "the trace has not been read yet");
	return dataset != NULL && dataset_status(dataset) == DATASET_READY;
}

bool page_dataset(struct call *call)
{
	call->dataset = catalogue_dataset(call->service->catalogue, page_text(call, "experiment"));
	reply_hold(call->reply, call->dataset);
	return page_is_ready(call, call->dataset);
}

bool page_view(struct call *call, const struct view_kind *kind, const char *otherwise)
{
	if (!page_dataset(call))
		return false;
	if (otherwise != NULL && !kind->applies(call->dataset))
		return reply_error(call->reply, HTTP_NOT_FOUND, "%s", otherwise);
	return reply_ok(call->reply, dataset_view(call->dataset, kind, &call->view, &call->reply->error));
}

/* Early rows are in no order but their own, and all are shown. */
static bool asks_for_early_rows(const struct call *call, struct dataset *dataset, const struct row_model *model)
{
	const char *early = page_text(call, "early"), *sort = page_text(call, "sort");
	if (model->early == NULL || dataset->host_count > 0 || *early == '\0')
		return false;
	if (strcmp(early, "2") == 0)
		return true;
	const bool is_active = strcmp(sort, "active") == 0;
	const char *folded = page_text(call, "folded");
	return strcmp(early, "1") == 0 && (*sort == '\0' || strcmp(sort, "tree") == 0 || is_active) &&
	       *page_text(call, "filter") == '\0' && *page_text(call, "pinned") == '\0' &&
	       (*folded == '\0' || strcmp(folded, "0") == 0 || is_active) &&
	       dataset_view_is_pending(dataset, &model->own);
}

bool page_rows_open_unordered(struct call *call, struct page_rows *out)
{
	void *rows;
	*out = (struct page_rows){ 0 };
	if (!page_dataset(call))
		return false;
	out->info = histree_store_info(call->dataset->store);
	const struct row_model *model = row_model_find(call->dataset, page_text(call, "view"));
	if (model == NULL)
		return reply_error(call->reply, HTTP_NOT_FOUND, "there is no such view");
	out->is_early = asks_for_early_rows(call, call->dataset, model);
	model = out->is_early ? model->early : model;
	if (reply_ok(call->reply, dataset_view(call->dataset, host_rows_kind(model), &rows, &call->reply->error)))
		out->rows = rows;
	return out->rows != NULL;
}

void page_rows_close(struct page_rows *rows)
{
	row_order_release(rows->order);
}

static enum histree_status get_order(struct call *call, struct page_rows *rows)
{
	void *orders;
	struct histree_error *error = &call->reply->error;
	enum histree_status status = host_rows_prepare(rows->rows, rows->request.sort, error);
	if (status == HISTREE_OK)
		status = dataset_view(call->dataset, &row_orders_kind, &orders, error);
	return status == HISTREE_OK ? row_order_get(orders, &rows->request, &rows->order, error) : status;
}

/* `activeFrom` and `activeTo`: the range in which rows were active that are shown. */
static bool read_active_range(const struct call *call, struct page_rows *out)
{
	int64_t from, to;
	const int64_t last = out->info->end - out->info->start;
	if (!page_number(call, "activeFrom", 0, last, 0, &from) ||
	    !page_number(call, "activeTo", from, last, last, &to))
		return false;
	out->request.from = out->info->start + from;
	out->request.to = out->info->start + to;
	return true;
}

/* Numbers of rows: "3,17,4". */
static bool read_rows(const struct call *call, const char *name, uint32_t *rows, size_t max, size_t *count)
{
	const char *at = page_text(call, name);
	while (*at != '\0') {
		char *rest;
		errno = 0;
		unsigned long row = strtoul(at, &rest, 10);
		if (errno != 0 || rest == at || row > UINT32_MAX || *count == max)
			return bad(call, name);
		rows[(*count)++] = (uint32_t)row;
		at = rest + (*rest == ',');
	}
	return true;
}

bool page_rows_open(struct call *call, struct page_rows *out)
{
	int64_t folded, rest;
	const char *sort = page_text(call, "sort");
	if (!page_rows_open_unordered(call, out))
		return false;
	if (out->is_early)
		sort = "";
	out->request = (struct row_order_request){
		.rows = out->rows,
		.sort = *sort == '\0' ? ROW_SORT_TREE : row_sort_find(sort),
		.filter = page_text(call, "filter"),
		.toggled = out->toggled,
		.pinned = out->pinned,
	};
	if (out->request.sort == ROW_SORT_COUNT ||
	    (out->rows->model->sort_key == NULL && out->request.sort != ROW_SORT_TREE) ||
	    (out->rows->model->activity == NULL && out->request.sort == ROW_SORT_ACTIVE))
		return bad(call, "sort");
	if (out->request.sort == ROW_SORT_ACTIVE && !read_active_range(call, out))
		return false;
	if (!page_number(call, "folded", 0, ROW_FOLDS - 1, 0, &folded))
		return false;

	if (!read_rows(call, "toggled", out->toggled, ROW_TOGGLES_MAX, &out->request.toggled_count) ||
	    !read_rows(call, "pinned", out->pinned, ROWS_PINNED_MAX, &out->request.pinned_count) ||
	    !page_number(call, "rest", 0, 1, 0, &rest))
		return false;
	out->request.with_rest = rest != 0;
	if (out->is_early) {
		folded = ROWS_UNFOLDED;
		out->request.toggled_count = 0;
	}
	qsort(out->toggled, out->request.toggled_count, sizeof(out->toggled[0]), compare_u32);
	out->request.folded = (enum row_fold)folded;
	return reply_ok(call->reply, get_order(call, out));
}

bool page_range(const struct call *call, histree_time start, histree_time end, struct page_range *out)
{
	int64_t from, to, pixels;
	int64_t last = end - start;
	if (!page_number(call, "from", 0, last, 0, &from) || !page_number(call, "to", from, last, last, &to) ||
	    !page_number(call, "pixels", 1, PAGE_PIXELS_MAX, -1, &pixels))
		return false;
	*out = (struct page_range){ start + from, start + to, (uint32_t)pixels };
	return true;
}

bool page_range_of_trace(const struct call *call, struct page_range *out)
{
	const struct histree_store_info *info = histree_store_info(call->dataset->store);
	return page_range(call, info->start, info->end, out);
}

/* ---- segment request ----------------------------------------------------------------------------------------- */

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
	const char *sort = page_text(call, "sort");
	if (!page_number(call, "descending", 0, 1, 0, &descending))
		return false;
	request->key =
		(struct segment_listing_key){ .descending = descending != 0, .filter = page_text(call, "filter") };
	if (!read_sort(request->list, sort, &request->key))
		return reply_error(call->reply, HTTP_BAD_REQUEST, "there is no field '%.80s'", sort);
	if (!reply_ok(call->reply, segment_list_filter(request->list, request->key.filter, &request->filter,
						       &call->reply->error)))
		return false;
	request->query = HISTREE_SEGMENTS_ALL;
	request->query.order = request->key.order;
	request->query.field = request->key.field;
	request->query.descending = request->key.descending;
	if (request->filter != NULL)
		histree_segment_filter_apply(request->filter, &request->query);
	return true;
}

bool segment_request_open(struct call *call, struct segment_request *out)
{
	*out = (struct segment_request){ 0 };
	return page_view(call, &segment_lists_kind, NULL) &&
	       reply_ok(call->reply, segment_list_find(call->view, page_text(call, "analysis"), &out->list,
						       &call->reply->error)) &&
	       read_query(call, out);
}

void segment_request_close(struct segment_request *request)
{
	histree_segment_filter_free(request->filter);
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

void segment_request_end(const struct call *call, const struct segment_request *request)
{
	if (histree_segment_store_loss(request->list->store).nodes > 0)
		json_bool_member(call->json, "isDamaged", true);
	json_end(call->json);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

void api_write_value(struct json_writer *json, const struct histree_value *value)
{
	const int64_t exact = INT64_C(1) << 53;
	char text[NUMBER_TEXT_SIZE];
	if (value->type == HISTREE_INT)
		json_put_int(json, value->int32);
	else if (value->type == HISTREE_LONG && value->int64 >= -exact && value->int64 <= exact)
		json_put_int(json, value->int64);
	else if (value->type == HISTREE_LONG)
		json_put_string(json, text, number_format_signed(value->int64, text));
	else if (value->type == HISTREE_DOUBLE)
		json_put_real(json, value->real);
	else if (value->type == HISTREE_BOOL)
		json_put_bool(json, value->boolean);
	else if (value->type == HISTREE_STRING)
		json_put_string(json, value->bytes, value->size);
	else
		json_put_null(json);
}

void api_write_style(struct json_writer *json, const struct histree_style *style)
{
	char colour[8];
	json_begin_object(json);
	json_text_member(json, "key", style->key);
	json_text_member(json, "name", style->name);
	snprintf(colour, sizeof(colour), "#%06x", style->light & 0xffffff);
	json_text_member(json, "light", colour);
	snprintf(colour, sizeof(colour), "#%06x", style->dark & 0xffffff);
	json_text_member(json, "dark", colour);
	json_real_member(json, "height", style->height);
	json_end(json);
}
