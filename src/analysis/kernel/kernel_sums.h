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
 *
 * An analysis of sums is a struct kernel_sums_kind: its tables, the roles of events that it counts, and what one of
 * them adds.  The rest is the same for all: "gaps" (long) at the root says how often events were lost, and what a
 * table loses then is unknown until something is counted again, and goes on from what was seen.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SUMS_H
#define ANALYSIS_KERNEL_KERNEL_SUMS_H

#include "analysis/changes.h"
#include "analysis/kernel/kernel_input.h"
#include "base/arena.h"
#include "base/id_map.h"

enum { KERNEL_SUM_NAMES = 4, KERNEL_SUM_TABLES = 2, KERNEL_SUM_ROLES = 4 };

/* Of which rows the sums are not known after events were lost. */
enum kernel_sum_loss { SUMS_ARE_KEPT, SUMS_ARE_LOST, SUMS_ARE_LOST_OF_CPU };

/* What is counted of each row of a table. */
struct kernel_sum_kind {
	const char *folder; /* NULL: the one row of the table stands at the root */
	const char *names[KERNEL_SUM_NAMES];
	size_t name_count;
	size_t row_size; /* of what begins with a struct kernel_sum_row, zeroed but for that; 0: it has no more */
	enum kernel_sum_loss loss;
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

struct kernel_sums;

struct kernel_sums_kind {
	size_t size;      /* of what begins with a struct kernel_sums, zeroed but for that; 0: it has no more */
	const char *what; /* is in memory */
	struct kernel_sum_kind tables[KERNEL_SUM_TABLES];
	enum kernel_role roles[KERNEL_SUM_ROLES]; /* which it counts */
	size_t role_count;
	bool needs_machine;                       /* asks for the thread of an event */
	void (*create)(struct kernel_sums *sums); /* NULL: there is no more */
	void (*count)(struct kernel_sums *sums, const struct kernel_event *event); /* of one of its roles */
	void (*release)(struct kernel_sums *sums);                                 /* likewise */
	const char *missing; /* where no such event came: what to record */
};

/* What an analysis of sums begins with. */
struct kernel_sums {
	const struct kernel_sums_kind *kind;
	struct kernel_input *input; /* borrowed */
	struct changes changes;
	struct arena records;
	struct kernel_sum_table tables[KERNEL_SUM_TABLES], gaps;
	bool is_begun, has_any;
	histree_time now;
};

/* The functions of an analysis of sums; `create` calls the first. */
enum histree_status kernel_sums_create(const struct kernel_sums_kind *kind, struct histree_state_system *system,
				       void *input, void **instance, struct histree_error *error);
enum histree_status kernel_sums_event(void *instance, const struct event *event, struct histree_error *error);
enum histree_status kernel_sums_gap(void *instance, const struct event_gap *gap, struct histree_error *error);
uint64_t kernel_sums_refused(const void *instance);
void kernel_sums_missing(const void *instance, char *text, size_t size);
void kernel_sums_free(void *instance);

/* Returns the row of a number, new or not; NULL when memory is out, which is remembered. */
struct kernel_sum_row *kernel_sum_row(struct kernel_sums *sums, struct kernel_sum_table *table, int32_t number);

/* Count: the sum is `amount` greater from now on. */
void kernel_sum_add(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which, int64_t amount);

#endif
