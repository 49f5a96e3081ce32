// SPDX-License-Identifier: MIT
/*
 * test_attributes.c - attribute tree, paths, patterns and their section.
 *
 * Patterns are compared with a matcher that tries everything, on random trees; sections are cut off at each byte
 * and damaged in each byte.  HISTREE_SEED=NUMBER repeats a run with other random numbers.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "state/attribute_path.h"
#include "state/attribute_section.h"
#include "state/attribute_tree.h"

/* ---- random numbers ---------------------------------------------------------------------------------- */

static uint64_t seed_of_run(void)
{
	const char *text = getenv("HISTREE_SEED");
	uint64_t seed = text == NULL ? 1 : strtoull(text, NULL, 0);
	print_message("HISTREE_SEED=%" PRIu64 "\n", seed);
	return seed;
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed += UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash_mix(*seed) % limit);
}

/* ---- helpers ------------------------------------------------------------------------------------------ */

static histree_quark add(struct histree_attributes *tree, histree_quark from, const char *path)
{
	histree_quark quark;
	struct histree_error error;
	assert_int_equal(attribute_tree_add_path(tree, from, path, &quark, &error), HISTREE_OK);
	return quark;
}

static void assert_path(const struct histree_attributes *tree, histree_quark quark, const char *path)
{
	char buffer[256];
	assert_int_equal(histree_attributes_path(tree, quark, buffer, sizeof(buffer)), strlen(path));
	assert_string_equal(buffer, path);
}

/* Links, order and look-ups fit each other. */
static void assert_sound(const struct histree_attributes *tree)
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

static void assert_equal_trees(const struct histree_attributes *a, const struct histree_attributes *b)
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

/* ---- the tree ----------------------------------------------------------------------------------------- */

static void paths_make_missing_parents(void **state)
{
	(void)state;
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	histree_quark call = add(&tree, HISTREE_ROOT, "Threads/42/System_call");
	histree_quark thread = histree_attributes_parent(&tree, call);
	assert_int_equal(call, 2);
	assert_int_equal(add(&tree, HISTREE_ROOT, "Threads/42"), thread);
	assert_int_equal(add(&tree, thread, "System_call"), call);
	histree_quark name = add(&tree, thread, "Exec_name");
	histree_quark cpus = add(&tree, HISTREE_ROOT, "CPUs");
	assert_int_equal(histree_attributes_count(&tree), 5);

	assert_int_equal(histree_attributes_first_child(&tree, HISTREE_ROOT), 0);
	assert_int_equal(histree_attributes_next_sibling(&tree, 0), cpus);
	assert_int_equal(histree_attributes_next_sibling(&tree, cpus), HISTREE_ROOT);
	assert_int_equal(histree_attributes_first_child(&tree, thread), call);
	assert_int_equal(histree_attributes_next_sibling(&tree, call), name);
	assert_int_equal(histree_attributes_first_child(&tree, cpus), HISTREE_ROOT);
	assert_int_equal(histree_attributes_parent(&tree, cpus), HISTREE_ROOT);
	assert_path(&tree, call, "Threads/42/System_call");
	assert_sound(&tree);
	attribute_tree_release(&tree);
}

static void looking_up_makes_nothing(void **state)
{
	(void)state;
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	histree_quark quark;
	assert_int_equal(histree_attributes_find(&tree, HISTREE_ROOT, "a", &quark), HISTREE_NOT_FOUND);
	histree_quark b = add(&tree, HISTREE_ROOT, "a/b");
	assert_int_equal(histree_attributes_find(&tree, HISTREE_ROOT, "a/b", &quark), HISTREE_OK);
	assert_int_equal(quark, b);
	assert_int_equal(histree_attributes_find(&tree, HISTREE_ROOT, "b", &quark), HISTREE_NOT_FOUND);
	assert_int_equal(quark, HISTREE_ROOT);
	assert_int_equal(histree_attributes_find(&tree, b, "a", &quark), HISTREE_NOT_FOUND);
	assert_int_equal(histree_attributes_find(&tree, 7, "a", &quark), HISTREE_ERR_QUARK);
	assert_int_equal(histree_attributes_child(&tree, 7, "a", 1, &quark), HISTREE_ERR_QUARK);
	assert_int_equal(histree_attributes_child(&tree, HISTREE_ROOT, "a/b", 3, &quark), HISTREE_NOT_FOUND);
	assert_int_equal(histree_attributes_count(&tree), 2);
	attribute_tree_release(&tree);
}

static void unknown_quarks_have_nothing(void **state)
{
	(void)state;
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	size_t size = 1;
	char buffer[4] = "xyz";
	assert_string_equal(histree_attributes_name(&tree, 0, &size), "");
	assert_int_equal(size, 0);
	assert_int_equal(histree_attributes_path(&tree, 0, buffer, sizeof(buffer)), 0);
	assert_string_equal(buffer, "");
	assert_int_equal(histree_attributes_path(&tree, HISTREE_ROOT, NULL, 0), 0);
	assert_int_equal(histree_attributes_parent(&tree, 3), HISTREE_ROOT);
	assert_int_equal(histree_attributes_first_child(&tree, 3), HISTREE_ROOT);
	assert_int_equal(histree_attributes_next_sibling(&tree, HISTREE_ROOT), HISTREE_ROOT);
	attribute_tree_release(&tree);
}

static void malformed_paths_change_nothing(void **state)
{
	(void)state;
	static const char *const malformed[] = { "",       "/",     "/a",   "x/",      "x//y",
						 "new/x/", "new\\", "a\\b", "new/a\\", "\\" };
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	add(&tree, HISTREE_ROOT, "x");
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		struct histree_error error = { 0 };
		histree_quark quark = 5;
		assert_int_equal(attribute_tree_add_path(&tree, HISTREE_ROOT, malformed[i], &quark, &error),
				 HISTREE_ERR_ARGUMENT);
		assert_int_equal(quark, HISTREE_ROOT);
		assert_int_equal(error.status, HISTREE_ERR_ARGUMENT);
		assert_true(strlen(error.message) > 0);
		assert_int_equal(histree_attributes_count(&tree), 1);
		assert_true(histree_attributes_find(&tree, HISTREE_ROOT, malformed[i], &quark) != HISTREE_OK);
	}
	histree_quark quark;
	assert_int_equal(attribute_tree_add_path(&tree, 9, "a", &quark, NULL), HISTREE_ERR_QUARK);
	assert_int_equal(attribute_tree_add(&tree, 9, "a", 1, &quark, NULL), HISTREE_ERR_QUARK);
	assert_int_equal(attribute_tree_add(&tree, 0, "", 0, &quark, NULL), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_attributes_count(&tree), 1);
	attribute_tree_release(&tree);
}

static void names_have_a_greatest_size(void **state)
{
	(void)state;
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	char *name = malloc(2 * ATTRIBUTE_NAME_SIZE_MAX + 3);
	assert_non_null(name);
	memset(name, 'n', ATTRIBUTE_NAME_SIZE_MAX + 1);
	histree_quark quark, again;
	assert_int_equal(attribute_tree_add(&tree, HISTREE_ROOT, name, ATTRIBUTE_NAME_SIZE_MAX + 1, &quark, NULL),
			 HISTREE_ERR_ARGUMENT);
	name[ATTRIBUTE_NAME_SIZE_MAX + 1] = '\0';
	assert_int_equal(attribute_tree_add_path(&tree, HISTREE_ROOT, name, &quark, NULL), HISTREE_ERR_ARGUMENT);
	name[ATTRIBUTE_NAME_SIZE_MAX] = '\0';
	assert_int_equal(attribute_tree_add_path(&tree, HISTREE_ROOT, name, &quark, NULL), HISTREE_OK);
	assert_int_equal(attribute_tree_add(&tree, HISTREE_ROOT, name, ATTRIBUTE_NAME_SIZE_MAX, &again, NULL),
			 HISTREE_OK);
	assert_int_equal(quark, again);

	/* The size that counts is the one without escapes. */
	memset(name, '\\', 2 * ATTRIBUTE_NAME_SIZE_MAX + 2);
	name[2 * ATTRIBUTE_NAME_SIZE_MAX + 2] = '\0';
	assert_int_equal(attribute_tree_add_path(&tree, HISTREE_ROOT, name, &quark, NULL), HISTREE_ERR_ARGUMENT);
	name[2 * ATTRIBUTE_NAME_SIZE_MAX] = '\0';
	assert_int_equal(attribute_tree_add_path(&tree, HISTREE_ROOT, name, &quark, NULL), HISTREE_OK);
	assert_int_equal(histree_attributes_path(&tree, quark, NULL, 0), 2 * ATTRIBUTE_NAME_SIZE_MAX);
	assert_int_equal(histree_attributes_find(&tree, HISTREE_ROOT, name, &again), HISTREE_OK);
	assert_int_equal(quark, again);
	assert_int_equal(histree_attributes_count(&tree), 2);
	free(name);
	attribute_tree_release(&tree);
}

static void slashes_and_backslashes_are_escaped(void **state)
{
	(void)state;
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	histree_quark irq = add(&tree, HISTREE_ROOT, "IRQs/28\\/eno1");
	size_t size;
	assert_string_equal(histree_attributes_name(&tree, irq, &size), "28/eno1");
	assert_int_equal(size, 7);
	assert_path(&tree, irq, "IRQs/28\\/eno1");
	histree_quark quark;
	assert_int_equal(attribute_tree_add(&tree, irq, "\\a/", 3, &quark, NULL), HISTREE_OK);
	assert_path(&tree, quark, "IRQs/28\\/eno1/\\\\a\\/");

	/* Like snprintf(): whatever the room, what fits is the start of the path, and the length is the path's. */
	char whole[64], part[64];
	size_t length = histree_attributes_path(&tree, quark, whole, sizeof(whole));
	for (size_t capacity = 0; capacity <= length + 2; capacity++) {
		memset(part, '#', sizeof(part));
		assert_int_equal(histree_attributes_path(&tree, quark, part, capacity), length);
		size_t fits = capacity == 0 ? 0 : capacity - 1 < length ? capacity - 1 : length;
		assert_memory_equal(part, whole, fits);
		assert_true(capacity == 0 || part[fits] == '\0');
		assert_true(part[capacity] == '#');
	}
	attribute_tree_release(&tree);
}

static void names_hold_any_bytes(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	for (unsigned i = 0; i < 2000; i++) {
		char name[9];
		size_t size = 1 + random_below(&seed, 8);
		for (size_t at = 0; at < size; at++)
			name[at] = (char)(random_below(&seed, 4) == 0 ? "/\\*."[random_below(&seed, 4)]
								      : (int)random_below(&seed, 256));
		histree_quark parent = tree.count == 0 ? HISTREE_ROOT : random_below(&seed, tree.count);
		histree_quark quark, found;
		assert_int_equal(attribute_tree_add(&tree, parent, name, size, &quark, NULL), HISTREE_OK);
		assert_int_equal(histree_attributes_child(&tree, parent, name, size, &found), HISTREE_OK);
		assert_int_equal(found, quark);
		char path[4096];
		size_t length = histree_attributes_path(&tree, quark, path, sizeof(path));
		assert_true(length < sizeof(path));
		if (strlen(path) == length) { /* a zero byte cannot be said in a path */
			assert_int_equal(histree_attributes_find(&tree, HISTREE_ROOT, path, &found), HISTREE_OK);
			assert_int_equal(found, quark);
		}
	}
	assert_sound(&tree);
	attribute_tree_release(&tree);
}

static void paths_are_as_deep_as_wanted(void **state)
{
	(void)state;
	enum { LEVELS = 1000, DEEPER = 200000 };
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	char path[2 * LEVELS];
	for (size_t level = 0; level < LEVELS; level++)
		memcpy(path + 2 * level, "d/", 2);
	path[sizeof(path) - 1] = '\0';
	histree_quark deepest = add(&tree, HISTREE_ROOT, path);
	assert_int_equal(deepest, LEVELS - 1);
	char back[sizeof(path)];
	assert_int_equal(histree_attributes_path(&tree, deepest, back, sizeof(back)), sizeof(path) - 1);
	assert_string_equal(back, path);

	for (unsigned level = LEVELS; level < DEEPER; level++)
		assert_int_equal(attribute_tree_add(&tree, deepest, "d", 1, &deepest, NULL), HISTREE_OK);
	assert_sound(&tree);
	assert_int_equal(histree_attributes_path(&tree, deepest, NULL, 0), 2 * DEEPER - 1);
	attribute_tree_release(&tree);
}

/* ---- patterns ------------------------------------------------------------------------------------------- */

struct quarks {
	histree_quark *list;
	size_t count, capacity;
	size_t stop_at;
};

static bool collect(void *context, histree_quark quark)
{
	struct quarks *quarks = context;
	assert_true(array_reserve(&quarks->list, &quarks->capacity, quarks->count + 1));
	quarks->list[quarks->count++] = quark;
	return quarks->count != quarks->stop_at;
}

static void assert_matches(const struct histree_attributes *tree, histree_quark from, const char *pattern,
			   const char *expected)
{
	struct quarks quarks = { 0 };
	char text[512] = "";
	enum histree_status status = histree_attributes_match(tree, from, pattern, collect, &quarks, NULL);
	for (size_t i = 0; i < quarks.count; i++) {
		size_t length = strlen(text);
		histree_attributes_path(tree, quarks.list[i], text + length, sizeof(text) - length - 1);
		strcat(text, " ");
	}
	assert_string_equal(text, expected);
	assert_int_equal(status, quarks.count > 0 ? HISTREE_OK : HISTREE_NOT_FOUND);
	free(quarks.list);
}

static void patterns_name_attributes(void **state)
{
	(void)state;
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	histree_quark cpu = add(&tree, HISTREE_ROOT, "CPUs/0");
	add(&tree, HISTREE_ROOT, "CPUs/0/IRQs/28\\/eno1");
	add(&tree, HISTREE_ROOT, "CPUs/1/IRQs");
	add(&tree, HISTREE_ROOT, "Threads/1/Status");
	add(&tree, HISTREE_ROOT, "Threads/12/Status");
	add(&tree, HISTREE_ROOT, "Threads/2");
	add(&tree, HISTREE_ROOT, "Threads/*");
	add(&tree, HISTREE_ROOT, "Threads/..");
	add(&tree, HISTREE_ROOT, "CPUs/0/Status");

	assert_matches(&tree, HISTREE_ROOT, "CPUs", "CPUs ");
	assert_matches(&tree, HISTREE_ROOT, "CPU*", "CPUs ");
	assert_matches(&tree, HISTREE_ROOT, "*", "CPUs Threads ");
	assert_matches(&tree, HISTREE_ROOT, "CPUs/*", "CPUs/0 CPUs/1 ");
	assert_matches(&tree, HISTREE_ROOT, "CPUs/*/IRQs", "CPUs/0/IRQs CPUs/1/IRQs ");
	assert_matches(&tree, HISTREE_ROOT, "Threads/1*/Status", "Threads/1/Status Threads/12/Status ");
	assert_matches(&tree, HISTREE_ROOT, "Threads/*2", "Threads/12 Threads/2 ");
	assert_matches(&tree, HISTREE_ROOT, "Threads/\\*", "Threads/* ");
	assert_matches(&tree, HISTREE_ROOT, "Threads/\\..", "Threads/.. ");
	assert_matches(&tree, HISTREE_ROOT, "Threads/12/..", "Threads ");
	assert_matches(&tree, HISTREE_ROOT, "*/*/Status/..", "CPUs/0 Threads/1 Threads/12 ");
	assert_matches(&tree, HISTREE_ROOT, "*/..", "");
	assert_matches(&tree, HISTREE_ROOT, "..", "");
	assert_matches(&tree, HISTREE_ROOT, "*/../*", "CPUs Threads ");
	assert_matches(&tree, HISTREE_ROOT, "**/28*", "CPUs/0/IRQs/28\\/eno1 ");
	assert_matches(&tree, HISTREE_ROOT, "**/28\\/*", "CPUs/0/IRQs/28\\/eno1 ");
	assert_matches(&tree, HISTREE_ROOT, "**/28\\/eno1", "CPUs/0/IRQs/28\\/eno1 ");
	assert_matches(&tree, HISTREE_ROOT, "CPUs/0/IRQs/28\\/eno1", "CPUs/0/IRQs/28\\/eno1 ");
	assert_matches(&tree, HISTREE_ROOT, "CPUs/0/**", "CPUs/0 CPUs/0/IRQs CPUs/0/IRQs/28\\/eno1 CPUs/0/Status ");
	assert_matches(&tree, HISTREE_ROOT, "CPUs/**/IRQs", "CPUs/0/IRQs CPUs/1/IRQs ");
	assert_matches(&tree, HISTREE_ROOT, "**/Status/..", "CPUs/0 Threads/1 Threads/12 ");
	assert_matches(&tree, HISTREE_ROOT, "**/1", "CPUs/1 Threads/1 ");
	assert_matches(&tree, HISTREE_ROOT, "**/0/**/I*/**", "CPUs/0/IRQs CPUs/0/IRQs/28\\/eno1 ");
	assert_matches(&tree, HISTREE_ROOT, "***", "CPUs Threads ");
	assert_matches(&tree, cpu, "*", "CPUs/0/IRQs CPUs/0/Status ");
	assert_matches(&tree, cpu, "..", "CPUs ");
	assert_matches(&tree, cpu, "../../**/2", "Threads/2 ");
	assert_matches(&tree, HISTREE_ROOT, "nothing/**", "");

	static const char *const malformed[] = { "", "/", "a/", "a//b", "/**", "\\", "a/b\\", "\\\\\\" };
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
		assert_int_equal(histree_attributes_match(&tree, HISTREE_ROOT, malformed[i], collect, NULL, NULL),
				 HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_attributes_match(&tree, tree.count, "*", collect, NULL, NULL), HISTREE_ERR_QUARK);

	static const char *const all[] = { "CPUs/*", "**" };
	for (size_t i = 0; i < 2; i++) {
		struct quarks one = { .stop_at = 1 };
		assert_int_equal(histree_attributes_match(&tree, HISTREE_ROOT, all[i], collect, &one, NULL),
				 HISTREE_OK);
		assert_int_equal(one.count, 1);
		free(one.list);
	}
	attribute_tree_release(&tree);
}

/* Names and patterns here are of a, b and *, without escapes. */
static bool slow_glob(const char *pattern, size_t pattern_size, const char *name, size_t size)
{
	if (pattern_size == 0)
		return size == 0;
	if (*pattern == '*')
		return slow_glob(pattern + 1, pattern_size - 1, name, size) ||
		       (size > 0 && slow_glob(pattern, pattern_size, name + 1, size - 1));
	return size > 0 && *pattern == *name && slow_glob(pattern + 1, pattern_size - 1, name + 1, size - 1);
}

/* Try everything from this attribute on; hits[quark + 1] says that the pattern ends there. */
static void slow_match(const struct histree_attributes *tree, histree_quark quark, const char *rest, bool *hits)
{
	struct path_component component;
	if (!path_cut(&rest, &component)) {
		hits[quark + 1] = true;
		return;
	}
	bool any_depth = component.size == 2 && memcmp(component.text, "**", 2) == 0;
	if (component.size == 2 && memcmp(component.text, "..", 2) == 0) {
		if (quark != HISTREE_ROOT)
			slow_match(tree, histree_attributes_parent(tree, quark), rest, hits);
		return;
	}
	if (any_depth)
		slow_match(tree, quark, rest, hits);
	for (histree_quark child = histree_attributes_first_child(tree, quark); child != HISTREE_ROOT;
	     child = histree_attributes_next_sibling(tree, child)) {
		size_t size;
		const char *name = histree_attributes_name(tree, child, &size);
		if (any_depth)
			slow_match(tree, child, component.text, hits);
		else if (slow_glob(component.text, component.size, name, size))
			slow_match(tree, child, rest, hits);
	}
}

static void random_tree(struct histree_attributes *tree, uint64_t *seed, uint32_t count)
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

static void random_pattern(char *pattern, uint64_t *seed)
{
	static const char *const common[] = { "*", "**", "..", "a*", "*b", "a", "b" };
	unsigned count = 1 + random_below(seed, 4);
	for (unsigned i = 0; i < count; i++) {
		if (i > 0)
			*pattern++ = '/';
		if (random_below(seed, 3) > 0) {
			const char *text = common[random_below(seed, 7)];
			memcpy(pattern, text, strlen(text));
			pattern += strlen(text);
			continue;
		}
		for (unsigned size = 1 + random_below(seed, 6); size > 0; size--)
			*pattern++ = "ab*"[random_below(seed, 3)];
	}
	*pattern = '\0';
}

static void patterns_agree_with_trying_everything(void **state)
{
	(void)state;
	enum { TREES = 300, PATTERNS = 60, COUNT_MAX = 40 };
	uint64_t seed = seed_of_run();
	for (unsigned i = 0; i < TREES; i++) {
		struct histree_attributes tree;
		random_tree(&tree, &seed, 1 + random_below(&seed, COUNT_MAX));
		for (unsigned j = 0; j < PATTERNS; j++) {
			char pattern[64];
			random_pattern(pattern, &seed);
			histree_quark from = random_below(&seed, tree.count + 1) - 1;
			bool hits[COUNT_MAX + 1] = { false };
			slow_match(&tree, from, pattern, hits);
			struct quarks found = { 0 };
			enum histree_status status =
				histree_attributes_match(&tree, from, pattern, collect, &found, NULL);
			size_t at = 0;
			for (histree_quark quark = attribute_tree_next(&tree, HISTREE_ROOT, HISTREE_ROOT);
			     quark != HISTREE_ROOT; quark = attribute_tree_next(&tree, HISTREE_ROOT, quark)) {
				if (!hits[quark + 1])
					continue;
				if (at >= found.count || found.list[at] != quark)
					fail_msg("tree %u, pattern '%s' from %" PRIu32, i, pattern, from);
				at++;
			}
			assert_int_equal(at, found.count);
			assert_int_equal(status, at > 0 ? HISTREE_OK : HISTREE_NOT_FOUND);
			free(found.list);
		}
		attribute_tree_release(&tree);
	}
}

/* Tried one way after the other, each of these would outlive the reader. */
static void hostile_patterns_come_to_an_end(void **state)
{
	(void)state;
	struct histree_attributes tree;
	attribute_tree_init(&tree);
	histree_quark quark = HISTREE_ROOT;
	char name[257];
	memset(name, 'a', sizeof(name));
	for (unsigned level = 0; level < 200; level++)
		assert_int_equal(attribute_tree_add(&tree, quark, name, 256, &quark, NULL), HISTREE_OK);
	char pattern[4096] = "";
	for (unsigned i = 0; i < 100; i++)
		strcat(pattern, "**/");
	strcat(pattern, "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b");
	assert_matches(&tree, HISTREE_ROOT, pattern, "");
	pattern[0] = '\0';
	for (unsigned i = 0; i < 300; i++)
		strcat(pattern, "**/*/../");
	strcat(pattern, "**");
	struct quarks all = { 0 };
	assert_int_equal(histree_attributes_match(&tree, HISTREE_ROOT, pattern, collect, &all, NULL), HISTREE_OK);
	assert_int_equal(all.count, 200);
	free(all.list);
	attribute_tree_release(&tree);
}

/* ---- the section ------------------------------------------------------------------------------------------ */

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
		cmocka_unit_test(paths_make_missing_parents),
		cmocka_unit_test(looking_up_makes_nothing),
		cmocka_unit_test(unknown_quarks_have_nothing),
		cmocka_unit_test(malformed_paths_change_nothing),
		cmocka_unit_test(names_have_a_greatest_size),
		cmocka_unit_test(slashes_and_backslashes_are_escaped),
		cmocka_unit_test(names_hold_any_bytes),
		cmocka_unit_test(paths_are_as_deep_as_wanted),
		cmocka_unit_test(patterns_name_attributes),
		cmocka_unit_test(patterns_agree_with_trying_everything),
		cmocka_unit_test(hostile_patterns_come_to_an_end),
		cmocka_unit_test(a_section_brings_the_tree_back),
		cmocka_unit_test(a_section_is_written_in_pieces),
		cmocka_unit_test(a_damaged_section_is_refused_or_sound),
		cmocka_unit_test(each_fault_of_a_section_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
