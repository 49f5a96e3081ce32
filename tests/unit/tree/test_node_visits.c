// SPDX-License-Identifier: MIT
/*
 * test_node_visits.c - how many nodes a query visits: exact numbers, for which no clock is needed.  Answers would
 * be right without any of this.
 *
 * Two judges.  A plain walk says which nodes have bounds that the lists of a query meet, and no others may be
 * visited.  And the formulas of the thesis (4.5.4, 4.7) say how many that are, on its own intervals (figure 4.6).
 */
#include <math.h>

#include "base/hash_index.h"
#include "node/node_cursor.h"
#include "support/effort.h"
#include "support/model_tree.h"
#include "support/test.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"
#include "tree/tree_shape.h"

static void build(struct model_tree *built, const struct histree_tree_options *asked, const struct model *model)
{
	struct histree_error error;
	if (model_tree_build(built, asked, model, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
}

/* Ask, read all of the answer, and return the nodes visited. */
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

/* ---- against a plain walk ------------------------------------------------------------------------------ */

/* What a region has to do with the bounds of a child. */
struct overlap {
	bool hull;  /* the ranges from the first to the last of each list meet them */
	bool lists; /* some element of each list is in them */
};

static struct overlap overlap_of(const struct histree_region *region, const struct node_child *child)
{
	histree_time from = region->times != NULL ? region->times[0] : region->from;
	histree_time to = region->times != NULL ? region->times[region->time_count - 1] : region->to;
	bool time = region->times == NULL && child->start <= to && child->end >= from, key = false;
	for (size_t i = 0; i < region->time_count; i++)
		time |= child->start <= region->times[i] && region->times[i] <= child->end;
	for (size_t i = 0; i < region->quark_count; i++)
		key |= child->key_min <= region->quarks[i] && region->quarks[i] <= child->key_max;
	return (struct overlap){
		.hull = child->start <= to && child->end >= from &&
			child->key_min <= region->quarks[region->quark_count - 1] &&
			child->key_max >= region->quarks[0],
		.lists = time && key,
	};
}

struct counts {
	uint64_t hull, lists;
};

/* Count the nodes below `number` that have to be visited, it included. */
static struct counts count_below(const struct model_tree *built, uint32_t number, bool is_met,
				 const struct histree_region *region)
{
	const struct tree_reader *reader = built->tree.reader;
	struct counts counts = { .hull = 1, .lists = is_met };
	struct node_pin *pin;
	bool loaded;
	assert_ok(node_pin_create(reader->cache, &pin, NULL));
	assert_ok(node_pin_hold(pin, number, &loaded, NULL));
	const struct node_view view = node_view(&reader->shape.layout, node_pin_block(pin));
	for (uint32_t i = 0; i < view.child_count; i++) {
		const struct node_child child = node_view_child(&view, i);
		struct overlap overlap = overlap_of(region, &child);
		if (!overlap.hull)
			continue;
		struct counts below = count_below(built, child.number, is_met && overlap.lists, region);
		counts.hull += below.hull;
		counts.lists += below.lists;
	}
	node_pin_free(pin);
	return counts;
}

enum { KEYS_MAX = 4, TIMES_MAX = 3 };

static void draw_quarks(struct random *random, uint32_t keys, histree_quark quarks[KEYS_MAX], size_t *count)
{
	*count = 0;
	histree_quark next = random_index(random, keys / 4);
	while (*count < KEYS_MAX && next < keys) {
		quarks[(*count)++] = next;
		next += 1 + random_index(random, keys / 3);
	}
}

static void draw_times(struct random *random, histree_time end, histree_time times[TIMES_MAX], size_t *count)
{
	*count = 0;
	histree_time next = (histree_time)random_below(random, (uint64_t)end / 4);
	while (*count < TIMES_MAX && next <= end) {
		times[(*count)++] = next;
		next += 1 + (histree_time)random_below(random, (uint64_t)end / 3);
	}
}

/* Every node whose bounds meet the lists of a 2D query is visited, and no other one. */
TEST(lists_choose_the_nodes)
{
	static const struct model model = { .keys = 4000, .turns = 20, .slow_every = 9, .slowness = 5 };
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		const struct histree_tree_options asked = { .variant = tree_variants[i]->name,
							    .node_size = 4096,
							    .fan_out = 20 };
		struct model_tree built;
		struct tree_iter *iter;
		struct random random = { i };
		uint64_t hull_of_keys = 0, of_keys = 0, hull_of_times = 0, of_times = 0;
		build(&built, &asked, &model);
		assert_ok(tree_iter_create(built.tree.reader, &iter, NULL));
		for (unsigned round = 0; round < test_effort(200, 40); round++) {
			histree_quark quarks[KEYS_MAX];
			histree_time times[TIMES_MAX];
			struct histree_region region = { .quarks = quarks };
			draw_quarks(&random, model.keys, quarks, &region.quark_count);
			draw_times(&random, model_end(&model), times, &region.time_count);
			region.from = times[0];
			region.to = times[0] + built.turn / 4;
			if (round % 2 == 0)
				region.times = times;
			else
				region.time_count = 0;
			if (region.times != NULL && region.time_count == 1)
				continue; /* ends when each key has its state, not when each node was seen */
			struct counts counts = count_below(&built, built.tree.reader->shape.root, true, &region);
			assert_int_equal(ask(iter, &region), counts.lists);
			*(region.times != NULL ? &hull_of_times : &hull_of_keys) += counts.hull;
			*(region.times != NULL ? &of_times : &of_keys) += counts.lists;
		}
		/* The lists leave something out, or the numbers above say nothing. */
		assert_true(of_times * 10 < hull_of_times * 9);
		bool keeps_to_keys = tree_variants[i]->source != SOURCE_BRANCH;
		assert_true(!keeps_to_keys || of_keys * 10 < hull_of_keys * 9);
		tree_iter_free(iter);
		model_tree_release(&built);
	}
}

/* ---- against the formulas ------------------------------------------------------------------------------ */

/* The numbers of thesis 4.5.4 and 4.7: A, I, n, c, h, r. */
struct formula {
	double attributes, states, node_intervals, fan_out, height, r_depth;
};

static struct formula formula_of(const struct model_tree *built, const struct model *model)
{
	const struct histree_history_info *info = &built->info;
	struct formula formula = {
		.attributes = model->keys,
		.states = model->turns + 1,
		/* Nearly all are in leaves. */
		.node_intervals = (double)info->interval_count / (double)info->nodes_at_height[0],
		.fan_out = info->fan_out,
		.r_depth = info->r_depth,
	};
	formula.height = log(formula.attributes * formula.states / formula.node_intervals) / log(formula.fan_out);
	return formula;
}

/*
 * 4.5.4: (A + n) / (n + 1) nodes at a time, and as many a level above as hold them; of single and of full queries.
 */
static double of_overlap(const struct formula *f)
{
	double overlap = (f->attributes + f->node_intervals) / (f->node_intervals + 1), sum = 0;
	for (double level = 0; level <= ceil(f->height); level++)
		sum += overlap / pow(f->fan_out, level) + 1;
	return sum;
}

/* 4.7.1: S_e, the nodes above R-trees of r levels. */
static double above_r_trees(const struct formula *f, double r)
{
	double sum = 1;
	for (double below = r; below < f->height; below++) {
		double span = pow(f->fan_out, below) * f->node_intervals;
		sum += (span + f->attributes) / span;
	}
	return sum;
}

/* 4.7.1: n_R, the R-trees at a time. */
static double r_trees(const struct formula *f, double r)
{
	double span = pow(f->fan_out, r - 1) * f->node_intervals;
	return (span + f->attributes) / span;
}

/* 4.7.1 and 4.7.3: S_R, in an R-tree r nodes of a path, or all of them. */
static double single_in_r_trees(const struct formula *f)
{
	return above_r_trees(f, f->r_depth) + r_trees(f, f->r_depth) * f->r_depth;
}

static double full_in_r_trees(const struct formula *f)
{
	double nodes = 0;
	for (double level = 0; level < f->r_depth; level++)
		nodes += pow(f->fan_out, level);
	return above_r_trees(f, f->r_depth) + r_trees(f, f->r_depth) * nodes;
}

/*
 * Of a cluster: a batch of B = 4 A intervals (01-tree.md), or a leaf if that is more, lasts for itself and one
 * interval more, as n_R of 4.7.1; of each, one leaf for a single query and all for a full one.
 */
static double batches(const struct formula *f)
{
	double batch = fmax(4 * f->attributes, f->node_intervals);
	return 1 + f->attributes / batch;
}

static double single_in_clusters(const struct formula *f)
{
	return above_r_trees(f, 1) + batches(f);
}

static double full_in_clusters(const struct formula *f)
{
	double batch = fmax(4 * f->attributes, f->node_intervals);
	return above_r_trees(f, 1) + batches(f) * ceil(batch / f->node_intervals);
}

/*
 * The trees of the formulas are full, and ours nearly: SLACK is for that.  4.5.4 says that a single query finds its
 * interval half-way, on average; in an R-SHT that is true of the R-trees at its time.
 */
#define SLACK 1.2

static const struct variant_bounds {
	const char *variant;
	uint32_t r_depth;
	double (*single)(const struct formula *f), (*full)(const struct formula *f);
	double single_share; /* of the formula, which the mean of single queries is at most */
} variant_bounds[] = {
	{ "osht", 0, of_overlap, of_overlap, 0.55 },
	{ "esht", 0, of_overlap, of_overlap, 0.55 },
	{ "rsht", 2, single_in_r_trees, full_in_r_trees, 0.7 },
	{ "rsht", 3, single_in_r_trees, full_in_r_trees, 0.95 },
	{ "vrsht", 4, single_in_r_trees, full_in_r_trees, 0.7 },
	{ "cluster", 0, single_in_clusters, full_in_clusters, 1.05 },
};

enum { QUERIES = 400 };

static const struct model papers_model = { .keys = 20000, .turns = 20 };

struct means {
	double single, full;
};

static struct means measure(const struct model_tree *built, const struct model *model, uint64_t *single_most)
{
	struct means means = { 0 };
	struct tree_iter *iter;
	struct random random = { 5 };
	histree_time middle = model_end(model) - 4 * built->turn;
	assert_ok(tree_iter_create(built->tree.reader, &iter, NULL));
	*single_most = 0;
	for (unsigned i = 0; i < QUERIES; i++) {
		histree_quark quark = random_index(&random, model->keys);
		histree_time t = 2 * built->turn + (histree_time)random_below(&random, (uint64_t)middle);
		const struct histree_region single = { .quarks = &quark, .quark_count = 1, .from = t, .to = t };
		uint64_t visited = ask(iter, &single);
		*single_most = visited > *single_most ? visited : *single_most;
		means.single += (double)visited / QUERIES;
		if (i % 10 == 0)
			means.full +=
				10.0 * (double)ask(iter, &(struct histree_region){ .from = t, .to = t }) / QUERIES;
	}
	tree_iter_free(iter);
	return means;
}

TEST(queries_keep_to_the_formulas)
{
	if (test_is_quick())
		skip();
	struct means osht = { 0 };
	for (size_t i = 0; i < sizeof(variant_bounds) / sizeof(variant_bounds[0]); i++) {
		const struct variant_bounds *bounds = &variant_bounds[i];
		const struct histree_tree_options asked = {
			.variant = bounds->variant, .r_depth = bounds->r_depth, .node_size = 4096, .fan_out = 10
		};
		struct model_tree built;
		uint64_t most;
		build(&built, &asked, &papers_model);
		struct formula formula = formula_of(&built, &papers_model);
		struct means means = measure(&built, &papers_model, &most);
		double single = bounds->single(&formula), full = bounds->full(&formula);
		print_message(
			"%s, r %u, h %.1f, n %.0f: a single query visits %.2f nodes (formula %.2f), a full one "
			"%.1f (%.1f), of %" PRIu64 "\n",
			bounds->variant, built.info.r_depth, formula.height, formula.node_intervals, means.single,
			single, means.full, full, built.info.node_count);
		assert_true(means.single <= single * bounds->single_share);
		assert_true(means.full <= full * SLACK);
		if (strcmp(bounds->variant, "osht") == 0)
			osht = means;
		if (strcmp(bounds->variant, "esht") == 0) /* with bounds of keys, of which few are narrow */
			assert_true(means.single < osht.single);
		model_tree_release(&built);
	}
}

/* 4.5.3: however deep the comb is, a query goes down one branch. */
TEST(an_sht_is_searched_along_one_branch)
{
	static const struct model model = { .keys = 3000, .turns = 8 };
	const struct histree_tree_options asked = { .variant = "sht", .node_size = 4096, .fan_out = 10 };
	struct model_tree built;
	uint64_t most;
	build(&built, &asked, &model);
	struct means means = measure(&built, &model, &most);
	assert_true(built.info.depth > 20);
	assert_true(most <= built.info.depth);
	assert_true(means.full <= built.info.depth);
	model_tree_release(&built);
}

/* With the options that it has by itself, the default tree reads four nodes at most, and is small (01-tree.md). */
TEST(the_default_reads_four_nodes_at_most)
{
	static const struct model model = { .keys = 60000, .turns = 20 };
	struct model_tree built;
	uint64_t most;
	build(&built, &(struct histree_tree_options){ 0 }, &model);
	struct formula formula = formula_of(&built, &model);
	struct means means = measure(&built, &model, &most);
	assert_true(built.info.node_count > 8);
	assert_true(built.info.node_bytes_used < 2 * built.info.interval_count);
	assert_true(most <= 4);
	assert_true(means.single <= single_in_clusters(&formula));
	assert_true(means.full <= full_in_clusters(&formula));
	model_tree_release(&built);
}

/* ---- where long intervals go --------------------------------------------------------------------------- */

/* Returns how many of a node's intervals are longer than two turns, and how many it has. */
static uint64_t count_long(const struct model_tree *built, const struct node_view *view)
{
	struct node_cursor cursor;
	struct histree_interval interval;
	uint64_t count = 0;
	node_cursor_begin_all(&cursor, view);
	while (node_cursor_next(&cursor, &interval) == HISTREE_OK)
		count += interval.end - interval.start > 2 * built->turn;
	return count;
}

struct census {
	uint64_t long_in_leaves, short_in_leaves, long_above, short_above;
};

static struct census count_by_height(const struct model_tree *built)
{
	const struct tree_reader *reader = built->tree.reader;
	struct census census = { 0 };
	struct node_pin *pin;
	bool loaded;
	assert_ok(node_pin_create(reader->cache, &pin, NULL));
	for (uint32_t number = 0; number < built->info.node_count; number++) {
		assert_ok(node_pin_hold(pin, number, &loaded, NULL));
		const struct node_view view = node_view(&reader->shape.layout, node_pin_block(pin));
		uint64_t lasting = count_long(built, &view), rest = view.row_count - lasting;
		*(view.height == 0 ? &census.long_in_leaves : &census.long_above) += lasting;
		*(view.height == 0 ? &census.short_in_leaves : &census.short_above) += rest;
	}
	node_pin_free(pin);
	return census;
}

/* One attribute in 20 changes every tenth turn: as many long intervals as core nodes of R-trees have room for. */
static const struct model uneven_model = { .keys = 6000, .turns = 40, .slow_every = 20, .slowness = 10 };

/* Algorithm 4.2: the outliers of a sub-tree, its longest intervals, are in its root. */
TEST(the_longest_intervals_are_in_core_nodes)
{
	const struct histree_tree_options asked = { .variant = "rsht", .node_size = 4096, .fan_out = 10 };
	struct model_tree built;
	build(&built, &asked, &uneven_model);
	struct census census = count_by_height(&built);
	assert_true(census.long_above > 1000);
	assert_int_equal(census.long_in_leaves, 0);
	assert_true(census.short_above < census.short_in_leaves / 10); /* where there is room left */
	model_tree_release(&built);
}

/* 01-tree.md: what began more than one batch ago is in leaves of its own, and does not lengthen the others. */
TEST(tiers_keep_long_intervals_from_the_leaves_of_short_ones)
{
	struct model_tree built;
	uint64_t most;
	build(&built, &(struct histree_tree_options){ .node_size = 4096 }, &uneven_model);
	const struct tree_reader *reader = built.tree.reader;
	struct node_pin *pin;
	bool loaded;
	uint64_t mixed = 0, lasting = 0, brief = 0;
	assert_ok(node_pin_create(reader->cache, &pin, NULL));
	for (uint32_t number = 0; number < built.info.node_count; number++) {
		assert_ok(node_pin_hold(pin, number, &loaded, NULL));
		const struct node_view view = node_view(&reader->shape.layout, node_pin_block(pin));
		uint64_t count = count_long(&built, &view);
		if (view.height > 0)
			continue;
		*(count == 0 ? &brief : count == view.row_count ? &lasting : &mixed) += 1;
	}
	node_pin_free(pin);
	struct means means = measure(&built, &uneven_model, &most);
	assert_int_equal(mixed, 0);
	assert_true(lasting > 0 && brief > 50 * lasting);
	assert_true(means.single < 4 && most <= 6);
	assert_true(means.full < 20);
	model_tree_release(&built);
}
