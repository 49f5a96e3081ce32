// SPDX-License-Identifier: MIT
/*
 * fuzz_event_index.c - an index of events, its checksum made right.  What is read can be asked: ticks never fall,
 * blocks have as many events as they should, gaps are in order, and no time is before fewer events than an earlier
 * one.
 */
#include <string.h>

#include "base/bytes.h"
#include "event_index/event_index.h"
#include "fuzz.h"
#include "support/memory_io.h"

static void check_ticks(const struct event_index *index)
{
	REQUIRE(index->tick_count == (index->event_count + EVENTS_PER_TICK - 1) / EVENTS_PER_TICK);
	for (size_t i = 0; i < index->tick_count; i++)
		REQUIRE(index->ticks[i] <= index->end && (i == 0 || index->ticks[i] >= index->ticks[i - 1]));
}

static void check_block(const struct event_index *index, size_t number)
{
	const struct event_block *block = &index->blocks[number];
	uint64_t left = index->event_count - number * EVENTS_PER_BLOCK, sum = 0;
	for (uint32_t i = 0; i < block->type_count; i++) {
		REQUIRE(block->types[i] < index->type_count);
		sum += block->counts[i];
	}
	REQUIRE(sum == (left < EVENTS_PER_BLOCK ? left : EVENTS_PER_BLOCK));
}

static void check_gap(const struct event_index *index, size_t number)
{
	const struct histree_gap *gap = &index->gaps[number];
	REQUIRE(gap->to >= gap->from && gap->cpu >= -1);
	REQUIRE(number == 0 || gap->from >= gap[-1].from);
}

/* At times in ascending order. */
static double check_time(const struct event_index *index, histree_time time, double before)
{
	double estimate = event_index_estimate(index, time);
	size_t tick = event_index_tick_before(index, time);
	REQUIRE(estimate >= before && estimate <= (double)index->event_count);
	REQUIRE(tick == 0 || (tick < index->tick_count && index->ticks[tick] < time));
	return estimate;
}

static void check_times(const struct event_index *index)
{
	double before = check_time(index, INT64_MIN, 0);
	for (size_t i = 0; i < index->tick_count; i += 1 + index->tick_count / 64) {
		histree_time tick = index->ticks[i];
		before = check_time(index, tick, before);
		histree_time next = i + 1 < index->tick_count ? index->ticks[i + 1] : index->end;
		before = check_time(index, (histree_time)((uint64_t)tick + ((uint64_t)next - (uint64_t)tick) / 2),
				    before);
	}
	before = check_time(index, index->event_count > 0 ? index->end : 0, before);
	check_time(index, INT64_MAX, before);
}

FUZZ_TARGET(bytes, size)
{
	struct memory_io memory;
	struct event_index index;
	memory_io_init(&memory);
	REQUIRE(memory_io_put(&memory, "f", bytes, size));
	uint8_t *file = memory_io_find(&memory, "f")->bytes;
	if (size >= EVENT_INDEX_HEADER_SIZE) {
		memcpy(file, EVENT_INDEX_MAGIC, strlen(EVENT_INDEX_MAGIC));
		put_le32(file + 12, crc32c(0, file + EVENT_INDEX_CHECKED_FROM, size - EVENT_INDEX_CHECKED_FROM));
	}
	if (event_index_read(&memory.io, "f", &index, NULL) == HISTREE_OK) {
		for (uint32_t i = 0; i < index.type_count; i++)
			REQUIRE(strlen(index.types[i]) <= size);
		check_ticks(&index);
		for (size_t i = 0; i < index.block_count; i++)
			check_block(&index, i);
		for (size_t i = 0; i < index.gap_count; i++)
			check_gap(&index, i);
		check_times(&index);
		event_index_release(&index);
	}
	memory_io_release(&memory);
	return 0;
}
