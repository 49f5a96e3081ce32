// SPDX-License-Identifier: MIT
/*
 * tsp_annotations.c - what is said of a time whatever is looked at: events that were lost.
 *
 * The bands lie over the charts of all outputs, so these endpoints ask the dataset and not the output.
 */
#include <string.h>

#include "server/model/gap_bands.h"
#include "server/tsp/output.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tsp.h"

#define LOST_EVENTS "Lost Events"

/* Where a client does not say how wide its chart is. */
enum { USUAL_PIXELS = 1000 };

static bool has_gaps(const struct dataset *dataset)
{
	size_t count = 0;
	if (dataset_status(dataset) == DATASET_READY && dataset->trace_events != NULL)
		histree_events_gaps(dataset->trace_events, &count);
	return count > 0;
}

/* The dataset, held, of an experiment that has this output; NULL: answered. */
static struct dataset *find_annotated(struct call *call)
{
	struct dataset *dataset = tsp_dataset(call);
	if (dataset == NULL || output_find(dataset, call->captured[1]) != NULL)
		return dataset;
	reply_error(call->reply, HTTP_NOT_ALLOWED, "no output '%s'", call->captured[1]);
	dataset_release(dataset);
	return NULL;
}

/* Marker sets choose categories that an installation defines; there are none, and this one belongs to no set. */
void tsp_annotation_categories(struct call *call)
{
	struct dataset *dataset = find_annotated(call);
	struct json_writer *json = &call->reply->json;
	if (dataset == NULL)
		return;
	reply_envelope(call->reply);
	json_begin_object(json);
	json_key(json, "annotationCategories");
	json_begin_array(json);
	if (has_gaps(dataset))
		json_put_text(json, LOST_EVENTS);
	json_end(json);
	json_end(json);
	dataset_release(dataset);
}

/* Without a list all categories are. */
static bool is_requested(const struct call *call, const char *category)
{
	const json_t *list = json_object_get(call->parameters, "requested_marker_categories");
	if (!json_is_array(list))
		return true;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));
		if (name != NULL && strcmp(name, category) == 0)
			return true;
	}
	return false;
}

static void write_style(struct json_writer *json)
{
	json_key(json, "style");
	json_begin_object(json);
	json_key(json, "values");
	json_begin_object(json);
	json_text_member(json, "color", "#FF0000");
	json_text_member(json, "background-color", "#FF0000");
	json_key(json, "opacity");
	json_put_real(json, 0.2);
	json_end(json);
	json_end(json);
}

static void write_band(void *context, const struct gap_band *band)
{
	struct json_writer *json = context;
	struct piece text = { 0 };
	gap_band_text(band, &text);
	json_begin_object(json);
	json_int_member(json, "time", band->from);
	json_int_member(json, "duration", band->to - band->from + 1);
	json_int_member(json, "entryId", -1);
	json_text_member(json, "type", "CHART");
	json_string_member(json, "label", text.bytes, text.size);
	write_style(json);
	json_end(json);
	piece_release(&text);
}

static void write_annotations(struct call *call, const struct dataset *dataset, const struct parameter_times *times)
{
	struct json_writer *json = &call->reply->json;
	uint32_t pixels = times->count > 2 ? (uint32_t)times->count - 1 : USUAL_PIXELS;
	reply_envelope(call->reply);
	json_begin_object(json);
	json_key(json, "annotations");
	json_begin_object(json);
	if (has_gaps(dataset) && is_requested(call, LOST_EVENTS)) {
		json_key(json, LOST_EVENTS);
		json_begin_array(json);
		gap_bands_each(dataset, times->start, times->end, pixels, write_band, json);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

void tsp_annotations(struct call *call)
{
	struct parameter_times times;
	struct dataset *dataset = find_annotated(call);
	if (dataset != NULL && parameters_times(call, &times)) {
		write_annotations(call, dataset, &times);
		parameter_times_release(&times);
	}
	dataset_release(dataset);
}
