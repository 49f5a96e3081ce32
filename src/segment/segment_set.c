// SPDX-License-Identifier: MIT
#include "segment/segment_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"

struct segment_set {
	size_t field_count;
	struct intern segments;
	uint8_t *bytes; /* of the segment at hand */
	size_t size, capacity;
};

enum histree_status segment_set_create(size_t field_count, struct segment_set **out, struct histree_error *error)
{
	*out = calloc(1, sizeof(**out));
	if (*out == NULL)
		return error_memory(error, "a set of segments");
	(*out)->field_count = field_count;
	return HISTREE_OK;
}

static bool put(struct segment_set *set, const void *bytes, size_t size)
{
	if (!array_reserve(&set->bytes, &set->capacity, set->size + size))
		return false;
	if (size > 0)
		memcpy(set->bytes + set->size, bytes, size);
	set->size += size;
	return true;
}

/* The type says how long a number is, the size how long a text: equal bytes are equal values. */
static bool put_value(struct segment_set *set, const struct histree_value *value)
{
	const uint8_t type = (uint8_t)value->type;
	if (!put(set, &type, sizeof(type)))
		return false;
	switch (value->type) {
	case HISTREE_INT:
		return put(set, &value->int32, sizeof(value->int32));
	case HISTREE_LONG:
		return put(set, &value->int64, sizeof(value->int64));
	case HISTREE_DOUBLE:
		return put(set, &value->real, sizeof(value->real));
	case HISTREE_BOOL:
		return put(set, &value->boolean, sizeof(value->boolean));
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return put(set, &value->size, sizeof(value->size)) && put(set, value->bytes, value->size);
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return true;
}

static bool put_segment(struct segment_set *set, const struct histree_segment *segment)
{
	const struct histree_value null = histree_null();
	set->size = 0;
	bool fits =
		put(set, &segment->start, sizeof(segment->start)) && put(set, &segment->end, sizeof(segment->end));
	for (size_t i = 0; fits && i < set->field_count; i++)
		fits = put_value(set, segment->content != NULL ? &segment->content[i] : &null);
	return fits;
}

enum histree_status segment_set_add(struct segment_set *set, const struct histree_segment *segment, bool *is_new,
				    struct histree_error *error)
{
	if (!put_segment(set, segment))
		return error_memory(error, "a segment");
	uint32_t count = set->segments.count;
	if (intern_add(&set->segments, set->bytes, set->size) == INTERN_NONE)
		return error_memory(error, "a segment");
	*is_new = set->segments.count > count;
	return HISTREE_OK;
}

void segment_set_free(struct segment_set *set)
{
	if (set == NULL)
		return;
	intern_release(&set->segments);
	free(set->bytes);
	free(set);
}
