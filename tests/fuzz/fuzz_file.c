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
#include "tree/tree_reader_inside.h"

static void ignore(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static uint64_t ask(struct tree_iter *iter, const struct histree_region *region, bool sound)
{
	struct histree_interval interval;
	enum histree_status status;
	uint64_t count = 0;
	tree_iter_start(iter, region);
	while ((status = tree_iter_next(iter, &interval, NULL)) == HISTREE_OK)
		count++;
	REQUIRE(status == HISTREE_END || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_MEMORY);
	REQUIRE(!sound || status == HISTREE_END);
	REQUIRE(!sound || tree_iter_stats(iter).nodes_visited <= tree_iter_stats(iter).intervals + UINT32_MAX);
	return count;
}

static void ask_everything(const struct tree_file *tree, bool sound)
{
	const struct tree_shape *shape = &tree->reader->shape;
	struct tree_iter *iter;
	if (tree_iter_create(tree->reader, &iter, NULL) != HISTREE_OK)
		return;
	histree_time middle = (histree_time)((uint64_t)shape->start + ((uint64_t)shape->end - (uint64_t)shape->start) / 2);
	const histree_time times[] = { shape->start, middle, shape->end };
	uint64_t all = ask(iter, &(struct histree_region){ .from = shape->start, .to = shape->end }, sound);
	REQUIRE(!sound || all == tree->reader->statistics.interval_count);
	for (size_t i = 0; i < 3; i++) {
		uint64_t full = ask(iter, &(struct histree_region){ .from = times[i], .to = times[i] }, sound);
		REQUIRE(!sound || full == shape->key_count);
	}
	ask(iter, &(struct histree_region){ .times = times, .time_count = 3 }, sound);
	if (shape->key_count > 0) {
		const histree_quark ends[] = { 0, shape->key_count - 1 };
		size_t count = shape->key_count > 1 ? 2 : 1;
		uint64_t single = ask(
			iter, &(struct histree_region){ .quarks = ends, .quark_count = 1, .from = middle, .to = middle }, sound);
		REQUIRE(!sound || single == 1);
		ask(iter, &(struct histree_region){ .quarks = ends, .quark_count = count, .from = middle, .to = shape->end },
		    sound);
		ask(iter, &(struct histree_region){ .quarks = ends, .quark_count = count, .times = times, .time_count = 3 },
		    sound);
	}
	tree_iter_free(iter);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
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
