/* SPDX-License-Identifier: MIT */
/*
 * flame_sums.h - stacks that are known by numbers, and what weighs on each, on their way into a flame graph.
 *
 * A stack is a number and that of its caller's stack; each sample then costs one look at the sum of its stack, and
 * only stacks that have a sum are made of words.
 */
#ifndef VIEW_FLAME_SUMS_H
#define VIEW_FLAME_SUMS_H

#include "base/hash_index.h"
#include "view/flame_tree.h"

#define FLAME_NO_STACK UINT64_MAX
#define FLAME_NO_GROUP UINT32_MAX

struct flame_stack {
	uint64_t number, parent; /* a smaller number, or FLAME_NO_STACK */
	uint32_t name;           /* of the flame */
};

struct flame_sum {
	uint64_t stack, weight;
	uint32_t group; /* a name of the flame, or FLAME_NO_GROUP */
};

/* A zeroed one is empty. */
struct flame_sums {
	struct flame_stack *stacks; /* by number, once they are sorted */
	size_t stack_count, stack_capacity;
	struct flame_sum *sums;
	uint32_t count;
	size_t capacity;
	struct hash_index by_stack;
	uint32_t *path; /* of the stack that is being put: names, innermost first */
	size_t path_capacity;
};

/* Returns false when memory is out, as all of these do. */
bool flame_sums_add_stack(struct flame_sums *sums, const struct flame_stack *stack);

/* All stacks are there: put them in order. */
void flame_sums_sort(struct flame_sums *sums);

/* Something weighs on a stack.  When there are too many sums, they go into a side of the flame. */
bool flame_sums_add(struct flame_sums *sums, struct histree_flame *flame, unsigned side,
		    const struct flame_sum *sum);

/* Put all sums into a side of the flame.  A stack that is not there is unknown. */
bool flame_sums_put(struct flame_sums *sums, struct histree_flame *flame, unsigned side);

void flame_sums_release(struct flame_sums *sums);

#endif
