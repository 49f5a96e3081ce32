// SPDX-License-Identifier: MIT
/*
 * row_json.c - one JSON array, one object a row, one row a line (RFC 8259).
 */
#include "base/json_text.h"
#include "cli/row_writer.h"

static void begin(struct row_writer *rows)
{
	output_char(rows->output, '[');
}

/* Writes everything before the value of a cell.  Names of columns are plain ASCII. */
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

static void text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	(void)kind;
	name(rows);
	output_char(rows->output, '"');
	while (size > 0) {
		struct json_piece piece = json_piece_next(bytes, size);
		output_bytes(rows->output, bytes, piece.plain);
		output_bytes(rows->output, piece.escape, piece.escape_size);
		bytes += piece.taken;
		size -= piece.taken;
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
