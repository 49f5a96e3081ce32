// SPDX-License-Identifier: MIT
/*
 * property_tree.c - every variant, in every shape, answers as an array searched linearly does.
 *
 * For each kind of workload: build the tree, let tree_verify() look at it, ask it everything that can be
 * asked, from two threads at a time, and compare.
 *
 * A failure prints the shape of the tree, and the smallest workload that still fails.
 */
#include <pthread.h>

#include "driver.h"
#include "support/effort.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "support/tree_file.h"

enum {
	THREADS = 2,
	LARGE = 40, /* times as many changes in the large workloads */
};

struct tree_case {
	struct histree_tree_options options;
	size_t cache_bytes;
	unsigned questions;
	uint64_t seed;
	char fault[512];
};

/* ---- one tree ------------------------------------------------------------------------------------------ */

static void keep_first_fault(void *context, const char *fault)
{
	char *first = context;
	if (first[0] == '\0')
		snprintf(first, 256, "verify: %.240s", fault);
}

static const char *check_facts(struct tree_case *test, const struct tree_file *tree,
			       const struct reference *reference)
{
	struct histree_history_info info = { 0 };
	struct histree_error error;
	char first[256] = "";
	tree_reader_info(tree->reader, &info);
	uint64_t nodes = 0;
	for (uint32_t height = 0; height < info.depth; height++)
		nodes += info.nodes_at_height[height];
	if (info.interval_count != reference->count || nodes != info.node_count || info.start != reference->start ||
	    info.end != reference->end || tree->reader->shape.key_count != reference->key_count)
		return "the tree says other things of itself than it was made of";
	if (tree_verify(tree->reader, keep_first_fault, first, &error) == HISTREE_OK && first[0] == '\0')
		return NULL;
	snprintf(test->fault, sizeof(test->fault), "%s", first[0] != '\0' ? first : error.message);
	return test->fault;
}

struct asking {
	const struct tree_case *test;
	const struct tree_file *tree;
	const struct reference *reference;
	uint64_t seed;
	char fault[512]; /* empty: none */
};

static void *ask(void *context)
{
	struct asking *asking = context;
	struct histree_error error;
	struct answer answer;
	struct subject subject;
	if (!answer_make(&answer, asking->reference)) {
		snprintf(asking->fault, sizeof(asking->fault), "out of memory");
		return NULL;
	}
	struct random random = { asking->seed };
	if (tree_file_subject(asking->tree, &subject, &error) != HISTREE_OK) {
		snprintf(asking->fault, sizeof(asking->fault), "%s", error.message);
	} else {
		const char *fault = reference_compare_many(asking->reference, &answer, &subject, &random,
							   asking->test->questions);
		if (fault != NULL)
			snprintf(asking->fault, sizeof(asking->fault), "query: %s", fault);
		tree_iter_free(subject.query);
	}
	answer_release(&answer);
	return NULL;
}

static const char *ask_from_threads(struct tree_case *test, const struct tree_file *tree,
				    const struct reference *reference)
{
	pthread_t threads[THREADS];
	struct asking asking[THREADS];
	int started = 0;
	for (; started < THREADS; started++) {
		asking[started] = (struct asking){
			.test = test, .tree = tree, .reference = reference, .seed = test->seed + (uint64_t)started
		};
		if (pthread_create(&threads[started], NULL, ask, &asking[started]) != 0)
			break;
	}
	const char *fault = started < THREADS ? "no thread" : NULL;
	while (started-- > 0) {
		pthread_join(threads[started], NULL);
		if (asking[started].fault[0] == '\0')
			continue;
		snprintf(test->fault, sizeof(test->fault), "%s", asking[started].fault);
		fault = test->fault;
	}
	return fault;
}

static const char *check_tree(struct tree_case *test, const struct reference *reference,
			      const struct histree_interval *intervals)
{
	struct memory_io memory;
	struct tree_file tree;
	struct histree_error error;
	memory_io_init(&memory);
	const char *fault = NULL;
	enum histree_status status =
		tree_file_write(&memory.io, "tree", &test->options, reference, intervals, &error);
	if (status == HISTREE_OK)
		status = tree_file_open(&memory.io, "tree", test->cache_bytes, &tree, &error);
	if (status != HISTREE_OK) {
		snprintf(test->fault, sizeof(test->fault), "%s", error.message);
		fault = test->fault;
		goto out;
	}
	fault = check_facts(test, &tree, reference);
	if (fault == NULL)
		fault = ask_from_threads(test, &tree, reference);
	tree_file_close(&tree);
out:
	memory_io_release(&memory);
	return fault;
}

static const char *check_workload(void *context, const struct workload *workload)
{
	size_t count;
	struct reference reference;
	struct histree_interval *intervals = workload_intervals(workload, &count);
	if (intervals == NULL ||
	    !reference_make(&reference, intervals, count, workload->start, workload->end, workload->key_count)) {
		free(intervals);
		return "out of memory";
	}
	const char *fault = check_tree(context, &reference, intervals);
	reference_release(&reference);
	free(intervals);
	return fault;
}

/* ---- all shapes ---------------------------------------------------------------------------------------- */

/* Every variant with its own depth of R-trees, R-SHTs of more levels, and every preference. */
struct variant_case {
	const char *name;
	uint32_t r_depth, r_nodes;
	enum histree_preference prefer;
};

static const struct variant_case variants[] = {
	{ .name = "sht" },
	{ .name = "osht" },
	{ .name = "esht" },
	{ .name = "rsht", .r_depth = 2 },
	{ .name = "rsht", .r_depth = 3 },
	{ .name = "rsht", .r_depth = 4 },
	{ .name = "vrsht" },
	{ .name = "vrsht", .r_nodes = 4 },
	{ .name = "cluster" },
	{ .name = "cluster", .prefer = HISTREE_PREFER_SINGLE },
	{ .name = "cluster", .prefer = HISTREE_PREFER_FULL },
	{ .name = "cluster", .prefer = HISTREE_PREFER_SPACE },
};
static const uint32_t node_sizes[] = { 4 << 10, 16 << 10, 64 << 10, 1 << 20 };
static const uint32_t fan_outs[] = { 2, 3, 50, 1000 };
static const size_t cache_sizes[] = { 1, 16 << 20 };
static const size_t memory_sizes[] = { 0, 1 << 20 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
enum { SHAPES = COUNT_OF(variants) * COUNT_OF(node_sizes) * COUNT_OF(fan_outs) };

static struct tree_case shape_case(size_t shape, uint64_t seed)
{
	const struct variant_case *variant = &variants[shape % COUNT_OF(variants)];
	shape /= COUNT_OF(variants);
	uint32_t node_size = node_sizes[shape % COUNT_OF(node_sizes)];
	shape /= COUNT_OF(node_sizes);
	return (struct tree_case){
		.options = { .variant = variant->name,
			     .r_depth = variant->r_depth,
			     .r_nodes = variant->r_nodes,
			     .prefer = variant->prefer,
			     .node_size = node_size,
			     .fan_out = fan_outs[shape % COUNT_OF(fan_outs)],
			     .memory_max = memory_sizes[hash_mix(seed ^ shape) % COUNT_OF(memory_sizes)],
			     .threads = 1 +
					(uint32_t)(seed + shape) % tree_variant_by_name(variant->name)->threads_max,
			     .nulls = (enum histree_nulls)(hash_mix(seed + shape + 1) % 3) },
		.cache_bytes = cache_sizes[hash_mix(seed + shape) % COUNT_OF(cache_sizes)],
		.questions = 12,
		.seed = seed,
	};
}

static void check_shapes(const struct workload_kind *kind, uint64_t seed, size_t first, size_t step,
			 unsigned questions)
{
	struct workload workload;
	struct reference reference;
	size_t count;
	assert_true(workload_make(&workload, kind, seed));
	struct histree_interval *intervals = workload_intervals(&workload, &count);
	assert_non_null(intervals);
	assert_true(reference_make(&reference, intervals, count, workload.start, workload.end, workload.key_count));
	for (size_t shape = first; shape < SHAPES; shape += step) {
		struct tree_case test = shape_case(shape, seed);
		test.questions = questions;
		const char *fault = check_tree(&test, &reference, intervals);
		if (fault != NULL)
			property_fail_shrunk(&workload, &(struct workload_check){ check_workload, &test }, fault,
					     "workload '%s': variant %s, r %u, node size %u, fan-out %u, nulls %d, "
					     "cache %zu",
					     kind->name, test.options.variant, test.options.r_depth,
					     test.options.node_size, test.options.fan_out, (int)test.options.nulls,
					     test.cache_bytes);
	}
	free(intervals);
	reference_release(&reference);
	workload_release(&workload);
}

static void answers_as_an_array(const void *kind, uint64_t seed)
{
	size_t stride = test_effort(1, 11);
	check_shapes(kind, seed, seed % stride, stride, 12);
}

static bool can_be_large(const void *kind)
{
	return ((const struct workload_kind *)kind)->changes >= 2000;
}

/* As many intervals as there is time for, in a few shapes (in one, if quick), which change with the seed. */
static void answers_as_a_large_array(const void *chosen, uint64_t seed)
{
	struct workload_kind kind = *(const struct workload_kind *)chosen;
	size_t stride = test_effort(29, SHAPES);
	kind.changes *= LARGE;
	kind.key_count *= kind.choice == CHOOSE_ANY || kind.choice == CHOOSE_LATE ? LARGE : 1;
	kind.step_max = kind.step_max > UINT64_C(1) << 40 ? kind.step_max / LARGE : kind.step_max;
	check_shapes(&kind, seed, (size_t)(hash_mix(seed) % stride), stride, 8);
}

/* A new variant must be tested too. */
TEST(no_variant_is_forgotten)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		size_t found = 0;
		while (found < COUNT_OF(variants) && strcmp(variants[found].name, tree_variants[i]->name) != 0)
			found++;
		assert_true(found < COUNT_OF(variants));
	}
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = answers_as_an_array },
	   { KINDS(workload_kinds), .rounds = 1, .check = answers_as_a_large_array, .applies = can_be_large })
