/* SPDX-License-Identifier: MIT */
/*
 * completion.h - completion of the command in the words of each shell.
 *
 * What the completion scripts of all shells offer, from the tables of options.
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

/* Prints the command of a script that offers what an argument can be. */
typedef void completion_offer(struct output *output, enum cli_complete complete, const char *const *choices);

/* Print the cases VERB:OPTION of a script for bash or zsh, for all options that have an argument. */
void completion_print_cases(struct output *output, completion_offer *print_offer);

#endif
