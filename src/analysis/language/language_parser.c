// SPDX-License-Identifier: MIT
/*
 * language_parser.c - tokens, and the lines of a file; docs/design/11-analyses-from-files.md has the grammar.
 */
#include "analysis/language/language_parser.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* ---- tokens --------------------------------------------------------------------------------------------- */

static void stop(struct language_parser *parser, enum histree_status status)
{
	parser->status = status;
	parser->lexer.token = (struct language_token){ .kind = LANGUAGE_END, .text = "" };
}

static bool is_out_of_memory(struct language_parser *parser)
{
	if (parser->lexer.is_out_of_memory && parser->status == HISTREE_OK)
		stop(parser, error_memory(parser->error, "an analysis"));
	return parser->status != HISTREE_OK;
}

void language_next(struct language_parser *parser)
{
	if (parser->status != HISTREE_OK)
		return;
	language_lexer_next(&parser->lexer);
	is_out_of_memory(parser);
}

void language_go_on(struct language_parser *parser, size_t at)
{
	if (parser->status != HISTREE_OK)
		return;
	language_lexer_go_on(&parser->lexer, at);
	is_out_of_memory(parser);
}

bool language_take_sign(struct language_parser *parser, const char *sign)
{
	bool is_it = language_is_sign(language_token(parser), sign);
	if (is_it)
		language_next(parser);
	return is_it;
}

bool language_take_word(struct language_parser *parser, const char *word)
{
	bool is_it = language_is_word(language_token(parser), word);
	if (is_it)
		language_next(parser);
	return is_it;
}

void language_need_sign(struct language_parser *parser, const char *sign, const char *where)
{
	char what[80];
	snprintf(what, sizeof(what), "'%s' %s", sign, where);
	if (!language_take_sign(parser, sign))
		language_expected(parser, what);
}

void *language_fail(struct language_parser *parser, size_t at, const char *format, ...)
{
	va_list arguments;
	if (parser->status != HISTREE_OK)
		return NULL;
	va_start(arguments, format);
	stop(parser, language_refuse_list(parser->source, at, parser->error, format, arguments));
	va_end(arguments);
	return NULL;
}

void *language_expected(struct language_parser *parser, const char *what)
{
	const struct language_token *token = language_token(parser);
	if (parser->status != HISTREE_OK)
		return NULL;
	switch (token->kind) {
	case LANGUAGE_NONE:
		if (token->size == 0) /* the beginning of a line */
			return language_fail(parser, token->at, "%s", token->text);
		return language_fail(parser, token->at, "expected %s, not %s", what, token->text);
	case LANGUAGE_END:
	case LANGUAGE_LINE:
		return language_fail(parser, token->at, "expected %s, and the line ends", what);
	case LANGUAGE_INDENT:
		return language_fail(parser, token->at, "expected %s, and the line is indented further", what);
	case LANGUAGE_OUTDENT:
		return language_fail(parser, token->at, "expected %s, and the line is indented less", what);
	default:
		return language_fail(parser, token->at, "expected %s, not %s%.60s%s", what,
				     token->kind == LANGUAGE_TEXT ? "the text \"" : "'", token->text,
				     token->kind == LANGUAGE_TEXT ? "\"" : "'");
	}
}

void *language_allocate(struct language_parser *parser, size_t size)
{
	if (parser->status != HISTREE_OK)
		return NULL;
	if (++parser->tree->nodes > LANGUAGE_NODES_MAX)
		return language_fail(parser, language_token(parser)->at,
				     "the analysis is too large; cut it into several files");
	void *bytes = arena_allocate(&parser->tree->arena, size, alignof(max_align_t));
	if (bytes == NULL)
		stop(parser, error_memory(parser->error, "an analysis"));
	else
		memset(bytes, 0, size);
	return bytes;
}

bool language_enter(struct language_parser *parser)
{
	if (parser->depth == LANGUAGE_DEPTH_MAX) {
		language_fail(parser, language_token(parser)->at, "more than %d levels within one another",
			      LANGUAGE_DEPTH_MAX);
		return false;
	}
	parser->depth++;
	return true;
}

void language_leave(struct language_parser *parser)
{
	parser->depth--;
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
static const char *read_bare(struct language_parser *parser)
{
	size_t at = language_token(parser)->at, end = at;
	while (strchr(" \t\r\n#", parser->source->text[end]) == NULL)
		end++;
	char *name = arena_copy(&parser->tree->arena, parser->source->text + at, end - at);
	if (name == NULL)
		stop(parser, error_memory(parser->error, "an analysis"));
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
	tree->name = read_bare(parser);
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

static void end_line(struct language_parser *parser)
{
	if (language_token(parser)->kind == LANGUAGE_LINE)
		language_next(parser);
	else if (language_token(parser)->kind != LANGUAGE_END)
		language_expected(parser, "the end of the line");
}

enum histree_status language_parse(const struct language_source *source, struct language_tree *tree,
				   struct histree_error *error)
{
	struct language_parser parser = { .source = source, .tree = tree, .error = error };
	struct language_handler **last = &tree->handlers;
	language_lexer_begin(&parser.lexer, source, &tree->arena);
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
			language_read_label(&parser);
		else if (language_take_word(&parser, "chart"))
			language_read_chart(&parser);
		else
			language_expected(&parser,
					  "'on', 'let', 'label', 'chart' or 'analysis' at the beginning of a line");
		end_line(&parser);
	}
	if (parser.status == HISTREE_OK && tree->handlers == NULL)
		language_fail(&parser, source->size,
			      "the analysis does nothing; expected a line as "
			      "'on sched_switch: CPUs/{cpu}/Current_thread = next_tid'");
	return parser.status;
}

void language_tree_release(struct language_tree *tree)
{
	arena_release(&tree->arena);
	*tree = (struct language_tree){ 0 };
}
