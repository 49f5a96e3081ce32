// SPDX-License-Identifier: MIT
/*
 * verb_report.c - one page about a store: what ran, what waited and why, what was slow, what is missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/option.h"
#include "cli/output.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/report_sections.h"
#include "cli/target.h"
#include "cli/verb.h"

enum { ROWS = 8, FILE_MODE = 0666 };

struct report_options {
	struct cli_question question;
	const char *html;
	bool force;
};

static const struct cli_option options[] = {
	CLI_OPTION_PATH("html", 0, CLI_TEXT, "FILE", struct report_options, html,
			"write the page as one file of HTML, with pictures"),
	CLI_OPTION_FORCE(struct report_options, "replace an existing FILE once the new one is complete"),
	{ 0 },
};

/* A store may have segments only. */
static enum cli_exit open_history(const struct target *target, struct histree_history **out)
{
	struct histree_error error = { 0 };
	*out = NULL;
	if (histree_store_info(target->store)->history_count == 0)
		return CLI_OK;
	return target_history(target, NULL, true, out, &error) == HISTREE_OK ? CLI_OK : report_error(&error);
}

static enum cli_exit read_window(struct report_source *source, const struct cli_question *chosen)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	const struct time_span span = source->history != NULL
					      ? time_span_of_history(histree_history_info(source->history))
					      : (struct time_span){ info->start, info->end, "trace" };
	source->has_window = chosen->from != NULL || chosen->to != NULL;
	if (source->has_window)
		snprintf(source->window, sizeof(source->window), "%s%s%s%s%s%s",
			 chosen->from != NULL ? " --from '" : "", chosen->from != NULL ? chosen->from : "",
			 chosen->from != NULL ? "'" : "", chosen->to != NULL ? " --to '" : "",
			 chosen->to != NULL ? chosen->to : "", chosen->to != NULL ? "'" : "");
	return question_range(chosen, &span, &source->from, &source->to);
}

/* In the order of the page. */
static report_section *const sections[] = { report_summary,  report_pictures, report_time_use, report_waits,
					    report_segments, report_files,    report_sums };

static enum cli_exit write_page(struct output *output, const struct report_source *source, bool is_html)
{
	struct overview_page page;
	struct histree_error error = { 0 };
	overview_page_begin(&page, output, is_html, source->target->path);
	report_facts(&page, source);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && status == HISTREE_OK; i++)
		status = sections[i](&page, source, &error);
	if (status == HISTREE_OK) {
		report_damage(&page, source);
		report_more(&page, source);
	}
	overview_page_end(&page);
	if (status == HISTREE_ERR_CANCELLED)
		return CLI_INPUT; /* and it dies of the signal once all is put away */
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}

/* The page takes the file's name when it is whole; a device or a pipe gets it as it comes. */
static enum cli_exit write_file(const struct report_source *source, const char *path)
{
	bool is_stream;
	char *whole = io_destination(path, &is_stream), *part = NULL;
	if (whole == NULL || asprintf(&part, "%s%s", whole, is_stream ? "" : ".part") < 0) {
		free(whole);
		return report_no_memory();
	}
	int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	struct output *output = file >= 0 ? output_create(file) : NULL;
	enum cli_exit code = file < 0 ? report_exit(CLI_INPUT, "'%s': cannot be made: %s", part, strerror(errno))
			     : output == NULL ? report_no_memory()
					      : write_page(output, source, true);
	int failure = output_free(output);
	if (file >= 0 && close(file) != 0 && failure == 0)
		failure = errno;
	if (code == CLI_OK && failure == 0 && !is_stream && rename(part, whole) != 0)
		failure = errno;
	if (code == CLI_OK && failure != 0)
		code = report_exit(CLI_INPUT, "'%s': cannot be written: %s", path, strerror(failure));
	if (code != CLI_OK && file >= 0 && !is_stream)
		unlink(part);
	free(part);
	free(whole);
	return code;
}

/* Whether a page that is whole says all that there was. */
static enum cli_exit judge(const struct report_source *source)
{
	enum cli_exit code = source->history != NULL ? host_part_missing(source->history) : CLI_OK;
	if (!source->uses->is_damaged)
		return code;
	return report_exit(CLI_INPUT,
			   "'%s' is damaged, and what is lost is in none of these numbers; 'histree verify' says "
			   "what that is, and 'histree copy --repair' makes a sound store of the rest",
			   source->target->path);
}

static enum cli_exit print_page(const struct report_source *source, bool is_html)
{
	struct output *output = output_create_paged();
	if (output == NULL)
		return report_no_memory();
	enum cli_exit code = write_page(output, source, is_html);
	return (enum cli_exit)cli_end(output, code);
}

static const struct report_options defaults = { .question = { .limit = ROWS } };

static int report_run(void *said, const struct cli_words *words)
{
	struct report_options *chosen = said;
	struct target target = { 0 };
	struct histree_error error = { 0 };
	struct report_uses uses = { .count = 0 };
	struct host_store store = { 0 };
	struct report_source source = { .target = &target,
					.row_max = chosen->question.limit,
					.work = { .go_on = progress_goes_on },
					.uses = &uses };
	const bool is_file = chosen->html != NULL && strcmp(chosen->html, "-") != 0;
	enum cli_exit code = is_file ? export_file_check(chosen->html, chosen->force, EXPORT_TEXT) : CLI_OK;
	if (code == CLI_OK)
		code = host_store_of_question(&chosen->question, words->words[0], &store);
	if (code == CLI_OK && target_open(&target, store.path, &error) != HISTREE_OK)
		code = report_error(&error);
	else if (code == CLI_OK && target.store == NULL)
		code = report_exit(
			CLI_USAGE,
			"'%s' is a file, but a report is of a store; 'histree build' makes one of a trace",
			target.path);
	if (code == CLI_OK)
		code = open_history(&target, &source.history);
	if (code == CLI_OK)
		code = read_window(&source, &chosen->question);
	progress_catch_signals();
	if (code == CLI_OK)
		code = is_file ? write_file(&source, chosen->html) : print_page(&source, chosen->html != NULL);
	if (code == CLI_OK)
		code = judge(&source);
	report_uses_release(&uses);
	histree_history_close(source.history);
	target_close(&target);
	host_store_release(&store);
	progress_raise_signal();
	return code;
}

const struct cli_verb verb_report = {
	.name = "report",
	.summary = "print one page about a store: what ran, what waited, what was slow",
	.arguments = { "STORE", 1, 1 },
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS_RANGE | ASKS(LIMIT) | ASKS(HOST),
	.says = { [ASK_HOST] = ": a page about its own store", [ASK_LIMIT] = " of each table; default: 8" },
	CLI_OPTIONS(options, struct report_options),
	.defaults = &defaults,
	.run = report_run,
};
