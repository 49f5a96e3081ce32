// SPDX-License-Identifier: MIT
/*
 * fuzz_event_index.c - an index of events.  Its checksum is made right, so that what comes behind it is reached:
 * whatever is taken for an index has times that never fall, blocks that add up, and gaps in order.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "fuzz.h"
#include "pipeline/event_index.h"
#include "support/memory_io.h"

static void check(const struct event_index *index)
{
	uint64_t events = 0;
	for (size_t i = 1; i < index->tick_count; i++)
		REQUIRE(index->ticks[i] >= index->ticks[i - 1]);
	for (size_t i = 0; i < index->block_count; i++)
		for (uint32_t k = 0; k < index->blocks[i].type_count; k++) {
			REQUIRE(index->blocks[i].types[k] < index->type_count);
			events += index->blocks[i].counts[k];
		}
	REQUIRE(events == index->event_count);
	for (size_t i = 0; i < index->gap_count; i++) {
		const struct histree_gap *gap = &index->gaps[i];
		REQUIRE(gap->to >= gap->from && gap->cpu >= -1);
		REQUIRE(i == 0 || gap->from >= gap[-1].from);
	}
	for (size_t i = 0; i < index->tick_count; i++) {
		double before = event_index_estimate(index, index->ticks[i]);
		REQUIRE(before >= 0 && before <= (double)index->event_count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct memory_io memory;
	struct event_index index;
	uint8_t *copy = malloc(size + 1);
	REQUIRE(copy != NULL);
	memcpy(copy, bytes, size);
	if (size >= EVENT_INDEX_HEADER_SIZE) {
		memcpy(copy, EVENT_INDEX_MAGIC, strlen(EVENT_INDEX_MAGIC));
		put_le32(copy + 12, crc32c(0, copy + EVENT_INDEX_CHECKED_FROM, size - EVENT_INDEX_CHECKED_FROM));
	}
	memory_io_init(&memory);
	REQUIRE(memory_io_put(&memory, "index", copy, size));
	if (event_index_read(&memory.io, "index", &index, NULL) == HISTREE_OK) {
		check(&index);
		event_index_release(&index);
	}
	memory_io_release(&memory);
	free(copy);
	return 0;
}
