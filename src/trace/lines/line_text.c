// SPDX-License-Identifier: MIT
/*
 * line_text.c - a file of text, line by line: plain, compressed, or inside HTML or JSON.
 *
 * A text compressed by gzip is one or more members, one after the other (RFC 1952).  In JSON, the text of ftrace is
 * the string of the member "systemTraceEvents", as Chrome and Catapult write it, unescaped.
 */
#include "trace/lines/line_text.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/zlib.h"
#include "histree/status.h"
#include "text/text_table.h"

/* ---- line unpack --------------------------------------------------------------------------------------------- */

enum { PACKED_SIZE = 64 << 10, LINE_UNPACK_MAGIC_SIZE = 2 };

struct line_unpack {
	struct gunzip *gunzip;
	size_t used, filled;
	uint8_t packed[PACKED_SIZE];
};

/* Returns HISTREE_ERR_TRACE if histree cannot unpack, HISTREE_ERR_MEMORY. */
static enum histree_status line_unpack_create(struct line_unpack **out, struct histree_error *error)
{
	struct line_unpack *unpack = calloc(1, sizeof(*unpack));
	*out = unpack;
	if (unpack == NULL)
		return error_memory(error, "a packed text");
	enum histree_status status = gunzip_create(&unpack->gunzip, error);
	if (status != HISTREE_OK) {
		free(unpack);
		*out = NULL;
	}
	return status;
}

static enum histree_status damaged(const struct line_unpack *unpack, const struct text_input *input,
				   struct histree_error *error)
{
	if (gunzip_is_over(unpack->gunzip))
		return error_set(error, HISTREE_ERR_TRACE, "'%.200s' is packed by gzip, and " UNPACK_IS_TOO_MUCH,
				 input->path);
	return error_set(error, HISTREE_ERR_TRACE,
			 "'%.200s' is damaged or cut: gzip cannot be unpacked at byte %llu", input->path,
			 (unsigned long long)input->at);
}

/* Have packed bytes.  Returns HISTREE_END if there are no more and none are missing. */
static enum histree_status read_packed(struct line_unpack *unpack, struct text_input *input,
				       struct histree_error *error)
{
	if (unpack->used < unpack->filled)
		return HISTREE_OK;
	enum histree_status status = text_input_read(input, unpack->packed, PACKED_SIZE, &unpack->filled, error);
	unpack->used = 0;
	if (status != HISTREE_OK || unpack->filled > 0)
		return status;
	return gunzip_is_whole(unpack->gunzip) ? HISTREE_END : damaged(unpack, input, error);
}

/*
 * Fill a room with what comes next; *size is 0 at the end and only there.  Returns HISTREE_ERR_TRACE if the file is
 * damaged or cut.
 */
static enum histree_status line_unpack(struct line_unpack *unpack, struct text_input *input, void *room,
				       size_t room_size, size_t *size, struct histree_error *error)
{
	*size = 0;
	for (;;) {
		enum histree_status status = read_packed(unpack, input, error);
		if (status != HISTREE_OK)
			return status == HISTREE_END ? HISTREE_OK : status;
		size_t taken, got = gunzip_read(unpack->gunzip, unpack->packed + unpack->used,
						unpack->filled - unpack->used, &taken, room, room_size);
		if (got == SIZE_MAX)
			return damaged(unpack, input, error);
		unpack->used += taken;
		*size = got;
		if (got > 0 || taken == 0)
			return HISTREE_OK;
	}
}

/* ---- line json ----------------------------------------------------------------------------------------------- */

enum { BYTES_SIZE = 64 << 10, DIGITS = 4 };

static const char key[] = "\"systemTraceEvents\"";

enum json_state {
	JSON_BEGIN,  /* of the file */
	JSON_BEFORE, /* the key is not met */
	JSON_KEY,    /* it is, and neither colon nor text */
	JSON_COLON,  /* the colon too */
	JSON_TEXT,
	JSON_ESCAPE, /* behind a backslash */
	JSON_DIGITS, /* of "\u000a" */
	JSON_BEHIND,
};

struct line_json {
	enum json_state state;
	unsigned code, digits;
	size_t used, filled;
	char bytes[BYTES_SIZE];
};

/* Returns room for the next bytes of the file; the caller then calls line_json_put() with how many it put there. */
static char *line_json_room(struct line_json *json, size_t *size)
{
	memmove(json->bytes, json->bytes + json->used, json->filled - json->used);
	json->filled -= json->used;
	json->used = 0;
	*size = BYTES_SIZE - json->filled;
	return json->bytes + json->filled;
}

/* A byte of the text.  Returns whether *out is one. */
static bool take_byte(struct line_json *json, char *out)
{
	char byte = json->bytes[json->used++];
	int digit = line_scan_digit(byte);
	*out = byte;
	switch (json->state) {
	case JSON_ESCAPE:
		json->state = byte == 'u' ? JSON_DIGITS : JSON_TEXT;
		json->code = json->digits = 0;
		static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
		const char *at = byte == '\0' ? NULL : strchr(letters, byte);
		*out = at == NULL ? byte : meant[at - letters];
		return byte != 'u';
	case JSON_DIGITS:
		json->code = json->code << 4 | (digit < 0 ? 0U : (unsigned)digit);
		if (++json->digits < DIGITS)
			return false;
		json->state = JSON_TEXT;
		*out = json->code < 0x80 ? (char)json->code : '?'; /* only names of threads have others */
		return true;
	default:
		if (byte == '\\')
			json->state = JSON_ESCAPE;
		else if (byte == '"')
			json->state = JSON_BEHIND;
		return json->state == JSON_TEXT;
	}
}

/* What begins like neither JSON nor a page has no such text, and is not searched for it. */
static void line_json_begin(struct line_json *json)
{
	static const char mark[] = "\xef\xbb\xbf";
	if (json->used == 0 && json->filled >= strlen(mark) && memcmp(json->bytes, mark, strlen(mark)) == 0)
		json->used = strlen(mark);
	for (; json->used < json->filled && json->state == JSON_BEGIN; json->used++) {
		const char byte = json->bytes[json->used];
		if (byte == '{' || byte == '[' || byte == '<')
			json->state = JSON_BEFORE;
		else if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n')
			json->state = JSON_BEHIND;
	}
}

/* Get what is known of the text; 0 bytes: more of the file is needed, unless the text has ended. */
static size_t line_json_get(struct line_json *json, char *room, size_t room_size)
{
	size_t got = 0;
	if (json->state == JSON_BEGIN)
		line_json_begin(json);
	if (json->state == JSON_BEFORE) {
		/*
		 * Inside of a string the quotes of the key would have backslashes, so that it is a key, or a
		 * string by itself.
		 */
		const size_t size = sizeof(key) - 1, left = json->filled - json->used;
		const char *at = memmem(json->bytes + json->used, left, key, size);
		if (at != NULL) {
			json->used = (size_t)(at - json->bytes) + size;
			json->state = JSON_KEY;
		} else if (left >= size) {
			json->used = json->filled - (size - 1);
		}
	}
	while (json->used < json->filled && (json->state == JSON_KEY || json->state == JSON_COLON)) {
		/* What stands between the key and the text; anything other than a text is not from ftrace. */
		char byte = json->bytes[json->used];
		if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n')
			json->used++;
		else if (json->state == JSON_KEY && byte == ':')
			json->used++, json->state = JSON_COLON;
		else if (json->state == JSON_COLON && byte == '"')
			json->used++, json->state = JSON_TEXT;
		else
			json->state = JSON_BEFORE;
	}
	while (json->used < json->filled && got < room_size && json->state >= JSON_TEXT &&
	       json->state != JSON_BEHIND)
		got += take_byte(json, &room[got]);
	return got;
}

/* ---- line text ----------------------------------------------------------------------------------------------- */

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
	if (size >= LINE_UNPACK_MAGIC_SIZE && memcmp(bytes, "\x1f\x8b", LINE_UNPACK_MAGIC_SIZE) == 0)
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
	if (text->unpack != NULL)
		gunzip_free(text->unpack->gunzip);
	free(text->unpack);
	free(text->json);
	free(text->bytes);
	*text = (struct line_text){ .input = { .file = -1 } };
}

void line_text_seek(struct line_text *text, uint64_t at)
{
	text->input.at = text->filled_at = at;
	text->used = text->filled = 0;
	text->at_end = text->is_in_page = text->is_at_text = false;
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
		if (*size > 0 || text->json->state == JSON_BEHIND)
			return HISTREE_OK;
		char *free_room = line_json_room(text->json, &free_size);
		if (text->work != NULL && cancel_asked(text->work))
			return error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
		enum histree_status status = read_file(text, free_room, free_size, &taken, error);
		if (status != HISTREE_OK || taken == 0)
			return status;
		assert(taken <= BYTES_SIZE - text->json->filled);
		text->json->filled += taken;
	}
}

/* Have more bytes behind those that are there, which move to the front. */
static enum histree_status fill(struct line_text *text, struct histree_error *error)
{
	size_t size, kept = text->filled - text->used;
	memmove(text->bytes, text->bytes + text->used, kept);
	text->used = 0;
	text->filled = kept;
	if (text->work != NULL && cancel_asked(text->work))
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
static enum histree_status line_text_begin(struct line_text *text, struct histree_error *error)
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
	*text = (struct line_text){ .work = place->work, .columns = place->columns };
	enum histree_status status = text_input_open(&text->input, place->io, place->path, error);
	if (status == HISTREE_OK && !text->input.is_file)
		status = error_set(error, HISTREE_ERR_TRACE,
				   "'%.200s' is no file: events are read more than once, so keep them in one",
				   place->path);
	if (status == HISTREE_OK)
		status = look_for_packed(text, error);
	if (status == HISTREE_OK && place->is_in_json) {
		text->json = calloc(1, sizeof(struct line_json));
		status = text->json == NULL ? error_memory(error, "a text in JSON") : HISTREE_OK;
	}
	text->bytes = status == HISTREE_OK ? malloc(LINE_BUFFER_SIZE) : NULL;
	if (status == HISTREE_OK && text->bytes == NULL)
		status = error_memory(error, "a part of a text");
	if (status == HISTREE_OK)
		status = line_text_begin(text, error);
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

/* Whether the element with data that begins in the line has JSON there. */
static bool begins_json(const char *line, size_t size)
{
	static const char word[] = "class=\"trace-data\"";
	const char *end = line + size, *at = memmem(line, size, word, strlen(word));
	at = at != NULL ? memchr(at, '>', (size_t)(end - at)) : NULL;
	for (at = at != NULL ? at + 1 : end; at < end && line_is_blank(*at);)
		at++;
	return at < end && (*at == '{' || *at == '[');
}

/*
 * The line of a page: returns whether it is one of the text.  Before 2014 systrace wrote the text as a string of a
 * script, with "\n\" at the end of each line.
 */
static bool is_in_text(struct line_text *text, const char *line, size_t *size)
{
	static const char old_end[] = "\\n\\", old_last[] = "\";", old_last_line[] = "\\n\";";
	if (text->is_in_page) {
		text->is_in_page =
			(!has(line, *size, "class=\"trace-data\"") && !has(line, *size, "linuxPerfData = ")) ||
			begins_json(line, *size);
		text->is_at_text = !text->is_in_page;
		text->begin = text->line_at;
		return false;
	}
	size_t spaces = 0;
	while (text->is_at_text && spaces < *size && line_is_blank(line[spaces]))
		spaces++;
	if (text->is_at_text && spaces < *size) {
		text->is_at_text = false;
		text->is_in_page = line[spaces] == '{' || line[spaces] == '[';
		if (text->is_in_page)
			return false;
	}
	text->is_in_page = has(line, *size, "</script>") ||
			   (*size >= strlen(old_last) && memcmp(line, old_last, strlen(old_last)) == 0);
	size_t end = strlen(old_end), last = strlen(old_last_line);
	if (*size >= end && memcmp(line + *size - end, old_end, end) == 0)
		*size -= end;
	if (text->is_in_page || *size < last || memcmp(line + *size - last, old_last_line, last) != 0)
		return !text->is_in_page;
	*size -= last; /* the string ends in its last line, of which nothing may be left */
	text->is_in_page = true;
	return true;
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
