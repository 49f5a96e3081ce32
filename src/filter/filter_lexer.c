// SPDX-License-Identifier: MIT
#include "filter/filter_lexer.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"

/* The longer of two that begin alike comes first. */
static const struct {
	const char *text;
	enum filter_token_kind kind;
	enum filter_operator op;
} signs[] = {
	{ "==", FILTER_COMPARES, FILTER_EQUAL },
	{ "=", FILTER_COMPARES, FILTER_EQUAL },
	{ "!=", FILTER_COMPARES, FILTER_DIFFERENT },
	{ "<=", FILTER_COMPARES, FILTER_AT_MOST },
	{ "<", FILTER_COMPARES, FILTER_BELOW },
	{ ">=", FILTER_COMPARES, FILTER_AT_LEAST },
	{ ">", FILTER_COMPARES, FILTER_ABOVE },
	{ "!", FILTER_NOT, 0 },
	{ "&&", FILTER_AND, 0 },
	{ "||", FILTER_OR, 0 },
	{ "(", FILTER_OPEN, 0 },
	{ ")", FILTER_CLOSE, 0 },
};

enum { SIGN_COUNT = sizeof(signs) / sizeof(signs[0]) };

/* SIGN_COUNT where there is none. */
static size_t find_sign(const char *at)
{
	size_t i = 0;
	while (i < SIGN_COUNT && strncmp(at, signs[i].text, strlen(signs[i].text)) != 0)
		i++;
	return i;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* All but the bytes within a UTF-8 character count. */
static size_t column_of(const struct filter_lexer *lexer)
{
	size_t column = 1;
	for (const char *at = lexer->text; at < lexer->at; at++)
		column += ((unsigned char)*at & 0xc0) != 0x80;
	return column;
}

/* NULL when memory is out. */
static char *keep_text(struct filter_lexer *lexer, const char *from)
{
	char *text = arena_copy(lexer->arena, from, (size_t)(lexer->at - from));
	lexer->token.kind = FILTER_TEXT;
	lexer->token.text = text;
	return text;
}

/* A backslash stays one, but before a quote or another backslash. */
static void drop_backslashes(char *text, char quote)
{
	char *to = text;
	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '\\' && (at[1] == quote || at[1] == '\\'))
			at++;
		*to++ = *at;
	}
	*to = '\0';
}

static enum histree_status read_quoted(struct filter_lexer *lexer, struct histree_error *error)
{
	char quote = *lexer->at++;
	const char *from = lexer->at;
	for (; *lexer->at != quote; lexer->at++) {
		if (*lexer->at == '\\' && lexer->at[1] != '\0')
			lexer->at++;
		else if (*lexer->at == '\0')
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "column %zu: a text without the %c that ends it", lexer->token.column,
					 quote);
	}
	char *text = keep_text(lexer, from);
	if (text == NULL)
		return error_memory(error, "a filter");
	drop_backslashes(text, quote);
	lexer->at++;
	lexer->token.is_quoted = true;
	return HISTREE_OK;
}

static enum histree_status read_word(struct filter_lexer *lexer, struct histree_error *error)
{
	const char *from = lexer->at;
	while (*lexer->at != '\0' && *lexer->at != '"' && !is_blank(*lexer->at) &&
	       find_sign(lexer->at) == SIGN_COUNT)
		lexer->at++;
	return keep_text(lexer, from) != NULL ? HISTREE_OK : error_memory(error, "a filter");
}

enum histree_status filter_lexer_next(struct filter_lexer *lexer, struct histree_error *error)
{
	while (is_blank(*lexer->at))
		lexer->at++;
	lexer->token = (struct filter_token){ .kind = FILTER_END, .column = column_of(lexer), .text = "" };
	if (*lexer->at == '\0')
		return HISTREE_OK;
	if (*lexer->at == '"' || *lexer->at == '\'')
		return read_quoted(lexer, error);
	size_t sign = find_sign(lexer->at);
	if (sign < SIGN_COUNT) {
		lexer->token.kind = signs[sign].kind;
		lexer->token.text = signs[sign].text;
		lexer->token.op = signs[sign].op;
		lexer->at += strlen(signs[sign].text);
		return HISTREE_OK;
	}
	return read_word(lexer, error);
}

bool filter_token_is_operator(const struct filter_token *token, enum filter_operator *op)
{
	static const struct {
		const char *word;
		enum filter_operator op;
	} words[] = { { "contains", FILTER_CONTAINS },
		      { "matches", FILTER_MATCHES },
		      { "present", FILTER_PRESENT } };
	if (token->kind == FILTER_COMPARES) {
		*op = token->op;
		return true;
	}
	if (token->kind != FILTER_TEXT || token->is_quoted)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(token->text, words[i].word) == 0) {
			*op = words[i].op;
			return true;
		}
	}
	return false;
}
