/* SPDX-License-Identifier: MIT */
/*
 * language_lexer.h - the text of an analysis as tokens.
 *
 * Lines and their indentation are tokens too, except within parentheses and after a sign that cannot end a line.
 * Names of events and paths have an alphabet of their own: a parser that expects one reads it from the bytes at
 * `token.at`, and goes on behind it with language_lexer_go_on().  So an invalid token is an error only when the
 * parser wants it.
 */
#ifndef ANALYSIS_LANGUAGE_LANGUAGE_LEXER_H
#define ANALYSIS_LANGUAGE_LANGUAGE_LEXER_H

#include "analysis/language/language_source.h"
#include "base/arena.h"
#include "histree/value.h"

enum { LANGUAGE_INDENTS_MAX = 32 };

enum language_token_kind {
	LANGUAGE_END,
	LANGUAGE_LINE,    /* a line ends */
	LANGUAGE_INDENT,  /* the next line begins further to the right */
	LANGUAGE_OUTDENT, /* it begins further to the left: one for each that ends */
	LANGUAGE_WORD,    /* a name: letters, digits, '_', then ".name" and "[3]" */
	LANGUAGE_NUMBER,
	LANGUAGE_TEXT, /* in quotes */
	LANGUAGE_SIGN,
	LANGUAGE_NONE, /* nothing that means anything; `text` says why */
};

struct language_token {
	enum language_token_kind kind;
	size_t at, size;            /* its bytes */
	const char *text;           /* of a word, text or sign, terminated */
	struct histree_value value; /* of a number: long or double */
};

struct language_lexer {
	const struct language_source *source;
	struct arena *arena; /* keeps texts */
	struct language_token token;
	size_t next;        /* byte */
	size_t parentheses; /* that are open */
	struct {
		size_t at, size; /* the blanks that lines of the block begin with */
	} indents[LANGUAGE_INDENTS_MAX];
	size_t indent_count; /* the first one is of no blanks */
	size_t outdents;     /* still to hand out */
	bool at_line_start;
	bool is_out_of_memory;
	bool is_open; /* a sign came last after which the line goes on */
};

void language_lexer_begin(struct language_lexer *lexer, const struct language_source *source, struct arena *arena);

/* Read the next token.  Out of memory reads as LANGUAGE_NONE with `is_out_of_memory`. */
void language_lexer_next(struct language_lexer *lexer);

/* Read on from that byte, which is behind the token's beginning, on the same line. */
void language_lexer_go_on(struct language_lexer *lexer, size_t at);

/* Read a text in quotes that begins at that byte into a token. */
void language_lexer_text(struct language_lexer *lexer, size_t at, struct language_token *token);

bool language_is_sign(const struct language_token *token, const char *sign);
bool language_is_word(const struct language_token *token, const char *word);

/* Letters, digits, '_'. */
bool language_is_of_word(char c);

#endif
