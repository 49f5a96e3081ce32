// SPDX-License-Identifier: MIT
/*
 * compare_rows.c - the rows of a comparison of A and B: states, and groups of segments.
 */
#include "cli/compare_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHARE_WIDTH = 10 };

#define NUMBER(text, columns)                                        \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}

static const struct row_column states_for_people[] = {
	{ .name = "what", .width = 16 }, { .name = "state", .width = 32 },  NUMBER("A", SHARE_WIDTH),
	NUMBER("B", SHARE_WIDTH),        NUMBER("difference", SHARE_WIDTH), NUMBER("noise", SHARE_WIDTH),
	{ .name = "verdict" },
};
static const struct row_column states_for_programs[] = {
	{ .name = "what" },  { .name = "value" },   { .name = "label" },   { .name = "a_ns" },
	{ .name = "b_ns" },  { .name = "a_share" }, { .name = "b_share" }, { .name = "difference" },
	{ .name = "noise" }, { .name = "verdict" },
};
static const struct row_column segments_for_people[] = {
	{ .name = "value", .width = 20 },
	NUMBER("A", 8),
	NUMBER("B", 8),
	NUMBER("A p50", 10),
	NUMBER("B p50", 10),
	NUMBER("A p99", 10),
	NUMBER("B p99", 10),
	NUMBER("longer", 7),
	NUMBER("noise", 7),
	NUMBER("p", 8),
	{ .name = "verdict" },
};
static const struct row_column segments_for_programs[] = {
	{ .name = "value" },   { .name = "a_count" }, { .name = "b_count" }, { .name = "unit" },
	{ .name = "a_mean" },  { .name = "b_mean" },  { .name = "a_p50" },   { .name = "b_p50" },
	{ .name = "a_p90" },   { .name = "b_p90" },   { .name = "a_p99" },   { .name = "b_p99" },
	{ .name = "a_max" },   { .name = "b_max" },   { .name = "a_total" }, { .name = "b_total" },
	{ .name = "longer" },  { .name = "noise" },   { .name = "p" },       { .name = "distance" },
	{ .name = "verdict" },
};

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

static void begin(struct row_writer *rows, const struct row_format *format, struct output *output,
		  const struct row_column *columns, size_t count)
{
	row_writer_begin(rows, format, output, columns, count);
	if (!format->for_people)
		return;
	for (size_t i = 0; i < count; i++)
		row_text(rows, columns[i].name);
	row_end(rows);
}

/* People have few digits, programs all. */
static void put_real(struct row_writer *rows, double number, const char *printed)
{
	char text[64];
	if (!rows->format->for_people) {
		row_real(rows, number);
		return;
	}
	snprintf(text, sizeof(text), printed, number);
	/* What is rounded to zero has no sign. */
	const bool is_signed = text[0] == '+' || text[0] == '-';
	row_text(rows, is_signed && strspn(text + 1, "0.") == strlen(text + 1) ? text + 1 : text);
}

/* ---- states -------------------------------------------------------------------------------------- */

static void put_state(struct row_writer *rows, const struct histree_state_difference *state)
{
	double difference = state->b_share - state->a_share;
	bool for_people = rows->format->for_people;
	row_text(rows, state->kind);
	if (for_people && state->label != NULL)
		row_text(rows, state->label);
	else if (for_people && state->value.type == HISTREE_UNKNOWN)
		row_text(rows, "(unknown)");
	else
		row_value(rows, &state->value);
	if (!for_people) {
		if (state->label != NULL)
			row_text(rows, state->label);
		else
			row_null(rows);
		row_unsigned(rows, state->a_ns);
		row_unsigned(rows, state->b_ns);
	}
	put_real(rows, state->a_share, "%.4f");
	put_real(rows, state->b_share, "%.4f");
	put_real(rows, difference, "%+.4f");
	put_real(rows, state->noise, "%.4f");
	row_text(rows, fabs(difference) <= state->noise ? "noise" : difference > 0 ? "more" : "less");
	row_end(rows);
}

void compare_rows_states(struct output *output, const struct row_format *format,
			 const struct histree_state_comparison *comparison, uint64_t top)
{
	struct row_writer rows;
	const struct histree_state_difference *state;
	if (format->for_people) {
		output_text(output, "How many were in each state, on average:\n");
		begin(&rows, format, output, COLUMNS(states_for_people));
	} else
		begin(&rows, format, output, COLUMNS(states_for_programs));
	for (size_t i = 0; (state = histree_state_comparison_state(comparison, i)) != NULL && (top == 0 || i < top);
	     i++)
		put_state(&rows, state);
	row_writer_finish(&rows);
}

/* ---- segments ------------------------------------------------------------------------------------ */

static const char *word_of(enum histree_difference verdict)
{
	switch (verdict) {
	case HISTREE_DIFFERENCE_NONE:
		return "noise";
	case HISTREE_DIFFERENCE_LONGER:
		return "longer";
	case HISTREE_DIFFERENCE_SHORTER:
		return "shorter";
	case HISTREE_DIFFERENCE_UNSURE:
		break;
	}
	return "too few";
}

/* Without segments there is no duration. */
static void put_duration(struct row_writer *rows, const struct histree_segment_group *group, uint64_t ns)
{
	if (group->count > 0)
		row_duration(rows, ns);
	else if (rows->format->for_people)
		row_text(rows, "-");
	else
		row_null(rows);
}

static void put_facts_for_programs(struct row_writer *rows, const struct histree_segment_group *a,
				   const struct histree_segment_group *b)
{
	static const enum histree_percentile percentiles[] = { HISTREE_P50, HISTREE_P90, HISTREE_P99 };
	row_text(rows, "ns");
	row_real(rows, a->mean);
	row_real(rows, b->mean);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		put_duration(rows, a, a->percentiles[percentiles[i]]);
		put_duration(rows, b, b->percentiles[percentiles[i]]);
	}
	put_duration(rows, a, a->max);
	put_duration(rows, b, b->max);
	row_unsigned(rows, a->total);
	row_unsigned(rows, b->total);
}

/* The cells after the value. */
static void put_difference(struct row_writer *rows, const struct histree_segment_difference *difference)
{
	const struct histree_segment_group *a = &difference->a, *b = &difference->b;
	row_unsigned(rows, a->count);
	row_unsigned(rows, b->count);
	if (rows->format->for_people) {
		put_duration(rows, a, a->percentiles[HISTREE_P50]);
		put_duration(rows, b, b->percentiles[HISTREE_P50]);
		put_duration(rows, a, a->percentiles[HISTREE_P99]);
		put_duration(rows, b, b->percentiles[HISTREE_P99]);
	} else {
		put_facts_for_programs(rows, a, b);
	}
	put_real(rows, difference->longer, "%.3f");
	put_real(rows, difference->noise, "%.3f");
	put_real(rows, difference->p, "%.1e");
	if (!rows->format->for_people)
		row_real(rows, difference->distance);
	row_text(rows, word_of(difference->verdict));
	row_end(rows);
}

void compare_rows_segments(struct output *output, const struct row_format *format,
			   const struct histree_segment_comparison *comparison, uint64_t top)
{
	struct row_writer rows;
	const struct histree_segment_difference *group;
	if (format->for_people) {
		output_text(output, "How many there were, and how long they lasted:\n");
		begin(&rows, format, output, COLUMNS(segments_for_people));
	} else
		begin(&rows, format, output, COLUMNS(segments_for_programs));
	for (size_t i = 0;
	     (group = histree_segment_comparison_group(comparison, i)) != NULL && (top == 0 || i < top); i++) {
		if (format->for_people && group->a.value.type == HISTREE_NULL)
			row_text(&rows, "(unknown)");
		else
			row_value(&rows, &group->a.value);
		put_difference(&rows, group);
	}
	if (format->for_people) {
		row_text(&rows, "(all)");
		put_difference(&rows, histree_segment_comparison_all(comparison));
	}
	row_writer_finish(&rows);
}
