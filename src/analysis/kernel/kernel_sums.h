/* SPDX-License-Identifier: MIT */
/*
 * kernel_sums.h - running sums by thread, by CPU and of all: attributes (long) that say how much there was so far.
 *
 * What there was in a window is then the difference of two single queries, exact and cheap however long it is.  An
 * attribute is made when there is something to count.
 *
 *	<folder>/<number>/<name>	of a table with a folder: "Threads", "CPUs"
 *	<name>				of one without
 *
 * A row may have a name in place of its number.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SUMS_H
#define ANALYSIS_KERNEL_KERNEL_SUMS_H

#include "analysis/changes.h"
#include "analysis/kernel/kernel_input.h"
#include "base/arena.h"
#include "base/id_map.h"

enum { KERNEL_SUM_NAMES = 4 };

/* What is counted of each row of a table. */
struct kernel_sum_kind {
	const char *folder; /* NULL: the one row of the table stands at the root */
	const char *names[KERNEL_SUM_NAMES];
	size_t name_count;
	size_t row_size; /* of what begins with a struct kernel_sum_row, zeroed but for that */
};

struct kernel_sum_row {
	struct kernel_sum_table *table; /* which outlives it */
	int32_t number;
	const char *name; /* which the row has in place of its number, while something is counted; NULL: none */
	size_t name_size;
	histree_quark node, quarks[KERNEL_SUM_NAMES];
	int64_t sums[KERNEL_SUM_NAMES];
	bool is_lost; /* its attributes are unknown until something is counted again */
};

struct kernel_sum_table {
	const struct kernel_sum_kind *kind;
	histree_quark folder;
	struct id_map rows; /* by number */
};

/* What an analysis of sums begins with; its tables are its own. */
struct kernel_sums {
	struct kernel_input *input; /* borrowed */
	struct changes changes;
	struct arena records;
	bool is_begun;
	histree_time now;
};

void kernel_sums_init(struct kernel_sums *sums, struct histree_state_system *system, struct kernel_input *input);
void kernel_sums_release(struct kernel_sums *sums);

void kernel_sum_table_init(struct kernel_sums *sums, struct kernel_sum_table *table,
			   const struct kernel_sum_kind *kind);
void kernel_sum_table_release(struct kernel_sum_table *table);

/* Begin the changes of an event or a gap.  Their order decides, not their times, where a clock steps back. */
void kernel_sums_begin(struct kernel_sums *sums, histree_time time);

/* Returns the row of a number, new or not; NULL when memory is out, which is remembered. */
struct kernel_sum_row *kernel_sum_row(struct kernel_sums *sums, struct kernel_sum_table *table, int32_t number);

/* Count: the sum is `amount` greater from now on. */
void kernel_sum_add(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which, int64_t amount);

/* Nobody knows what there is to count from now on; the sums go on from what was seen. */
void kernel_sum_lose(struct kernel_sums *sums, struct kernel_sum_row *row);

#endif
