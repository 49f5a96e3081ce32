// SPDX-License-Identifier: MIT
/*
 * segment_writer.c - build a tree of segments in batches (docs/design/06-segments.md).
 *
 * Segments are cut into parts of about equal size by one of their keys.
 *
 * A sample of the keys decides where to cut.  Segments with equal keys are never separated; a key that many
 * segments share gets a part of its own.
 */
#include "segment_tree/segment_writer.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/segments.h"
#include "item/segment_batch.h"
#include "node/segment_node.h"
#include "store/block_file.h"
#include "tree/tree_branch.h"
#include "tree/tree_writer.h"

enum segment_split_key { SPLIT_BY_START, SPLIT_BY_DURATION };

enum { SEGMENT_PARTS_MAX = 2048, SEGMENT_SLOTS_MAX = 8 * SEGMENT_PARTS_MAX };

/* The parts of the last cut. */
struct segment_split {
	size_t part_count;
	size_t sizes[SEGMENT_PARTS_MAX]; /* of each part; may be 0 */
};

/* What a cut needs, and nobody after it.  Of a new one, what comes before the splitters is zeroed. */
struct split_scratch {
	uint16_t *parts_of; /* by position: the part of that segment */
	size_t parts_of_capacity;
	struct keyed_index *sample;
	size_t sample_capacity;
	unsigned slot_shift;
	/* ascending: a key belongs to as many parts after the first as are not above it */
	uint64_t splitters[SEGMENT_PARTS_MAX];
	/* The range of the splitters in slots of equal width, and how many splitters lie before each slot. */
	uint16_t before_slot[SEGMENT_SLOTS_MAX + 1];
};

/* Returns an unsigned number whose order is that of the key. */
static inline uint64_t segment_split_number(enum segment_split_key key, const struct segment_times *times)
{
	return key == SPLIT_BY_START ? (uint64_t)times->start ^ UINT64_C(1) << 63 : times->duration;
}

/* ---- segment split ------------------------------------------------------------------------------------------- */

enum { SAMPLES_PER_PART = 32, SLOTS_PER_SPLITTER = SEGMENT_SLOTS_MAX / SEGMENT_PARTS_MAX, AHEAD = 24 };

/* Fill in the splitters, all different; returns how many. */
static size_t choose_splitters(struct split_scratch *scratch, const struct segment_times *times,
			       enum segment_split_key key, const uint32_t *from, size_t count, size_t parts)
{
	size_t sampled = parts * SAMPLES_PER_PART < count ? parts * SAMPLES_PER_PART : count;
	struct keyed_index *sample = scratch->sample;
	for (size_t i = 0; i < sampled; i++)
		sample[i].key = segment_split_number(key, &times[from[i * count / sampled]]);
	radix_sort(sample, sample + sampled, sampled);
	size_t splitters = 0;
	for (size_t part = 1; part < parts; part++) {
		uint64_t splitter = sample[part * sampled / parts].key;
		/* A key that was sampled more than a part's worth of times: the part ends right after it. */
		if (splitters > 0 && splitter == scratch->splitters[splitters - 1] && splitter < UINT64_MAX)
			splitter++;
		if (splitters == 0 || splitter > scratch->splitters[splitters - 1])
			scratch->splitters[splitters++] = splitter;
	}
	return splitters;
}

/* Counts without a branch: keys are as good as random, and one misprediction costs more than all steps. */
static inline size_t count_not_above(const uint64_t *splitters, size_t count, uint64_t number)
{
	const uint64_t *base = splitters;
	while (count > 1) {
		size_t half = count / 2;
		base += half * (base[half - 1] <= number);
		count -= half;
	}
	return (size_t)(base - splitters) + (count == 1 && *base <= number);
}

static inline size_t part_of(const struct split_scratch *scratch, size_t splitters, uint64_t number)
{
	uint64_t first = scratch->splitters[0];
	if (number < first)
		return 0;
	if (number >= scratch->splitters[splitters - 1])
		return splitters;
	size_t slot = (size_t)((number - first) >> scratch->slot_shift), before = scratch->before_slot[slot];
	return before +
	       count_not_above(scratch->splitters + before, scratch->before_slot[slot + 1] - before, number);
}

/*
 * Write the `count` entries of `from` to `to`, part by part, within a part in the order in which they were; about
 * `parts` parts, SEGMENT_PARTS_MAX at most.  False when memory runs out.
 */
static bool segment_split(struct segment_split *split, struct split_scratch *scratch,
			  const struct segment_times *times, enum segment_split_key key, const uint32_t *from,
			  uint32_t *to, size_t count, size_t parts)
{
	parts = parts < SEGMENT_PARTS_MAX ? parts : SEGMENT_PARTS_MAX;
	split->part_count = 1;
	split->sizes[0] = count;
	if (parts <= 1 || count <= 1) {
		memcpy(to, from, count * sizeof(*to));
		return true;
	}
	if (!array_reserve(&scratch->parts_of, &scratch->parts_of_capacity, count) ||
	    !array_reserve(&scratch->sample, &scratch->sample_capacity, 2 * parts * SAMPLES_PER_PART))
		return false;
	size_t splitters = choose_splitters(scratch, times, key, from, count, parts);
	split->part_count = splitters + 1;
	/*
	 * Some slots for each splitter: where keys are spread evenly, and they are so in a batch of starts, a slot
	 * has one splitter or none, and the search below has nothing left to do.
	 */
	uint64_t first = scratch->splitters[0], range = scratch->splitters[splitters - 1] - first;
	scratch->slot_shift = 0;
	while (range >> scratch->slot_shift >= splitters * SLOTS_PER_SPLITTER)
		scratch->slot_shift++;
	size_t slots = (size_t)(range >> scratch->slot_shift) + 1, before = 0;
	for (size_t slot = 0; slot < slots; slot++) {
		while (before < splitters && (scratch->splitters[before] - first) >> scratch->slot_shift < slot)
			before++;
		scratch->before_slot[slot] = (uint16_t)before;
	}
	scratch->before_slot[slots] = (uint16_t)splitters;
	memset(split->sizes, 0, split->part_count * sizeof(*split->sizes));
	for (size_t i = 0; i < count; i++) {
		/* In a slab, neighbours in order are far from each other in the batch. */
		__builtin_prefetch(&times[from[i + AHEAD < count ? i + AHEAD : i]]);
		uint64_t number = segment_split_number(key, &times[from[i]]);
		size_t part = part_of(scratch, splitters, number);
		scratch->parts_of[i] = (uint16_t)part;
		split->sizes[part]++;
	}
	uint32_t positions[SEGMENT_PARTS_MAX];
	uint32_t sum = 0;
	for (size_t part = 0; part < split->part_count; part++) {
		positions[part] = sum;
		sum += (uint32_t)split->sizes[part];
	}
	assert(split->part_count <= SEGMENT_PARTS_MAX && sum == count);
	for (size_t i = 0; i < count; i++)
		to[positions[scratch->parts_of[i]]++] = from[i];
	return true;
}

/* ---- segment writer ------------------------------------------------------------------------------------------ */

enum {
	BATCH_ITEM_BYTES = 16 + 4 + 4 + 2, /* times, two orders, part */
	BATCH_FIELD_BYTES = 8 + 1,
	CONTENT_OVERHEAD_MAX = 2048, /* bytes of a leaf with one segment, except its strings */
};

/* Before the first leaf is known. */
static const double item_bytes_first = 6.0;

/* The share of a node that a leaf aims at: parts differ in size, and one fuller leaf is better than two. */
static const double leaf_fill = 0.75;

struct segment_writer {
	struct tree_writer *tree;
	uint32_t node_size;
	enum segment_grouping grouping;
	struct segment_batch batch;
	size_t strings_max;          /* bytes of a batch's */
	uint32_t *order, *spare;     /* indices in the batch; the spare one for the next cut */
	struct keyed_index *entries; /* a leaf's segments, being sorted by start; the upper half is spare */
	size_t entries_capacity;
	struct segment_builder builder;
	double item_bytes; /* on disk, as the last leaf had them */
	struct split_scratch scratch;
	struct segment_split slabs, leaves, blocks;
};

enum histree_status segment_writer_create(struct block_file *file, const struct histree_segment_field *fields,
					  size_t field_count, size_t memory_max, struct segment_writer **out,
					  struct histree_error *error)
{
	*out = NULL;
	struct segment_writer *writer = malloc(sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "a tree of segments");
	/* The rest is 100 KB, most of which few segments never need. */
	memset(writer, 0, offsetof(struct segment_writer, scratch.splitters));
	size_t memory = memory_max > 0 ? memory_max : variant_segments.memory_default;
	writer->node_size = file->block_size;
	writer->item_bytes = item_bytes_first;
	bool has_strings = false;
	for (size_t i = 0; i < field_count; i++)
		has_strings = has_strings || fields[i].type == HISTREE_STRING;
	writer->strings_max = memory / 8;
	size_t for_items = has_strings ? memory - writer->strings_max : memory;
	size_t capacity = for_items / (BATCH_ITEM_BYTES + field_count * BATCH_FIELD_BYTES) + 1;
	capacity = capacity < UINT32_MAX ? capacity : UINT32_MAX;

	const struct tree_options options = {
		.variant = &variant_segments,
		.node_size = writer->node_size,
		.fan_out = variant_segments.fan_out_default,
		.start = INT64_MIN,
	};
	enum histree_status status = tree_writer_create(file, &options, &writer->tree, error);
	writer->order = malloc(capacity * sizeof(*writer->order));
	writer->spare = malloc(capacity * sizeof(*writer->spare));
	if (status == HISTREE_OK &&
	    (segment_batch_init(&writer->batch, fields, field_count, capacity) != HISTREE_OK ||
	     writer->order == NULL || writer->spare == NULL))
		status = error_memory(error, "the buffer of the tree");
	if (status != HISTREE_OK) {
		segment_writer_free(writer);
		return status;
	}
	*out = writer;
	return HISTREE_OK;
}

void segment_writer_group(struct segment_writer *writer, enum segment_grouping grouping)
{
	writer->grouping = grouping;
}

void segment_writer_free(struct segment_writer *writer)
{
	if (writer == NULL)
		return;
	tree_writer_free(writer->tree);
	segment_batch_release(&writer->batch);
	free(writer->scratch.parts_of);
	free(writer->scratch.sample);
	segment_builder_release(&writer->builder);
	free(writer->order);
	free(writer->spare);
	free(writer->entries);
	free(writer);
}

/* ---- packing ------------------------------------------------------------------------------------ */

static size_t divide_up(size_t number, size_t by)
{
	return (number + by - 1) / by;
}

/* Into how many slabs of duration this many parts are cut, before each slab is cut by start. */
static size_t slabs_of(const struct segment_writer *writer, size_t parts)
{
	switch (writer->grouping) {
	case SEGMENTS_GROUPED_BY_START:
		return 1;
	case SEGMENTS_GROUPED_BY_DURATION:
		return parts;
	case SEGMENTS_GROUPED_BY_BOTH:
		break;
	}
	/* The smallest number whose square is not below. */
	size_t root = 1;
	while (root * root < parts)
		root++;
	return root;
}

/*
 * Encode and write a leaf of the first of *taken segments, which are sorted by start; *taken becomes how many they
 * are.
 */
static enum histree_status write_leaf(struct segment_writer *writer, const uint32_t *order, uint32_t *spare,
				      size_t *taken, struct histree_error *error)
{
	size_t count = *taken;
	assert(count > 0);
	for (;;) {
		size_t slabs = slabs_of(writer, divide_up(count, SEGMENT_BLOCK_MAX));
		size_t size = 0;
		if (segment_split(&writer->blocks, &writer->scratch, writer->batch.times, SPLIT_BY_DURATION, order,
				  spare, count, slabs))
			size = segment_builder_encode(&writer->builder, &writer->batch, spare, writer->blocks.sizes,
						      writer->blocks.part_count);
		if (size == 0)
			return error_memory(error, "a leaf");
		writer->item_bytes = (double)size / (double)count;
		if (size <= writer->node_size)
			break;
		size_t fewer = (size_t)((double)count * writer->node_size / (double)size * leaf_fill);
		count = fewer > 0 ? fewer : 1;
	}
	struct node_child leaf;
	enum histree_status status =
		tree_output_segments(tree_writer_output(writer->tree), &writer->builder, &leaf, error);
	*taken = count;
	return status == HISTREE_OK ? tree_writer_attach(writer->tree, &leaf, count, error) : status;
}

static bool sort_by_start(struct segment_writer *writer, uint32_t *order, size_t count)
{
	const struct segment_times *times = writer->batch.times;
	bool sorted = true;
	for (size_t i = 1; i < count && sorted; i++)
		sorted = times[order[i - 1]].start <= times[order[i]].start;
	if (sorted)
		return true;
	if (!array_reserve(&writer->entries, &writer->entries_capacity, 2 * count))
		return false;
	for (size_t i = 0; i < count; i++)
		writer->entries[i] =
			(struct keyed_index){ .key = segment_split_number(SPLIT_BY_START, &times[order[i]]),
					      .index = order[i] };
	radix_sort(writer->entries, writer->entries + count, count);
	for (size_t i = 0; i < count; i++)
		order[i] = writer->entries[i].index;
	return true;
}

static size_t leaf_items(const struct segment_writer *writer)
{
	return (size_t)(writer->node_size * leaf_fill / writer->item_bytes) + 1;
}

/* The leaves of a tile, which is meant to be one. */
static enum histree_status write_tile(struct segment_writer *writer, uint32_t *order, uint32_t *spare, size_t count,
				      struct histree_error *error)
{
	if (!sort_by_start(writer, order, count))
		return error_memory(error, "sorting a leaf");
	while (count > 0) {
		/* Parts of a sample differ: up to a third more still fits. */
		size_t aim = leaf_items(writer), leaves = count <= aim + aim / 3 ? 1 : divide_up(count, aim);
		size_t taken = divide_up(count, leaves);
		enum histree_status status = write_leaf(writer, order, spare, &taken, error);
		if (status != HISTREE_OK)
			return status;
		order += taken;
		count -= taken;
	}
	return HISTREE_OK;
}

/* A slab, cut by start into tiles. */
static enum histree_status write_slab(struct segment_writer *writer, uint32_t *order, uint32_t *spare, size_t count,
				      struct histree_error *error)
{
	size_t tiles = divide_up(count, leaf_items(writer));
	if (!segment_split(&writer->leaves, &writer->scratch, writer->batch.times, SPLIT_BY_START, order, spare,
			   count, tiles))
		return error_memory(error, "sorting a batch");
	enum histree_status status = HISTREE_OK;
	for (size_t tile = 0; status == HISTREE_OK && tile < writer->leaves.part_count; tile++) {
		size_t size = writer->leaves.sizes[tile];
		status = write_tile(writer, spare, order, size, error);
		spare += size;
		order += size;
	}
	return status;
}

static enum histree_status write_batch(struct segment_writer *writer, struct histree_error *error)
{
	size_t count = writer->batch.count;
	assert(count > 0 && count <= writer->batch.capacity);
	for (size_t i = 0; i < count; i++)
		writer->spare[i] = (uint32_t)i;
	size_t slabs = slabs_of(writer, divide_up(count, leaf_items(writer)));
	if (!segment_split(&writer->slabs, &writer->scratch, writer->batch.times, SPLIT_BY_DURATION, writer->spare,
			   writer->order, count, slabs))
		return error_memory(error, "sorting a batch");
	enum histree_status status = HISTREE_OK;
	size_t first = 0;
	for (size_t slab = 0; status == HISTREE_OK && slab < writer->slabs.part_count; slab++) {
		size_t size = writer->slabs.sizes[slab];
		status = write_slab(writer, writer->order + first, writer->spare + first, size, error);
		first += size;
	}
	assert(status != HISTREE_OK || first == count);
	segment_batch_clear(&writer->batch);
	return status;
}

/* ---- adding ------------------------------------------------------------------------------------- */

enum histree_status segment_writer_add(struct segment_writer *writer, const struct histree_segment *segment,
				       struct histree_error *error)
{
	size_t size = 0, max = writer->node_size - CONTENT_OVERHEAD_MAX;
	for (size_t i = 0; segment->content != NULL && i < writer->batch.field_count; i++)
		if (segment->content[i].type == HISTREE_STRING)
			size += segment->content[i].size;
	if (size > max)
		return error_set(
			error, HISTREE_ERR_TOO_LARGE,
			"a segment with strings of %zu bytes: nodes of this size take %zu at most; use a greater "
			"node size",
			size, max);
	enum histree_status status = HISTREE_OK;
	if (writer->batch.count == writer->batch.capacity ||
	    writer->batch.strings.bytes.bytes_total > writer->strings_max)
		status = write_batch(writer, error);
	if (status == HISTREE_OK && segment_batch_add(&writer->batch, segment) != HISTREE_OK)
		status = error_memory(error, "a segment");
	return status;
}

enum histree_status segment_writer_finish(struct segment_writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (writer->batch.count > 0)
		status = write_batch(writer, error);
	if (status == HISTREE_OK)
		status = tree_writer_finish(writer->tree, INT64_MAX, 0, error);
	return status;
}
