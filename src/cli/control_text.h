/* SPDX-License-Identifier: MIT */
/*
 * control_text.h - control characters, which a name in a trace may have, and which must not drive the terminal.
 *
 * They are those of ASCII and, in UTF-8, U+0080 to U+009F, which some terminals take for the beginning of a command
 * as well, and those by which a text says in which direction it is to be read (Unicode's embeddings, overrides and
 * isolates), as it could be shown as another one.
 */
#ifndef CLI_CONTROL_TEXT_H
#define CLI_CONTROL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { CONTROL_ESCAPE_SIZE = 4 };

/* The same as control_text_at() for bytes that are not printable ASCII. */
bool control_text_beyond_ascii(const char *bytes, size_t size, size_t at);

/* Returns true if the byte at `at` is a control character or a part of one.  Most bytes are printable ASCII. */
static inline bool control_text_at(const char *bytes, size_t size, size_t at)
{
	bool is_printable = bytes[at] >= 0x20 && bytes[at] < 0x7f;
	return !is_printable && control_text_beyond_ascii(bytes, size, at);
}

/* Writes how a byte is shown instead, such as \n or \x1b.  Returns the size, at most CONTROL_ESCAPE_SIZE. */
size_t control_text_escape(char c, char escape[CONTROL_ESCAPE_SIZE]);

/*
 * Copies a text with its control characters escaped.  It is cut where the room ends, which has `size` bytes, one of
 * them for the zero at the end.
 */
void control_text_copy(const char *text, char *room, size_t size);

#endif
