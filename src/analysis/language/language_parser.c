// SPDX-License-Identifier: MIT
/*
 * language_parser.c - the text of an analysis and the sentences about its faults, with the line and a caret;
 * tokens, lines, and the indentation that makes blocks. docs/design/11-analyses-from-files.md has the grammar.
 */
#include "analysis/language/language_parser.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/language/language_tree.h"
#include "analysis/program/program.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "histree/attributes.h"
#include "histree/status.h"
#include "histree/value.h"

/* ---- language source ----------------------------------------------------------------------------------------- */

enum {
	SHOWN_BEFORE = 60, /* bytes of a line that are shown before the place */
	SHOWN_MAX = 96,    /* and of it all */
	SENTENCE_SIZE = 220,
};

/* Within a UTF-8 character. */
static bool continues(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

enum histree_status language_source_check(const struct language_source *source, struct histree_error *error)
{
	if (source->size > LANGUAGE_BYTES_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%.200s: %zu bytes; an analysis may have %d",
				 source->path, source->size, LANGUAGE_BYTES_MAX);
	for (size_t at = 0; at < source->size;) {
		size_t size = utf8_character_size((const unsigned char *)source->text + at, source->size - at);
		if (size == 0 || source->text[at] == '\0') {
			struct language_place place = language_place_of(source, at);
			return error_set(error, HISTREE_ERR_ARGUMENT, "%.200s:%zu:%zu: this is no text in UTF-8",
					 source->path, place.line, place.column);
		}
		at += size;
	}
	return HISTREE_OK;
}

struct language_place language_place_of(const struct language_source *source, size_t at)
{
	struct language_place place = { .line = 1, .column = 1 };
	for (size_t i = 0; i < at; i++) {
		if (source->text[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if (!continues(source->text[i])) {
			place.column++;
		}
	}
	return place;
}

enum histree_status language_refuse_list(const struct language_source *source, size_t at,
					 struct histree_error *error, const char *format, va_list arguments)
{
	char sentence[SENTENCE_SIZE], shown[2 * SHOWN_MAX];
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	struct language_place place = language_place_of(source, at);
	/* The line of a place, or the part of it around the place, and a caret below; each tab is a blank. */
	size_t size = sizeof(shown);
	const char *line = source->text + at, *end = source->text + at;
	while (line > source->text && line[-1] != '\n' && end - line < SHOWN_BEFORE)
		line--;
	while (line < end && continues(*line))
		line++;
	while (*end != '\n' && *end != '\0' && *end != '\r' && end - line < SHOWN_MAX)
		end++;
	while (end > source->text + at && continues(*end))
		end--;
	char room[SHOWN_BEFORE + 1];
	size_t length = 0;
	for (const char *i = line; i < source->text + at; i++)
		if (!continues(*i))
			room[length++] = ' ';
	room[length] = '\0';
	snprintf(shown, size, "\n  %.*s\n  %s^", (int)(end - line), line, room);
	for (char *tab = strchr(shown, '\t'); tab != NULL; tab = strchr(tab, '\t'))
		*tab = ' ';
	return error_set(error, HISTREE_ERR_ARGUMENT, "%.80s:%zu:%zu: %s%s", source->path, place.line, place.column,
			 sentence, shown);
}

enum histree_status language_refuse(const struct language_source *source, size_t at, struct histree_error *error,
				    const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	enum histree_status status = language_refuse_list(source, at, error, format, arguments);
	va_end(arguments);
	return status;
}

void language_tree_release(struct language_tree *tree)
{
	arena_release(&tree->arena);
	*tree = (struct language_tree){ 0 };
}

/* Whether an expression may begin with this name and a parenthesis. */
bool language_is_function(const char *name);

/* ---- language lexer ------------------------------------------------------------------------------------------ */

/* Of two that begin alike the longer comes first. */
static const char *const signs[] = {
	"==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+=", "-=", "=", "<", ">", "!", "&", "|", "^",
	"~",  "+",  "-",  "*",  "/",  "%",  "(",  ")",  "{",  "}",  ",", ":", ";", ".", "[", "]",
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool language_is_of_word(char c)
{
	return is_letter(c) || is_digit(c);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool language_is_sign(const struct language_token *token, const char *sign)
{
	return token->kind == LANGUAGE_SIGN && strcmp(token->text, sign) == 0;
}

bool language_is_word(const struct language_token *token, const char *word)
{
	return token->kind == LANGUAGE_WORD && strcmp(token->text, word) == 0;
}

/* ---- one token ------------------------------------------------------------------------------------------ */

static void set(struct language_token *token, enum language_token_kind kind, size_t at, size_t size)
{
	*token = (struct language_token){ .kind = kind, .at = at, .size = size, .text = "" };
}

static void set_none(struct language_token *token, size_t at, size_t size, const char *why)
{
	set(token, LANGUAGE_NONE, at, size);
	token->text = why;
}

/* Keep the bytes of a token as its text. */
static void keep(struct language_lexer *lexer, struct language_token *token)
{
	token->text = arena_copy(lexer->arena, lexer->source->text + token->at, token->size);
	if (token->text == NULL) {
		set_none(token, token->at, token->size, "out of memory");
		lexer->is_out_of_memory = true;
	}
}

void language_lexer_text(struct language_lexer *lexer, size_t at, struct language_token *token)
{
	const char *text = lexer->source->text;
	size_t end = at + 1;
	while (text[end] != text[at]) {
		if (text[end] == '\\' && text[end + 1] != '\0' && text[end + 1] != '\n')
			end++;
		if (text[end] == '\0' || text[end] == '\n') {
			set_none(token, at, end - at, "a text without the quote that ends it");
			return;
		}
		end++;
	}
	set(token, LANGUAGE_TEXT, at, end + 1 - at);
	char *copy = arena_allocate(lexer->arena, end - at, 1), *to = copy;
	if (copy == NULL) {
		set_none(token, at, end - at, "out of memory");
		lexer->is_out_of_memory = true;
		return;
	}
	/* A backslash stays one, but before a quote or another backslash. */
	for (size_t i = at + 1; i < end; i++) {
		if (text[i] == '\\' && (text[i + 1] == text[at] || text[i + 1] == '\\'))
			i++;
		*to++ = text[i];
	}
	*to = '\0';
	token->text = copy;
}

/* A word goes on with members and elements: "from.port", "regs[3]". */
static size_t word_end(const char *text, size_t at)
{
	while (language_is_of_word(text[at]))
		at++;
	for (;;) {
		size_t end = at + 1;
		if (text[at] == '.' && is_letter(text[end])) {
			while (language_is_of_word(text[end]))
				end++;
		} else if (text[at] == '[' && is_digit(text[end])) {
			while (is_digit(text[end]))
				end++;
			if (text[end++] != ']')
				return at;
		} else {
			return at;
		}
		at = end;
	}
}

static bool read_hexadecimal(const char *digits, int64_t *number)
{
	uint64_t read = 0;
	for (const char *at = digits; *at != '\0'; at++) {
		unsigned digit = is_digit(*at)              ? (unsigned)(*at - '0')
				 : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a' + 10)
				 : *at >= 'A' && *at <= 'F' ? (unsigned)(*at - 'A' + 10)
							    : 16;
		if (digit == 16 || read >> 60 != 0)
			return false;
		read = read << 4 | digit;
	}
	memcpy(number, &read, sizeof(*number)); /* addresses of the kernel are negative numbers, as fields are */
	return digits[0] != '\0';
}

/* 42, 0x2a, 1.5, 1e9, 12.5ms. */
static void read_number(struct language_lexer *lexer, struct language_token *token, size_t at)
{
	const char *text = lexer->source->text;
	size_t end = at;
	bool is_hexadecimal = text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
	while (language_is_of_word(text[end]) || (text[end] == '.' && is_digit(text[end + 1])) ||
	       ((text[end] == '+' || text[end] == '-') && (text[end - 1] == 'e' || text[end - 1] == 'E') &&
		!is_hexadecimal && is_digit(text[end + 1])))
		end++;
	set(token, LANGUAGE_NUMBER, at, end - at);
	keep(lexer, token);
	if (token->kind == LANGUAGE_NONE)
		return;
	int64_t whole;
	double real;
	if (is_hexadecimal ? read_hexadecimal(token->text + 2, &whole)
			   : number_parse_signed(token->text, &whole) ||
				     (!is_digit(text[end - 1]) && time_parse_duration(token->text, &whole)))
		token->value = histree_long(whole);
	else if (!is_hexadecimal && number_parse_real(token->text, &real) && strpbrk(token->text, ".eE") != NULL)
		token->value = histree_double(real);
	else
		set_none(token, at, end - at,
			 "no number: write 42, 0x2a, 1.5, or a time with ns, us, ms, s, m or h as in 12.5ms");
}

static void read_sign(struct language_lexer *lexer, struct language_token *token, size_t at)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t size = strlen(signs[i]);
		if (strncmp(lexer->source->text + at, signs[i], size) == 0) {
			set(token, LANGUAGE_SIGN, at, size);
			token->text = signs[i];
			return;
		}
	}
	set_none(token, at, 1, "a sign that means nothing here; put a text in quotes");
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

/* Behind blanks and a comment. */
static size_t skip_blanks(const struct language_lexer *lexer, size_t at)
{
	const char *text = lexer->source->text;
	while (is_blank(text[at]))
		at++;
	if (text[at] == '#')
		while (text[at] != '\n' && text[at] != '\0')
			at++;
	return at;
}

/* The first line from there that has something, or the end of the text. */
static size_t skip_empty_lines(const struct language_lexer *lexer, size_t at)
{
	for (;;) {
		size_t end = skip_blanks(lexer, at);
		if (lexer->source->text[end] != '\n')
			return lexer->source->text[end] == '\0' ? end : at;
		at = end + 1;
	}
}

static bool begins_with(const struct language_lexer *lexer, size_t line, size_t size, size_t level)
{
	const char *text = lexer->source->text;
	return lexer->indents[level].size <= size &&
	       memcmp(text + line, text + lexer->indents[level].at, lexer->indents[level].size) == 0;
}

/* A line begins: compare its blanks with those of the lines above.  Returns whether that makes a token. */
static bool read_indentation(struct language_lexer *lexer)
{
	size_t line = skip_empty_lines(lexer, lexer->next), first = skip_blanks(lexer, line), size = first - line;
	lexer->at_line_start = false;
	lexer->next = first;
	if (lexer->source->text[first] == '\0')
		size = 0;
	size_t top = lexer->indent_count - 1;
	if (lexer->indents[top].size < size && begins_with(lexer, line, size, top)) {
		if (lexer->indent_count == LANGUAGE_INDENTS_MAX) {
			set_none(&lexer->token, first, 0, "this line is indented too often; 31 times are possible");
			return true;
		}
		lexer->indents[lexer->indent_count].at = line;
		lexer->indents[lexer->indent_count++].size = size;
		set(&lexer->token, LANGUAGE_INDENT, first, 0);
		return true;
	}
	while (lexer->indents[top].size > size && top > 0)
		top--;
	if (lexer->indents[top].size != size || !begins_with(lexer, line, size, top)) {
		set_none(&lexer->token, first, 0,
			 "the line begins with other blanks than each line above; use the same");
		return true;
	}
	lexer->outdents = lexer->indent_count - 1 - top;
	lexer->indent_count = top + 1;
	return false;
}

/* Read the next token.  Out of memory reads as LANGUAGE_NONE with `is_out_of_memory`. */
static void language_lexer_next(struct language_lexer *lexer)
{
	struct language_token *token = &lexer->token;
	const char *text = lexer->source->text;
	if (lexer->at_line_start && read_indentation(lexer)) {
		lexer->is_open = false;
		return;
	}
	if (lexer->outdents > 0) {
		lexer->outdents--;
		set(token, LANGUAGE_OUTDENT, lexer->next, 0);
		return;
	}
	size_t at = skip_blanks(lexer, lexer->next);
	while (text[at] == '\n' && (lexer->parentheses > 0 || lexer->is_open))
		at = skip_blanks(lexer, at + 1);
	char c = text[at];
	if (c == '\0') {
		/* The last line ends too, and so do its blocks. */
		bool ended = token->kind == LANGUAGE_LINE || token->kind == LANGUAGE_OUTDENT ||
			     token->kind == LANGUAGE_END;
		set(token, ended ? LANGUAGE_END : LANGUAGE_LINE, at, 0);
		lexer->at_line_start = !ended;
		lexer->next = at;
		return;
	}
	if (c == '\n') {
		set(token, LANGUAGE_LINE, at, 1);
		lexer->at_line_start = true;
	} else if (c == '"' || c == '\'') {
		language_lexer_text(lexer, at, token);
	} else if (is_digit(c)) {
		read_number(lexer, token, at);
	} else if (is_letter(c)) {
		set(token, LANGUAGE_WORD, at, word_end(text, at) - at);
		keep(lexer, token);
	} else {
		read_sign(lexer, token, at);
	}
	lexer->next = at + (token->kind == LANGUAGE_NONE && token->size == 0 ? 1 : token->size);
	if (language_is_sign(token, "("))
		lexer->parentheses++;
	else if (language_is_sign(token, ")") && lexer->parentheses > 0)
		lexer->parentheses--;
	/* A line goes on behind a sign that waits for something. */
	lexer->is_open = token->kind == LANGUAGE_SIGN && strchr(":;)}]", token->text[0]) == NULL;
}

/* ---- language parser ----------------------------------------------------------------------------------------- */

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
	/* Read on from that byte, which is behind the token's beginning, on the same line. */
	parser->lexer.next = at;
	parser->lexer.at_line_start = false;
	parser->lexer.outdents = 0;
	parser->lexer.is_open = false;
	set(&parser->lexer.token, LANGUAGE_WORD, at, 0);
	language_lexer_next(&parser->lexer);
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
