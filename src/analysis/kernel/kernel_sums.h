/* SPDX-License-Identifier: MIT */
/*
 * kernel_sums.h - the analyses that add up, by row of a table: how a kind of sums lives, and `network`, `switches`,
 * `cpu-usage` and `kernel-memory`.
 *
 * Running sums by thread, by CPU and of all: attributes (long) that say how much there was so far.
 *
 * What there was in a window is then the difference of two single queries, exact and cheap however long it is.  An
 * attribute is made when there is something to count.
 *
 * 	<folder>/<number>/<name>	of a table with a folder: "Threads", "CPUs"
 * 	<name>				of one without
 *
 * A row may have a name in place of its number.  Rows of a number are one where sums only grow, as what a thread
 * added is the difference over its time.  Else each thread that had the number has a row: "614", "614 (life 1)".
 *
 * An analysis of sums is a struct kernel_sums_kind: its tables, the roles of events that it counts, and what one of
 * them adds.  The rest is the same for all: what a table loses when events are lost is unknown until something is
 * counted again, and goes on from what was seen; where a kind counts gaps, "gaps" (long) at the root says how often
 * that was.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SUMS_H
#define ANALYSIS_KERNEL_KERNEL_SUMS_H

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/kernel/kernel_input.h"
#include "base/arena.h"

enum { KERNEL_SUM_NAMES = 4, KERNEL_SUM_TABLES = 3, KERNEL_SUM_ROLES = 10 };

/* Of which rows the sums are not known after events were lost. */
enum kernel_sum_loss { SUMS_ARE_KEPT, SUMS_ARE_LOST, SUMS_ARE_LOST_OF_CPU };

/* What is counted of each row of a table. */
struct kernel_sum_kind {
	const char *folder; /* NULL: the one row of the table stands at the root */
	const char *names[KERNEL_SUM_NAMES];
	size_t sum_count; /* the names before that are of sums; the others, of what else there is of a row */
	size_t row_size;  /* of what begins with a struct kernel_sum_row, the rest zeroed; 0: there is no rest */
	enum kernel_sum_loss loss;
};

struct kernel_sum_row {
	struct kernel_sum_table *table; /* which outlives it */
	struct kernel_sum_row *next;    /* of the table: that was made after it */
	int32_t number;
	uint32_t life;    /* of the number: how many threads had it before, where rows are of one thread each */
	const char *name; /* which the row has in place of its number, while something is counted; NULL: none */
	size_t name_size;
	histree_quark node, quarks[KERNEL_SUM_NAMES];
	int64_t sums[KERNEL_SUM_NAMES];
	bool is_lost; /* its attributes are unknown until something is counted again */
};

struct kernel_sum_table {
	const struct kernel_sum_kind *kind;
	histree_quark folder;
	struct dense_records rows;           /* by place; of a thread, the row of its last life */
	struct kernel_sum_row *first, *last; /* in the order in which they were made */
};

struct kernel_sums;

struct kernel_sums_kind {
	size_t size;      /* of what begins with a struct kernel_sums, the rest zeroed; 0: there is no rest */
	const char *what; /* is in memory */
	struct kernel_sum_kind tables[KERNEL_SUM_TABLES];
	enum kernel_role roles[KERNEL_SUM_ROLES]; /* which it counts */
	size_t role_count;
	enum kernel_role uncounted; /* one of these that only tells who is who; else KERNEL_NO_ROLE */
	bool counts_all;            /* events of no role too; the kernel's event then says nothing but its role */
	/* Which classes have events that it counts; NULL: those of its roles. */
	bool (*wants)(const struct event_class *class, enum kernel_role role);
	bool counts_gaps;
	bool has_time_of_input; /* the greatest time of any event of a kernel so far, not of those it counts */
	bool needs_machine;     /* asks for threads and the CPU of an event */
	bool (*applies)(const struct event_trace *trace); /* whose gaps matter; NULL: all */
	void (*create)(struct kernel_sums *sums);         /* NULL: there is no more */
	void (*count)(struct kernel_sums *sums, const struct kernel_event *event);
	void (*lose)(struct kernel_sums *sums, const struct event_gap *gap); /* what tables do not; NULL: nothing */
	void (*release)(struct kernel_sums *sums);                           /* NULL: there is no more */
	const char *missing;                              /* where no such event came: what to record */
	bool (*is_empty)(const struct kernel_sums *sums); /* whether none came; NULL: nothing was counted */
	void (*say_missing)(const struct kernel_sums *sums, char *text, size_t size); /* what else; NULL: nothing */
};

/* What an analysis of sums begins with. */
struct kernel_sums {
	const struct kernel_sums_kind *kind;
	struct kernel_input *input; /* borrowed */
	uint64_t counted;           /* a bit for each role */
	const struct event *source; /* that is counted; borrowed */
	struct changes changes;
	struct arena records;
	struct kernel_sum_table tables[KERNEL_SUM_TABLES], gaps;
	size_t walked;          /* rows */
	bool is_begun, has_any; /* it counted something */
	histree_time now;
};

/* The functions of an analysis of sums; its `kind` is a struct kernel_sums_kind. */
enum histree_status kernel_sums_create(const struct analysis *analysis, struct histree_state_system *system,
				       void *input, void **instance, struct histree_error *error);
bool kernel_sums_wants(const void *instance, const struct event_class *class);
enum histree_status kernel_sums_event(void *instance, const struct event *event, struct histree_error *error);
enum histree_status kernel_sums_gap(void *instance, const struct event_gap *gap, struct histree_error *error);
uint64_t kernel_sums_refused(const void *instance);
bool kernel_sums_is_empty(const void *instance);
void kernel_sums_missing(const void *instance, char *text, size_t size);
void kernel_sums_free(void *instance);

/* What all of them have in common as a struct analysis. */
#define KERNEL_SUMS_FUNCTIONS                                                                             \
	.wants = kernel_sums_wants, .event = kernel_sums_event, .gap = kernel_sums_gap,                   \
	.refused = kernel_sums_refused, .is_empty = kernel_sums_is_empty, .missing = kernel_sums_missing, \
	.free = kernel_sums_free

/* The same of those that read the events of any trace of a kernel. */
#define KERNEL_SUMS_OF_KERNEL                                                                     \
	.input = &kernel_input_kind, .applies = kernel_input_knows, .create = kernel_sums_create, \
	KERNEL_SUMS_FUNCTIONS

#define CHART_ENTRIES(array) .entries = (array), .entry_count = sizeof(array) / sizeof(*(array))

/* ---- for handlers -------------------------------------------------------------------------------------------- */

/* Each returns a row, new or not; NULL when memory runs out, which is remembered, or of what is NULL. */
struct kernel_sum_row *kernel_sum_row(struct kernel_sums *sums, struct kernel_sum_table *table, uint32_t place,
				      int32_t number);
struct kernel_sum_row *kernel_sum_row_of_thread(struct kernel_sums *sums, struct kernel_sum_table *table,
						const struct machine_thread *thread);
struct kernel_sum_row *kernel_sum_row_of_cpu(struct kernel_sums *sums, struct kernel_sum_table *table,
					     const struct machine_cpu *cpu);

/* Returns the row that was made after this one; of NULL the first; NULL after the last. */
struct kernel_sum_row *kernel_sum_next(struct kernel_sums *sums, struct kernel_sum_table *table,
				       const struct kernel_sum_row *row);

/* Returns the attribute of a row, or of one of its sums; each is made if it is missing. */
histree_quark kernel_sum_node(struct kernel_sums *sums, struct kernel_sum_row *row);
histree_quark kernel_sum_attribute(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which);

/* The sum is `amount` from now on. */
void kernel_sum_set(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which, int64_t amount);

#endif
