// SPDX-License-Identifier: MIT
#include "text/text_cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"

static bool has_bytes(const struct text_cell *cell)
{
	return cell->kind == TEXT_PLAIN || cell->kind == TEXT_STRING;
}

bool text_cell_is_empty(const struct text_cell *cell)
{
	return cell->kind == TEXT_ABSENT || cell->kind == TEXT_NULL ||
	       (cell->kind == TEXT_PLAIN && cell->size == 0);
}

/* ---- numbers --------------------------------------------------------------------------------------- */

/* A zero within the bytes ends no number. */
static bool is_whole(const struct text_cell *cell)
{
	return has_bytes(cell) && cell->size > 0 && memchr(cell->bytes, '\0', cell->size) == NULL;
}

bool text_cell_integer(const struct text_cell *cell, int64_t *out)
{
	*out = cell->integer;
	return cell->kind == TEXT_INTEGER || (is_whole(cell) && number_parse_signed(cell->bytes, out));
}

static bool is_named_real(const char *text, double *out)
{
	static const struct {
		const char *name;
		double real;
	} named[] = { { "nan", NAN }, { "inf", INFINITY }, { "-inf", -INFINITY } };
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		*out = named[i].real;
		if (strcmp(text, named[i].name) == 0)
			return true;
	}
	return false;
}

bool text_cell_real(const struct text_cell *cell, double *out)
{
	*out = cell->kind == TEXT_INTEGER ? (double)cell->integer : cell->real;
	if (cell->kind == TEXT_INTEGER || cell->kind == TEXT_REAL)
		return true;
	if (!is_whole(cell))
		return false;
	/* What a double has no room for is no number that it could be. */
	return (number_parse_real(cell->bytes, out) && isfinite(*out)) || is_named_real(cell->bytes, out);
}

bool text_cell_bool(const struct text_cell *cell, bool *out)
{
	*out = cell->kind == TEXT_BOOL && cell->boolean;
	if (cell->kind == TEXT_BOOL)
		return true;
	if (!is_whole(cell))
		return false;
	*out = strcmp(cell->bytes, "true") == 0;
	return *out || strcmp(cell->bytes, "false") == 0;
}

/* ---- escapes --------------------------------------------------------------------------------------- */

/* The byte that a letter after a backslash stands for; 0: none. */
static char escaped_byte(char letter)
{
	switch (letter) {
	case 't':
		return '\t';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	default:
		return '\0';
	}
}

/* Whether each backslash is followed by what it can stand before. */
static bool has_escapes_only(const struct text_cell *cell, bool is_path)
{
	const char *at = cell->bytes, *end = at + cell->size;
	for (; (at = memchr(at, '\\', (size_t)(end - at))) != NULL; at += 2) {
		char letter = end - at > 1 ? at[1] : '\0';
		if (letter != '\\' && escaped_byte(letter) == '\0' && !(is_path && letter == '/'))
			return false;
	}
	return true;
}

static bool unescape(struct text_cell *cell, bool is_path)
{
	char *to = cell->is_escaped && cell->size > 0 ? memchr(cell->bytes, '\\', cell->size) : NULL;
	if (to == NULL)
		return true;
	if (!has_escapes_only(cell, is_path))
		return false;
	cell->is_escaped = false;
	for (const char *from = to, *end = cell->bytes + cell->size; from < end; from++) {
		char byte = *from == '\\' ? escaped_byte(from[1]) : '\0';
		bool is_own = *from == '\\' && byte == '\0'; /* of a backslash, or of the slash of a path */
		if (is_own && is_path)
			*to++ = '\\';
		from += *from == '\\';
		*to++ = byte != '\0' ? byte : *from;
	}
	*to = '\0';
	cell->size = (size_t)(to - cell->bytes);
	return true;
}

bool text_cell_unescape(struct text_cell *cell)
{
	return unescape(cell, false);
}

bool text_cell_unescape_path(struct text_cell *cell)
{
	return unescape(cell, true);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool text_cell_hexadecimal(struct text_cell *cell)
{
	if (!has_bytes(cell) || cell->size % 2 != 0)
		return false;
	for (size_t i = 0; i < cell->size; i += 2) {
		int high = digit_of(cell->bytes[i]), low = digit_of(cell->bytes[i + 1]);
		if (high < 0 || low < 0)
			return false;
		cell->bytes[i / 2] = (char)(high << 4 | low);
	}
	cell->size /= 2;
	return true;
}

/* ---- what it is by itself -------------------------------------------------------------------------- */

static struct histree_value integer_value(int64_t number)
{
	return number >= INT32_MIN && number <= INT32_MAX ? histree_int((int32_t)number) : histree_long(number);
}

/* Whether a text is how the number is written. */
static bool is_plain_integer(const struct text_cell *cell, int64_t number)
{
	char text[NUMBER_TEXT_SIZE];
	size_t size = number_format_signed(number, text);
	return size == cell->size && memcmp(text, cell->bytes, size) == 0;
}

/* "1.5", "-2e9"; not ".5", "007.5" or "+1". */
static bool looks_real(const char *text)
{
	text += *text == '-';
	return *text >= '0' && *text <= '9' && !(text[0] == '0' && text[1] >= '0' && text[1] <= '9');
}

static struct histree_value plain_value(const struct text_cell *cell)
{
	int64_t number;
	double real;
	bool truth;
	if (cell->size == 0)
		return histree_null();
	if (text_cell_integer(cell, &number) && is_plain_integer(cell, number))
		return integer_value(number);
	if (strpbrk(cell->bytes, ".eEnf") != NULL && text_cell_real(cell, &real) &&
	    (looks_real(cell->bytes) || !isfinite(real)))
		return histree_double(real);
	if (text_cell_bool(cell, &truth))
		return histree_bool(truth);
	return histree_string_n(cell->bytes, cell->size);
}

struct histree_value text_cell_value(const struct text_cell *cell)
{
	switch (cell->kind) {
	case TEXT_BOOL:
		return histree_bool(cell->boolean);
	case TEXT_INTEGER:
		return integer_value(cell->integer);
	case TEXT_REAL:
		return histree_double(cell->real);
	case TEXT_STRING:
		return histree_string_n(cell->bytes, cell->size);
	case TEXT_PLAIN:
		return plain_value(cell);
	case TEXT_ABSENT:
	case TEXT_NULL:
	case TEXT_NESTED:
		break;
	}
	return histree_null();
}

const char *text_cell_quote(const struct text_cell *cell, char text[64])
{
	switch (cell->kind) {
	case TEXT_BOOL:
		return cell->boolean ? "true" : "false";
	case TEXT_INTEGER:
		snprintf(text, 64, "%" PRId64, cell->integer);
		return text;
	case TEXT_REAL:
		snprintf(text, 64, "%g", cell->real);
		return text;
	case TEXT_PLAIN:
	case TEXT_STRING:
		snprintf(text, 64, cell->size > 40 ? "'%.40s...'" : "'%.40s'", cell->size > 0 ? cell->bytes : "");
		return text;
	case TEXT_NESTED:
		return "a list or an object";
	case TEXT_ABSENT:
		break;
	case TEXT_NULL:
		return "null";
	}
	return "nothing";
}
