// SPDX-License-Identifier: MIT
/*
 * text_separated.c - rows of tab-separated and comma-separated values (RFC 4180).
 *
 * A cell is cut out of its row in place: what stood behind it becomes a zero.
 */
#include <string.h>

#include "text/text_format.h"
#include "text/text_table.h"

static char *line_end(char *bytes, size_t size, size_t scanned)
{
	return memchr(bytes + scanned, '\n', size - scanned);
}

static enum histree_status count_fault(const struct text_table *table, size_t count, struct histree_error *error)
{
	return text_table_fault(table, TEXT_NO_COLUMN, error, "has %zu column%s, and the names are %zu", count,
				count == 1 ? "" : "s", table->column_count);
}

static void set_cell(struct text_table *table, size_t column, char *bytes, size_t size)
{
	bytes[size] = '\0';
	table->cells[column] = (struct text_cell){ .kind = TEXT_PLAIN, .bytes = bytes, .size = size };
}

/* How many cells there would be, for a message: what follows may be long. */
static size_t count_more(const char *bytes, const char *end, char separator)
{
	size_t count = 1;
	while ((bytes = memchr(bytes, separator, (size_t)(end - bytes))) != NULL) {
		bytes++;
		count++;
	}
	return count;
}

static enum histree_status split_tsv(struct text_table *table, char *bytes, size_t size,
				     struct histree_error *error)
{
	char *end = bytes + size;
	for (size_t column = 0; column < table->column_count; column++) {
		char *next = memchr(bytes, '\t', (size_t)(end - bytes));
		bool is_last = column + 1 == table->column_count;
		if (is_last != (next == NULL))
			return count_fault(table, column + count_more(bytes, end, '\t'), error);
		set_cell(table, column, bytes, (size_t)((next != NULL ? next : end) - bytes));
		table->cells[column].is_escaped = true;
		bytes = next != NULL ? next + 1 : end;
	}
	return HISTREE_OK;
}

const struct text_format text_format_tsv = {
	.name = "tsv",
	.separator = '\t',
	.row_end = line_end,
	.split = split_tsv,
};

/* ---- commas and quotes ------------------------------------------------------------------------------- */

/*
 * A row ends at the first line feed that an even number of quotes precede: quotes come in pairs, those that mean a
 * quote too.
 */
static char *quoted_row_end(char *bytes, size_t size, size_t scanned)
{
	char *at = bytes, *end = bytes + size;
	(void)scanned; /* whether it is within quotes depends on all that precedes it */
	while (at < end) {
		char *line = memchr(at, '\n', (size_t)(end - at));
		char *quote = memchr(at, '"', (size_t)((line != NULL ? line : end) - at));
		if (quote == NULL)
			return line;
		char *other = memchr(quote + 1, '"', (size_t)(end - quote - 1));
		if (other == NULL)
			return NULL;
		at = other + 1;
	}
	return NULL;
}

/* A cell that begins with a quote.  Returns what is behind it, NULL if it has no end or goes on behind that. */
static char *take_quoted(struct text_table *table, size_t column, char *bytes, char *end)
{
	char *from = bytes + 1, *to = bytes;
	for (;;) {
		char *quote = memchr(from, '"', (size_t)(end - from));
		if (quote == NULL)
			return NULL;
		memmove(to, from, (size_t)(quote - from));
		to += quote - from;
		from = quote + 1;
		if (from == end || *from != '"')
			break;
		*to++ = *from++;
	}
	if (from < end && *from != ',')
		return NULL;
	set_cell(table, column, bytes, (size_t)(to - bytes));
	return from;
}

static enum histree_status split_csv(struct text_table *table, char *bytes, size_t size,
				     struct histree_error *error)
{
	char *end = bytes + size;
	for (size_t column = 0; column < table->column_count; column++) {
		char *behind;
		bool is_quoted = bytes < end && *bytes == '"';
		if (is_quoted) {
			behind = take_quoted(table, column, bytes, end);
			if (behind == NULL)
				return text_table_fault(table, column, error,
							"a quote without its end, or something behind it; a quote "
							"within quotes is written twice");
		} else {
			behind = memchr(bytes, ',', (size_t)(end - bytes));
			behind = behind != NULL ? behind : end;
			if (memchr(bytes, '"', (size_t)(behind - bytes)) != NULL)
				return text_table_fault(table, column, error,
							"a quote in a cell that does not begin with one; put the "
							"cell in quotes, and write the quote twice");
		}
		bool is_last = column + 1 == table->column_count;
		if (is_last != (behind == end))
			return count_fault(table, column + count_more(behind, end, ','), error);
		if (!is_quoted)
			set_cell(table, column, bytes, (size_t)(behind - bytes));
		bytes = behind < end ? behind + 1 : end;
	}
	return HISTREE_OK;
}

const struct text_format text_format_csv = {
	.name = "csv",
	.separator = ',',
	.row_end = quoted_row_end,
	.split = split_csv,
};
