// SPDX-License-Identifier: MIT
#include "segment_tree/segment_gather.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/radix_sort.h"
#include "item/segment_copy.h"
#include "segment_tree/segment_location.h"
#include "segment_tree/segment_visit.h"

struct segment_gather {
	struct segment_source source;
	struct segment_visit visit;
	struct keyed_index *entries; /* the locations, sorted; the upper half is spare */
	size_t entries_capacity;
	struct histree_segment *segments; /* by index of the location */
	size_t segments_capacity;
	struct arena contents;

	/* The block that was read last, of the node being visited. */
	bool has_block;
	uint64_t block_location;
	struct segment_block block;
	struct segment_times times[SEGMENT_BLOCK_MAX];
};

enum histree_status segment_gather_create(const struct segment_source *source, struct segment_gather **out,
					  struct histree_error *error)
{
	*out = calloc(1, sizeof(**out));
	if (*out == NULL)
		return error_memory(error, "an iterator");
	(*out)->source = *source;
	(*out)->visit.reader = source->reader;
	return HISTREE_OK;
}

void segment_gather_free(struct segment_gather *gather)
{
	if (gather == NULL)
		return;
	segment_visit_release(&gather->visit);
	arena_release(&gather->contents);
	free(gather->entries);
	free(gather->segments);
	free(gather);
}

void segment_gather_stats(const struct segment_gather *gather, struct histree_segment_iter_stats *stats)
{
	stats->nodes_visited += gather->visit.visited;
	stats->nodes_loaded += gather->visit.loaded;
}

const struct histree_segment *segment_gather_get(const struct segment_gather *gather, size_t index)
{
	return &gather->segments[index];
}

/* Be at the block of a location; the locations ascend. */
static enum histree_status go_to_block(struct segment_gather *gather, uint64_t location,
				       struct histree_error *error)
{
	uint64_t block_location = location >> LOCATION_SEGMENT_BITS;
	if (gather->has_block && gather->block_location == block_location)
		return HISTREE_OK;
	gather->has_block = false;
	enum histree_status status = segment_visit_node(&gather->visit, segment_location_node(location), error);
	if (status != HISTREE_OK)
		return status;
	if (gather->visit.view.height > 0)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is no leaf", gather->source.path,
				 gather->visit.view.number);
	status = segment_visit_times(&gather->visit, segment_location_block(location), &gather->block,
				     gather->times, error);
	gather->has_block = status == HISTREE_OK;
	gather->block_location = block_location;
	return status;
}

static enum histree_status fetch_one(struct segment_gather *gather, uint64_t location, struct histree_segment *out,
				     struct histree_error *error)
{
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
	enum histree_status status = go_to_block(gather, location, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t index = segment_location_segment(location);
	if (index >= gather->block.count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: block %u has no segment %u",
				 gather->source.path, gather->visit.view.number, segment_location_block(location),
				 index);
	const struct segment_times *times = &gather->times[index];
	struct histree_segment segment = {
		.start = times->start,
		.end = (histree_time)((uint64_t)times->start + times->duration),
		.content = content,
	};
	status = segment_visit_content(&gather->visit, &gather->block, index, &gather->source,
				       gather->source.field_count, content, error);
	if (status == HISTREE_OK && !segment_copy_content(&gather->contents, gather->source.field_count, &segment))
		return error_memory(error, "an iterator");
	*out = segment;
	return status;
}

/* HISTREE_ERR_TOO_LARGE: their content takes more than that. */
static enum histree_status fetch(struct segment_gather *gather, const uint64_t *locations, size_t count,
				 size_t bytes_max, struct histree_error *error)
{
	if (!array_reserve(&gather->entries, &gather->entries_capacity, 2 * count) ||
	    !array_reserve(&gather->segments, &gather->segments_capacity, count))
		return error_memory(error, "an iterator");
	for (size_t i = 0; i < count; i++)
		gather->entries[i] = (struct keyed_index){ .key = locations[i], .index = (uint32_t)i };
	radix_sort(gather->entries, gather->entries + count, count);
	arena_release(&gather->contents);
	gather->has_block = false;
	for (size_t i = 0; i < count; i++) {
		const struct keyed_index *entry = &gather->entries[i];
		enum histree_status status = fetch_one(gather, entry->key, &gather->segments[entry->index], error);
		if (status != HISTREE_OK)
			return status;
		if (count > 1 && gather->contents.bytes_total > bytes_max)
			return HISTREE_ERR_TOO_LARGE;
	}
	return HISTREE_OK;
}

enum histree_status segment_gather_fetch(struct segment_gather *gather, const uint64_t *locations, size_t *count,
					 size_t bytes_max, struct histree_error *error)
{
	enum histree_status status;
	while ((status = fetch(gather, locations, *count, bytes_max, error)) == HISTREE_ERR_TOO_LARGE)
		*count /= 2;
	segment_visit_leave(&gather->visit);
	return status;
}
