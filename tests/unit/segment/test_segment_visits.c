// SPDX-License-Identifier: MIT
/*
 * test_segment_visits.c - how many nodes a query of a segment store opens: exact numbers, for which no clock is
 * needed.  Algorithm 5.2 opens what can have a segment before the next one, and nothing else.
 */
#include "node/segment_node.h"
#include "segment/segment_memory.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"
#include "tree/tree_reader.h"

static const struct segment_kind by_end = { "visits", SEGMENTS_BY_END, 60000, false };

struct fixture {
	struct memory_io memory;
	struct segments segments;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	*state = &fixture;
	memory_io_init(&fixture.memory);
	assert_true(segments_make(&fixture.segments, &by_end, 3));
	/* Small nodes and batches, so that there are many of each. */
	const struct histree_segment_store_options options = {
		.path = "f", .schema = *fixture.segments.schema, .node_size = 4096, .memory_max = 300000
	};
	struct histree_segment_store *store;
	assert_ok(segment_store_create(&fixture.memory.io, &options, &store, NULL));
	for (size_t i = 0; i < fixture.segments.count; i++)
		assert_ok(histree_segment_store_add(store, &fixture.segments.segments[i], NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	histree_segment_store_close(store);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	segments_release(&fixture->segments);
	memory_io_release(&fixture->memory);
	return 0;
}

/* ---- a plain walk -------------------------------------------------------------------------------------- */

/* The least that a segment within these bounds comes at, as a number that grows in the order of a query. */
static int64_t least_of(const struct node_child *bounds, const struct histree_segment_query *query)
{
	bool down = query->descending;
	switch (query->order) {
	case HISTREE_SEGMENTS_BY_START:
		return down ? -bounds->start_max : bounds->start;
	case HISTREE_SEGMENTS_BY_END:
		return down ? -bounds->end : bounds->end_min;
	case HISTREE_SEGMENTS_BY_DURATION:
		return down ? -(int64_t)bounds->duration_max : (int64_t)bounds->duration_min;
	default:
		return INT64_MIN;
	}
}

static int64_t place_of(const struct histree_segment *segment, const struct histree_segment_query *query)
{
	const struct node_child bounds = {
		.start = segment->start,
		.start_max = segment->start,
		.end_min = segment->end,
		.end = segment->end,
		.duration_min = (uint64_t)(segment->end - segment->start),
		.duration_max = (uint64_t)(segment->end - segment->start),
	};
	return least_of(&bounds, query);
}

/* Those that meet the window, by whether their least place is before some place, or not after it. */
struct counts {
	uint64_t nodes_before, nodes_up_to, blocks_up_to;
};

static bool in_window(const struct node_child *bounds, const struct histree_segment_query *query)
{
	return bounds->start <= query->to && bounds->end >= query->from;
}

static void count_below(const struct tree_reader *reader, uint32_t number,
			const struct histree_segment_query *query, int64_t place, struct counts *counts)
{
	struct node_pin *pin;
	bool loaded;
	assert_ok(node_pin_create(reader->cache, &pin, NULL));
	assert_ok(node_pin_hold(pin, number, &loaded, NULL));
	const struct node_view view = node_view(&reader->shape.layout, node_pin_block(pin));
	uint32_t blocks = view.height == 0 ? segment_leaf_block_count(view.block) : 0;
	for (uint32_t i = 0; i < blocks; i++) {
		struct segment_block block = segment_block(view.block, i);
		counts->blocks_up_to += in_window(&block.bounds, query) && least_of(&block.bounds, query) <= place;
	}
	for (uint32_t i = 0; i < view.child_count; i++) {
		const struct node_child child = node_view_child(&view, i);
		if (!in_window(&child, query) || least_of(&child, query) > place)
			continue;
		counts->nodes_before += least_of(&child, query) < place;
		counts->nodes_up_to++;
		count_below(reader, child.number, query, place, counts);
	}
	node_pin_free(pin);
}

/* Returns what has to be opened for the segments up to a place, the root included. */
static struct counts count_opened(const struct histree_segment_store *store,
				  const struct histree_segment_query *query, int64_t place)
{
	struct tree_reader *reader = segment_disk_reader(store->body);
	struct counts counts = { .nodes_before = 1, .nodes_up_to = 1 };
	count_below(reader, reader->shape.root, query, place, &counts);
	return counts;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

struct opened {
	struct histree_statistics stats;
	struct counts counts;
	uint64_t node_count;
};

/* Ask for so many segments, of a store that was opened just now: each node is loaded once. */
static struct opened ask(struct fixture *fixture, const struct histree_segment_query *query, size_t wanted)
{
	struct opened opened;
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	struct histree_segment segment;
	int64_t place = INT64_MIN;
	assert_ok(segment_store_open(&fixture->memory.io, "f", NULL, &store, NULL));
	assert_ok(histree_segments_create(store, &iter, NULL));
	assert_ok(histree_segments_start(iter, query, NULL, NULL));
	for (size_t i = 0; i < wanted && histree_cursor_next(iter, NULL) == HISTREE_OK; i++) {
		segment = *histree_cursor_segment(iter);
		place = place_of(&segment, query);
	}
	opened.stats = histree_cursor_statistics(iter);
	histree_cursor_free(iter);
	opened.counts = count_opened(store, query, place);
	opened.node_count = histree_segment_store_info(store)->node_count;
	histree_segment_store_close(store);
	return opened;
}

/* In any order, for any number of segments: nodes and blocks whose least segment comes before the last one. */
TEST(only_what_comes_first_is_opened)
{
	struct fixture *fixture = *state;
	static const size_t wanted[] = { 1, 100, 3000 };
	for (int order = HISTREE_SEGMENTS_BY_START; order <= HISTREE_SEGMENTS_BY_DURATION; order++)
		for (size_t i = 0; i < 6; i++) {
			struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
			query.order = (enum histree_segment_order)order;
			query.descending = i % 2 == 1;
			struct opened opened = ask(fixture, &query, wanted[i / 2]);
			assert_int_equal(opened.stats.rows, wanted[i / 2]);
			assert_in_range(opened.stats.nodes_loaded, opened.counts.nodes_before,
					opened.counts.nodes_up_to);
			assert_true(opened.stats.nodes_visited <=
				    opened.counts.nodes_up_to + opened.counts.blocks_up_to);
		}
}

/* The first segment by time costs a path, and not the store. */
TEST(the_first_segment_costs_a_path)
{
	struct fixture *fixture = *state;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_START;
	struct opened opened = ask(fixture, &query, 1);
	assert_true(opened.node_count > 60);
	assert_true(opened.stats.nodes_loaded <= 4);
	assert_true(opened.stats.nodes_visited <= 5);
}

/* Nodes and blocks outside of a window are passed by in every order; unsorted, just those that meet it are read. */
TEST(a_window_is_all_that_is_read)
{
	struct fixture *fixture = *state;
	histree_time middle = fixture->segments.segments[by_end.count / 2].end;
	for (int order = HISTREE_SEGMENTS_UNSORTED; order <= HISTREE_SEGMENTS_BY_DURATION; order++) {
		struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
		query.order = (enum histree_segment_order)order;
		query.from = middle;
		query.to = middle + 1000;
		struct opened opened = ask(fixture, &query, SIZE_MAX);
		const struct histree_segment_query all_of_it = { .from = query.from, .to = query.to };
		struct histree_segment_store *store;
		assert_ok(segment_store_open(&fixture->memory.io, "f", NULL, &store, NULL));
		struct counts counts = count_opened(store, &all_of_it, INT64_MAX);
		histree_segment_store_close(store);
		assert_int_equal(opened.stats.nodes_loaded, counts.nodes_up_to);
		assert_true(counts.nodes_up_to * 3 < opened.node_count);
	}
}

TEST_FILE(set_up, tear_down)
