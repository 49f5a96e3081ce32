// SPDX-License-Identifier: MIT
/*
 * event_parts.c - what an event has besides its fields, such as its time and its CPU: their columns, and how they
 * are read.
 */
#include "trace/text/event_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/time_text.h"

/* ---- columns --------------------------------------------------------------------------------------- */

static size_t find_part(const struct event_text *text, enum map_part part)
{
	if (text->map.parts[part] != NULL)
		return text_table_column(&text->table, text->map.parts[part]);
	size_t column = TEXT_NO_COLUMN;
	for (const char *const *name = map_part_names[part]; *name != NULL && column == TEXT_NO_COLUMN; name++)
		column = text_table_column(&text->table, *name);
	return column;
}

static enum histree_status lacks(const struct event_text *text, const char *part, const char *wanted,
				 struct histree_error *error)
{
	char columns[200] = "";
	for (size_t i = 0, length = 0; i < text->table.column_count && length < sizeof(columns); i++)
		length += (size_t)snprintf(columns + length, sizeof(columns) - length, "%s%.40s",
					   i == 0 ? "" : ", ", text->table.columns[i]);
	return error_set(error, HISTREE_ERR_TRACE,
			 "'%.120s' has no column '%.40s' for the %s of an event; it has %s: say which it is, as in "
			 "'histree build --map time=ts,unit=us,name=kind'",
			 text->path, wanted, part, columns);
}

enum histree_status event_parts_find(struct event_text *text, struct histree_error *error)
{
	if (text->parts_known == text->table.column_count)
		return HISTREE_OK;
	/* Of JSON another row may have more. */
	bool are_known = text->table.header != NULL || text->map.columns != NULL;
	for (int part = 0; part < MAP_PART_COUNT; part++) {
		const char *wanted =
			text->map.parts[part] != NULL ? text->map.parts[part] : map_part_names[part][0];
		text->parts[part] = find_part(text, (enum map_part)part);
		bool is_needed = part == MAP_TIME || part == MAP_NAME;
		bool is_wrong = text->map.parts[part] != NULL && are_known;
		if (text->parts[part] == TEXT_NO_COLUMN && (is_needed || is_wrong))
			return lacks(text, map_part_names[part][0], wanted, error);
	}
	for (size_t i = 0; i < text->map.field_count && are_known; i++)
		if (text_table_column(&text->table, text->map.fields[i].column) == TEXT_NO_COLUMN)
			return lacks(text, text->map.fields[i].field, text->map.fields[i].column, error);
	text->parts_known = text->table.column_count;
	return HISTREE_OK;
}

/* ---- times ----------------------------------------------------------------------------------------- */

/* Digits with up to nine decimals, counted in a unit: exact, and what is finer than a ns is dropped. */
static bool read_decimal(const char *at, int64_t unit_ns, histree_time *out)
{
	bool is_negative = *at == '-', any = false;
	uint64_t whole = 0, part = 0;
	int64_t scale = unit_ns;
	for (at += is_negative; *at >= '0' && *at <= '9'; at++, any = true)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*at - '0'), &whole))
			return false;
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++, any = true) {
			scale /= 10;
			part += (uint64_t)(*at - '0') * (uint64_t)scale;
		}
	if (!any || *at != '\0' || __builtin_mul_overflow(whole, (uint64_t)unit_ns, &whole) ||
	    __builtin_add_overflow(whole, part, &whole) || whole > (uint64_t)INT64_MAX)
		return false;
	*out = is_negative ? -(histree_time)whole : (histree_time)whole;
	return true;
}

/* A number in the unit of the map, or a date and a time of day. */
static bool read_time(const struct event_text *text, const struct text_cell *cell, histree_time *out)
{
	double ns;
	switch (cell->kind) {
	case TEXT_PLAIN:
	case TEXT_STRING:
		if (strlen(cell->bytes) != cell->size)
			return false;
		return read_decimal(cell->bytes, text->map.unit_ns, out) ||
		       (cell->size > 10 && cell->bytes[4] == '-' && time_parse(cell->bytes, 0, 0, out));
	case TEXT_INTEGER:
		return !__builtin_mul_overflow(cell->integer, text->map.unit_ns, out);
	case TEXT_REAL:
		ns = cell->real * (double)text->map.unit_ns;
		if (!(ns > -9e18 && ns < 9e18))
			return false;
		*out = llround(ns);
		return true;
	default:
		return false;
	}
}

enum histree_status event_parts_time(const struct event_text *text, histree_time *out, struct histree_error *error)
{
	char quote[64];
	const struct text_cell *cell = &text->table.cells[text->parts[MAP_TIME]];
	if (read_time(text, cell, out))
		return *out < INT64_MAX
			       ? HISTREE_OK
			       : text_table_fault(&text->table, text->parts[MAP_TIME], error,
						  "this is the last time there is, and a history ends before it");
	return text_table_fault(&text->table, text->parts[MAP_TIME], error,
				"%s is no time: a number, whose unit the map says ('unit=us'; ns else), or "
				"'2016-03-04 17:46:23.1'",
				text_cell_quote(cell, quote));
}

/* ---- CPUs ------------------------------------------------------------------------------------------ */

enum histree_status event_parts_cpu(struct event_text *text, int32_t *cpu, struct histree_error *error)
{
	char quote[64];
	int64_t number;
	const struct text_cell *cell = text_table_cell(&text->table, text->parts[MAP_CPU]);
	*cpu = -1;
	if (text_cell_is_empty(cell))
		return HISTREE_OK;
	if (!text_cell_integer(cell, &number) || number < -1 || number > INT32_MAX)
		return text_table_fault(&text->table, text->parts[MAP_CPU], error, "%s is no number of a CPU",
					text_cell_quote(cell, quote));
	*cpu = (int32_t)number;
	return HISTREE_OK;
}
