// SPDX-License-Identifier: MIT
/*
 * api_gaps.c - when events are missing, for the page.
 */
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/gap_bands.h"

struct band_writer {
	struct json_writer *json;
	histree_time start;
};

static void write_band(void *context, const struct gap_band *band)
{
	const struct band_writer *writer = context;
	struct piece text = { 0 };
	gap_band_text(band, &text);
	json_begin_object(writer->json);
	json_int_member(writer->json, "from", band->from - writer->start);
	json_int_member(writer->json, "to", band->to - writer->start);
	json_string_member(writer->json, "text", text.bytes, text.size);
	json_end(writer->json);
	piece_release(&text);
}

void api_gaps(struct call *call)
{
	struct dataset *dataset;
	struct page_range range;
	if (!page_dataset(call, &dataset))
		return;
	const struct histree_store_info *info = histree_store_info(dataset->store);
	if (page_range(call, info->start, info->end, &range)) {
		struct band_writer writer = { &call->reply->json, info->start };
		json_begin_array(writer.json);
		gap_bands_each(dataset, range.from, range.to, range.pixels, write_band, &writer);
		json_end(writer.json);
	}
	dataset_release(dataset);
}
