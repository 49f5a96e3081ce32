// SPDX-License-Identifier: MIT
/*
 * property_damage.c - a damaged node costs its own intervals, exactly those, and no answer is wrong.
 *
 * Some nodes of a tree are damaged, after what they held was written down.  Then every answer is what the array
 * says, with `unknown` for just that; and the list of nodes has each of them, the damaged ones as damaged.
 */
#include "driver.h"
#include "node/node_cursor.h"
#include "node/node_view.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "support/tree_file.h"
#include "support/workload.h"
#include "tree/tree_shape.h"

enum { QUESTIONS = 25 };

struct damage_case {
	struct histree_tree_options options;
	const char *kind;
	uint64_t seed;
	struct memory_io memory;
	struct tree_file tree;
	struct reference reference;
	bool *lost;    /* by index of the reference's intervals */
	bool *damaged; /* by number of the node */
	struct random random;
};

#define wrong(test, ...)                                                                                         \
	do {                                                                                                     \
		fprintf(stderr, "workload '%s', variant %s, seed %llu: ", (test)->kind, (test)->options.variant, \
			(unsigned long long)(test)->seed);                                                       \
		fprintf(stderr, __VA_ARGS__);                                                                    \
		fputc('\n', stderr);                                                                             \
		fail();                                                                                          \
	} while (0)

static void open_tree(struct damage_case *test)
{
	struct histree_error error;
	if (tree_file_open(&test->memory.io, "f", 1 << 20, &test->tree, &error) != HISTREE_OK)
		wrong(test, "%s", error.message);
}

/* ---- damage ---------------------------------------------------------------------------------------------- */

static size_t index_of(const struct reference *reference, const struct histree_interval *interval)
{
	const struct histree_interval *known = reference_at(reference, interval->quark, interval->start);
	assert_non_null(known);
	return (size_t)(known - reference->sorted);
}

/* Write down what the node has, then damage a byte of it. */
static void damage_node(struct damage_case *test, const struct tree_shape *shape, uint32_t number)
{
	struct memory_file *file = memory_io_find(&test->memory, "f");
	uint8_t *block = malloc(shape->layout.node_size);
	assert_non_null(block);
	assert_ok(block_file_read(test->tree.file, number, block, NULL));
	struct node_view view = node_view(&shape->layout, block);
	struct node_cursor cursor;
	struct histree_interval interval;
	node_cursor_begin_all(&cursor, &view);
	while (node_cursor_next(&cursor, &interval) == HISTREE_OK)
		test->lost[index_of(&test->reference, &interval)] = true;
	uint8_t *place = memmem(file->bytes, file->size, block, view.used);
	assert_non_null(place);
	place[4 + random_below(&test->random, view.used - 4)] ^= (uint8_t)(1 << random_below(&test->random, 8));
	free(block);
}

static void damage_some(struct damage_case *test)
{
	struct tree_shape shape;
	open_tree(test);
	assert_ok(tree_shape_read(test->tree.file, &shape, NULL));
	test->damaged = calloc(shape.node_count, sizeof(*test->damaged));
	assert_non_null(test->damaged);
	uint32_t wanted = 1 + (uint32_t)random_below(&test->random, random_percent(&test->random, 50) ? 2 : 8);
	for (uint32_t i = 0; i < wanted; i++) {
		uint32_t number = random_percent(&test->random, 15)
					  ? shape.root
					  : (uint32_t)random_below(&test->random, shape.node_count);
		if (!test->damaged[number])
			damage_node(test, &shape, number);
		test->damaged[number] = true;
	}
	tree_file_close(&test->tree);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

struct expected {
	struct histree_interval *holes; /* in order */
	size_t count, next;
	uint64_t known; /* intervals that are not lost */
};

static bool asks_for(const struct histree_region *region, histree_quark quark)
{
	for (size_t i = 0; region->quarks != NULL && i < region->quark_count; i++)
		if (region->quarks[i] == quark)
			return true;
	return region->quarks == NULL;
}

static bool meets(const struct histree_region *region, const struct histree_interval *interval)
{
	if (region->times == NULL)
		return interval->start <= region->to && interval->end >= region->from;
	for (size_t i = 0; i < region->time_count; i++)
		if (interval->start <= region->times[i] && interval->end >= region->times[i])
			return true;
	return false;
}

static void add_hole(struct expected *expected, histree_quark quark, histree_time start, histree_time end)
{
	struct histree_interval *before = &expected->holes[expected->count];
	if (expected->count > 0 && before[-1].quark == quark && before[-1].end == start - 1)
		before[-1].end = end;
	else
		expected->holes[expected->count++] =
			(struct histree_interval){ .quark = quark, .start = start, .end = end };
}

/* Each listed time by itself, whatever is between them. */
static void add_listed(struct expected *expected, const struct histree_region *region,
		       const struct histree_interval *lost)
{
	for (size_t i = 0; i < region->time_count; i++) {
		histree_time time = region->times[i];
		if (time >= lost->start && time <= lost->end && (i == 0 || region->times[i - 1] != time))
			expected->holes[expected->count++] =
				(struct histree_interval){ .quark = lost->quark, .start = time, .end = time };
	}
}

static void expect(const struct damage_case *test, const struct histree_region *region, struct expected *out)
{
	const struct reference *reference = &test->reference;
	*out = (struct expected){ .holes = calloc(reference->count * (region->time_count + 1) + 1,
						  sizeof(*out->holes)) };
	assert_non_null(out->holes);
	for (size_t i = 0; i < reference->count; i++) {
		const struct histree_interval *interval = &reference->sorted[i];
		if (!asks_for(region, interval->quark) || !meets(region, interval))
			continue;
		if (!test->lost[i])
			out->known++;
		else if (region->times != NULL)
			add_listed(out, region, interval);
		else
			add_hole(out, interval->quark,
				 interval->start > region->from ? interval->start : region->from,
				 interval->end < region->to ? interval->end : region->to);
	}
}

static void check_interval(const struct damage_case *test, const struct histree_region *region,
			   struct expected *expected, const struct histree_interval *found)
{
	if (found->value.type == HISTREE_UNKNOWN && expected->next < expected->count) {
		const struct histree_interval *hole = &expected->holes[expected->next];
		if (hole->quark == found->quark && hole->start == found->start && hole->end == found->end) {
			expected->next++;
			return;
		}
	}
	size_t index = index_of(&test->reference, found);
	const struct histree_interval *known = &test->reference.sorted[index];
	if (test->lost[index] || known->start != found->start || known->end != found->end ||
	    !histree_value_equal(&known->value, &found->value) || !asks_for(region, found->quark) ||
	    !meets(region, found))
		wrong(test, "attribute %u from %lld to %lld, type %s: not so", found->quark,
		      (long long)found->start, (long long)found->end, histree_type_name(found->value.type));
	expected->known--;
}

static void ask(struct damage_case *test, struct tree_iter *iter)
{
	struct region_room room;
	struct histree_region region = reference_region(&test->reference, &test->random, &room);
	struct expected expected;
	struct histree_interval found;
	struct histree_error error = { 0 };
	enum histree_status status;
	expect(test, &region, &expected);
	tree_iter_start(iter, &region);
	while ((status = tree_iter_next(iter, &found, &error)) == HISTREE_OK)
		check_interval(test, &region, &expected, &found);
	if (status != HISTREE_END)
		wrong(test, "%s", error.message);
	if (expected.known != 0 || expected.next != expected.count)
		wrong(test, "%llu intervals and %zu holes did not come", (unsigned long long)expected.known,
		      expected.count - expected.next);
	if (tree_iter_next(iter, &found, &error) != HISTREE_END)
		wrong(test, "something came after the end");
	free(expected.holes);
}

/* ---- the list of nodes ------------------------------------------------------------------------------------- */

struct listing {
	struct damage_case *test;
	struct histree_node *nodes; /* by number; `bytes` 0: it did not come yet */
	uint32_t *children;         /* of which so many came */
	uint32_t count;
};

static bool list_node(void *context, const struct histree_node *node)
{
	struct listing *listing = context;
	if (listing->nodes[node->number].bytes != 0)
		wrong(listing->test, "node %u comes twice", node->number);
	if (node->is_damaged != listing->test->damaged[node->number])
		wrong(listing->test, "node %u is damaged or not: wrong", node->number);
	if (node->parent != HISTREE_NO_NODE) {
		const struct histree_node *parent = &listing->nodes[node->parent];
		if (parent->bytes == 0 || parent->height <= node->height || parent->number <= node->number ||
		    node->start < parent->start || node->end > parent->end)
			wrong(listing->test, "node %u does not belong to node %u", node->number, node->parent);
		listing->children[node->parent]++;
	}
	listing->nodes[node->number] = *node;
	listing->count++;
	return true;
}

static void check_list(struct damage_case *test)
{
	struct tree_shape shape;
	struct histree_error error;
	assert_ok(tree_shape_read(test->tree.file, &shape, NULL));
	struct listing listing = { .test = test,
				   .nodes = calloc(shape.node_count, sizeof(*listing.nodes)),
				   .children = calloc(shape.node_count, sizeof(*listing.children)) };
	assert_true(listing.nodes != NULL && listing.children != NULL);
	if (tree_nodes(test->tree.reader, list_node, &listing, &error) != HISTREE_OK)
		wrong(test, "%s", error.message);
	if (listing.count != shape.node_count)
		wrong(test, "%u of %u nodes came", listing.count, shape.node_count);
	for (uint32_t number = 0; number < shape.node_count; number++)
		if (listing.children[number] != listing.nodes[number].child_count)
			wrong(test, "%u of %u children of node %u came", listing.children[number],
			      listing.nodes[number].child_count, number);
	free(listing.nodes);
	free(listing.children);
}

static void check_tree(struct damage_case *test, const struct workload *workload)
{
	size_t count;
	struct histree_interval *intervals = workload_intervals(workload, &count);
	struct histree_error error;
	struct tree_iter *iter;
	assert_non_null(intervals);
	assert_true(reference_make(&test->reference, intervals, count, workload->start, workload->end,
				   workload->key_count));
	test->lost = calloc(count + 1, sizeof(*test->lost));
	assert_non_null(test->lost);
	memory_io_init(&test->memory);
	if (tree_file_write(&test->memory.io, "f", &test->options, &test->reference, intervals, &error) !=
	    HISTREE_OK)
		wrong(test, "%s", error.message);
	damage_some(test);
	open_tree(test);
	assert_ok(tree_iter_create(test->tree.reader, &iter, NULL));
	for (unsigned i = 0; i < QUESTIONS; i++)
		ask(test, iter);
	tree_iter_free(iter);
	check_list(test);
	tree_file_close(&test->tree);
	memory_io_release(&test->memory);
	reference_release(&test->reference);
	free(test->lost);
	free(test->damaged);
	free(intervals);
}

static void costs_its_own_intervals(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	static const uint32_t fan_outs[] = { 3, 50 };
	struct workload workload;
	assert_true(workload_make(&workload, kind, seed));
	for (size_t shape = 0; tree_variants[shape / 2] != NULL && workload.key_count > 0; shape++) {
		struct damage_case test = {
			.options = { .variant = tree_variants[shape / 2]->name,
				     .node_size = 4096,
				     .fan_out = fan_outs[shape % 2],
				     .nulls = (enum histree_nulls)((seed + shape) % 3) },
			.kind = kind->name,
			.seed = seed,
			.random = { seed + shape },
		};
		check_tree(&test, &workload);
	}
	workload_release(&workload);
}

/* Orphans that a damaged node took, whose bounds were known and did not hold them. */
TEST(orphans_are_within_what_adopts_them)
{
	static const struct {
		const char *kind;
		uint64_t seed;
	} cases[] = { { "few long, many short", 2 }, { "out of order", 2 }, { "any attribute", 11 },
		      { "any attribute", 18 },       { "a giant", 27 },     { "long texts", 202 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (const struct workload_kind *kind = workload_kinds; kind->name != NULL; kind++)
			if (strcmp(kind->name, cases[i].kind) == 0)
				costs_its_own_intervals(kind, cases[i].seed);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = costs_its_own_intervals })
