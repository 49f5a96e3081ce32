// SPDX-License-Identifier: MIT
#include "item/segment_copy.h"

#include <string.h>

bool segment_copy_content(struct arena *arena, size_t field_count, struct histree_segment *segment)
{
	if (field_count == 0) {
		segment->content = NULL;
		return true;
	}
	struct histree_value *values =
		arena_allocate(arena, field_count * sizeof(*values), _Alignof(struct histree_value));
	if (values == NULL)
		return false;
	memcpy(values, segment->content, field_count * sizeof(*values));
	for (size_t i = 0; i < field_count; i++)
		if (values[i].type == HISTREE_STRING) {
			values[i].bytes = arena_copy(arena, values[i].bytes, values[i].size);
			if (values[i].bytes == NULL)
				return false;
		}
	segment->content = values;
	return true;
}
