// SPDX-License-Identifier: MIT
/*
 * row_json.c - one JSON array, one object a row, one row a line (RFC 8259).
 */
#include "cli/row_writer.h"

static void begin(struct row_writer *rows)
{
	output_char(rows->output, '[');
}

/* Everything before the value of a cell.  Names of columns are plain ASCII of our own. */
static void name(struct row_writer *rows)
{
	if (rows->column > 0)
		output_char(rows->output, ',');
	else
		output_text(rows->output, rows->row_count > 0 ? ",\n{" : "\n{");
	output_char(rows->output, '"');
	output_text(rows->output, rows->columns[rows->column].name);
	output_bytes(rows->output, "\":", 2);
}

static void plain(struct row_writer *rows, const char *bytes, size_t size)
{
	name(rows);
	output_bytes(rows->output, bytes, size);
}

static bool is_continued(const unsigned char *at, unsigned low, unsigned high)
{
	return *at >= low && *at <= high;
}

/*
 * The bytes of the well-formed UTF-8 character that `at` begins with, of `left` bytes; 0 if there is none.
 * The ranges are table 3-7 of the Unicode standard: no overlong form, no surrogate, nothing past U+10FFFF.
 */
static size_t character_size(const unsigned char *at, size_t left)
{
	unsigned first = at[0], low = 0x80, high = 0xbf;
	size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
	if (size <= 1 || size > left)
		return size > left ? 0 : size;
	if (first == 0xe0)
		low = 0xa0;
	else if (first == 0xed)
		high = 0x9f;
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xf4)
		high = 0x8f;
	if (!is_continued(at + 1, low, high))
		return 0;
	for (size_t i = 2; i < size; i++)
		if (!is_continued(at + i, 0x80, 0xbf))
			return 0;
	return size;
}

static void escape(struct output *output, unsigned char c)
{
	static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	for (size_t i = 0; i < sizeof(named) - 1; i += 2) {
		if ((unsigned char)named[i] == c) {
			output_char(output, '\\');
			output_char(output, named[i + 1]);
			return;
		}
	}
	output_format(output, "\\u%04x", c);
}

static void text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	(void)kind;
	name(rows);
	output_char(rows->output, '"');
	for (size_t i = 0; i < size;) {
		unsigned char c = (unsigned char)bytes[i];
		if (c < 0x20 || c == '"' || c == '\\') {
			escape(rows->output, c);
			i++;
			continue;
		}
		size_t taken = character_size((const unsigned char *)bytes + i, size - i);
		if (taken == 0)
			output_text(rows->output, "\xef\xbf\xbd"); /* U+FFFD */
		else
			output_bytes(rows->output, bytes + i, taken);
		i += taken == 0 ? 1 : taken;
	}
	output_char(rows->output, '"');
}

static void null(struct row_writer *rows)
{
	plain(rows, "null", 4);
}

static void end(struct row_writer *rows)
{
	output_char(rows->output, '}');
}

static void finish(struct row_writer *rows)
{
	output_text(rows->output, rows->row_count > 0 ? "\n]\n" : "]\n");
}

const struct row_format row_format_json = {
	.array = { "[", ",", "]" },
	.begin = begin,
	.plain = plain,
	.text = text,
	.null = null,
	.end = end,
	.finish = finish,
};
