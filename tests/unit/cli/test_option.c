// SPDX-License-Identifier: MIT
/*
 * The command line: what a table of options says is what the parser takes, and what it refuses it names.
 */
#include "base/nearest.h"
#include "cli/option.h"
#include "cli/verb.h"
#include "support/test.h"

/* ---- options ------------------------------------------------------------------------------------------ */

struct sample {
	const char *name, *colour;
	uint64_t count, bytes, wait;
	bool loud;
};

static const char *const colours[] = { "red", "green", NULL };

static const struct cli_option options[] = {
	{ .name = "name",
	  .letter = 'n',
	  .argument = "NAME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct sample, name),
	  .help = "a name",
	  .old = "called N" },
	{ .name = "left", .kind = CLI_FLAG, .member = offsetof(struct sample, name), .means = "left" },
	{ .name = "colour",
	  .argument = "COLOUR",
	  .kind = CLI_CHOICE,
	  .member = offsetof(struct sample, colour),
	  .choices = colours },
	{ .name = "count",
	  .letter = 'c',
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct sample, count),
	  .min = 2,
	  .max = 1000 },
	{ .name = "bytes",
	  .argument = "BYTES",
	  .kind = CLI_SIZE,
	  .member = offsetof(struct sample, bytes),
	  .min = 4096,
	  .max = 1 << 20 },
	{ .name = "wait",
	  .argument = "NS",
	  .kind = CLI_DURATION,
	  .member = offsetof(struct sample, wait),
	  .min = 1,
	  .max = INT64_MAX },
	{ .name = "loud", .letter = 'l', .kind = CLI_FLAG, .member = offsetof(struct sample, loud) },
	{ 0 },
};

static const struct cli_verb verb = {
	.name = "sample",
	.arguments = { "THING [MORE]", 1, 2 },
	.options = options,
};

/* What the parser made of one command line. */
struct parse {
	char *argv[20];
	struct sample values;
	struct cli_words words;
	char *messages;
	enum cli_parsed parsed;
};

/* `line` is cut at its spaces; free_parse() afterwards. */
static void parse(struct parse *parse, const char *line)
{
	static char copy[256];
	int argc = 0;
	*parse = (struct parse){ 0 };
	assert_true(strlen(line) < sizeof(copy));
	strcpy(copy, line);
	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		parse->argv[argc++] = word;
	size_t size;
	FILE *messages = open_memstream(&parse->messages, &size);
	assert_non_null(messages);
	parse->parsed = cli_parse(&verb, argc, parse->argv, &parse->values, &parse->words, messages);
	fclose(messages);
}

TEST(options_and_words_come_in_any_order)
{
	struct parse p;
	parse(&p, "sample one -n left --count=7 two --bytes 64K --wait 1.5ms -l --colour green -l");
	assert_int_equal(p.parsed, CLI_PARSED);
	assert_string_equal(p.values.name, "left");
	assert_string_equal(p.values.colour, "green");
	assert_int_equal(p.values.count, 7);
	assert_int_equal(p.values.bytes, 65536);
	assert_int_equal(p.values.wait, 1500000);
	assert_true(p.values.loud);
	assert_int_equal(p.words.count, 2);
	assert_string_equal(p.words.words[0], "one");
	assert_string_equal(p.words.words[1], "two");
	assert_string_equal(p.messages, "");
	free(p.messages);
}

TEST(what_is_not_said_stays_zero)
{
	struct parse p;
	parse(&p, "sample one");
	assert_int_equal(p.parsed, CLI_PARSED);
	assert_null(p.values.name);
	assert_int_equal(p.values.count, 0);
	assert_false(p.values.loud);
	free(p.messages);
}

TEST(two_dashes_end_the_options)
{
	struct parse p;
	parse(&p, "sample -- -l --loud");
	assert_int_equal(p.parsed, CLI_PARSED);
	assert_false(p.values.loud);
	assert_int_equal(p.words.count, 2);
	assert_string_equal(p.words.words[1], "--loud");
	free(p.messages);
}

TEST(help_is_everywhere)
{
	static const char *const lines[] = { "sample --help", "sample -h", "sample one two three -l --help" };
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct parse p;
		parse(&p, lines[i]);
		assert_int_equal(p.parsed, CLI_HELP);
		free(p.messages);
	}
}

TEST(what_is_wrong_is_named)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{ "sample", "'sample' needs THING [MORE]" },
		{ "sample a b c", "'c' is one argument too many" },
		{ "sample a --nmae x", "unknown option '--nmae'; the nearest is '--name'" },
		{ "sample a --zzzzzz", "unknown option '--zzzzzz'; see" },
		{ "sample a -z", "unknown option '-z'" },
		{ "sample a --loud=yes", "'--loud' takes no argument" },
		{ "sample a --help=yes", "'--help' takes no argument" },
		{ "sample a --name", "'--name' needs NAME" },
		{ "sample a -n", "'--name' needs NAME" },
		{ "sample a --colour blue", "'--colour': 'blue' is not one of red and green" },
		{ "sample a --count 1", "'--count': '1' is not a number from 2 to 1000" },
		{ "sample a --count 1001", "from 2 to 1000" },
		{ "sample a --count 7x", "'7x' is not a number" },
		{ "sample a --count -7", "'-7' is not a number" },
		{ "sample a --count 18446744073709551618", "is not a number" }, /* 2^64 + 2 */
		{ "sample a --bytes 2M", "'2M' is not a size (bytes, or like 64K, 1M) from 4K to 1M" },
		{ "sample a --bytes 64Q", "'64Q' is not a size" },
		{ "sample a --wait 0", "'0' is not a length of time" },
		{ "sample a --wait soon", "of at least 1" },
		{ "sample a --name x -n x", "'--name' is given twice, and takes one NAME: leave one out; see" },
		{ "sample a --called x --name y", "'--name' is given twice, and takes one NAME" },
		{ "sample a --name x --left", "'--left' means 'left', and 'x' is given: leave one out" },
		{ "sample a -c 2 --wait 1 --count 3", "'--count' is given twice, and takes one N" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parse p;
		parse(&p, cases[i].line);
		assert_int_equal(p.parsed, CLI_WRONG);
		if (strstr(p.messages, cases[i].message) == NULL)
			fail_msg("%s: said '%s', not '%s'", cases[i].line, p.messages, cases[i].message);
		/* One line, of which command, and where to read on. */
		assert_memory_equal(p.messages, "histree: ", 9);
		assert_non_null(strstr(p.messages, "see 'histree sample --help'\n"));
		assert_int_equal(strchr(p.messages, '\n')[1], '\0');
		free(p.messages);
	}
}

TEST(old_spellings_are_understood)
{
	static const char *const lines[] = { "sample a --called left", "sample a -N left", "sample a --left",
					     "sample a --left --name left" };
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct parse p;
		parse(&p, lines[i]);
		assert_string_equal(p.messages, "");
		assert_int_equal(p.parsed, CLI_PARSED);
		assert_string_equal(p.values.name, "left");
		free(p.messages);
	}
}

/* ---- the options of all verbs -------------------------------------------------------------------------- */

static bool is_old_spelling(const struct cli_option *option, const char *name)
{
	const size_t size = strlen(name);
	for (const char *old = option->old; old != NULL;
	     old = strchr(old, ' ') != NULL ? strchr(old, ' ') + 1 : NULL)
		if (strncmp(old, name, size) == 0 && (old[size] == ' ' || old[size] == '\0'))
			return true;
	return false;
}

/* What an option writes is a file, a store, or whatever a format makes of it. */
static bool is_one_meaning(const struct cli_option *a, const struct cli_option *b)
{
	const bool is_argument = a->argument != NULL && b->argument != NULL &&
				 (strcmp(a->argument, b->argument) == 0 || strcmp(a->name, "output") == 0);
	return a->letter == b->letter && (is_argument || (a->argument == NULL && b->argument == NULL)) &&
	       (a->kind == b->kind || strcmp(a->name, "output") == 0);
}

static void compare_options(const struct cli_verb *one, const struct cli_verb *other)
{
	struct cli_option a[CLI_OPTIONS_MAX + 1], b[CLI_OPTIONS_MAX + 1];
	const size_t a_count = cli_options_of(one, a), b_count = cli_options_of(other, b);
	for (size_t i = 0; i < a_count; i++)
		for (size_t j = 0; j < b_count; j++) {
			const bool is_same = strcmp(a[i].name, b[j].name) == 0;
			if (a[i].help == NULL || b[j].help == NULL)
				continue;
			if (is_same && !is_one_meaning(&a[i], &b[j]))
				fail_msg("--%s of %s is another than that of %s", a[i].name, one->name,
					 other->name);
			if (!is_same && a[i].letter != 0 && a[i].letter == b[j].letter)
				fail_msg("-%c is --%s of %s and --%s of %s", a[i].letter, a[i].name, one->name,
					 b[j].name, other->name);
			if (one == other && is_old_spelling(&a[i], b[j].name))
				fail_msg("--%s of %s is an old spelling and a new one", b[j].name, one->name);
		}
}

TEST(no_option_has_two_meanings)
{
	for (const struct cli_verb *const *one = cli_verbs; *one != NULL; one++)
		for (const struct cli_verb *const *other = one; *other != NULL; other++)
			compare_options(*one, *other);
}

static void must_have(const struct cli_verb *of, const char *name, size_t size)
{
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	const size_t count = cli_options_of(of, all);
	for (size_t i = 0; i < count; i++)
		if (strlen(all[i].name) == size && memcmp(all[i].name, name, size) == 0)
			return;
	fail_msg("%s has no --%.*s, which a form or an old name of it has", of->name, (int)size, name);
}

static void check_forms(const struct cli_verb *of)
{
	const struct cli_form *form = of->forms;
	for (; form != NULL && form->option != NULL; form++)
		must_have(of, form->option, strlen(form->option));
	assert_true(form != NULL || of->run != NULL);
	for (form = of->forms; form != NULL; form = form->option != NULL ? form + 1 : NULL) {
		assert_non_null(form->run);
		assert_true(form->arguments.min <= form->arguments.max && (form->asks & ~of->asks) == 0);
		for (const char *at = form->takes, *end; at != NULL && *at != '\0'; at = end + (*end != '\0')) {
			end = at + strcspn(at, " ");
			must_have(of, at, (size_t)(end - at));
		}
	}
}

/* A name that is none would be a rule that never holds. */
TEST(forms_and_old_names_stand_for_options_that_there_are)
{
	for (const struct cli_verb *const *one = cli_verbs; *one != NULL; one++) {
		check_forms(*one);
		for (const struct cli_old_verb *old = (*one)->old; old != NULL && old->name != NULL; old++)
			for (size_t i = 0; i < 2 && old->means[i].option != NULL; i++)
				must_have(*one, old->means[i].option, strlen(old->means[i].option));
	}
}

/* ---- the nearest word ----------------------------------------------------------------------------------- */

static const char *nearest_verb(const char *typed)
{
	static const char *const words[] = { "build", "info", "ls", "query", "dump", "verify", "completion" };
	struct nearest nearest = nearest_begin(typed);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		nearest_offer(&nearest, words[i]);
	return nearest.word;
}

TEST(slips_find_their_word)
{
	assert_string_equal(nearest_verb("qurey"), "query");
	assert_string_equal(nearest_verb("biuld"), "build");
	assert_string_equal(nearest_verb("verfy"), "verify");
	assert_string_equal(nearest_verb("sl"), "ls");
	assert_string_equal(nearest_verb("dumpp"), "dump");
	assert_null(nearest_verb("nonsense"));
	assert_null(nearest_verb("x"));
	assert_null(nearest_verb(""));
	assert_null(nearest_verb("a word that is far too long to be compared with any"));
}
