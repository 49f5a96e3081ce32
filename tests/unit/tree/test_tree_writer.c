// SPDX-License-Identifier: MIT
/*
 * test_tree_writer.c - what a tree refuses, and the shape that each variant gives it.
 */
#include "support/model_tree.h"
#include "support/test.h"

struct writing {
	struct memory_io memory;
	struct block_file *file;
	struct tree_writer *writer;
	struct histree_error error;
};

static void set_up(struct writing *writing, const char *variant, histree_time start)
{
	struct tree_options options;
	const struct histree_tree_options asked = { .variant = variant, .node_size = 4096, .fan_out = 3 };
	memory_io_init(&writing->memory);
	assert_ok(tree_options_resolve(&asked, start, &options, NULL));
	assert_ok(block_file_create(&writing->memory.io, "f", 4096, &writing->file, NULL));
	assert_ok(tree_writer_create(writing->file, &options, &writing->writer, NULL));
}

static void tear_down(struct writing *writing)
{
	tree_writer_free(writing->writer);
	block_file_close(writing->file);
	assert_null(memory_io_find(&writing->memory, "f"));
	memory_io_release(&writing->memory);
}

static enum histree_status add(struct writing *writing, histree_quark quark, histree_time start, histree_time end,
			       struct histree_value value)
{
	const struct histree_interval interval = { .start = start, .end = end, .quark = quark, .value = value };
	size_t added;
	return tree_writer_add(writing->writer, &interval, 1, &added, &writing->error);
}

/* Each refusal names the times, and what comes after it is taken as if nothing had been. */
TEST(intervals_outside_time_are_refused)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct writing writing;
		set_up(&writing, tree_variants[i]->name, 100);
		assert_int_equal(add(&writing, 0, 99, 120, histree_null()), HISTREE_ERR_TIME_RANGE);
		assert_string_equal(writing.error.message,
				    "an interval from 99 to 120 in a history that starts at 100");
		assert_int_equal(add(&writing, 0, 120, 119, histree_null()), HISTREE_ERR_TIME_RANGE);
		assert_int_equal(add(&writing, 0, 120, INT64_MAX, histree_null()), HISTREE_ERR_TIME_RANGE);
		assert_ok(add(&writing, 0, 100, 119, histree_null()));
		assert_ok(add(&writing, 0, 120, 120, histree_int(4)));
		assert_int_equal(tree_writer_finish(writing.writer, 119, 1, &writing.error),
				 HISTREE_ERR_TIME_RANGE);
		assert_int_equal(tree_writer_finish(writing.writer, INT64_MAX, 1, &writing.error),
				 HISTREE_ERR_TIME_RANGE);
		assert_int_equal(tree_writer_finish(writing.writer, 120, 0, &writing.error),
				 HISTREE_ERR_TIME_RANGE);
		assert_ok(tree_writer_finish(writing.writer, 120, 1, &writing.error));
		tear_down(&writing);
	}
}

TEST(values_are_taken_up_to_the_limit)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct writing writing;
		char text[4096] = { 0 };
		set_up(&writing, tree_variants[i]->name, INT64_MIN);
		size_t most = tree_writer_value_size_max(writing.writer);
		assert_in_range(most, 1900, 4096);
		assert_int_equal(add(&writing, 0, 0, 1, histree_custom(text, most + 1)), HISTREE_ERR_TOO_LARGE);
		assert_non_null(strstr(writing.error.message, "use a greater node size"));
		for (histree_quark quark = 0; quark < 20;
		     quark++) /* from the first moment to the last: the longest rows */
			assert_ok(add(&writing, quark, INT64_MIN, INT64_MAX - 1, histree_string_n(text, most)));
		assert_ok(tree_writer_finish(writing.writer, INT64_MAX - 1, 20, NULL));
		tear_down(&writing);
	}
}

TEST(options_are_checked)
{
	static const struct {
		struct histree_tree_options asked;
		const char *reason; /* NULL: fine */
	} cases[] = {
		{ { .variant = NULL }, NULL },
		{ { .variant = "btree" },
		  "there is no tree variant 'btree'; there are sht, osht, esht, rsht, vrsht, cluster" },
		{ { .variant = "" }, "there is no tree variant ''" },
		{ { .variant = "sht", .r_depth = 2 }, "variant 'sht' has no R-tree depth" },
		{ { .variant = "rsht", .r_depth = 1 }, "an R-tree of 1 levels: it may have 2 to 16" },
		{ { .variant = "rsht", .r_depth = 17 }, "an R-tree of 17 levels" },
		{ { .variant = "vrsht", .r_depth = 16 }, NULL },
		{ { .variant = "vrsht", .r_nodes = 2 }, NULL },
		{ { .variant = "vrsht", .r_nodes = 1 }, "1 nodes for a single query: it may be 2 to 1000" },
		{ { .variant = "rsht", .r_nodes = 9 },
		  "variant 'rsht' does not fit its depth to queries; vrsht does" },
		{ { .prefer = HISTREE_PREFER_SPACE }, NULL },
		{ { .prefer = HISTREE_PREFER_SPACE + 1 }, "there is no preference 4" },
		{ { .variant = "esht", .prefer = HISTREE_PREFER_FULL },
		  "variant 'esht' is what the papers say, without preferences; cluster has them" },
		{ { .node_size = 2048 },
		  "a node size of 2048 bytes: it must be a power of two from 4096 to 1048576" },
		{ { .node_size = 5000 }, "a node size of 5000 bytes" },
		{ { .node_size = 2 << 20 }, "a node size of 2097152 bytes" },
		{ { .node_size = 1 << 20 }, NULL },
		{ { .fan_out = 1 }, "a fan-out of 1: it may be 2 to 1000" },
		{ { .fan_out = 1001 }, "a fan-out of 1001" },
		{ { .variant = "cluster", .threads = 2 }, NULL },
		{ { .threads = 3 }, NULL },
		{ { .threads = 4 }, "variant 'cluster' has work for 3 threads, not for 4" },
		{ { .variant = "sht", .threads = 1 }, NULL },
		{ { .variant = "sht", .threads = 2 }, NULL },
		{ { .variant = "sht", .threads = 3 }, "variant 'sht' has work for 2 threads, not for 3" },
		{ { .memory_max = 1 }, "1 bytes of memory: at least 1048576 are needed" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tree_options options;
		struct histree_error error = { 0 };
		enum histree_status status = tree_options_resolve(&cases[i].asked, 0, &options, &error);
		assert_int_equal(status, cases[i].reason == NULL ? HISTREE_OK : HISTREE_ERR_ARGUMENT);
		if (cases[i].reason != NULL && strstr(error.message, cases[i].reason) == NULL)
			fail_msg("refused, but because: %s", error.message);
	}
}

TEST(every_variant_is_found_by_name_and_number)
{
	size_t count = 0;
	for (; tree_variants[count] != NULL; count++) {
		assert_ptr_equal(tree_variant_by_name(tree_variants[count]->name), tree_variants[count]);
		assert_ptr_equal(tree_variant_by_id(tree_variants[count]->id), tree_variants[count]);
	}
	assert_int_equal(count, 6);
	assert_null(tree_variant_by_id(0));
	assert_null(tree_variant_by_name("SHT"));
}

/* ---- shapes -------------------------------------------------------------------------------------------- */

static void build(struct model_tree *built, const struct histree_tree_options *asked, uint32_t keys, uint32_t turns)
{
	struct histree_error error;
	const struct model model = { .keys = keys, .turns = turns };
	if (model_tree_build(built, asked, &model, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	/* Each key has a state more than turns, but the one that changes when the history starts. */
	assert_int_equal(built->info.interval_count, (uint64_t)keys * (turns + 1) - 1);
}

TEST(a_small_history_is_one_node)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct model_tree built;
		build(&built,
		      &(struct histree_tree_options){ .variant = tree_variants[i]->name, .node_size = 65536 }, 10,
		      5);
		assert_int_equal(built.info.node_count, 1);
		assert_int_equal(built.info.depth, 1);
		assert_int_equal(built.info.nodes_at_height[0], 1);
		assert_string_equal(built.info.variant, tree_variants[i]->name);
		model_tree_release(&built);
	}
}

/* Thesis 4.4.2: with many attributes the SHT is a comb of nearly empty nodes, and the others are not. */
TEST(only_the_sht_degenerates)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct model_tree built;
		const char *name = tree_variants[i]->name;
		build(&built, &(struct histree_tree_options){ .variant = name, .node_size = 4096, .fan_out = 50 },
		      6000, 4);
		uint64_t fill = built.info.node_bytes_used * 100 / built.info.node_bytes;
		if (strcmp(name, "sht") == 0) {
			assert_true(built.info.depth > 10);
			assert_true(fill < 50);
		} else {
			assert_in_range(built.info.depth, 2, 4);
			assert_in_range(fill, 85, 100);
		}
		model_tree_release(&built);
	}
}

/* Algorithm 4.2 sorts by key: the leaves of an R-SHT have narrow ranges of keys, those of an eSHT all keys. */
TEST(r_trees_cluster_by_key)
{
	struct model_tree esht, rsht;
	build(&esht, &(struct histree_tree_options){ .variant = "esht", .node_size = 4096 }, 6000, 4);
	build(&rsht, &(struct histree_tree_options){ .variant = "rsht", .node_size = 4096 }, 6000, 4);
	assert_true(esht.info.key_range_nodes[0] * 10 < esht.info.node_count);
	assert_true(rsht.info.key_range_nodes[0] * 10 > rsht.info.node_count * 8);
	assert_int_equal(rsht.info.r_depth, 2);
	assert_int_equal(esht.info.r_depth, 0);
	model_tree_release(&esht);
	model_tree_release(&rsht);
}

/* Thesis 4.7.4: r = ceil(log_c(A / n)), reached one step at a time. */
TEST(vr_trees_grow_with_the_attributes)
{
	struct model_tree few, many;
	const struct histree_tree_options asked = { .variant = "vrsht", .node_size = 4096, .fan_out = 4 };
	build(&few, &asked, 300, 200);
	build(&many, &asked, 30000, 4);
	assert_int_equal(few.info.r_depth, 2);
	assert_int_equal(many.info.r_depth, 4);
	model_tree_release(&few);
	model_tree_release(&many);
}

/* With a buffer that may take 1 MiB, R-trees are smaller than they could be, and still right. */
TEST(a_small_buffer_makes_small_r_trees)
{
	struct model_tree built;
	build(&built,
	      &(struct histree_tree_options){
		      .variant = "rsht", .r_depth = 4, .node_size = 4096, .memory_max = 1 << 20 },
	      20000, 4);
	assert_ok(tree_verify(built.tree.reader, NULL, NULL, NULL));
	assert_true(built.info.nodes_at_height[built.info.depth - 1] == 1);
	model_tree_release(&built);
}

/* A thread that writes changes when things are done, and not what is done. */
TEST(threads_make_no_difference)
{
	struct model_tree one, two;
	struct histree_tree_options asked = {
		.variant = "cluster", .node_size = 4096, .memory_max = 1 << 20, .threads = 1
	};
	build(&one, &asked, 3000, 40);
	asked.threads = 2;
	build(&two, &asked, 3000, 40);
	assert_true(one.info.node_count > 20);
	const struct memory_file *file = memory_io_find(&one.memory, "f"),
				 *other = memory_io_find(&two.memory, "f");
	assert_int_equal(file->size, other->size);
	assert_memory_equal(file->bytes, other->bytes, file->size);
	assert_ok(tree_verify(two.tree.reader, NULL, NULL, NULL));
	model_tree_release(&one);
	model_tree_release(&two);
}
