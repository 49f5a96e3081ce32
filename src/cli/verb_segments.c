// SPDX-License-Identifier: MIT
/*
 * verb_segments.c - 'histree segments': prints segments in an order; groups, durations and overlaps are its forms.
 */
#include "cli/verb_segments.h"
#include "cli/segment_target.h"
#include "cli/target.h"
#include "cli/verb.h"

enum { TIME_COLUMNS = 4, COLUMNS_MAX = TIME_COLUMNS + HISTREE_SEGMENT_FIELDS_MAX };

static void put_duration(struct row_writer *rows, const void *row)
{
	row_duration(rows, histree_segment_duration(row));
}

static void put_content(struct row_writer *rows, const void *row)
{
	const struct histree_segment *segment = row;
	row_value(rows, &segment->content[rows->column - TIME_COLUMNS]);
}

/* People read the time of day and the duration in a unit, programs nanoseconds. */
static const struct row_column time_columns[TIME_COLUMNS] = {
	{ .name = "start",
	  .width = 18,
	  .when = ROW_PEOPLE,
	  .cell = CELL_CLOCK,
	  .offset = offsetof(struct histree_segment, start) },
	{ .name = "start",
	  .when = ROW_PROGRAMS,
	  .cell = CELL_NUMBER,
	  .offset = offsetof(struct histree_segment, start) },
	{ .name = "end",
	  .when = ROW_PROGRAMS,
	  .cell = CELL_NUMBER,
	  .offset = offsetof(struct histree_segment, end) },
	{ .name = "duration", .width = 10, .to_the_right = true, .put = put_duration },
};

static bool is_amount(const struct segment_target *target, size_t field)
{
	return histree_segment_store_info(target->store)->schema.fields[field].type != HISTREE_STRING;
}

static enum cli_exit choose_order(const struct cli_question *question, struct segment_target *target)
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
	const struct question_order order = question_order(question);
	query->order = HISTREE_SEGMENTS_BY_START;
	query->descending = question_order_is_down(order, false);
	query->limit = question->limit;
	if (order.key == NULL)
		return CLI_OK;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (strcmp(order.key, orders[i].name) != 0)
			continue;
		query->order = orders[i].order;
		query->descending = question_order_is_down(order, query->order == HISTREE_SEGMENTS_BY_DURATION);
		return CLI_OK;
	}
	query->order = HISTREE_SEGMENTS_BY_FIELD;
	enum cli_exit code = segment_target_field(target, "sort", order.key, &query->field);
	if (code == CLI_OK)
		query->descending = question_order_is_down(order, is_amount(target, query->field));
	return code;
}

static enum cli_exit put_segments(struct row_writer *rows, const struct segment_target *target, const char *where)
{
	struct histree_cursor *cursor = NULL;
	struct histree_error error = { 0 };
	enum histree_status status = histree_segments_create(target->store, &cursor, &error);
	if (status == HISTREE_OK)
		status = histree_segments_start(cursor, &target->query, NULL, &error);
	while (status == HISTREE_OK && (status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
		row_put(rows, histree_cursor_segment(cursor));
	enum cli_exit code = cursor != NULL ? segment_target_report_losses(target->store, cursor) : CLI_OK;
	histree_cursor_free(cursor);
	if (status != HISTREE_END)
		return report_error(&error);
	return code != CLI_OK || rows->row_count > 0 ? code : report_none("segments", where);
}

static int segments_run(void *said, const struct cli_words *words)
{
	struct segments_options *chosen = said;
	struct segment_target target;
	int status;
	const char *analysis = segment_target_analysis(words, &chosen->question);
	status = segment_target_open(&target, words->words[0], analysis, &chosen->question);
	if (status == CLI_OK)
		status = choose_order(&chosen->question, &target);
	if (status == CLI_OK) {
		struct row_writer rows;
		struct row_column columns[COLUMNS_MAX];
		const struct histree_segment_schema *schema = &histree_segment_store_info(target.store)->schema;
		memcpy(columns, time_columns, sizeof(time_columns));
		for (size_t i = 0; i < schema->field_count; i++) {
			columns[TIME_COLUMNS + i] = segment_target_column(schema, i);
			columns[TIME_COLUMNS + i].put = put_content;
		}
		enum cli_exit code = rows_open(&rows, &chosen->question, columns,
					       TIME_COLUMNS + schema->field_count, ROWS_PLAIN);
		row_say_day(&rows, target.span.start);
		if (code == CLI_OK)
			code = put_segments(&rows, &target, chosen->question.where);
		status = rows_close(&rows, code);
	}
	segment_target_close(&target);
	return status;
}

static const char *const divisions[] = { "1", "3", "5", "10", "20", NULL };

static const struct cli_option options[] = {
	CLI_OPTION_TEXT("of", "FIELD", struct segments_options, of,
			"with --by, print statistics of the numbers in this field, such as bytes, instead of "
			"durations"),
	CLI_OPTION_FLAG("histogram", 0, struct segments_options, histogram, "count segments by their duration"),
	CLI_OPTION_CHOICE("per-decade", "N", struct segments_options, per_decade, divisions,
			  "with --histogram, use 1, 3, 5, 10 or 20 buckets for each power of ten; default: 3"),
	CLI_OPTION_FLAG("join", 0, struct segments_options, join,
			"list the pairs of a segment and a state of a PATTERN that overlap in time"),
	CLI_OPTION_TEXT("on", "FIELD", struct segments_options, on,
			"with --join, take only pairs in which this field of the segment, such as tid, is a "
			"component of the attribute's path"),
	{ 0 },
};

#define ASKS_OF_SEGMENTS                                                                                     \
	(ASKS_RANGE | ASKS(AT) | ASKS(WHERE) | ASKS(THREAD) | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | \
	 ASKS(HOST) | ASKS(FORMAT))

static const struct cli_form forms[] = {
	/* Here --by is an old spelling of --on. */
	{ "join",
	  { "STORE ANALYSIS PATTERN...", 3, CLI_WORDS_ANY },
	  (ASKS_OF_SEGMENTS & ~ASKS(HOST)) | ASKS(BY),
	  "on",
	  segment_join_run },
	{ "histogram",
	  { "STORE [ANALYSIS]", 1, 2 },
	  ASKS_OF_SEGMENTS | ASKS(BY) | ASKS(PARTS),
	  "per-decade",
	  segment_histogram_run },
	{ "by", { "STORE [ANALYSIS]", 1, 2 }, ASKS_OF_SEGMENTS | ASKS(BY), "of", segment_groups_run },
	{ NULL, { "STORE [ANALYSIS]", 1, 2 }, ASKS_OF_SEGMENTS | ASKS(SORT) | ASKS(REVERSE), NULL, segments_run },
};

static const struct cli_old_verb old_verbs[] = {
	{ .name = "stats", .means = { { "by", "name" } } },
	{ .name = "density", .means = { { "histogram", NULL } } },
	{ .name = "join", .means = { { "join", NULL } } },
	{ 0 },
};

const struct cli_verb verb_segments = {
	.name = "segments",
	.summary = "list segments, such as system calls, or add them up or count them",
	.complete = CLI_COMPLETE_SEGMENTS,
	.asks = ASKS_OF_SEGMENTS | ASKS(BY) | ASKS(PARTS) | ASKS(SORT) | ASKS(REVERSE),
	.says = { [ASK_WHERE] = ", as in 'duration > 1ms && name == futex'",
		  [ASK_BY] = ", a field: how many segments have it, and how long they last",
		  [ASK_SORT] = "; KEY is start, end, duration or a field; default: start",
		  [ASK_ANALYSIS] = ", as in '-a system-calls'; the word ANALYSIS says the same; with --join, that "
				   "of the states; default: kernel" },
	CLI_OPTIONS(options, struct segments_options),
	.forms = forms,
	.old = old_verbs,
};
