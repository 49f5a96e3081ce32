/* SPDX-License-Identifier: MIT */
/*
 * attribute_reader.h - the bytes of the section ATTR of a history file, which holds the names of attributes
 * (docs/design/03-names-and-labels.md, histree-format(5)).
 *
 *	texts	the names that are not numbers, each once: a list of texts
 *	ranges	the attributes, by quark: a table of ranges
 *	shapes	the shapes of the groups in the ranges: a list of texts
 *	order	the numbers of the ranges, as bits: by parent; of one parent the oldest, then the others by name
 *	footer	how many attributes, texts, shapes and ranges there are (4 bytes each); the sizes of the blocks of
 *		texts, shapes and ranges (8 bytes each)
 *
 * A *group* is an attribute, its leader, and the attributes after it that were created below it: a thread and what
 * is known of it.  Its *shape* is the position and the name of each member.  A *range* is groups of one shape whose
 * leaders have one parent and names that count up: a thousand threads are one row.  A group ends before an
 * attribute whose parent is not in it, before one whose parent is the leader and whose name is a number, and with
 * its 32nd attribute.
 *
 * A shape is a varint, how many members follow the leader, and for each of them two: the position of its parent in
 * the group, 0 being the leader; and its name less the name of the member before it (less 0 for the first) and 2,
 * zigzag, so that texts that are new take the smallest number.  A name is 2 x its number, or 2 x the number of its
 * text + 1.
 *
 * A list of texts has blocks of 32: the smallest size, a varint; the width of the sizes, a byte; as bits, each size
 * above the smallest; then the texts, one after the other.
 *
 * A table of ranges has blocks of 64 rows with a column for each property.  The number of row i is: base + i x step
 * + what the row itself has.  As varints the base and the step of each column, then a byte each for their widths,
 * then, as bits, the columns one after the other.  So what goes up evenly, as quarks and new texts do, takes no
 * bits.  Rows are sorted by their first quark, the base of which is that of row 0.
 *
 * The directory of its blocks follows a list or a table (bytes.h).
 *
 * The parts of the section ATTR, read where they lie (attribute_reader.h).
 */
#ifndef STATE_ATTRIBUTE_READER_H
#define STATE_ATTRIBUTE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "histree/value.h"

enum range_column {
	RANGE_FIRST,  /* the first quark */
	RANGE_GROUPS, /* how many groups, less 1 */
	RANGE_PARENT, /* the parent of the leaders, + 1; 0 at the top */
	RANGE_SHAPE,  /* the number of the shape */
	RANGE_NAME,   /* the name of the first leader */
	RANGE_NEXT,   /* from the last leader to the next child of the parent; 0 if it is the last child */
	RANGE_LATE,   /* 1 if an attribute in it has children that came after its group: leaders of other ranges */
	RANGE_COLUMNS
};

enum {
	GROUP_SIZE_MAX = 32, /* a look at each member must cost little */
	TEXTS_IN_BLOCK = 32,
	RANGES_IN_BLOCK = 64,
	ATTRIBUTE_FOOTER_SIZE = 4 * 4 + 3 * 8,
};

struct range_row {
	uint32_t columns[RANGE_COLUMNS];
};

/* ---- texts ------------------------------------------------------------------------------------------- */

struct text_list {
	struct block_directory blocks;
	uint32_t count;
};

struct text_list text_list_read(struct byte_reader *reader, uint64_t size, uint32_t count);

/* Returns the bytes of a text; the reader has failed if there is no such number, or if it makes no sense. */
struct byte_reader text_list_get(const struct text_list *list, uint64_t number);

/* ---- ranges ------------------------------------------------------------------------------------------ */

struct range_table {
	struct block_directory blocks;
	uint32_t count;
};

struct range_table range_table_read(struct byte_reader *reader, uint64_t size, uint32_t count);

/* Returns whether the first row begins with quark 0, and each with a greater one than the row before it. */
bool range_table_ascends(const struct range_table *table);

/*
 * Get a row.  `after` is the first quark of the next row, UINT32_MAX for the last.  Returns false if there is no
 * such row, or if one makes no sense.
 */
bool range_table_get(const struct range_table *table, uint32_t number, struct range_row *row, uint32_t *after);

/* Returns the number of the last row that does not begin after `quark`, or `count` if there is no such row. */
uint32_t range_table_find(const struct range_table *table, uint32_t quark);

/* ---- groups ------------------------------------------------------------------------------------------ */

/* A zeroed one is no range. */
struct attribute_range {
	uint32_t number;
	histree_quark first;  /* the leader of the first group */
	histree_quark parent; /* of all leaders */
	uint32_t count;       /* attributes in all groups; 0: none */
	uint32_t size;        /* of a group */
	uint32_t name;        /* of the first leader */
	uint32_t next;        /* from the last leader to the next child of the parent; 0: it is the last child */
	bool late;            /* an attribute in it has children that came after its group */
	uint32_t host;        /* of a history of several hosts: whose it is, + 1 */
	struct byte_reader members;
};

struct group_member {
	uint32_t number; /* its position in the group, from 1 */
	uint32_t parent; /* a position below it */
	uint32_t name;
};

/*
 * Get the next member: from a zeroed member on, with a copy of the range's reader.  Returns false after the last,
 * or where bytes make no sense.
 */
bool group_member_next(struct byte_reader *members, uint32_t group_size, struct group_member *member);

#endif
