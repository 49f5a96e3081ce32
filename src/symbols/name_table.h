/* SPDX-License-Identifier: MIT */
/*
 * name_table.h - names of functions by address, from lines of text as nm prints them, or from the symbols of a
 * binary.
 */
#ifndef SYMBOLS_NAME_TABLE_H
#define SYMBOLS_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum {
	NAME_TABLE_NAMES_MAX = 4 << 20,  /* of a table */
	NAME_TABLE_TEXT_MAX = 256 << 20, /* bytes of them */
	NAME_SIZE_MAX = 4096,            /* a longer one is left out */
};

struct named_range {
	uint64_t start, size; /* size 0: the address alone */
	const char *name;
	unsigned rank; /* of the names of one address, the one with the least rank is used */
};

/* A zeroed one is empty. */
struct name_table {
	struct named_range *ranges;
	size_t count, capacity;
	struct arena names;
};

/* Adds a range, unless there are too many.  Returns false when memory runs out. */
bool name_table_add(struct name_table *table, struct named_range range, size_t name_size);

/*
 * Adds the functions of lines "ADDRESS [TYPE] NAME", with addresses in hexadecimal; other lines are passed over.
 * Returns false when memory runs out.
 */
bool name_table_read(struct name_table *table, const char *text, size_t size);

/*
 * Returns whether a text that may be cut anywhere is what nm prints: each line that is whole has an address, or
 * blanks for what is defined elsewhere, a letter for the type, and a name; and some of them are functions.
 */
bool name_table_is_of_nm(const char *text, size_t size);

/* Puts the ranges in order, when all are there. */
void name_table_sort(struct name_table *table);

/* Returns the range that begins at an address, or else has it inside, or NULL. */
const struct named_range *name_table_find(const struct name_table *table, uint64_t address);

/* Returns the range that begins at an address, or the last one before it, or NULL. */
const struct named_range *name_table_near(const struct name_table *table, uint64_t address);

void name_table_release(struct name_table *table);

#endif
