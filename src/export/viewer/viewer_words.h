/* SPDX-License-Identifier: MIT */
/*
 * viewer_words.h - what the span of a value is called.
 */
#ifndef EXPORT_VIEWER_VIEWER_WORDS_H
#define EXPORT_VIEWER_VIEWER_WORDS_H

#include "export/viewer/viewer_rows.h"

enum { VIEWER_WORDS_SIZE = 128 };

/*
 * Returns the text of a state: its words where they are known, else its value.  It is in `room`, or borrowed from
 * the value or a table.  *says_value is false where the value is another one than the text.
 */
struct viewer_text viewer_words(const struct viewer_rows *rows, const struct viewer_row *row,
				const struct histree_value *value, char room[VIEWER_WORDS_SIZE], bool *says_value);

/* Returns a value as text, in `room` or borrowed from it; bytes that are no text are hexadecimal, and cut. */
struct viewer_text viewer_value_text(const struct histree_value *value, char room[VIEWER_WORDS_SIZE]);

#endif
