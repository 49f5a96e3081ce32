/* SPDX-License-Identifier: MIT */
/*
 * picture_text.h - text that cairo can show: names of a trace may hold any bytes, and cairo gives up a whole
 * picture for one that is no UTF-8.
 */
#ifndef DRAW_PICTURE_TEXT_H
#define DRAW_PICTURE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* What is longer is cut: no row of a picture has room for it. */
enum { CLEAN_TEXT_SIZE = 256 };

/* Makes a terminated copy in which control characters and whatever is no UTF-8 are '?'. */
void clean_text(char out[CLEAN_TEXT_SIZE], const char *text);

/* Returns the length of clean text of so many bytes without its last character. */
size_t clean_text_cut(const char *text, size_t length);

/* Writes "8,595".  Returns `text`. */
enum { GROUPED_NUMBER_SIZE = 32 };
const char *grouped_number(uint64_t number, char text[GROUPED_NUMBER_SIZE]);

#endif
