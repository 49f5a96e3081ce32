/* SPDX-License-Identifier: MIT */
/*
 * attribute_name.h - the name of an attribute: a text, or a number where the text is how one would write it.
 *
 * Most attributes of a trace are named by an id: a thread, a CPU, a request.  As numbers these names take no
 * memory of their own, and those that count up need not be written one by one.
 */
#ifndef STATE_ATTRIBUTE_NAME_H
#define STATE_ATTRIBUTE_NAME_H

#include <stddef.h>
#include <stdint.h>

enum {
	ATTRIBUTE_NUMBER_MAX = INT32_MAX - 1,
	ATTRIBUTE_NUMBER_SIZE = 10, /* digits of that */
};

struct attribute_name {
	const char *text; /* borrowed; NULL: the name is a number */
	size_t size;      /* of the text */
	uint32_t number;
};

/* Returns the name that a text is: a number if it is one up to ATTRIBUTE_NUMBER_MAX without leading zeros. */
struct attribute_name attribute_name(const char *text, size_t size);
struct attribute_name attribute_name_number(uint32_t number);

/* Returns the text of a name; that of a number is written into `room`. */
const char *attribute_name_text(const struct attribute_name *name, char room[ATTRIBUTE_NUMBER_SIZE], size_t *size);

/* Compare names: numbers come first, by value, then texts, byte by byte. */
int attribute_name_compare(const struct attribute_name *one, const struct attribute_name *other);

#endif
