// SPDX-License-Identifier: MIT
#include "trace/lines/line_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cancel.h"
#include "base/error.h"
#include "trace/lines/line_json.h"

/* What comes before a text that zlib has packed. */
static const char atrace_mark[] = "TRACE:\n";

/* Of zlib: RFC 1950, section 2.2. */
static bool is_zlib(const uint8_t *bytes)
{
	enum { DEFLATE = 8, CHECK = 31 };
	return (bytes[0] & 0xf) == DEFLATE && (bytes[0] << 8 | bytes[1]) % CHECK == 0;
}

/* Where what is packed begins; UINT64_MAX: nothing is. */
static uint64_t find_packed(const char *bytes, size_t size)
{
	const size_t mark = strlen(atrace_mark);
	if (size >= LINE_UNPACK_MAGIC_SIZE && line_unpack_is_packed(bytes))
		return 0;
	const char *at = memmem(bytes, size, atrace_mark, mark);
	bool is = at != NULL && (at == bytes || at[-1] == '\n') && bytes + size - at >= (ptrdiff_t)mark + 2 &&
		  is_zlib((const uint8_t *)at + mark);
	return is ? (uint64_t)(at - bytes) + mark : UINT64_MAX;
}

static enum histree_status look_for_packed(struct line_text *text, struct histree_error *error)
{
	char first[4096];
	size_t size;
	enum histree_status status = text_input_read(&text->input, first, sizeof(first), &size, error);
	text->input.at = 0;
	uint64_t packed_at = status == HISTREE_OK ? find_packed(first, size) : UINT64_MAX;
	if (packed_at == UINT64_MAX)
		return status;
	text->input.at = packed_at;
	return line_unpack_create(&text->unpack, error);
}

void line_text_close(struct line_text *text)
{
	text_input_close(&text->input);
	line_unpack_free(text->unpack);
	line_json_free(text->json);
	free(text->bytes);
	*text = (struct line_text){ .input = { .file = -1 } };
}

void line_text_seek(struct line_text *text, uint64_t at)
{
	text->input.at = text->filled_at = at;
	text->used = text->filled = 0;
	text->at_end = text->is_in_page = false;
}

static enum histree_status read_file(struct line_text *text, char *room, size_t room_size, size_t *size,
				     struct histree_error *error)
{
	return text->unpack == NULL ? text_input_read(&text->input, room, room_size, size, error)
				    : line_unpack(text->unpack, &text->input, room, room_size, size, error);
}

/* Of a text in JSON what is no text is passed over. */
static enum histree_status read_some(struct line_text *text, char *room, size_t room_size, size_t *size,
				     struct histree_error *error)
{
	if (text->json == NULL)
		return read_file(text, room, room_size, size, error);
	for (;;) {
		size_t taken, free_size;
		*size = line_json_get(text->json, room, room_size);
		if (*size > 0 || line_json_has_ended(text->json))
			return HISTREE_OK;
		char *free_room = line_json_room(text->json, &free_size);
		if (text->cancel != NULL && cancel_asked(text->cancel))
			return error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
		enum histree_status status = read_file(text, free_room, free_size, &taken, error);
		if (status != HISTREE_OK || taken == 0)
			return status;
		line_json_put(text->json, taken);
	}
}

/* Have more bytes behind those that are there, which move to the front. */
static enum histree_status fill(struct line_text *text, struct histree_error *error)
{
	size_t size, kept = text->filled - text->used;
	memmove(text->bytes, text->bytes + text->used, kept);
	text->used = 0;
	text->filled = kept;
	if (text->cancel != NULL && cancel_asked(text->cancel))
		return error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
	enum histree_status status = read_some(text, text->bytes + kept, LINE_BUFFER_SIZE - kept, &size, error);
	if (status != HISTREE_OK)
		return status;
	text->at_end = size == 0;
	text->filled += size;
	text->filled_at += size;
	return HISTREE_OK;
}

/* A mark of the order of bytes is no text; what begins with an element is a page. */
static enum histree_status begin(struct line_text *text, struct histree_error *error)
{
	enum histree_status status = fill(text, error);
	if (status != HISTREE_OK) /* what is damaged is so when it is read */
		return status == HISTREE_ERR_TRACE ? HISTREE_OK : status;
	if (text->filled >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0)
		text->used = 3;
	size_t at = text->used;
	while (at < text->filled && strchr(" \t\r\n", text->bytes[at]) != NULL && text->bytes[at] != '\0')
		at++;
	static const char *const elements[] = { "<!doctype html", "<html" };
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if (text->filled - at >= strlen(elements[i]) &&
		    strncasecmp(text->bytes + at, elements[i], strlen(elements[i])) == 0)
			text->is_page = text->is_in_page = true;
	return HISTREE_OK;
}

enum histree_status line_text_open(struct line_text *text, const struct line_place *place,
				   struct histree_error *error)
{
	*text = (struct line_text){ .cancel = place->cancel };
	enum histree_status status = text_input_open(&text->input, place->io, place->path, error);
	if (status == HISTREE_OK && !text->input.is_file)
		status = error_set(error, HISTREE_ERR_TRACE,
				   "'%.200s' is no file: events are read more than once, so keep them in one",
				   place->path);
	if (status == HISTREE_OK)
		status = look_for_packed(text, error);
	if (status == HISTREE_OK && place->is_in_json) {
		text->json = line_json_create();
		status = text->json == NULL ? error_memory(error, "a text in JSON") : HISTREE_OK;
	}
	text->bytes = status == HISTREE_OK ? malloc(LINE_BUFFER_SIZE) : NULL;
	if (status == HISTREE_OK && text->bytes == NULL)
		status = error_memory(error, "a part of a text");
	if (status == HISTREE_OK)
		status = begin(text, error);
	if (status != HISTREE_OK)
		line_text_close(text);
	return status;
}

/* Pass over the rest of a line that is too long. */
static enum histree_status pass_rest(struct line_text *text, struct histree_error *error)
{
	for (;;) {
		char *begin = text->bytes + text->used;
		const char *end = memchr(begin, '\n', text->filled - text->used);
		if (end != NULL) {
			text->used += (size_t)(end - begin) + 1;
			return HISTREE_OK;
		}
		text->used = text->filled;
		if (text->at_end)
			return HISTREE_OK;
		enum histree_status status = fill(text, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* Returns where the line ends whose bytes up to `known` are known to have no end; NULL: not in the buffer. */
static char *find_end(const struct line_text *text, size_t known)
{
	size_t there = text->filled - text->used;
	return there <= known ? NULL : memchr(text->bytes + text->used + known, '\n', there - known);
}

static enum histree_status next_line(struct line_text *text, char **line, size_t *size, struct histree_error *error)
{
	enum histree_status status = text->is_cut ? pass_rest(text, error) : HISTREE_OK;
	char *end = find_end(text, 0);
	while (status == HISTREE_OK && end == NULL && !text->at_end && text->filled - text->used < LINE_SIZE_MAX) {
		size_t known = text->filled - text->used;
		status = fill(text, error);
		end = find_end(text, known);
	}
	if (status != HISTREE_OK)
		return status;
	size_t there = text->filled - text->used;
	if (there == 0)
		return HISTREE_END;
	*line = text->bytes + text->used;
	*size = end != NULL ? (size_t)(end - *line) : there;
	text->line_at = text->filled_at - there;
	text->lines++;
	text->used += end != NULL ? *size + 1 : there;
	text->is_cut = end == NULL && !text->at_end;
	if (*size > LINE_SIZE_MAX)
		*size = LINE_SIZE_MAX;
	if (*size > 0 && (*line)[*size - 1] == '\r')
		--*size;
	return HISTREE_OK;
}

static bool has(const char *line, size_t size, const char *word)
{
	return memmem(line, size, word, strlen(word)) != NULL;
}

/*
 * The line of a page: returns whether it is one of the text.  Before 2014 systrace wrote the text as a string of a
 * script, with "\n\" at the end of each line.
 */
static bool is_in_text(struct line_text *text, const char *line, size_t *size)
{
	static const char old_end[] = "\\n\\", old_last[] = "\";";
	if (text->is_in_page) {
		text->is_in_page =
			!has(line, *size, "class=\"trace-data\"") && !has(line, *size, "linuxPerfData = ");
		text->begin = text->line_at;
		return false;
	}
	text->is_in_page = has(line, *size, "</script>") ||
			   (*size >= strlen(old_last) && memcmp(line, old_last, strlen(old_last)) == 0);
	size_t end = strlen(old_end);
	if (*size >= end && memcmp(line + *size - end, old_end, end) == 0)
		*size -= end;
	return !text->is_in_page;
}

enum histree_status line_text_next(struct line_text *text, char **line, size_t *size, struct histree_error *error)
{
	enum histree_status status;
	do
		status = next_line(text, line, size, error);
	while (status == HISTREE_OK && text->is_page && !is_in_text(text, *line, size));
	return status;
}

/* Move to the line in which the byte is.  HISTREE_END: in none. */
static enum histree_status skip_to(struct line_text *text, char byte, struct histree_error *error)
{
	for (;;) {
		char *begin = text->bytes + text->used, *end = text->bytes + text->filled;
		const char *at = memchr(begin, byte, (size_t)(end - begin));
		const char *line = memrchr(begin, '\n', (size_t)((at != NULL ? at : end) - begin));
		if (line != NULL)
			text->used += (size_t)(line + 1 - begin);
		if (at != NULL)
			return HISTREE_OK;
		if (text->at_end)
			return HISTREE_END;
		if (text->filled - text->used >= LINE_SIZE_MAX)
			text->used = text->filled;
		enum histree_status status = fill(text, error);
		if (status != HISTREE_OK)
			return status;
	}
}

enum histree_status line_text_next_with(struct line_text *text, char byte, char **line, size_t *size,
					struct histree_error *error)
{
	enum histree_status status;
	do {
		status = text->is_page ? HISTREE_OK : skip_to(text, byte, error);
		if (status == HISTREE_OK)
			status = line_text_next(text, line, size, error);
	} while (status == HISTREE_OK && memchr(*line, byte, *size) == NULL);
	return status;
}
