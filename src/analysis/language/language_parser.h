/* SPDX-License-Identifier: MIT */
/*
 * language_parser.h - the text of an analysis as tokens, and what the parts of the parser share.
 *
 * Lines and their indentation are tokens too, except within parentheses and after a sign that cannot end a line.
 * Names of events and paths have an alphabet of their own: a parser that expects one reads it from the bytes at
 * `token.at`, and continues after it with language_lexer_go_on().  So an invalid token is an error only when the
 * parser uses it.
 *
 * The first failure is remembered in `status`; from then on the token is LANGUAGE_END, so that every loop ends, and
 * results are NULL or meaningless.
 */
#ifndef ANALYSIS_LANGUAGE_LANGUAGE_PARSER_H
#define ANALYSIS_LANGUAGE_LANGUAGE_PARSER_H

#include "analysis/language/language_tree.h"
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

/* Read a text in quotes that begins at that byte into a token. */
void language_lexer_text(struct language_lexer *lexer, size_t at, struct language_token *token);
bool language_is_sign(const struct language_token *token, const char *sign);
bool language_is_word(const struct language_token *token, const char *word);

/* Letters, digits, '_'. */
bool language_is_of_word(char c);

struct language_parser {
	const struct language_source *source;
	struct language_tree *tree;
	struct language_lexer lexer;
	size_t depth;
	bool is_under_way; /* in the fields of a step or an end, which know how long a span has lasted */
	enum histree_status status;
	struct histree_error *error;
};

/* ---- tokens (language_parser.c) ------------------------------------------------------------------------- */

static inline const struct language_token *language_token(const struct language_parser *parser)
{
	return &parser->lexer.token;
}

void language_next(struct language_parser *parser);

/* Go on behind that byte. */
void language_go_on(struct language_parser *parser, size_t at);

/* If the token is this sign, or word, go on behind it and return true. */
bool language_take_sign(struct language_parser *parser, const char *sign);
bool language_take_word(struct language_parser *parser, const char *word);

/* As language_take_sign(), and else say what is expected. */
void language_need_sign(struct language_parser *parser, const char *sign, const char *where);

/* Say what is wrong at a byte; the first time counts.  Returns NULL. */
void *language_fail(struct language_parser *parser, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The token is not what has to be.  Returns NULL. */
void *language_expected(struct language_parser *parser, const char *what);

/* Returns zeroed memory of the tree, NULL when memory runs out or the tree has too many nodes. */
void *language_allocate(struct language_parser *parser, size_t size);

/* One more level; returns false if that is one too many.  Each true one is left. */
bool language_enter(struct language_parser *parser);
void language_leave(struct language_parser *parser);

/* ---- the rest of it ------------------------------------------------------------------------------------- */

struct language_expression *language_read_expression(struct language_parser *parser);

/* An expression that is a condition, a number or a time: others are refused. */
struct language_expression *language_read_condition(struct language_parser *parser);
struct language_expression *language_read_time(struct language_parser *parser);

/* A field of the event. */
struct language_expression *language_field(struct language_parser *parser, size_t at, const char *name);

/* What stands in parentheses after the name of a function, of which the parenthesis is the token. */
struct language_expression *language_read_call(struct language_parser *parser, const struct language_token *name);

/* What a name stands for: a `let`, a fact, or a field of the event. */
struct language_expression *language_name(struct language_parser *parser, const struct language_token *name);
struct language_path *language_read_path(struct language_parser *parser);

/* A colon, and statements on the line or on lines of their own; with the end of the last line. */
struct language_statement *language_read_block(struct language_parser *parser);

struct language_expression *language_constant(struct language_parser *parser, size_t at,
					      struct histree_value value);

/* Missing operands are NULL; if a required one is NULL, so is the result. */
struct language_expression *language_operation(struct language_parser *parser, size_t at,
					       enum program_operator operator, struct language_expression * first,
					       struct language_expression *second,
					       struct language_expression *third);
struct language_expression *language_convert(struct language_parser *parser, size_t at, enum language_type type,
					     struct language_expression *value);

/* first OPERATOR second, which does not hold if one of them is missing, not even as !=. */
struct language_expression *language_comparison(struct language_parser *parser, size_t at,
						enum program_operator operator, struct language_expression * first,
						struct language_expression *second);

/* Weigh an expression once its operands are set.  Returns NULL, and says why, if it is too large. */
struct language_expression *language_weigh(struct language_parser *parser, struct language_expression *expression);

#endif
