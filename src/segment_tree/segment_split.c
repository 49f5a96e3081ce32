// SPDX-License-Identifier: MIT
#include "segment_tree/segment_split.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { SAMPLES_PER_PART = 32, SLOTS_PER_SPLITTER = SEGMENT_SLOTS_MAX / SEGMENT_PARTS_MAX, AHEAD = 24 };

/* Fill in the splitters, all different; returns how many. */
static size_t choose_splitters(struct segment_split *split, const struct segment_times *times,
			       enum segment_split_key key, const uint32_t *from, size_t count, size_t parts)
{
	size_t sampled = parts * SAMPLES_PER_PART < count ? parts * SAMPLES_PER_PART : count;
	struct keyed_index *sample = split->sample;
	for (size_t i = 0; i < sampled; i++)
		sample[i].key = segment_split_number(key, &times[from[i * count / sampled]]);
	radix_sort(sample, sample + sampled, sampled);
	size_t splitters = 0;
	for (size_t part = 1; part < parts; part++) {
		uint64_t splitter = sample[part * sampled / parts].key;
		/* A key that was sampled more than a part's worth of times: the part ends right after it. */
		if (splitters > 0 && splitter == split->splitters[splitters - 1] && splitter < UINT64_MAX)
			splitter++;
		if (splitters == 0 || splitter > split->splitters[splitters - 1])
			split->splitters[splitters++] = splitter;
	}
	return splitters;
}

/*
 * Some slots for each splitter: where keys are spread evenly, and they are so in a batch of starts, a slot has one
 * splitter or none, and the search below has nothing left to do.
 */
static void fill_slots(struct segment_split *split, size_t splitters)
{
	uint64_t first = split->splitters[0], range = split->splitters[splitters - 1] - first;
	split->slot_shift = 0;
	while (range >> split->slot_shift >= splitters * SLOTS_PER_SPLITTER)
		split->slot_shift++;
	size_t slots = (size_t)(range >> split->slot_shift) + 1, before = 0;
	for (size_t slot = 0; slot < slots; slot++) {
		while (before < splitters && (split->splitters[before] - first) >> split->slot_shift < slot)
			before++;
		split->before_slot[slot] = (uint16_t)before;
	}
	split->before_slot[slots] = (uint16_t)splitters;
}

/* Without a branch: keys are as good as random, and a step that is guessed wrong costs more than all others. */
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

static inline size_t part_of(const struct segment_split *split, size_t splitters, uint64_t number)
{
	uint64_t first = split->splitters[0];
	if (number < first)
		return 0;
	if (number >= split->splitters[splitters - 1])
		return splitters;
	size_t slot = (size_t)((number - first) >> split->slot_shift), before = split->before_slot[slot];
	return before + count_not_above(split->splitters + before, split->before_slot[slot + 1] - before, number);
}

bool segment_split(struct segment_split *split, const struct segment_times *times, enum segment_split_key key,
		   const uint32_t *from, uint32_t *to, size_t count, size_t parts)
{
	parts = parts < SEGMENT_PARTS_MAX ? parts : SEGMENT_PARTS_MAX;
	split->part_count = 1;
	split->sizes[0] = count;
	if (parts <= 1 || count <= 1) {
		memcpy(to, from, count * sizeof(*to));
		return true;
	}
	if (!array_reserve(&split->parts_of, &split->parts_of_capacity, count) ||
	    !array_reserve(&split->sample, &split->sample_capacity, 2 * parts * SAMPLES_PER_PART))
		return false;
	size_t splitters = choose_splitters(split, times, key, from, count, parts);
	split->part_count = splitters + 1;
	fill_slots(split, splitters);
	memset(split->sizes, 0, split->part_count * sizeof(*split->sizes));
	for (size_t i = 0; i < count; i++) {
		/* In a slab, neighbours in order are far from each other in the batch. */
		__builtin_prefetch(&times[from[i + AHEAD < count ? i + AHEAD : i]]);
		uint64_t number = segment_split_number(key, &times[from[i]]);
		size_t part = part_of(split, splitters, number);
		split->parts_of[i] = (uint16_t)part;
		split->sizes[part]++;
	}
	uint32_t positions[SEGMENT_PARTS_MAX];
	uint32_t sum = 0;
	for (size_t part = 0; part < split->part_count; part++) {
		positions[part] = sum;
		sum += (uint32_t)split->sizes[part];
	}
	for (size_t i = 0; i < count; i++)
		to[positions[split->parts_of[i]]++] = from[i];
	return true;
}

void segment_split_release(struct segment_split *split)
{
	free(split->parts_of);
	free(split->sample);
}
