/* SPDX-License-Identifier: MIT */
/*
 * pattern.h - regular expressions with bounded cost, also for untrusted patterns.
 *
 * The language is POSIX extended, over bytes: . [a-z] [^a] [[:digit:]] ^ $ ( ) | * + ? and \ before a sign; in
 * addition, \d \w \s and \D \W \S. There are neither counts ({3}) nor back references.
 *
 * regcomp() of glibc takes memory that doubles with each level of ((a+)+)+, 415 MB for 20 of them, and regexec()
 * keeps every set of states that it ever met.  Here a pattern is a list of positions, one for each place that takes
 * a byte, with the positions that may follow each (Glushkov, 1961).  A text is read once, with the set of positions
 * at which a match may stand: 17 KiB a pattern, at most 256 steps a byte, and nothing is kept between texts.
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "histree/status.h"

/* Bytes of the text of a pattern. */
enum { PATTERN_SIZE_MAX = 256 };

struct pattern;

/* Returns HISTREE_ERR_ARGUMENT if the text is no pattern; the error says why. */
HISTREE_MUST_CHECK enum histree_status pattern_create(const char *text, struct pattern **out,
						      struct histree_error *error);

/* Returns whether the pattern matches somewhere in these bytes.  Any number of threads may use one pattern. */
bool pattern_find(const struct pattern *pattern, const void *bytes, size_t size);

/* Free a pattern, or do nothing if it is NULL. */
void pattern_free(struct pattern *pattern);

#endif
