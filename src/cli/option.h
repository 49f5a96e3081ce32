/* SPDX-License-Identifier: MIT */
/*
 * option.h - each verb has one table of options.  The parser, --help and the completion read it; so does, through
 * --help, the test that the manual page documents each option.
 *
 * A verb keeps its options in a struct of its own, zeroed beforehand.  A row of its table says which member an
 * option fills:
 *
 * 	struct info_options { const char *name; bool children; };
 * 	static const struct cli_option options[] = {
 * 		CLI_OPTION_TEXT("name", "EXPR", struct info_options, name, "list only what has such a name"),
 * 		CLI_OPTION_FLAG("children", 0, struct info_options, children, "look one level deep only"),
 * 		{ 0 },
 * 	};
 *
 * --help (-h) belongs to every verb and is in no table.
 *
 * All questions share one block of options, with one meaning each: the times, the filter, groups and order, the
 * number of rows and the columns, the analysis and the host.  A verb states which of them it has (`asks`), and
 * additions to their help (`says`); its struct begins with a struct cli_question.
 *
 * A verb that answers several kinds of questions has a form for each: one of its options chooses it, and the form
 * says which of the others it takes.  What goes with which is then checked here, and said in one way.
 *
 * Old spellings still work, but are in no help: they are in `old` of an option, or in a row without a help text.
 * Old names of verbs are in `old` of the verb that answers now, with the options that they stand for.
 *
 * Some options name a time of a history, or of something else that goes from a start to an end.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/report.h"
#include "histree/history.h"

/* What an option takes, and the type of its member */
enum cli_option_kind {
	CLI_FLAG,     /* nothing; bool */
	CLI_TEXT,     /* anything; const char * */
	CLI_PLACE,    /* a name to make something under that standard output cannot be: not "-"; const char * */
	CLI_TEXTS,    /* anything, and the option may be given again; struct cli_texts */
	CLI_CHOICE,   /* one of `choices`; const char * */
	CLI_NUMBER,   /* a number from `min` to `max`; uint64_t */
	CLI_SIZE,     /* such a number of bytes, also as 64K or 1M; uint64_t */
	CLI_DURATION, /* such a number of ns, also as 10ms; uint64_t */
};

/* The arguments of an option, in the order in which they were given; to release if cli_parse() has succeeded. */
struct cli_texts {
	const char **texts;
	size_t count, capacity;
};

void cli_texts_release(struct cli_texts *texts);

/* Returns which of the choices of an option it is, of which NULL ends the list; that of the end: none. */
int cli_choice_number(const char *const *choices, const char *chosen);

/* What a shell offers for an argument. */
enum cli_complete {
	CLI_COMPLETE_NOTHING,
	CLI_COMPLETE_PATH,
	CLI_COMPLETE_ANALYSIS,
	CLI_COMPLETE_ANALYSES,     /* with commas between them */
	CLI_COMPLETE_ATTRIBUTE,    /* a path of the first word, which is a store; for that word, paths of files */
	CLI_COMPLETE_NEW_ANALYSES, /* a store, and then analyses that it has not */
	CLI_COMPLETE_SEGMENTS,     /* a store, and then an analysis of it that makes segments */
	CLI_COMPLETE_SHELL,
	CLI_COMPLETE_VERB,
};

struct cli_option {
	const char *name;     /* NULL ends a table */
	char letter;          /* 0: none */
	const char *argument; /* its name in the help; NULL: the option takes none */
	enum cli_option_kind kind;
	size_t member;    /* offset in the verb's struct */
	const char *help; /* NULL: an old spelling, with a member of its own or that of another row */
	enum cli_complete complete;
	const char *const *choices; /* CLI_CHOICE: ends with NULL */
	uint64_t min, max;          /* CLI_NUMBER, CLI_SIZE, CLI_DURATION */
	const char *old;            /* its old spellings, names or letters, with spaces between them */
	const char *means;          /* CLI_FLAG, old: what it puts into the member, a const char * */
	const char *more;           /* behind the help: of this verb alone */
};

/* Rows of the usual kinds; letter 0: none.  Those with more to say name the members of the struct. */
#define CLI_OPTION_FLAG(text, short_text, type, at, means)                                                        \
	{                                                                                                         \
		.name = text, .letter = short_text, .kind = CLI_FLAG, .member = offsetof(type, at), .help = means \
	}
#define CLI_OPTION_TEXT(text, of, type, at, means)                                                          \
	{                                                                                                   \
		.name = text, .argument = of, .kind = CLI_TEXT, .member = offsetof(type, at), .help = means \
	}
#define CLI_OPTION_PATH(text, short_text, takes, of, type, at, means)                                            \
	{                                                                                                        \
		.name = text, .letter = short_text, .argument = of, .kind = takes, .member = offsetof(type, at), \
		.help = means, .complete = CLI_COMPLETE_PATH                                                     \
	}
#define CLI_OPTION_CHOICE(text, of, type, at, among, means)                                                    \
	{                                                                                                      \
		.name = text, .argument = of, .kind = CLI_CHOICE, .member = offsetof(type, at), .help = means, \
		.choices = among                                                                               \
	}
#define CLI_OPTION_NUMBER(text, takes, of, type, at, lowest, highest, means)                              \
	{                                                                                                 \
		.name = text, .argument = of, .kind = takes, .member = offsetof(type, at), .help = means, \
		.min = lowest, .max = highest                                                             \
	}

/* The names of the formats of rows (row_writer.h), which are the choices of --format; NULL ends them. */
extern const char *const row_format_names[];

/* The options of the block, in the order of the help. */
enum cli_ask {
	ASK_FROM,
	ASK_TO,
	ASK_AT,
	ASK_WHERE,
	ASK_THREAD,
	ASK_BY,
	ASK_PARTS,
	ASK_SORT,
	ASK_REVERSE,
	ASK_LIMIT,
	ASK_COLUMNS,
	ASK_ANALYSIS,
	ASK_HOST,
	ASK_FORMAT,
	ASK_COUNT,
};

#define ASKS(option) (1U << ASK_##option)
#define ASKS_RANGE (ASKS(FROM) | ASKS(TO))

/* What they say; what is not given is zero. */
struct cli_question {
	const char *from, *to, *at, *where, *thread, *by, *sort, *columns, *analysis, *host, *format;
	uint64_t parts, limit;
	uint64_t usual_limit; /* for people who ask for no other; 0: all rows */
	bool reverse;
	/* For messages: what these are called, where it is not --from, --to and --host. */
	const char *from_name, *to_name, *host_name;
};

struct cli_words;

/* The words that a verb takes: as in its usage line, "STORE [PATTERN]", and how many at least and at most. */
struct cli_arguments {
	const char *text;
	size_t min, max;
};

/* A question that an option of the verb chooses: the first form in the table whose option is given. */
struct cli_form {
	const char *option; /* NULL: the last form, if none is given */
	struct cli_arguments arguments;
	unsigned asks;     /* of the block */
	const char *takes; /* of the verb's own options; what no form takes goes with all */
	int (*run)(void *options, const struct cli_words *words); /* returns the exit status */
};

/* The arguments that are no options. */
struct cli_words {
	char *const *words;
	size_t count;
	const struct cli_form *form; /* NULL: the verb has none */
};

/* The name of a verb before it became a form of another one. */
struct cli_old_verb {
	const char *name; /* NULL ends a table */
	/* What it stands for: options of the verb, unless they are given, with their arguments. */
	struct {
		const char *option, *argument;
	} means[2];
};

struct cli_verb {
	const char *heading; /* in the list of verbs, above this one; NULL: it goes on with what is above */
	const char *name;
	const char *summary; /* one line, lower case */
	struct cli_arguments arguments;
	enum cli_complete complete; /* of the words */
	unsigned asks;              /* ASKS() of options of the block */
	const char *says[ASK_COUNT];
	const struct cli_option *options;                         /* of its own */
	size_t options_size;                                      /* of the verb's struct; 0: it has none */
	const void *defaults;                                     /* such a struct, as it is before; NULL: zeros */
	int (*run)(void *options, const struct cli_words *words); /* returns the exit status */
	const struct cli_form *forms;   /* the last has no option; they have words and run */
	const struct cli_old_verb *old; /* NULL: none */
};

#define CLI_WORDS_ANY SIZE_MAX
#define CLI_OPTIONS(table, type) .options = (table), .options_size = sizeof(type)

enum { CLI_OPTIONS_MAX = 56, CLI_HELP_SIZE = 1024 };

/* Gets all options of a verb, old spellings too; the last has no name.  Returns how many. */
size_t cli_options_of(const struct cli_verb *verb, struct cli_option out[CLI_OPTIONS_MAX + 1]);

/* Writes the whole help of an option. */
void cli_option_help(const struct cli_option *option, char text[CLI_HELP_SIZE]);

enum cli_parsed {
	CLI_PARSED,
	CLI_HELP,  /* --help was among the options */
	CLI_WRONG, /* `messages` has what was wrong and what would be right */
};

/* Returns the row of an old name of a verb; NULL: it is none. */
const struct cli_old_verb *cli_old_verb(const struct cli_verb *verb, const char *name);

/*
 * Reads a command line into `values`, the verb's struct; argv[0] is the verb's name, or an old one.  Options and
 * words may come in any order; "--" ends the options.  The words are those of argv, which is reordered.
 */
enum cli_parsed cli_parse(const struct cli_verb *verb, int argc, char **argv, void *values, struct cli_words *words,
			  FILE *messages);

/* Both ends inclusive. */
struct time_span {
	histree_time start, end;
	const char *what; /* in messages: "history" */
};

struct time_span time_span_of_history(const struct histree_history_info *info);

/* Reads the time that the text of an option names.  What is wrong with it is reported on standard error. */
enum cli_exit time_option_read(const char *option, const char *text, const struct time_span *span,
			       histree_time *time);

/*
 * Reads the times of a question: --from and --to, which must be in this order, or --at, which is both.  Without
 * them, the start and the end of the span take their place.
 */
enum cli_exit question_range(const struct cli_question *question, const struct time_span *span, histree_time *first,
			     histree_time *last);

/*
 * Reads --sort: the key, and whether the greatest comes first.  That is so of amounts, and the reverse of times
 * and texts; '+' before the key puts the least first, '-', as --reverse does, the greatest.
 */
struct question_order {
	const char *key; /* NULL: none */
	enum { ORDER_USUAL, ORDER_UP, ORDER_DOWN } way;
};

struct question_order question_order(const struct cli_question *question);

static inline bool question_order_is_down(struct question_order order, bool is_amount)
{
	return order.way == ORDER_USUAL ? is_amount : order.way == ORDER_DOWN;
}

#endif
