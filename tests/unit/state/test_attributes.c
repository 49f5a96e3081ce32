// SPDX-License-Identifier: MIT
/*
 * test_attributes.c - the attribute tree, its paths, and patterns.
 *
 * Patterns are compared with a matcher that tries everything, on random trees.
 */
#include <regex.h>

#include "attribute_helpers.h"
#include "state/attributes.h"
#include "support/effort.h"
#include "support/test.h"

/* Of a tree as it grows, and of what a finished history has of it. */
static void assert_sound_finished_too(const struct attribute_tree *tree)
{
	struct attribute_view view;
	finish(tree, &view);
	assert_sound(&tree->base);
	assert_equal_trees(&tree->base, &view.base);
	attribute_view_release(&view);
}

/* ---- the tree ----------------------------------------------------------------------------------------- */

TEST(paths_make_missing_parents)
{
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	histree_quark call = add(&tree, HISTREE_ROOT, "Threads/42/System_call");
	histree_quark thread = histree_attributes_parent(&tree.base, call);
	assert_int_equal(call, 2);
	assert_int_equal(add(&tree, HISTREE_ROOT, "Threads/42"), thread);
	assert_int_equal(add(&tree, thread, "System_call"), call);
	histree_quark name = add(&tree, thread, "Exec_name");
	histree_quark cpus = add(&tree, HISTREE_ROOT, "CPUs");
	assert_int_equal(histree_attributes_count(&tree.base), 5);

	assert_int_equal(histree_attributes_first_child(&tree.base, HISTREE_ROOT), 0);
	assert_int_equal(histree_attributes_next_sibling(&tree.base, 0), cpus);
	assert_int_equal(histree_attributes_next_sibling(&tree.base, cpus), HISTREE_ROOT);
	assert_int_equal(histree_attributes_first_child(&tree.base, thread), call);
	assert_int_equal(histree_attributes_next_sibling(&tree.base, call), name);
	assert_int_equal(histree_attributes_first_child(&tree.base, cpus), HISTREE_ROOT);
	assert_int_equal(histree_attributes_parent(&tree.base, cpus), HISTREE_ROOT);
	assert_path(&tree.base, call, "Threads/42/System_call");
	assert_sound_finished_too(&tree);
	attribute_tree_release(&tree);
}

/* Ids that come in any order, or again, are attributes once, however many families there are and where they lie. */
TEST(numbers_come_in_any_order)
{
	enum { FAMILIES = 7, NUMBERS = 400, ADDED = 6000 };
	static const char *const others[] = { "x", "007", "4294967296", "2147483646", "0" };
	struct random random = { test_seed() };
	struct attribute_tree tree;
	histree_quark parents[FAMILIES], known[FAMILIES][NUMBERS];
	uint32_t next[FAMILIES] = { 0 };
	attribute_tree_init(&tree);
	for (size_t family = 0; family < FAMILIES; family++) {
		char name[16];
		snprintf(name, sizeof(name), "f%zu", family);
		parents[family] = family == 0 ? HISTREE_ROOT : add(&tree, HISTREE_ROOT, name);
		for (size_t number = 0; number < NUMBERS; number++)
			known[family][number] = HISTREE_ROOT;
	}
	for (size_t i = 0; i < ADDED; i++) {
		size_t family = (size_t)random_below(&random, FAMILIES);
		if (random_percent(&random, 5)) {
			const char *other = others[random_below(&random, sizeof(others) / sizeof(*others))];
			histree_quark quark = add(&tree, parents[family], other);
			assert_int_equal(add(&tree, parents[family], other), quark);
			continue;
		}
		/* They count up, mostly, as ids do. */
		bool counts_up = random_percent(&random, 60) && next[family] + 1 < NUMBERS;
		uint32_t number = counts_up ? ++next[family] : 1 + (uint32_t)random_below(&random, NUMBERS - 1);
		char name[16];
		snprintf(name, sizeof(name), "%u", number);
		histree_quark *quark = &known[family][number], made = add(&tree, parents[family], name);
		assert_true(*quark == HISTREE_ROOT ? made + 1 == histree_attributes_count(&tree.base)
						   : made == *quark);
		*quark = made;
	}
	assert_sound_finished_too(&tree);
	attribute_tree_release(&tree);
}

TEST(looking_up_makes_nothing)
{
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	histree_quark quark;
	assert_int_equal(histree_attributes_find(&tree.base, HISTREE_ROOT, "a", &quark), HISTREE_NOT_FOUND);
	histree_quark b = add(&tree, HISTREE_ROOT, "a/b");
	assert_ok(histree_attributes_find(&tree.base, HISTREE_ROOT, "a/b", &quark));
	assert_int_equal(quark, b);
	assert_int_equal(histree_attributes_find(&tree.base, HISTREE_ROOT, "b", &quark), HISTREE_NOT_FOUND);
	assert_int_equal(quark, HISTREE_ROOT);
	assert_int_equal(histree_attributes_find(&tree.base, b, "a", &quark), HISTREE_NOT_FOUND);
	assert_int_equal(histree_attributes_find(&tree.base, 7, "a", &quark), HISTREE_ERR_QUARK);
	assert_int_equal(histree_attributes_child(&tree.base, 7, "a", 1, &quark), HISTREE_ERR_QUARK);
	assert_int_equal(histree_attributes_child(&tree.base, HISTREE_ROOT, "a/b", 3, &quark), HISTREE_NOT_FOUND);
	assert_int_equal(histree_attributes_count(&tree.base), 2);
	attribute_tree_release(&tree);
}

TEST(unknown_quarks_have_nothing)
{
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	char buffer[4] = "xyz";
	assert_int_equal(histree_attributes_name(&tree.base, 0, buffer, sizeof(buffer)), 0);
	assert_string_equal(buffer, "");
	buffer[0] = 'x';
	assert_int_equal(histree_attributes_path(&tree.base, 0, buffer, sizeof(buffer)), 0);
	assert_string_equal(buffer, "");
	assert_int_equal(histree_attributes_path(&tree.base, HISTREE_ROOT, NULL, 0), 0);
	assert_int_equal(histree_attributes_parent(&tree.base, 3), HISTREE_ROOT);
	assert_int_equal(histree_attributes_first_child(&tree.base, 3), HISTREE_ROOT);
	assert_int_equal(histree_attributes_next_sibling(&tree.base, HISTREE_ROOT), HISTREE_ROOT);
	attribute_tree_release(&tree);
}

TEST(malformed_paths_change_nothing)
{
	static const char *const malformed[] = { "",       "/",     "/a",   "x/",      "x//y",
						 "new/x/", "new\\", "a\\b", "new/a\\", "\\" };
	struct attribute_tree tree;
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
		assert_int_equal(histree_attributes_count(&tree.base), 1);
		assert_true(histree_attributes_find(&tree.base, HISTREE_ROOT, malformed[i], &quark) != HISTREE_OK);
	}
	histree_quark quark;
	assert_int_equal(attribute_tree_add_path(&tree, 9, "a", &quark, NULL), HISTREE_ERR_QUARK);
	assert_int_equal(attribute_tree_add(&tree, 9, "a", 1, &quark, NULL), HISTREE_ERR_QUARK);
	assert_int_equal(attribute_tree_add(&tree, 0, "", 0, &quark, NULL), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_attributes_count(&tree.base), 1);
	attribute_tree_release(&tree);
}

TEST(names_have_a_greatest_size)
{
	struct attribute_tree tree;
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
	assert_ok(attribute_tree_add_path(&tree, HISTREE_ROOT, name, &quark, NULL));
	assert_ok(attribute_tree_add(&tree, HISTREE_ROOT, name, ATTRIBUTE_NAME_SIZE_MAX, &again, NULL));
	assert_int_equal(quark, again);

	/* The size that counts is the one without escapes. */
	memset(name, '\\', 2 * ATTRIBUTE_NAME_SIZE_MAX + 2);
	name[2 * ATTRIBUTE_NAME_SIZE_MAX + 2] = '\0';
	assert_int_equal(attribute_tree_add_path(&tree, HISTREE_ROOT, name, &quark, NULL), HISTREE_ERR_ARGUMENT);
	name[2 * ATTRIBUTE_NAME_SIZE_MAX] = '\0';
	assert_ok(attribute_tree_add_path(&tree, HISTREE_ROOT, name, &quark, NULL));
	assert_int_equal(histree_attributes_path(&tree.base, quark, NULL, 0), 2 * ATTRIBUTE_NAME_SIZE_MAX);
	assert_ok(histree_attributes_find(&tree.base, HISTREE_ROOT, name, &again));
	assert_int_equal(quark, again);
	assert_int_equal(histree_attributes_count(&tree.base), 2);
	free(name);
	attribute_tree_release(&tree);
}

TEST(slashes_and_backslashes_are_escaped)
{
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	histree_quark irq = add(&tree, HISTREE_ROOT, "IRQs/28\\/eno1");
	char name[8], start[4];
	assert_int_equal(histree_attributes_name(&tree.base, irq, name, sizeof(name)), 7);
	assert_string_equal(name, "28/eno1");
	assert_int_equal(histree_attributes_name(&tree.base, irq, start, sizeof(start)), 7);
	assert_string_equal(start, "28/");
	assert_path(&tree.base, irq, "IRQs/28\\/eno1");
	histree_quark quark;
	assert_ok(attribute_tree_add(&tree, irq, "\\a/", 3, &quark, NULL));
	assert_path(&tree.base, quark, "IRQs/28\\/eno1/\\\\a\\/");

	/* Like snprintf(): whatever the room, what fits is the start of the path, and the length is the path's. */
	char whole[64], part[64];
	size_t length = histree_attributes_path(&tree.base, quark, whole, sizeof(whole));
	for (size_t capacity = 0; capacity <= length + 2; capacity++) {
		memset(part, '#', sizeof(part));
		assert_int_equal(histree_attributes_path(&tree.base, quark, part, capacity), length);
		size_t fits = capacity == 0 ? 0 : capacity - 1 < length ? capacity - 1 : length;
		assert_memory_equal(part, whole, fits);
		assert_true(capacity == 0 || part[fits] == '\0');
		assert_true(part[capacity] == '#');
	}
	attribute_tree_release(&tree);
}

TEST(names_hold_any_bytes)
{
	struct random random = { test_seed() };
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	for (unsigned i = 0; i < 2000; i++) {
		char name[9];
		size_t size = 1 + random_index(&random, 8);
		for (size_t at = 0; at < size; at++)
			name[at] = (char)(random_index(&random, 4) == 0 ? "/\\*."[random_index(&random, 4)]
									: (int)random_index(&random, 256));
		histree_quark parent = tree.base.count == 0 ? HISTREE_ROOT : random_index(&random, tree.base.count);
		histree_quark quark, found;
		assert_ok(attribute_tree_add(&tree, parent, name, size, &quark, NULL));
		assert_ok(histree_attributes_child(&tree.base, parent, name, size, &found));
		assert_int_equal(found, quark);
		char path[4096];
		size_t length = histree_attributes_path(&tree.base, quark, path, sizeof(path));
		assert_true(length < sizeof(path));
		if (strlen(path) == length) { /* a zero byte cannot be said in a path */
			assert_ok(histree_attributes_find(&tree.base, HISTREE_ROOT, path, &found));
			assert_int_equal(found, quark);
		}
	}
	assert_sound_finished_too(&tree);
	attribute_tree_release(&tree);
}

TEST(paths_are_as_deep_as_wanted)
{
	enum { LEVELS = 1000, DEEPER = 50000 };
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	char path[2 * LEVELS];
	for (size_t level = 0; level < LEVELS; level++)
		memcpy(path + 2 * level, "d/", 2);
	path[sizeof(path) - 1] = '\0';
	histree_quark deepest = add(&tree, HISTREE_ROOT, path);
	assert_int_equal(deepest, LEVELS - 1);
	char back[sizeof(path)];
	assert_int_equal(histree_attributes_path(&tree.base, deepest, back, sizeof(back)), sizeof(path) - 1);
	assert_string_equal(back, path);

	for (unsigned level = LEVELS; level < DEEPER; level++)
		assert_ok(attribute_tree_add(&tree, deepest, "d", 1, &deepest, NULL));
	assert_sound_finished_too(&tree);
	assert_int_equal(histree_attributes_path(&tree.base, deepest, NULL, 0), 2 * DEEPER - 1);
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

static void assert_matches_in(const struct histree_attributes *tree, histree_quark from, const char *pattern,
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

static void assert_matches(const struct attribute_tree *tree, histree_quark from, const char *pattern,
			   const char *expected)
{
	struct attribute_view view;
	finish(tree, &view);
	assert_matches_in(&tree->base, from, pattern, expected);
	assert_matches_in(&view.base, from, pattern, expected);
	attribute_view_release(&view);
}

/* As far as they overlap, POSIX and our expressions say the same. */
static void assert_searches(const struct histree_attributes *tree, histree_quark from, const char *expression)
{
	regex_t judge;
	assert_int_equal(regcomp(&judge, expression, REG_EXTENDED | REG_NOSUB), 0);
	for (int all_levels = 0; all_levels < 2; all_levels++) {
		struct quarks found = { 0 };
		size_t expected = 0;
		enum histree_status status =
			histree_attributes_search(tree, from, expression, all_levels == 1, collect, &found, NULL);
		for (histree_quark quark = 0; quark < tree->count; quark++) {
			char name[64];
			histree_quark above = histree_attributes_parent(tree, quark);
			bool below = above == from;
			while (all_levels == 1 && !below && above != HISTREE_ROOT) {
				above = histree_attributes_parent(tree, above);
				below = above == from;
			}
			histree_attributes_name(tree, quark, name, sizeof(name));
			if (!below || regexec(&judge, name, 0, NULL, 0) != 0)
				continue;
			expected++;
			bool among = false;
			for (size_t i = 0; i < found.count; i++)
				among = among || found.list[i] == quark;
			assert_true(among);
		}
		assert_int_equal(found.count, expected);
		assert_int_equal(status, expected > 0 ? HISTREE_OK : HISTREE_NOT_FOUND);
		free(found.list);
	}
	regfree(&judge);
}

TEST(expressions_find_names_below)
{
	struct attribute_tree tree;
	struct attribute_view view;
	struct histree_error error = { 0 };
	attribute_tree_init(&tree);
	histree_quark threads = add(&tree, HISTREE_ROOT, "Threads");
	for (int i = 0; i < 130; i++) {
		char path[64];
		snprintf(path, sizeof(path), "Threads/%d/Status", i * 7);
		add(&tree, HISTREE_ROOT, path);
	}
	add(&tree, HISTREE_ROOT, "CPUs/0/IRQs/28\\/eno1");
	finish(&tree, &view);
	static const char *const expressions[] = { "^1[0-9]*$", "7",  "Stat|CPU", "^S",
						   "/",         "^$", "(0|7)$",   "nothing" };
	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
		assert_searches(&tree.base, HISTREE_ROOT, expressions[i]);
		assert_searches(&view.base, HISTREE_ROOT, expressions[i]);
		assert_searches(&tree.base, threads, expressions[i]);
		assert_searches(&view.base, threads, expressions[i]);
	}
	struct quarks some = { .stop_at = 3 };
	assert_ok(histree_attributes_search(&view.base, threads, "7", false, collect, &some, NULL));
	assert_int_equal(some.count, 3);
	free(some.list);
	assert_int_equal(histree_attributes_search(&view.base, threads, "(", true, collect, NULL, &error),
			 HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_attributes_search(&view.base, view.base.count, "7", true, collect, NULL, &error),
			 HISTREE_ERR_QUARK);
	attribute_view_release(&view);
	attribute_tree_release(&tree);
}

TEST(patterns_name_attributes)
{
	struct attribute_tree tree;
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
		assert_int_equal(
			histree_attributes_match(&tree.base, HISTREE_ROOT, malformed[i], collect, NULL, NULL),
			HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_attributes_match(&tree.base, tree.base.count, "*", collect, NULL, NULL),
			 HISTREE_ERR_QUARK);

	static const char *const all[] = { "CPUs/*", "**" };
	for (size_t i = 0; i < 2; i++) {
		struct quarks one = { .stop_at = 1 };
		assert_ok(histree_attributes_match(&tree.base, HISTREE_ROOT, all[i], collect, &one, NULL));
		assert_int_equal(one.count, 1);
		free(one.list);
	}
	attribute_tree_release(&tree);
}

/* Names and patterns here have no escapes. */
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
		char *name = name_of(tree, child, &size);
		if (any_depth)
			slow_match(tree, child, component.text, hits);
		else if (slow_glob(component.text, component.size, name, size))
			slow_match(tree, child, rest, hits);
		free(name);
	}
}

static void random_pattern(char *pattern, struct random *random)
{
	static const char *const common[] = { "*", "**", "..", "a*", "*b", "a", "b", "*1", "2*" };
	unsigned count = 1 + random_index(random, 4);
	for (unsigned i = 0; i < count; i++) {
		if (i > 0)
			*pattern++ = '/';
		if (random_index(random, 3) > 0) {
			const char *text = common[random_index(random, 9)];
			memcpy(pattern, text, strlen(text));
			pattern += strlen(text);
			continue;
		}
		for (unsigned size = 1 + random_index(random, 6); size > 0; size--)
			*pattern++ = "ab*"[random_index(random, 3)];
	}
	*pattern = '\0';
}

/* Those that are hit, in the order of the walk. */
static void assert_found(const struct histree_attributes *tree, histree_quark from, const char *pattern,
			 const bool *hits)
{
	struct quarks found = { 0 };
	struct attribute_range near = { 0 };
	enum histree_status status = histree_attributes_match(tree, from, pattern, collect, &found, NULL);
	size_t at = 0;
	for (histree_quark quark = attributes_next(tree, HISTREE_ROOT, HISTREE_ROOT, &near); quark != HISTREE_ROOT;
	     quark = attributes_next(tree, HISTREE_ROOT, quark, &near)) {
		if (!hits[quark + 1])
			continue;
		if (at >= found.count || found.list[at] != quark)
			fail_msg("pattern '%s' from %" PRIu32, pattern, from);
		at++;
	}
	assert_int_equal(at, found.count);
	assert_int_equal(status, at > 0 ? HISTREE_OK : HISTREE_NOT_FOUND);
	free(found.list);
}

TEST(patterns_agree_with_trying_everything)
{
	enum { PATTERNS = 60, COUNT_MAX = 40 };
	unsigned trees = (unsigned)test_effort(300, 50);
	struct random random = { test_seed() };
	for (unsigned i = 0; i < trees; i++) {
		struct attribute_tree tree;
		struct attribute_view view;
		random_tree(&tree, &random, 1 + random_index(&random, COUNT_MAX));
		finish(&tree, &view);
		for (unsigned j = 0; j < PATTERNS; j++) {
			char pattern[64];
			random_pattern(pattern, &random);
			histree_quark from = random_index(&random, tree.base.count + 1) - 1;
			bool hits[COUNT_MAX + 1] = { false };
			slow_match(&tree.base, from, pattern, hits);
			assert_found(&tree.base, from, pattern, hits);
			assert_found(&view.base, from, pattern, hits);
		}
		attribute_view_release(&view);
		attribute_tree_release(&tree);
	}
}

/* Tried one way after the other, each of these would outlive the reader. */
TEST(hostile_patterns_come_to_an_end)
{
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	histree_quark quark = HISTREE_ROOT;
	char name[257];
	memset(name, 'a', sizeof(name));
	for (unsigned level = 0; level < 200; level++)
		assert_ok(attribute_tree_add(&tree, quark, name, 256, &quark, NULL));
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
	assert_ok(histree_attributes_match(&tree.base, HISTREE_ROOT, pattern, collect, &all, NULL));
	assert_int_equal(all.count, 200);
	free(all.list);
	attribute_tree_release(&tree);
}
