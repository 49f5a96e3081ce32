// SPDX-License-Identifier: MIT
/*
 * verb_segments.c - 'histree segments': prints segments in an order.
 */
#include <unistd.h>

#include "base/number_text.h"
#include "cli/target.h"
#include "cli/verb.h"

struct segments_options {
	struct segment_options segments;
	const char *sort, *format;
	uint64_t top;
	bool reverse;
};

static const struct cli_option options[] = {
	{ .name = "sort",
	  .argument = "KEY",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct segments_options, sort),
	  .help = "sort by start, end, duration or a field; default: start" },
	{ .name = "reverse",
	  .letter = 'r',
	  .kind = CLI_FLAG,
	  .member = offsetof(struct segments_options, reverse),
	  .help = "print the greatest first" },
	{ .name = "top",
	  .letter = 'n',
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct segments_options, top),
	  .help = "print only the first N",
	  .min = 1,
	  .max = INT64_MAX },
	CLI_OPTIONS_SEGMENTS(struct segments_options, segments),
	CLI_OPTION_FORMAT(struct segments_options),
	{ 0 },
};

enum {
	TIME_COLUMNS = 3,
	PEOPLE_COLUMNS = 2,
	COLUMNS_MAX = TIME_COLUMNS + PEOPLE_COLUMNS + HISTREE_SEGMENT_FIELDS_MAX
};

struct segment_rows {
	struct row_writer rows;
	struct row_column columns[COLUMNS_MAX];
	size_t field_count;
};

/* People read the time of day and the duration in a unit, programs nanoseconds. */
static void begin_rows(struct segment_rows *rows, const struct row_format *format, struct output *output,
		       const struct histree_segment_schema *schema)
{
	static const struct row_column for_people[] = {
		{ .name = "start", .width = 18 },
		{ .name = "duration", .width = 10, .to_the_right = true },
	};
	static const struct row_column for_programs[] = { { .name = "start" },
							  { .name = "end" },
							  { .name = "duration" } };
	size_t count = format->for_people ? PEOPLE_COLUMNS : TIME_COLUMNS;
	memcpy(rows->columns, format->for_people ? for_people : for_programs, count * sizeof(*rows->columns));
	for (size_t i = 0; i < schema->field_count; i++)
		rows->columns[count++] = segment_target_column(schema, i);
	rows->field_count = schema->field_count;
	row_writer_begin(&rows->rows, format, output, rows->columns, count);
}

static void put_segment(struct segment_rows *segment_rows, const struct histree_segment *segment)
{
	struct row_writer *rows = &segment_rows->rows;
	row_names(rows);
	if (rows->format->for_people) {
		char text[TIME_TEXT_SIZE];
		row_bytes(rows, text, time_format_clock(segment->start, text));
	} else {
		row_number(rows, segment->start);
		row_number(rows, segment->end);
	}
	row_duration(rows, histree_segment_duration(segment));
	for (size_t i = 0; i < segment_rows->field_count; i++)
		row_value(rows, &segment->content[i]);
	row_end(rows);
}

static enum cli_exit choose_order(const struct segments_options *chosen, struct segment_target *target)
{
	static const struct {
		const char *name;
		enum histree_segment_order order;
	} orders[] = {
		{ "start", HISTREE_SEGMENTS_BY_START },
		{ "end", HISTREE_SEGMENTS_BY_END },
		{ "duration", HISTREE_SEGMENTS_BY_DURATION },
	};
	struct histree_segment_query *query = &target->query;
	query->order = HISTREE_SEGMENTS_BY_START;
	query->descending = chosen->reverse;
	query->limit = chosen->top;
	if (chosen->sort == NULL)
		return CLI_OK;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (strcmp(chosen->sort, orders[i].name) == 0) {
			query->order = orders[i].order;
			return CLI_OK;
		}
	}
	query->order = HISTREE_SEGMENTS_BY_FIELD;
	return segment_target_field(target, "sort", chosen->sort, &query->field);
}

static int print(struct histree_segment_store *store, const struct histree_segment_query *query,
		 const struct row_format *format, const char *where)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct segment_rows rows;
	struct histree_cursor *iter = NULL;
	struct histree_error error = { 0 };
	begin_rows(&rows, format, output, &histree_segment_store_info(store)->schema);
	enum histree_status status = histree_segments_create(store, &iter, &error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, query, NULL, &error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, &error)) == HISTREE_OK)
		put_segment(&rows, histree_cursor_segment(iter));
	row_writer_finish(&rows.rows);
	enum cli_exit code = iter != NULL ? segment_target_report_losses(store, iter) : CLI_OK;
	histree_cursor_free(iter);
	if (status != HISTREE_END)
		code = report_error(&error);
	else if (code == CLI_OK && rows.rows.row_count == 0)
		code = report_none("segments", where);
	return cli_end(output, code);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct segments_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct segment_target target;
	status = segment_target_open(&target, &words, &chosen.segments);
	if (status == CLI_OK)
		status = choose_order(&chosen, &target);
	if (status == CLI_OK)
		status = print(target.store, &target.query, row_format_find(chosen.format), chosen.segments.where);
	segment_target_close(&target);
	return status;
}

const struct cli_verb verb_segments = {
	.name = "segments",
	.summary = "list segments, such as system calls, in any order",
	.arguments = "STORE ANALYSIS",
	.words_min = 2,
	.words_max = 2,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
