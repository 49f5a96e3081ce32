/* SPDX-License-Identifier: MIT */
/*
 * attribute_helpers.h - attribute trees for tests: by hand or at random, and whether they are sound.
 *
 * HISTREE_SEED=NUMBER repeats a run with other random numbers.
 */
#ifndef UNIT_ATTRIBUTE_HELPERS_H
#define UNIT_ATTRIBUTE_HELPERS_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "state/attribute_tree.h"

/* ---- random numbers ---------------------------------------------------------------------------------- */

static inline uint64_t seed_of_run(void)
{
	const char *text = getenv("HISTREE_SEED");
	uint64_t seed = text == NULL ? 1 : strtoull(text, NULL, 0);
	print_message("HISTREE_SEED=%" PRIu64 "\n", seed);
	return seed;
}

static inline uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed += UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash_mix(*seed) % limit);
}

/* ---- helpers ------------------------------------------------------------------------------------------ */

static inline histree_quark add(struct histree_attributes *tree, histree_quark from, const char *path)
{
	histree_quark quark;
	struct histree_error error;
	assert_int_equal(attribute_tree_add_path(tree, from, path, &quark, &error), HISTREE_OK);
	return quark;
}

static inline void assert_path(const struct histree_attributes *tree, histree_quark quark, const char *path)
{
	char buffer[256];
	assert_int_equal(histree_attributes_path(tree, quark, buffer, sizeof(buffer)), strlen(path));
	assert_string_equal(buffer, path);
}

/* Links, order and look-ups fit each other. */
static inline void assert_sound(const struct histree_attributes *tree)
{
	uint32_t walked = 0;
	for (histree_quark quark = attribute_tree_next(tree, HISTREE_ROOT, HISTREE_ROOT); quark != HISTREE_ROOT;
	     quark = attribute_tree_next(tree, HISTREE_ROOT, quark)) {
		histree_quark parent = histree_attributes_parent(tree, quark);
		histree_quark next = histree_attributes_next_sibling(tree, quark);
		assert_true(parent == HISTREE_ROOT || parent < quark);
		assert_true(next == HISTREE_ROOT ||
			    (next > quark && histree_attributes_parent(tree, next) == parent));
		histree_quark found;
		size_t size;
		const char *name = histree_attributes_name(tree, quark, &size);
		assert_int_equal(histree_attributes_child(tree, parent, name, size, &found), HISTREE_OK);
		assert_int_equal(found, quark);
		walked++;
	}
	assert_int_equal(walked, histree_attributes_count(tree));
}

static inline void assert_equal_trees(const struct histree_attributes *a, const struct histree_attributes *b)
{
	assert_int_equal(histree_attributes_count(a), histree_attributes_count(b));
	for (histree_quark quark = 0; quark < histree_attributes_count(a); quark++) {
		size_t size_a, size_b;
		const char *name_a = histree_attributes_name(a, quark, &size_a);
		const char *name_b = histree_attributes_name(b, quark, &size_b);
		assert_int_equal(histree_attributes_parent(a, quark), histree_attributes_parent(b, quark));
		assert_int_equal(size_a, size_b);
		assert_memory_equal(name_a, name_b, size_a);
	}
	assert_sound(b);
}

static inline void random_tree(struct histree_attributes *tree, uint64_t *seed, uint32_t count)
{
	attribute_tree_init(tree);
	for (uint32_t i = 0; i < count; i++) {
		char name[4];
		size_t size = 1 + random_below(seed, sizeof(name));
		for (size_t at = 0; at < size; at++)
			name[at] = (char)('a' + random_below(seed, 2));
		histree_quark quark = random_below(seed, tree->count + 1) - 1; /* -1 is the root */
		assert_int_equal(attribute_tree_add(tree, quark, name, size, &quark, NULL), HISTREE_OK);
	}
}

#endif
