// SPDX-License-Identifier: MIT
/*
 * fuzz_tail.c - bytes as a tail (image.h), its checksums made right, behind a file that is not complete.
 *
 * It says of itself where the other file's bytes end, and of nodes and sections that they are in either: all of it
 * is refused, or ends, and nothing is read that is in neither.
 */
#include "fuzz.h"
#include "image.h"
#include "support/memory_io.h"
#include "support/tree_file.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"

enum { MAIN_SIZE = 4 * 4096 };

static void ignore(void *context, const char *fault)
{
	(void)context, (void)fault;
}

FUZZ_TARGET(bytes, size)
{
	static const uint8_t main_file[MAIN_SIZE];
	struct memory_io memory;
	struct block_file *file;
	size_t image_size;
	uint8_t *image = image_unpack(bytes, size, &image_size);
	REQUIRE(image != NULL);
	memory_io_init(&memory);
	REQUIRE(memory_io_put(&memory, "f", main_file, sizeof(main_file)));
	REQUIRE(memory_io_put(&memory, "f.tail", image, image_size));
	free(image);
	if (block_file_open(&memory.io, "f", &file, NULL) == HISTREE_OK) {
		struct tree_reader *reader;
		REQUIRE(file->is_tail);
		if (tree_reader_open(file, 1, 0, &reader, NULL) == HISTREE_OK) {
			struct tree_iter *iter;
			struct histree_interval interval;
			(void)tree_verify(reader, ignore, NULL, NULL);
			if (tree_iter_create(reader, &iter, NULL) == HISTREE_OK) {
				tree_iter_start(iter, &(struct histree_region){ .from = reader->shape.start,
										.to = reader->shape.end });
				while (tree_iter_next(iter, &interval, NULL) == HISTREE_OK)
					;
				tree_iter_free(iter);
			}
			tree_reader_close(reader);
		}
		block_file_close(file);
	}
	memory_io_release(&memory);
	return 0;
}
