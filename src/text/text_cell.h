/* SPDX-License-Identifier: MIT */
/*
 * text_cell.h - what stands in one column of one row of a text, and what it can be read as.
 */
#ifndef TEXT_TEXT_CELL_H
#define TEXT_TEXT_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/value.h"

enum text_kind {
	TEXT_ABSENT, /* JSON: the row does not have it */
	TEXT_PLAIN,  /* TSV, CSV: bytes that may mean anything; an empty cell too */
	TEXT_NULL,   /* the rest is what JSON tells apart */
	TEXT_BOOL,
	TEXT_INTEGER,
	TEXT_REAL,
	TEXT_STRING,
	TEXT_NESTED, /* an array or an object */
};

struct text_cell {
	enum text_kind kind;
	bool is_escaped; /* PLAIN: backslashes, as TSV has them, are still to be read */
	char *bytes;     /* PLAIN, STRING: `size` bytes, and a zero that is none of them */
	size_t size;
	union {
		bool boolean;
		int64_t integer;
		double real;
	};
};

/* Whether the row says nothing there. */
bool text_cell_is_empty(const struct text_cell *cell);

/* Each returns false if the cell is none.  Any number can be read as a double; "nan", "inf" and "-inf" too. */
bool text_cell_integer(const struct text_cell *cell, int64_t *out);
bool text_cell_real(const struct text_cell *cell, double *out);
bool text_cell_bool(const struct text_cell *cell, bool *out);

/* Read the escapes of a cell of TSV, in place.  Returns false if there is one that does not exist. */
bool text_cell_unescape(struct text_cell *cell);

/* The same for an escaped path, whose own backslashes stay. */
bool text_cell_unescape_path(struct text_cell *cell);

/*
 * Read hexadecimal digits as bytes, in place: cell->size becomes the number of bytes.  Returns false if they are
 * none.
 */
bool text_cell_hexadecimal(struct text_cell *cell);

/*
 * What a cell says by itself: null if it is empty; an int, or a long if an int has no room; a double; a bool; else
 * a string, which borrows the bytes of the cell.  A number that no program writes so, such as 007 or +5, is a
 * string.  The cell is unescaped, and neither absent nor nested.
 */
struct histree_value text_cell_value(const struct text_cell *cell);

/* What the cell is, for a message: "'12x'", "a list", "nothing". */
const char *text_cell_quote(const struct text_cell *cell, char text[64]);

#endif
