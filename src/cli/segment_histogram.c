// SPDX-License-Identifier: MIT
/*
 * segment_histogram.c - `histree segments --histogram`: how many segments have each duration.
 *
 * Counts of durations as rows: bars or shades for people, one row for each bucket for programs.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "cli/row_writer.h"
#include "cli/segment_target.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "cli/verb_segments.h"
#include "histree/segment_stats.h"
#include "histree/states.h"

struct density_rows {
	const struct histree_segment_density *density;
	bool by_value;         /* there is a group for each value of a field */
	uint32_t column_count; /* of time; 0: none */
	histree_time from, to; /* of the columns */
	const struct histree_duration_bucket *buckets;
	size_t bucket_count;
};

/* ---- density rows -------------------------------------------------------------------------------------------- */

static uint64_t cell(const struct density_rows *rows, size_t group, uint32_t column, size_t bucket)
{
	return histree_segment_density_count(rows->density, group, column, bucket);
}

/* If the caller asked for no columns, one column has everything. */
static uint32_t columns_of(const struct density_rows *rows)
{
	return rows->column_count > 0 ? rows->column_count : 1;
}

static histree_time column_start(const struct density_rows *rows, uint32_t column)
{
	return histree_pixel_start(rows->from, rows->to, rows->column_count, column);
}

/* ---- buckets ------------------------------------------------------------------------------------- */

struct bucket_row {
	struct histree_value value;
	histree_time time;
	uint64_t least, most, count, all, count_max;
};

static void put_from(struct row_writer *writer, const void *member)
{
	char text[TIME_TEXT_SIZE];
	row_bytes(writer, text, time_format_round(*(const uint64_t *)member, text));
}

static void put_below(struct row_writer *writer, const void *member)
{
	const uint64_t most = *(const uint64_t *)member;
	put_from(writer, &(uint64_t){ most < UINT64_MAX ? most + 1 : UINT64_MAX });
}

static void put_share(struct row_writer *writer, const void *member)
{
	const struct bucket_row *row = member;
	char text[32];
	snprintf(text, sizeof(text), "%.1f %%", 100.0 * (double)row->count / (double)row->all);
	row_text(writer, text);
}

static void put_bar(struct row_writer *writer, const void *member)
{
	const struct bucket_row *row = member;
	row_bar(writer, row->count, row->count_max);
}

enum { BUCKET_VALUE, BUCKET_TIME };

/* People have a line with a bar for each bucket, programs a row for each that is not empty. */
static const struct row_column bucket_columns[] = {
#define BUCKET(at) .offset = offsetof(struct bucket_row, at)
	[BUCKET_VALUE] = { .name = "value", .cell = CELL_VALUE, BUCKET(value) },
	[BUCKET_TIME] = { .name = "time", .cell = CELL_NUMBER, BUCKET(time) },
	{ .name = "unit", .when = ROW_PROGRAMS, .cell = CELL_NS },
	{ .name = "least", .when = ROW_PROGRAMS, .cell = CELL_UNSIGNED, BUCKET(least) },
	{ .name = "most", .when = ROW_PROGRAMS, .cell = CELL_UNSIGNED, BUCKET(most) },
	{ .name = "from", .width = 8, .to_the_right = true, .when = ROW_PEOPLE, .put = put_from, BUCKET(least) },
	{ .name = "below", .width = 8, .to_the_right = true, .when = ROW_PEOPLE, .put = put_below, BUCKET(most) },
	{ .name = "count", .width = 10, .to_the_right = true, .cell = CELL_UNSIGNED, BUCKET(count) },
	{ .name = "share", .width = 7, .to_the_right = true, .when = ROW_PEOPLE, .put = put_share },
	{ .name = "", .when = ROW_PEOPLE, .put = put_bar },
#undef BUCKET
};

static uint64_t count_max_of(const struct density_rows *rows)
{
	uint64_t count_max = 0;
	for (size_t group = 0; histree_segment_density_group(rows->density, group) != NULL; group++)
		for (uint32_t column = 0; column < columns_of(rows); column++)
			for (size_t i = 0; i < rows->bucket_count; i++)
				if (cell(rows, group, column, i) > count_max)
					count_max = cell(rows, group, column, i);
	return count_max;
}

static void put_buckets(const struct density_rows *rows, struct row_writer *writer, size_t group, uint32_t column)
{
	const struct histree_density_group *of = histree_segment_density_group(rows->density, group);
	const uint64_t count_max = count_max_of(rows);
	for (size_t i = 0; i < rows->bucket_count; i++) {
		const struct bucket_row row = { .value = of->value,
						.time = rows->column_count > 0 ? column_start(rows, column) : 0,
						.least = rows->buckets[i].min,
						.most = rows->buckets[i].max,
						.count = cell(rows, group, column, i),
						.all = of->count,
						.count_max = count_max };
		if (row.count > 0 || writer->format->for_people)
			row_put(writer, &row);
	}
}

/* ---- shades -------------------------------------------------------------------------------------- */

/* A bucket is two characters wide, so that six of a decade of three have room for "100us" and a blank. */
enum { BUCKET_WIDTH = 2, LINE_MAX = BUCKET_WIDTH * 512 };

static const char signs[] = " .:-=+*#%@";

/* Chooses a sign by the logarithm: the first one after the blank is for 1, the last one for `count_max`. */
static char sign_of(uint64_t count, uint64_t count_max)
{
	const size_t last = sizeof(signs) - 2;
	if (count == 0)
		return signs[0];
	double share = count_max > 1 ? log((double)count) / log((double)count_max) : 0;
	return signs[1 + (size_t)(share * (double)(last - 1))];
}

static void put_shades(const struct density_rows *rows, struct row_writer *writer, size_t group, uint32_t column,
		       uint64_t count_max)
{
	char line[LINE_MAX];
	size_t used = 0;
	for (size_t i = 0; i < rows->bucket_count && (i + 1) * BUCKET_WIDTH <= LINE_MAX; i++) {
		uint64_t count = cell(rows, group, column, i);
		memset(line + i * BUCKET_WIDTH, sign_of(count, count_max), BUCKET_WIDTH);
		if (count > 0)
			used = (i + 1) * BUCKET_WIDTH;
	}
	row_bytes(writer, line, used);
	row_end(writer);
}

/*
 * All segments together have a line for each column, so that time goes on evenly; a value has a line only for
 * columns in which it occurs.
 */
static void put_group(const struct density_rows *rows, struct row_writer *writer, size_t index, uint64_t count_max)
{
	const struct histree_density_group *group = histree_segment_density_group(rows->density, index);
	for (uint32_t column = 0; column < columns_of(rows); column++) {
		uint64_t count = 0;
		for (size_t i = 0; i < rows->bucket_count; i++)
			count += cell(rows, index, column, i);

		if (count == 0 && rows->by_value)
			continue;

		if (group->is_rest)
			row_text(writer, "(others)");
		else if (group->value.type == HISTREE_NULL)
			row_text(writer, "(unknown)");
		else
			row_value(writer, &group->value);

		if (rows->column_count > 0)
			row_clock(writer, column_start(rows, column));
		else
			row_null(writer);
		row_unsigned(writer, count);
		put_shades(rows, writer, index, column, count_max);
	}
}

/* Prints, for people, a line for each value or column, in which each bucket is a shade. */
static int density_rows_print_shades(const struct density_rows *rows, const struct cli_question *question,
				     int status)
{
	char axis[LINE_MAX + 1];

	/* "1us" where the bucket from 1 us begins, and so on, where there is room. */
	size_t used = 0;
	for (size_t i = 0; i < rows->bucket_count; i++) {
		char text[TIME_TEXT_SIZE];
		size_t size = time_format_round(rows->buckets[i].min, text), column = i * BUCKET_WIDTH;
		char *blank = strchr(text, ' ');
		memmove(blank, blank + 1, strlen(blank));
		size--;
		uint64_t number = rows->buckets[i].min;
		while (number > 0 && number % 10 == 0)
			number /= 10;
		if (number != 1 || (used > 0 && column <= used) || column + size > LINE_MAX)
			continue;
		memset(axis + used, ' ', column - used);
		memcpy(axis + column, text, size);
		used = column + size;
	}
	axis[used] = '\0';

	const struct row_column columns[] = {
		{ .name = "value", .width = 20, .is_hidden = !rows->by_value },
		{ .name = "time", .width = 18, .is_hidden = rows->column_count == 0 },
		{ .name = "count", .width = 8, .to_the_right = true },
		{ .name = axis },
	};
	struct row_writer writer;
	const uint64_t count_max = count_max_of(rows);
	enum cli_exit code = rows_open(&writer, question, ROW_COLUMNS(columns), ROWS_PLAIN);
	if (code != CLI_OK || rows->bucket_count == 0)
		return rows_close(&writer, code != CLI_OK ? (int)code : status);
	row_names(&writer);
	for (size_t group = 0; histree_segment_density_group(rows->density, group) != NULL; group++)
		put_group(rows, &writer, group, count_max);
	output_format(writer.output, "(%c is 1, %c is %" PRIu64 ", on a logarithmic scale)\n", signs[1],
		      signs[sizeof(signs) - 2], count_max);
	return rows_close(&writer, status);
}

/* ---- the question -------------------------------------------------------------------------------------------- */

/* The number of values of --by with counts of their own, times that of columns of time, which the library takes. */
enum { LINES_MAX = 40000 };

/* A filter may have narrowed the window to a time outside of the span. */
static histree_time within(const struct time_span *span, histree_time time)
{
	return time < span->start ? span->start : time > span->end ? span->end : time;
}

static enum cli_exit read_options(const struct segments_options *chosen, struct segment_target *target,
				  struct histree_density_options *density)
{
	*density = (struct histree_density_options){
		.per_decade = chosen->per_decade != NULL ? (unsigned)atoi(chosen->per_decade) : 0,
		.field = HISTREE_SEGMENTS_TOGETHER,
		.group_max = LINES_MAX / (chosen->question.parts > 0 ? chosen->question.parts : 1),
		.column_count = (uint32_t)chosen->question.parts,
		.from = within(&target->span, target->query.from),
		.to = within(&target->span, target->query.to),
	};
	return chosen->question.by == NULL ? CLI_OK
					   : segment_target_groups(target, chosen->question.by, &density->field);
}

static int print(const struct histree_segment_store *store, const struct histree_segment_density *density,
		 const struct histree_density_options *asked, const struct cli_question *question)
{
	struct density_rows rows = { .density = density,
				     .by_value = asked->field != HISTREE_SEGMENTS_TOGETHER,
				     .column_count = asked->column_count,
				     .from = asked->from,
				     .to = asked->to };
	rows.buckets = histree_segment_density_buckets(density, &rows.bucket_count);
	const int status = segment_target_judge(store, histree_segment_density_loss(density), rows.bucket_count > 0,
						question->where);
	if (row_format_find(question->format)->for_people && (rows.by_value || rows.column_count > 0))
		return density_rows_print_shades(&rows, question, status);
	struct row_writer writer;
	struct row_column columns[sizeof(bucket_columns) / sizeof(*bucket_columns)];
	memcpy(columns, bucket_columns, sizeof(columns));
	columns[BUCKET_VALUE].is_hidden = !rows.by_value;
	columns[BUCKET_TIME].is_hidden = rows.column_count == 0;
	enum cli_exit code = rows_open(&writer, question, ROW_COLUMNS(columns), ROWS_PLAIN);
	for (size_t group = 0; code == CLI_OK && histree_segment_density_group(rows.density, group) != NULL;
	     group++)
		for (uint32_t column = 0; column < columns_of(&rows); column++)
			put_buckets(&rows, &writer, group, column);
	return rows_close(&writer, code != CLI_OK ? (int)code : status);
}

int segment_histogram_run(void *said, const struct cli_words *words)
{
	struct segments_options *chosen = said;
	int status;
	const char *analysis = segment_target_analysis(words, &chosen->question);
	struct segment_target target;
	struct histree_density_options asked;
	struct histree_segment_density *density = NULL;
	struct histree_error error = { 0 };
	status = segment_target_open(&target, words->words[0], analysis, &chosen->question);
	if (status == CLI_OK)
		status = read_options(chosen, &target, &asked);
	if (status == CLI_OK &&
	    histree_segment_density_create(target.store, &target.query, &asked, &density, &error) < 0)
		status = report_error(&error);
	if (status == CLI_OK)
		status = print(target.store, density, &asked, &chosen->question);
	histree_segment_density_free(density);
	segment_target_close(&target);
	return status;
}
