// SPDX-License-Identifier: MIT
#include "query/active_segments.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static size_t size_of_texts(const struct active_segments *active, const struct histree_segment *segment)
{
	size_t size = 0;
	for (size_t i = 0; segment->content != NULL && i < active->field_count; i++)
		size += segment->content[i].size;
	return size;
}

/* The segment, its values, the bytes of these. */
static struct histree_segment *copy(const struct active_segments *active, const struct histree_segment *segment,
				    size_t size)
{
	struct histree_segment *made = malloc(size);
	if (made == NULL)
		return NULL;
	struct histree_value *values = (struct histree_value *)(made + 1);
	char *texts = (char *)(values + active->field_count);
	*made = (struct histree_segment){ .start = segment->start, .end = segment->end, .content = values };
	for (size_t i = 0; i < active->field_count; i++) {
		values[i] = segment->content != NULL ? segment->content[i] : histree_null();
		if (values[i].size == 0)
			continue;
		memcpy(texts, values[i].bytes, values[i].size);
		values[i].bytes = texts;
		texts += values[i].size;
	}
	return made;
}

const struct histree_segment *active_segments_add(struct active_segments *active,
						  const struct histree_segment *segment)
{
	size_t size = sizeof(*segment) + active->field_count * sizeof(struct histree_value) +
		      size_of_texts(active, segment);
	if (!array_reserve(&active->segments, &active->capacity, active->count + 1) ||
	    !array_reserve(&active->sizes, &active->sizes_capacity, active->count + 1))
		return NULL;
	struct histree_segment *made = copy(active, segment, size);
	if (made == NULL)
		return NULL;
	active->segments[active->count] = made;
	active->sizes[active->count++] = size;
	active->bytes += size;
	return made;
}

void active_segments_pass(struct active_segments *active, histree_time t)
{
	size_t kept = 0;
	for (size_t i = 0; i < active->count; i++) {
		if (active->segments[i]->end < t) {
			active->bytes -= active->sizes[i];
			free(active->segments[i]);
			continue;
		}
		active->segments[kept] = active->segments[i];
		active->sizes[kept++] = active->sizes[i];
	}
	active->count = kept;
}

void active_segments_clear(struct active_segments *active)
{
	for (size_t i = 0; i < active->count; i++)
		free(active->segments[i]);
	active->count = active->bytes = 0;
}

void active_segments_release(struct active_segments *active)
{
	active_segments_clear(active);
	free(active->segments);
	free(active->sizes);
}
