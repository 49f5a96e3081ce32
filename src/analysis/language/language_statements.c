// SPDX-License-Identifier: MIT
/*
 * language_statements.c - the statements of an analysis become instructions of a program.
 */
#include "analysis/language/language_parser.h"

#include <string.h>

/* Which words begin a statement; elsewhere, and with '=' or '/' behind them, they are names of attributes. */
static bool is_keyword(struct language_parser *parser, const char *word)
{
	const struct language_token *token = language_token(parser);
	if (!language_is_word(token, word))
		return false;
	const char *after = parser->source->text + token->at + token->size;
	if (*after != ' ' && *after != '\t')
		return false;
	while (*after == ' ' || *after == '\t')
		after++;
	return *after != '=' && strncmp(after, "+=", 2) != 0 && strncmp(after, "-=", 2) != 0;
}

static bool take_keyword(struct language_parser *parser, const char *word)
{
	bool is_it = is_keyword(parser, word);
	if (is_it)
		language_next(parser);
	return is_it;
}

static bool is_else(const struct language_parser *parser)
{
	const struct language_token *token = language_token(parser);
	return language_is_word(token, "else") && parser->source->text[token->at + token->size] == ':';
}

/* ---- fields of segments --------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum language_type type;
} types[] = {
	{ "int", LANGUAGE_INT },     { "integer", LANGUAGE_INTEGER }, { "real", LANGUAGE_REAL },
	{ "text", LANGUAGE_STRING }, { "bool", LANGUAGE_BOOL },
};

static enum language_type type_of_word(const char *word)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].word, word) == 0)
			return types[i].type;
	return LANGUAGE_ANY;
}

/* "int irq", "cpu", "text comm = prev_comm". */
static struct language_assignment *read_field(struct language_parser *parser)
{
	struct language_assignment *field = language_allocate(parser, sizeof(*field));
	struct language_token name = *language_token(parser);
	if (name.kind != LANGUAGE_WORD)
		return language_expected(parser, "the name of a field of the segment");
	language_next(parser);
	enum language_type type = type_of_word(name.text);
	if (type != LANGUAGE_ANY && language_token(parser)->kind == LANGUAGE_WORD) {
		name = *language_token(parser);
		language_next(parser);
	} else {
		type = LANGUAGE_ANY;
	}
	if (strpbrk(name.text, ".[") != NULL)
		return language_fail(parser, name.at, "a field of a segment has a simple name: write 'a = %.40s'",
				     name.text);
	struct language_expression *value = NULL;
	if (language_take_sign(parser, "=")) {
		value = language_read_expression(parser);
	} else {
		value = language_name(parser, &name);
	}
	if (field == NULL || value == NULL)
		return NULL;
	if (type == LANGUAGE_ANY)
		type = value->type;
	if (type == LANGUAGE_ANY || type == LANGUAGE_NULL)
		return language_fail(
			parser, name.at,
			"the type of '%.40s' is not known before a trace is read; expected one of int, "
			"integer, real, text, bool before it",
			name.text);
	*field = (struct language_assignment){ .at = name.at, .name = name.text, .type = type, .value = value };
	return field;
}

static struct language_assignment *read_fields(struct language_parser *parser)
{
	struct language_assignment *fields = NULL, **last = &fields;
	if (!language_take_word(parser, "with"))
		return NULL;
	do {
		struct language_assignment *field = read_field(parser);
		if (field == NULL)
			return NULL;
		for (const struct language_assignment *other = fields; other != NULL; other = other->next)
			if (strcmp(other->name, field->name) == 0)
				return language_fail(parser, field->at, "there is a field '%.40s' already",
						     field->name);
		if (strcmp(field->name, "name") == 0)
			return language_fail(parser, field->at, "a segment has its name with 'as'");
		*last = field;
		last = &field->next;
	} while (language_take_sign(parser, ","));
	return fields;
}

/* ---- segments ------------------------------------------------------------------------------------------- */

static struct language_span *find_span(struct language_parser *parser, const char *name)
{
	struct language_span *span = parser->tree->spans;
	while (span != NULL && strcmp(span->name, name) != 0)
		span = span->next;
	if (span != NULL)
		return span;
	span = language_allocate(parser, sizeof(*span));
	if (span != NULL) {
		*span = (struct language_span){ .name = name, .next = parser->tree->spans };
		parser->tree->spans = span;
	}
	return span;
}

/* "begin", "step" or "end" was read: name(key) as NAME with FIELDS. */
static void read_span(struct language_parser *parser, struct language_statement *statement)
{
	const struct language_token name = *language_token(parser);
	if (name.kind != LANGUAGE_WORD || strpbrk(name.text, ".[") != NULL) {
		language_expected(parser, "the name of a span");
		return;
	}
	language_next(parser);
	language_need_sign(parser, "(", "and the key of the span after its name, as in 'irq(cpu)'");
	size_t count = 0;
	do {
		struct language_expression *key = language_read_expression(parser);
		if (count == LANGUAGE_KEY_MAX)
			language_fail(parser, name.at, "a key has at most %d values", LANGUAGE_KEY_MAX);
		if (key == NULL || parser->status != HISTREE_OK)
			return;
		statement->key[count++] = key;
	} while (language_take_sign(parser, ","));
	language_need_sign(parser, ")", "or ',' after the key of the span");
	struct language_span *span = find_span(parser, name.text);
	if (span == NULL)
		return;
	statement->span = span;
	if (span->key_count != 0 && span->key_count != count)
		language_fail(parser, name.at, "expected a key of %zu values, as elsewhere for '%.40s', not of %zu",
			      span->key_count, name.text, count);
	span->key_count = count;
	if (statement->kind == LANGUAGE_BEGIN) {
		span->has_begin = true;
		span->begin_at = name.at;
	} else if (statement->kind == LANGUAGE_FINISH) {
		span->has_end = true;
		span->end_at = name.at;
	} else {
		span->step_at = name.at;
	}
	if (language_take_word(parser, "as"))
		statement->value = language_read_expression(parser);
	parser->is_under_way = statement->kind != LANGUAGE_BEGIN;
	statement->fields = read_fields(parser);
	parser->is_under_way = false;
}

static void read_segment(struct language_parser *parser, struct language_statement *statement)
{
	statement->value = language_read_expression(parser);
	if (language_take_word(parser, "from"))
		statement->from = language_read_time(parser);
	if (language_take_word(parser, "to"))
		statement->to = language_read_time(parser);
	if (statement->from == NULL && statement->to == NULL)
		language_expected(parser, "'from' or 'to' and a time, as in 'from since(PATH)'");
	statement->fields = read_fields(parser);
}

/* ---- states --------------------------------------------------------------------------------------------- */

static struct language_path *read_changed_path(struct language_parser *parser)
{
	struct language_path *path = language_read_path(parser);
	if (path != NULL)
		path->is_set = true;
	return path;
}

static void read_time_of_change(struct language_parser *parser, struct language_statement *statement)
{
	if (language_take_word(parser, "at"))
		statement->time = language_read_time(parser);
}

static struct language_expression *read_number(struct language_parser *parser)
{
	size_t at = language_token(parser)->at;
	struct language_expression *value = language_read_expression(parser);
	if (value != NULL && (value->type == LANGUAGE_STRING || value->type == LANGUAGE_BOOL))
		return language_fail(parser, at, "expected a number to count by, and this is %s",
				     language_type_text(value->type));
	return value;
}

static void read_change(struct language_parser *parser, struct language_statement *statement)
{
	statement->path = read_changed_path(parser);
	if (language_is_sign(language_token(parser), "+=") || language_is_sign(language_token(parser), "-=")) {
		bool is_less = language_is_sign(language_token(parser), "-=");
		size_t at = language_token(parser)->at;
		language_next(parser);
		statement->kind = LANGUAGE_ADD;
		statement->value = read_number(parser);
		if (is_less)
			statement->value =
				language_operation(parser, at, PROGRAM_NEGATE, statement->value, NULL, NULL);
		return;
	}
	statement->kind = LANGUAGE_SET;
	if (!language_take_sign(parser, "="))
		language_expected(parser, "'=', '+=' or '-=' after the path");
	statement->value = language_read_expression(parser);
	read_time_of_change(parser, statement);
}

static void read_push(struct language_parser *parser, struct language_statement *statement)
{
	statement->path = read_changed_path(parser);
	language_need_sign(parser, "=", "and what is pushed after the path");
	statement->value = language_read_expression(parser);
	read_time_of_change(parser, statement);
}

static void read_pop(struct language_parser *parser, struct language_statement *statement)
{
	if (take_keyword(parser, "all"))
		statement->kind = LANGUAGE_POP_ALL;
	statement->path = read_changed_path(parser);
	if (statement->kind == LANGUAGE_POP)
		read_time_of_change(parser, statement);
}

static void read_was(struct language_parser *parser, struct language_statement *statement)
{
	statement->path = read_changed_path(parser);
	language_need_sign(parser, "=", "after the path");
	statement->value = language_read_expression(parser);
}

static void read_delete(struct language_parser *parser, struct language_statement *statement)
{
	statement->path = read_changed_path(parser);
	if (statement->path != NULL)
		statement->path->is_deleted = true;
}

/* ---- statements ----------------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum language_statement_kind kind;
	void (*read)(struct language_parser *parser, struct language_statement *statement);
} keywords[] = {
	{ "was", LANGUAGE_WAS, read_was },      { "push", LANGUAGE_PUSH, read_push },
	{ "pop", LANGUAGE_POP, read_pop },      { "delete", LANGUAGE_DELETE, read_delete },
	{ "begin", LANGUAGE_BEGIN, read_span }, { "end", LANGUAGE_FINISH, read_span },
	{ "step", LANGUAGE_STEP, read_span },   { "segment", LANGUAGE_SEGMENT, read_segment },
};

static struct language_statement *read_simple(struct language_parser *parser)
{
	struct language_statement *statement = language_allocate(parser, sizeof(*statement));
	if (statement == NULL)
		return NULL;
	statement->at = language_token(parser)->at;
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (take_keyword(parser, keywords[i].word)) {
			statement->kind = keywords[i].kind;
			keywords[i].read(parser, statement);
			return statement;
		}
	}
	read_change(parser, statement);
	return statement;
}

/* Statements of one line. */
static struct language_statement *read_row(struct language_parser *parser)
{
	struct language_statement *first = NULL, **last = &first;
	do {
		if (is_keyword(parser, "if") || is_keyword(parser, "elif") || is_else(parser))
			return language_fail(parser, language_token(parser)->at, "'%s' begins a line of its own",
					     language_token(parser)->text);
		struct language_statement *statement = read_simple(parser);
		if (statement == NULL)
			return NULL;
		*last = statement;
		last = &statement->next;
	} while (language_take_sign(parser, ";") && language_token(parser)->kind != LANGUAGE_LINE &&
		 language_token(parser)->kind != LANGUAGE_END);
	if (language_token(parser)->kind == LANGUAGE_LINE)
		language_next(parser);
	else if (language_token(parser)->kind != LANGUAGE_END)
		language_expected(parser, "the end of the line");
	return first;
}

/* "if" or "elif" was read. */
static struct language_statement *read_if(struct language_parser *parser, size_t at)
{
	struct language_statement *statement = language_allocate(parser, sizeof(*statement));
	if (statement == NULL || !language_enter(parser))
		return NULL;
	statement->kind = LANGUAGE_IF;
	statement->at = at;
	statement->value = language_read_condition(parser);
	statement->then = language_read_block(parser);
	at = language_token(parser)->at;
	if (take_keyword(parser, "elif")) {
		statement->otherwise = read_if(parser, at);
	} else if (is_else(parser)) {
		language_next(parser);
		statement->otherwise = language_read_block(parser);
	}
	language_leave(parser);
	return statement;
}

struct language_statement *language_read_block(struct language_parser *parser)
{
	struct language_statement *statements;
	language_need_sign(parser, ":", "before what is done");
	if (parser->status != HISTREE_OK || !language_enter(parser))
		return NULL;
	if (language_token(parser)->kind != LANGUAGE_LINE) {
		statements = read_row(parser);
	} else {
		language_next(parser);
		if (language_token(parser)->kind == LANGUAGE_INDENT)
			language_next(parser);
		else
			language_expected(parser, "a statement, or an indented line of them");
		struct language_statement *first = NULL, **last = &first;
		while (parser->status == HISTREE_OK && language_token(parser)->kind != LANGUAGE_OUTDENT &&
		       language_token(parser)->kind != LANGUAGE_END) {
			size_t at = language_token(parser)->at;
			*last = take_keyword(parser, "if") ? read_if(parser, at) : read_row(parser);
			while (*last != NULL)
				last = &(*last)->next;
		}
		if (language_token(parser)->kind == LANGUAGE_OUTDENT)
			language_next(parser);
		statements = first;
	}
	language_leave(parser);
	return statements;
}
