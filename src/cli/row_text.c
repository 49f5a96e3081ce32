// SPDX-License-Identifier: MIT
/*
 * row_text.c - aligned columns for people.
 *
 * Columns are two spaces apart.  Padding is written before the next cell, so that no line ends in blanks.
 * Control characters are escaped: what is in a trace must not drive the terminal.
 */
#include "cli/control_text.h"
#include "cli/row_writer.h"

static void begin(struct row_writer *rows)
{
	(void)rows;
}

/* Begins a cell that is `width` characters wide, and notes how many spaces come before the next one. */
static void align(struct row_writer *rows, size_t width)
{
	const struct row_column *column = &rows->columns[rows->column];
	size_t padding = width < column->width ? column->width - width : 0;
	if (width == 0) {
		rows->gap += padding + 2;
		return;
	}
	output_spaces(rows->output, rows->gap + (column->to_the_right ? padding : 0));
	rows->gap = 2 + (column->to_the_right ? 0 : padding);
}

static void plain(struct row_writer *rows, const char *bytes, size_t size)
{
	align(rows, size);
	output_bytes(rows->output, bytes, size);
}

/* Writes what is shown instead of the byte at `at` and returns its size; 0 if the byte is shown as it is. */
static size_t escape_of(char escape[CONTROL_ESCAPE_SIZE], const char *bytes, size_t size, size_t at,
			enum row_text_kind kind)
{
	if (bytes[at] == '\\' && kind != ROW_PATH) {
		escape[0] = escape[1] = '\\';
		return 2;
	}
	return control_text_at(bytes, size, at) ? control_text_escape(bytes[at], escape) : 0;
}

/* Returns the width on a terminal, one for each character: bytes that continue a UTF-8 character have none. */
static size_t width_of(const char *bytes, size_t size, enum row_text_kind kind)
{
	size_t width = 0;
	for (size_t i = 0; i < size; i++) {
		char escape[CONTROL_ESCAPE_SIZE];
		size_t escape_size = escape_of(escape, bytes, size, i, kind);
		width += escape_size > 0 ? escape_size : ((unsigned char)bytes[i] & 0xc0) != 0x80;
	}
	return width;
}

static void text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	align(rows, width_of(bytes, size, kind));
	size_t done = 0;
	for (size_t i = 0; i < size; i++) {
		char escape[CONTROL_ESCAPE_SIZE];
		size_t escape_size = escape_of(escape, bytes, size, i, kind);
		if (escape_size == 0)
			continue;
		output_bytes(rows->output, bytes + done, i - done);
		output_bytes(rows->output, escape, escape_size);
		done = i + 1;
	}
	output_bytes(rows->output, bytes + done, size - done);
}

static void null(struct row_writer *rows)
{
	align(rows, 0);
}

static void end(struct row_writer *rows)
{
	output_char(rows->output, '\n');
}

const struct row_format row_format_text = {
	.for_people = true,
	.array = { "", " ", "" },
	.begin = begin,
	.plain = plain,
	.text = text,
	.null = null,
	.end = end,
	.finish = begin,
};
