// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "base/time_text.h"
#include "cli/segment_target.h"
#include "cli/verb.h"
#include "histree/segment_stats.h"

struct stats_options {
	const char *by, *from, *to, *format;
};

static const struct cli_option options[] = {
	{ .name = "by",
	  .argument = "FIELD",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct stats_options, by),
	  .help = "one row for each value of this field; default: name" },
	{ .name = "from",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct stats_options, from),
	  .help = "only segments that reach this time" },
	{ .name = "to",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct stats_options, to),
	  .help = "only segments that begin by this time" },
	CLI_OPTION_FORMAT(struct stats_options),
	{ 0 },
};

static const struct row_column columns[] = {
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

enum { COLUMN_COUNT = sizeof(columns) / sizeof(columns[0]) };

static void put_duration(struct row_writer *rows, uint64_t ns)
{
	char text[TIME_TEXT_SIZE];
	if (rows->format->for_people)
		row_bytes(rows, text, time_format_duration(ns, text));
	else
		row_unsigned(rows, ns);
}

static void put_real_duration(struct row_writer *rows, double ns)
{
	if (rows->format->for_people)
		put_duration(rows, (uint64_t)ns);
	else
		row_real(rows, ns);
}

/* Behind its value. */
static void put_group(struct row_writer *rows, const struct histree_segment_group *group)
{
	row_unsigned(rows, group->count);
	put_duration(rows, group->min);
	put_real_duration(rows, group->mean);
	put_duration(rows, group->max);
	put_real_duration(rows, group->deviation);
	put_duration(rows, group->total);
	for (size_t i = 0; i < HISTREE_PERCENTILE_COUNT; i++)
		put_duration(rows, group->percentiles[i]);
	row_end(rows);
}

/* People see the names of the columns and the sum as well. */
static int print(const struct histree_segment_stats *stats, const struct row_format *format)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct row_writer rows;
	row_writer_begin(&rows, format, output, columns, COLUMN_COUNT);
	if (format->for_people) {
		for (size_t i = 0; i < COLUMN_COUNT; i++)
			row_text(&rows, columns[i].name);
		row_end(&rows);
	}
	const struct histree_segment_group *group;
	for (size_t i = 0; (group = histree_segment_stats_group(stats, i)) != NULL; i++) {
		if (format->for_people && group->value.type == HISTREE_NULL)
			row_text(&rows, "(unknown)");
		else
			row_value(&rows, &group->value);
		put_group(&rows, group);
	}
	const struct histree_segment_group *all = histree_segment_stats_all(stats);
	if (format->for_people) {
		row_text(&rows, "(all)");
		put_group(&rows, all);
	}
	row_writer_finish(&rows);
	const struct histree_segment_loss *loss = histree_segment_stats_loss(stats);
	if (loss != NULL)
		return cli_end(output, segment_target_report_loss(loss));
	return cli_end(output, all->count > 0 ? CLI_OK : CLI_NOTHING);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct stats_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct target target;
	struct histree_segment_store *store;
	struct histree_segment_query query;
	struct histree_segment_stats *stats = NULL;
	size_t field;
	struct histree_error error = { 0 };
	status = segment_target_open(&target, words.words[0], words.words[1], chosen.from, chosen.to, &store,
				     &query);
	if (status == CLI_OK)
		status = segment_target_field(store, "by", chosen.by != NULL ? chosen.by : "name", &field);
	if (status == CLI_OK && histree_segment_stats_create(store, &query, field, &stats, &error) < 0)
		status = report_error(&error);
	if (status == CLI_OK)
		status = print(stats, row_format_find(chosen.format));
	histree_segment_stats_free(stats);
	histree_segment_store_close(store);
	target_close(&target);
	return status;
}

const struct cli_verb verb_stats = {
	.name = "stats",
	.summary = "say how long segments last: mean, deviation, percentiles",
	.arguments = "STORE ANALYSIS",
	.words_least = 2,
	.words_most = 2,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
