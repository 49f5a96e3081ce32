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

/* Returns whether the word stands right before `at`, in what comes from `begin` on. */
static bool ends_with(const uint8_t *begin, const uint8_t *at, const char *word)
{
	const size_t size = strlen(word);
	return (size_t)(at - begin) >= size && memcmp(at - size, word, size) == 0;
}

/*
 * Go behind the first of the words that begin an element with data.  *is_viewer: it is that of a page by
 * trace2html, which has its trace in gzip, written as base64.  What the words have in common is searched for, so
 * that many elements in one window are each passed once.
 */
static enum histree_status go_to_element(struct trace_bytes *bytes, bool *is_viewer, struct histree_error *error)
{
	static const char of_systrace[] = "class=\"trace", of_viewer[] = "id=\"viewer", common[] = "-data\"";
	enum { LONGEST = sizeof(of_systrace) + sizeof(common) - 2 };
	enum histree_status status = HISTREE_OK;
	for (; status == HISTREE_OK; status = trace_bytes_more(bytes, error)) {
		const uint8_t *begin = bytes->at, *at = begin;
		while (at < bytes->end &&
		       (at = memmem(at, (size_t)(bytes->end - at), common, strlen(common))) != NULL) {
			*is_viewer = ends_with(begin, at, of_viewer);
			const bool is_element = *is_viewer || ends_with(begin, at, of_systrace);
			at += strlen(common);
			if (!is_element)
				continue;
			bytes->at = at;
			return HISTREE_OK;
		}
		if (bytes->end - begin > LONGEST)
			bytes->at = bytes->end - LONGEST;
	}
	return status;
}

static enum histree_status pass_spaces(struct trace_bytes *bytes, struct histree_error *error)
{
	for (;;) {
		while (bytes->at < bytes->end && is_space(*bytes->at))
			bytes->at++;
		enum histree_status status = bytes->at < bytes->end ? HISTREE_OK : trace_bytes_more(bytes, error);
		if (status != HISTREE_OK || (bytes->at < bytes->end && !is_space(*bytes->at)))
			return status;
	}
}

enum histree_status json_page_next(struct trace_bytes *bytes, struct histree_error *error)
{
	for (;;) {
		bool is_viewer = false;
		if (bytes->is_base64)
			trace_bytes_leave_base64(bytes);
		enum histree_status status = go_to_element(bytes, &is_viewer, error);
		if (status == HISTREE_OK)
			status = go_behind(bytes, ">", error);
		if (status == HISTREE_OK)
			status = pass_spaces(bytes, error);
		const bool is_packed = status == HISTREE_OK && is_viewer && *bytes->at != '{' &&
				       *bytes->at != '[' && *bytes->at != '<' && bytes->gunzip == NULL;
		if (!is_packed)
			return status;
		status = trace_bytes_enter_base64(bytes, error);
		if (status == HISTREE_OK)
			status = pass_spaces(bytes, error);
		if (status != HISTREE_END) /* else there is nothing that can be unpacked */
			return status;
	}
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
			page.has_text |= !is_json && !bytes.is_base64 && *bytes.at != '<';
		}
	trace_bytes_close(&bytes);
	return page;
}
