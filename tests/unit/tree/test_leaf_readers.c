// SPDX-License-Identifier: MIT
/*
 * test_leaf_readers.c - an iterator with threads gives what one without gives, in the same order and with the same
 * counts; also if it is stopped, if reading fails, and if leaves are damaged.
 */
#include <errno.h>

#include "base/hash_index.h"
#include "support/model_tree.h"
#include "support/test.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"

enum { ROUNDS = 60, KEYS_MAX = 8, TIMES_MAX = 6, ROOM_MAX = 100 };

static const struct model model = { .keys = 3000, .turns = 12, .slow_every = 9, .slowness = 5 };

struct pair {
	struct tree_iter *alone, *helped;
};

static void build(struct model_tree *built, const char *variant)
{
	struct histree_error error;
	const struct histree_tree_options asked = { .variant = variant, .node_size = 4096, .fan_out = 20 };
	if (model_tree_build(built, &asked, &model, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
}

static struct pair make_pair(struct tree_reader *reader, unsigned threads)
{
	struct pair pair;
	assert_ok(tree_iter_create(reader, &pair.alone, NULL));
	assert_ok(tree_iter_create(reader, &pair.helped, NULL));
	assert_ok(tree_iter_set_threads(pair.helped, threads, NULL));
	return pair;
}

static void free_pair(struct pair *pair)
{
	tree_iter_free(pair->alone);
	tree_iter_free(pair->helped);
}

struct lists {
	histree_quark quarks[KEYS_MAX];
	histree_time times[TIMES_MAX];
};

/* Some attributes or all, at one time, over a range, or at some times. */
static struct histree_region draw(struct random *random, struct lists *room)
{
	struct histree_region region = { 0 };
	uint64_t end = (uint64_t)model_end(&model);
	if (random_percent(random, 30)) {
		region.quarks = room->quarks;
		for (histree_quark next = random_index(random, 900);
		     next < model.keys && region.quark_count < KEYS_MAX; next += 1 + random_index(random, 900))
			room->quarks[region.quark_count++] = next;
	}
	region.from = (histree_time)random_below(random, end);
	region.to = random_percent(random, 50)
			    ? region.from
			    : region.from + (histree_time)random_below(random, end - region.from);
	if (random_percent(random, 30)) {
		region.times = room->times;
		for (uint64_t next = random_below(random, end / 3); next <= end && region.time_count < TIMES_MAX;
		     next += 1 + random_below(random, end / 3))
			room->times[region.time_count++] = (histree_time)next;
	}
	return region;
}

static void assert_same(const struct histree_interval *a, const struct histree_interval *b)
{
	assert_int_equal(a->quark, b->quark);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->end, b->end);
	assert_true(histree_value_equal(&a->value, &b->value));
}

/* Ask both, and compare up to `most` intervals, one by one or many at a time. */
static void compare(const struct pair *pair, const struct histree_region *region, size_t most,
		    struct random *random)
{
	tree_iter_start(pair->alone, region);
	tree_iter_start(pair->helped, region);
	for (size_t seen = 0; seen < most;) {
		struct histree_interval many[ROOM_MAX], one;
		size_t count;
		enum histree_status status =
			tree_iter_read(pair->helped, many, 1 + random_index(random, ROOM_MAX), &count, NULL);
		for (size_t i = 0; i < count; i++, seen++) {
			assert_ok(tree_iter_next(pair->alone, &one, NULL));
			assert_same(&one, &many[i]);
		}
		if (status == HISTREE_OK)
			continue;
		assert_int_equal(status, HISTREE_END);
		assert_int_equal(tree_iter_next(pair->alone, &one, NULL), HISTREE_END);
		struct tree_counts alone = tree_iter_stats(pair->alone);
		struct tree_counts helped = tree_iter_stats(pair->helped);
		assert_int_equal(helped.intervals, alone.intervals);
		assert_int_equal(helped.nodes_visited, alone.nodes_visited);
		assert_int_equal(helped.nodes_damaged, alone.nodes_damaged);
		return;
	}
}

TEST(threads_give_the_same_in_the_same_order)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct model_tree built;
		struct random random = { i };
		build(&built, tree_variants[i]->name);
		struct pair pair = make_pair(built.tree.reader, 2 + (unsigned)i % 3);
		/* What a query borrows stays until the next one is started, as its threads may still read ahead. */
		struct lists rooms[2];
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct histree_region region = draw(&random, &rooms[round % 2]);
			bool is_whole = random_percent(&random, 70);
			compare(&pair, &region, is_whole ? SIZE_MAX : random_below(&random, 500), &random);
		}
		free_pair(&pair);
		model_tree_release(&built);
	}
}

/* Leaves whose intervals the threads have no room for are read to their end all the same. */
TEST(a_leaf_may_have_more_than_is_read_ahead)
{
	static const struct model large = { .keys = 200, .turns = 3000 };
	const struct histree_tree_options asked = { .node_size = 1 << 20 };
	struct model_tree built;
	struct random random = { 1 };
	assert_ok(model_tree_build(&built, &asked, &large, NULL));
	struct pair pair = make_pair(built.tree.reader, 2);
	const struct histree_region all = { .to = model_end(&large) };
	compare(&pair, &all, SIZE_MAX, &random);
	free_pair(&pair);
	model_tree_release(&built);
}

/* A disk in memory on which one block cannot be read for a while. */
static const struct io *sound_io;
static _Atomic(off_t) broken_offset; /* 0: none */

static ssize_t flaky_pread(void *context, int file, void *bytes, size_t size, off_t offset)
{
	errno = EIO;
	return offset != 0 && offset == broken_offset ? -1 : sound_io->pread(context, file, bytes, size, offset);
}

/* Where reading fails, the error comes after what is before it, and whoever asks again gets the rest. */
TEST(an_error_comes_where_it_belongs)
{
	struct model_tree built;
	build(&built, "esht");
	sound_io = &built.memory.io;
	struct io flaky = *sound_io;
	flaky.pread = flaky_pread;
	const struct histree_region all = { .to = model_end(&model) };
	for (uint32_t node = 0; node + 1 < built.info.node_count; node += 3) {
		struct tree_file tree;
		struct tree_iter *alone, *helped;
		struct histree_interval one, other;
		enum histree_status status;
		size_t failures = 0;
		assert_ok(tree_file_open(&flaky, "f", 1, &tree, NULL));
		assert_ok(tree_iter_create(built.tree.reader, &alone, NULL));
		assert_ok(tree_iter_create(tree.reader, &helped, NULL));
		assert_ok(tree_iter_set_threads(helped, 2, NULL));
		tree_iter_start(alone, &all);
		tree_iter_start(helped, &all);
		broken_offset = BLOCK_FILE_HEADER_SIZE + (off_t)node * 4096;
		while ((status = tree_iter_next(helped, &one, NULL)) != HISTREE_END) {
			if (status == HISTREE_ERR_IO) {
				if (++failures == 2) /* it fails as often as it is asked for */
					broken_offset = 0;
				continue;
			}
			assert_ok(status);
			assert_ok(tree_iter_next(alone, &other, NULL));
			assert_same(&one, &other);
		}
		assert_int_equal(tree_iter_next(alone, &other, NULL), HISTREE_END);
		assert_int_equal(failures, 2);
		tree_iter_free(alone);
		tree_iter_free(helped);
		tree_file_close(&tree);
	}
	model_tree_release(&built);
}

/* A damaged leaf is passed by, and what it held is unknown, whoever read it. */
TEST(damage_is_met_alike)
{
	struct model_tree built;
	struct random random = { 3 };
	build(&built, "esht");
	uint8_t *bytes = memory_io_find(&built.memory, "f")->bytes;
	for (uint32_t node = 1; node + 1 < built.info.node_count; node += 5)
		bytes[BLOCK_FILE_HEADER_SIZE + (size_t)node * 4096 + 200] ^= 1;
	for (unsigned round = 0; round < 6; round++) {
		struct tree_file tree;
		struct lists room;
		struct histree_region region = draw(&random, &room);
		assert_ok(tree_file_open(&built.memory.io, "f", 1 << 20, &tree, NULL));
		struct pair pair = make_pair(tree.reader, 3);
		/* Who meets damage first counts it: both know of it from here on. */
		compare(&pair, &(struct histree_region){ .to = model_end(&model) }, SIZE_MAX, &random);
		assert_true(tree_iter_stats(pair.helped).nodes_damaged > 3);
		compare(&pair, &region, SIZE_MAX, &random);
		free_pair(&pair);
		tree_file_close(&tree);
	}
	model_tree_release(&built);
}

/* The lists of a region are the caller's again as soon as the answer is at its end. */
TEST(nothing_is_read_after_the_end)
{
	struct model_tree built;
	build(&built, "esht");
	struct pair pair = make_pair(built.tree.reader, 4);
	for (unsigned round = 0; round < 200; round++) {
		histree_quark quark = round * 13;
		struct histree_interval interval;
		const struct histree_region single = { .quarks = &quark, .quark_count = 1, .from = 900, .to = 900 };
		tree_iter_start(pair.helped, &single);
		assert_ok(tree_iter_next(pair.helped, &interval, NULL));
		assert_int_equal(interval.quark, round * 13);
		quark = UINT32_MAX; /* a thread that looks at it would find nothing, and TSan would tell */
	}
	free_pair(&pair);
	model_tree_release(&built);
}
