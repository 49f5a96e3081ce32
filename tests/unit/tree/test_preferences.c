// SPDX-License-Identifier: MIT
/*
 * test_preferences.c - a preference gives what it is preferred for: nodes are counted and bytes, no clock is asked
 * (docs/design/01-tree.md).
 */
#include "base/hash_index.h"
#include "support/effort.h"
#include "support/model_tree.h"
#include "support/test.h"
#include "tree/batch.h"
#include "tree/tree_iter.h"

enum { PREFERENCES = HISTREE_PREFER_SPACE + 1, QUERIES = 100, RANGE_KEYS = 4, RANGE_TURNS = 40 };

/* KiB of nodes that queries visit, on average, bytes an interval, and KiB of nodes in all. */
struct cost {
	double single, range, full, bytes, nodes;
};

static uint64_t ask(struct tree_iter *iter, const struct histree_region *region)
{
	struct histree_interval interval;
	enum histree_status status;
	tree_iter_start(iter, region);
	while ((status = tree_iter_next(iter, &interval, NULL)) == HISTREE_OK)
		;
	assert_int_equal(status, HISTREE_END);
	return tree_iter_stats(iter).nodes_visited;
}

static struct cost measure(const struct histree_tree_options *asked, const struct model *model)
{
	struct model_tree built;
	struct histree_error error;
	struct tree_iter *iter;
	struct cost cost = { 0 };
	struct random random = { 11 };
	if (model_tree_build(&built, asked, model, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_ok(tree_iter_create(built.tree.reader, &iter, NULL));
	uint64_t last = (uint64_t)(model_end(model) - (RANGE_TURNS + 2) * built.turn);
	for (unsigned i = 0; i < QUERIES; i++) {
		histree_quark quarks[RANGE_KEYS];
		histree_time t = built.turn + (histree_time)random_below(&random, last);
		for (uint32_t key = 0; key < RANGE_KEYS; key++)
			quarks[key] =
				key * (model->keys / RANGE_KEYS) + random_index(&random, model->keys / RANGE_KEYS);
		cost.single += (double)ask(
			iter, &(struct histree_region){ .quarks = quarks, .quark_count = 1, .from = t, .to = t });
		cost.range += (double)ask(iter, &(struct histree_region){ .quarks = quarks,
									  .quark_count = RANGE_KEYS,
									  .from = t,
									  .to = t + RANGE_TURNS * built.turn });
		cost.full += (double)ask(iter, &(struct histree_region){ .from = t, .to = t });
	}
	double node = built.info.node_size / 1024.0;
	cost.single *= node / QUERIES;
	cost.range *= node / QUERIES;
	cost.full *= node / QUERIES;
	cost.bytes = (double)built.info.file_bytes / (double)built.info.interval_count;
	cost.nodes = node * (double)built.info.node_count;
	print_message(
		"%s %d: a single query visits %.0f KiB, a range %.0f, a full one %.0f, of %.0f; %.2f bytes an "
		"interval\n",
		asked->variant != NULL ? asked->variant : "cluster", (int)asked->prefer, cost.single, cost.range,
		cost.full, cost.nodes, cost.bytes);
	tree_iter_free(iter);
	model_tree_release(&built);
	return cost;
}

static void measure_all(const struct model *model, struct cost costs[PREFERENCES])
{
	for (int preference = 0; preference < PREFERENCES; preference++)
		costs[preference] = measure(
			&(struct histree_tree_options){ .prefer = (enum histree_preference)preference }, model);
}

TEST(with_many_attributes_each_is_best_at_its_own)
{
	if (test_is_quick())
		skip();
	static const struct model model = { .keys = 40000, .turns = 60 };
	struct cost costs[PREFERENCES];
	measure_all(&model, costs);
	const struct cost *balance = &costs[HISTREE_PREFER_BALANCE], *single = &costs[HISTREE_PREFER_SINGLE],
			  *full = &costs[HISTREE_PREFER_FULL], *space = &costs[HISTREE_PREFER_SPACE];
	assert_true(single->single < balance->single * 0.3);
	assert_true(single->range < balance->range * 0.9);
	assert_true(full->full <= balance->full && full->full < single->full * 0.9);
	assert_true(space->bytes < balance->bytes * 0.75 && space->nodes < balance->nodes * 0.75);
}

/* Then a leaf has all keys, and the shorter it is in time, the less of it is not asked for. */
TEST(with_few_attributes_a_full_query_goes_through_less)
{
	static const struct model model = { .keys = 100, .turns = 3000 };
	struct cost costs[PREFERENCES];
	measure_all(&model, costs);
	assert_true(costs[HISTREE_PREFER_FULL].nodes > costs[HISTREE_PREFER_BALANCE].nodes * 3);
	assert_true(costs[HISTREE_PREFER_FULL].full < 2.5 * 256);
}

TEST(batches_are_as_long_as_the_rule_says)
{
	const struct batch_length *balance = batch_length_of(HISTREE_PREFER_BALANCE),
				  *space = batch_length_of(HISTREE_PREFER_SPACE);
	assert_int_equal(batch_length_items(balance, 0, 160000, false), 10001);       /* a share of a leaf */
	assert_int_equal(batch_length_items(balance, 1000, 160000, false), 64000);    /* so many of each key */
	assert_int_equal(batch_length_items(balance, 10000, 160000, false), 160000);  /* a leaf */
	assert_int_equal(batch_length_items(balance, 100000, 160000, false), 400000); /* a few of each key */
	assert_int_equal(batch_length_items(space, 100000, 160000, false), 400000);
	assert_int_equal(batch_length_items(space, 100000, 160000, true), 6400000);
}

/* Thesis 4.7.4: the depth follows from what queries may cost. */
TEST(a_target_makes_r_trees_as_deep_as_it_needs)
{
	if (test_is_quick())
		skip();
	static const struct model model = { .keys = 20000, .turns = 44 };
	struct histree_tree_options asked = { .variant = "vrsht", .node_size = 4096, .fan_out = 10, .r_depth = 4 };
	asked.r_nodes = 1000;
	struct cost loose = measure(&asked, &model);
	asked.r_nodes = 8;
	struct cost tight = measure(&asked, &model);
	asked.r_nodes = 0;
	struct cost by_formula = measure(&asked, &model);
	assert_true(tight.single < loose.single * 0.9 && tight.single <= 8 * 4);
	assert_true(tight.single <= by_formula.single);
	assert_true(tight.full > 1.5 * loose.full); /* which is what it costs */
}
