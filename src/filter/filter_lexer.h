/* SPDX-License-Identifier: MIT */
/*
 * filter_lexer.h - a filter expression as tokens: texts, operators, signs.
 */
#ifndef FILTER_FILTER_LEXER_H
#define FILTER_FILTER_LEXER_H

#include "base/arena.h"
#include "filter/filter_test.h"

enum filter_token_kind {
	FILTER_END,
	FILTER_TEXT,     /* a word, or anything in quotes */
	FILTER_COMPARES, /* an operator of signs: == < ... */
	FILTER_NOT,
	FILTER_AND,
	FILTER_OR,
	FILTER_OPEN,
	FILTER_CLOSE,
};

struct filter_token {
	enum filter_token_kind kind;
	size_t column;    /* in characters, from 1 */
	const char *text; /* without its quotes, terminated, in the arena; of other tokens the sign */
	bool is_quoted;
	enum filter_operator op; /* of FILTER_COMPARES */
};

struct filter_lexer {
	const char *text, *at;
	struct arena *arena; /* keeps the texts of tokens */
	struct filter_token token;
};

/* Read the next token. */
enum histree_status filter_lexer_next(struct filter_lexer *lexer, struct histree_error *error);

/* Returns whether a token is an operator, of signs or a word, and which. */
bool filter_token_is_operator(const struct filter_token *token, enum filter_operator *op);

#endif
