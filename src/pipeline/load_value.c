// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/error.h"
#include "pipeline/load_inside.h"

static bool find_type(const struct text_cell *cell, enum histree_type *out)
{
	if (cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING)
		return false;
	for (int type = 0; type < HISTREE_TYPE_COUNT; type++) {
		*out = (enum histree_type)type;
		if (strcmp(histree_type_name(*out), cell->bytes) == 0)
			return true;
	}
	return false;
}

static enum histree_status fault(struct load *load, const char *wanted)
{
	char text[64];
	size_t column = load->columns.value;
	return text_table_fault(&load->text, column, load->error, "%s is not %s",
				text_cell_quote(text_table_cell(&load->text, column), text), wanted);
}

static enum histree_status read_int(struct load *load, const struct text_cell *cell, struct histree_value *out)
{
	int64_t number;
	if (!text_cell_integer(cell, &number) || number < INT32_MIN || number > INT32_MAX)
		return fault(load, "an int (a whole number of 32 bits; the type 'long' has 64)");
	*out = histree_int((int32_t)number);
	return HISTREE_OK;
}

static enum histree_status read_long(struct load *load, const struct text_cell *cell, struct histree_value *out)
{
	int64_t number;
	if (!text_cell_integer(cell, &number))
		return fault(load, "a long (a whole number of 64 bits)");
	*out = histree_long(number);
	return HISTREE_OK;
}

static enum histree_status read_real(struct load *load, const struct text_cell *cell, struct histree_value *out)
{
	double number;
	if (!text_cell_real(cell, &number))
		return fault(
			load,
			"a double (a number such as 1.5 or -2e9 that a double has room for, nan, inf or -inf)");
	*out = histree_double(number);
	return HISTREE_OK;
}

static enum histree_status read_bool(struct load *load, const struct text_cell *cell, struct histree_value *out)
{
	bool truth;
	if (!text_cell_bool(cell, &truth))
		return fault(load, "a bool (true or false)");
	*out = histree_bool(truth);
	return HISTREE_OK;
}

static enum histree_status read_text(struct load *load, struct text_cell *cell, struct histree_value *out)
{
	if (cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING)
		return fault(load, "a string");
	if (!text_cell_unescape(cell))
		return fault(load,
			     "a text of TSV: a backslash is written twice, tab, LF and CR as \\t, \\n and \\r");
	*out = histree_string_n(cell->bytes, cell->size);
	return HISTREE_OK;
}

static enum histree_status read_typed(struct load *load, enum histree_type type, struct text_cell *cell,
				      struct histree_value *out)
{
	switch (type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		*out = (struct histree_value){ .type = type };
		return text_cell_is_empty(cell) ? HISTREE_OK : fault(load, "empty, as its type has no values");
	case HISTREE_INT:
		return read_int(load, cell, out);
	case HISTREE_LONG:
		return read_long(load, cell, out);
	case HISTREE_DOUBLE:
		return read_real(load, cell, out);
	case HISTREE_BOOL:
		return read_bool(load, cell, out);
	case HISTREE_STRING:
		return read_text(load, cell, out);
	case HISTREE_CUSTOM:
		if (!text_cell_hexadecimal(cell))
			return fault(load, "bytes in hexadecimal");
		*out = histree_custom(cell->bytes, cell->size);
		return HISTREE_OK;
	}
	return HISTREE_ERR_INTERNAL;
}

enum histree_status load_value(struct load *load, struct histree_value *out, bool *is_typed)
{
	struct text_cell *cell = text_table_cell(&load->text, load->columns.value);
	const struct text_cell *type_cell = text_table_cell(&load->text, load->columns.type);
	enum histree_type type;
	char text[64];
	*out = histree_null();
	*is_typed = !text_cell_is_empty(type_cell);
	if (*is_typed && !find_type(type_cell, &type))
		return text_table_fault(
			&load->text, load->columns.type, load->error,
			"%s is no type; there are null, int, long, double, bool, string, custom and unknown",
			text_cell_quote(type_cell, text));
	if (*is_typed)
		return read_typed(load, type, cell, out);
	if (cell->kind == TEXT_NESTED)
		return fault(load, "one value");
	if (!text_cell_unescape(cell))
		return read_text(load, cell, out);
	*out = text_cell_value(cell);
	return HISTREE_OK;
}

static bool is_number(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG || type == HISTREE_DOUBLE;
}

enum histree_type load_common_type(enum histree_type a, enum histree_type b)
{
	if (a == b || b == HISTREE_NULL)
		return a;
	if (a == HISTREE_NULL)
		return b;
	return is_number(a) && is_number(b) ? (a > b ? a : b) : HISTREE_NULL;
}

struct histree_value load_widen(const struct histree_value *value, enum histree_type type)
{
	if (value->type == type || !is_number(value->type))
		return *value;
	int64_t number = value->type == HISTREE_INT ? value->int32 : value->int64;
	return type == HISTREE_LONG ? histree_long(number) : histree_double((double)number);
}
