// SPDX-License-Identifier: MIT
#include "pipeline/memory_plan.h"

enum { MEMORY_DEFAULT = 160 << 20, PART_MIN = 1 << 20 };

static size_t lesser(size_t one, size_t other)
{
	return one < other ? one : other;
}

static size_t at_least_min(size_t bytes)
{
	return bytes > PART_MIN ? bytes : PART_MIN;
}

struct memory_plan memory_plan(size_t memory_max, size_t histories, size_t segment_stores)
{
	size_t all = memory_max != 0 ? memory_max : MEMORY_DEFAULT;
	size_t buffers = all / 5 * 3, segments = 0, history = 0;
	if (segment_stores > 0)
		segments = lesser(all / 20, buffers / 2 / segment_stores);
	if (histories > 0)
		history = lesser(buffers / 2, (buffers - segment_stores * segments) / histories);
	return (struct memory_plan){
		.tables = at_least_min(all / 5 * 2),
		.history = at_least_min(history),
		.segments = at_least_min(segments),
	};
}
