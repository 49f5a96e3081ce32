// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/export_file.h"
#include "cli/export_source.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "histree/export.h"

struct export_options {
	const char *output, *format, *analysis, *progress;
	struct export_choice choice;
	bool force;
};

static const char *const format_names[] = { "chrome", "perfetto", NULL };

static const struct cli_option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .argument = "OUT",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct export_options, output),
	  .help = "write to this file; default: standard output",
	  .complete = CLI_COMPLETE_PATH },
	{ .name = "format",
	  .argument = "FORMAT",
	  .kind = CLI_CHOICE,
	  .member = offsetof(struct export_options, format),
	  .help = "write chrome or perfetto; default: what the ending of OUT says",
	  .choices = format_names },
	{ .name = "segments",
	  .argument = "NAME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct export_options, choice.segments),
	  .help = "write the segments of this analysis instead of states",
	  .complete = CLI_COMPLETE_ANALYSIS },
	{ .name = "events",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct export_options, choice.events),
	  .help = "write the events of the trace instead of states" },
	{ .name = "from",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct export_options, choice.from),
	  .help = "write what there is from this time on" },
	{ .name = "to",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct export_options, choice.to),
	  .help = "write what there is up to this time, inclusive" },
	{ .name = "where",
	  .argument = "EXPR",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct export_options, choice.where),
	  .help = "of --segments, write only those that pass, as in 'duration > 1ms'" },
	CLI_OPTION_ANALYSIS(struct export_options,
			    "write the history of this analysis; default: kernel, or the first"),
	{ .name = "force",
	  .letter = 'f',
	  .kind = CLI_FLAG,
	  .member = offsetof(struct export_options, force),
	  .help = "replace an existing OUT once the new one is whole" },
	CLI_OPTION_PROGRESS(struct export_options),
	{ 0 },
};

/* ---- formats ---------------------------------------------------------------------------------------------- */

struct export_run {
	const struct export_source *source;
	const char *path; /* NULL: standard output */
	struct progress *progress;
	struct histree_export_counts counts;
};

static enum histree_status run_viewer(struct export_run *run, enum histree_viewer_format format,
				      struct histree_error *error)
{
	const struct export_source *source = run->source;
	const struct histree_viewer_request request = {
		.format = format,
		.from = source->from,
		.to = source->to,
		.origin = source->origin,
		.history = source->history,
		.quarks = source->quarks,
		.quark_count = source->quark_count,
		.wakeups = source->wakeups,
		.flows = source->flows,
		.names = source->names,
		.segments = source->segments,
		.query = source->segments != NULL ? &source->chosen.query : NULL,
		.events = source->events,
		.descriptor = STDOUT_FILENO,
		.cancel = { .go_on = progress_goes_on },
		.progress = progress_show_share,
		.progress_context = run->progress,
		.counts = &run->counts,
	};
	return histree_export_viewer(&request, run->path, error);
}

static enum histree_status run_chrome(struct export_run *run, struct histree_error *error)
{
	return run_viewer(run, HISTREE_VIEWER_CHROME, error);
}

static enum histree_status run_perfetto(struct export_run *run, struct histree_error *error)
{
	return run_viewer(run, HISTREE_VIEWER_PERFETTO, error);
}

static const struct export_format {
	const char *name;
	const char *endings[4];
	enum export_place place;
	bool for_viewer;
	enum histree_status (*run)(struct export_run *run, struct histree_error *error);
} formats[] = {
	{ "chrome", { ".json" }, EXPORT_TEXT, true, run_chrome },
	{ "perfetto", { ".pftrace", ".perfetto-trace", ".perfetto" }, EXPORT_BINARY, true, run_perfetto },
};

enum { FORMAT_COUNT = sizeof(formats) / sizeof(formats[0]) };

static bool ends_in(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);
	return size > end_size && strcmp(text + size - end_size, end) == 0;
}

static const struct export_format *find_format(const struct export_options *chosen)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (chosen->format != NULL && strcmp(chosen->format, formats[i].name) == 0)
			return &formats[i];
		for (size_t j = 0; chosen->format == NULL && chosen->output != NULL && j < 4; j++)
			if (formats[i].endings[j] != NULL && ends_in(chosen->output, formats[i].endings[j]))
				return &formats[i];
	}
	return NULL;
}

/* ---- the verb --------------------------------------------------------------------------------------------- */

static enum cli_exit judge_damage(const struct export_run *run)
{
	bool is_states = run->source->history != NULL;
	if (run->counts.damaged_nodes == 0)
		return CLI_OK;
	return report_exit(CLI_INPUT,
			   "%s damaged, and what is lost is %s; 'histree verify' says what that is, and 'histree "
			   "repair' makes a sound store of the rest",
			   is_states ? "the history is" : "the segments are",
			   is_states ? "shown as unknown" : "missing");
}

static enum cli_exit write_file(struct export_run *run, const struct export_format *format)
{
	struct histree_error error = { 0 };
	progress_catch_signals();
	enum histree_status status = format->run(run, &error);
	progress_end(run->progress);
	if (status == HISTREE_ERR_CANCELLED) {
		report(run->path != NULL ? "cancelled; there is no new file" : "cancelled");
		progress_raise_signal();
		return CLI_INPUT;
	}
	return status == HISTREE_OK ? judge_damage(run) : report_error(&error);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct export_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	const struct export_format *format = find_format(&chosen);
	if (format == NULL)
		return report_exit(CLI_USAGE,
				   "needs '--format', or '-o OUT' whose ending says it, as in trace.json");
	struct export_source source;
	struct progress progress = progress_begin(chosen.progress, false);
	struct export_run run = { .source = &source, .path = chosen.output, .progress = &progress };
	enum cli_exit code = export_file_check(chosen.output, chosen.force, format->place);
	if (code != CLI_OK)
		return code;
	chosen.choice.analysis = chosen.analysis;
	chosen.choice.for_viewer = format->for_viewer;
	code = export_source_open(&source, &words, &chosen.choice);
	if (code == CLI_OK)
		code = write_file(&run, format);
	if (code == CLI_OK && (source.lacks_some || run.counts.rows == 0))
		code = CLI_NOTHING;
	export_source_close(&source);
	return code;
}

const struct cli_verb verb_export = {
	.name = "export",
	.summary = "write states, segments or events in the formats of other tools",
	.arguments = "STORE [PATTERN]...",
	.words_min = 1,
	.words_max = CLI_WORDS_ANY,
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.options = options,
	.run = run,
};
