// SPDX-License-Identifier: MIT
/*
 * verb_load.c - 'histree load': makes a store from text.
 */
#include <inttypes.h>

#include "base/monotonic.h"
#include "base/number_text.h"
#include "cli/progress.h"
#include "cli/tree_option.h"
#include "cli/verb.h"
#include "histree/build.h"

struct load_options {
	struct tree_options tree;
	const char *output, *analysis, *format, *columns, *initial, *labels, *start, *end, *progress;
	bool force, no_overviews, quiet;
};

static const char *const formats[] = { "tsv", "csv", "json", NULL };

static const struct cli_option options[] = {
	CLI_OPTION_PATH("output", 'o', CLI_PLACE, "STORE", struct load_options, output, "make this folder"),
	{ .name = "analysis",
	  .letter = 'a',
	  .argument = "ANALYSIS",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct load_options, analysis),
	  .complete = CLI_COMPLETE_ANALYSIS,
	  .help = "give the history, or the segments, this name; default: states, or segments" },
	CLI_OPTION_CHOICE("format", "FORMAT", struct load_options, format, formats,
			  "read the files as tsv, csv or json; default: as their beginnings show"),
	{ .name = "names",
	  .argument = "NAMES",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct load_options, columns),
	  .old = "columns",
	  .help = "the files have no line of names, and these are the names of their columns, as in "
		  "time,path,value" },
	CLI_OPTION_PATH(
		"initial", 0, CLI_TEXT, "FILE", struct load_options, initial,
		"begin a history of changes with the states in this file, which 'histree states --at' printed"),
	{ .name = "label-file",
	  .argument = "FILE",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct load_options, labels),
	  .old = "labels",
	  .complete = CLI_COMPLETE_PATH,
	  .help = "keep in the history what its values mean: a table with columns pattern, value and name, as "
		  "'histree info --labels' prints it" },
	CLI_OPTION_TEXT("start", "NS", struct load_options, start,
			"begin the history at this time in ns; default: at the first time in the files"),
	CLI_OPTION_TEXT("end", "NS", struct load_options, end,
			"end the history at this time in ns; default: at the last time in the files"),
	CLI_OPTIONS_TREE(
		struct load_options, tree,
		"take at most this much memory, 86M or more; of the tables, what is more than fits goes to "
		"disk; default: 224M"),
	CLI_OPTION_FORCE(struct load_options, "replace an existing store once the new one is complete"),
	CLI_OPTION_FLAG("no-overviews", 0, struct load_options, no_overviews,
			"make no overviews of long histories and many segments"),
	CLI_OPTION_PROGRESS(struct load_options),
	CLI_OPTION_FLAG("quiet", 'q', struct load_options, quiet, "print only errors"),
	{ 0 },
};

static enum cli_exit read_ns(const char *option, const char *text, bool *has, histree_time *out)
{
	*has = text != NULL;
	if (text == NULL || number_parse_signed(text, out))
		return CLI_OK;
	return report_exit(CLI_USAGE, "'--%s': '%s' is not a time in ns, as in the rows; see 'histree load --help'",
			   option, text);
}

static int load(const struct load_options *chosen, struct histree_load_options *wanted)
{
	struct progress progress = progress_begin(chosen->progress, chosen->quiet);
	struct histree_load_result result = { 0 };
	struct histree_error error = { 0 };
	int64_t begun = monotonic_ns();
	wanted->work = (struct histree_work){ progress_goes_on, &progress, progress_show_load };
	progress_catch_signals();
	enum histree_status status = histree_load(wanted, &result, &error);
	progress_end(&progress);
	/* The fault is in one of the files. */
	if (status == HISTREE_ERR_TYPE || status == HISTREE_ERR_TOO_LARGE || status == HISTREE_ERR_TIME_BACKWARDS)
		return report_exit(CLI_INPUT, "%s", error.message);
	if (status != HISTREE_OK)
		return progress_outcome(status, "cancelled; there is no new store", &error);
	if (!chosen->quiet) {
		const int64_t ns = monotonic_ns() - begun;
		char size[NUMBER_TEXT_SIZE], time[TIME_TEXT_SIZE];
		number_format_size(result.bytes, size);
		time_format_duration((uint64_t)ns, time);
		report("'%s': %" PRIu64 " rows, %s of text, %s", wanted->store, result.rows, size, time);
	}
	return CLI_OK;
}

static int load_run(void *said, const struct cli_words *words)
{
	struct load_options *chosen = said;
	int status;
	if (chosen->output == NULL)
		return report_exit(CLI_USAGE,
				   "needs '--output STORE', the folder to make; see 'histree load --help'");
	struct histree_load_options wanted = {
		.files = (const char *const *)words->words,
		.file_count = words->count,
		.format = chosen->format,
		.columns = chosen->columns,
		.initial = chosen->initial,
		.labels = chosen->labels,
		.store = chosen->output,
		.analysis = chosen->analysis,
		.force = chosen->force,
		.no_overviews = chosen->no_overviews,
	};
	status = tree_option_read(&chosen->tree, 0, &wanted.tree);
	wanted.tree.memory_max = tree_option_of_process(chosen->tree.memory);
	if (status == CLI_OK)
		status = read_ns("start", chosen->start, &wanted.has_start, &wanted.start);
	if (status == CLI_OK)
		status = read_ns("end", chosen->end, &wanted.has_end, &wanted.end);
	return status == CLI_OK ? load(chosen, &wanted) : status;
}

const struct cli_verb verb_load = {
	.name = "load",
	.summary = "make a store from states or segments written as text",
	.arguments = { "FILE...", 1, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_PATH,
	CLI_OPTIONS(options, struct load_options),
	.run = load_run,
};
