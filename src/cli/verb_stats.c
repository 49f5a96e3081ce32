// SPDX-License-Identifier: MIT
/*
 * verb_stats.c - 'histree stats': statistics of durations, or of a field's numbers, by group.
 */
#include <string.h>
#include <unistd.h>

#include "cli/target.h"
#include "cli/verb.h"
#include "histree/segment_stats.h"

struct stats_options {
	struct segment_options segments;
	const char *by, *of, *format;
	uint64_t top;
};

static const struct cli_option options[] = {
	{ .name = "by",
	  .argument = "FIELD",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct stats_options, by),
	  .help = "print one row for each value of this field; default: name" },
	{ .name = "of",
	  .argument = "FIELD",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct stats_options, of),
	  .help = "print statistics of the numbers in this field, such as bytes, instead of durations" },
	{ .name = "top",
	  .letter = 'n',
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct stats_options, top),
	  .help = "print only the first N",
	  .min = 1,
	  .max = UINT32_MAX },
	CLI_OPTIONS_SEGMENTS(struct stats_options, segments),
	CLI_OPTION_FORMAT(struct stats_options),
	{ 0 },
};

/* For people each duration has a unit of its own; for programs a column names the unit of all. */
static const struct row_column for_people[] = {
	{ .name = "value", .width = 20 },
	{ .name = "count", .width = 8, .to_the_right = true },
	{ .name = "min", .width = 10, .to_the_right = true },
	{ .name = "mean", .width = 10, .to_the_right = true },
	{ .name = "max", .width = 10, .to_the_right = true },
	{ .name = "deviation", .width = 10, .to_the_right = true },
	{ .name = "total", .width = 10, .to_the_right = true },
	{ .name = "p50", .width = 10, .to_the_right = true },
	{ .name = "p90", .width = 10, .to_the_right = true },
	{ .name = "p99", .width = 10, .to_the_right = true },
	{ .name = "p99.9", .width = 10, .to_the_right = true },
};
static const struct row_column for_programs[] = {
	{ .name = "value" }, { .name = "count" }, { .name = "unit" },      { .name = "min" },
	{ .name = "mean" },  { .name = "max" },   { .name = "deviation" }, { .name = "total" },
	{ .name = "p50" },   { .name = "p90" },   { .name = "p99" },       { .name = "p99.9" },
};

enum { PEOPLE_COLUMNS = sizeof(for_people) / sizeof(for_people[0]), PROGRAM_COLUMNS = PEOPLE_COLUMNS + 1 };

/* `of` is the field that numbers are of; NULL: they are durations. */
static void put_number(struct row_writer *rows, uint64_t number, const char *of)
{
	if (of != NULL)
		row_unsigned(rows, number);
	else
		row_duration(rows, number);
}

static void put_real(struct row_writer *rows, double number, const char *of)
{
	if (rows->format->for_people)
		put_number(rows, (uint64_t)number, of);
	else
		row_real(rows, number);
}

/* Writes the cells after the value of the group. */
static void put_group(struct row_writer *rows, const struct histree_segment_group *group, const char *of)
{
	row_unsigned(rows, group->count);
	if (!rows->format->for_people)
		row_text(rows, of != NULL ? of : "ns");
	put_number(rows, group->min, of);
	put_real(rows, group->mean, of);
	put_number(rows, group->max, of);
	put_real(rows, group->deviation, of);
	put_number(rows, group->total, of);
	for (size_t i = 0; i < HISTREE_PERCENTILE_COUNT; i++)
		put_number(rows, group->percentiles[i], of);
	row_end(rows);
}

/* People also see the names of the columns and the sums. */
static int print(const struct histree_segment_store *store, const struct histree_segment_stats *stats,
		 const struct stats_options *chosen)
{
	const struct row_format *format = row_format_find(chosen->format);
	const char *of = chosen->of;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct row_writer rows;
	row_writer_begin(&rows, format, output, format->for_people ? for_people : for_programs,
			 format->for_people ? PEOPLE_COLUMNS : PROGRAM_COLUMNS);
	if (format->for_people) {
		for (size_t i = 0; i < PEOPLE_COLUMNS; i++)
			row_text(&rows, for_people[i].name);
		row_end(&rows);
	}
	const struct histree_segment_group *group;
	for (size_t i = 0;
	     (chosen->top == 0 || i < chosen->top) && (group = histree_segment_stats_group(stats, i)) != NULL;
	     i++) {
		if (format->for_people && group->value.type == HISTREE_NULL)
			row_text(&rows, "(unknown)");
		else
			row_value(&rows, &group->value);
		put_group(&rows, group, of);
	}
	const struct histree_segment_group *all = histree_segment_stats_all(stats);
	if (format->for_people) {
		row_text(&rows, "(all)");
		put_group(&rows, all, of);
	}
	row_writer_finish(&rows);
	return cli_end(output, segment_target_judge(store, histree_segment_stats_loss(stats), all->count > 0,
						    chosen->segments.where));
}

/* What was open at the end of the trace counts with the time up to there; the build said how many these are. */
static void say_of_open(const struct segment_target *target)
{
	size_t ending;
	const struct histree_store_info *info =
		target->target.store != NULL ? histree_store_info(target->target.store) : NULL;
	if (info == NULL || histree_segment_store_field(target->store, "ending", &ending) != HISTREE_OK)
		return;
	for (size_t i = 0; i < info->warning_count; i++)
		if (strstr(info->warnings[i], "open at the end of the trace") != NULL)
			report("warning: %s; they count with their time up to there ('ending == open')",
			       info->warnings[i]);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct stats_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct segment_target target;
	struct histree_segment_stats *stats = NULL;
	size_t field, of = 0;
	struct histree_error error = { 0 };
	status = segment_target_open(&target, &words, &chosen.segments);
	if (status == CLI_OK)
		status = segment_target_groups(&target, chosen.by != NULL ? chosen.by : "name", &field);
	if (status == CLI_OK && chosen.of != NULL)
		status = segment_target_field(&target, "of", chosen.of, &of);
	if (status == CLI_OK &&
	    (chosen.of != NULL
		     ? histree_segment_stats_create_of(target.store, &target.query, field, of, &stats, &error)
		     : histree_segment_stats_create(target.store, &target.query, field, &stats, &error)) < 0)
		status = report_error(&error);
	if (status == CLI_OK)
		status = print(target.store, stats, &chosen);
	if (status == CLI_OK)
		say_of_open(&target);
	histree_segment_stats_free(stats);
	segment_target_close(&target);
	return status;
}

const struct cli_verb verb_stats = {
	.name = "stats",
	.summary = "say how long segments last: mean, deviation, percentiles",
	.arguments = "STORE ANALYSIS",
	.words_min = 2,
	.words_max = 2,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
