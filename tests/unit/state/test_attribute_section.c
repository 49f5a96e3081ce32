// SPDX-License-Identifier: MIT
/*
 * test_attribute_section.c - the names of attributes as bytes: there and back, how many bytes they take, cut off at
 * each byte, damaged in each bit.
 */
#include "attribute_helpers.h"
#include "base/bytes.h"
#include "state/attributes.h"
#include "state/history.h"
#include "support/effort.h"
#include "support/test.h"

static void report_nothing(void *context, const char *fault)
{
	assert_true(strlen(fault) > 0);
	(*(unsigned *)context)++;
}

static void assert_comes_back(const struct attribute_tree *tree)
{
	struct attribute_view view;
	unsigned reported = 0;
	finish(tree, &view);
	assert_equal_trees(&tree->base, &view.base);
	assert_int_equal(attributes_verify(&view.base, report_nothing, &reported), 0);
	assert_int_equal(reported, 0);
	attribute_view_release(&view);
}

TEST(a_section_brings_the_tree_back)
{
	struct random random = { test_seed() };
	for (unsigned i = 0; i < 60; i++) {
		struct attribute_tree tree;
		if (i % 2 == 0)
			random_tree(&tree, &random, random_index(&random, 600));
		else
			thread_tree(&tree, &random, random_index(&random, 300));
		/* A name that no attribute has is what a failure for lack of memory may leave. */
		if (i % 3 == 0)
			assert_int_not_equal(intern_add(&tree.texts, "unused", 6), INTERN_NONE);
		histree_quark quark;
		assert_ok(attribute_tree_add(&tree, HISTREE_ROOT, "\0zero", 5, &quark, NULL));
		assert_comes_back(&tree);
		attribute_tree_release(&tree);
	}
}

/* Children are searched by the first eight letters of their names, then by the others. */
TEST(long_names_are_found_whatever_their_order)
{
	static const char *const names[] = { "alpha-zulu",     "bravo-yankee", "charlie-xray",
					     "delta-whiskey",  "echo-victor",  "alphabetical-1",
					     "alphabetical-0", "ay",           "bx" };
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		/* Children of their own, each under another name: so each is the leader of a range. */
		histree_quark quark, child;
		assert_ok(attribute_tree_add(&tree, HISTREE_ROOT, names[i], strlen(names[i]), &quark, NULL));
		assert_ok(attribute_tree_add(&tree, quark, names[i] + 1, strlen(names[i]) - 1, &child, NULL));
	}
	assert_comes_back(&tree);
	attribute_tree_release(&tree);
}

/* Names that look like numbers and are none, and the greatest that is one. */
TEST(numbers_come_back_as_they_were_written)
{
	static const char *const names[] = { "0",
					     "00",
					     "-1",
					     "1",
					     "01",
					     "2",
					     "4294967296",
					     "2147483645",
					     "2147483646",
					     "2147483647",
					     "+3",
					     "3 ",
					     "99999999999999999999" };
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	for (unsigned level = 0; level < 3; level++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			histree_quark quark, parent = level == 0 ? HISTREE_ROOT : level - 1;
			assert_ok(attribute_tree_add(&tree, parent, names[i], strlen(names[i]), &quark, NULL));
			char name[32];
			assert_int_equal(histree_attributes_name(&tree.base, quark, name, sizeof(name)),
					 strlen(names[i]));
			assert_string_equal(name, names[i]);
		}
	assert_comes_back(&tree);
	attribute_tree_release(&tree);
}

/* Wherever the last one was found, and if that is nowhere. */
TEST(children_are_found_from_anywhere)
{
	struct random random = { test_seed() };
	for (unsigned round = 0; round < 20; round++) {
		struct attribute_tree tree;
		struct attribute_view view;
		struct attribute_near near = { 0 };
		if (round % 2 == 0)
			random_tree(&tree, &random, 1 + random_index(&random, 400));
		else
			thread_tree(&tree, &random, 1 + random_index(&random, 200));
		finish(&tree, &view);
		for (unsigned i = 0; i < 500; i++) {
			char name[ATTRIBUTE_NAME_SIZE_MAX + 1];
			histree_quark child = (histree_quark)random_below(&random, tree.base.count), plain;
			histree_quark parent = histree_attributes_parent(&tree.base, child);
			size_t size = histree_attributes_name(&tree.base, child, name, sizeof(name));
			if (i % 5 == 0) /* which it may not have */
				parent = (histree_quark)random_below(&random, tree.base.count);
			if (i % 7 == 0)
				near = (struct attribute_near){ .oldest = (uint32_t)random_below(&random, 1000),
								.named = UINT32_MAX };
			if (histree_attributes_child(&view.base, parent, name, size, &plain) != HISTREE_OK)
				plain = HISTREE_ROOT;
			assert_int_equal(attributes_child_near(&view.base, parent, name, size, &near), plain);
			assert_int_equal(attributes_child_near(&tree.base, parent, name, size, &near), plain);
		}
		attribute_view_release(&view);
		attribute_tree_release(&tree);
	}
}

static size_t section_size(const struct attribute_tree *tree)
{
	struct bytes_of_section section = { 0 };
	assert_ok(section_save(tree, &section));
	free(section.bytes);
	return section.size;
}

TEST(regular_names_take_few_bytes)
{
	struct random random = { test_seed() };
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	for (unsigned i = 0; i < 100000; i++) {
		char name[16];
		histree_quark quark;
		size_t size = (size_t)snprintf(name, sizeof(name), "%u", i);
		assert_ok(attribute_tree_add(&tree, HISTREE_ROOT, name, size, &quark, NULL));
	}
	assert_true(section_size(&tree) < 100);
	attribute_tree_release(&tree);

	thread_tree(&tree, &random, 2000);
	assert_true(section_size(&tree) < tree.base.count * 3 / 2);
	assert_comes_back(&tree);
	attribute_tree_release(&tree);
}

/* What a name without any rule costs beside its letters. */
TEST(irregular_names_take_their_letters_and_few_bytes)
{
	enum { COUNT = 5000, SIZE = 12 };
	struct random random = { test_seed() };
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	for (unsigned i = 0; i < COUNT; i++) {
		char name[SIZE];
		histree_quark quark, parent = i == 0 ? HISTREE_ROOT : 0;
		for (size_t at = 0; at < SIZE; at++)
			name[at] = (char)('a' + random_index(&random, 26));
		assert_ok(attribute_tree_add(&tree, parent, name, SIZE, &quark, NULL));
	}
	/* Its letters once, and its place in the order. */
	assert_true(section_size(&tree) < COUNT * (SIZE + 3));
	assert_comes_back(&tree);
	attribute_tree_release(&tree);
}

TEST(a_section_is_written_in_pieces)
{
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	char *name = malloc(ATTRIBUTE_NAME_SIZE_MAX);
	assert_non_null(name);
	memset(name, 'n', ATTRIBUTE_NAME_SIZE_MAX);
	histree_quark quark = HISTREE_ROOT;
	for (unsigned i = 0; i < 5; i++)
		assert_ok(attribute_tree_add(&tree, quark, name, ATTRIBUTE_NAME_SIZE_MAX - i, &quark, NULL));
	assert_comes_back(&tree);
	struct bytes_of_section section = { 0 };
	assert_ok(section_save(&tree, &section));
	assert_true(section.pieces >= 5);
	for (size_t piece = 1; piece <= section.pieces; piece++) {
		struct bytes_of_section failing = { .fail_at = piece };
		assert_int_equal(section_save(&tree, &failing), HISTREE_ERR_IO);
		assert_int_equal(failing.pieces, piece);
		free(failing.bytes);
	}
	free(name);
	free(section.bytes);
	attribute_tree_release(&tree);
}

/* A walk comes to an end, and every question has an answer. */
static void ask_everything(const struct histree_attributes *attributes)
{
	uint32_t walked = 0;
	struct attribute_range near = { 0 };
	for (histree_quark quark = attributes_next(attributes, HISTREE_ROOT, HISTREE_ROOT, &near);
	     quark != HISTREE_ROOT; quark = attributes_next(attributes, HISTREE_ROOT, quark, &near))
		assert_true(++walked <= attributes->count);
	for (histree_quark quark = 0; quark < attributes->count && quark < 1000; quark++) {
		char path[512];
		histree_quark found;
		size_t size = histree_attributes_path(attributes, quark, path, sizeof(path));
		assert_true(histree_attributes_path(attributes, quark, NULL, 0) == size);
		(void)!histree_attributes_find(attributes, HISTREE_ROOT, path, &found);
	}
}

static bool open_and_ask(const uint8_t *bytes, size_t size)
{
	struct attribute_view view;
	struct histree_error error;
	unsigned reported = 0;
	if (section_open(&view, bytes, size, &error) != HISTREE_OK) {
		assert_int_equal(error.status, HISTREE_ERR_FORMAT);
		assert_int_equal(view.base.count, 0);
		assert_true(strlen(error.message) > 0);
		return false;
	}
	ask_everything(&view.base);
	bool sound = attributes_verify(&view.base, report_nothing, &reported) == 0;
	if (sound)
		assert_sound(&view.base);
	attribute_view_release(&view);
	return sound;
}

TEST(damaged_sections_are_noticed_or_sound)
{
	struct random random = { test_seed() };
	for (unsigned i = 0; i < 4; i++) {
		struct attribute_tree tree;
		if (i % 2 == 0)
			random_tree(&tree, &random, 60);
		else
			thread_tree(&tree, &random, 15);
		struct bytes_of_section section = { 0 };
		assert_ok(section_save(&tree, &section));
		unsigned noticed = 0;
		for (size_t size = 0; size < section.size; size++)
			assert_false(open_and_ask(section.bytes, size));
		size_t stride = test_effort(5, 11);
		for (size_t bit = 0; bit < 8 * section.size; bit += stride) {
			section.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			noticed += !open_and_ask(section.bytes, section.size);
			section.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		/* What is not noticed are other names. */
		assert_true(noticed > 8 * section.size / stride / 2);
		free(section.bytes);
		attribute_tree_release(&tree);
	}
}

TEST(each_fault_of_the_parts_is_named)
{
	struct attribute_tree tree;
	struct attribute_view view;
	attribute_tree_init(&tree);
	add(&tree, HISTREE_ROOT, "a/1");
	add(&tree, HISTREE_ROOT, "a/3");
	struct bytes_of_section section = { 0 };
	assert_ok(section_save(&tree, &section));
	uint8_t *footer = section.bytes + section.size - ATTRIBUTE_FOOTER_SIZE;
	static const struct {
		const char *says;
		size_t at; /* in the footer */
		uint32_t number;
	} faults[] = {
		{ "too many", 0, UINT32_MAX },    { "do not fit", 4, 1000 },  { "do not fit", 8, 1000 },
		{ "do not fit", 12, 1 },          { "do not fit", 16, 1 },    { "do not fit", 24, UINT32_MAX },
		{ "do not fit", 36, UINT32_MAX }, { "do not fit", 12, 1000 },
	};
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct histree_error error = { 0 };
		uint32_t right = get_le32(footer + faults[i].at);
		put_le32(footer + faults[i].at, faults[i].number);
		assert_int_equal(section_open(&view, section.bytes, section.size, &error), HISTREE_ERR_FORMAT);
		if (strstr(error.message, faults[i].says) == NULL)
			fail_msg("fault %zu: '%s', not '%s'", i, error.message, faults[i].says);
		put_le32(footer + faults[i].at, right);
	}
	struct histree_error error = { 0 };
	assert_int_equal(section_open(&view, section.bytes, ATTRIBUTE_FOOTER_SIZE - 1, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "too few"));
	/* The first quark of the first run: before it are three bytes with the text "a", and the offset of them. */
	section.bytes[4] = 1;
	assert_int_equal(section_open(&view, section.bytes, section.size, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "order"));
	free(section.bytes);
	attribute_tree_release(&tree);

	attribute_tree_init(&tree);
	assert_comes_back(&tree);
	attribute_tree_release(&tree);
}
