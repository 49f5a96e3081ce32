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
static struct active_segment *copy(const struct active_segments *active, const struct histree_segment *segment)
{
	size_t content_size = active->field_count * sizeof(struct histree_value) + size_of_texts(active, segment);
	struct active_segment *made = malloc(sizeof(*made) + content_size);
	if (made == NULL)
		return NULL;
	struct histree_value *values = (struct histree_value *)(made + 1);
	char *texts = (char *)(values + active->field_count);
	*made = (struct active_segment){ .segment = { segment->start, segment->end, values },
					 .size = sizeof(*segment) + content_size };
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

static void enter_list(struct active_segment *entering, struct active_segment **list)
{
	entering->next = *list;
	entering->place = list;
	if (entering->next != NULL)
		entering->next->place = &entering->next;
	*list = entering;
}

void active_segment_leave_list(struct active_segment *active)
{
	if (active->place == NULL)
		return;
	*active->place = active->next;
	if (active->next != NULL)
		active->next->place = active->place;
	active->place = NULL;
}

const struct histree_segment *active_segments_add(struct active_segments *active,
						  const struct histree_segment *segment,
						  struct active_segment **list)
{
	if (!array_reserve(&active->segments, &active->capacity, active->count + 1))
		return NULL;
	struct active_segment *made = copy(active, segment);
	if (made == NULL)
		return NULL;
	if (list != NULL)
		enter_list(made, list);
	if (active->added == 0 || segment->end > active->latest_end)
		active->latest_end = segment->end;
	made->number = active->added++;
	active->segments[active->count++] = made;
	active->bytes += made->size;
	return &made->segment;
}

void active_segments_pass(struct active_segments *active, histree_time t)
{
	size_t kept = 0;
	for (size_t i = 0; i < active->count; i++) {
		struct active_segment *passed = active->segments[i];
		if (passed->segment.end >= t) {
			active->segments[kept++] = passed;
			continue;
		}
		active_segment_leave_list(passed);
		active->bytes -= passed->size;
		free(passed);
	}
	active->count = kept;
}

void active_segments_clear(struct active_segments *active)
{
	for (size_t i = 0; i < active->count; i++)
		free(active->segments[i]);
	active->count = active->bytes = 0;
	active->added = 0;
}

void active_segments_release(struct active_segments *active)
{
	active_segments_clear(active);
	free(active->segments);
}
