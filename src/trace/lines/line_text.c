// SPDX-License-Identifier: MIT
#include "trace/lines/line_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"

static enum histree_status look(struct line_text *text, struct histree_error *error)
{
	char magic[LINE_UNPACK_MAGIC_SIZE];
	size_t size;
	enum histree_status status = text_input_read(&text->input, magic, sizeof(magic), &size, error);
	text->input.at = 0;
	if (status == HISTREE_OK && size == sizeof(magic) && line_unpack_is_packed(magic))
		status = line_unpack_create(&text->unpack, error);
	return status;
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
		status = look(text, error);
	text->bytes = status == HISTREE_OK ? malloc(LINE_BUFFER_SIZE) : NULL;
	if (status == HISTREE_OK && text->bytes == NULL)
		status = error_memory(error, "a part of a text");
	if (status != HISTREE_OK)
		line_text_close(text);
	return status;
}

void line_text_close(struct line_text *text)
{
	text_input_close(&text->input);
	line_unpack_free(text->unpack);
	free(text->bytes);
	*text = (struct line_text){ .input = { .file = -1 } };
}

void line_text_seek(struct line_text *text, uint64_t at)
{
	text->input.at = text->filled_at = at;
	text->used = text->filled = 0;
	text->at_end = false;
}

static enum histree_status read_some(struct line_text *text, char *room, size_t room_size, size_t *size,
				     struct histree_error *error)
{
	return text->unpack == NULL ? text_input_read(&text->input, room, room_size, size, error)
				    : line_unpack(text->unpack, &text->input, room, room_size, size, error);
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

enum histree_status line_text_next(struct line_text *text, char **line, size_t *size, struct histree_error *error)
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
