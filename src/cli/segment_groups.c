// SPDX-License-Identifier: MIT
/*
 * segment_groups.c - 'histree segments --by': statistics of durations, or of a field's numbers, by group.
 */
#include <string.h>

#include "cli/segment_target.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "cli/verb_segments.h"
#include "histree/segment_stats.h"

/* The context of a table is the field that its numbers are of; NULL: they are durations. */
static void put_unit(struct row_writer *rows, const void *group)
{
	(void)group;
	row_text(rows, rows->context != NULL ? rows->context : "ns");
}

static void put_number(struct row_writer *rows, const void *number)
{
	if (rows->context != NULL)
		row_unsigned(rows, *(const uint64_t *)number);
	else
		row_duration(rows, *(const uint64_t *)number);
}

static void put_real(struct row_writer *rows, const void *number)
{
	const double real = *(const double *)number;
	if (rows->format->for_people)
		put_number(rows, &(uint64_t){ (uint64_t)real });
	else
		row_real(rows, real);
}

/* For people each duration has a unit of its own; for programs a column names the unit of all. */
static const struct row_column columns[] = {
#define GROUP(at) .offset = offsetof(struct histree_segment_group, at)
#define NUMBER(text, how, at)                                                                \
	{                                                                                    \
		.name = text, .width = 10, .to_the_right = true, .put = put_##how, GROUP(at) \
	}
	{ .name = "value", .width = 20, .cell = CELL_GROUP, GROUP(value) },
	ROW_RIGHT("count", 8, CELL_UNSIGNED, struct histree_segment_group, count),
	{ .name = "unit", .when = ROW_PROGRAMS, .put = put_unit },
	NUMBER("min", number, min),
	NUMBER("mean", real, mean),
	NUMBER("max", number, max),
	NUMBER("deviation", real, deviation),
	NUMBER("total", number, total),
	NUMBER("p50", number, percentiles[HISTREE_P50]),
	NUMBER("p90", number, percentiles[HISTREE_P90]),
	NUMBER("p99", number, percentiles[HISTREE_P99]),
	NUMBER("p99.9", number, percentiles[HISTREE_P99_9]),
#undef NUMBER
#undef GROUP
};

/* People also see the sums, which are no row of the limit. */
static int print(const struct histree_segment_store *store, const struct histree_segment_stats *stats,
		 const struct segments_options *chosen)
{
	struct row_writer rows;
	const struct histree_segment_group *group;
	struct histree_segment_group all = *histree_segment_stats_all(stats);
	enum cli_exit code = rows_open(&rows, &chosen->question, ROW_COLUMNS(columns), ROWS_PLAIN);
	if (code != CLI_OK)
		return code;
	rows.context = chosen->of;
	for (size_t i = 0; !rows_are_full(&rows) && (group = histree_segment_stats_group(stats, i)) != NULL; i++)
		row_put(&rows, group);
	rows.row_max = UINT64_MAX;
	all.value = histree_string("(all)");
	if (rows.format->for_people)
		row_put(&rows, &all);
	return rows_close(&rows, segment_target_judge(store, histree_segment_stats_loss(stats), all.count > 0,
						      chosen->question.where));
}

int segment_groups_run(void *said, const struct cli_words *words)
{
	struct segments_options *chosen = said;
	struct segment_target target;
	struct histree_segment_stats *stats = NULL;
	size_t field, of = 0;
	struct histree_error error = { 0 };
	int status;
	const char *analysis = segment_target_analysis(words, &chosen->question);
	status = segment_target_open(&target, words->words[0], analysis, &chosen->question);
	if (status == CLI_OK)
		status = segment_target_groups(&target, chosen->question.by, &field);
	if (status == CLI_OK && chosen->of != NULL)
		status = segment_target_field(&target, "of", chosen->of, &of);
	if (status == CLI_OK &&
	    (chosen->of != NULL
		     ? histree_segment_stats_create_of(target.store, &target.query, field, of, &stats, &error)
		     : histree_segment_stats_create(target.store, &target.query, field, &stats, &error)) < 0)
		status = report_error(&error);
	if (status == CLI_OK)
		status = print(target.store, stats, chosen);
	if (status == CLI_OK) {
		/*
		 * What was open at the end of the trace counts with the time up to there; the build said how many
		 * these are.
		 */
		size_t ending;
		if (histree_segment_store_field(target.store, "ending", &ending) == HISTREE_OK)
			target_say_warnings(&target.target, "open at the end of the trace",
					    "; they count with their time up to there ('ending == open')");
	}
	histree_segment_stats_free(stats);
	segment_target_close(&target);
	return status;
}
