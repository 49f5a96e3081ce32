// SPDX-License-Identifier: MIT
#include "analysis/open_segments.h"

#include <search.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	uint64_t a = ((const struct open_segment *)left)->key, b = ((const struct open_segment *)right)->key;
	return (a > b) - (a < b);
}

struct open_segment *open_segments_find(const struct open_segments *open, uint64_t key)
{
	struct open_segment wanted = { .key = key };
	struct open_segment *const *found = tfind(&wanted, &open->tree, compare);
	return found == NULL ? NULL : *found;
}

static struct open_segment *take_free(struct open_segments *open)
{
	struct open_segment *segment = open->free;
	if (segment != NULL) {
		open->free = segment->free;
		return segment;
	}
	segment = arena_allocate(&open->memory, sizeof(*segment), _Alignof(struct open_segment));
	if (segment == NULL)
		return NULL;
	*segment = (struct open_segment){ .all = open->all };
	open->all = segment;
	return segment;
}

static void give_back(struct open_segments *open, struct open_segment *segment)
{
	segment->free = open->free;
	open->free = segment;
}

struct open_segment *open_segments_add(struct open_segments *open, uint64_t key, histree_time start)
{
	struct open_segment *segment = take_free(open);
	if (segment == NULL)
		return NULL;
	segment->key = key;
	segment->start = start;
	for (size_t i = 0; i < OPEN_SEGMENT_VALUES; i++)
		segment->values[i] = histree_null();
	if (tsearch(segment, &open->tree, compare) == NULL) {
		give_back(open, segment);
		return NULL;
	}
	open->count++;
	return segment;
}

void open_segments_remove(struct open_segments *open, struct open_segment *segment)
{
	tdelete(segment, &open->tree, compare);
	give_back(open, segment);
	open->count--;
}

bool open_segments_rename(struct open_segments *open, struct open_segment *segment, uint64_t key)
{
	tdelete(segment, &open->tree, compare);
	segment->key = key;
	if (tsearch(segment, &open->tree, compare) != NULL)
		return true;
	give_back(open, segment);
	open->count--;
	return false;
}

static void leave_alone(void *segment)
{
	(void)segment;
}

void open_segments_release(struct open_segments *open)
{
	tdestroy(open->tree, leave_alone);
	for (struct open_segment *segment = open->all; segment != NULL; segment = segment->all)
		free(segment->text);
	arena_release(&open->memory);
	*open = (struct open_segments){ 0 };
}
