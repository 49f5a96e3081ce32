// SPDX-License-Identifier: MIT
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/catalogue/bookmarks.h"
#include "server/catalogue/service.h"

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
	bookmark_write_json(writer->json, &shown);
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
