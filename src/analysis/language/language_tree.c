// SPDX-License-Identifier: MIT
/*
 * language_tree.c - an analysis as a text, with the sentences about its faults, and as a tree: what the parser
 * makes, what is checked, and what a program is made of.
 *
 * The text of an analysis, and the sentences about faults in it: line and column, and the
 * line with a caret.
 */
#include "analysis/language/language_tree.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analysis/program/program.h"
#include "base/arena.h"
#include "base/error.h"
#include "histree/attributes.h"
#include "histree/status.h"

/* ---- language source ----------------------------------------------------------------------------------------- */

enum {
	SHOWN_BEFORE = 60, /* bytes of a line that are shown before the place */
	SHOWN_MAX = 96,    /* and of it all */
	SENTENCE_SIZE = 220,
};

/* Within a UTF-8 character. */
static bool continues(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Returns the length of the UTF-8 character that begins there, 0 if none does; a zero ends the text. */
static size_t character_size(const unsigned char *at)
{
	uint32_t code;
	size_t size;
	if (at[0] < 0x80)
		return 1;
	if (at[0] >= 0xc2 && at[0] <= 0xdf)
		size = 2, code = at[0] & 0x1f;
	else if ((at[0] & 0xf0) == 0xe0)
		size = 3, code = at[0] & 0x0f;
	else if (at[0] >= 0xf0 && at[0] <= 0xf4)
		size = 4, code = at[0] & 0x07;
	else
		return 0;
	for (size_t i = 1; i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
	return code >= least[size] && code <= 0x10ffff && !is_surrogate ? size : 0;
}

enum histree_status language_source_check(const struct language_source *source, struct histree_error *error)
{
	if (source->size > LANGUAGE_BYTES_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%.200s: %zu bytes; an analysis may have %d",
				 source->path, source->size, LANGUAGE_BYTES_MAX);
	for (size_t at = 0; at < source->size;) {
		size_t size = character_size((const unsigned char *)source->text + at);
		if (size == 0 || source->text[at] == '\0') {
			struct language_place place = language_place_of(source, at);
			return error_set(error, HISTREE_ERR_ARGUMENT, "%.200s:%zu:%zu: this is no text in UTF-8",
					 source->path, place.line, place.column);
		}
		at += size;
	}
	return HISTREE_OK;
}

struct language_place language_place_of(const struct language_source *source, size_t at)
{
	struct language_place place = { .line = 1, .column = 1 };
	for (size_t i = 0; i < at; i++) {
		if (source->text[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if (!continues(source->text[i])) {
			place.column++;
		}
	}
	return place;
}

enum histree_status language_refuse_list(const struct language_source *source, size_t at,
					 struct histree_error *error, const char *format, va_list arguments)
{
	char sentence[SENTENCE_SIZE], shown[2 * SHOWN_MAX];
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	struct language_place place = language_place_of(source, at);
	/* The line of a place, or the part of it around the place, and a caret below; each tab is a blank. */
	size_t size = sizeof(shown);
	const char *line = source->text + at, *end = source->text + at;
	while (line > source->text && line[-1] != '\n' && end - line < SHOWN_BEFORE)
		line--;
	while (line < end && continues(*line))
		line++;
	while (*end != '\n' && *end != '\0' && *end != '\r' && end - line < SHOWN_MAX)
		end++;
	while (end > source->text + at && continues(*end))
		end--;
	char room[SHOWN_BEFORE + 1];
	size_t length = 0;
	for (const char *i = line; i < source->text + at; i++)
		if (!continues(*i))
			room[length++] = ' ';
	room[length] = '\0';
	snprintf(shown, size, "\n  %.*s\n  %s^", (int)(end - line), line, room);
	for (char *tab = strchr(shown, '\t'); tab != NULL; tab = strchr(tab, '\t'))
		*tab = ' ';
	return error_set(error, HISTREE_ERR_ARGUMENT, "%.80s:%zu:%zu: %s%s", source->path, place.line, place.column,
			 sentence, shown);
}

enum histree_status language_refuse(const struct language_source *source, size_t at, struct histree_error *error,
				    const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	enum histree_status status = language_refuse_list(source, at, error, format, arguments);
	va_end(arguments);
	return status;
}

void language_tree_release(struct language_tree *tree)
{
	arena_release(&tree->arena);
	*tree = (struct language_tree){ 0 };
}
