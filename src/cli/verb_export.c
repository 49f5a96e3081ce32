// SPDX-License-Identifier: MIT
/*
 * verb_export.c - 'histree export': chooses a format and a source and writes the file.
 */

#include <string.h>
#include <strings.h>

#include "cli/export_format.h"
#include "cli/export_source.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "histree/filter.h"

struct export_options {
	struct cli_question question;
	const char *output, *format, *compression, *partition, *progress, *segments;
	bool events;
	bool force;
};

/* In the order of enum histree_partition_slice. */
static const char *const slices[] = { "hour", "day", "minute", "second", NULL };

static const char *const compressions[] = { "zstd", "none", NULL };

static const struct cli_option options[] = {
	CLI_OPTION_PATH("output", 'o', CLI_TEXT, "OUT", struct export_options, output,
			"write to this file; default: standard output"),
	CLI_OPTION_CHOICE(
		"format", "FORMAT", struct export_options, format, export_format_names,
		"write arrow, arrow-stream, parquet, sqlite, csv, chrome or perfetto; default: what the ending "
		"of "
		"OUT says"),
	{ .name = "segments",
	  .argument = "NAME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct export_options, segments) },
	CLI_OPTION_FLAG("events", 0, struct export_options, events,
			"write the events of the trace instead of states"),
	CLI_OPTION_CHOICE(
		"compression", "HOW", struct export_options, compression, compressions,
		"of parquet, arrow and arrow-stream, compress by zstd, or none; default: zstd for parquet"),
	CLI_OPTION_CHOICE("partition", "SLICE", struct export_options, partition, slices,
			  "of parquet, make the folder OUT with files by analysis and hour, day, minute or second"),
	CLI_OPTION_FORCE(struct export_options, "replace an existing OUT once the new one is whole"),
	CLI_OPTION_PROGRESS(struct export_options),
	{ 0 },
};

/* ---- the verb --------------------------------------------------------------------------------------------- */

static enum cli_exit judge_damage(const struct export_run *run)
{
	bool is_states = run->source->history != NULL;
	if (run->counts.loss.nodes == 0)
		return CLI_OK;
	if (is_states && run->source->quarks == NULL)
		host_part_missing(run->source->history);
	return report_exit(CLI_INPUT,
			   "%s damaged, and what is lost is %s; 'histree verify' says what that is, and 'histree "
			   "repair' makes a sound store of the rest",
			   is_states ? "the history is" : "the segments are",
			   is_states ? "shown as unknown" : "missing");
}

static void find_name(void *context, const char *name)
{
	bool *is_named = context;
	*is_named = *is_named || strcasecmp(name, "name") == 0 || strcasecmp(name, "event") == 0;
}

/* An expression that no event passes may have meant another one: the column is called name, and the field type. */
static enum cli_exit report_no_events(const char *where)
{
	bool is_named = false;
	if (histree_filter_names(where, find_name, &is_named, NULL) != HISTREE_OK || !is_named)
		return report_none("events", where);
	return report_exit(CLI_NOTHING, "there are no such events; the name of an event is its 'type', as in "
					"'type == sched_switch'");
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

/* Checks what does not depend on the store. */
static enum cli_exit check(const struct export_options *chosen, const struct export_format *format)
{
	if (format == NULL)
		return report_exit(CLI_USAGE,
				   "needs '--format', or '-o OUT' whose ending says it, as in trace.json");
	if (chosen->question.columns != NULL && !format->takes_columns)
		return report_exit(CLI_USAGE, "'--columns' is of arrow, arrow-stream, parquet and csv, not of %s",
				   format->name);
	if (chosen->compression != NULL && !format->takes_compression)
		return report_exit(CLI_USAGE, "'--compression' is of parquet, arrow and arrow-stream, not of %s",
				   format->name);
	if (chosen->partition != NULL && !format->takes_partition)
		return report_exit(CLI_USAGE, "'--partition' is of parquet, not of %s", format->name);
	return export_file_check(chosen->output, chosen->force,
				 chosen->partition != NULL ? EXPORT_TO_FOLDER : format->place);
}

static int verb_export_run(void *said, const struct cli_words *words)
{
	struct export_options *chosen = said;
	struct export_source source;
	if (chosen->partition != NULL && chosen->format == NULL)
		chosen->format = "parquet";
	if (chosen->output != NULL && strcmp(chosen->output, "-") == 0)
		chosen->output = NULL;
	const struct export_format *format = export_format_find(chosen->format, chosen->output);
	enum cli_exit code = check(chosen, format);
	if (code != CLI_OK)
		return code;
	struct progress progress = progress_begin(chosen->progress, false);
	struct export_run run = { .source = &source,
				  .store = words->words[0],
				  .path = chosen->output,
				  .column_names = chosen->question.columns,
				  .progress = &progress,
				  .is_partitioned = chosen->partition != NULL,
				  .replaces = chosen->force,
				  .is_compressed = chosen->compression != NULL && chosen->compression[0] == 'z',
				  .is_uncompressed = chosen->compression != NULL && chosen->compression[0] == 'n' };
	for (int i = 0; run.is_partitioned && slices[i] != NULL; i++)
		if (strcmp(slices[i], chosen->partition) == 0)
			run.slice = (enum histree_partition_slice)i;
	const struct export_choice choice = { .question = &chosen->question,
					      .segments = chosen->segments,
					      .events = chosen->events,
					      .for_viewer = format->for_viewer };
	code = export_source_open(&source, words, &choice);
	if (code == CLI_OK && source.history != NULL && format->leaves_out != 0)
		run.columns = ~format->leaves_out;
	if (code == CLI_OK)
		code = write_file(&run, format);
	if (code == CLI_OK && run.counts.rows == 0 && source.events != NULL && source.where != NULL)
		code = report_no_events(source.where);
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
	.asks = ASKS_RANGE | ASKS(AT) | ASKS(WHERE) | ASKS(COLUMNS) | ASKS(ANALYSIS),
	.says = { [ASK_WHERE] = ", as in 'duration > 1ms'",
		  [ASK_COLUMNS] = ", as in 'path,start,value'; of arrow, arrow-stream, parquet and csv",
		  [ASK_ANALYSIS] = ": its states or its segments; default: kernel, or the first history" },
	.options = options,
	.options_size = sizeof(struct export_options),
	.run = verb_export_run,
};
