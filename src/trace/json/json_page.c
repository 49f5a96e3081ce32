// SPDX-License-Identifier: MIT
/*
 * json_page.c - the elements of an HTML page that hold a trace in JSON.
 */
#include "trace/json/json_page.h"

#include <string.h>
#include <strings.h>

/* Have a word in the window, and go behind it.  Returns HISTREE_END if none comes. */
static enum histree_status go_behind(struct trace_bytes *bytes, const char *word, struct histree_error *error)
{
	const size_t size = strlen(word);
	for (;;) {
		const size_t there = (size_t)(bytes->end - bytes->at);
		const uint8_t *at = there >= size ? memmem(bytes->at, there, word, size) : NULL;
		if (at != NULL) {
			bytes->at = at + size;
			return HISTREE_OK;
		}
		if (there >= size)
			bytes->at = bytes->end - (size - 1);
		enum histree_status status = trace_bytes_more(bytes, error);
		if (status != HISTREE_OK)
			return status;
	}
}

static bool is_space(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

bool json_page_begins(const void *bytes, size_t size)
{
	static const char *const elements[] = { "<!doctype html", "<html" };
	const char *at = bytes, *end = at + size;
	if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) /* of UTF-8 */
		at += 3;
	while (at < end && is_space((uint8_t)*at))
		at++;
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if ((size_t)(end - at) >= strlen(elements[i]) &&
		    strncasecmp(at, elements[i], strlen(elements[i])) == 0)
			return true;
	return false;
}

enum histree_status json_page_next(struct trace_bytes *bytes, struct histree_error *error)
{
	enum histree_status status = go_behind(bytes, "class=\"trace-data\"", error);
	if (status == HISTREE_OK)
		status = go_behind(bytes, ">", error);
	while (status == HISTREE_OK) {
		while (bytes->at < bytes->end && is_space(*bytes->at))
			bytes->at++;
		if (bytes->at < bytes->end)
			break;
		status = trace_bytes_more(bytes, error);
	}
	return status;
}

struct json_page json_page_look(const struct io *io, const char *path)
{
	struct trace_bytes bytes = { 0 };
	struct json_page page = { 0 };
	enum histree_status status = trace_bytes_open(&bytes, io, path, NULL);
	if (status == HISTREE_OK)
		status = trace_bytes_more(&bytes, NULL);
	if (status == HISTREE_OK && json_page_begins(bytes.at, (size_t)(bytes.end - bytes.at)))
		while (json_page_next(&bytes, NULL) == HISTREE_OK) {
			const bool is_json = *bytes.at == '{' || *bytes.at == '[';
			page.has_json |= is_json;
			page.has_text |= !is_json && *bytes.at != '<';
		}
	trace_bytes_close(&bytes);
	return page;
}
