// SPDX-License-Identifier: MIT
/*
 * tsp_bookmarks.c - bookmarks of an experiment: list, make, look at, change, remove; and their list for the page.
 */
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/catalogue/bookmarks.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tsp.h"

static void write_bookmark(void *context, const struct bookmark *bookmark)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "uuid", bookmark->uuid);
	json_text_member(json, "name", bookmark->name);
	json_int_member(json, "start", bookmark->start);
	json_int_member(json, "end", bookmark->end);
	json_end(json);
}

static bool has_experiment(struct call *call)
{
	struct dataset *dataset = tsp_dataset(call);
	dataset_release(dataset);
	return dataset != NULL;
}

static void reply_status(struct call *call, enum histree_status status, const struct histree_error *error)
{
	if (status == HISTREE_NOT_FOUND)
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no bookmark '%s'", call->captured[1]);
	else if (status == HISTREE_ERR_TOO_LARGE)
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", error->message);
	else if (status < 0)
		reply_failure(call->reply, error);
}

/* What a request says of a bookmark; false: answered. */
static bool read_bookmark(const struct call *call, const char **name, histree_time *start, histree_time *end)
{
	*name = parameters_text(call, "name");
	if (*name != NULL && parameters_int(call, "start", start) && parameters_int(call, "end", end))
		return true;
	reply_error(call->reply, HTTP_BAD_REQUEST, "missing query parameters: name, start, end");
	return false;
}

void tsp_bookmarks(struct call *call)
{
	if (!has_experiment(call))
		return;
	json_begin_array(&call->reply->json);
	bookmarks_each(call->service->bookmarks, call->captured[0], write_bookmark, &call->reply->json);
	json_end(&call->reply->json);
}

void tsp_add_bookmark(struct call *call)
{
	const char *name;
	histree_time start, end;
	struct histree_error error = { 0 };
	if (!has_experiment(call) || !read_bookmark(call, &name, &start, &end))
		return;
	reply_status(call,
		     bookmarks_add(call->service->bookmarks, call->captured[0], name, start, end, write_bookmark,
				   &call->reply->json, &error),
		     &error);
}

void tsp_bookmark(struct call *call)
{
	if (has_experiment(call))
		reply_status(call,
			     bookmarks_find(call->service->bookmarks, call->captured[0], call->captured[1],
					    write_bookmark, &call->reply->json),
			     NULL);
}

void tsp_change_bookmark(struct call *call)
{
	const char *name;
	histree_time start, end;
	struct histree_error error = { 0 };
	if (!has_experiment(call) || !read_bookmark(call, &name, &start, &end))
		return;
	reply_status(call,
		     bookmarks_change(call->service->bookmarks, call->captured[0], call->captured[1], name, start,
				      end, write_bookmark, &call->reply->json, &error),
		     &error);
}

void tsp_remove_bookmark(struct call *call)
{
	struct histree_error error = { 0 };
	if (has_experiment(call))
		reply_status(call,
			     bookmarks_remove(call->service->bookmarks, call->captured[0], call->captured[1],
					      write_bookmark, &call->reply->json, &error),
			     &error);
}

/* ---- for the page ---------------------------------------------------------------------------------------- */

struct bookmark_writer {
	struct json_writer *json;
	histree_time start, end; /* of the trace */
};

/* Times that a browser can count with; what lies outside of the trace is not shown. */
static void write_for_page(void *context, const struct bookmark *bookmark)
{
	const struct bookmark_writer *writer = context;
	struct bookmark shown = *bookmark;
	if (shown.start > writer->end || shown.end < writer->start)
		return;
	shown.start = (shown.start > writer->start ? shown.start : writer->start) - writer->start;
	shown.end = (shown.end < writer->end ? shown.end : writer->end) - writer->start;
	write_bookmark(writer->json, &shown);
}

void api_bookmarks(struct call *call)
{
	struct dataset *dataset;
	if (!page_dataset(call, &dataset))
		return;
	const struct histree_store_info *info = histree_store_info(dataset->store);
	struct bookmark_writer writer = { &call->reply->json, info->start, info->end };
	json_begin_array(writer.json);
	bookmarks_each(call->service->bookmarks, page_text(call, "experiment"), write_for_page, &writer);
	json_end(writer.json);
	dataset_release(dataset);
}
