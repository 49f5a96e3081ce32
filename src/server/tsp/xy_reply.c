// SPDX-License-Identifier: MIT
#include "server/tsp/xy_reply.h"

#include <math.h>

#include "histree/rows.h"
#include "server/tsp/parameters.h"

bool xy_samples_read(const struct call *call, histree_time start, histree_time end, struct xy_samples *out)
{
	struct parameter_times times;
	*out = (struct xy_samples){ 0 };
	if (!parameters_times(call, &times))
		return false;
	size_t count = times.count;
	histree_time from = times.start > start ? times.start : start;
	histree_time to = times.end < end ? times.end : end;
	parameter_times_release(&times);
	if (from >= to)
		return true;
	out->start = from;
	out->from = from + 1;
	out->to = to;
	out->pixels = count < 2 ? 1 : count > HISTREE_PIXELS_MAX ? HISTREE_PIXELS_MAX : (uint32_t)count - 1;
	return true;
}

void xy_begin(struct reply *reply, const char *title)
{
	struct json_writer *json = &reply->json;
	reply_envelope(reply);
	json_begin_object(json);
	json_text_member(json, "title", title);
	json_key(json, "series");
	json_begin_array(json);
}

void xy_put_axis(struct reply *reply, const char *name, const char *label, const char *unit, const char *type)
{
	struct json_writer *json = &reply->json;
	json_key(json, name);
	json_begin_object(json);
	json_text_member(json, "label", label);
	json_text_member(json, "unit", unit);
	json_text_member(json, "dataType", type);
	json_end(json);
}

void xy_put_style(struct reply *reply, const char *series_type)
{
	struct json_writer *json = &reply->json;
	json_key(json, "style");
	json_begin_object(json);
	json_key(json, "values");
	json_begin_object(json);
	json_text_member(json, "series-type", series_type);
	json_end(json);
	json_end(json);
}

void xy_put(struct reply *reply, const struct xy_samples *samples, const struct xy_curve *curve)
{
	struct json_writer *json = &reply->json;
	json_begin_object(json);
	json_int_member(json, "seriesId", curve->id);
	json_text_member(json, "seriesName", curve->name);
	json_key(json, "xValues");
	json_begin_array(json);
	for (uint32_t i = 0; samples->pixels > 0 && i <= samples->pixels; i++)
		json_put_int(json, histree_pixel_start(samples->from, samples->to, samples->pixels, i) - 1);
	json_end(json);
	json_key(json, "yValues");
	json_begin_array(json);
	for (uint32_t i = 0; samples->pixels > 0 && i <= samples->pixels; i++) {
		double value = i > 0 ? curve->values[i - 1] : curve->first;
		if (isnan(value))
			json_put_null(json);
		else
			json_put_real(json, value);
	}
	json_end(json);
	xy_put_axis(reply, "xValuesDescription", "Time", "ns", "TIMESTAMP");
	xy_put_axis(reply, "yValuesDescription", curve->label, curve->unit, "NUMBER");
	xy_put_style(reply, "line");
	json_end(json);
}

void xy_end(struct reply *reply)
{
	json_end(&reply->json);
	json_end(&reply->json);
}
