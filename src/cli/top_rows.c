// SPDX-License-Identifier: MIT
/*
 * top_rows.c - rows of what threads did with their time: the requested columns, and their cells.
 */
#include "cli/top_rows.h"

#include "base/time_text.h"

static const struct row_column key_columns[HISTREE_USE_KEY_COUNT] = {
	{ .name = "thread", .width = 8, .to_the_right = true },
	{ .name = "process", .width = 8, .to_the_right = true },
	{ .name = "name", .width = 16 },
	{ .name = "cpu", .width = 4, .to_the_right = true },
	{ .name = "state", .width = 11 },
	{ .name = "system_call", .width = 16 },
	{ .name = "had_by", .width = 8, .to_the_right = true },
};

static bool has(const struct top_rows *top, enum histree_use_key key)
{
	return (top->by & 1U << key) != 0;
}

static bool has_hosts(const struct top_rows *top, const struct row_format *format)
{
	return top->hosts != NULL || top->by == 0 || !format->for_people;
}

/* The name of a thread stands beside it, unless it is a key of its own. */
static bool names_threads(const struct top_rows *top)
{
	return has(top, HISTREE_USE_BY_THREAD) && !has(top, HISTREE_USE_BY_NAME);
}

/* Idle is what CPUs are, not threads. */
static bool shows(const struct top_rows *top, enum histree_use use)
{
	return use != HISTREE_USE_IDLE || has(top, HISTREE_USE_BY_CPU);
}

static void add_column(struct top_rows *top, struct row_column column)
{
	top->columns[top->column_count++] = column;
}

static void choose_columns(struct top_rows *top, const struct row_format *format)
{
	const struct row_column duration = { .name = "duration", .width = 11, .to_the_right = true };
	if (has_hosts(top, format))
		add_column(top, (struct row_column){ .name = "host", .width = 12 });
	for (enum histree_use_key key = 0; key < HISTREE_USE_KEY_COUNT; key++) {
		if (has(top, key))
			add_column(top, key_columns[key]);
		if (key == HISTREE_USE_BY_THREAD && names_threads(top))
			add_column(top, key_columns[HISTREE_USE_BY_NAME]);
	}
	if (has(top, HISTREE_USE_BY_HAD_BY))
		add_column(top, (struct row_column){ .name = "had_by_name", .width = 16 });
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT && !has(top, HISTREE_USE_BY_STATE); use++)
		if (shows(top, use)) {
			struct row_column column = duration;
			column.name = histree_use_name(use);
			add_column(top, column);
		}
	if (has(top, HISTREE_USE_BY_STATE))
		add_column(top, duration);
	add_column(top, (struct row_column){ .name = "count", .width = 8, .to_the_right = true });
	if (has(top, HISTREE_USE_BY_STATE))
		add_column(top, (struct row_column){ .name = "percent", .width = 7, .to_the_right = true });
	if (top->has_switches) {
		add_column(top, (struct row_column){ .name = "voluntary", .width = 9, .to_the_right = true });
		add_column(top, (struct row_column){ .name = "involuntary", .width = 11, .to_the_right = true });
	}
	static const char *const longest[] = { "longest_wait", "longest_wait_start", "longest_block",
					       "longest_block_start" };
	for (size_t i = 0; i < sizeof(longest) / sizeof(*longest) && top->has_longest; i++)
		add_column(top, (struct row_column){
					.name = longest[i], .width = i % 2 ? 19 : 13, .to_the_right = true });
}

void top_rows_begin(struct top_rows *top, const struct row_format *format, struct output *output, bool has_names)
{
	choose_columns(top, format);
	row_writer_begin(&top->rows, format, output, top->columns, top->column_count);
	if (!format->for_people || !has_names)
		return;
	for (size_t i = 0; i < top->column_count; i++)
		row_text(&top->rows, top->columns[i].name);
	row_end(&top->rows);
}

static void put_key(struct row_writer *rows, enum histree_use_key key, const struct histree_value *value)
{
	if (key == HISTREE_USE_BY_STATE && value->type == HISTREE_INT)
		row_text(rows, histree_use_name((enum histree_use)value->int32));
	else if (value->type == HISTREE_UNKNOWN)
		row_text(rows, "?");
	else if (value->type == HISTREE_NULL && rows->format->for_people)
		row_text(rows, "-");
	else
		row_value(rows, value);
}

uint64_t top_rows_sum(const struct histree_use_row *row)
{
	uint64_t sum = 0;
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT; use++)
		sum += row->ns[use];
	return sum;
}

static void put_times(struct top_rows *top, const struct histree_use_row *row)
{
	struct row_writer *rows = &top->rows;
	const uint64_t sum = top_rows_sum(row);
	if (has(top, HISTREE_USE_BY_STATE)) {
		row_duration(rows, sum);
		row_unsigned(rows, row->count);
		double share = top->ns > 0 ? (double)sum / (double)top->ns : 0;
		row_percent(rows, 100 * share);
		return;
	}
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT; use++)
		if (shows(top, use))
			row_duration(rows, row->ns[use]);
	row_unsigned(rows, row->count);
}

static void put_longest(struct row_writer *rows, const struct histree_use_longest *longest)
{
	row_duration(rows, longest->ns);
	char text[TIME_TEXT_SIZE];
	if (longest->ns > 0 && rows->format->for_people)
		row_bytes(rows, text, time_format_clock(longest->start, text));
	else if (longest->ns > 0)
		row_number(rows, longest->start);
	else if (rows->format->for_people)
		row_text(rows, "-");
	else
		row_null(rows);
}

static void put_more(struct top_rows *top, const struct histree_use_row *row)
{
	struct row_writer *rows = &top->rows;
	if (top->has_switches) {
		const struct switch_count count = switch_counts_of(&top->switches, row);
		row_unsigned(rows, count.voluntary);
		row_unsigned(rows, count.involuntary);
	}
	if (top->has_longest) {
		put_longest(rows, &row->longest_wait);
		put_longest(rows, &row->longest_block);
	}
}

void top_rows_put(struct top_rows *top, const struct histree_use_row *row)
{
	struct row_writer *rows = &top->rows;
	if (has_hosts(top, rows->format))
		row_text(rows, top->hosts != NULL ? top->hosts[row->host].name : top->host);
	for (enum histree_use_key key = 0; key < HISTREE_USE_KEY_COUNT; key++) {
		if (has(top, key))
			put_key(rows, key, &row->keys[key]);
		if (key == HISTREE_USE_BY_THREAD && names_threads(top))
			row_text(rows, row->name);
	}
	if (has(top, HISTREE_USE_BY_HAD_BY))
		row_text(rows, row->had_by_name);
	put_times(top, row);
	put_more(top, row);
	row_end(rows);
}
