// SPDX-License-Identifier: MIT
/*
 * make_corpus FOLDER - write the first inputs of each target: what a real history looks like to it.
 *
 * The corpus in tests/fuzz/corpus came from here; inputs that once failed are added to it by hand.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "image.h"
#include "item/value_codec.h"
#include "store/block_file.h"
#include "support/memory_io.h"
#include "support/tree_file.h"
#include "support/workload.h"

static const char *root;

static void put(const char *target, const char *name, const uint8_t *bytes, size_t size)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", root, target);
	REQUIRE(mkdir(path, 0777) == 0 || errno == EEXIST);
	snprintf(path, sizeof(path), "%s/%s/%s", root, target, name);
	FILE *file = fopen(path, "wb");
	REQUIRE(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* The same with the byte before it that chooses what it is. */
static void put_chosen(const char *target, const char *name, uint8_t choice, const uint8_t *bytes, size_t size)
{
	uint8_t *chosen = malloc(size + 1);
	REQUIRE(chosen != NULL);
	chosen[0] = choice;
	memcpy(chosen + 1, bytes, size);
	put(target, name, chosen, size + 1);
	free(chosen);
}

static void put_values(void)
{
	const struct histree_value values[] = {
		histree_null(),	    histree_int(INT32_MIN), histree_long(INT64_MAX),
		histree_double((double)NAN), histree_bool(true), histree_string("running"), histree_custom("\1\2", 2),
	};
	uint8_t bytes[128], *at = bytes;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		at = value_encode(at, &values[i]);
	put("value", "all-types", bytes, (size_t)(at - bytes));
}

static void put_sections(const uint8_t *file, const char *variant)
{
	const uint8_t *entry = file + get_le64(file + 40);
	for (uint32_t i = 0; i < get_le32(file + 48); i++, entry += 24) {
		char name[64];
		bool is_shape = get_le32(entry) == SECTION_TREE;
		snprintf(name, sizeof(name), "%s-%s", is_shape ? "shape" : "statistics", variant);
		put_chosen("sections", name, is_shape ? 0 : 1, file + get_le64(entry + 8), get_le64(entry + 16));
	}
}

/* The first leaf and the root: a byte of fuzz_node.c says bounds of children and fan-out 3. */
static void put_nodes(const uint8_t *file, const struct tree_variant *variant)
{
	uint8_t choice = (uint8_t)(variant->child_bounds | 1 << 2);
	uint32_t numbers[] = { 0, get_le32(file + 36) - 1 };
	for (size_t i = 0; i < 2; i++) {
		char name[64];
		const uint8_t *node = file + BLOCK_FILE_HEADER_SIZE + (size_t)numbers[i] * 4096;
		snprintf(name, sizeof(name), "%s-%s", i == 0 ? "leaf" : "root", variant->name);
		put_chosen("node", name, choice, node, get_le32(node + 40));
	}
}

static void put_tree(const struct tree_variant *variant, const struct workload_kind *kind)
{
	struct memory_io memory;
	struct workload workload;
	struct reference reference;
	size_t count;
	REQUIRE(workload_make(&workload, kind, 1));
	struct histree_interval *intervals = workload_intervals(&workload, &count);
	REQUIRE(intervals != NULL);
	REQUIRE(reference_make(&reference, intervals, count, workload.start, workload.end, workload.key_count));
	memory_io_init(&memory);
	const struct histree_tree_options asked = { .variant = variant->name, .node_size = 4096, .fan_out = 3 };
	REQUIRE(tree_file_write(&memory.io, "f", &asked, &reference, intervals, NULL) == HISTREE_OK);
	struct memory_file *file = memory_io_find(&memory, "f");
	uint8_t *packed = malloc(file->size * 2);
	REQUIRE(packed != NULL);
	put("file", variant->name, packed, image_pack(file->bytes, file->size, packed));
	put_nodes(file->bytes, variant);
	put_sections(file->bytes, variant->name);
	free(packed);
	memory_io_release(&memory);
	reference_release(&reference);
	free(intervals);
	workload_release(&workload);
}

int main(int count, char **arguments)
{
	if (count != 2) {
		fprintf(stderr, "usage: make_corpus FOLDER\n");
		return 2;
	}
	root = arguments[1];
	put_values();
	const struct workload_kind kind = { "corpus", 30, 750, -100, 50, 20, CHOOSE_FEW, 30, 0 };
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		put_tree(tree_variants[i], &kind);
	static const uint8_t attributes[] = "\4\3\3CPU\1" "0\6status" "\0\0\1\0\1\0\3\2";
	static const uint8_t provider[] = "\1\0\0\0kernel";
	put_chosen("sections", "attributes", 2, attributes, sizeof(attributes) - 1);
	put_chosen("sections", "provider", 3, provider, sizeof(provider) - 1);
	return 0;
}
