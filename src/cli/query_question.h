/* SPDX-License-Identifier: MIT */
/*
 * query_question.h - the question of `query`, from its command line to its intervals, which the caller prints or
 * sends elsewhere.
 *
 * Questions that are asked of a history again and again (histree/lookup.h) are answered as intervals too: tops of
 * stacks, first values, and changes in the order of time.
 */
#ifndef CLI_QUERY_QUESTION_H
#define CLI_QUERY_QUESTION_H

#include "cli/answer.h"
#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/pixel_cells.h"
#include "cli/time_option.h"
#include "histree/state_filter.h"

enum lookup {
	LOOKUP_NONE,
	LOOKUP_STACK_TOP,   /* of the stacks among the attributes, at `from` */
	LOOKUP_FIRST_VALUE, /* that is not null, of each attribute */
	LOOKUP_CHANGES,     /* the states that begin in the range, in the order of time */
};

/* A list of times is held in memory: eight bytes each. */
#define QUERY_TIMES_MAX (UINT64_C(1) << 24)

struct query_options {
	const char *analysis, *format;
	const char *at, *from, *to, *where;
	uint64_t step, count, top, pixels;
	bool stats, stack_top, first_value, changes, reverse;
};

/* Its rows in the table of a verb; `in` is the struct query_options in the verb's own. */
#define CLI_OPTIONS_QUERY(type, in)                                                                               \
	{ .name = "at",                                                                                           \
	  .argument = "TIME",                                                                                     \
	  .kind = CLI_TEXT,                                                                                       \
	  .member = offsetof(type, in.at),                                                                        \
	  .help = "print the states at this time: those of the attributes that match, or all" },                  \
		{ .name = "from",                                                                                 \
		  .argument = "TIME",                                                                             \
		  .kind = CLI_TEXT,                                                                               \
		  .member = offsetof(type, in.from),                                                              \
		  .help = "print the states from this time on" },                                                 \
		{ .name = "to",                                                                                   \
		  .argument = "TIME",                                                                             \
		  .kind = CLI_TEXT,                                                                               \
		  .member = offsetof(type, in.to),                                                                \
		  .help = "print the states up to this time, inclusive" },                                        \
		{ .name = "where",                                                                                \
		  .argument = "EXPR",                                                                             \
		  .kind = CLI_TEXT,                                                                               \
		  .member = offsetof(type, in.where),                                                             \
		  .help = "print only states that pass, as in 'value == 5 && duration > 1ms'; alone, of the "     \
			  "whole "                                                                                \
			  "history" },                                                                            \
		{ .name = "step",                                                                                 \
		  .argument = "NS",                                                                               \
		  .kind = CLI_DURATION,                                                                           \
		  .member = offsetof(type, in.step),                                                              \
		  .help = "print only the states at --from and every NS after it",                                \
		  .min = 1,                                                                                       \
		  .max = INT64_MAX },                                                                             \
		{ .name = "count",                                                                                \
		  .argument = "N",                                                                                \
		  .kind = CLI_NUMBER,                                                                             \
		  .member = offsetof(type, in.count),                                                             \
		  .help = "print only the states at N times at equal distances, including --from and --to",       \
		  .min = 2,                                                                                       \
		  .max = QUERY_TIMES_MAX },                                                                       \
		{ .name = "pixels",                                                                               \
		  .argument = "N",                                                                                \
		  .kind = CLI_NUMBER,                                                                             \
		  .member = offsetof(type, in.pixels),                                                            \
		  .help = "cut the range into N pixels, and print what each attribute was for most of each",      \
		  .min = 1,                                                                                       \
		  .max = HISTREE_PIXELS_MAX },                                                                    \
		{ .name = "stack-top",                                                                            \
		  .kind = CLI_FLAG,                                                                               \
		  .member = offsetof(type, in.stack_top),                                                         \
		  .help = "print the state on top of each stack that matches, such as a call stack, at --at" },   \
		{ .name = "first-value",                                                                          \
		  .kind = CLI_FLAG,                                                                               \
		  .member = offsetof(type, in.first_value),                                                       \
		  .help = "print only the first state of each attribute in the range that is not null" },         \
		{ .name = "changes",                                                                              \
		  .kind = CLI_FLAG,                                                                               \
		  .member = offsetof(type, in.changes),                                                           \
		  .help = "print the states that begin in the range, of all attributes together in the order of " \
			  "time" },                                                                               \
		{ .name = "reverse",                                                                              \
		  .letter = 'r',                                                                                  \
		  .kind = CLI_FLAG,                                                                               \
		  .member = offsetof(type, in.reverse),                                                           \
		  .help = "of --changes, print the latest first" },                                               \
		{ .name = "top",                                                                                  \
		  .letter = 'n',                                                                                  \
		  .argument = "N",                                                                                \
		  .kind = CLI_NUMBER,                                                                             \
		  .member = offsetof(type, in.top),                                                               \
		  .help = "of --changes, print only the first N",                                                 \
		  .min = 1,                                                                                       \
		  .max = INT64_MAX },                                                                             \
		CLI_OPTION_ANALYSIS_AT(type, in.analysis,                                                         \
				       "read the history of this analysis; default: kernel, or the first"),       \
		CLI_OPTION_FORMAT_AT(type, in.format),                                                            \
	{                                                                                                         \
		.name = "stats", .kind = CLI_FLAG, .member = offsetof(type, in.stats),                            \
		.help = "print on standard error how long the query took and how many nodes it read"              \
	}

struct query_question {
	const struct query_options *chosen;
	struct answer_question answer;
	struct attribute_list list;
	histree_time *times;
};

/* What came of it; those of several ranks can be added up. */
struct query_outcome {
	int status; /* CLI_OK, CLI_NOTHING if a pattern matched nothing, or what failed, which was reported */
	bool is_damaged;
	uint64_t attributes, rows;
	struct answer_stats stats;
};

/* Checks what does not depend on the history. */
enum cli_exit query_options_check(const struct query_options *chosen, size_t pattern_count);

/*
 * Makes the question for a history, whose times are those of `span`.  Returns CLI_OK, or CLI_NOTHING if some
 * pattern matches nothing, and anything else if nothing can be asked; it was reported.  query_question_release() in
 * any case.
 */
enum cli_exit query_question_make(struct query_question *question, const struct query_options *chosen,
				  struct histree_history *history, const struct time_span *span,
				  char *const *patterns, size_t pattern_count);

/* Who takes the answer: states, or the cells of a question for pixels. */
struct query_taker {
	answer_taker *state;
	pixel_taker *cell;
	void *context;
	struct histree_cancel cancel; /* asked now and then whether the rest is wanted */
};

/* Hands on the answer in its order.  `status` is what query_question_make() returned. */
void query_question_ask(const struct query_question *question, int status, const struct query_taker *taker,
			struct query_outcome *outcome);

/* Says on standard error what has to be said behind the rows, and returns what to exit with. */
int query_outcome_report(const struct query_outcome *outcome, const struct query_options *chosen);
void query_question_release(struct query_question *question);

#endif
