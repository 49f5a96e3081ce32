/* SPDX-License-Identifier: MIT */
/*
 * json_page.h - traces in JSON in the elements of an HTML page, as systrace writes those of its agents beside the
 * text of ftrace (line_text.h), and as trace2html of Catapult writes one, packed.
 */
#ifndef TRACE_JSON_JSON_PAGE_H
#define TRACE_JSON_JSON_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace_bytes.h"

/* What is in the elements of a page; neither: of no page. */
struct json_page {
	bool has_json, has_text;
};

/* Returns whether what begins so is a page. */
bool json_page_begins(const void *bytes, size_t size);

/*
 * Go to the first byte of the next element with data of a trace that is no space; what is packed in it is unpacked
 * from there on (trace_bytes_enter_base64()).  Returns HISTREE_END if there is none, HISTREE_ERR_IO,
 * HISTREE_ERR_MEMORY.
 */
enum histree_status json_page_next(struct trace_bytes *bytes, struct histree_error *error);

/* Returns what a file has; what cannot be read has nothing. */
struct json_page json_page_look(const struct io *io, const char *path);

#endif
