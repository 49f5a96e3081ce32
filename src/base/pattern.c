// SPDX-License-Identifier: MIT
/*
 * pattern.c - regular expressions by positions (Glushkov, 1961): the parser connects positions as it reads, and a
 * match carries the set of positions that are possible so far.  Sets are bitmaps of a fixed size, which bounds
 * memory and time.
 */
#include "base/pattern.h"

#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* A text is read as its bytes between two extra symbols, which only ^ and $ match. */
enum { SYMBOL_BEGIN = UINT8_MAX + 1, SYMBOL_END, SYMBOL_COUNT };

enum { SET_WORDS = PATTERN_SIZE_MAX / 64 };

struct position_set {
	uint64_t words[SET_WORDS];
};

struct pattern {
	bool is_optional; /* the empty text matches */
	size_t word_count;
	bool begins[UINT8_MAX + 1];                    /* a match may begin with this byte */
	struct position_set first, last;               /* where a match begins and ends */
	struct position_set takes[SYMBOL_COUNT];       /* the positions that take this symbol */
	struct position_set follows[PATTERN_SIZE_MAX]; /* where a match goes on after this position */
};

/* ---- sets ---------------------------------------------------------------------------------------- */

static void set_add(struct position_set *set, size_t position)
{
	assert(position / 64 < SET_WORDS);
	set->words[position / 64] |= UINT64_C(1) << position % 64;
}

static void set_join(struct position_set *set, const struct position_set *other)
{
	for (size_t i = 0; i < SET_WORDS; i++)
		set->words[i] |= other->words[i];
}

static bool set_is_empty(const struct position_set *set)
{
	uint64_t any = 0;
	for (size_t i = 0; i < SET_WORDS; i++)
		any |= set->words[i];
	return any == 0;
}

/* Where a match stands in one of `from`, it may continue in each of `to`. */
static void connect(struct pattern *pattern, const struct position_set *from, const struct position_set *to)
{
	for (size_t i = 0; i < SET_WORDS; i++)
		for (uint64_t left = from->words[i]; left != 0; left &= left - 1)
			set_join(&pattern->follows[i * 64 + (size_t)__builtin_ctzll(left)], to);
}

/* ---- parsing ------------------------------------------------------------------------------------- */

/* A part of the pattern: where a match of it begins and ends, and whether it may be left out. */
struct part {
	struct position_set first, last;
	bool is_optional;
};

struct parser {
	struct pattern *pattern;
	const char *text, *at;
	size_t position_count;
	struct histree_error *error;
};

/* Each level needs a parenthesis, so the length of a pattern bounds the depth. */
static enum histree_status parse_choice(struct parser *parser, struct part *part);

static enum histree_status refuse(const struct parser *parser, const char *why)
{
	return error_set(parser->error, HISTREE_ERR_ARGUMENT, "the pattern '%s' has %s", parser->text, why);
}

/* A position; each takes at least one byte of the pattern's text, so there are never too many. */
static size_t add_position(struct parser *parser, struct part *part)
{
	size_t position = parser->position_count++;
	*part = (struct part){ 0 };
	set_add(&part->first, position);
	set_add(&part->last, position);
	return position;
}

static void add_symbol(struct parser *parser, struct part *part, unsigned symbol)
{
	set_add(&parser->pattern->takes[symbol], add_position(parser, part));
}

static void add_bytes(struct parser *parser, struct part *part, const bool bytes[UINT8_MAX + 1], bool wanted)
{
	size_t position = add_position(parser, part);
	for (unsigned byte = 0; byte <= UINT8_MAX; byte++)
		if (bytes[byte] == wanted)
			set_add(&parser->pattern->takes[byte], position);
}

static int is_word(int byte)
{
	return isalnum(byte) || byte == '_';
}

static void mark_class(bool bytes[UINT8_MAX + 1], int (*is_in)(int byte))
{
	for (int byte = 0; byte < 0x80; byte++)
		bytes[byte] |= is_in(byte) != 0;
}

/* "[:digit:]" within brackets. */
static enum histree_status parse_class_name(struct parser *parser, bool bytes[UINT8_MAX + 1])
{
	static const struct {
		const char *name;
		int (*is_in)(int byte);
	} classes[] = { { "[:alnum:]", isalnum }, { "[:alpha:]", isalpha }, { "[:blank:]", isblank },
			{ "[:cntrl:]", iscntrl }, { "[:digit:]", isdigit }, { "[:graph:]", isgraph },
			{ "[:lower:]", islower }, { "[:print:]", isprint }, { "[:punct:]", ispunct },
			{ "[:space:]", isspace }, { "[:upper:]", isupper }, { "[:xdigit:]", isxdigit } };
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		size_t size = strlen(classes[i].name);
		if (strncmp(parser->at, classes[i].name, size) == 0) {
			mark_class(bytes, classes[i].is_in);
			parser->at += size;
			return HISTREE_OK;
		}
	}
	return refuse(parser, "a class of bytes that is not known; there are [:digit:], [:alpha:], [:space:] and "
			      "the others of POSIX");
}

/* After "[". */
static enum histree_status parse_brackets(struct parser *parser, struct part *part)
{
	bool bytes[UINT8_MAX + 1] = { false };
	bool wanted = *parser->at != '^';
	parser->at += !wanted;
	const char *begin = parser->at;
	while (*parser->at != ']' || parser->at == begin) { /* a ] that comes first is one of the bytes */
		if (*parser->at == '\0')
			return refuse(parser, "a '[' without its ']'; write '\\[' for the sign itself");
		if (parser->at[0] == '[' && parser->at[1] == ':') {
			enum histree_status status = parse_class_name(parser, bytes);
			if (status != HISTREE_OK)
				return status;
			continue;
		}
		uint8_t min = (uint8_t)*parser->at++, max = min;
		if (parser->at[0] == '-' && parser->at[1] != ']' && parser->at[1] != '\0') {
			max = (uint8_t)parser->at[1];
			parser->at += 2;
		}
		if (min > max)
			return refuse(parser, "a range of bytes that ends before it begins");
		memset(bytes + min, true, (size_t)(max - min) + 1);
	}
	parser->at++;
	add_bytes(parser, part, bytes, wanted);
	return HISTREE_OK;
}

/* After the backslash. */
static enum histree_status parse_escape(struct parser *parser, struct part *part)
{
	unsigned char sign = (unsigned char)*parser->at;
	int (*is_in)(int byte) = NULL;
	if (sign == '\0')
		return refuse(parser, "nothing after its last '\\'; write '\\\\' for the sign itself");
	parser->at++;
	switch (tolower(sign)) {
	case 'd':
		is_in = isdigit;
		break;
	case 'w':
		is_in = is_word;
		break;
	case 's':
		is_in = isspace;
		break;
	}
	if (is_in != NULL) {
		bool bytes[UINT8_MAX + 1] = { false };
		mark_class(bytes, is_in);
		add_bytes(parser, part, bytes, islower(sign));
	} else if (isalnum(sign)) {
		return refuse(parser,
			      "a '\\' before a letter or a digit that mean nothing then; there are \\d, \\w "
			      "and \\s");
	} else {
		add_symbol(parser, part, sign);
	}
	return HISTREE_OK;
}

static enum histree_status parse_group(struct parser *parser, struct part *part)
{
	enum histree_status status = parse_choice(parser, part);
	if (status != HISTREE_OK)
		return status;
	if (*parser->at != ')')
		return refuse(parser, "a '(' without its ')'; write '\\(' for the sign itself");
	parser->at++;
	return HISTREE_OK;
}

static enum histree_status parse_atom(struct parser *parser, struct part *part)
{
	static const bool none[UINT8_MAX + 1];
	char sign = *parser->at++;
	switch (sign) {
	case '(':
		return parse_group(parser, part);
	case '[':
		return parse_brackets(parser, part);
	case '\\':
		return parse_escape(parser, part);
	case '*':
	case '+':
	case '?':
		return refuse(parser, "a '*', '+' or '?' with nothing before it; write '\\*' for the sign itself");
	case '{':
		return refuse(parser, "a count; write the piece as often as it is to come, or '\\{' for the sign");
	case '.':
		add_bytes(parser, part, none, false);
		break;
	case '^':
		add_symbol(parser, part, SYMBOL_BEGIN);
		break;
	case '$':
		add_symbol(parser, part, SYMBOL_END);
		break;
	default:
		add_symbol(parser, part, (uint8_t)sign);
	}
	return HISTREE_OK;
}

static enum histree_status parse_sequence(struct parser *parser, struct part *part)
{
	*part = (struct part){ .is_optional = true };
	while (*parser->at != '\0' && *parser->at != '|' && *parser->at != ')') {
		struct part next = { 0 };
		/* An atom and the repetition signs after it. */
		enum histree_status status = parse_atom(parser, &next);
		for (; status == HISTREE_OK && *parser->at != '\0' && strchr("*+?", *parser->at) != NULL;
		     parser->at++) {
			if (*parser->at != '?')
				connect(parser->pattern, &next.last, &next.first);
			next.is_optional |= *parser->at != '+';
		}
		if (status != HISTREE_OK)
			return status;
		connect(parser->pattern, &part->last, &next.first);
		if (part->is_optional)
			set_join(&part->first, &next.first);
		if (next.is_optional)
			set_join(&next.last, &part->last);
		part->last = next.last;
		part->is_optional &= next.is_optional;
	}
	return HISTREE_OK;
}

static enum histree_status parse_choice(struct parser *parser, struct part *part)
{
	enum histree_status status = parse_sequence(parser, part);
	while (status == HISTREE_OK && *parser->at == '|') {
		struct part next;
		parser->at++;
		status = parse_sequence(parser, &next);
		set_join(&part->first, &next.first);
		set_join(&part->last, &next.last);
		part->is_optional |= next.is_optional;
	}
	return status;
}

static enum histree_status parse(struct parser *parser)
{
	struct part whole;
	enum histree_status status = parse_choice(parser, &whole);
	if (status != HISTREE_OK)
		return status;
	if (*parser->at != '\0')
		return refuse(parser, "a ')' without its '('; write '\\)' for the sign itself");
	struct pattern *pattern = parser->pattern;
	pattern->first = whole.first;
	pattern->last = whole.last;
	pattern->is_optional = whole.is_optional;
	pattern->word_count = (parser->position_count + 63) / 64;
	for (unsigned byte = 0; byte <= UINT8_MAX; byte++)
		for (size_t i = 0; i < SET_WORDS; i++)
			pattern->begins[byte] |= (whole.first.words[i] & pattern->takes[byte].words[i]) != 0;
	return HISTREE_OK;
}

enum histree_status pattern_create(const char *text, struct pattern **out, struct histree_error *error)
{
	*out = NULL;
	size_t size = strlen(text);
	if (size > PATTERN_SIZE_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a pattern of %zu bytes; it may have %d", size,
				 PATTERN_SIZE_MAX);
	struct parser parser = {
		.pattern = calloc(1, sizeof(*parser.pattern)), .text = text, .at = text, .error = error
	};
	if (parser.pattern == NULL)
		return error_memory(error, "a pattern");
	enum histree_status status = parse(&parser);
	if (status == HISTREE_OK)
		*out = parser.pattern;
	else
		pattern_free(parser.pattern);
	return status;
}

/* ---- searching ----------------------------------------------------------------------------------- */

/* Advance by one symbol, where a match may also begin; returns true where one ends. */
static bool step(const struct pattern *pattern, struct position_set *at, unsigned symbol)
{
	struct position_set next = pattern->first;
	uint64_t ends = 0;
	for (size_t i = 0; i < pattern->word_count; i++)
		for (uint64_t left = at->words[i]; left != 0; left &= left - 1) {
			size_t position = i * 64 + (size_t)__builtin_ctzll(left);
			for (size_t word = 0; word < pattern->word_count; word++)
				next.words[word] |= pattern->follows[position].words[word];
		}
	for (size_t i = 0; i < pattern->word_count; i++) {
		at->words[i] = next.words[i] & pattern->takes[symbol].words[i];
		ends |= at->words[i] & pattern->last.words[i];
	}
	return ends != 0;
}

bool pattern_find(const struct pattern *pattern, const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = size > 0 ? at + size : at;
	struct position_set positions = { 0 };
	if (pattern->is_optional || step(pattern, &positions, SYMBOL_BEGIN))
		return true;
	while (at < end) {
		if (set_is_empty(&positions)) {
			while (at < end && !pattern->begins[*at])
				at++;
			if (at == end)
				break;
		}
		if (step(pattern, &positions, *at++))
			return true;
	}
	return step(pattern, &positions, SYMBOL_END);
}

void pattern_free(struct pattern *pattern)
{
	free(pattern);
}
