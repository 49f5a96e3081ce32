// SPDX-License-Identifier: MIT
/*
 * parameters.c - the body of a request.  A function that returns false has answered with 400 and the reason.
 */
#include "server/tsp/parameters.h"

#include <stdlib.h>

static bool bad(const struct call *call, const char *what)
{
	return reply_error(call->reply, HTTP_BAD_REQUEST, "missing query parameters: %s", what);
}

/* start and end of an object, in order. */
static bool read_range(const json_t *range, histree_time *start, histree_time *end)
{
	const json_t *from = json_object_get(range, "start"), *to = json_object_get(range, "end");
	if (!json_is_integer(from) || !json_is_integer(to))
		return false;
	*start = json_integer_value(from);
	*end = json_integer_value(to);
	return *start <= *end;
}

static int compare_times(const void *a, const void *b)
{
	const histree_time *first = a, *second = b;
	return (*first > *second) - (*first < *second);
}

static bool read_list(const struct call *call, const json_t *list, struct parameter_times *out)
{
	size_t count = json_array_size(list);
	if (count == 0 || count > PARAMETER_TIMES_MAX)
		return bad(call, "requested_times");
	out->times = reply_memory(call->reply, count, sizeof(*out->times));
	if (out->times == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *time = json_array_get(list, i);
		if (!json_is_integer(time))
			return bad(call, "requested_times");
		out->times[i] = json_integer_value(time);
	}
	qsort(out->times, count, sizeof(*out->times), compare_times);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || out->times[i] != out->times[out->count - 1])
			out->times[out->count++] = out->times[i];
	return true;
}

static bool sample_range(const struct call *call, const json_t *range, struct parameter_times *out)
{
	histree_time start, end;
	const json_t *samples = json_object_get(range, "nbTimes");
	int64_t count = json_is_integer(samples) ? json_integer_value(samples) : 2;
	if (!read_range(range, &start, &end) || count > PARAMETER_TIMES_MAX)
		return bad(call, "requested_timerange");
	count = count < 2 ? 2 : count;
	uint64_t span = (uint64_t)end - (uint64_t)start;
	uint64_t step = span / ((uint64_t)count - 1);
	step = step == 0 ? 1 : step;
	/*
	 * The step is rounded down, so that more samples fit before the end than were asked for: nearly twice as
	 * many.
	 */
	uint64_t before_end = span / step + (span % step != 0);
	out->times = reply_memory(call->reply, before_end + 1, sizeof(*out->times));
	if (out->times == NULL)
		return false;
	for (uint64_t i = 0; i < before_end; i++)
		out->times[out->count++] = (histree_time)((uint64_t)start + i * step);
	out->times[out->count++] = end;
	return true;
}

bool parameters_times(const struct call *call, struct parameter_times *out)
{
	*out = (struct parameter_times){ 0 };
	const json_t *list = json_object_get(call->parameters, "requested_times");
	const json_t *range = json_object_get(call->parameters, "requested_timerange");
	if (json_is_object(range) ? !sample_range(call, range, out) : !read_list(call, list, out))
		return false;
	out->start = out->times[0];
	out->end = out->times[out->count - 1];
	return true;
}

bool parameters_range(const struct call *call, histree_time *start, histree_time *end)
{
	const json_t *list = json_object_get(call->parameters, "requested_times");
	const json_t *range = json_object_get(call->parameters, "requested_timerange");
	size_t count = json_array_size(list);
	if (json_is_object(range))
		return read_range(range, start, end) || bad(call, "requested_timerange");
	if (count == 0)
		return true;
	const json_t *first = json_array_get(list, 0), *last = json_array_get(list, count - 1);
	if (!json_is_integer(first) || !json_is_integer(last))
		return bad(call, "requested_times");
	*start = json_integer_value(first);
	*end = json_integer_value(last);
	return *start <= *end || bad(call, "requested_times");
}

struct parameter_times parameter_times_within(const struct parameter_times *times, histree_time start,
					      histree_time end)
{
	struct parameter_times within = *times;
	while (within.count > 0 && within.times[within.count - 1] > end)
		within.count--;
	while (within.count > 0 && within.times[0] < start) {
		within.times++;
		within.count--;
	}
	if (within.count > 0) {
		within.start = within.times[0];
		within.end = within.times[within.count - 1];
	}
	return within;
}

bool parameters_items(const struct call *call, int64_t **out, size_t *count)
{
	const json_t *list = json_object_get(call->parameters, "requested_items");
	size_t size = json_array_size(list);
	*out = NULL;
	*count = 0;
	if (size > PARAMETER_ITEMS_MAX)
		return reply_error(call->reply, HTTP_BAD_REQUEST, "more than %d requested_items",
				   PARAMETER_ITEMS_MAX);
	*out = reply_memory(call->reply, size + 1, sizeof(**out));
	for (size_t i = 0; *out != NULL && i < size; i++) {
		const json_t *item = json_array_get(list, i);
		if (json_is_integer(item))
			(*out)[(*count)++] = json_integer_value(item);
	}
	return *out != NULL;
}

bool parameters_int(const struct call *call, const char *name, int64_t *out)
{
	const json_t *value = json_object_get(call->parameters, name);
	if (!json_is_integer(value))
		return false;
	*out = json_integer_value(value);
	return true;
}

const char *parameters_text(const struct call *call, const char *name)
{
	return json_string_value(json_object_get(call->parameters, name));
}
