// SPDX-License-Identifier: MIT
/*
 * test_hostile_segments.c - segment stores that somebody made so that they do harm, each with right checksums: one
 * block, or one child, many times; a leaf under bounds that are not its own, or of another store; more than there
 * is.
 *
 * In every order a query for all segments ends, and has them all, or says that something is lost or damaged;
 * verification says so in any case.
 */
#include "base/bytes.h"
#include "node/segment_node.h"
#include "segment/segment_memory.h"
#include "support/block_parts.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"

/* histree-format(5) */
enum {
	SEGMENTS = 5000,
	NODE_SIZE = 16384,
	CHILDREN_AT = 48,
	CHILD_SIZE = 52,
	BLOCKS_AT = 96,
	BLOCK_HEADER = 40,
};

struct store {
	struct memory_io memory;
	uint8_t *bytes;
	size_t size;
};

static void make(struct memory_io *memory, const char *path, uint64_t seed)
{
	static const struct segment_kind kind = { "hostile", SEGMENTS_BY_END, SEGMENTS, true };
	struct segments segments;
	struct histree_segment_store *store;
	assert_true(segments_make(&segments, &kind, seed));
	const struct histree_segment_store_options options = { .path = path,
							       .schema = *segments.schema,
							       .node_size = NODE_SIZE };
	assert_ok(segment_store_create(&memory->io, &options, &store, NULL));
	for (size_t i = 0; i < segments.count; i++)
		assert_ok(histree_segment_store_add(store, &segments.segments[i], NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	histree_segment_store_close(store);
	segments_release(&segments);
}

static int set_up(void **state)
{
	struct store *store = calloc(1, sizeof(*store));
	assert_non_null(store);
	memory_io_init(&store->memory);
	make(&store->memory, "s", 1);
	store->bytes = memory_io_find(&store->memory, "s")->bytes;
	store->size = memory_io_find(&store->memory, "s")->size;
	*state = store;
	return 0;
}

static int tear_down(void **state)
{
	struct store *store = *state;
	memory_io_release(&store->memory);
	free(store);
	return 0;
}

/* A leaf, or a node above leaves, other than the first. */
static uint8_t *find_node(struct store *store, uint32_t height)
{
	size_t size;
	uint8_t *node;
	for (uint32_t number = 1; (node = block_parts_node(store->bytes, store->size, number, &size)) != NULL;
	     number++)
		if (get_le16(node + NODE_AT_HEIGHT) == height)
			return node;
	fail_msg("there is no node of height %u", height);
	return NULL;
}

/* ---- asking -------------------------------------------------------------------------------------------------- */

static void ignore(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static void assert_told(struct histree_segment_store *store, enum histree_segment_order order)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct histree_cursor *iter;
	struct histree_error error = { 0 };
	uint64_t count = 0;
	int64_t numbers = 0;
	query.order = order;
	assert_ok(histree_segments_create(store, &iter, NULL));
	enum histree_status status = histree_segments_start(iter, &query, NULL, &error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, &error)) == HISTREE_OK)
		count++, numbers += histree_cursor_segment(iter)->content[SEGMENT_ID].int64;
	const uint64_t losses = histree_cursor_loss(iter).nodes;
	assert_true(count <= SEGMENTS);
	/* What is below a node that cannot be used is found without it. */
	bool is_whole = count == SEGMENTS && numbers == (int64_t)SEGMENTS * (SEGMENTS - 1) / 2;
	if (status == HISTREE_END)
		assert_true(losses > 0 || is_whole);
	else
		assert_int_equal(status, HISTREE_ERR_FORMAT);
	if (status != HISTREE_END)
		assert_non_null(strstr(error.message, "'s'"));
	histree_cursor_free(iter);
}

static void assert_harmless(struct store *made)
{
	static const enum histree_segment_order orders[] = { HISTREE_SEGMENTS_UNSORTED, HISTREE_SEGMENTS_BY_START,
							     HISTREE_SEGMENTS_BY_END,
							     HISTREE_SEGMENTS_BY_DURATION };
	struct histree_segment_store *store;
	struct histree_error error = { 0 };
	block_parts_seal(made->bytes, made->size);
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (segment_store_open(&made->memory.io, "s", NULL, &store, &error) != HISTREE_OK)
			fail_msg("%s", error.message);
		assert_told(store, orders[i]);
		histree_segment_store_close(store);
	}
	assert_ok(segment_store_open(&made->memory.io, "s", NULL, &store, NULL));
	assert_int_equal(histree_segment_store_verify(store, ignore, NULL, &error), HISTREE_ERR_FORMAT);
	histree_segment_store_close(store);
}

/* ---- cases --------------------------------------------------------------------------------------------------- */

TEST_WITH(one_block_many_times, set_up, tear_down)
{
	uint8_t *leaf = find_node(*state, 0);
	uint32_t count = get_le32(leaf + SEGMENTS_AT_BLOCK_COUNT);
	assert_true(count > 1);
	for (uint32_t i = 1; i < count; i++)
		memcpy(leaf + BLOCKS_AT + i * BLOCK_HEADER, leaf + BLOCKS_AT, BLOCK_HEADER);
	assert_harmless(*state);
}

TEST_WITH(one_child_many_times, set_up, tear_down)
{
	uint8_t *node = find_node(*state, 1);
	uint32_t count = get_le16(node + NODE_AT_CHILD_COUNT);
	assert_true(count > 1);
	for (uint32_t i = 1; i < count; i++)
		memcpy(node + CHILDREN_AT + i * CHILD_SIZE, node + CHILDREN_AT, CHILD_SIZE);
	assert_harmless(*state);
}

TEST_WITH(a_child_that_is_not_below, set_up, tear_down)
{
	uint8_t *node = find_node(*state, 1);
	put_le32(node + CHILDREN_AT, get_le32(node + NODE_AT_NUMBER));
	assert_harmless(*state);
}

TEST_WITH(a_leaf_under_other_bounds, set_up, tear_down)
{
	uint8_t *child = find_node(*state, 1) + CHILDREN_AT;
	put_le64(child + 12, get_le64(child + 12) - 1); /* it ends earlier */
	assert_harmless(*state);
}

TEST_WITH(a_leaf_of_another_store, set_up, tear_down)
{
	struct store *store = *state;
	size_t size, other_size;
	make(&store->memory, "other", 2);
	const struct memory_file *other = memory_io_find(&store->memory, "other");
	for (uint32_t number = 1;; number++) {
		uint8_t *leaf = block_parts_node(store->bytes, store->size, number, &size);
		const uint8_t *foreign = block_parts_node(other->bytes, other->size, number, &other_size);
		assert_true(leaf != NULL && foreign != NULL);
		if (get_le16(leaf + NODE_AT_HEIGHT) != 0 || get_le16(foreign + NODE_AT_HEIGHT) != 0 ||
		    get_le32(foreign + NODE_AT_USED) > size)
			continue;
		memcpy(leaf, foreign, size < other_size ? size : other_size);
		break;
	}
	assert_harmless(store);
}

TEST_WITH(more_segments_than_there_are, set_up, tear_down)
{
	uint8_t *leaf = find_node(*state, 0);
	put_le32(leaf + NODE_AT_ITEM_COUNT, UINT32_MAX);
	assert_harmless(*state);
}

TEST_WITH(strings_without_bytes, set_up, tear_down)
{
	uint8_t *leaf = find_node(*state, 0);
	put_le32(leaf + SEGMENTS_AT_STRING_COUNT, UINT32_MAX);
	assert_harmless(*state);
}
