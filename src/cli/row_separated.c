// SPDX-License-Identifier: MIT
/*
 * row_separated.c - tab-separated and comma-separated values: a header line, then one line a row.
 *
 * They differ in the separator, the end of a line and how a text is kept from looking like either.
 */
#include "cli/row_writer.h"

static void header(struct row_writer *rows)
{
	for (size_t i = 0; i < rows->column_count; i++) {
		if (i > 0)
			output_char(rows->output, rows->format->separator);
		output_text(rows->output, rows->columns[i].name);
	}
	output_text(rows->output, rows->format->line_end);
}

/* Writes an empty cell; every other cell begins with this too. */
static void null(struct row_writer *rows)
{
	if (rows->column > 0)
		output_char(rows->output, rows->format->separator);
}

static void plain(struct row_writer *rows, const char *bytes, size_t size)
{
	null(rows);
	output_bytes(rows->output, bytes, size);
}

static void end(struct row_writer *rows)
{
	output_text(rows->output, rows->format->line_end);
}

static void finish(struct row_writer *rows)
{
	(void)rows;
}

/* Returns the letter that follows the backslash in the escape sequence of a byte; 0 if the byte needs none. */
static char tsv_escape(char c, enum row_text_kind kind)
{
	switch (c) {
	case '\\':
		return kind == ROW_PATH ? '\0' : '\\';
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	default:
		return '\0';
	}
}

static void tsv_text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	null(rows);
	size_t done = 0;
	for (size_t i = 0; i < size; i++) {
		char letter = tsv_escape(bytes[i], kind);
		if (letter == '\0')
			continue;
		output_bytes(rows->output, bytes + done, i - done);
		output_char(rows->output, '\\');
		output_char(rows->output, letter);
		done = i + 1;
	}
	output_bytes(rows->output, bytes + done, size - done);
}

static bool csv_needs_quotes(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n' || bytes[i] == '\r')
			return true;
	return false;
}

static void csv_text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	(void)kind;
	if (!csv_needs_quotes(bytes, size)) {
		plain(rows, bytes, size);
		return;
	}
	null(rows);
	output_char(rows->output, '"');
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '"')
			output_char(rows->output, '"');
		output_char(rows->output, bytes[i]);
	}
	output_char(rows->output, '"');
}

const struct row_format row_format_tsv = {
	.array = { "", " ", "" },
	.separator = '\t',
	.line_end = "\n",
	.begin = header,
	.plain = plain,
	.text = tsv_text,
	.null = null,
	.end = end,
	.finish = finish,
};

const struct row_format row_format_csv = {
	.array = { "", " ", "" },
	.separator = ',',
	.line_end = "\r\n",
	.begin = header,
	.plain = plain,
	.text = csv_text,
	.null = null,
	.end = end,
	.finish = finish,
};
