// SPDX-License-Identifier: MIT
/*
 * test_attribute_section.c - the attribute tree as bytes: there and back, cut off at each byte, damaged in each
 * bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attribute_helpers.h"
#include "base/array.h"
#include "state/attribute_path.h"
#include "state/attribute_section.h"

struct section {
	uint8_t *bytes;
	size_t size, capacity, pieces;
	size_t fail_at; /* the piece that cannot be written, from 1; 0: none */
};

static enum histree_status take_piece(void *context, const void *bytes, size_t size, struct histree_error *error)
{
	(void)error;
	struct section *section = context;
	if (++section->pieces == section->fail_at)
		return HISTREE_ERR_IO;
	assert_true(array_reserve(&section->bytes, &section->capacity, section->size + size));
	memcpy(section->bytes + section->size, bytes, size);
	section->size += size;
	return HISTREE_OK;
}

static enum histree_status save(const struct histree_attributes *tree, struct section *section)
{
	const struct section_sink sink = { .write = take_piece, .context = section };
	return attribute_section_save(tree, &sink, NULL);
}

/* From memory of exactly that size, so that a sanitizer sees each byte read behind it. */
static enum histree_status load(struct histree_attributes *tree, const uint8_t *bytes, size_t size,
				struct histree_error *error)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	assert_non_null(copy);
	if (size > 0)
		memcpy(copy, bytes, size);
	attribute_tree_init(tree);
	enum histree_status status = attribute_section_load(tree, copy, size, error);
	free(copy);
	return status;
}

static void a_section_brings_the_tree_back(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	for (unsigned i = 0; i < 50; i++) {
		struct histree_attributes tree, back;
		random_tree(&tree, &seed, random_below(&seed, 300));
		/* A name that no attribute has is what a failure for lack of memory may leave. */
		if (i % 3 == 0)
			assert_int_not_equal(intern_add(&tree.names, "unused", 6), INTERN_NONE);
		histree_quark quark;
		assert_int_equal(attribute_tree_add(&tree, HISTREE_ROOT, "\0zero", 5, &quark, NULL), HISTREE_OK);
		struct section section = { 0 };
		assert_int_equal(save(&tree, &section), HISTREE_OK);
		assert_int_equal(load(&back, section.bytes, section.size, NULL), HISTREE_OK);
		assert_equal_trees(&tree, &back);
		/* It can go on growing. */
		assert_int_equal(attribute_tree_add(&back, HISTREE_ROOT, "more", 4, &quark, NULL), HISTREE_OK);
		assert_int_equal(quark, tree.count);
		free(section.bytes);
		attribute_tree_release(&tree);
		attribute_tree_release(&back);
	}
}

static void a_section_is_written_in_pieces(void **state)
{
	(void)state;
	struct histree_attributes tree, back;
	attribute_tree_init(&tree);
	char *name = malloc(ATTRIBUTE_NAME_SIZE_MAX);
	assert_non_null(name);
	memset(name, 'n', ATTRIBUTE_NAME_SIZE_MAX);
	histree_quark quark = HISTREE_ROOT;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(attribute_tree_add(&tree, quark, name, ATTRIBUTE_NAME_SIZE_MAX - i, &quark, NULL),
				 HISTREE_OK);
	for (unsigned i = 0; i < 20000; i++) {
		char path[64];
		snprintf(path, sizeof(path), "Threads/%u/System_call", i);
		add(&tree, HISTREE_ROOT, path);
	}
	struct section section = { 0 };
	assert_int_equal(save(&tree, &section), HISTREE_OK);
	assert_true(section.pieces >= 7);
	/* Two attributes a thread: a number of up to 5 digits with its size, and at most 6 bytes of numbers. */
	assert_true(section.size < 5 * (ATTRIBUTE_NAME_SIZE_MAX + 10) + 20000 * (6 + 6) + 64);
	assert_int_equal(load(&back, section.bytes, section.size, NULL), HISTREE_OK);
	assert_equal_trees(&tree, &back);

	for (size_t piece = 1; piece <= section.pieces; piece++) {
		struct section failing = { .fail_at = piece };
		assert_int_equal(save(&tree, &failing), HISTREE_ERR_IO);
		assert_int_equal(failing.pieces, piece);
		free(failing.bytes);
	}
	free(name);
	free(section.bytes);
	attribute_tree_release(&tree);
	attribute_tree_release(&back);
}

static void a_damaged_section_is_refused_or_sound(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	struct histree_attributes tree, back;
	random_tree(&tree, &seed, 120);
	struct section section = { 0 };
	assert_int_equal(save(&tree, &section), HISTREE_OK);
	struct histree_error error;
	for (size_t size = 0; size < section.size; size++) {
		assert_int_equal(load(&back, section.bytes, size, &error), HISTREE_ERR_FORMAT);
		assert_int_equal(back.count, 0);
		assert_true(strlen(error.message) > 0);
	}
	unsigned refused = 0;
	for (size_t bit = 0; bit < 8 * section.size; bit++) {
		section.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (load(&back, section.bytes, section.size, &error) == HISTREE_OK)
			assert_sound(&back);
		else
			refused++;
		attribute_tree_release(&back);
		section.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(refused > 0);
	free(section.bytes);
	attribute_tree_release(&tree);
}

static void each_fault_of_a_section_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *says;
		uint8_t size, bytes[16];
	} faults[] = {
		{ "do not fit", 0, { 0 } },
		{ "do not fit", 2, { 1, 0 } },
		{ "do not fit", 2, { 0, 1 } },
		{ "do not fit", 6, { 2, 1, 1, 'a', 0, 0 } },
		{ "do not fit", 12, { 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0 } },
		{ "do not fit", 12, { 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0 } },
		{ "has the size 0", 6, { 1, 1, 0, 0, 0, 0 } },
		{ "has the size 9", 6, { 1, 1, 9, 'a', 0, 0 } },
		{ "names 0 and 1 are equal", 10, { 2, 2, 1, 'a', 1, 'a', 0, 0, 0, 0 } },
		{ "comes before all", 6, { 1, 1, 1, 'a', 1, 0 } },
		{ "comes before all", 10, { 2, 2, 1, 'a', 1, 'b', 0, 0, 2, 0 } },
		{ "has the name 1", 6, { 1, 1, 1, 'a', 0, 2 } },
		{ "has the name 1", 8, { 2, 1, 1, 'a', 0, 0, 1, 0 } },
		{ "have the same path", 8, { 2, 1, 1, 'a', 0, 0, 0, 1 } },
		{ "malformed", 7, { 1, 1, 2, 'a', 'a', 0, 128 } },
		{ "1 bytes follow", 7, { 1, 1, 1, 'a', 0, 0, 0 } },
		{ "1 bytes follow", 3, { 0, 0, 0 } },
	};
	struct histree_attributes tree;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct histree_error error = { 0 };
		assert_int_equal(load(&tree, faults[i].bytes, faults[i].size, &error), HISTREE_ERR_FORMAT);
		if (strstr(error.message, faults[i].says) == NULL)
			fail_msg("fault %zu: '%s', not '%s'", i, error.message, faults[i].says);
	}
	/* The same forms without a fault: "a" with a child "a", and nothing at all. */
	static const uint8_t small[] = { 2, 1, 1, 'a', 0, 0, 1, 1 };
	assert_int_equal(load(&tree, small, sizeof(small), NULL), HISTREE_OK);
	assert_path(&tree, 1, "a/a");
	attribute_tree_release(&tree);
	static const uint8_t nothing[] = { 0, 0 };
	assert_int_equal(load(&tree, nothing, sizeof(nothing), NULL), HISTREE_OK);
	assert_int_equal(tree.count, 0);
	attribute_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_section_brings_the_tree_back),
		cmocka_unit_test(a_section_is_written_in_pieces),
		cmocka_unit_test(a_damaged_section_is_refused_or_sound),
		cmocka_unit_test(each_fault_of_a_section_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
