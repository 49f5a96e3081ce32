// SPDX-License-Identifier: MIT
#include "cli/progress.h"
#include "cli/tree_option.h"
#include "cli/verb.h"
#include "histree/store.h"

struct convert_options {
	struct tree_options tree;
	const char *output, *progress;
	bool force, no_overviews;
};

static const struct cli_option options[] = {
	CLI_OPTION_PATH("output", 'o', CLI_PLACE, "OUT", struct convert_options, output,
			"make this store or file; default: STORE itself, which needs --force"),
	CLI_OPTIONS_TREE(struct convert_options, tree,
			 "use at most this much memory for the buffers of a history; default: 64M, for cluster "
			 "256M"),
	CLI_OPTION_FORCE(struct convert_options,
			 "replace an existing store of that name once the new one is complete"),
	CLI_OPTION_FLAG("no-overviews", 0, struct convert_options, no_overviews,
			"make no overviews of long histories and many segments"),
	CLI_OPTION_PROGRESS(struct convert_options),
	{ 0 },
};

static int convert_run(void *said, const struct cli_words *words)
{
	struct convert_options *chosen = said;
	struct histree_tree_options tree;
	int status = tree_option_read(&chosen->tree, 0, &tree);
	if (status != CLI_OK)
		return status;
	struct progress progress = progress_begin(chosen->progress, false);
	const struct histree_convert_options wanted = {
		.path = words->words[0],
		.out = chosen->output != NULL ? chosen->output : words->words[0],
		.force = chosen->force,
		.no_overviews = chosen->no_overviews,
		.tree = tree,
		.work = { progress_goes_on, &progress, progress_show_share },
	};
	struct histree_error error = { 0 };
	progress_catch_signals();
	enum histree_status done = histree_convert(&wanted, &error);
	progress_end(&progress);
	return progress_outcome(done, "cancelled; there is no new store", &error);
}

const struct cli_verb verb_convert = {
	.name = "convert",
	.summary = "make a store with another kind of tree, without its trace",
	.arguments = "STORE",
	.words_min = 1,
	.words_max = 1,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.options_size = sizeof(struct convert_options),
	.run = convert_run,
};
