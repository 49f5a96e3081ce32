// SPDX-License-Identifier: MIT
/*
 * Values of type "script": the expressions of JavaScript that are arithmetic, comparison, choice and parts of
 * texts. Whatever is beyond that is refused when the file is read.
 *
 * Numbers that are whole stay whole, as the times of a trace have more digits than a double; a quotient is a
 * double. Positions in texts are bytes, not units of UTF-16.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/xml/xml_reader.h"

enum { DEPTH_MAX = 50, WORD_MAX = 64, TEXT_MAX = 4096 };

struct script {
	struct xml_reader *reader;
	const struct xml_element *element; /* that has it, and the values that it names */
	const char *text, *at;
	unsigned depth;
};

static program_value expression(struct script *script);

static program_value fail(struct script *script, const char *what)
{
	xml_fail(script->reader, script->element, "script, column %zu: %s", (size_t)(script->at - script->text) + 1,
		 what);
	return PROGRAM_NOTHING;
}

static program_value make(struct script *script, enum program_operator operator, program_value first,
			  program_value second, program_value third)
{
	if (script->reader->status != HISTREE_OK)
		return PROGRAM_NOTHING;
	return program_operation(script->reader->make, operator, first, second, third);
}

static program_value two(struct script *script, enum program_operator operator, program_value first,
			 program_value second)
{
	return make(script, operator, first, second, PROGRAM_NOTHING);
}

static program_value constant(struct script *script, struct histree_value value)
{
	return program_constant(script->reader->make, value);
}

/* ---- words ------------------------------------------------------------------------------------------------ */

static void skip_space(struct script *script)
{
	while (isspace((unsigned char)*script->at))
		script->at++;
}

static bool takes(struct script *script, const char *word)
{
	skip_space(script);
	size_t size = strlen(word);
	if (strncmp(script->at, word, size) != 0)
		return false;
	script->at += size;
	return true;
}

static void need(struct script *script, const char *word, const char *otherwise)
{
	if (!takes(script, word) && script->reader->status == HISTREE_OK)
		fail(script, otherwise);
}

static bool read_word(struct script *script, char word[WORD_MAX])
{
	size_t size = 0;
	skip_space(script);
	while (isalnum((unsigned char)script->at[size]) || script->at[size] == '_' || script->at[size] == '$')
		size++;
	if (size == 0 || size >= WORD_MAX || isdigit((unsigned char)*script->at))
		return false;
	memcpy(word, script->at, size);
	word[size] = '\0';
	script->at += size;
	return true;
}

/* ---- literals --------------------------------------------------------------------------------------------- */

static program_value text_literal(struct script *script)
{
	char quote = *script->at++, text[TEXT_MAX];
	size_t size = 0;
	for (; *script->at != quote; script->at++) {
		if (*script->at == '\\')
			script->at++;
		if (*script->at == '\0')
			return fail(script, "the text has no end");
		if (size == TEXT_MAX)
			return fail(script, "the text is too long");
		bool is_escape = script->at[-1] == '\\';
		char byte = *script->at;
		if (is_escape && strchr("xu0123456789bfv", byte) != NULL)
			return fail(script, "of escapes there are \\n, \\t, \\r and \\ before other marks");
		text[size++] = !is_escape    ? byte
			       : byte == 'n' ? '\n'
			       : byte == 't' ? '\t'
			       : byte == 'r' ? '\r'
					     : byte;
	}
	script->at++;
	return constant(script,
			(struct histree_value){ .type = HISTREE_STRING, .size = (uint32_t)size, .bytes = text });
}

static program_value number_literal(struct script *script)
{
	char *end, *real_end;
	errno = 0;
	bool is_hex = script->at[0] == '0' && (script->at[1] == 'x' || script->at[1] == 'X');
	long long integer = strtoll(script->at, &end, is_hex ? 16 : 10);
	bool is_too_large = errno != 0;
	double real = strtod(script->at, &real_end);
	if (!is_hex && (real_end > end || is_too_large)) {
		script->at = real_end;
		return constant(script, (struct histree_value){ .type = HISTREE_DOUBLE, .real = real });
	}
	script->at = end;
	if (isalnum((unsigned char)*script->at) || *script->at == '_')
		return fail(script, "this is no number");
	return constant(script, integer >= INT32_MIN && integer <= INT32_MAX ? histree_int((int32_t)integer)
									     : histree_long(integer));
}

/* ---- names ------------------------------------------------------------------------------------------------ */

static program_value named(struct script *script, const char *word)
{
	for (const struct xml_element *each = xml_child(script->element, "stateValue"); each != NULL;
	     each = xml_next(each, "stateValue")) {
		const char *id = xml_attribute(each, "id");
		if (id != NULL && strcmp(id, word) == 0)
			return xml_value(script->reader, each);
	}
	xml_fail(script->reader, script->element,
		 "script, column %zu: there is no '%s': a script has the values with an id inside of it, "
		 "arithmetic, "
		 "comparison, '? :', parts of texts, parseInt(), Number() and String()",
		 (size_t)(script->at - script->text) + 1 - strlen(word), word);
	return PROGRAM_NOTHING;
}

static program_value conversion(struct script *script, enum histree_type type)
{
	need(script, "(", "a '(' is missing");
	program_value value = expression(script);
	need(script, ")", "a ')' is missing");
	return script->reader->status == HISTREE_OK ? program_convert(script->reader->make, value, type)
						    : PROGRAM_NOTHING;
}

static program_value word_value(struct script *script)
{
	char word[WORD_MAX];
	if (!read_word(script, word))
		return fail(script, *script->at == '\0' ? "the expression ends too early"
							: "here a value should be, a name, a number or a text");
	if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
		return constant(script, (struct histree_value){ .type = HISTREE_BOOL, .boolean = word[0] == 't' });
	if (strcmp(word, "null") == 0 || strcmp(word, "undefined") == 0)
		return constant(script, histree_null());
	if (strcmp(word, "parseInt") == 0)
		return conversion(script, HISTREE_LONG);
	if (strcmp(word, "parseFloat") == 0 || strcmp(word, "Number") == 0)
		return conversion(script, HISTREE_DOUBLE);
	return strcmp(word, "String") == 0 ? conversion(script, HISTREE_STRING) : named(script, word);
}

/* ---- what follows a value: parts of texts ------------------------------------------------------------------- */

enum { ARGUMENTS_MAX = 2 };

static size_t arguments(struct script *script, program_value values[ARGUMENTS_MAX])
{
	size_t count = 0;
	need(script, "(", "a '(' is missing");
	if (takes(script, ")"))
		return 0;
	do {
		if (count == ARGUMENTS_MAX) {
			fail(script, "these are too many arguments");
			return count;
		}
		values[count++] = expression(script);
	} while (script->reader->status == HISTREE_OK && takes(script, ","));
	need(script, ")", "a ')' is missing");
	return count;
}

static program_value method(struct script *script, program_value value)
{
	static const struct {
		const char *name;
		size_t least, most;
		enum program_operator operator;
	} methods[] = {
		{ "substring", 1, 2, PROGRAM_SUBSTRING },    { "indexOf", 1, 1, PROGRAM_INDEX_OF },
		{ "startsWith", 1, 1, PROGRAM_STARTS_WITH }, { "endsWith", 1, 1, PROGRAM_ENDS_WITH },
		{ "toLowerCase", 0, 0, PROGRAM_LOWER_CASE }, { "toUpperCase", 0, 0, PROGRAM_UPPER_CASE },
		{ "equals", 1, 1, PROGRAM_EQUAL },           { "concat", 1, 1, PROGRAM_ADD },
		{ "charAt", 1, 1, PROGRAM_SUBSTRING },       { "toString", 0, 0, PROGRAM_OPERATOR_COUNT },
	};
	program_value given[ARGUMENTS_MAX] = { PROGRAM_NOTHING, PROGRAM_NOTHING };
	char word[WORD_MAX];
	if (!read_word(script, word))
		return fail(script, "a name should follow the '.'");
	skip_space(script);
	if (strcmp(word, "length") == 0)
		return two(script, PROGRAM_LENGTH, value, PROGRAM_NOTHING);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		if (strcmp(word, methods[i].name) != 0)
			continue;
		size_t count = arguments(script, given);
		if (script->reader->status != HISTREE_OK)
			return PROGRAM_NOTHING;
		if (count < methods[i].least || count > methods[i].most)
			return fail(script, "this is another number of arguments than the function has");
		if (methods[i].operator== PROGRAM_OPERATOR_COUNT)
			return program_convert(script->reader->make, value, HISTREE_STRING);
		if (strcmp(word, "charAt") == 0)
			given[1] = two(script, PROGRAM_ADD, given[0], constant(script, histree_int(1)));
		return make(script, methods[i].operator, value, given[0], given[1]);
	}
	return fail(script,
		    "of texts there are length, substring, charAt, indexOf, startsWith, endsWith, concat, equals, "
		    "toLowerCase, toUpperCase and toString");
}

static program_value postfix(struct script *script)
{
	program_value value;
	skip_space(script);
	if (*script->at == '\'' || *script->at == '"') {
		value = text_literal(script);
	} else if (isdigit((unsigned char)*script->at)) {
		value = number_literal(script);
	} else if (takes(script, "(")) {
		value = expression(script);
		need(script, ")", "a ')' is missing");
	} else {
		value = word_value(script);
	}
	while (script->reader->status == HISTREE_OK && takes(script, "."))
		value = method(script, value);
	return value;
}

/* ---- operators -------------------------------------------------------------------------------------------- */

static program_value unary(struct script *script)
{
	program_value value;
	if (++script->depth > DEPTH_MAX)
		return fail(script, "the expression is too deep");
	skip_space(script);
	if (script->at[0] == '!' && script->at[1] != '=') {
		script->at++;
		value = two(script, PROGRAM_NOT, unary(script), PROGRAM_NOTHING);
	} else if (script->at[0] == '-' && script->at[1] != '-') {
		script->at++;
		value = two(script, PROGRAM_NEGATE, unary(script), PROGRAM_NOTHING);
	} else {
		value = postfix(script);
	}
	script->depth--;
	return value;
}

struct level {
	const char *word;
	enum program_operator operator;
};

/* From those that bind weakest; of those of one level, longer words first. */
static const struct level levels[][5] = {
	{ { "||", PROGRAM_OR } },
	{ { "&&", PROGRAM_AND } },
	{ { "===", PROGRAM_EQUAL },
	  { "!==", PROGRAM_NOT_EQUAL },
	  { "==", PROGRAM_EQUAL },
	  { "!=", PROGRAM_NOT_EQUAL } },
	{ { "<=", PROGRAM_LESS_OR_EQUAL },
	  { ">=", PROGRAM_GREATER_OR_EQUAL },
	  { "<", PROGRAM_LESS },
	  { ">", PROGRAM_GREATER } },
	{ { "+", PROGRAM_ADD }, { "-", PROGRAM_SUBTRACT } },
	{ { "*", PROGRAM_MULTIPLY }, { "/", PROGRAM_DIVIDE }, { "%", PROGRAM_REMAINDER } },
};
enum { LEVEL_COUNT = sizeof(levels) / sizeof(*levels) };

static const struct level *take_operator(struct script *script, size_t level)
{
	static const char *const others[] = { "<<", ">>", "++", "--", "+=", "-=", "*=", "/=", "%=" };
	skip_space(script);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strncmp(script->at, others[i], 2) == 0)
			fail(script, "a script has no bits and no assignments");
	for (const struct level *each = levels[level]; each->word != NULL && script->reader->status == HISTREE_OK;
	     each++)
		if (takes(script, each->word))
			return each;
	return NULL;
}

static program_value binary(struct script *script, size_t level)
{
	if (level == LEVEL_COUNT)
		return unary(script);
	program_value value = binary(script, level + 1);
	const struct level *found;
	while (script->reader->status == HISTREE_OK && (found = take_operator(script, level)) != NULL) {
		program_value right = binary(script, level + 1);
		if (found->operator== PROGRAM_DIVIDE && script->reader->status == HISTREE_OK)
			value = program_convert(script->reader->make, value, HISTREE_DOUBLE);
		value = two(script, found->operator, value, right);
	}
	return value;
}

static program_value expression(struct script *script)
{
	if (++script->depth > DEPTH_MAX)
		return fail(script, "the expression is too deep");
	program_value value = binary(script, 0);
	if (script->reader->status == HISTREE_OK && takes(script, "?")) {
		program_value then = expression(script);
		need(script, ":", "a ':' is missing");
		value = make(script, PROGRAM_CHOOSE, value, then, expression(script));
	}
	script->depth--;
	return value;
}

program_value xml_script(struct xml_reader *reader, const struct xml_element *element)
{
	const char *engine = xml_attribute(element, "scriptEngine"), *text = xml_need(reader, element, "value");
	struct script script = { .reader = reader, .element = element, .text = text, .at = text };
	if (engine != NULL && strcmp(engine, "rhino") != 0 && strcmp(engine, "nashorn") != 0)
		xml_fail(reader, element,
			 "there is no script engine '%s'; there are rhino and nashorn, both JavaScript", engine);
	if (xml_child(element, "stateAttribute") != NULL)
		xml_fail(reader, element, "a script has <stateValue>s with an id");
	for (const struct xml_element *each = element->first; each != NULL; each = each->next)
		if (xml_attribute(each, "id") == NULL)
			xml_fail(reader, each, "a value for a script has an id, its name there");
	if (reader->status != HISTREE_OK)
		return PROGRAM_NOTHING;
	program_value value = expression(&script);
	if (reader->status == HISTREE_OK)
		(void)takes(&script, ";");
	skip_space(&script);
	if (reader->status == HISTREE_OK && *script.at != '\0')
		fail(&script, "here the expression should end");
	return value;
}
