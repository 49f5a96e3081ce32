/* SPDX-License-Identifier: MIT */
/*
 * attribute_format.h - the bytes of the section ATTR of a history file, which holds the names of attributes
 * (docs/design/0003-names.md, histree-format(5)).
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
 * The directory of its blocks follows a list or a table (base/block_directory.h).
 */
#ifndef STATE_ATTRIBUTE_FORMAT_H
#define STATE_ATTRIBUTE_FORMAT_H

#include <stdint.h>

enum range_column {
	RANGE_FIRST,  /* the first quark */
	RANGE_GROUPS, /* how many groups, less 1 */
	RANGE_PARENT, /* the parent of the leaders, + 1; 0 at the top */
	RANGE_SHAPE,  /* the number of the shape */
	RANGE_NAME,   /* the name of the first leader */
	RANGE_NEXT,   /* from the last leader to the next child of the parent; 0 if there is none */
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

#endif
