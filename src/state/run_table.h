/* SPDX-License-Identifier: MIT */
/*
 * run_table.h - the runs of a section ATTR by number, read where they lie.
 *
 * A block has 64 rows and a column for each property of a run.  The number of row i is: base + i x step + what the
 * row itself has.  As varints the base and the step of each column, then a byte each for their widths, then, as
 * bits, the columns one after the other.  So what goes up evenly, as quarks and new texts do, takes no bits.  The
 * directory of the blocks follows (base/block_directory.h).  Rows are sorted by `first`, the base of which is that
 * of row 0.
 */
#ifndef STATE_RUN_TABLE_H
#define STATE_RUN_TABLE_H

#include "state/section_writer.h"

enum run_column {
	RUN_FIRST,  /* the first quark */
	RUN_GROUPS, /* groups, less 1 */
	RUN_PARENT, /* of the heads, + 1; 0: at the top */
	RUN_SHAPE,  /* place in the list of shapes */
	RUN_NAME,   /* see attribute_run.h */
	RUN_NEXT,   /* likewise */
	RUN_LATE,   /* likewise */
	RUN_COLUMNS
};

enum { RUNS_IN_BLOCK = 64 };

struct run_row {
	uint32_t columns[RUN_COLUMNS];
};

/* ---- writing ---------------------------------------------------------------------------------------- */

struct run_table_writer {
	struct section_writer *writer;
	struct run_row rows[RUNS_IN_BLOCK];
	unsigned row_count; /* of those that were not written yet */
	uint64_t start;     /* of the table in the section */
	struct block_offsets offsets;
	struct bit_buffer bits;
};

struct run_table_writer run_table_writer(struct section_writer *writer);
void run_table_writer_add(struct run_table_writer *table, const struct run_row *row);

/* Returns the size of the blocks. */
uint64_t run_table_writer_finish(struct run_table_writer *table);

/* ---- reading ---------------------------------------------------------------------------------------- */

struct run_table {
	struct block_directory blocks;
	uint32_t count;
};

struct run_table run_table_read(struct byte_reader *reader, uint64_t size, uint32_t count);

/* Whether the first row begins with quark 0, and each with a greater one than the row before it. */
bool run_table_ascends(const struct run_table *table);

/*
 * `after`: the `first` of the next row, UINT32_MAX for the last.  False if there is no such row, or one has no
 * sense.
 */
bool run_table_get(const struct run_table *table, uint32_t number, struct run_row *row, uint32_t *after);

/* The last row whose `first` is not after `quark`; `count` if there is none. */
uint32_t run_table_find(const struct run_table *table, uint32_t quark);

#endif
