// SPDX-License-Identifier: MIT
/*
 * row_text.c - aligned columns for people.
 *
 * Columns are two spaces apart.  Padding is written before the next cell, so that no line ends in blanks.
 * Control characters are escaped: what is in a trace must not drive the terminal.
 */
#include "cli/row_writer.h"

static void begin(struct row_writer *rows)
{
	(void)rows;
}

/* Begin a cell that takes `width` places, and know what the next one is owed. */
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

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

static size_t escape_control(char *at, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";
	static const char named[] = "\tt\nn\rr";
	at[0] = '\\';
	for (size_t i = 0; i < sizeof(named) - 1; i += 2) {
		if ((unsigned char)named[i] == c) {
			at[1] = named[i + 1];
			return 2;
		}
	}
	at[1] = 'x';
	at[2] = digits[c >> 4];
	at[3] = digits[c & 15];
	return 4;
}

/* Places on the terminal, if each character takes one: bytes that continue a UTF-8 character take none. */
static size_t width_of(const char *bytes, size_t size, enum row_text_kind kind)
{
	char escape[4];
	size_t width = 0;
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (is_control(c))
			width += escape_control(escape, c);
		else if (c == '\\' && kind != ROW_PATH)
			width += 2;
		else
			width += (c & 0xc0) != 0x80;
	}
	return width;
}

static void text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	align(rows, width_of(bytes, size, kind));
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];
		char *at = output_room(rows->output, 4);
		if (is_control(c)) {
			rows->output->used += escape_control(at, c);
			continue;
		}
		*at = (char)c;
		rows->output->used++;
		if (c == '\\' && kind != ROW_PATH)
			output_char(rows->output, '\\');
	}
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
