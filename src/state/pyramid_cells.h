/* SPDX-License-Identifier: MIT */
/*
 * pyramid_cells.h - the cells of pyramids: what they are, how they are added, and their bytes.
 *
 * *Numbers*: for some states of one attribute together, the least value, the greatest, their sum weighted by time,
 * and how many there are (docs/design/05-pyramid.md).
 *
 * Nothing is rounded, and the order of equal numbers does not matter: the summary of some states is the same
 * however they were added, one by one or by summaries of some of them.
 *
 * *Sums*: for how long an attribute had each of its values in a cell of time, and how many states with it began
 * there.
 *
 * Values are ints, or unknown; null is not kept: it takes the rest of the cell.
 *
 * The *cube*: how long all threads of a host together did what in a cell of time, and how many states and calls
 * began there.
 *
 * A row has one status, one CPU and one system call.  Waits for a CPU have further rows, by the thread that had the
 * CPU; these are in a separate cell, so that other questions need not read them.
 */
#ifndef STATE_PYRAMID_CELLS_H
#define STATE_PYRAMID_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/exact_sum.h"
#include "base/hash_index.h"
#include "histree/status.h"
#include "histree/value.h"

/* A zeroed one is of no states. */
struct number_summary {
	uint64_t states; /* with a number, and so below */
	/* How long they lasted, those that are unknown, and the others: 2^64 ns at most. */
	wide_uint number_ns, unknown_ns, other_ns;
	struct histree_value min, max;      /* null: there are no numbers */
	wide_int whole;                     /* of ints and longs times ns: 2^63 times 2^64 at most */
	struct exact_sum real;              /* of finite doubles times ns */
	bool has_real, has_least, has_most; /* doubles at all; infinite ones */
};

enum { NUMBER_SUMMARY_SIZE_MAX = 64 + EXACT_SUM_SIZE_MAX };

/* Returns whether a value is a number; a NaN is not. */
bool number_summary_takes(const struct histree_value *value);

/* Compare numbers of any types; equal ones by the sign of zero and the type.  Returns -1, 0 or 1. */
int number_compare(const struct histree_value *a, const struct histree_value *b);

/* The ns from `first` to `last`, both inclusive. */
static inline wide_uint number_summary_ns(histree_time first, histree_time last)
{
	return (wide_uint)((uint64_t)last - (uint64_t)first) + 1;
}

/* Adds a state that had a value for 1 ns or more. */
void number_summary_add(struct number_summary *summary, const struct histree_value *value, wide_uint ns);
void number_summary_add_summary(struct number_summary *summary, const struct number_summary *other);

/* Returns the mean weighted by time, the nearest double; NaN if there were infinities of both signs. */
double number_summary_mean(const struct number_summary *summary);

/* Write the summary of states that last `number_ns + unknown_ns + other_ns`.  Returns how many bytes it takes. */
size_t number_summary_put(const struct number_summary *summary, uint8_t room[NUMBER_SUMMARY_SIZE_MAX]);

/* Read the summary of states that last `ns`.  Returns false if no states have it. */
bool number_summary_get(struct number_summary *summary, wide_uint ns, const uint8_t *bytes, size_t size);

enum {
	STATE_SUM_VALUES_MAX = 12, /* an attribute with more values in a cell has no status */
	STATE_SUM_SIZE_MAX = 1 + STATE_SUM_VALUES_MAX * 25,
};

struct state_sum_part {
	int32_t value;
	bool is_unknown;
	uint64_t ns, begins;
};

/* A zeroed one is null all the time. */
struct state_sum {
	uint32_t count;
	struct state_sum_part parts[STATE_SUM_VALUES_MAX];
};

/* Returns false if there are too many values. */
bool state_sum_add(struct state_sum *sum, const struct state_sum_part *part);
bool state_sum_add_sum(struct state_sum *sum, const struct state_sum *other);

/* Whether it has one value, or null, for all of its `ns`, and no state begins. */
bool state_sum_is_constant(const struct state_sum *sum, uint64_t ns);

/* Write one that is not null all the time.  Returns how many bytes it takes. */
size_t state_sum_put(const struct state_sum *sum, uint8_t room[STATE_SUM_SIZE_MAX]);

/* Read the sum of a cell of `ns`.  Returns false if no states have it. */
bool state_sum_get(struct state_sum *sum, uint64_t ns, const uint8_t *bytes, size_t size);

/* What a row says for nothing, and for what is not known; other numbers are tids, CPUs, numbers of texts. */
enum { USE_NOTHING = INT32_MIN, USE_NOT_KNOWN = INT32_MIN + 1 };

enum cube_part { CUBE_OF_CALLS, CUBE_OF_OWNERS, CUBE_PARTS };

struct cube_key {
	int32_t status;
	int32_t cpu, system_call, had_by; /* of owners, the last alone is something */
	bool is_idle;                     /* of the idle loops of CPUs */
};

static inline bool cube_key_is_same(const struct cube_key *one, const struct cube_key *other)
{
	return one->status == other->status && one->cpu == other->cpu && one->system_call == other->system_call &&
	       one->had_by == other->had_by && one->is_idle == other->is_idle;
}

static inline uint64_t cube_key_hash(const struct cube_key *key)
{
	const uint64_t one = (uint64_t)(uint32_t)key->cpu << 32 | (uint32_t)key->system_call;
	const uint64_t other = (uint64_t)(uint32_t)key->had_by << 32 | (uint32_t)key->status;
	return hash_mix(hash_mix(one ^ key->is_idle) ^ other);
}

struct cube_row {
	struct cube_key key;
	uint64_t ns;
	uint64_t begins; /* states of threads */
	uint64_t calls;  /* for which this is the first known state */
};

/* A zeroed one is empty. */
struct cube_cell {
	struct cube_row *rows;
	size_t count, capacity;
	struct hash_index by_key;
};

/* Add to the row of its key.  Returns false without memory. */
bool cube_cell_add(struct cube_cell *cell, const struct cube_row *row);

/* What was in it is forgotten. */
void cube_cell_clear(struct cube_cell *cell);
void cube_cell_release(struct cube_cell *cell);

/*
 * Write a cell as bytes, none if it is empty: the same bytes in whatever order its rows and texts came.  Reorders
 * its rows.
 */
void cube_cell_put(struct cube_cell *cell, enum cube_part part, const struct intern *texts,
		   struct byte_buffer *saved);

/*
 * Add the bytes of a cell of `ns`, in which there are at most `threads` threads.  Returns HISTREE_ERR_FORMAT if
 * no states can have made them; some may have been added then.
 */
enum histree_status cube_cell_get(struct cube_cell *cell, enum cube_part part, struct intern *texts, uint64_t ns,
				  uint32_t threads_max, const uint8_t *bytes, size_t size);

#endif
