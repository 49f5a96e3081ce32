/* SPDX-License-Identifier: MIT */
/*
 * overview_page.h - a page about a store, of sections with a sentence, a table and the command that shows more: as
 * text for a terminal, or as one file of HTML that needs no other.
 */
#ifndef CLI_OVERVIEW_PAGE_H
#define CLI_OVERVIEW_PAGE_H

#include "base/number_text.h"
#include "cli/row_writer.h"

struct overview_page {
	struct output *output;
	bool is_html;
	struct row_writer rows; /* of the table at hand */
};

void overview_page_begin(struct overview_page *page, struct output *output, bool is_html, const char *title);
void overview_page_end(struct overview_page *page);

/* Writes what follows "from": "2016-03-04 17:46:22.794565804 on (UTC)", "85423.123456789 s of its clock on". */
enum { OVERVIEW_PAGE_FROM_SIZE = TIME_TEXT_SIZE + 24 };
void overview_page_from(histree_time start, char text[OVERVIEW_PAGE_FROM_SIZE]);

void overview_page_section(struct overview_page *page, const char *title);
void overview_page_sentence(struct overview_page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Begin a table, whose cells go to page->rows; people see the names of the columns.  ROWS_OF_HOSTS: and whose. */
void overview_page_table(struct overview_page *page, const struct row_column *columns, size_t column_count,
			 unsigned kind);
void overview_page_table_end(struct overview_page *page);

/* The command that shows more: its words after "histree", then the store, unless it is NULL, then more words. */
void overview_page_command(struct overview_page *page, const char *before, const char *store, const char *after);

/* Add a picture in SVG to a page of HTML. */
void overview_page_picture(struct overview_page *page, const char *what, const char *svg, size_t size);

#endif
