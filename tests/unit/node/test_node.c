// SPDX-License-Identifier: MIT
/*
 * test_node.c - one node: filled to the last byte, sealed, searched, and damaged in every way that node_check()
 * knows.
 */
#include "base/bytes.h"
#include "base/hash_index.h"
#include "node/column_block.h"
#include "node/column_builder.h"
#include "node/node.h"
#include "node/node_builder.h"
#include "node/node_cursor.h"
#include "support/test.h"

enum { NODE_SIZE = 4096, KEYS = 9 };

static const struct node_layout esht_layout = { .node_size = NODE_SIZE,
						.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
						.child_capacity = 5 };

static struct histree_interval state_of(histree_quark quark, histree_time start, histree_time end)
{
	return (struct histree_interval){
		.start = start, .end = end, .quark = quark, .value = histree_long(start * 31 + quark)
	};
}

/* ---- layout -------------------------------------------------------------------------------------------- */

TEST(half_a_node_is_for_children_at_most)
{
	struct node_layout layout = node_layout(NODE_SIZE, NODE_CHILD_END | NODE_CHILD_KEYS, 50);
	assert_int_equal(layout.child_capacity, 50);
	assert_int_equal(node_capacity(&layout, 0), NODE_SIZE - 48);
	assert_int_equal(node_capacity(&layout, 3), NODE_SIZE - 48 - 50 * 28);
	layout = node_layout(NODE_SIZE, NODE_CHILD_END | NODE_CHILD_KEYS, 1000);
	assert_int_equal(layout.child_capacity, 2048 / 28);
	layout = node_layout(NODE_SIZE, NODE_CHILD_START, UINT32_MAX);
	assert_int_equal(layout.child_capacity, 2048 / 12);
	assert_true(node_value_size_max(&layout) > 1900);
}

TEST(the_greatest_value_fits_any_empty_node)
{
	uint8_t block[NODE_SIZE];
	char text[NODE_SIZE] = { 0 };
	struct node_layout layout = node_layout(NODE_SIZE, NODE_CHILD_END | NODE_CHILD_KEYS, 1000);
	for (uint32_t height = 0; height < 2; height++) {
		struct node_builder builder = { 0 };
		struct node_child child;
		node_builder_begin(&builder, &layout, height, INT64_MIN);
		for (uint32_t i = 0; height > 0 && i < layout.child_capacity; i++)
			assert_int_equal(node_builder_add_child(&builder, &(struct node_child){ .number = i }), 0);
		struct histree_interval interval = {
			.start = -1,
			.end = INT64_MAX - 1,
			.quark = UINT32_MAX,
			.value = histree_string_n(text, node_value_size_max(&layout)),
		};
		assert_true(node_builder_fits(&builder, &interval));
		assert_ok(node_builder_add(&builder, &interval));
		assert_int_not_equal(node_builder_seal(&builder, 1000, INT64_MAX - 1, block, &child), 0);
		assert_ok(node_check(&layout, block, 1000, NULL));
		node_builder_release(&builder);
	}
}

/* ---- filling and searching ---------------------------------------------------------------------------- */

static size_t fill(struct node_builder *builder, struct histree_interval *added)
{
	/* Each key has a state every ten moments, beginning at its own; keys come round in turn, as in a trace. */
	size_t count = 0;
	for (histree_time turn = 0;; turn++)
		for (histree_quark key = 0; key < KEYS; key++) {
			struct histree_interval next = state_of(key * 2, turn * 10 + key, turn * 10 + key + 9);
			if (!node_builder_fits(builder, &next))
				return count;
			assert_ok(node_builder_add(builder, &next));
			added[count++] = next;
		}
}

struct full_node {
	uint8_t block[NODE_SIZE];
	struct histree_interval added[NODE_SIZE];
	size_t count;
	uint32_t used;
	struct node_child child;
};

static struct full_node *make_full(void)
{
	struct full_node *node = calloc(1, sizeof(*node));
	assert_non_null(node);
	struct node_builder builder = { 0 };
	node_builder_begin(&builder, &esht_layout, 0, 0);
	node->count = fill(&builder, node->added);
	node->used = node_builder_seal(&builder, 12, 5000, node->block, &node->child);
	node_builder_release(&builder);
	return node;
}

TEST(a_full_node_gives_back_every_interval_sorted)
{
	struct full_node *node = make_full();
	assert_in_range(node->used, NODE_SIZE - 16, NODE_SIZE);
	assert_ok(node_check(&esht_layout, node->block, 12, NULL));
	struct node_view view = node_view(&esht_layout, node->block);
	assert_int_equal(view.row_count, node->count);
	assert_int_equal(view.key_min, 0);
	assert_int_equal(view.key_max, (KEYS - 1) * 2);
	assert_int_equal(node->child.number, 12);
	assert_int_equal(node->child.end, 5000);
	assert_int_equal(node->child.key_max, (KEYS - 1) * 2);

	struct node_cursor cursor;
	node_cursor_begin_all(&cursor, &view);
	struct histree_interval row, before = { 0 };
	size_t count = 0;
	for (; node_cursor_next(&cursor, &row) == HISTREE_OK; count++) {
		assert_true(count == 0 || row.quark > before.quark ||
			    (row.quark == before.quark && row.start == before.end + 1));
		struct histree_value value = histree_long(row.start * 31 + row.quark);
		assert_true(histree_value_equal(&row.value, &value));
		before = row;
	}
	assert_int_equal(node_cursor_next(&cursor, &row), HISTREE_END);
	assert_int_equal(count, node->count);
	free(node);
}

/* One key, from a time on. */
static struct node_region key_from(const histree_quark *key, histree_time from)
{
	return (struct node_region){ .quarks = key, .quark_count = 1, .from = from, .to = INT64_MAX };
}

TEST(seek_finds_each_key_and_time)
{
	struct full_node *node = make_full();
	struct node_view view = node_view(&esht_layout, node->block);
	histree_time last = node->added[node->count - 1].end + 3;
	for (histree_quark key = 0; key <= KEYS * 2; key++)
		for (histree_time time = -2; time <= last; time++) {
			const struct histree_interval *expected =
				NULL; /* the first of the key that is not before */
			for (size_t i = 0; i < node->count; i++) {
				const struct histree_interval *each = &node->added[i];
				bool wanted = each->quark == key && each->end >= time;
				if (wanted && (expected == NULL || each->start < expected->start))
					expected = each;
			}
			struct node_cursor cursor;
			struct histree_interval found;
			const struct node_region region = key_from(&key, time);
			node_cursor_begin(&cursor, &view, &region);
			if (expected == NULL) {
				assert_int_equal(node_cursor_next(&cursor, &found), HISTREE_END);
				continue;
			}
			assert_ok(node_cursor_next(&cursor, &found));
			assert_int_equal(found.quark, expected->quark);
			assert_int_equal(found.start, expected->start);
		}
	free(node);
}

TEST(the_index_leads_to_every_sixteenth_row)
{
	struct full_node *node = make_full();
	struct node_view view = node_view(&esht_layout, node->block);
	struct node_cursor cursor, elsewhere = { .row = { .view = &view, .at = view.rows + 1 } };
	node_cursor_begin_all(&cursor, &view);
	struct histree_interval row;
	for (uint32_t i = 0; i < view.row_count; i++) {
		assert_true(node_cursor_is_indexed(&cursor, i));
		assert_int_equal(node_cursor_is_indexed(&elsewhere, i), i % 16 != 0);
		assert_ok(node_cursor_next(&cursor, &row));
	}
	free(node);
}

TEST(rows_that_come_out_of_order_are_sorted)
{
	struct node_builder builder = { 0 };
	struct node_child child;
	uint8_t block[NODE_SIZE];
	struct random random = { 5 };
	histree_time starts[100];
	for (int i = 0; i < 100; i++) {
		int other = (int)random_below(&random, (uint64_t)i + 1);
		starts[i] = starts[other];
		starts[other] = i;
	}
	node_builder_begin(&builder, &esht_layout, 0, -5);
	for (int i = 0; i < 100; i++) {
		struct histree_interval interval =
			state_of((histree_quark)(starts[i] & 1), starts[i] / 2, starts[i] / 2);
		assert_ok(node_builder_add(&builder, &interval));
	}
	assert_int_not_equal(node_builder_seal(&builder, 0, 100, block, &child), 0);
	struct node_view view = node_view(&esht_layout, block);
	struct node_cursor cursor;
	node_cursor_begin_all(&cursor, &view);
	struct histree_interval row;
	for (histree_time i = 0; i < 100; i++) {
		assert_ok(node_cursor_next(&cursor, &row));
		assert_int_equal(row.quark, i / 50);
		assert_int_equal(row.start, i % 50);
	}
	node_builder_release(&builder);
}

TEST(times_at_both_ends_of_all_time)
{
	struct node_builder builder = { 0 };
	struct node_child child;
	uint8_t block[NODE_SIZE];
	struct histree_interval whole = {
		.start = INT64_MIN, .end = INT64_MAX - 1, .quark = 0, .value = histree_null()
	};
	struct histree_interval late = {
		.start = INT64_MAX - 1, .end = INT64_MAX - 1, .quark = 1, .value = histree_null()
	};
	node_builder_begin(&builder, &esht_layout, 0, INT64_MIN);
	assert_ok(node_builder_add(&builder, &whole));
	assert_ok(node_builder_add(&builder, &late));
	assert_int_not_equal(node_builder_seal(&builder, 0, INT64_MAX - 1, block, &child), 0);
	assert_ok(node_check(&esht_layout, block, 0, NULL));
	struct node_view view = node_view(&esht_layout, block);
	struct node_cursor cursor;
	node_cursor_begin_all(&cursor, &view);
	struct histree_interval row;
	assert_ok(node_cursor_next(&cursor, &row));
	assert_true(row.start == INT64_MIN && row.end == INT64_MAX - 1);
	assert_ok(node_cursor_next(&cursor, &row));
	assert_true(row.start == INT64_MAX - 1 && row.end == INT64_MAX - 1);
	node_builder_release(&builder);
}

TEST(an_empty_node_has_no_keys)
{
	struct node_builder builder = { 0 };
	struct node_child child;
	struct histree_interval row;
	uint8_t block[NODE_SIZE];
	node_builder_begin(&builder, &esht_layout, 0, 8);
	assert_int_equal(node_builder_seal(&builder, 3, 7, block, &child), NODE_HEADER_SIZE);
	assert_ok(node_check(&esht_layout, block, 3, NULL));
	assert_true(child.key_min > child.key_max);
	struct node_view view = node_view(&esht_layout, block);
	const histree_quark key = 0;
	const struct node_region region = key_from(&key, 0);
	struct node_cursor cursor;
	node_cursor_begin(&cursor, &view, &region);
	assert_int_equal(node_cursor_next(&cursor, &row), HISTREE_END);
	node_builder_release(&builder);
}

/* ---- children ------------------------------------------------------------------------------------------ */

TEST(bounds_that_are_not_kept_are_the_widest)
{
	static const struct node_child children[] = {
		{ .number = 1, .start = 100, .end = 199, .key_min = 3, .key_max = 8 },
		{ .number = 2, .start = 200, .end = 299, .key_min = UINT32_MAX, .key_max = 0 },
		{ .number = 9, .start = 300, .end = 350, .key_min = 5, .key_max = 5 },
	};
	for (uint32_t bounds = 0; bounds <= (NODE_CHILD_END | NODE_CHILD_KEYS); bounds++) {
		struct node_layout layout = node_layout(NODE_SIZE, bounds, 3);
		struct node_builder builder = { 0 };
		struct node_child own;
		uint8_t block[NODE_SIZE];
		node_builder_begin(&builder, &layout, 1, 50);
		for (size_t i = 0; i < 3; i++)
			assert_ok(node_builder_add_child(&builder, &children[i]));
		assert_int_not_equal(node_builder_seal(&builder, 10, 400, block, &own), 0);
		assert_ok(node_check(&layout, block, 10, NULL));
		assert_int_equal(own.key_min, 3);
		assert_int_equal(own.key_max, 8);
		struct node_view view = node_view(&layout, block);
		assert_int_equal(view.child_count, 3);
		assert_true(view.key_min > view.key_max);
		for (uint32_t i = 0; i < 3; i++) {
			struct node_child child = node_view_child(&view, i);
			assert_int_equal(child.number, children[i].number);
			assert_int_equal(child.start, children[i].start);
			histree_time sibling = i < 2 ? children[i + 1].start - 1 : 400;
			assert_int_equal(child.end, bounds & NODE_CHILD_END ? children[i].end : sibling);
			assert_int_equal(child.key_min, bounds & NODE_CHILD_KEYS ? children[i].key_min : 0);
			assert_int_equal(child.key_max,
					 bounds & NODE_CHILD_KEYS ? children[i].key_max : UINT32_MAX);
		}
		node_builder_release(&builder);
	}
}

/* ---- damage -------------------------------------------------------------------------------------------- */

/* Refused for the reason that the message names. */
static void assert_refused(const uint8_t *block, const char *reason)
{
	struct histree_error error = { 0 };
	assert_int_equal(node_check(&esht_layout, block, 12, &error), HISTREE_ERR_FORMAT);
	if (strstr(error.message, reason) == NULL)
		fail_msg("refused, but because: %s", error.message);
}

/* After the damage the checksum is made right again, so that what comes behind it is tested. */
static void assert_damage_refused(uint32_t offset, uint32_t value, const char *reason)
{
	struct full_node *node = make_full();
	put_le32(node->block + offset, value);
	put_le32(node->block, crc32c(0, node->block + 4, get_le32(node->block + NODE_AT_USED) - 4));
	assert_refused(node->block, reason);
	free(node);
}

TEST(any_flipped_bit_is_noticed)
{
	struct full_node *node = make_full();
	for (uint32_t bit = 0; bit < node->used * 8; bit += 7) {
		node->block[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(node_check(&esht_layout, node->block, 12, NULL), HISTREE_ERR_FORMAT);
		node->block[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_ok(node_check(&esht_layout, node->block, 12, NULL));
	free(node);
}

TEST(each_kind_of_damage_is_refused)
{
	struct full_node *node = make_full();
	put_le32(node->block + NODE_AT_USED, NODE_SIZE + 1);
	assert_refused(node->block, "uses 4097 bytes of 4096");
	put_le32(node->block + NODE_AT_USED, NODE_HEADER_SIZE - 1);
	assert_refused(node->block, "uses 47 bytes");
	free(node);

	assert_damage_refused(4, 13, "holds node 13");
	assert_damage_refused(8, 1 << 16, "1 children at height 0");
	assert_damage_refused(8, 6 << 16 | 1, "6 children at height 1");
	assert_damage_refused(8, 1 << 16 | 1, "rows at offset 48 after 1 children");
	assert_damage_refused(12, 0, "0 rows");
	assert_damage_refused(12, UINT32_MAX, "4294967295 rows");
	assert_damage_refused(12, 1014, "1014 rows");
	assert_damage_refused(24 + 4, 0x80000000, "ends before it starts");
	assert_damage_refused(44, 52, "rows at offset 52");
	assert_damage_refused(44, UINT32_MAX, "rows at offset 4294967295");
}

/* Rows are not looked at by node_check(): they are checked when they are read. */
TEST(damaged_rows_are_refused_when_read)
{
	for (uint32_t at = NODE_HEADER_SIZE; at < NODE_SIZE; at++) {
		struct full_node *node = make_full();
		if (at >= node->used) {
			free(node);
			break;
		}
		node->block[at] ^= 0xff;
		put_le32(node->block, crc32c(0, node->block + 4, node->used - 4));
		assert_ok(node_check(&esht_layout, node->block, 12, NULL));
		struct node_view view = node_view(&esht_layout, node->block);
		struct node_cursor cursor;
		node_cursor_begin_all(&cursor, &view);
		struct histree_interval row;
		enum histree_status status;
		while ((status = node_cursor_next(&cursor, &row)) == HISTREE_OK)
			assert_true(row.start >= view.start && row.end <= view.end && row.quark <= view.key_max);
		assert_true(status == HISTREE_END || status == HISTREE_ERR_FORMAT);
		for (histree_quark key = 0; key < 2 * KEYS; key++) {
			const struct node_region region = key_from(&key, 100);
			node_cursor_begin(&cursor, &view, &region);
			status = node_cursor_next(&cursor, &row);
			assert_true(status == HISTREE_OK || status == HISTREE_END || status == HISTREE_ERR_FORMAT);
		}
		free(node);
	}
}

/* An index all of whose entries point at the last row must not make a search read the whole node. */
TEST(an_index_that_lies_is_noticed)
{
	struct full_node *node = make_full();
	struct node_view view = node_view(&esht_layout, node->block);
	uint32_t entries = node_index_count(view.row_count);
	uint8_t *index = node->block + (view.rows_end - view.block);
	for (uint32_t i = 0; i < entries; i++)
		put_le32(index + (size_t)i * NODE_INDEX_SIZE,
			 get_le32(index + (size_t)(entries - 1) * NODE_INDEX_SIZE));
	struct node_cursor cursor;
	struct histree_interval row;
	node_cursor_begin_all(&cursor, &view);
	assert_false(node_cursor_is_indexed(&cursor, 0));
	const histree_quark key = KEYS;
	const struct node_region region = key_from(&key, 0);
	node_cursor_begin(&cursor, &view, &region);
	assert_int_equal(node_cursor_next(&cursor, &row), HISTREE_ERR_FORMAT);
	assert_int_equal(node_cursor_next(&cursor, &row), HISTREE_ERR_FORMAT); /* it stays so */
	free(node);
}

/*
 * ---- leaves of columns: what node_check() and verification add to the codec's own test
 * ---------------------------
 */

static const struct node_layout column_layout = { .node_size = NODE_SIZE,
						  .child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
						  .child_capacity = 5,
						  .columns = true };

/* Of 40 keys, all of whose states change at the same times, so that there is a table of times. */
static void make_columns(uint8_t block[NODE_SIZE])
{
	enum { COUNT = 400 };
	struct column_item items[COUNT];
	struct column_builder builder = { 0 };
	struct node_child child;
	for (uint32_t i = 0; i < COUNT; i++) {
		histree_time turn = i % 10, from = turn * turn * 1000003,
			     to = (turn + 1) * (turn + 1) * 1000003 - 1;
		items[i] = column_item(from, to, i / 10, ITEM_INT, i);
	}
	assert_int_not_equal(column_builder_encode(&builder, items, COUNT, NULL, 0), 0);
	column_builder_seal(&builder, &column_layout, 12, block, &child);
	column_builder_release(&builder);
	assert_ok(node_check(&column_layout, block, 12, NULL));
}

/* How reading all of it ends. */
static enum histree_status read_columns(const uint8_t block[NODE_SIZE], uint32_t *count)
{
	struct node_view view = node_view(&column_layout, block);
	struct node_cursor cursor;
	node_cursor_begin_all(&cursor, &view);
	struct histree_interval interval;
	enum histree_status status;
	*count = 0;
	while ((status = node_cursor_next(&cursor, &interval)) == HISTREE_OK)
		++*count;
	assert_int_equal(node_cursor_next(&cursor, &interval), status); /* it stays so */
	return status;
}

static bool is_searchable(const uint8_t block[NODE_SIZE])
{
	struct node_view view = node_view(&column_layout, block);
	struct node_cursor cursor;
	node_cursor_begin_all(&cursor, &view);
	return node_cursor_is_indexed(&cursor, 0);
}

TEST(columns_outside_the_bounds_of_their_node_are_refused)
{
	uint8_t block[NODE_SIZE];
	uint32_t count;
	make_columns(block);
	assert_int_equal(read_columns(block, &count), HISTREE_END);
	assert_int_equal(count, 400);
	assert_true(is_searchable(block));
	put_le64(block + NODE_AT_END,
		 get_le64(block + NODE_AT_END) - 1); /* the last interval of each key ends behind it */
	assert_int_equal(read_columns(block, &count), HISTREE_ERR_FORMAT);
	assert_int_equal(count, 9);
	make_columns(block);
	put_le32(block + NODE_AT_KEY_MIN, 1); /* key 0 is below it */
	assert_int_equal(read_columns(block, &count), HISTREE_ERR_FORMAT);
	assert_int_equal(count, 0);
	make_columns(block);
	put_le32(block + NODE_AT_KEY_MAX,
		 38); /* key 39 is above it: the block with it, of the segments behind the first 32 */
	assert_int_equal(read_columns(block, &count), HISTREE_ERR_FORMAT);
	assert_int_equal(count, 320);
}

TEST(columns_that_a_search_cannot_rely_on_are_found)
{
	uint8_t block[NODE_SIZE];
	make_columns(block);
	assert_int_equal(get_le32(block + COLUMN_AT_DIRECT), 0);
	uint8_t *first_head = block + get_le32(block + COLUMN_AT_BLOCK_INDEX),
		*times = block + get_le32(block + COLUMN_AT_TIMES);
	put_le32(first_head + BLOCK_ENTRY_SIZE, get_le32(first_head + BLOCK_ENTRY_SIZE) + 1);
	assert_false(is_searchable(block));
	make_columns(block);
	put_le32(times + 12, 0); /* bits of no width: all times are the first */
	assert_false(is_searchable(block));
}

/* Bits are read eight bytes at a time: a leaf that uses its node to the end would be read behind it. */
TEST(columns_leave_room_to_read_their_last_bits)
{
	struct histree_error error;
	uint8_t block[NODE_SIZE];
	make_columns(block);
	for (uint32_t used = NODE_SIZE - 8; used <= NODE_SIZE; used++) {
		put_le32(block + NODE_AT_USED, used);
		put_le32(block, crc32c(0, block + 4, used - 4));
		enum histree_status expected = used == NODE_SIZE - 8 ? HISTREE_OK : HISTREE_ERR_FORMAT;
		assert_int_equal(node_check(&column_layout, block, 12, &error), expected);
	}
	assert_string_equal(error.message, "a leaf of columns in 4096 bytes");
}

TEST(columns_of_all_of_time)
{
	uint8_t block[NODE_SIZE];
	uint32_t count;
	struct column_builder builder = { 0 };
	struct node_child child;
	const struct column_item whole = column_item(INT64_MIN, INT64_MAX - 1, 3, ITEM_INT, 4);
	assert_int_not_equal(column_builder_encode(&builder, &whole, 1, NULL, 0), 0);
	column_builder_seal(&builder, &column_layout, 12, block, &child);
	column_builder_release(&builder);
	assert_int_equal(get_le32(block + COLUMN_AT_DIRECT), 1);
	assert_int_equal(read_columns(block, &count), HISTREE_END);
	assert_int_equal(count, 1);
}
