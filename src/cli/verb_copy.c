// SPDX-License-Identifier: MIT
/*
 * verb_copy.c - `histree copy`: a store made of a store, with another kind of tree, or of a part of its time and
 * rows.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/progress.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/tree_option.h"
#include "cli/verb.h"
#include "histree/store.h"

struct copy_options {
	struct cli_question question;
	struct tree_options tree;
	const char *output, *progress;
	bool force, no_overviews;
};

static const struct cli_option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .argument = "OUT",
	  .kind = CLI_PLACE,
	  .member = offsetof(struct copy_options, output),
	  .complete = CLI_COMPLETE_PATH },
	CLI_OPTIONS_TREE(struct copy_options, tree,
			 "use at most this much memory for the buffers of a history; default: 64M, for cluster "
			 "256M"),
	CLI_OPTION_FORCE(struct copy_options,
			 "replace an existing store of that name once the new one is complete"),
	CLI_OPTION_FLAG("no-overviews", 0, struct copy_options, no_overviews,
			"make no overviews of long histories and many segments"),
	CLI_OPTION_PROGRESS(struct copy_options),
	{ 0 },
};

/* A store, or one history file, whose times a part is of. */
static enum cli_exit read_times(const struct target *target, struct histree_history *history,
				const struct copy_options *chosen, struct histree_convert_options *wanted)
{
	struct time_span span = time_span_of_history(histree_history_info(history));
	if (target->store != NULL) {
		const struct histree_store_info *info = histree_store_info(target->store);
		span = (struct time_span){ .start = info->start, .end = info->end, .what = "trace" };
	}
	return question_range(&chosen->question, &span, &wanted->from, &wanted->to);
}

/* Reads which part is asked for; *rows is to be freed. */
static enum cli_exit choose_part(const char *path, const struct copy_options *chosen,
				 struct histree_convert_options *wanted, char **rows)
{
	const struct cli_question *question = &chosen->question;
	struct target target;
	struct histree_history *history;
	wanted->is_part = question->from != NULL || question->to != NULL || question->where != NULL ||
			  question->thread != NULL;
	if (!wanted->is_part)
		return CLI_OK;
	enum cli_exit code = target_open_history(&target, path, NULL, &history);
	if (code == CLI_OK)
		code = read_times(&target, history, chosen, wanted);
	if (code == CLI_OK)
		code = thread_words_where(question, &target, history, rows);
	wanted->rows = *rows != NULL ? *rows : question->where;
	histree_history_close(history);
	target_close(&target);
	return code;
}

static bool is_same_place(const char *one, const char *other)
{
	struct stat a, b;
	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int copy_run(void *said, const struct cli_words *words)
{
	struct copy_options *chosen = said;
	struct histree_tree_options tree;
	const char *path = words->words[0], *out = words->count > 1 ? words->words[1] : chosen->output;
	char *rows = NULL;
	if (words->count > 1 && chosen->output != NULL)
		return report_exit(CLI_USAGE, "'%s' and '--output' both name the new store: leave one out", out);
	int status = tree_option_read(&chosen->tree, 0, &tree);
	if (status != CLI_OK)
		return status;
	struct progress progress = progress_begin(chosen->progress, false);
	struct histree_convert_options wanted = {
		.path = path,
		.out = out != NULL ? out : path,
		.force = chosen->force,
		.no_overviews = chosen->no_overviews,
		.tree = tree,
		.work = { progress_goes_on, &progress, progress_show_share },
	};
	struct histree_error error = { 0 };
	status = choose_part(path, chosen, &wanted, &rows);
	if (status == CLI_OK && wanted.is_part && is_same_place(path, wanted.out))
		status = report_exit(CLI_USAGE,
				     "a part never replaces the whole store: give it a name of its own, as in "
				     "'histree copy %s part --from +1s'",
				     path);
	if (status == CLI_OK) {
		progress_catch_signals();
		const enum histree_status done = histree_convert(&wanted, &error);
		progress_end(&progress);
		status = progress_outcome(done, "cancelled; there is no new store", &error);
	}
	free(rows);
	return status;
}

const struct cli_verb verb_copy = {
	.name = "copy",
	.summary = "make a store from another one: of a part of its time, or with another kind of tree",
	.arguments = "STORE [OUT]",
	.words_min = 1,
	.words_max = 2,
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS_RANGE | ASKS(WHERE) | ASKS(THREAD),
	.says = { [ASK_WHERE] = " over path, quark, thread, process, name and host of a row" },
	.options = options,
	.options_size = sizeof(struct copy_options),
	.run = copy_run,
};
