// SPDX-License-Identifier: MIT
/*
 * language.c - a file in the language of histree (histree-analysis(5)) becomes a program: its name, what it needs,
 * its labels, charts and statements.
 *
 * A file of our own language becomes a program: labels, charts, and what has to be checked.
 *
 * What values of attributes mean, as histree/attributes.h has it:
 *
 * 	label CPUs/<star>/Status: 0 "idle" 0xcccccc, 1 to 9 "busy", others "odd"
 *
 * Which states belong into one picture, as histree/attributes.h has it:
 *
 * 	chart cpus "Who has each CPU" states: CPUs/<star> shows Current_thread written
 * 	chart load "Switches" lines in "1/s": CPUs/<star> above Switches rate, All/Switches difference
 *
 * What only the whole of an analysis shows.
 *
 * From the tree to the program that program_run.h runs.
 *
 * Reads an analysis in the language of histree (histree-analysis(5)): its name, what it needs, its
 * statements, labels and charts.
 */
#include "analysis/language/language.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/language/language_parser.h"
#include "analysis/language/language_tree.h"
#include "analysis/program/program_analysis.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/nearest.h"
#include "state/charts.h"
#include "state/labels.h"

/* ---- language labels ----------------------------------------------------------------------------------------- */

/* The bytes up to a colon that a blank or the end of the line follows. */
static const char *read_pattern(struct language_parser *parser)
{
	const char *text = parser->source->text;
	size_t at = language_token(parser)->at, end = at;
	if (language_token(parser)->kind == LANGUAGE_TEXT) {
		const char *pattern = language_token(parser)->text;
		language_next(parser);
		return pattern;
	}
	while (strchr(" \t\r\n#", text[end]) == NULL &&
	       (text[end] != ':' || (text[end + 1] != '\0' && strchr(" \t\r\n#", text[end + 1]) == NULL)))
		end++;
	if (end == at)
		return language_expected(parser, "a pattern of attributes, as in 'CPUs/*'");
	char *pattern = arena_copy(&parser->tree->arena, text + at, end - at);
	if (pattern == NULL)
		return language_fail(parser, at, "out of memory");
	language_go_on(parser, end);
	return pattern;
}

static bool read_whole(struct language_parser *parser, int64_t *number)
{
	bool is_less = language_take_sign(parser, "-");
	const struct language_token token = *language_token(parser);
	if (token.kind != LANGUAGE_NUMBER || token.value.type != HISTREE_LONG) {
		language_expected(parser, "an integer, a text in quotes, or 'others'");
		return false;
	}
	*number = is_less ? -token.value.int64 : token.value.int64;
	language_next(parser);
	return true;
}

/* Which values the label is for. */
static bool read_values(struct language_parser *parser, struct histree_label *label)
{
	const struct language_token token = *language_token(parser);
	if (language_take_word(parser, "others")) {
		label->kind = HISTREE_LABEL_OTHERS;
		return true;
	}
	if (token.kind == LANGUAGE_TEXT) {
		label->kind = HISTREE_LABEL_TEXT;
		label->text = token.text;
		language_next(parser);
		return true;
	}
	label->kind = HISTREE_LABEL_NUMBERS;
	if (!read_whole(parser, &label->first))
		return false;
	label->last = label->first;
	size_t at = language_token(parser)->at;
	if (!language_take_word(parser, "to"))
		return true;
	if (!read_whole(parser, &label->last))
		return false;
	if (label->last < label->first)
		language_fail(parser, at, "the range ends before it begins");
	return parser->status == HISTREE_OK;
}

static bool language_labels_read_label(struct language_parser *parser, struct histree_label *label)
{
	*label = (struct histree_label){ .is_code = true, .has_no_colour = true };
	if (!read_values(parser, label))
		return false;
	const struct language_token name = *language_token(parser);
	if (name.kind != LANGUAGE_TEXT || name.size - 2 > HISTREE_LABEL_TEXT_MAX || name.text[0] == '\0') {
		language_expected(parser, "what the value means, in quotes");
		return false;
	}
	language_next(parser);
	label->style = (struct histree_style){ .key = name.text, .name = name.text, .height = 1 };
	const struct language_token colour = *language_token(parser);
	if (colour.kind != LANGUAGE_NUMBER)
		return true;
	if (colour.value.type != HISTREE_LONG || colour.value.int64 < 0 || colour.value.int64 > 0xffffff) {
		language_expected(parser, "a colour as 0xff8800");
		return false;
	}
	label->has_no_colour = false;
	label->style.light = label->style.dark = (uint32_t)colour.value.int64;
	language_next(parser);
	return true;
}

static bool overlap(const struct histree_label *a, const struct histree_label *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == HISTREE_LABEL_TEXT)
		return strcmp(a->text, b->text) == 0;
	return a->kind == HISTREE_LABEL_OTHERS || b->first <= a->last;
}

static void read_label_line(struct language_parser *parser)
{
	struct histree_label *labels = NULL;
	size_t count = 0, at = language_token(parser)->at;
	struct language_label *table = language_allocate(parser, sizeof(*table));
	const char *pattern = read_pattern(parser);
	language_need_sign(parser, ":", "after the pattern");
	if (table == NULL || pattern == NULL || parser->status != HISTREE_OK)
		return;
	if (strlen(pattern) > HISTREE_LABEL_TEXT_MAX || strstr(pattern, "..") != NULL) {
		language_fail(parser, at, "a pattern has at most %d bytes and no '..'", HISTREE_LABEL_TEXT_MAX);
		return;
	}
	labels = calloc(LANGUAGE_LABELS_MAX, sizeof(*labels));
	if (labels == NULL) {
		language_fail(parser, at, "out of memory");
		return;
	}
	do {
		if (count + parser->tree->label_count == LANGUAGE_LABELS_MAX) {
			language_fail(parser, at, "an analysis has at most %d labels", LANGUAGE_LABELS_MAX);
			break;
		}
		if (!language_labels_read_label(parser, &labels[count]))
			break;
		count++;
	} while (language_take_sign(parser, ","));
	qsort(labels, count, sizeof(*labels), label_order);
	for (size_t i = 1; i < count; i++)
		if (overlap(&labels[i - 1], &labels[i]))
			language_fail(parser, at, "two labels, \"%.40s\" and \"%.40s\", are for one value",
				      labels[i - 1].style.name, labels[i].style.name);
	struct histree_label *kept = language_allocate(parser, (count + 1) * sizeof(*kept));
	if (kept != NULL) {
		memcpy(kept, labels, count * sizeof(*kept));
		*table = (struct language_label){ .at = at, .pattern = pattern, .labels = kept, .count = count };
		struct language_label **last = &parser->tree->labels;
		while (*last != NULL)
			last = &(*last)->next;
		*last = table;
		parser->tree->label_count += count;
	}
	free(labels);
}

/* ---- language charts ----------------------------------------------------------------------------------------- */

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

static bool language_charts_read_label(struct language_parser *parser, struct histree_chart_entry *entry)
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

/* Returns false if the next word is not an option of a row, or has a wrong value. */
static bool read_option(struct language_parser *parser, struct histree_chart_entry *entry, bool is_lines)
{
	const char *reference = "an attribute: '.' for itself, 'Status' below it, '/CPUs/0' from the top";
	if (language_take_word(parser, "shows"))
		return (entry->shown = read_bare(parser, ',', reference)) != NULL;
	if (language_take_word(parser, "named"))
		return (entry->name = read_bare(parser, ',', reference)) != NULL;
	if (language_take_word(parser, "as"))
		return language_charts_read_label(parser, entry);
	if (is_lines && language_take_word(parser, "times")) {
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

static void read_chart_line(struct language_parser *parser)
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
	struct histree_error why = { 0 };
	if (parser->status == HISTREE_OK && charts_check(&made->chart, 1, &why) != HISTREE_OK)
		language_fail(parser, at, "%s", why.message);
	size_t count = 1;
	for (const struct language_chart *other = parser->tree->charts; other != NULL; other = other->next, count++)
		if (parser->status == HISTREE_OK && strcmp(other->chart.name, made->chart.name) == 0)
			language_fail(parser, at, "there is a chart '%.60s' already", made->chart.name);
	if (count > HISTREE_CHARTS_MAX)
		language_fail(parser, at, "an analysis has at most %d charts", HISTREE_CHARTS_MAX);
	if (parser->status != HISTREE_OK)
		return;
	struct language_chart **last = &parser->tree->charts;
	while (*last != NULL)
		last = &(*last)->next;
	*last = made;
}

/* ---- the lines of a file -------------------------------------------------------------------------------- */

static bool is_name_of_analysis(const char *name)
{
	size_t size = 0;
	for (; name[size] != '\0'; size++)
		if (!language_is_of_word(name[size]) && (size == 0 || strchr(".-", name[size]) == NULL))
			return false;
	return size > 0 && size <= LANGUAGE_NAME_MAX;
}

/* The bytes up to a blank. */
static const char *read_bare_name(struct language_parser *parser)
{
	size_t at = language_token(parser)->at, end = at;
	while (strchr(" \t\r\n#", parser->source->text[end]) == NULL)
		end++;
	char *name = arena_copy(&parser->tree->arena, parser->source->text + at, end - at);
	if (name == NULL)
		parser->status = error_memory(parser->error, "an analysis");
	else
		language_go_on(parser, end);
	return name;
}

/* "analysis" was read. */
static void read_header(struct language_parser *parser, size_t at)
{
	struct language_tree *tree = parser->tree;
	if (tree->name != NULL) {
		language_fail(parser, at,
			      "this file is the analysis '%.60s' already; put another one into a file "
			      "of its own",
			      tree->name);
		return;
	}
	if (tree->handlers != NULL || tree->lets != NULL || tree->labels != NULL || tree->charts != NULL) {
		language_fail(parser, at, "the line of the analysis is the first one of its file");
		return;
	}
	size_t name_at = language_token(parser)->at;
	if (language_token(parser)->kind == LANGUAGE_LINE || language_token(parser)->kind == LANGUAGE_END) {
		language_expected(parser, "the name of the analysis");
		return;
	}
	tree->name = read_bare_name(parser);
	if (tree->name != NULL && !is_name_of_analysis(tree->name))
		language_fail(parser, name_at,
			      "'%.60s' is no name of an analysis: it has letters, digits, '.', '_' and '-', "
			      "at most %d",
			      tree->name, LANGUAGE_NAME_MAX);
	if (language_token(parser)->kind == LANGUAGE_TEXT) {
		tree->summary = language_token(parser)->text;
		if (strpbrk(tree->summary, "\t\n\r") != NULL)
			language_fail(parser, language_token(parser)->at, "a summary is one line");
		language_next(parser);
	}
	if (!language_take_word(parser, "for"))
		return;
	const struct language_token *token = language_token(parser);
	if (!language_is_word(token, "kernel") && !language_is_word(token, "ust")) {
		language_expected(parser, "'kernel' or 'ust', of whose traces the analysis is");
		return;
	}
	tree->domain = token->text;
	language_next(parser);
}

/* "let" was read. */
static void read_let(struct language_parser *parser)
{
	static const char *const reserved[] = { "event", "time", "cpu", "host", "null", "true", "false" };
	const struct language_token name = *language_token(parser);
	if (name.kind != LANGUAGE_WORD || strpbrk(name.text, ".[") != NULL) {
		language_expected(parser, "a name");
		return;
	}
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(name.text, reserved[i]) == 0)
			language_fail(parser, name.at, "'%s' has a meaning already; take another name", name.text);
	for (const struct language_let *let = parser->tree->lets; let != NULL; let = let->next)
		if (strcmp(let->name, name.text) == 0)
			language_fail(parser, name.at, "there is a '%.60s' already", name.text);
	struct language_let *let = language_allocate(parser, sizeof(*let));
	language_next(parser);
	language_need_sign(parser, "=", "after the name");
	struct language_expression *value = language_read_expression(parser);
	if (let == NULL || value == NULL)
		return;
	*let = (struct language_let){ .name = name.text, .value = value, .next = parser->tree->lets };
	parser->tree->lets = let;
}

static bool is_of_event(char c)
{
	return language_is_of_word(c) || (c != '\0' && strchr("*.-@/+$?[]<>~!&%^:", c) != NULL) ||
	       ((unsigned char)c & 0x80) != 0;
}

/* One pattern of names, which does not contain a colon with a blank after it.  Returns its end. */
static size_t read_event(struct language_parser *parser, size_t at, struct language_token *event)
{
	const char *text = parser->source->text;
	size_t end = at;
	if (text[at] == '"' || text[at] == '\'') {
		language_lexer_text(&parser->lexer, at, event);
		if (event->kind == LANGUAGE_NONE)
			language_fail(parser, at, "expected the name of an event, not %s", event->text);
		return at + event->size;
	}
	while (is_of_event(text[end]) &&
	       (text[end] != ':' || (text[end + 1] != '\0' && strchr(" \t\r\n#", text[end + 1]) == NULL)))
		end++;
	*event = (struct language_token){ .at = at, .size = end - at, .text = "" };
	event->text = arena_copy(&parser->tree->arena, text + at, end - at);
	return end;
}

/* "sched_switch, irq_*", as program_on() has them. */
static const char *read_events(struct language_parser *parser)
{
	char joined[4096] = "";
	size_t length = 0, at = language_token(parser)->at;
	while (parser->status == HISTREE_OK) {
		struct language_token event = { .text = "" };
		size_t end = read_event(parser, at, &event);
		if (parser->status != HISTREE_OK)
			return NULL;
		if (end == at || event.text == NULL || event.text[0] == '\0')
			return language_fail(parser, at, "expected the name of an event, or a pattern as 'irq_*'");
		if (strchr(event.text, '|') != NULL)
			return language_fail(parser, at, "names of events have no '|'; put ',' between them");
		if (length + strlen(event.text) + 2 > sizeof(joined))
			return language_fail(parser, at, "too many events; a pattern as 'irq_*' is for several");
		length += (size_t)sprintf(joined + length, "%s%s", length == 0 ? "" : "|", event.text);
		language_go_on(parser, end);
		if (!language_take_sign(parser, ","))
			break;
		at = language_token(parser)->at;
	}
	return arena_copy(&parser->tree->arena, joined, length);
}

/* "on" was read. */
static void read_handler(struct language_parser *parser, struct language_handler ***last)
{
	struct language_handler *handler = language_allocate(parser, sizeof(*handler));
	const char *events = read_events(parser);
	if (handler == NULL || events == NULL)
		return;
	handler->events = events;
	if (language_take_word(parser, "when"))
		handler->condition = language_read_condition(parser);
	else if (!language_is_sign(language_token(parser), ":"))
		language_expected(parser, "':', 'when' or ',' after the event");
	handler->statements = language_read_block(parser);
	**last = handler;
	*last = &handler->next;
}

/* Make a tree of a text that language_source_check() passed.  The tree is zeroed before; the caller releases it. */
static enum histree_status parse_lines(const struct language_source *source, struct language_tree *tree,
				       struct histree_error *error)
{
	struct language_parser parser = { .source = source, .tree = tree, .error = error };
	struct language_handler **last = &tree->handlers;
	struct language_lexer *lexer = &parser.lexer;
	*lexer = (struct language_lexer){
		.source = source, .arena = &tree->arena, .indent_count = 1, .at_line_start = true
	};
	language_next(&parser);
	while (parser.status == HISTREE_OK && language_token(&parser)->kind != LANGUAGE_END) {
		size_t at = language_token(&parser)->at;
		if (language_take_word(&parser, "on")) {
			read_handler(&parser, &last);
			continue;
		}
		if (language_take_word(&parser, "analysis"))
			read_header(&parser, at);
		else if (language_take_word(&parser, "let"))
			read_let(&parser);
		else if (language_take_word(&parser, "label"))
			read_label_line(&parser);
		else if (language_take_word(&parser, "chart"))
			read_chart_line(&parser);
		else
			language_expected(&parser,
					  "'on', 'let', 'label', 'chart' or 'analysis' at the beginning of a line");
		if (language_token(&parser)->kind == LANGUAGE_LINE)
			language_next(&parser);
		else if (language_token(&parser)->kind != LANGUAGE_END)
			language_expected(&parser, "the end of the line");
	}
	if (parser.status == HISTREE_OK && tree->handlers == NULL)
		language_fail(&parser, source->size,
			      "the analysis does nothing; expected a line as "
			      "'on sched_switch: CPUs/{cpu}/Current_thread = next_tid'");
	return parser.status;
}

/* ---- language checks ----------------------------------------------------------------------------------------- */

struct checks {
	const struct language_source *source;
	struct language_tree *tree;
	enum histree_status status;
	struct histree_error *error;
};

static bool is_constant(const struct language_component *component)
{
	return component->name->kind == LANGUAGE_CONSTANT && component->name->type == LANGUAGE_STRING;
}

/* Whether an attribute of one path may be one of the other.  A deleted one changes what is below it. */
static bool may_meet(const struct language_path *set, const struct language_path *looked_at)
{
	const struct language_component *a = set->components, *b = looked_at->components;
	while (a != NULL && b != NULL &&
	       (!is_constant(a) || !is_constant(b) ||
		strcmp(a->name->constant.bytes, b->name->constant.bytes) == 0)) {
		a = a->next;
		b = b->next;
	}
	/* The elements of a stack are attributes below it. */
	return a == NULL && (b == NULL || set->is_stack || set->is_deleted);
}

static bool is_set_somewhere(const struct checks *checks, const struct language_path *path)
{
	for (const struct language_path *set = checks->tree->paths; set != NULL; set = set->next)
		if (set->is_set && may_meet(set, path))
			return true;
	return false;
}

/* A state that is never set is a slip of the pen, and would be null for ever. */
static void check_look(struct checks *checks, const struct language_path *path)
{
	char text[200], other[200], nearest_text[200] = "";
	if (is_set_somewhere(checks, path))
		return;
	snprintf(text, sizeof(text), "%.*s", (int)path->size, checks->source->text + path->at);
	for (const struct language_path *set = checks->tree->paths; set != NULL; set = set->next) {
		snprintf(other, sizeof(other), "%.*s", (int)set->size, checks->source->text + set->at);
		struct nearest nearest = nearest_begin(text);
		nearest_offer(&nearest, other);
		if (set->is_set && nearest.word != NULL)
			memcpy(nearest_text, other, sizeof(other));
	}
	checks->status =
		language_refuse(checks->source, path->at, checks->error, "no line sets the state '%.60s'%s%.60s%s",
				text, nearest_text[0] != '\0' ? "; the nearest is '" : "", nearest_text,
				nearest_text[0] != '\0' ? "'" : "");
}

static void check_span(struct checks *checks, const struct language_span *span)
{
	if (!span->has_end)
		checks->status = language_refuse(
			checks->source, span->has_begin ? span->begin_at : span->step_at, checks->error,
			"the span '%.60s' begins and never ends; expected 'end %.60s(...)' "
			"in some line",
			span->name, span->name);
	else if (!span->has_begin)
		checks->status =
			language_refuse(checks->source, span->end_at, checks->error,
					"the span '%.60s' ends and never begins; expected 'begin %.60s(...)' "
					"in some line",
					span->name, span->name);
}

/* Two paths that are written alike are the same attributes. */
static bool is_written_alike(const struct checks *checks, const struct language_path *a,
			     const struct language_path *b)
{
	const char *text = checks->source->text;
	return a->size == b->size && memcmp(text + a->at, text + b->at, a->size) == 0;
}

static void check_type(struct checks *checks, const struct language_path *path)
{
	if (path->type <= LANGUAGE_NULL)
		return;
	for (const struct language_path *other = path->next; other != NULL; other = other->next) {
		if (!other->is_set || other->type <= LANGUAGE_NULL || other->type == path->type ||
		    !is_written_alike(checks, path, other))
			continue;
		checks->status =
			language_refuse(checks->source, path->at, checks->error,
					"this attribute is %s here, and %s in line %zu; an attribute has one type",
					language_type_text(path->type), language_type_text(other->type),
					language_place_of(checks->source, other->at).line);
		return;
	}
}

/* Changes say of what type their attributes are. */
static void note_types(struct language_statement *statement)
{
	for (; statement != NULL; statement = statement->next) {
		struct language_path *path = statement->path;
		switch (statement->kind) {
		case LANGUAGE_SET:
		case LANGUAGE_WAS:
			path->type = statement->value->type;
			break;
		case LANGUAGE_ADD:
			/* Null counts as 0, and what is added says of which type. */
			path->type = statement->value->type;
			break;
		case LANGUAGE_PUSH:
		case LANGUAGE_POP:
		case LANGUAGE_POP_ALL:
			path->is_stack = true;
			break;
		case LANGUAGE_IF:
			note_types(statement->then);
			note_types(statement->otherwise);
			break;
		default:
			break;
		}
	}
}

static void check_stack(struct checks *checks, const struct language_path *path)
{
	if (!path->is_stack)
		return;
	for (const struct language_path *other = checks->tree->paths; other != NULL; other = other->next) {
		if (other->is_set && !other->is_stack && !other->is_deleted &&
		    is_written_alike(checks, path, other)) {
			checks->status = language_refuse(checks->source, other->at, checks->error,
							 "this attribute is a stack in line %zu; its own state is "
							 "its depth",
							 language_place_of(checks->source, path->at).line);
			return;
		}
	}
}

/* Checks what only the whole tree shows: types of attributes, spans without an end, states that are never set. */
static enum histree_status check_all(const struct language_source *source, struct language_tree *tree,
				     struct histree_error *error)
{
	struct checks checks = { .source = source, .tree = tree, .error = error };
	for (struct language_handler *handler = tree->handlers; handler != NULL; handler = handler->next)
		note_types(handler->statements);
	for (const struct language_span *span = tree->spans; span != NULL && checks.status == HISTREE_OK;
	     span = span->next)
		check_span(&checks, span);
	for (const struct language_path *path = tree->paths; path != NULL && checks.status == HISTREE_OK;
	     path = path->next) {
		if (!path->is_set)
			check_look(&checks, path);
		else
			check_stack(&checks, path);
		if (path->is_set && checks.status == HISTREE_OK)
			check_type(&checks, path);
	}
	return checks.status;
}

/* ---- language compile ---------------------------------------------------------------------------------------- */

static program_value compile_value(struct program_builder *make, struct language_expression *expression);

static program_path compile_path(struct program_builder *make, struct language_path *path)
{
	if (path->path != PROGRAM_NOTHING)
		return path->path;
	program_path made = program_path_create(make, PROGRAM_ROOT);
	for (struct language_component *part = path->components; part != NULL; part = part->next)
		program_path_add(make, made, compile_value(make, part->name));
	return path->path = made;
}

static program_value compile_operand(struct program_builder *make, struct language_expression *operand)
{
	return operand == NULL ? PROGRAM_NOTHING : compile_value(make, operand);
}

static program_value make_value(struct program_builder *make, struct language_expression *expression)
{
	struct language_expression *const *operands = expression->operands;
	switch (expression->kind) {
	case LANGUAGE_CONSTANT:
		return program_constant(make, expression->constant);
	case LANGUAGE_FIELD:
		return program_field(make, expression->field);
	case LANGUAGE_FACT:
		return program_fact(make, expression->fact);
	case LANGUAGE_LOOK:
		return program_look_up(make, expression->look, compile_path(make, expression->path), false);
	case LANGUAGE_CONVERT:
		return program_convert(make, compile_value(make, operands[0]), expression->to);
	case LANGUAGE_MAP:
		return program_map(make, compile_value(make, operands[0]), expression->pairs,
				   expression->pair_count);
	case LANGUAGE_PRESENT:
		return program_operation(make, PROGRAM_NOT_EQUAL, compile_value(make, operands[0]),
					 program_constant(make, histree_null()), PROGRAM_NOTHING);
	case LANGUAGE_OPERATION:
		break;
	}
	program_value first = compile_operand(make, operands[0]), second = compile_operand(make, operands[1]);
	return program_operation(make, expression->operator, first, second, compile_operand(make, operands[2]));
}

/* An expression that stands in several places is one value. */
static program_value compile_value(struct program_builder *make, struct language_expression *expression)
{
	if (expression->value == PROGRAM_NOTHING)
		expression->value = make_value(make, expression);
	return expression->value;
}

/* ---- statements ----------------------------------------------------------------------------------------- */

static enum histree_type type_of_field(enum language_type type)
{
	static const enum histree_type types[LANGUAGE_TYPE_COUNT] = {
		[LANGUAGE_BOOL] = HISTREE_BOOL,     [LANGUAGE_INT] = HISTREE_INT,
		[LANGUAGE_INTEGER] = HISTREE_LONG,  [LANGUAGE_REAL] = HISTREE_DOUBLE,
		[LANGUAGE_STRING] = HISTREE_STRING,
	};
	return types[type];
}

/* Returns how many there are. */
static size_t compile_fields(struct program_builder *make, const struct language_statement *statement,
			     struct program_field_value fields[HISTREE_SEGMENT_FIELDS_MAX])
{
	size_t count = 0;
	for (struct language_assignment *field = statement->fields;
	     field != NULL && count < HISTREE_SEGMENT_FIELDS_MAX; field = field->next)
		fields[count++] = (struct program_field_value){
			.field = program_segment_field(make, field->name, type_of_field(field->type)),
			.value = compile_value(make, field->value),
		};
	return count;
}

static void compile_span(struct program_builder *make, program_block block, struct language_statement *statement)
{
	struct program_field_value fields[HISTREE_SEGMENT_FIELDS_MAX];
	program_value key[LANGUAGE_KEY_MAX];
	size_t count = compile_fields(make, statement, fields), keys = statement->span->key_count;
	if (statement->span->span == PROGRAM_NOTHING)
		statement->span->span = program_span_create(make, statement->span->name);
	for (size_t i = 0; i < keys; i++)
		key[i] = compile_value(make, statement->key[i]);
	program_value name = compile_operand(make, statement->value);
	if (statement->kind == LANGUAGE_BEGIN)
		program_add_span_begin(make, block, statement->span->span, key, keys, name, fields, count);
	else if (statement->kind == LANGUAGE_STEP)
		program_add_span_step(make, block, statement->span->span, key, keys, name, fields, count);
	else
		program_add_span_end(make, block, statement->span->span, key, keys, name, fields, count);
}

static void compile_segment(struct program_builder *make, program_block block, struct language_statement *statement)
{
	struct program_field_value fields[HISTREE_SEGMENT_FIELDS_MAX];
	size_t count = compile_fields(make, statement, fields);
	program_add_segment(make, block, compile_value(make, statement->value),
			    compile_operand(make, statement->from), compile_operand(make, statement->to), fields,
			    count);
}

static program_block compile_block(struct program_builder *make, struct language_statement *statement);

static void compile_change(struct program_builder *make, program_block block, struct language_statement *statement)
{
	static const enum program_change changes[] = {
		[LANGUAGE_SET] = PROGRAM_SET,       [LANGUAGE_WAS] = PROGRAM_REPLACE,
		[LANGUAGE_ADD] = PROGRAM_INCREMENT, [LANGUAGE_PUSH] = PROGRAM_PUSH,
		[LANGUAGE_POP] = PROGRAM_POP,       [LANGUAGE_POP_ALL] = PROGRAM_POP_ALL,
		[LANGUAGE_DELETE] = PROGRAM_DELETE,
	};
	program_add_change(make, block, changes[statement->kind], compile_path(make, statement->path),
			   compile_operand(make, statement->value), compile_operand(make, statement->time));
}

static void compile_statement(struct program_builder *make, program_block block,
			      struct language_statement *statement)
{
	switch (statement->kind) {
	case LANGUAGE_BEGIN:
	case LANGUAGE_FINISH:
	case LANGUAGE_STEP:
		compile_span(make, block, statement);
		break;
	case LANGUAGE_SEGMENT:
		compile_segment(make, block, statement);
		break;
	case LANGUAGE_IF: {
		program_block then = compile_block(make, statement->then);
		program_add_if(make, block, compile_value(make, statement->value), then,
			       compile_block(make, statement->otherwise));
		break;
	}
	default:
		compile_change(make, block, statement);
		break;
	}
}

/* PROGRAM_NOTHING for no statements. */
static program_block compile_block(struct program_builder *make, struct language_statement *statement)
{
	if (statement == NULL)
		return PROGRAM_NOTHING;
	program_block block = program_block_create(make);
	for (; statement != NULL; statement = statement->next)
		compile_statement(make, block, statement);
	return block;
}

/* Make the program of a tree that was checked. */
static enum histree_status compile_all(const struct language_source *source, struct language_tree *tree,
				       struct program **out, struct histree_error *error)
{
	*out = NULL;
	struct program_builder *make = program_builder_create();
	if (make == NULL)
		return error_memory(error, "an analysis");
	for (struct language_span *span = tree->spans; span != NULL; span = span->next)
		span->span = PROGRAM_NOTHING;
	for (struct language_handler *handler = tree->handlers; handler != NULL; handler = handler->next)
		program_on(make, handler->events, compile_operand(make, handler->condition),
			   compile_block(make, handler->statements));
	for (const struct language_chart *chart = tree->charts; chart != NULL; chart = chart->next) {
		for (uint32_t row = 0; chart->chart.kind == HISTREE_CHART_STATES && row < chart->count; row++)
			if (strcmp(chart->entries[row].path, HISTREE_CHART_STACKS) == 0) {
				/*
				 * A row of stacks in a chart: the rows above it are its levels, and the last of
				 * them is called as the thread.
				 */
				const char *levels[HISTREE_CHART_DEPTH_MAX];
				size_t count = 0, first = HISTREE_CHART_DEPTH_MAX;
				for (uint32_t above = chart->entries[row].parent;
				     above != HISTREE_CHART_TOP && first > 0;
				     above = chart->entries[above].parent, count++)
					levels[--first] = chart->entries[above].path;
				const struct program_call_whose thread = { .origin = PROGRAM_CALL_NAME,
									   .level = (uint32_t)count - 1 };
				const struct program_call_whose host = { .origin = PROGRAM_CALL_UNSAID };
				if (count > 0)
					program_call_group(make, levels + first, count, &thread, &host);
			}
	}
	enum histree_status status = program_finish(make, out, error);
	if (status != HISTREE_OK)
		error_prefix(error, "%.200s", source->path);
	return status;
}

/* ---- language ------------------------------------------------------------------------------------------------ */

enum { EXPECTED_MAX = 200 }; /* names of events, and of fields, that a trace is held against */

/* Each table has one pattern, and a NULL behind it. */
static struct histree_label_table *tables_of(struct language_tree *tree, size_t *count)
{
	struct histree_label_table *tables;
	const char **patterns;
	*count = 0;
	for (const struct language_label *label = tree->labels; label != NULL; label = label->next)
		++*count;
	tables = arena_allocate(&tree->arena, (*count + 1) * sizeof(*tables), _Alignof(struct histree_label_table));
	patterns = arena_allocate(&tree->arena, 2 * (*count + 1) * sizeof(*patterns), _Alignof(const char *));
	if (tables == NULL || patterns == NULL)
		return NULL;
	struct histree_label_table *table = tables;
	for (const struct language_label *label = tree->labels; label != NULL; label = label->next, patterns += 2) {
		patterns[0] = label->pattern;
		patterns[1] = NULL;
		*table++ = (struct histree_label_table){ .name = label->pattern,
							 .patterns = patterns,
							 .labels = label->labels,
							 .label_count = label->count,
							 .uses_palette = true };
	}
	return tables;
}

/* One name once, in *count places that there is room for. */
static void add_name(const char **names, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(names[i], name) == 0)
			return;
	names[(*count)++] = name;
}

static bool is_optional(const struct language_tree *tree, const char *name)
{
	for (const struct language_expression *field = tree->fields; field != NULL; field = field->next_field)
		if (field->is_optional && strcmp(field->field, name) == 0)
			return true;
	return false;
}

/*
 * Collect events that are named rather than matched by a pattern, each the only one of its line; and fields, except
 * those whose presence a line tests.  Returns false if memory runs out.
 */
static bool expect(struct language_tree *tree, struct program_expected *expected)
{
	size_t room = EXPECTED_MAX;
	const char **events = arena_allocate(&tree->arena, room * sizeof(*events), _Alignof(const char *));
	const char **fields = arena_allocate(&tree->arena, room * sizeof(*fields), _Alignof(const char *));
	if (events == NULL || fields == NULL)
		return false;
	*expected = (struct program_expected){ .events = events, .fields = fields };
	for (const struct language_handler *on = tree->handlers; on != NULL; on = on->next)
		if (strpbrk(on->events, "*|") == NULL && expected->event_count < room)
			add_name(events, &expected->event_count, on->events);
	for (const struct language_expression *field = tree->fields; field != NULL; field = field->next_field)
		if (strpbrk(field->field, ".[") == NULL && expected->field_count < room &&
		    !is_optional(tree, field->field))
			add_name(fields, &expected->field_count, field->field);
	return true;
}

static enum histree_status language_add(const struct language_source *source, struct language_tree *tree,
					struct program *program, struct definitions *definitions,
					struct histree_error *error)
{
	struct program_analysis *analysis;
	struct program_about about = { .name = tree->name, .summary = tree->summary, .domain = tree->domain };
	about.labels = tables_of(tree, &about.label_table_count);
	if (about.name == NULL) {
		/* The name of the file without its folder and suffix; "" if memory runs out. */
		const char *path = source->path;
		const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
		size_t size = strlen(name), suffix = sizeof(LANGUAGE_SUFFIX) - 1;
		if (size > suffix && strcmp(name + size - suffix, LANGUAGE_SUFFIX) == 0)
			size -= suffix;
		const char *copy = arena_copy(&tree->arena, name, size);
		about.name = copy != NULL ? copy : "";
	}
	size_t *count = &about.chart_count;
	*count = 0;
	for (const struct language_chart *chart = tree->charts; chart != NULL; chart = chart->next)
		++*count;
	struct histree_chart *charts =
		arena_allocate(&tree->arena, (*count + 1) * sizeof(*charts), _Alignof(struct histree_chart));
	struct histree_chart *next = charts;
	for (const struct language_chart *chart = tree->charts; charts != NULL && chart != NULL;
	     chart = chart->next)
		*next++ = chart->chart;
	about.charts = charts;
	if (about.labels == NULL || about.charts == NULL || !expect(tree, &about.expected)) {
		program_free(program);
		return error_memory(error, "an analysis");
	}
	enum histree_status status = program_analysis_create(program, &about, &analysis, error);
	if (status == HISTREE_OK)
		status = definitions_add(definitions, analysis, error);
	if (status != HISTREE_OK)
		error_prefix(error, "%.200s:1:1", source->path);
	return status;
}

enum histree_status language_read(const char *path, const char *bytes, size_t size, struct definitions *definitions,
				  struct histree_error *error)
{
	struct language_source source = { .path = path, .text = bytes, .size = size };
	struct language_tree tree = { 0 };
	struct program *program = NULL;
	enum histree_status status = language_source_check(&source, error);
	if (status == HISTREE_OK)
		status = parse_lines(&source, &tree, error);
	if (status == HISTREE_OK)
		status = check_all(&source, &tree, error);
	if (status == HISTREE_OK)
		status = compile_all(&source, &tree, &program, error);
	if (status == HISTREE_OK)
		status = language_add(&source, &tree, program, definitions, error);
	language_tree_release(&tree);
	return status;
}
