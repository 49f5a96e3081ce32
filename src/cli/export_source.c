// SPDX-License-Identifier: MIT
/*
 * export_source.c - what is exported, the states of a history, the segments of a store, or events, chosen by
 * options, as a stream of columns.
 */
#include "cli/export_source.h"

#include <stdlib.h>
#include <string.h>

#include "cli/attribute_list.h"
#include "cli/target.h"
#include "histree/columns.h"
#include "histree/events.h"
#include "histree/states.h"

/* ---- export columns ------------------------------------------------------------------------------------------ */

static uint64_t rows_of_states(const struct export_source *source)
{
	const struct histree_history_info *info = histree_history_info(source->history);
	double rows = (double)info->interval_count;
	if (source->quarks != NULL)
		rows *= (double)source->quark_count / ((double)info->attribute_count + 1);
	rows *= ((double)source->to - (double)source->from + 1) / ((double)info->end - (double)info->start + 1);
	return (uint64_t)rows;
}

enum histree_status export_columns_open(const struct export_source *source, uint64_t columns, const char *names,
					const struct histree_work *cancel, struct ArrowArrayStream *out,
					uint64_t *rows, struct histree_error *error)
{
	const struct histree_arrow_options options = { .columns = columns,
						       .work = *cancel,
						       .where = source->where,
						       .start = source->origin,
						       .end = source->trace_end,
						       .names = names };
	if (source->segments != NULL) {
		*rows = histree_segment_store_info(source->segments)->segment_count;
		return histree_segments_arrow(source->segments, &source->chosen.query, &options, out, error);
	}
	if (source->events != NULL) {
		*rows = histree_events_count(source->events);
		return histree_events_arrow(source->events, source->from, source->to, &options, out, error);
	}
	const struct histree_region region = {
		.quarks = source->quarks, .quark_count = source->quark_count, .from = source->from, .to = source->to
	};
	*rows = rows_of_states(source);
	return histree_query_arrow(source->history, &region, &options, out, error);
}

/* ---- export source ------------------------------------------------------------------------------------------- */

/* ---- states ----------------------------------------------------------------------------------------------- */

static int compare_quarks(const void *one, const void *other)
{
	const histree_quark *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

/* Chooses the attributes that the patterns match; all if there are no patterns. */
static enum cli_exit choose_quarks(struct export_source *source, const struct cli_words *words)
{
	struct attribute_list list = { 0 };
	if (words->count < 2)
		return CLI_OK;
	enum cli_exit code = attribute_list_match(&list, source->history, words->words + 1, words->count - 1,
						  ATTRIBUTES_WITH_STATES);
	source->lacks_some = code == CLI_NOTHING;
	if (code == CLI_NOTHING && list.count > 0)
		code = CLI_OK;
	if (code == CLI_OK && (source->quarks = malloc(list.count * sizeof(*source->quarks))) == NULL)
		code = report_no_memory();
	for (size_t i = 0; i < list.count && code == CLI_OK; i++)
		source->quarks[i] = list.attributes[i].quark;
	if (code == CLI_OK) {
		source->quark_count = list.count;
		qsort(source->quarks, list.count, sizeof(*source->quarks), compare_quarks);
	}
	attribute_list_release(&list);
	return code;
}

/* Segments that say where arrows go; an export can do without. */
static struct histree_segment_store *open_arrows(const struct target *target, const char *name)
{
	struct histree_segment_store *store = NULL;
	if (target_find_segments(target, name) == NULL ||
	    target_segments(target, name, false, &store, NULL) != HISTREE_OK)
		return NULL;
	return store;
}

static enum cli_exit open_states(struct export_source *source, const struct cli_words *words,
				 const struct export_choice *choice)
{
	enum cli_exit code =
		target_open_history(&source->own, words->words[0], choice->question->analysis, &source->history);
	if (code != CLI_OK)
		return code;
	const struct histree_history_info *info = histree_history_info(source->history);
	struct time_span span = time_span_of_history(info);
	source->origin = info->start;
	source->where = choice->question->where;
	code = question_range(choice->question, &span, &source->from, &source->to);
	if (code == CLI_OK)
		code = choose_quarks(source, words);
	if (code == CLI_OK && choice->for_viewer && strncmp(info->provider, "kernel", strlen("kernel")) == 0)
		source->wakeups = open_arrows(&source->own, "wakeups");
	if (code == CLI_OK && choice->for_viewer && strcmp(info->provider, "tracks") == 0)
		source->flows = open_arrows(&source->own, "track-flows");
	return code;
}

/* ---- segments and events ---------------------------------------------------------------------------------- */

static enum cli_exit open_segments(struct export_source *source, const struct cli_words *words,
				   const struct export_choice *choice, const char *analysis)
{
	const struct cli_question *question = choice->question;
	source->target = &source->chosen.target;
	enum cli_exit code = segment_target_open(&source->chosen, words->words[0], analysis, question);
	if (code != CLI_OK)
		return code;
	source->segments = source->chosen.store;
	/* Segments may reach beyond the trace, and are whole unless a range is given. */
	const struct histree_segment_store_info *info = histree_segment_store_info(source->segments);
	bool has_range = question->from != NULL || question->to != NULL || question->at != NULL;
	source->from = has_range ? source->chosen.query.from : info->start;
	source->to = has_range ? source->chosen.query.to : info->end;
	source->origin = source->chosen.span.start;
	if (choice->for_viewer && source->target->store != NULL &&
	    histree_store_history(source->target->store, "kernel", true, NULL, &source->names, NULL) != HISTREE_OK)
		source->names = NULL;
	return CLI_OK;
}

static enum cli_exit open_events(struct export_source *source, const struct cli_words *words,
				 const struct export_choice *choice)
{
	struct histree_error error = { 0 };
	enum histree_status status = target_open(&source->own, words->words[0], &error);
	if (status == HISTREE_OK && source->own.store == NULL)
		return report_exit(CLI_INPUT,
				   "'%s' is one file: events are of a store, the folder that 'histree build' "
				   "makes",
				   words->words[0]);
	if (status == HISTREE_OK)
		status = histree_events_open(source->own.store, &source->events, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	const struct histree_store_info *info = histree_store_info(source->own.store);
	const struct time_span span = { .start = info->start, .end = info->end, .what = "trace" };
	source->origin = info->start;
	source->trace_end = info->end;
	source->where = choice->question->where;
	if (choice->for_viewer &&
	    histree_store_history(source->own.store, "kernel", true, NULL, &source->names, NULL) != HISTREE_OK)
		source->names = NULL;
	return question_range(choice->question, &span, &source->from, &source->to);
}

/* ---- any of them ------------------------------------------------------------------------------------------ */

static enum cli_exit check(const struct cli_words *words, const struct export_choice *choice, const char *segments)
{
	bool has_rows = segments != NULL || choice->events;
	if (has_rows && choice->events && (segments != NULL || choice->question->analysis != NULL))
		return report_exit(CLI_USAGE,
				   "'--events' are of the trace, and '--analysis' names what an analysis "
				   "made: choose one");
	if (choice->segments != NULL && choice->question->analysis != NULL)
		return report_exit(CLI_USAGE, "'--segments' is an old name of '--analysis': leave one out");
	if (has_rows && words->count > 1)
		return report_exit(CLI_USAGE, "'%s': a PATTERN chooses states, not segments or events",
				   words->words[1]);
	if (choice->question->where != NULL && !has_rows && choice->for_viewer)
		return report_exit(CLI_USAGE,
				   "'--where' chooses states for tables, segments with '-a NAME', and "
				   "events with '--events'; a viewer's file has the states of attributes whole");
	return CLI_OK;
}

enum cli_exit export_source_open(struct export_source *source, const struct cli_words *words,
				 const struct export_choice *choice)
{
	const char *segments = choice->segments;
	*source = (struct export_source){ .target = &source->own };
	if (segments == NULL && !choice->events &&
	    target_is_of_segments(words->words[0], choice->question->analysis))
		segments = choice->question->analysis;
	enum cli_exit code = check(words, choice, segments);
	if (code != CLI_OK)
		return code;
	if (segments != NULL)
		return open_segments(source, words, choice, segments);
	return choice->events ? open_events(source, words, choice) : open_states(source, words, choice);
}

void export_source_close(struct export_source *source)
{
	histree_events_close(source->events);
	histree_segment_store_close(source->wakeups);
	histree_segment_store_close(source->flows);
	histree_history_close(source->names);
	histree_history_close(source->history);
	if (source->target == &source->own)
		target_close(&source->own);
	else
		segment_target_close(&source->chosen);
	free(source->quarks);
}
