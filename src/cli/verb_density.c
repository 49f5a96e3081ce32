// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <unistd.h>

#include "cli/density_rows.h"
#include "cli/segment_target.h"
#include "cli/verb.h"

/* The number of values of --by with counts of their own, times that of columns of time, which the library takes. */
enum { LINES_MAX = 40000 };

struct density_options {
	struct segment_options segments;
	const char *by, *per_decade, *format;
	uint64_t time_buckets;
};

static const char *const divisions[] = { "1", "3", "5", "10", "20", NULL };

static const struct cli_option options[] = {
	{ .name = "by",
	  .argument = "FIELD",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct density_options, by),
	  .help = "count each value of this field by itself" },
	{ .name = "time-buckets",
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct density_options, time_buckets),
	  .help = "count each of N equal parts of the time by itself",
	  .min = 1,
	  .max = 10000 },
	{ .name = "per-decade",
	  .argument = "N",
	  .kind = CLI_CHOICE,
	  .member = offsetof(struct density_options, per_decade),
	  .help = "use 1, 3, 5, 10 or 20 buckets for each power of ten; default: 3",
	  .choices = divisions },
	CLI_OPTIONS_SEGMENTS(struct density_options, segments),
	CLI_OPTION_FORMAT(struct density_options),
	{ 0 },
};

/* A filter may have narrowed the window to a time outside of the span. */
static histree_time within(const struct time_span *span, histree_time time)
{
	return time < span->start ? span->start : time > span->end ? span->end : time;
}

static enum cli_exit read_options(const struct density_options *chosen, const struct segment_target *target,
				  struct histree_density_options *density)
{
	*density = (struct histree_density_options){
		.per_decade = chosen->per_decade != NULL ? (unsigned)atoi(chosen->per_decade) : 0,
		.field = HISTREE_SEGMENTS_TOGETHER,
		.group_max = LINES_MAX / (chosen->time_buckets > 0 ? chosen->time_buckets : 1),
		.column_count = (uint32_t)chosen->time_buckets,
		.from = within(&target->span, target->query.from),
		.to = within(&target->span, target->query.to),
	};
	return chosen->by == NULL ? CLI_OK : segment_target_field(target, "by", chosen->by, &density->field);
}

static int print(const struct histree_segment_store *store, const struct histree_segment_density *density,
		 const struct histree_density_options *asked, const struct row_format *format, const char *where)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct density_rows rows = { .density = density,
				     .by_value = asked->field != HISTREE_SEGMENTS_TOGETHER,
				     .column_count = asked->column_count,
				     .from = asked->from,
				     .to = asked->to };
	rows.buckets = histree_segment_density_buckets(density, &rows.bucket_count);
	if (!format->for_people)
		density_rows_print_cells(&rows, format, output);
	else if (rows.by_value || rows.column_count > 0)
		density_rows_print_shades(&rows, output);
	else
		density_rows_print_bars(&rows, output);
	return cli_end(output, segment_target_judge(store, histree_segment_density_loss(density),
						    rows.bucket_count > 0, where));
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct density_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct segment_target target;
	struct histree_density_options asked;
	struct histree_segment_density *density = NULL;
	struct histree_error error = { 0 };
	status = segment_target_open(&target, &words, &chosen.segments);
	if (status == CLI_OK)
		status = read_options(&chosen, &target, &asked);
	if (status == CLI_OK &&
	    histree_segment_density_create(target.store, &target.query, &asked, &density, &error) < 0)
		status = report_error(&error);
	if (status == CLI_OK)
		status =
			print(target.store, density, &asked, row_format_find(chosen.format), chosen.segments.where);
	histree_segment_density_free(density);
	segment_target_close(&target);
	return status;
}

const struct cli_verb verb_density = {
	.name = "density",
	.summary = "count segments by their duration: a histogram",
	.arguments = "STORE ANALYSIS",
	.words_min = 2,
	.words_max = 2,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
