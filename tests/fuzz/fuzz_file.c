// SPDX-License-Identifier: MIT
/*
 * fuzz_file.c - a whole history file in memory (image.h), its checksums made right: open, verify, ask everything.
 *
 * Whatever the file says, all of it ends, and what tree_verify() finds sound keeps the promises of a query.
 */
#include "fuzz.h"
#include "image.h"
#include "support/memory_io.h"
#include "support/tree_file.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"

static void ignore(void *context, const char *fault)
{
	(void)context, (void)fault;
}

/* One who asks; of a file that tree_verify() found sound, the answers are checked too. */
struct asker {
	struct tree_iter *iter;
	uint32_t node_count;
	bool sound;
};

static uint64_t ask(const struct asker *asker, struct histree_region region)
{
	struct histree_interval interval;
	enum histree_status status;
	uint64_t count = 0;
	tree_iter_start(asker->iter, &region);
	while ((status = tree_iter_next(asker->iter, &interval, NULL)) == HISTREE_OK)
		count++;
	REQUIRE(status == HISTREE_END || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_MEMORY);
	REQUIRE(!asker->sound || status == HISTREE_END);
	REQUIRE(tree_iter_stats(asker->iter).nodes_visited <= asker->node_count);
	return count;
}

static void ask_everything(const struct tree_file *tree, bool sound)
{
	const struct tree_shape *shape = &tree->reader->shape;
	struct asker asker = { .node_count = shape->node_count, .sound = sound };
	if (tree_iter_create(tree->reader, &asker.iter, NULL) != HISTREE_OK)
		return;
	histree_time start = shape->start, end = shape->end;
	histree_time middle = (histree_time)((uint64_t)start + ((uint64_t)end - (uint64_t)start) / 2);
	const histree_time times[] = { start, middle, end };
	uint64_t all = ask(&asker, (struct histree_region){ .from = start, .to = end });
	REQUIRE(!sound || all == tree->reader->statistics.interval_count);
	for (size_t i = 0; i < 3; i++) {
		uint64_t full = ask(&asker, (struct histree_region){ .from = times[i], .to = times[i] });
		REQUIRE(!sound || full == shape->key_count);
	}
	ask(&asker, (struct histree_region){ .times = times, .time_count = 3 });
	if (shape->key_count > 0) {
		const histree_quark ends[] = { 0, shape->key_count - 1 };
		size_t count = shape->key_count > 1 ? 2 : 1;
		struct histree_region some = { .quarks = ends, .quark_count = 1, .from = middle, .to = middle };
		uint64_t single = ask(&asker, some);
		REQUIRE(!sound || single == 1);
		some.quark_count = count;
		some.to = end;
		ask(&asker, some);
		some.times = times;
		some.time_count = 3;
		ask(&asker, some);
	}
	tree_iter_free(asker.iter);
}

FUZZ_TARGET(bytes, size)
{
	struct memory_io memory;
	struct tree_file tree;
	size_t image_size;
	uint8_t *image = image_unpack(bytes, size, &image_size);
	REQUIRE(image != NULL);
	memory_io_init(&memory);
	REQUIRE(memory_io_put(&memory, "f", image, image_size));
	free(image);
	if (tree_file_open(&memory.io, "f", 1, &tree, NULL) == HISTREE_OK) {
		bool sound = tree_verify(tree.reader, ignore, NULL, NULL) == HISTREE_OK;
		ask_everything(&tree, sound);
		tree_file_close(&tree);
	}
	memory_io_release(&memory);
	return 0;
}
