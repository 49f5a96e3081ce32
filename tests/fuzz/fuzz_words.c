// SPDX-License-Identifier: MIT
/*
 * fuzz_words.c - bytes as what a user types: a path, a pattern, a time.  All of it ends, soon, and finds only what
 * is there.
 */
#include <string.h>

#include "base/number_text.h"
#include "fuzz.h"
#include "histree/attributes.h"
#include "state/attributes.h"

static const char *const paths[] = { "CPUs/0/Current_thread",
				     "CPUs/1/IRQs/3\\/disk",
				     "Threads/42/System_call",
				     "a/a/a/a/a/a/a/a",
				     "a\\\\b/c",
				     "*/**/.." };

struct matched {
	const struct histree_attributes *tree;
	size_t count;
};

static bool found(void *context, histree_quark quark)
{
	struct matched *matched = context;
	REQUIRE(quark < histree_attributes_count(matched->tree));
	matched->count++;
	return true;
}

static void check_times(const char *text)
{
	histree_time time;
	char back[TIME_TEXT_SIZE];
	if (time_parse(text, -5, INT64_MAX - 7, &time))
		REQUIRE(time_format_clock(time, back) < sizeof(back) &&
			time_format_date(time, back) < sizeof(back));
}

FUZZ_TARGET(bytes, size)
{
	struct attribute_tree tree;
	const struct histree_attributes *attributes = &tree.base;
	histree_quark quark;
	if (size > 4096)
		return 0;
	char *text = malloc(size + 1);
	REQUIRE(text != NULL);
	memcpy(text, bytes, size);
	text[size] = '\0';
	check_times(text);

	attribute_tree_init(&tree);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		REQUIRE(attribute_tree_add_path(&tree, HISTREE_ROOT, paths[i], &quark, NULL) == HISTREE_OK);
	struct matched matched = { .tree = attributes };
	enum histree_status status =
		histree_attributes_match(attributes, HISTREE_ROOT, text, found, &matched, NULL);
	REQUIRE((status == HISTREE_OK) == (matched.count > 0));
	REQUIRE(matched.count <= histree_attributes_count(attributes));
	bool is_there = histree_attributes_find(attributes, HISTREE_ROOT, text, &quark) == HISTREE_OK;
	histree_quark made;
	if (attribute_tree_add_path(&tree, HISTREE_ROOT, text, &made, NULL) == HISTREE_OK) {
		char back[8192];
		REQUIRE(!is_there || made == quark);
		REQUIRE(histree_attributes_path(attributes, made, back, sizeof(back)) < sizeof(back));
		REQUIRE(histree_attributes_find(attributes, HISTREE_ROOT, back, &quark) == HISTREE_OK &&
			quark == made);
	}
	attribute_tree_release(&tree);
	free(text);
	return 0;
}
