// SPDX-License-Identifier: MIT
/*
 * The leaf of columns against the plain list that went in: every interval comes back, every (key, time) is found,
 * every window gives what a look at all of them gives, and a damaged leaf is refused or read, never more.
 */
#include "base/bytes.h"
#include "base/hash_index.h"
#include "node/column_builder.h"
#include "node/node_builder.h"
#include "node/node_cursor.h"
#include "support/test.h"

enum { NODE_SIZE = 1 << 20, VALUES = 40, NUMBER = 7 };

/* A leaf, and what is in it. */
struct leaf {
	struct column_item *items;
	size_t count;
	struct histree_value values[VALUES];
	char texts[VALUES][16];
	struct node_layout layout;
	uint8_t *block;
	struct node_view view;
};

/* What makes leaves differ. */
struct shape {
	size_t keys, changes; /* changes of each key, about */
	uint64_t step;        /* between two times at which something changes, at most */
	bool shared;          /* keys change at the same times */
	unsigned gaps;        /* percent of changes after which a key has nothing for a while */
	unsigned others;      /* percent of values that are neither int nor null */
	histree_time start;
	uint64_t first; /* so much longer is the first state of a key, at most */
	bool last;      /* the last state of a key reaches to the end of all */
};

static void fill_values(struct leaf *leaf)
{
	for (uint32_t i = 0; i < VALUES; i++) {
		snprintf(leaf->texts[i], sizeof(leaf->texts[i]), "text %u", i);
		leaf->values[i] = histree_string(leaf->texts[i]);
	}
	leaf->values[0] = histree_long(INT64_MIN);
	leaf->values[1] = histree_double(-0.0);
	leaf->values[2] = histree_bool(true);
	leaf->values[3] = histree_string("");
	leaf->values[4] = histree_custom("\0\xff", 2);
}

static struct column_item random_item(struct random *random, const struct shape *shape, histree_time start,
				      histree_time end, histree_quark key)
{
	if (random_percent(random, shape->others))
		return column_item(start, end, key, ITEM_LISTED, (uint32_t)random_below(random, VALUES));
	if (random_percent(random, 20))
		return column_item(start, end, key, ITEM_NULL, 0);
	uint32_t number =
		random_percent(random, 2) ? (uint32_t)random_bits(random) : (uint32_t)random_below(random, 8);
	return column_item(start, end, key, ITEM_INT, number);
}

/* Times at which keys change; shared by all of them or one's own. */
static histree_time next_change(struct random *random, const struct shape *shape, histree_time now)
{
	uint64_t grain = shape->shared ? shape->step : 1;
	uint64_t steps = 1 + random_below(random, shape->shared ? 5 : shape->step);
	return (histree_time)((uint64_t)now + steps * grain);
}

static void make_leaf(struct leaf *leaf, struct random *random, const struct shape *shape)
{
	*leaf = (struct leaf){ .layout = node_layout(NODE_SIZE, NODE_CHILD_END | NODE_CHILD_KEYS, 50) };
	leaf->layout.columns = true;
	fill_values(leaf);
	leaf->items = calloc(2 * shape->keys * shape->changes, sizeof(*leaf->items));
	for (histree_quark key = 0; key < shape->keys; key++) {
		histree_time now = shape->start;
		size_t changes = 1 + random_below(random, 2 * shape->changes - 1);
		for (size_t change = 0; change < changes; change++) {
			histree_time then = next_change(random, shape, now);
			if (change == 0 && shape->first > 0)
				then += (histree_time)random_below(random, shape->first);
			leaf->items[leaf->count++] = random_item(random, shape, now, then - 1, 3 * key);
			now = random_percent(random, shape->gaps) ? next_change(random, shape, then) : then;
		}
	}
	histree_time end = leaf->items[0].end;
	for (size_t i = 0; i < leaf->count; i++)
		end = leaf->items[i].end > end ? leaf->items[i].end : end;
	for (size_t i = 0; shape->last && i < leaf->count; i++)
		if (i + 1 == leaf->count ||
		    column_item_key(&leaf->items[i]) != column_item_key(&leaf->items[i + 1]))
			leaf->items[i].end = end;
	struct column_builder builder = { 0 };
	struct node_child child;
	leaf->block = malloc(NODE_SIZE);
	size_t size = column_builder_encode(&builder, leaf->items, leaf->count, leaf->values, VALUES);
	assert_in_range(size, 1, NODE_SIZE);
	column_builder_seal(&builder, &leaf->layout, NUMBER, leaf->block, &child);
	column_builder_release(&builder);
	assert_int_equal(child.number, NUMBER);
	assert_int_equal(child.key_min, 0);
	assert_int_equal(child.key_max, 3 * (shape->keys - 1));
	assert_true(child.start == shape->start);

	struct histree_error error = { 0 };
	if (node_check(&leaf->layout, leaf->block, NUMBER, &error) != HISTREE_OK)
		fail_msg("refused: %s", error.message);
	leaf->view = node_view(&leaf->layout, leaf->block);
}

static void free_leaf(struct leaf *leaf)
{
	free(leaf->items);
	free(leaf->block);
}

static void assert_is_item(const struct leaf *leaf, const struct histree_interval *found,
			   const struct column_item *item)
{
	struct histree_value value = histree_null();
	if (column_item_kind(item) == ITEM_INT)
		value = histree_int((int32_t)item->value);
	else if (column_item_kind(item) == ITEM_LISTED)
		value = leaf->values[item->value];
	assert_int_equal(found->quark, column_item_key(item));
	assert_true(found->start == item->start);
	assert_true(found->end == item->end);
	assert_true(histree_value_equal(&found->value, &value));
}

static bool is_in(const struct node_region *region, const struct column_item *item)
{
	bool has_key = region->quarks == NULL, has_time = region->times == NULL;
	for (size_t i = 0; i < region->quark_count; i++)
		has_key = has_key || region->quarks[i] == column_item_key(item);
	for (size_t i = 0; i < region->time_count; i++)
		has_time = has_time || (region->times[i] >= item->start && region->times[i] <= item->end);
	return has_key && has_time && item->end >= region->from && item->start <= region->to;
}

/* The items of the region in their order, however many are read at a time. */
static void check_region(const struct leaf *leaf, const struct node_region *region, size_t room)
{
	struct node_cursor cursor;
	struct histree_interval found[64];
	size_t count = 0, at = 0;
	node_cursor_begin(&cursor, &leaf->view, region);
	for (size_t i = 0; i < leaf->count; i++) {
		if (!is_in(region, &leaf->items[i]))
			continue;
		if (at == count) {
			at = 0;
			assert_ok(node_cursor_read(&cursor, found, room, &count));
			assert_in_range(count, 1, room);
		}
		assert_is_item(leaf, &found[at++], &leaf->items[i]);
	}
	assert_int_equal(at, count);
	assert_int_equal(node_cursor_read(&cursor, found, room, &count), HISTREE_END);
	assert_int_equal(count, 0);
}

static void check_window(const struct leaf *leaf, histree_time from, histree_time to)
{
	check_region(leaf, &(struct node_region){ .from = from, .to = to }, 64);
}

/* All of `key` that end at `time` or later, and no others. */
static void check_seek(const struct leaf *leaf, histree_quark key, histree_time time)
{
	check_region(leaf, &(struct node_region){ .quarks = &key, .quark_count = 1, .from = time, .to = INT64_MAX },
		     7);
}

static const struct shape shapes[] = {
	{ .keys = 1, .changes = 1, .step = 1 },
	{ .keys = 1, .changes = 3000, .step = 50 },
	{ .keys = 400, .changes = 1, .step = 1000, .others = 30 },
	{ .keys = 60, .changes = 30, .step = 100, .shared = true, .others = 10 },
	{ .keys = 60, .changes = 30, .step = 1 << 20, .gaps = 30, .others = 100 },
	{ .keys = 5, .changes = 200, .step = 1, .start = -1000 },
	{ .keys = 20, .changes = 10, .step = UINT64_C(1) << 57, .start = INT64_MIN },
	{ .keys = 300, .changes = 4, .step = 10, .first = 1 << 20, .last = true, .others = 50 },
	{ .keys = 300, .changes = 2, .step = 10, .first = 1 << 20, .others = 50 },
	{ .keys = 100, .changes = 40, .step = 10, .shared = true, .last = true },
	{ .keys = 33, .changes = 64, .step = 1000000, .shared = true, .start = 1457113582794565804 },
};

enum { SEED = 20161120 };

TEST(every_interval_comes_back)
{
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		struct random random = { .state = SEED + s };
		struct leaf leaf;
		make_leaf(&leaf, &random, &shapes[s]);
		check_window(&leaf, INT64_MIN, INT64_MAX);
		for (unsigned i = 0; i < 200; i++) {
			const struct column_item *item = &leaf.items[random_below(&random, leaf.count)];
			const struct column_item *other = &leaf.items[random_below(&random, leaf.count)];
			check_window(&leaf, item->start, item->start);
			check_window(&leaf, item->end, item->end);
			if (item->start <= other->end)
				check_window(&leaf, item->start, other->end);
		}
		free_leaf(&leaf);
	}
}

TEST(every_key_and_time_is_found)
{
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		struct random random = { .state = SEED + s };
		struct leaf leaf;
		make_leaf(&leaf, &random, &shapes[s]);
		for (unsigned i = 0; i < 2000; i++) {
			const struct column_item *item = &leaf.items[random_below(&random, leaf.count)];
			histree_quark key = column_item_key(item) + (uint32_t)random_below(&random, 3);
			check_seek(&leaf, key, item->start);
			check_seek(&leaf, key, item->end);
			check_seek(&leaf, key, leaf.items[random_below(&random, leaf.count)].start);
		}
		free_leaf(&leaf);
	}
}

static int by_time(const void *one, const void *other)
{
	const histree_time *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

/*
 * Keys that are there and keys that are not, all of them or some; a window, or times close together or far apart.
 */
static void check_random_region(const struct leaf *leaf, struct random *random, const struct shape *shape)
{
	enum { TIMES_MAX = 50 };
	histree_quark *quarks = calloc(3 * shape->keys, sizeof(*quarks));
	histree_time times[TIMES_MAX];
	struct node_region region = { 0 };
	unsigned share = (unsigned)random_below(random, 101);
	for (histree_quark key = 0; key < 3 * shape->keys; key++)
		if (random_percent(random, share))
			quarks[region.quark_count++] = key;
	if (region.quark_count > 0 && random_percent(random, 80))
		region.quarks = quarks;
	else
		region.quark_count = 0;
	histree_time first = leaf->items[random_below(random, leaf->count)].start;
	histree_time last = leaf->items[random_below(random, leaf->count)].end;
	uint64_t span = last > first ? (uint64_t)last - (uint64_t)first : 0;
	span = random_percent(random, 30) ? span / 100 : span;
	region.from = first;
	region.to = (histree_time)((uint64_t)first + span);
	if (random_percent(random, 60)) {
		region.time_count = 1 + random_below(random, TIMES_MAX);
		for (size_t i = 0; i < region.time_count; i++)
			times[i] = (histree_time)((uint64_t)first + (span > 0 ? random_below(random, span) : 0));
		qsort(times, region.time_count, sizeof(*times), by_time);
		region.times = times;
		region.from = times[0];
		region.to = times[region.time_count - 1];
		if (region.from < region.to && random_percent(random, 70))
			region.times_per_ns = (double)(region.time_count - 1) /
					      (double)((uint64_t)region.to - (uint64_t)region.from);
	}
	check_region(leaf, &region, 1 + random_below(random, 64));
	free(quarks);
}

TEST(every_region_is_answered)
{
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		struct random random = { .state = SEED + s };
		struct leaf leaf;
		make_leaf(&leaf, &random, &shapes[s]);
		for (unsigned i = 0; i < 300; i++)
			check_random_region(&leaf, &random, &shapes[s]);
		free_leaf(&leaf);
	}
}

/* Changes at the same times are stored once, in a table; changes at times of their own are not. */
TEST(the_smaller_way_to_store_times_is_taken)
{
	struct random random = { .state = SEED };
	struct leaf shared, alone;
	make_leaf(&shared, &random, &(struct shape){ .keys = 500, .changes = 20, .step = 100000, .shared = true });
	make_leaf(&alone, &random, &(struct shape){ .keys = 500, .changes = 20, .step = 100000 });
	assert_false(shared.view.columns.direct);
	assert_true(alone.view.columns.direct);
	free_leaf(&shared);
	free_leaf(&alone);
}

static void read_damaged(const struct node_view *view, histree_time time)
{
	static const histree_quark quarks[] = { 0, 3, 4, 9, 30, 33 };
	const histree_time times[] = { time, time };
	const struct node_region regions[] = {
		{ .from = INT64_MIN, .to = INT64_MAX },
		{ .from = time, .to = time },
		{ .from = time, .to = INT64_MAX, .quarks = quarks, .quark_count = 6 },
		{ .from = time, .to = time, .times = times, .time_count = 2, .quarks = quarks, .quark_count = 6 },
	};
	for (size_t i = 0; i < sizeof(regions) / sizeof(*regions); i++) {
		struct node_cursor cursor;
		struct histree_interval found;
		enum histree_status status;
		node_cursor_begin(&cursor, view, &regions[i]);
		while ((status = node_cursor_next(&cursor, &found)) == HISTREE_OK)
			;
		assert_int_equal(node_cursor_next(&cursor, &found), status); /* it stays so */
	}
}

/* Whatever a leaf says, reading it ends, inside its bytes; the sanitizers watch. */
TEST(damaged_leaves_are_refused_or_read)
{
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		struct random random = { .state = SEED + s };
		struct leaf leaf;
		make_leaf(&leaf, &random, &shapes[s]);
		uint32_t used = leaf.view.used;
		for (unsigned round = 0; round < 400; round++) {
			uint32_t place = 8 + (uint32_t)random_below(&random, round % 2 == 0 ? 90 : used - 8);
			if (place >= used)
				continue;
			uint8_t before = leaf.block[place];
			leaf.block[place] = (uint8_t)random_bits(&random);
			uint32_t says = get_le32(leaf.block + 40);
			if (says >= 8 && says <= NODE_SIZE)
				put_le32(leaf.block, crc32c(0, leaf.block + 4, says - 4));
			if (node_check(&leaf.layout, leaf.block, NUMBER, NULL) == HISTREE_OK) {
				struct node_view view = node_view(&leaf.layout, leaf.block);
				read_damaged(&view, leaf.items[random_below(&random, leaf.count)].start);
			}
			leaf.block[place] = before;
		}
		free_leaf(&leaf);
	}
}

static double interval_bytes(const struct shape *shape)
{
	struct random random = { .state = SEED };
	struct leaf leaf;
	make_leaf(&leaf, &random, shape);
	double bytes = (double)leaf.view.used / (double)leaf.count;
	free_leaf(&leaf);
	return bytes;
}

/*
 * The first and the last states of an attribute are of a length of their own: that costs once, not in each state.
 */
TEST(edges_are_kept_apart)
{
	struct shape shape = { .keys = 500, .changes = 20, .step = 1000 };
	double even = interval_bytes(&shape);
	shape.last = true;
	assert_true(interval_bytes(&shape) < 1.3 * even);
	shape.first = 1 << 30;
	assert_true(interval_bytes(&shape) < 1.5 * even);
	shape.last = false;
	assert_true(interval_bytes(&shape) < 1.5 * even);
}
