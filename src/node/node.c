// SPDX-License-Identifier: MIT
#include "node/node.h"

struct node_child node_child_of_no_segments(void)
{
	return (struct node_child){
		.start = INT64_MAX,
		.end = INT64_MIN,
		.key_min = UINT32_MAX,
		.start_max = INT64_MIN,
		.end_min = INT64_MAX,
		.duration_min = UINT64_MAX,
	};
}

void node_child_include(struct node_child *bounds, const struct node_child *other)
{
	bounds->start = other->start < bounds->start ? other->start : bounds->start;
	bounds->end = other->end > bounds->end ? other->end : bounds->end;
	bounds->start_max = other->start_max > bounds->start_max ? other->start_max : bounds->start_max;
	bounds->end_min = other->end_min < bounds->end_min ? other->end_min : bounds->end_min;
	if (other->duration_min < bounds->duration_min)
		bounds->duration_min = other->duration_min;
	if (other->duration_max > bounds->duration_max)
		bounds->duration_max = other->duration_max;
}
