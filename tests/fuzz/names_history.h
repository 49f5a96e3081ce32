/* SPDX-License-Identifier: MIT */
/*
 * names_history.h - a few threads, of which fuzz_names.c reads a file of names; the same each time.
 */
#ifndef FUZZ_NAMES_HISTORY_H
#define FUZZ_NAMES_HISTORY_H

#include "support/memory_io.h"

/* Make the history "f". */
void names_history_make(struct memory_io *memory);

#endif
