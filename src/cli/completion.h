/* SPDX-License-Identifier: MIT */
/*
 * completion.h - what the completion scripts of all shells offer, from the tables of options.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/verb.h"

void completion_print_bash(struct output *output);
void completion_print_zsh(struct output *output);
void completion_print_fish(struct output *output);

/* Print the words that an argument can be, with spaces between them; nothing if it can be anything. */
void completion_print_words(struct output *output, enum cli_complete complete, const char *const *choices);
void completion_print_verbs(struct output *output);

#endif
