/* SPDX-License-Identifier: MIT */
/*
 * name_list.h - names in a sentence, such as "A, B, C", as many as there is room for.
 */
#ifndef CLI_NAME_LIST_H
#define CLI_NAME_LIST_H

#include <stddef.h>

/* Adds a name to a text, which is empty before the first one. */
void name_list_add(char *names, size_t size, const char *name);

#endif
