// SPDX-License-Identifier: MIT
/*
 * property_labels.c - random tables of labels, of a random tree of attributes: what a history says of a value is
 * what a walk over the array says that the tables were made of, and the table of an attribute is the first of
 * which a pattern, matched from the top, finds it.
 */
#include "base/arena.h"
#include "base/hash_index.h"
#include "driver.h"
#include "histree/attributes.h"
#include "histree/history.h"
#include "state/labels.h"
#include "support/test.h"

struct label_kind {
	const char *name;
	unsigned tables, labels; /* at most */
	unsigned texts;          /* percent of labels that are for texts */
	int64_t step;            /* between numbers, at most */
};

static const struct label_kind kinds[] = {
	{ "few labels", 3, 8, 0, 3 },
	{ "many numbers", 2, 400, 0, 5 },
	{ "texts", 2, 60, 100, 1 },
	{ "many tables", HISTREE_LABEL_TABLES_MAX, 4, 40, 1000 },
	{ "all numbers", 2, 40, 20, INT64_MAX / 64 },
	{ 0 },
};

enum { PATTERNS_MAX = 3, ATTRIBUTES = 60, TEXT_SIZE = 24 };

struct drawn {
	struct random random;
	struct arena memory;
	struct histree_label_table *tables; /* labels in no order */
	size_t count;
};

static const char *text(struct drawn *drawn, const char *format, uint64_t number)
{
	char made[64];
	int size = snprintf(made, sizeof(made), format, (unsigned long long)number);
	const char *copy = arena_copy(&drawn->memory, made, (size_t)size);
	assert_non_null(copy);
	return copy;
}

/* ---- labels ----------------------------------------------------------------------------------------------- */

static void draw_style(struct drawn *drawn, struct histree_label *label, size_t number)
{
	label->is_hidden = random_percent(&drawn->random, 10);
	label->is_code = random_percent(&drawn->random, 70);
	label->has_no_colour = random_percent(&drawn->random, 30);
	label->style = (struct histree_style){
		.key = text(drawn, "K%llu", number),
		.name = text(drawn, "label %llu", number),
		.light = (uint32_t)random_below(&drawn->random, 1 << 24),
		.dark = (uint32_t)random_below(&drawn->random, 1 << 24),
		.height = (double)random_below(&drawn->random, 101) / 100,
	};
}

static void shuffle(struct drawn *drawn, struct histree_label *labels, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = random_below(&drawn->random, i);
		struct histree_label label = labels[i - 1];
		labels[i - 1] = labels[other];
		labels[other] = label;
	}
}

static void draw_labels(struct drawn *drawn, const struct label_kind *kind, struct histree_label_table *table)
{
	size_t count = random_below(&drawn->random, kind->labels + 1);
	struct histree_label *labels = arena_allocate(&drawn->memory, (count + 1) * sizeof(*labels), 16);
	int64_t next = -(int64_t)random_below(&drawn->random, (uint64_t)kind->step * 4 + 1);
	assert_non_null(labels);
	table->labels = labels;
	table->label_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct histree_label *label = &labels[table->label_count];
		uint64_t gap = random_below(&drawn->random, (uint64_t)kind->step);
		uint64_t width =
			random_percent(&drawn->random, 50) ? 0 : random_below(&drawn->random, (uint64_t)kind->step);
		*label = (struct histree_label){ .kind = HISTREE_LABEL_NUMBERS };
		draw_style(drawn, label, i);
		if (random_percent(&drawn->random, kind->texts)) {
			label->kind = HISTREE_LABEL_TEXT;
			label->text = text(drawn, i == 0 ? "" : "t%llu", i);
			/* What has no meaning there is dropped. */
			label->first = next;
		} else if (next > INT64_MAX - (int64_t)gap ||
			   next + (int64_t)gap > INT64_MAX - (int64_t)width - 1) {
			continue;
		} else {
			label->first = next + (int64_t)gap;
			label->last = label->first + (int64_t)width;
			next = label->last + 1;
		}
		table->label_count++;
	}
	if (random_percent(&drawn->random, 30)) {
		labels[table->label_count] = (struct histree_label){ .kind = HISTREE_LABEL_OTHERS };
		draw_style(drawn, &labels[table->label_count++], count);
	}
	shuffle(drawn, labels, table->label_count);
}

/* ---- patterns --------------------------------------------------------------------------------------------- */

static const char *draw_pattern(struct drawn *drawn)
{
	static const char *const components[] = { "*",   "*", "**", "a",     "b",     "a*",  "*b",
						  "a*b", "1", "1*", "*\\/*", "a\\/b", "\\*", "**" };
	char made[128] = "";
	unsigned count = 1 + (unsigned)random_below(&drawn->random, 4);
	for (unsigned i = 0; i < count; i++) {
		if (i > 0)
			strcat(made, "/");
		strcat(made, components[random_below(&drawn->random, sizeof(components) / sizeof(components[0]))]);
	}
	return arena_copy(&drawn->memory, made, strlen(made));
}

static void draw_tables(struct drawn *drawn, const struct label_kind *kind)
{
	drawn->count = 1 + random_below(&drawn->random, kind->tables);
	drawn->tables = arena_allocate(&drawn->memory, drawn->count * sizeof(*drawn->tables), 16);
	assert_non_null(drawn->tables);
	for (size_t i = 0; i < drawn->count; i++) {
		size_t pattern_count = 1 + random_below(&drawn->random, PATTERNS_MAX);
		const char **patterns = arena_allocate(&drawn->memory, (pattern_count + 1) * sizeof(*patterns), 16);
		assert_non_null(patterns);
		for (size_t k = 0; k < pattern_count; k++)
			patterns[k] = draw_pattern(drawn);
		patterns[pattern_count] = NULL;
		drawn->tables[i] = (struct histree_label_table){
			.name = text(drawn, i % 5 == 0 ? "" : "table %llu", i),
			.meaning = (enum histree_meaning)random_below(&drawn->random, HISTREE_MEANING_COUNT),
			.patterns = patterns,
			.uses_palette = random_percent(&drawn->random, 50),
		};
		draw_labels(drawn, kind, &drawn->tables[i]);
	}
}

/* ---- the section ------------------------------------------------------------------------------------------ */

static const struct histree_label *find_linearly(const struct histree_label_table *table,
						 const struct histree_value *value)
{
	const struct histree_label *others = NULL;
	int64_t number = value->type == HISTREE_INT    ? value->int32
			 : value->type == HISTREE_LONG ? value->int64
			 : value->type == HISTREE_BOOL ? value->boolean
						       : 0;
	bool is_number = value->type == HISTREE_INT || value->type == HISTREE_LONG || value->type == HISTREE_BOOL;
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN)
		return NULL;
	for (size_t i = 0; i < table->label_count; i++) {
		const struct histree_label *label = &table->labels[i];
		if (label->kind == HISTREE_LABEL_OTHERS)
			others = label;
		if (label->kind == HISTREE_LABEL_NUMBERS && is_number && label->first <= number &&
		    number <= label->last)
			return label;
		if (label->kind == HISTREE_LABEL_TEXT && value->type == HISTREE_STRING &&
		    strlen(label->text) == value->size && memcmp(label->text, value->bytes, value->size) == 0)
			return label;
	}
	return others;
}

static struct histree_value draw_value(struct drawn *drawn, const struct histree_label_table *table,
				       char room[TEXT_SIZE])
{
	struct random *random = &drawn->random;
	const struct histree_label *near =
		table->label_count > 0 ? &table->labels[random_below(random, table->label_count)] : NULL;
	int64_t number = near != NULL ? (random_percent(random, 50) ? near->first : near->last) : 0;
	if (number > INT64_MIN && number < INT64_MAX)
		number += (int64_t)random_below(random, 3) - 1;
	switch (random_below(random, 8)) {
	case 0:
		return histree_null();
	case 1:
		return histree_unknown();
	case 2:
		return histree_bool(random_percent(random, 50));
	case 3:
		return histree_double(0.5);
	case 4:
		if (number >= INT32_MIN && number <= INT32_MAX)
			return histree_int((int32_t)number);
		return histree_long(number);
	case 5:
		return histree_long(number);
	case 6:
		if (near != NULL && near->kind == HISTREE_LABEL_TEXT)
			return histree_string(near->text);
		return histree_string("t");
	default:
		snprintf(room, TEXT_SIZE, "t%u", (unsigned)random_below(random, 100));
		return histree_string(room);
	}
}

static void compare_values(struct drawn *drawn, const struct histree_label_table *found,
			   const struct histree_label_table *made)
{
	for (int i = 0; i < 200; i++) {
		char room[TEXT_SIZE];
		const struct histree_value value = draw_value(drawn, made, room);
		const struct histree_label *expected = find_linearly(made, &value);
		const struct histree_label *label = histree_label_find(found, &value);
		const struct histree_style *style = histree_style_of(found, &value);
		const char *words = histree_label_words(found, &value);
		assert_int_equal(label == NULL, expected == NULL);
		if (expected == NULL) {
			bool is_drawn =
				value.type == HISTREE_UNKNOWN || (value.type != HISTREE_NULL && made->uses_palette);
			assert_int_equal(style != NULL, is_drawn);
			assert_null(words);
			continue;
		}
		assert_int_equal(label->kind, expected->kind);
		assert_int_equal(label->is_hidden, expected->is_hidden);
		if (expected->is_hidden) {
			assert_null(style);
			assert_null(words);
			continue;
		}
		assert_ptr_equal(style, &label->style);
		assert_string_equal(style->key, expected->style.key);
		assert_string_equal(style->name, expected->style.name);
		assert_true(style->height == expected->style.height);
		if (!expected->has_no_colour)
			assert_true(style->light == expected->style.light && style->dark == expected->style.dark);
		assert_int_equal(words != NULL, expected->is_code);
	}
}

static void check_section(struct drawn *drawn)
{
	struct told_list copy, again;
	struct histree_error error;
	uint8_t *bytes, *more;
	size_t size, more_size;
	if (label_tables_copy(drawn->tables, drawn->count, &copy, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_ok(told_encode(&told_labels, copy.tables, copy.count, &bytes, &size, &error));
	if (told_decode(&told_labels, bytes, size, &again, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_int_equal(again.count, drawn->count);
	for (size_t i = 0; i < again.count; i++) {
		assert_string_equal(again.tables[i].name, drawn->tables[i].name);
		assert_int_equal(again.tables[i].meaning, drawn->tables[i].meaning);
		compare_values(drawn, &again.tables[i], &drawn->tables[i]);
	}
	assert_ok(told_encode(&told_labels, again.tables, again.count, &more, &more_size, &error));
	assert_int_equal(more_size, size);
	assert_memory_equal(more, bytes, size);
	free(bytes);
	free(more);
	told_list_release(&copy);
	told_list_release(&again);
}

/* ---- a history -------------------------------------------------------------------------------------------- */

static struct histree_history *make_history(struct drawn *drawn)
{
	static const char *const names[] = { "a", "b", "ab", "acb", "1", "12", "a/b", "*", "a*" };
	const struct histree_history_options options = { .start = 0, .provider = "test" };
	struct histree_state_system *system;
	struct histree_history *history;
	assert_ok(histree_state_create_in_memory(&options, 0, &system, NULL));
	assert_ok(histree_state_labels(system, drawn->tables, drawn->count, NULL));
	histree_quark made[ATTRIBUTES];
	for (size_t i = 0; i < ATTRIBUTES; i++) {
		const char *name = names[random_below(&drawn->random, sizeof(names) / sizeof(names[0]))];
		histree_quark parent = i > 0 && random_percent(&drawn->random, 80)
					       ? made[random_below(&drawn->random, i)]
					       : HISTREE_ROOT;
		assert_ok(histree_state_child(system, parent, name, strlen(name), &made[i], NULL));
	}
	assert_ok(histree_state_close(system, 10, NULL));
	assert_ok(histree_state_history(system, 10, NULL, &history, NULL));
	histree_state_free(system);
	return history;
}

static bool mark(void *context, histree_quark quark)
{
	bool *is_found = context;
	is_found[quark] = true;
	return true;
}

static void check_history(struct drawn *drawn)
{
	struct histree_history *history = make_history(drawn);
	const struct histree_attributes *attributes = histree_history_attributes(history);
	uint32_t quarks = histree_attributes_count(attributes);
	size_t count, expected[ATTRIBUTES];
	const struct histree_label_table *tables = histree_labels(history, &count);
	assert_int_equal(count, drawn->count);
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_OF_FILE);
	for (histree_quark quark = 0; quark < quarks; quark++)
		expected[quark] = count;
	for (size_t i = 0; i < count; i++)
		for (const char *const *pattern = drawn->tables[i].patterns; *pattern != NULL; pattern++) {
			bool is_found[ATTRIBUTES] = { false };
			enum histree_status status =
				histree_attributes_match(attributes, HISTREE_ROOT, *pattern, mark, is_found, NULL);
			assert_true(status == HISTREE_OK || status == HISTREE_NOT_FOUND);
			for (histree_quark quark = 0; quark < quarks; quark++)
				if (is_found[quark] && expected[quark] == count)
					expected[quark] = i;
		}
	/* The second time it is known. */
	for (int round = 0; round < 2; round++)
		for (histree_quark quark = 0; quark < quarks; quark++) {
			const struct histree_label_table *table = histree_labels_of(history, quark);
			size_t found = table != NULL ? (size_t)(table - tables) : count;
			if (found != expected[quark]) {
				char path[256];
				histree_attributes_path(attributes, quark, path, sizeof(path));
				fail_msg("'%s' has table %zu, and not %zu", path, found, expected[quark]);
			}
		}
	assert_null(histree_labels_of(history, quarks));
	assert_null(histree_labels_of(history, HISTREE_ROOT));
	histree_history_close(history);
}

static void check(const void *context, uint64_t seed)
{
	struct drawn drawn = { .random = { seed } };
	draw_tables(&drawn, context);
	check_section(&drawn);
	check_history(&drawn);
	arena_release(&drawn.memory);
}

PROPERTIES({ KINDS(kinds), .rounds = 40, .check = check })
