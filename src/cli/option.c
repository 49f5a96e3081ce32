// SPDX-License-Identifier: MIT
/*
 * option.c - the block of options of all questions, and the parser: each verb has one table, which --help and the
 * completion read as well.
 */
#include "cli/option.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/number_text.h"
#include "base/table.h"
#include "cli/report.h"
#include "histree/history.h"
#include "view/view.h"

/* ---- option -------------------------------------------------------------------------------------------------- */

const char *const row_format_names[] = { "text", "tsv", "csv", "json", NULL };

/* What is said of them is true of every verb. */
static const struct cli_option block[ASK_COUNT] = {
#define BLOCK(text, of, what, at, ...)                                                                   \
	{                                                                                                \
		.name = text, .argument = of, .kind = what, .member = offsetof(struct cli_question, at), \
		__VA_ARGS__                                                                              \
	}
	[ASK_FROM] = BLOCK("from", "TIME", CLI_TEXT, from,
			   .help = "take what there is at this time or later; default: the start"),
	[ASK_TO] = BLOCK("to", "TIME", CLI_TEXT, to,
			 .help = "take what there is up to this time, inclusive; default: the end"),
	[ASK_AT] = BLOCK("at", "TIME", CLI_TEXT, at, .help = "take what there is at this time"),
	[ASK_WHERE] = BLOCK("where", "EXPR", CLI_TEXT, where, .help = "take only what passes this expression"),
	[ASK_THREAD] = BLOCK("thread", "THREADS", CLI_TEXT, thread,
			     .help = "take only what belongs to these threads: numbers, names, name* or "
				     "PROCESS:THREAD, separated by commas"),
	[ASK_BY] = BLOCK("by", "KEY", CLI_TEXT, by, .help = "answer for each value of this key separately"),
	[ASK_PARTS] = BLOCK("parts", "N", CLI_NUMBER, parts, .min = 1, .max = HISTREE_PIXELS_MAX,
			    .old = "pixels time-buckets",
			    .help = "cut the time into N equal parts, and answer for each separately"),
	[ASK_SORT] = BLOCK("sort", "KEY", CLI_TEXT, sort,
			   .help = "sort rows by this key: amounts in descending order, times and texts in "
				   "ascending order; +KEY is always ascending, -KEY descending"),
	[ASK_REVERSE] = BLOCK("reverse", NULL, CLI_FLAG, reverse, .letter = 'r',
			      .help = "print the greatest, or the latest, first"),
	[ASK_LIMIT] = BLOCK("limit", "N", CLI_NUMBER, limit, .letter = 'n', .min = 1, .max = INT64_MAX,
			    .old = "top rows", .help = "print only the first N rows"),
	[ASK_COLUMNS] = BLOCK("columns", "LIST", CLI_TEXT, columns,
			      .help = "print only these columns, separated by commas"),
	[ASK_ANALYSIS] =
		BLOCK("analysis", "ANALYSIS", CLI_TEXT, analysis, .letter = 'a', .complete = CLI_COMPLETE_ANALYSIS,
		      .help = "use what this analysis made", .more = "; default: kernel, or the first history"),
	[ASK_HOST] = BLOCK("host", "HOST", CLI_TEXT, host,
			   .help = "use only what belongs to this host, if the store has several"),
	[ASK_FORMAT] = BLOCK("format", "FORMAT", CLI_CHOICE, format, .choices = row_format_names,
			     .help = "print rows as text, tsv, csv or json; default: text"),
#undef BLOCK
};

size_t cli_options_of(const struct cli_verb *verb, struct cli_option out[CLI_OPTIONS_MAX + 1])
{
	size_t count = 0;
	for (unsigned ask = 0; ask < ASK_COUNT; ask++) {
		if ((verb->asks & 1U << ask) == 0)
			continue;
		out[count] = block[ask];
		if (verb->says[ask] != NULL)
			out[count].more = verb->says[ask];
		count++;
	}
	for (const struct cli_option *option = verb->options; option->name != NULL; option++) {
		assert(count < CLI_OPTIONS_MAX);
		out[count++] = *option;
	}
	out[count] = (struct cli_option){ 0 };
	return count;
}

void cli_option_help(const struct cli_option *option, char text[CLI_HELP_SIZE])
{
	int size = snprintf(text, CLI_HELP_SIZE, "%s%s", option->help, option->more != NULL ? option->more : "");
	assert(size < CLI_HELP_SIZE);
	(void)size;
}

enum {
	SPELLINGS_MAX = 2 * CLI_OPTIONS_MAX,
	LONG_BASE = 256, /* getopt_long() gives LONG_BASE + index for row `index` */
	HELP = LONG_BASE + CLI_OPTIONS_MAX,
	OLD_SIZE = 32,
};

struct parser {
	const struct cli_verb *verb;
	struct cli_option options[CLI_OPTIONS_MAX + 1];
	size_t option_count;
	struct option long_options[SPELLINGS_MAX + 2];
	char old_names[SPELLINGS_MAX][OLD_SIZE];
	char short_options[2 * SPELLINGS_MAX + 4];
	unsigned char row_of_letter[128]; /* and 1 */
	bool is_given[CLI_OPTIONS_MAX];   /* by row */
	void *values;
	FILE *messages;
};

/* Whether a row of a table has what its kind needs. */
static bool is_sound(const struct cli_option *option)
{
	switch (option->kind) {
	case CLI_FLAG:
		return option->argument == NULL && (option->means == NULL || option->help == NULL);
	case CLI_TEXT:
	case CLI_PLACE:
	case CLI_TEXTS:
		return option->argument != NULL;
	case CLI_CHOICE:
		return option->argument != NULL && option->choices != NULL;
	case CLI_NUMBER:
	case CLI_SIZE:
	case CLI_DURATION:
		return option->argument != NULL && option->min < option->max;
	}
	return false;
}

/* The name of an option, or an old one, is how its row is spelled; a name of one letter is a letter. */
static void add_spelling(struct parser *parser, struct option **next, char **letters, size_t row, const char *name)
{
	const struct cli_option *option = &parser->options[row];
	const bool takes_argument = option->argument != NULL;
	if (name[1] != '\0') {
		assert(*next < parser->long_options + SPELLINGS_MAX);
		*(*next)++ = (struct option){ .name = name,
					      .has_arg = takes_argument ? required_argument : no_argument,
					      .val = LONG_BASE + (int)row };
		return;
	}
	parser->row_of_letter[(unsigned char)*name & 0x7f] = (unsigned char)(row + 1);
	*(*letters)++ = *name;
	if (takes_argument)
		*(*letters)++ = ':';
}

/* Returns the row of what getopt_long() gave, which is LONG_BASE + index or a letter. */
static const struct cli_option *row_of(const struct parser *parser, int found)
{
	if (found >= LONG_BASE && found < LONG_BASE + (int)parser->option_count)
		return &parser->options[found - LONG_BASE];
	unsigned row = found > 0 && found < 128 ? parser->row_of_letter[found] : 0;
	return row > 0 ? &parser->options[row - 1] : NULL;
}

static enum cli_parsed wrong(const struct parser *parser)
{
	fprintf(parser->messages, "; see '%s %s --help'\n", report_program(), parser->verb->name);
	return CLI_WRONG;
}

static void print_bound(const struct cli_option *option, uint64_t bound, FILE *messages)
{
	static const char *const units[] = { "", "K", "M" };
	unsigned unit = 0;
	for (; option->kind == CLI_SIZE && unit < 2 && bound > 0 && bound % 1024 == 0; unit++)
		bound /= 1024;
	fprintf(messages, "%" PRIu64 "%s", bound, units[unit]);
}

/* Prints what an argument should have been: "one of red, green and blue", "a number from 2 to 1000". */
static void print_expected(const struct cli_option *option, FILE *messages)
{
	if (option->kind == CLI_CHOICE) {
		fputs("one of ", messages);
		for (const char *const *choice = option->choices; *choice != NULL; choice++)
			fprintf(messages, "%s%s", *choice,
				choice[1] == NULL   ? ""
				: choice[2] == NULL ? " and "
						    : ", ");
		return;
	}
	if (option->kind == CLI_SIZE)
		fputs("a size (bytes, or like 64K, 1M) ", messages);
	else if (option->kind == CLI_DURATION)
		fputs("a length of time (ns, or like 10us, 2.5ms) ", messages);
	else
		fputs("a number ", messages);
	bool is_open = option->max >= INT64_MAX;
	fputs(is_open ? "of at least " : "from ", messages);
	print_bound(option, option->min, messages);
	if (!is_open) {
		fputs(" to ", messages);
		print_bound(option, option->max, messages);
	}
}

static enum cli_parsed wrong_value(const struct parser *parser, const struct cli_option *option, const char *text)
{
	fprintf(parser->messages, "%s: '--%s': '%s' is not ", report_program(), option->name, text);
	print_expected(option, parser->messages);
	return wrong(parser);
}

static bool read_number(const struct cli_option *option, const char *text, uint64_t *number)
{
	bool is_read;
	int64_t ns = 0;
	if (option->kind == CLI_DURATION) {
		is_read = time_parse_duration(text, &ns);
		*number = (uint64_t)ns;
	} else if (option->kind == CLI_SIZE) {
		is_read = number_parse_size(text, number);
	} else {
		is_read = number_parse(text, number);
	}
	return is_read && *number >= option->min && *number <= option->max;
}

static enum cli_parsed take_text(struct cli_texts *texts, const char *text, const struct parser *parser)
{
	if (!array_reserve(&texts->texts, &texts->capacity, texts->count + 1)) {
		fputs("histree: out of memory\n", parser->messages);
		return CLI_WRONG;
	}
	texts->texts[texts->count++] = text;
	return CLI_PARSED;
}

int cli_choice_number(const char *const *choices, const char *chosen)
{
	int number = 0;
	while (choices[number] != NULL && strcmp(choices[number], chosen) != 0)
		number++;
	return number;
}

void cli_texts_release(struct cli_texts *texts)
{
	free(texts->texts);
	*texts = (struct cli_texts){ 0 };
}

/* An old spelling of a whole option: that may be given as well, as long as both say the same. */
static enum cli_parsed take_meaning(const struct parser *parser, const struct cli_option *option,
				    const char **member)
{
	if (*member != NULL && strcmp(*member, option->means) != 0) {
		fprintf(parser->messages, "%s: '--%s' means '%s', and '%s' is given: leave one out",
			report_program(), option->name, option->means, *member);
		return wrong(parser);
	}
	*member = option->means;
	return CLI_PARSED;
}

static enum cli_parsed option_take(const struct parser *parser, const struct cli_option *option, const char *text)
{
	char *member = (char *)parser->values + option->member;
	uint64_t number;
	switch (option->kind) {
	case CLI_FLAG:
		if (option->means != NULL)
			return take_meaning(parser, option, (const char **)(void *)member);
		memcpy(member, &(bool){ true }, sizeof(bool));
		return CLI_PARSED;
	case CLI_CHOICE:
		if (option->choices[cli_choice_number(option->choices, text)] == NULL)
			return wrong_value(parser, option, text);
		memcpy(member, &text, sizeof(text));
		return CLI_PARSED;
	case CLI_PLACE:
		if (strcmp(text, "-") == 0) {
			fprintf(parser->messages,
				"%s: '--%s': standard output cannot be the %s: choose a name, or './-' for one "
				"that is called so",
				report_program(), option->name, option->argument);
			return wrong(parser);
		}
		memcpy(member, &text, sizeof(text));
		return CLI_PARSED;
	case CLI_TEXT:
		memcpy(member, &text, sizeof(text));
		return CLI_PARSED;
	case CLI_TEXTS:
		return take_text((struct cli_texts *)(void *)member, text, parser);
	case CLI_NUMBER:
	case CLI_SIZE:
	case CLI_DURATION:
		if (!read_number(option, text, &number))
			return wrong_value(parser, option, text);
		memcpy(member, &number, sizeof(number));
		return CLI_PARSED;
	}
	return CLI_WRONG;
}

/* A second value is refused, since one of the two would be dropped silently. */
static enum cli_parsed take_once(struct parser *parser, const struct cli_option *option, const char *text)
{
	bool *is_given = &parser->is_given[option - parser->options];
	if (*is_given && option->kind != CLI_FLAG && option->kind != CLI_TEXTS) {
		fprintf(parser->messages, "%s: '--%s' is given twice, and takes one %s: leave one out",
			report_program(), option->name, option->argument);
		return wrong(parser);
	}
	*is_given = true;
	return option_take(parser, option, text);
}

/* People learn the new spelling; the output of a script stays what it was. */
static void say_new_spelling(const struct parser *parser, const struct cli_option *option, const char *said)
{
	const struct cli_option *now = option;
	if (strcmp(said, option->name) == 0 && option->help != NULL)
		return;
	for (size_t row = 0; now->help == NULL && row < parser->option_count; row++)
		if (parser->options[row].member == option->member)
			now = &parser->options[row];
	if (now->help != NULL)
		report("'-%s%s' is '--%s%s%s' now; the old spelling goes with the next release",
		       said[1] != '\0' ? "-" : "", said, now->name, option->means != NULL ? " " : "",
		       option->means != NULL ? option->means : "");
}

static enum cli_parsed unknown_option(const struct parser *parser, const char *typed)
{
	/*
	 * getopt_long() leaves the letter in optopt where it was a letter, and a row's value where an option that
	 * takes no argument was given one.
	 */
	const struct cli_option *option = row_of(parser, optopt);
	if (option != NULL || optopt == HELP) {
		fprintf(parser->messages, "%s: '--%s' takes no argument", report_program(),
			option != NULL ? option->name : "help");
		return wrong(parser);
	}
	if (optopt != 0) {
		fprintf(parser->messages, "%s: unknown option '-%c'", report_program(), optopt);
		return wrong(parser);
	}
	char name[64];
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
	struct nearest nearest = nearest_begin(name);
	for (size_t i = 0; i < parser->option_count; i++)
		if (parser->options[i].help != NULL)
			nearest_offer(&nearest, parser->options[i].name);
	nearest_offer(&nearest, "help");
	fprintf(parser->messages, "%s: unknown option '%s'", report_program(), typed);
	if (nearest.word != NULL)
		fprintf(parser->messages, "; the nearest is '--%s'", nearest.word);
	return wrong(parser);
}

static enum cli_parsed check_words(const struct parser *parser, const struct cli_words *words)
{
	const struct cli_verb *verb = parser->verb;
	const struct cli_form *form = words->form;
	const struct cli_arguments *taken = form != NULL ? &form->arguments : &verb->arguments;
	const char *before = form != NULL && form->option != NULL ? " --" : "";
	const char *option = form != NULL && form->option != NULL ? form->option : "";
	if (words->count >= taken->min && words->count <= taken->max)
		return CLI_PARSED;
	if (words->count < taken->min)
		fprintf(parser->messages, "%s: '%s%s%s' needs %s", report_program(), verb->name, before, option,
			taken->text);
	else
		fprintf(parser->messages, "%s: '%s' is one argument too many for '%s%s%s%s%s'", report_program(),
			words->words[taken->max], verb->name, before, option, *taken->text != '\0' ? " " : "",
			taken->text);
	return wrong(parser);
}

/* ---- forms and old names of verbs ---------------------------------------------------------------------------- */

const struct cli_old_verb *cli_old_verb(const struct cli_verb *verb, const char *name)
{
	for (const struct cli_old_verb *old = verb->old; old != NULL && old->name != NULL; old++)
		if (strcmp(old->name, name) == 0)
			return old;
	return NULL;
}

static size_t row_named(const struct parser *parser, const char *name)
{
	size_t row = 0;
	while (row < parser->option_count && strcmp(parser->options[row].name, name) != 0)
		row++;
	assert(row < parser->option_count);
	return row;
}

/* Takes what an old name of the verb stands for, unless the command line says something else. */
static enum cli_parsed take_old_name(const struct parser *parser, const struct cli_old_verb *old)
{
	for (size_t i = 0; i < sizeof(old->means) / sizeof(*old->means) && old->means[i].option != NULL; i++) {
		const struct cli_option *option = &parser->options[row_named(parser, old->means[i].option)];
		const char *said = NULL;
		if (option->kind != CLI_FLAG)
			memcpy(&said, (const char *)parser->values + option->member, sizeof(said));
		if (said == NULL && option_take(parser, option, old->means[i].argument) != CLI_PARSED)
			return CLI_WRONG;
	}
	return CLI_PARSED;
}

static bool is_form_said(const struct parser *parser, const struct cli_form *form, const struct cli_old_verb *old)
{
	if (form->option == NULL || parser->is_given[row_named(parser, form->option)])
		return true;
	for (size_t i = 0; old != NULL && i < sizeof(old->means) / sizeof(*old->means); i++)
		if (old->means[i].option != NULL && strcmp(old->means[i].option, form->option) == 0)
			return true;
	return false;
}

/* Whether a name is one of the words of a list. */
static bool has_word(const char *list, const char *name)
{
	const size_t size = strlen(name);
	for (const char *at = list; at != NULL && *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
		if (strncmp(at, name, size) == 0 && (at[size] == ' ' || at[size] == '\0'))
			return true;
	return false;
}

static bool form_takes(const struct cli_form *form, const struct cli_option *option)
{
	for (unsigned ask = 0; ask < ASK_COUNT; ask++)
		if ((form->asks & 1U << ask) != 0 && strcmp(block[ask].name, option->name) == 0)
			return true;
	return (form->option != NULL && strcmp(form->option, option->name) == 0) ||
	       has_word(form->takes, option->name);
}

/* What the form does not take is refused with one that it goes with. */
static enum cli_parsed choose_form(const struct parser *parser, const struct cli_old_verb *old,
				   const struct cli_form **chosen)
{
	const struct cli_form *form = parser->verb->forms;
	*chosen = NULL;
	if (form == NULL)
		return CLI_PARSED;
	while (!is_form_said(parser, form, old))
		form++;
	*chosen = form;
	for (size_t row = 0; row < parser->option_count; row++) {
		const struct cli_option *option = &parser->options[row];
		/* An old spelling stands for an option that is in the table, and is of the verb's own. */
		if (!parser->is_given[row] || option->help == NULL || form_takes(form, option))
			continue;
		const struct cli_form *other = parser->verb->forms;
		while (other->option != NULL && !form_takes(other, option))
			other++;
		if (!form_takes(other, option))
			continue; /* what no form lists goes with all */
		if (form->option != NULL)
			fprintf(parser->messages, "%s: '--%s' does not go with '--%s'", report_program(),
				option->name, form->option);
		else
			fprintf(parser->messages, "%s: '--%s' goes with '--%s'", report_program(), option->name,
				other->option);
		return wrong(parser);
	}
	return CLI_PARSED;
}

static enum cli_parsed parse_words(const struct cli_verb *verb, int argc, char **argv, void *values,
				   struct cli_words *words, FILE *messages)
{
	struct parser parser = { .verb = verb, .values = values, .messages = messages };

	char *letter = parser.short_options;
	struct option *next = parser.long_options;
	size_t old_count = 0;
	*letter++ = ':'; /* tells a missing argument from an unknown option, and silences getopt_long() */
	parser.option_count = cli_options_of(parser.verb, parser.options);
	for (size_t row = 0; row < parser.option_count; row++) {
		const struct cli_option *option = &parser.options[row];
		assert(is_sound(option));
		add_spelling(&parser, &next, &letter, row, option->name);
		if (option->letter != '\0')
			add_spelling(&parser, &next, &letter, row, (char[]){ option->letter, '\0' });
		for (const char *old = option->old, *end; old != NULL && *old != '\0'; old = end + (*end != '\0')) {
			char *name = parser.old_names[old_count++];
			end = old + strcspn(old, " ");
			assert(old_count <= SPELLINGS_MAX && end - old < OLD_SIZE);
			memcpy(name, old, (size_t)(end - old));
			add_spelling(&parser, &next, &letter, row, name);
		}
	}
	*next++ = (struct option){ .name = "help", .has_arg = no_argument, .val = HELP };
	*next = (struct option){ 0 };
	*letter++ = 'h';
	*letter = '\0';

	optind = 0;           /* begin anew: glibc's way of saying so */
	int found, place = 0; /* in the long options */
	while ((found = getopt_long(argc, argv, parser.short_options, parser.long_options, &place)) != -1) {
		if (found == HELP || found == 'h')
			return CLI_HELP;
		if (found == ':') {
			const struct cli_option *option = row_of(&parser, optopt);
			fprintf(messages, "%s: '--%s' needs %s", report_program(), option->name, option->argument);
			return wrong(&parser);
		}
		if (found == '?')
			return unknown_option(&parser, argv[optind - 1]);
		const struct cli_option *option = row_of(&parser, found);
		if (take_once(&parser, option, optarg) != CLI_PARSED)
			return CLI_WRONG;
		if (isatty(STDERR_FILENO) && found != option->letter)
			say_new_spelling(&parser, option,
					 found < LONG_BASE ? (char[]){ (char)found, '\0' }
							   : parser.long_options[place].name);
	}
	*words = (struct cli_words){ .words = argv + optind, .count = (size_t)(argc - optind) };
	const struct cli_old_verb *old = cli_old_verb(verb, argv[0]);
	if (old != NULL && take_old_name(&parser, old) != CLI_PARSED)
		return CLI_WRONG;
	if (choose_form(&parser, old, &words->form) != CLI_PARSED)
		return CLI_WRONG;
	return check_words(&parser, words);
}

enum cli_parsed cli_parse(const struct cli_verb *verb, int argc, char **argv, void *values, struct cli_words *words,
			  FILE *messages)
{
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	const enum cli_parsed parsed = parse_words(verb, argc, argv, values, words, messages);
	for (size_t i = 0, count = parsed != CLI_PARSED ? cli_options_of(verb, all) : 0; i < count; i++)
		if (all[i].kind == CLI_TEXTS)
			cli_texts_release((struct cli_texts *)((char *)values + all[i].member));
	return parsed;
}

/* ---- time option --------------------------------------------------------------------------------------------- */

struct time_span time_span_of_history(const struct histree_history_info *info)
{
	return (struct time_span){ .start = info->start, .end = info->end, .what = "history" };
}

enum cli_exit time_option_read(const char *option, const char *text, const struct time_span *span,
			       histree_time *time)
{
	if (!time_parse(text, span->start, span->end, time))
		return report_exit(CLI_USAGE, "'--%s': '%s' is not a time: " TIME_FORMS, option, text);
	if (*time >= span->start && *time <= span->end)
		return CLI_OK;
	char start[TIME_TEXT_SIZE], end[TIME_TEXT_SIZE], clock[TIME_TEXT_SIZE];
	time_format_date(span->start, start);
	time_format_date(span->end, end);
	time_format_date(*time, clock);
	return report_exit(CLI_USAGE,
			   "'--%s': '%s' is %" PRId64 " (%s), outside the %s, which goes from %" PRId64
			   " (%s) to %" PRId64 " (%s)",
			   option, text, *time, clock, span->what, span->start, start, span->end, end);
}

enum cli_exit question_range(const struct cli_question *question, const struct time_span *span, histree_time *first,
			     histree_time *last)
{
	assert(span->start <= span->end);
	const char *from = question->from_name != NULL ? question->from_name : "from";
	const char *to = question->to_name != NULL ? question->to_name : "to";
	*first = span->start;
	*last = span->end;
	enum cli_exit code = CLI_OK;
	if (question->at != NULL && (question->from != NULL || question->to != NULL))
		return report_exit(CLI_USAGE, "'--at' is one time, '--from' and '--to' are a range: choose one");
	if (question->at != NULL) {
		code = time_option_read("at", question->at, span, first);
		*last = *first;
		return code;
	}
	if (question->from != NULL)
		code = time_option_read(from, question->from, span, first);
	if (code == CLI_OK && question->to != NULL)
		code = time_option_read(to, question->to, span, last);
	if (code == CLI_OK && *first > *last)
		return report_exit(CLI_USAGE, "'--%s' is %" PRId64 ", after '--%s', which is %" PRId64, from,
				   *first, to, *last);
	return code;
}

struct question_order question_order(const struct cli_question *question)
{
	struct question_order order = { .key = question->sort };
	if (order.key != NULL && (*order.key == '+' || *order.key == '-'))
		order.way = *order.key++ == '+' ? ORDER_UP : ORDER_DOWN;
	if (question->reverse)
		order.way = ORDER_DOWN;
	return order;
}
