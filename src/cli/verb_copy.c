// SPDX-License-Identifier: MIT
/*
 * verb_copy.c - `histree copy`: a store made of a store, with another kind of tree, or of a part of its time and
 * rows.  Forms of it make a sound store of a damaged one, or build a store again.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/progress.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/tree_option.h"
#include "cli/verb.h"
#include "cli/verb_copy.h"
#include "histree/store.h"

static const struct cli_option options[] = {
	CLI_OPTION_FLAG("repair", 0, struct copy_options, repair,
			"make a sound store from what can be read of a damaged one, and print what was lost"),
	CLI_OPTION_FLAG("rebuild", 0, struct copy_options, rebuild,
			"build the store again from the trace that it was made from, as it was built"),
	CLI_OPTION_PATH("output", 'o', CLI_PLACE, "OUT", struct copy_options, output,
			"make this store or file; the word OUT says the same; default: STORE itself, or with "
			"--repair STORE.repaired"),
	CLI_OPTIONS_TREE(struct copy_options, tree,
			 "use at most this much memory for the buffers of a history; default: 64M, for cluster "
			 "256M"),
	CLI_OPTION_FORCE(struct copy_options,
			 "replace an existing store of that name once the new one is complete"),
	CLI_OPTION_FLAG("no-overviews", 0, struct copy_options, no_overviews,
			"make no overviews of long histories and many segments"),
	CLI_OPTIONS_REBUILD(struct copy_options, again.),
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

#define ASKS_OF_PARTS (ASKS_RANGE | ASKS(WHERE) | ASKS(THREAD))
#define ASKS_OF_LOSSES (ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(FORMAT))

static const struct cli_form forms[] = {
	{ "repair", { "STORE", 1, 1 }, ASKS_OF_LOSSES, "output force progress", copy_repair_run },
	{ "rebuild",
	  { "STORE [TRACE]...", 1, CLI_WORDS_ANY },
	  0,
	  "define pair symbols progress quiet",
	  copy_rebuild_run },
	{ NULL,
	  { "STORE [OUT]", 1, 2 },
	  ASKS_OF_PARTS,
	  "output variant prefer r-depth r-nodes node-size fan-out memory nulls force no-overviews progress",
	  copy_run },
};

static const struct cli_old_verb old_verbs[] = {
	{ .name = "convert" },
	{ .name = "repair", .means = { { "repair", NULL } } },
	{ .name = "rebuild", .means = { { "rebuild", NULL } } },
	{ 0 },
};

const struct cli_verb verb_copy = {
	.name = "copy",
	.summary = "copy a store: a part of it, with another tree, repaired or built again",
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS_OF_PARTS | ASKS_OF_LOSSES,
	.says = { [ASK_WHERE] = " over path, quark, thread, process, name and host of a row" },
	CLI_OPTIONS(options, struct copy_options),
	.forms = forms,
	.old = old_verbs,
};
