/* SPDX-License-Identifier: MIT */
/*
 * golden_history.h - one small history, always the same, and its text: what the golden files hold.
 *
 * It has every type of value, values at the edges of their types, names with '/' and '\', attributes that begin
 * late and some that never have a state, several changes at one time, and enough of all to need three levels of
 * nodes of 4 KiB.
 */
#ifndef GOLDEN_GOLDEN_HISTORY_H
#define GOLDEN_GOLDEN_HISTORY_H

#include <stdio.h>

#include "histree/history.h"

/* Make the file, which must not exist. */
enum histree_status golden_build(const char *path, const char *variant, struct histree_error *error);

/* Every interval, by (quark, start): path, start, end, type and value, separated by tabs. */
enum histree_status golden_dump(struct histree_history *history, FILE *out, struct histree_error *error);

/*
 * What is kept of a text: for each 32 lines of it their CRC-32C, a tab, and the first of them, to see where one is.
 * `sums` is a text of its own.
 */
enum { GOLDEN_GROUP = 32 };

void golden_sum(const char *text, FILE *sums);

/* The value without its type: a double as its bits, bytes that do not print as \xNN. */
void golden_print_value(FILE *out, const struct histree_value *value);

#endif
