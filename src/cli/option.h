/* SPDX-License-Identifier: MIT */
/*
 * option.h - one table of options a verb: it feeds the parser, --help, the completion and, through --help, the
 * test that the manual page names each option.
 *
 * A verb keeps what it was told in a struct of its own, zeroed before; a row of its table says in which member
 * its option goes:
 *
 *	struct ls_options { const char *format, *analysis; };
 *	static const struct cli_option options[] = {
 *		{ "analysis", 'a', "ANALYSIS", CLI_TEXT, offsetof(struct ls_options, analysis),
 *		  "the history of this analysis", .complete = CLI_COMPLETE_ANALYSIS },
 *		{ 0 },
 *	};
 *
 * --help (-h) belongs to every verb and stands in no table.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What an option takes, and the type of its member. */
enum cli_option_kind {
	CLI_FLAG,     /* nothing; bool */
	CLI_TEXT,     /* anything; const char * */
	CLI_CHOICE,   /* one of `choices`; const char * */
	CLI_NUMBER,   /* `least` to `most`; uint64_t */
	CLI_SIZE,     /* the same in bytes, 64K and 1M understood; uint64_t */
	CLI_DURATION, /* the same in ns, 10ms understood; uint64_t */
};

/* What a shell offers for an argument. */
enum cli_complete {
	CLI_COMPLETE_NOTHING,
	CLI_COMPLETE_PATH,
	CLI_COMPLETE_ANALYSIS,
	CLI_COMPLETE_SHELL,
	CLI_COMPLETE_VERB,
};

struct cli_option {
	const char *name;     /* NULL ends a table */
	char letter;          /* 0: none */
	const char *argument; /* its name in the help; NULL: the option takes none */
	enum cli_option_kind kind;
	size_t member; /* offset in the verb's struct */
	const char *help;
	enum cli_complete complete;
	const char *const *choices; /* CLI_CHOICE: ends with NULL */
	uint64_t least, most;       /* CLI_NUMBER, CLI_SIZE, CLI_DURATION */
};

/* The arguments that are no options. */
struct cli_words {
	char *const *words;
	size_t count;
};

struct cli_verb {
	const char *name;
	const char *summary;   /* one line, lower case */
	const char *arguments; /* in the usage line: "STORE [PATTERN]" */
	size_t words_least, words_most;
	enum cli_complete complete; /* of the words */
	const struct cli_option *options;
	int (*run)(const struct cli_verb *verb, int argc,
		   char **argv); /* argv[0] is the verb; returns the exit status */
};

#define CLI_WORDS_ANY SIZE_MAX

enum cli_parsed {
	CLI_PARSED,
	CLI_HELP,  /* --help was among the options */
	CLI_WRONG, /* said on `messages`: what was wrong and what would be right */
};

/*
 * Read a command line into `values`, the verb's struct.  Options and words may come in any order; "--" ends the
 * options.  The words are those of argv, which is reordered.
 */
enum cli_parsed cli_parse(const struct cli_verb *verb, int argc, char **argv, void *values, struct cli_words *words,
			  FILE *messages);

#endif
