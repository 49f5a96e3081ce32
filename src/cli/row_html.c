// SPDX-License-Identifier: MIT
/*
 * row_html.c - a table of a page of HTML, for people.
 */
#include "cli/html_text.h"
#include "cli/row_writer.h"

static void begin_cell(struct row_writer *rows, const char *kind)
{
	output_text(rows->output, rows->column == 0 ? "<tr>" : "");
	output_format(rows->output, rows->columns[rows->column].to_the_right ? "<%s class=\"number\">" : "<%s>",
		      kind);
}

static void begin(struct row_writer *rows)
{
	output_text(rows->output, "<table>\n<thead>");
	for (; rows->column < rows->column_count; rows->column++) {
		const char *name = rows->columns[rows->column].name;
		begin_cell(rows, "th");
		html_text(rows->output, name, strlen(name));
		output_text(rows->output, "</th>");
	}
	rows->column = 0;
	output_text(rows->output, "</tr></thead>\n<tbody>\n");
}

static void plain(struct row_writer *rows, const char *bytes, size_t size)
{
	begin_cell(rows, "td");
	output_bytes(rows->output, bytes, size);
	output_text(rows->output, "</td>");
}

static void text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	(void)kind;
	begin_cell(rows, "td");
	html_text(rows->output, bytes, size);
	output_text(rows->output, "</td>");
}

static void null(struct row_writer *rows)
{
	plain(rows, "", 0);
}

static void end(struct row_writer *rows)
{
	output_text(rows->output, "</tr>\n");
}

static void finish(struct row_writer *rows)
{
	output_text(rows->output, "</tbody>\n</table>\n");
}

const struct row_format row_format_html = {
	.for_people = true,
	.array = { "", " ", "" },
	.begin = begin,
	.plain = plain,
	.text = text,
	.null = null,
	.end = end,
	.finish = finish,
};
