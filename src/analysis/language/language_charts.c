// SPDX-License-Identifier: MIT
/*
 * language_charts.c - which states belong into one picture, as histree/charts.h has it:
 *
 *	chart cpus "Who has each CPU" states: CPUs/<star> shows Current_thread written
 *	chart load "Switches" lines in "1/s": CPUs/<star> above Switches rate, All/Switches difference
 */
#include <string.h>

#include "analysis/language/language_parser.h"
#include "base/error.h"
#include "state/charts.h"

/* The bytes up to a blank, and up to the sign, if there is one; or a text in quotes. */
static const char *read_bare(struct language_parser *parser, char sign, const char *what)
{
	const char *text = parser->source->text;
	size_t at = language_token(parser)->at, end = at;
	enum language_token_kind kind = language_token(parser)->kind;
	if (kind == LANGUAGE_TEXT) {
		const char *quoted = language_token(parser)->text;
		language_next(parser);
		return quoted;
	}
	if (kind == LANGUAGE_LINE || kind == LANGUAGE_END || kind == LANGUAGE_INDENT || kind == LANGUAGE_OUTDENT)
		return language_expected(parser, what);
	while (strchr(" \t\r\n#", text[end]) == NULL && text[end] != sign)
		end++;
	if (end == at)
		return language_expected(parser, what);
	char *copy = arena_copy(&parser->tree->arena, text + at, end - at);
	if (copy == NULL)
		return language_fail(parser, at, "out of memory");
	language_go_on(parser, end);
	return copy;
}

static bool read_factor(struct language_parser *parser, struct histree_chart_entry *entry)
{
	bool is_less = language_take_sign(parser, "-");
	const struct language_token token = *language_token(parser);
	if (token.kind != LANGUAGE_NUMBER) {
		language_expected(parser, "the number that the line is multiplied by");
		return false;
	}
	double factor = token.value.type == HISTREE_DOUBLE ? token.value.real : (double)token.value.int64;
	if (factor == 0)
		language_fail(parser, token.at, "a line times 0 is no line");
	entry->factor = is_less ? -factor : factor;
	language_next(parser);
	return parser->status == HISTREE_OK;
}

static bool read_label(struct language_parser *parser, struct histree_chart_entry *entry)
{
	const struct language_token token = *language_token(parser);
	if (token.kind != LANGUAGE_TEXT) {
		language_expected(parser, "what the row is called, in quotes");
		return false;
	}
	entry->label = token.text;
	language_next(parser);
	return true;
}

/* Returns false if the next word is none of a row, or is not what it has to be. */
static bool read_option(struct language_parser *parser, struct histree_chart_entry *entry, bool is_lines)
{
	const char *reference = "an attribute: '.' for itself, 'Status' below it, '/CPUs/0' from the top";
	if (language_take_word(parser, "shows"))
		return (entry->shown = read_bare(parser, ',', reference)) != NULL;
	if (language_take_word(parser, "named"))
		return (entry->name = read_bare(parser, ',', reference)) != NULL;
	if (language_take_word(parser, "as"))
		return read_label(parser, entry);
	if (is_lines && language_take_word(parser, "times"))
		return read_factor(parser, entry);
	if (is_lines && language_take_word(parser, "rate"))
		entry->measure = HISTREE_CHART_RATE;
	else if (is_lines && language_take_word(parser, "difference"))
		entry->measure = HISTREE_CHART_DIFFERENCE;
	else if (!is_lines && language_take_word(parser, "written"))
		entry->shows_text = true;
	else
		return false;
	return true;
}

/* "pattern options above pattern options ...": each stands below the one before. */
static void read_row(struct language_parser *parser, struct language_chart *chart)
{
	bool is_lines = chart->chart.kind == HISTREE_CHART_LINES, goes_on = true;
	for (uint32_t parent = HISTREE_CHART_TOP; goes_on && parser->status == HISTREE_OK;
	     parent = chart->count++) {
		if (chart->count == HISTREE_CHART_ENTRIES_MAX) {
			language_fail(parser, language_token(parser)->at, "a chart has at most %d rows",
				      HISTREE_CHART_ENTRIES_MAX);
			return;
		}
		struct histree_chart_entry *entry = &chart->entries[chart->count];
		*entry = (struct histree_chart_entry){ .parent = parent };
		entry->path = read_bare(parser, ',', "a pattern of attributes, as in 'CPUs/*'");
		while (entry->path != NULL && read_option(parser, entry, is_lines))
			;
		goes_on = language_take_word(parser, "above");
		if (!goes_on && entry->shown == NULL)
			entry->shown = ".";
	}
}

/* What kind it is, and its unit. */
static void read_kind(struct language_parser *parser, struct histree_chart *chart)
{
	if (language_take_word(parser, "lines"))
		chart->kind = HISTREE_CHART_LINES;
	else if (language_take_word(parser, "states"))
		chart->kind = HISTREE_CHART_STATES;
	else
		language_expected(parser, "'lines' or 'states'");
	if (chart->kind != HISTREE_CHART_LINES || !language_take_word(parser, "in"))
		return;
	if (language_token(parser)->kind != LANGUAGE_TEXT)
		language_expected(parser, "a unit in quotes, as \"B/s\"");
	chart->unit = language_token(parser)->text;
	language_next(parser);
}

static void check(struct language_parser *parser, const struct language_chart *made, size_t at)
{
	struct histree_error why = { 0 };
	if (parser->status == HISTREE_OK && charts_check(&made->chart, 1, &why) != HISTREE_OK)
		language_fail(parser, at, "%s", why.message);
	size_t count = 1;
	for (const struct language_chart *other = parser->tree->charts; other != NULL; other = other->next, count++)
		if (parser->status == HISTREE_OK && strcmp(other->chart.name, made->chart.name) == 0)
			language_fail(parser, at, "there is a chart '%.60s' already", made->chart.name);
	if (count > HISTREE_CHARTS_MAX)
		language_fail(parser, at, "an analysis has at most %d charts", HISTREE_CHARTS_MAX);
}

void language_read_chart(struct language_parser *parser)
{
	size_t at = language_token(parser)->at;
	struct language_chart *made = language_allocate(parser, sizeof(*made));
	const char *name = read_bare(parser, ':', "the name of the chart");
	if (made == NULL || name == NULL)
		return;
	made->chart = (struct histree_chart){ .name = name, .title = name, .unit = "", .entries = made->entries };
	if (language_token(parser)->kind == LANGUAGE_TEXT) {
		made->chart.title = language_token(parser)->text;
		language_next(parser);
	}
	read_kind(parser, &made->chart);
	language_need_sign(parser, ":", "before the rows of the chart");
	do
		read_row(parser, made);
	while (parser->status == HISTREE_OK && language_take_sign(parser, ","));
	made->chart.entry_count = made->count;
	check(parser, made, at);
	if (parser->status != HISTREE_OK)
		return;
	struct language_chart **last = &parser->tree->charts;
	while (*last != NULL)
		last = &(*last)->next;
	*last = made;
}
