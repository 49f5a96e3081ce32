// SPDX-License-Identifier: MIT
#include "server/tsp/tooltip.h"

#include <stdlib.h>
#include <strings.h>

#include "server/tsp/parameters.h"

static bool is_of_state(const struct call *call)
{
	const json_t *element = json_object_get(call->parameters, "requested_element");
	const char *type = json_string_value(json_object_get(element, "elementType"));
	return type == NULL || strcasecmp(type, "state") == 0;
}

bool tooltip_begin(const struct output_call *output, histree_time start, histree_time end,
		   struct tooltip_request *request)
{
	struct call *call = output->call;
	struct parameter_times times;
	int64_t *items;
	size_t item_count;
	if (!parameters_times(call, &times))
		return false;
	request->time = times.start;
	parameter_times_release(&times);
	if (!parameters_items(call, &items, &item_count))
		return false;
	bool is_asked = item_count > 0 && is_of_state(call) && request->time >= start && request->time <= end;
	request->item = item_count > 0 ? items[0] : 0;
	free(items);
	reply_envelope(call->reply);
	json_begin_object(&call->reply->json);
	return is_asked;
}

void tooltip_pair(const struct output_call *output, const char *key, const struct piece *text)
{
	if (text->size > 0)
		json_string_member(&output->call->reply->json, key, text->bytes, text->size);
}
