// SPDX-License-Identifier: MIT
/*
 * test_column_steps.c - which interval of a series ends at a tick or later, against adding up one step after the
 * other: steps of all widths, with edges apart and without, from any interval on.
 */
#include "base/hash_index.h"
#include "node/node_cursor.h"
#include "support/effort.h"
#include "support/test.h"

enum { INTERVALS_MAX = 70 };

/* A series as bits, and the ticks between its intervals. */
struct written {
	struct column_view view;
	struct column_block block;
	struct column_series series;
	struct bit_buffer bits;
	uint64_t ticks[INTERVALS_MAX + 1];
	uint32_t count; /* of intervals */
};

static void write_series(struct written *written, unsigned width, uint8_t edges, struct random *random)
{
	*written = (struct written){ .count = 1 + (uint32_t)random_below(random, INTERVALS_MAX) };
	const uint64_t min = random_percent(random, 20) ? random_bits(random) >> (20 + random_below(random, 20))
							: random_below(random, 5);
	const size_t before = (size_t)random_below(random, 77);
	const bool is_widest = random_percent(random, 20); /* each step is the longest that there can be */
	struct bit_buffer *bits = &written->bits;
	assert_true(bit_buffer_reserve(bits, before + INTERVALS_MAX * 64 + 64));
	for (size_t i = 0; i < before; i++)
		bit_buffer_put(bits, 1, 1);
	written->ticks[0] = random_below(random, 1000);
	for (uint32_t i = 0; i < written->count; i++) {
		bool is_apart = ((edges & EDGE_FIRST) != 0 && i == 0) ||
				((edges & EDGE_LAST) != 0 && i + 1 == written->count);
		uint64_t step = width == 0  ? 0
				: is_widest ? UINT64_MAX >> (64 - width)
					    : random_bits(random) >> (64 - width);
		if (!is_apart)
			bit_buffer_put(bits, step, width);
		written->ticks[i + 1] = written->ticks[i] + min + step;
	}
	for (int i = 0; i < 64; i++) /* what comes behind is not of the series */
		bit_buffer_put(bits, 1, 1);
	uint64_t *fields = written->series.fields;
	fields[COLUMN_START] = written->ticks[0];
	fields[COLUMN_COUNT] = written->count - 1;
	fields[COLUMN_STEP_MIN] = min;
	fields[COLUMN_STEP_WIDTH] = width;
	fields[COLUMN_FIRST] = written->ticks[1] - written->ticks[0];
	fields[COLUMN_LAST] = random_below(random, 9);
	written->series.steps = before;
	written->view.last_tick = written->ticks[written->count] + fields[COLUMN_LAST];
	written->view.block = bits->bytes;
	written->block.view = &written->view;
	written->block.edges = edges;
}

/* From interval `from` on, as the cursor asks: whatever is looked for, it does not end before that begins. */
static void check(const struct written *written, uint32_t from, uint64_t ends_from)
{
	uint32_t interval = from, expected = from;
	uint64_t tick = written->ticks[from], after;
	bool found = column_find_end(&written->block, &written->series, ends_from, &interval, &tick, &after);
	while (expected + 1 < written->count && written->ticks[expected + 1] < ends_from)
		expected++;
	assert_int_equal(found, written->ticks[expected + 1] >= ends_from);
	assert_int_equal(interval, expected);
	assert_true(tick == written->ticks[expected] && after == written->ticks[expected + 1]);
}

TEST(the_interval_is_found_that_adding_up_finds)
{
	static const uint8_t edges[] = { 0, EDGE_FIRST, EDGE_LAST, EDGE_FIRST | EDGE_LAST };
	struct random random = { test_seed() };
	for (uint64_t round = 0; round < test_effort(200, 20); round++)
		for (unsigned width = 0; width <= 40; width++)
			for (size_t i = 0; i < sizeof(edges); i++) {
				struct written written;
				write_series(&written, width, edges[i], &random);
				for (uint32_t at = 0; at <= written.count; at++) {
					uint32_t from = (uint32_t)random_below(&random, written.count);
					check(&written, 0, written.ticks[at]);
					check(&written, 0, written.ticks[at] + 1);
					check(&written, from, written.ticks[at]);
				}
				free(written.bits.bytes);
			}
}
