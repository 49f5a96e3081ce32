/* SPDX-License-Identifier: MIT */
/*
 * shell_word.h - words of commands that are shown, in quotes where a shell needs them.
 */
#ifndef CLI_SHELL_WORD_H
#define CLI_SHELL_WORD_H

#include <stdio.h>

void shell_word_put(FILE *stream, const char *text);

/* The word in `word`, whole or, if there is no room, empty. */
void shell_word_copy(char *word, size_t size, const char *text);

#endif
