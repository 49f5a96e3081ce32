// SPDX-License-Identifier: MIT
/*
 * overview_page.c - a page about a store, as text for a terminal or as one self-contained file of HTML.
 */
#include "cli/overview_page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/output.h"

enum { SENTENCE_MAX = 4096 };

static const char style[] =
	"body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#1d2733;"
	"background:#fff}"
	"h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2rem 0 .3rem}p{margin:.3rem 0}"
	"table{border-collapse:collapse;margin:.5rem 0}"
	"th,td{padding:.15rem .8rem .15rem 0;text-align:left;white-space:nowrap}"
	"th{color:#5a6673;font-weight:500;border-bottom:1px solid #d5dbe1}"
	".number{text-align:right;font-variant-numeric:tabular-nums}"
	"code{color:#5a6673;font-size:.85rem}img{max-width:100%;background:#fff}"
	"@media(prefers-color-scheme:dark){body{color:#d9dfe6;background:#161b21}th,code{color:#97a3b0}"
	"th{border-color:#39424d}}";

/* A text of a trace, so that it drives neither a terminal nor a browser. */
static void put_text(struct overview_page *page, const char *text)
{
	char shown[SENTENCE_MAX];
	if (page->is_html) {
		html_text(page->output, text, strlen(text));
		return;
	}
	control_text_copy(text, shown, sizeof(shown));
	output_text(page->output, shown);
}

static void put_element(struct overview_page *page, const char *element, const char *text)
{
	if (page->is_html)
		output_format(page->output, "<%s>", element);
	put_text(page, text);
	if (page->is_html)
		output_format(page->output, "</%s>", element);
	output_char(page->output, '\n');
}

void overview_page_begin(struct overview_page *page, struct output *output, bool is_html, const char *title)
{
	*page = (struct overview_page){ .output = output, .is_html = is_html };
	if (is_html) {
		output_text(output, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
				    "<meta name=\"viewport\" content=\"width=device-width\">\n");
		put_element(page, "title", title);
		output_format(output, "<style>%s</style>\n</head>\n<body>\n", style);
	}
	put_element(page, "h1", title);
}

void overview_page_end(struct overview_page *page)
{
	if (page->is_html)
		output_text(page->output, "</body>\n</html>\n");
}

void overview_page_section(struct overview_page *page, const char *title)
{
	output_char(page->output, '\n');
	put_element(page, "h2", title);
}

void overview_page_from(histree_time start, char text[OVERVIEW_PAGE_FROM_SIZE])
{
	char date[TIME_TEXT_SIZE];
	time_format_date(start, date);
	snprintf(text, OVERVIEW_PAGE_FROM_SIZE, "%s %s", date,
		 time_has_day(start) ? "on (UTC)" : "s of its clock on");
}

void overview_page_sentence(struct overview_page *page, const char *format, ...)
{
	char text[SENTENCE_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put_element(page, "p", text);
}

void overview_page_table(struct overview_page *page, const struct row_column *columns, size_t column_count,
			 unsigned kind)
{
	row_writer_begin(&page->rows, page->is_html ? &row_format_html : &row_format_text, page->output, columns,
			 column_count, kind);
	if (!page->is_html)
		row_names(&page->rows);
}

void overview_page_table_end(struct overview_page *page)
{
	row_writer_finish(&page->rows);
}

void overview_page_command(struct overview_page *page, const char *before, const char *store, const char *after)
{
	char word[SENTENCE_MAX] = "";
	if (store != NULL)
		shell_word_copy(word, sizeof(word), store);
	output_text(page->output, page->is_html ? "<p><code>" : "  $ ");
	output_text(page->output, "histree ");
	put_text(page, before);
	output_text(page->output, store != NULL ? " " : "");
	put_text(page, word);
	put_text(page, after);
	output_text(page->output, page->is_html ? "</code></p>\n" : "\n");
}

void overview_page_picture(struct overview_page *page, const char *what, const char *svg, size_t size)
{
	if (!page->is_html)
		return;
	output_text(page->output, "<p><img alt=\"");
	html_text(page->output, what, strlen(what));
	output_text(page->output, "\" src=\"data:image/svg+xml,");
	html_data(page->output, svg, size);
	output_text(page->output, "\"></p>\n");
}
