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

/* How many bytes a UTF-8 character has that begins with `first`; 0: none begins so. */
static size_t announced_size(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2)
		return 0;
	if (first < 0xe0)
		return 2;
	if (first < 0xf0)
		return 3;
	return first < 0xf5 ? 4 : 0;
}

/*
 * The bytes of the well-formed UTF-8 character that `at` begins with, of `left` bytes; 0 if there is none.
 * The ranges are table 3-7 of the Unicode standard: no overlong form, no surrogate, nothing past U+10FFFF.
 */
static size_t character_size(const unsigned char *at, size_t left)
{
	size_t size = announced_size(at[0]);
	unsigned char least = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char most = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
	if (size > left)
		return 0;
	if (size > 1 && (at[1] < least || at[1] > most))
		return 0;
	for (size_t i = 2; i < size; i++)
		if ((at[i] & 0xc0) != 0x80)
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
	const unsigned char *at = (const unsigned char *)bytes;
	(void)kind;
	name(rows);
	output_char(rows->output, '"');
	size_t done = 0;
	for (size_t i = 0, taken; i < size; i += taken) {
		bool is_special = at[i] < 0x20 || at[i] == '"' || at[i] == '\\';
		taken = is_special ? 0 : character_size(at + i, size - i);
		if (taken > 0)
			continue;
		taken = 1;
		output_bytes(rows->output, bytes + done, i - done);
		done = i + 1;
		if (is_special)
			escape(rows->output, at[i]);
		else
			output_text(rows->output, "\xef\xbf\xbd"); /* U+FFFD */
	}
	output_bytes(rows->output, bytes + done, size - done);
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
