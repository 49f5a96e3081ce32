// SPDX-License-Identifier: MIT
/*
 * name_table.c - names of functions by address, sorted once; if an address has several names, the one of the
 * highest rank is kept.
 */
#include "symbols/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/table.h"

bool name_table_add(struct name_table *table, struct named_range range, size_t name_size)
{
	if (table->count == NAME_TABLE_NAMES_MAX || name_size == 0 || name_size > NAME_SIZE_MAX ||
	    table->names.bytes_total > NAME_TABLE_TEXT_MAX)
		return true;
	range.name = arena_copy(&table->names, range.name, name_size);
	if (range.name == NULL || !array_reserve(&table->ranges, &table->capacity, table->count + 1))
		return false;
	table->ranges[table->count++] = range;
	return true;
}

/* ---- text --------------------------------------------------------------------------------------------------- */

static int digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static const char *skip_spaces(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Returns where the address ends, or NULL if it is not an address. */
static const char *read_address(const char *at, const char *end, uint64_t *address)
{
	unsigned digits = 0;
	*address = 0;
	if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	for (; at < end && digit_of(*at) >= 0; at++, digits++) {
		if (digits == 16)
			return NULL;
		*address = *address << 4 | (uint64_t)digit_of(*at);
	}
	return digits > 0 && at < end && (*at == ' ' || *at == '\t') ? at : NULL;
}

static bool read_line(struct name_table *table, const char *at, const char *end)
{
	struct named_range range = { 0 };
	at = read_address(skip_spaces(at, end), end, &range.start);
	if (at == NULL)
		return true;
	at = skip_spaces(at, end);
	while (end > at && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	if (end - at > 2 && (at[1] == ' ' || at[1] == '\t')) {
		/* The types of nm that are code: global, weak, local; of others the rank is above these. */
		const char *found = strchr("TWwiVt", *at);
		range.rank = found != NULL ? (unsigned)(found - "TWwiVt") : 100;
		if (range.rank == 100)
			return true;
		at = skip_spaces(at + 1, end);
	}
	/* Behind a tab, the kernel names the module. */
	const char *tab = end > at ? memchr(at, '\t', (size_t)(end - at)) : NULL;
	end = tab != NULL ? tab : end;
	range.name = at;
	return memchr(at, '\0', (size_t)(end - at)) != NULL || name_table_add(table, range, (size_t)(end - at));
}

bool name_table_read(struct name_table *table, const char *text, size_t size)
{
	const char *end = text + size;
	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		if (line_end == NULL)
			line_end = end;
		if (!read_line(table, text, line_end))
			return false;
		text = line_end < end ? line_end + 1 : end;
	}
	return true;
}

/* A letter between blanks, and a name. */
static bool is_typed_name(const char *at, const char *end)
{
	return end - at > 2 && ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z')) && at[1] == ' ' &&
	       at[2] != ' ';
}

bool name_table_is_of_nm(const char *text, size_t size)
{
	const char *end = text + size, *line_end;
	bool has_functions = false;
	for (; text < end && (line_end = memchr(text, '\n', (size_t)(end - text))) != NULL; text = line_end + 1) {
		uint64_t address;
		const char *after = read_address(text, line_end, &address);
		const char *type = skip_spaces(after != NULL ? after : text, line_end);
		if (type == line_end && after == NULL)
			continue; /* an empty line */
		if (type == text || !is_typed_name(type, line_end))
			return false;
		has_functions |= after != NULL && (*type == 'T' || *type == 't');
	}
	return has_functions;
}

/* ---- look-up ------------------------------------------------------------------------------------------------ */

COMPARE(by_start, struct named_range, BY(start) BY(rank) BY_TEXT(name))

void name_table_sort(struct name_table *table)
{
	if (table->count > 1)
		qsort(table->ranges, table->count, sizeof(*table->ranges), by_start);
}

const struct named_range *name_table_near(const struct name_table *table, uint64_t address)
{
	/* The first range that begins above the address. */
	const size_t low = SEARCH(i, 0, table->count, table->ranges[i].start <= address);
	if (low == 0)
		return NULL;
	const struct named_range *range = &table->ranges[low - 1];
	while (range > table->ranges && range[-1].start == range->start)
		range--;
	return range;
}

const struct named_range *name_table_find(const struct name_table *table, uint64_t address)
{
	const struct named_range *range = name_table_near(table, address);
	return range != NULL && (range->start == address || address - range->start < range->size) ? range : NULL;
}

void name_table_release(struct name_table *table)
{
	free(table->ranges);
	arena_release(&table->names);
	*table = (struct name_table){ 0 };
}
