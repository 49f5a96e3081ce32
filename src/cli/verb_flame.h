/* SPDX-License-Identifier: MIT */
/*
 * verb_flame.h - `histree flame`: call stacks, samples or waits of a store, added up, as rows or as folded lines.
 */
#ifndef CLI_VERB_FLAME_H
#define CLI_VERB_FLAME_H

#include "cli/option.h"
#include "cli/picture_file.h"
#include "cli/report.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "histree/time_use.h"

struct flame_rows_request {
	const struct cli_question *question;
	/* Nodes of less time on both sides are left out; 0: for people less than a 200th, else none. */
	uint64_t min;
	bool is_difference; /* rows say both sides */
};

/*
 * Prints a row for each node but the root: for people indented by its depth, for programs with the names of its
 * stack.  Returns `status` if that went well.
 */
int flame_rows_print(const struct histree_flame *flame, const struct flame_rows_request *request, int status);

/* What is drawn into a file, by this function (picture_file.h). */
struct flame_drawing {
	const struct histree_flame *flame;
	struct histree_draw_flame_options options;
};

enum histree_status flame_draw(void *drawing, picture_write *write, void *file, struct histree_error *error);

struct sample_question {
	char *const *threads; /* numbers, or HOST/number; none: all */
	size_t thread_count;
	const char *event;                   /* NULL: see histree_flame_samples_request */
	const struct cli_question *question; /* times, host and expression */
	bool counts;
	enum histree_flame_group group;
	unsigned side;
};

/*
 * Whether a flame graph of a store is one of samples: the analysis is `samples`, or it is NULL, and the store has
 * samples, which are asked for, or no call stacks.
 */
bool sample_flame_is_meant(const char *path, const char *analysis, bool asks_for_samples);

/*
 * Opens the store and adds its samples.  What failed is reported, and so is which of several events it is.
 */
enum cli_exit sample_flame_add(struct histree_flame *flame, const char *path,
			       const struct sample_question *question);

/* Says that not all samples or stacks could be read.  Returns CLI_INPUT. */
enum cli_exit sample_flame_damaged(void);

/*
 * Opens the target and the history of an analysis; NULL: the first one that has call stacks, `ust-calls` and
 * `tracks` before others.  What failed is reported.
 */
enum cli_exit stack_history_open(struct target *target, const char *path, const char *analysis,
				 struct histree_history **out);

/*
 * Adds the stacks at and below the attributes that the patterns match, or all, to a side of a flame graph: those of
 * a range of time, which may be NULL in both.  What failed is reported.
 */
struct stack_question {
	const struct target *target;
	struct histree_history *history;
	struct histree_history *whole; /* whose times the range has; NULL: the same */
	char *const *patterns;
	size_t pattern_count;
	const struct cli_question *question; /* its times */
	unsigned side;
	bool by_thread;
};

enum cli_exit stack_history_add(struct histree_flame *flame, const struct stack_question *question);

#endif
