/* SPDX-License-Identifier: MIT */
/*
 * state_sum.h - for how long an attribute had each of its values in a cell of time, and how many states with it
 * began there (docs/design/05-pyramid.md).
 *
 * Values are ints, or unknown; of null nothing is kept: it is what is left of the cell.
 */
#ifndef STATE_STATE_SUM_H
#define STATE_STATE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
