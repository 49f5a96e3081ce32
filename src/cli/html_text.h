/* SPDX-License-Identifier: MIT */
/*
 * html_text.h - texts of a trace inside of a page of HTML: no byte of them is markup.
 */
#ifndef CLI_HTML_TEXT_H
#define CLI_HTML_TEXT_H

#include "cli/output.h"

/* Writes a text, also as the value of an attribute in quotes.  What is not UTF-8 becomes U+FFFD. */
void html_text(struct output *output, const char *bytes, size_t size);

/* Writes bytes inside of a URL "data:", as %XX where they are not plain. */
void html_data(struct output *output, const char *bytes, size_t size);

#endif
