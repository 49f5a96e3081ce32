/* SPDX-License-Identifier: MIT */
/*
 * verb_completion.h - histree completion: what shells need to complete a line.
 *
 * Completion of the command in the words of each shell.
 *
 * What the completion scripts of all shells offer, from the tables of options.
 */
#ifndef CLI_VERB_COMPLETION_H
#define CLI_VERB_COMPLETION_H

#include "cli/verb.h"

/* Prints the command of a script that offers what an argument can be. */
typedef void completion_offer(struct output *output, enum cli_complete complete, const char *const *choices);

#endif
