// SPDX-License-Identifier: MIT
/*
 * language_paths.c - paths of attributes: "CPUs/{cpu}/Current_thread", "\"a b\"/0_{cpu}".  They are read byte by
 * byte, as their names have other signs than words have.
 */
#include <string.h>

#include "analysis/language/language_parser.h"
#include "base/error.h"

static bool is_of_name(const char *at)
{
	char c = at[0];
	if (c == '-' || c == '+')
		return at[1] != '=';
	return language_is_of_word(c) || (c != '\0' && strchr(".@%$&~^", c) != NULL) ||
	       ((unsigned char)c & 0x80) != 0;
}

static struct language_expression *read_braces(struct language_parser *parser, size_t *at)
{
	language_go_on(parser, *at + 1);
	struct language_expression *value = language_read_expression(parser);
	if (value == NULL)
		return NULL;
	if (!language_is_sign(language_token(parser), "}"))
		return language_expected(parser, "'}' after the value in a path");
	*at = language_token(parser)->at + 1;
	if (value->type == LANGUAGE_NULL)
		return language_fail(parser, value->at, "a path has no component that is null");
	return value;
}

static struct language_expression *read_quoted(struct language_parser *parser, size_t *at)
{
	struct language_token text;
	language_lexer_text(&parser->lexer, *at, &text);
	if (text.kind == LANGUAGE_NONE)
		return language_fail(parser, *at, "expected a name in the path, not %s", text.text);
	size_t begin = *at;
	*at += text.size;
	return language_constant(parser, begin, histree_string(text.text));
}

static struct language_expression *read_plain(struct language_parser *parser, size_t *at)
{
	const char *text = parser->source->text;
	size_t begin = *at;
	while (is_of_name(text + *at))
		++*at;
	char *name = arena_copy(&parser->tree->arena, text + begin, *at - begin);
	if (name == NULL)
		return language_fail(parser, begin, "out of memory");
	return language_constant(parser, begin, histree_string(name));
}

/* Names, texts in quotes and values in braces, next to each other. */
static struct language_expression *read_component(struct language_parser *parser, size_t *at)
{
	struct language_expression *whole = NULL;
	size_t begin = *at;
	while (parser->status == HISTREE_OK) {
		char c = parser->source->text[*at];
		struct language_expression *part;
		if (c == '{')
			part = read_braces(parser, at);
		else if (c == '"' || c == '\'')
			part = read_quoted(parser, at);
		else if (is_of_name(parser->source->text + *at))
			part = read_plain(parser, at);
		else
			break;
		if (part == NULL)
			return NULL;
		if (whole == NULL) {
			whole = part;
			continue;
		}
		if (part->type != LANGUAGE_STRING)
			part = language_convert(parser, part->at, LANGUAGE_STRING, part);
		if (whole->type != LANGUAGE_STRING)
			whole = language_convert(parser, whole->at, LANGUAGE_STRING, whole);
		whole = language_operation(parser, begin, PROGRAM_ADD, whole, part, NULL);
	}
	if (whole == NULL)
		return language_fail(parser, *at,
				     "expected a name in a path; one with blanks or other signs stands in quotes");
	if (whole->kind == LANGUAGE_CONSTANT && whole->type == LANGUAGE_STRING && whole->constant.size == 0)
		return language_fail(parser, begin, "a path has no component that is empty");
	return whole;
}

struct language_path *language_read_path(struct language_parser *parser)
{
	if (!language_enter(parser))
		return NULL;
	struct language_path *path = language_allocate(parser, sizeof(*path));
	size_t at = language_token(parser)->at, begin = at;
	if (path == NULL)
		return NULL;
	if ((language_token(parser)->kind == LANGUAGE_NONE && language_token(parser)->size == 0) ||
	    language_token(parser)->kind == LANGUAGE_LINE || language_token(parser)->kind == LANGUAGE_END ||
	    language_token(parser)->kind == LANGUAGE_INDENT || language_token(parser)->kind == LANGUAGE_OUTDENT)
		return language_expected(parser, "the path of an attribute");
	for (struct language_component **last = &path->components; parser->status == HISTREE_OK;) {
		struct language_component *component = language_allocate(parser, sizeof(*component));
		if (component == NULL)
			return NULL;
		component->name = read_component(parser, &at);
		if (component->name == NULL)
			return NULL;
		*last = component;
		last = &component->next;
		if (parser->source->text[at] != '/')
			break;
		at++;
	}
	language_leave(parser);
	path->at = begin;
	path->size = at - begin;
	path->path = PROGRAM_NOTHING;
	path->next = parser->tree->paths;
	parser->tree->paths = path;
	language_go_on(parser, at);
	return parser->status == HISTREE_OK ? path : NULL;
}
