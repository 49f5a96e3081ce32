// SPDX-License-Identifier: MIT
/*
 * tsp_bookmarks.c - bookmarks of an experiment: list, make, look at, change, remove.
 */
#include "server/catalogue/bookmark_json.h"
#include "server/catalogue/service.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tsp.h"

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

/* Reads what a request says of a bookmark of an experiment that exists; false if it has answered instead. */
static bool read_bookmark(struct call *call, const char **name, histree_time *start, histree_time *end)
{
	if (!has_experiment(call))
		return false;
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
	bookmarks_each(call->service->bookmarks, call->captured[0], bookmark_write_json, &call->reply->json);
	json_end(&call->reply->json);
}

void tsp_add_bookmark(struct call *call)
{
	const char *name;
	histree_time start, end;
	struct histree_error error = { 0 };
	if (!read_bookmark(call, &name, &start, &end))
		return;
	reply_status(call,
		     bookmarks_add(call->service->bookmarks, call->captured[0], name, start, end,
				   bookmark_write_json, &call->reply->json, &error),
		     &error);
}

void tsp_bookmark(struct call *call)
{
	if (has_experiment(call))
		reply_status(call,
			     bookmarks_find(call->service->bookmarks, call->captured[0], call->captured[1],
					    bookmark_write_json, &call->reply->json),
			     NULL);
}

void tsp_change_bookmark(struct call *call)
{
	const char *name;
	histree_time start, end;
	struct histree_error error = { 0 };
	if (!read_bookmark(call, &name, &start, &end))
		return;
	reply_status(call,
		     bookmarks_change(call->service->bookmarks, call->captured[0], call->captured[1], name, start,
				      end, bookmark_write_json, &call->reply->json, &error),
		     &error);
}

void tsp_remove_bookmark(struct call *call)
{
	struct histree_error error = { 0 };
	if (has_experiment(call))
		reply_status(call,
			     bookmarks_remove(call->service->bookmarks, call->captured[0], call->captured[1],
					      bookmark_write_json, &call->reply->json, &error),
			     &error);
}
