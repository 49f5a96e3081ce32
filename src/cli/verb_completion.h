/* SPDX-License-Identifier: MIT */
/*
 * verb_completion.h - what shells need to complete a line: the words that the completion scripts offer, from the
 * tables of options; and words of commands that are shown, in quotes where a shell needs them.
 */
#ifndef CLI_VERB_COMPLETION_H
#define CLI_VERB_COMPLETION_H

#include <stdio.h>

#include "cli/verb.h"

void shell_word_put(FILE *stream, const char *text);

/* The word in `word`, whole or, if there is no room, empty. */
void shell_word_copy(char *word, size_t size, const char *text);

/* Prints the command of a script that offers what an argument can be. */
typedef void completion_offer(struct output *output, enum cli_complete complete, const char *const *choices);

#endif
