// SPDX-License-Identifier: MIT
#include "view/flame_sums.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

/* Sums take 24 bytes and their place in the index. */
enum { SUMS_MAX = 1 << 19, DEPTH_MAX = 1 << 16 };

bool flame_sums_add_stack(struct flame_sums *sums, const struct flame_stack *stack)
{
	if (!array_reserve(&sums->stacks, &sums->stack_capacity, sums->stack_count + 1))
		return false;
	sums->stacks[sums->stack_count++] = *stack;
	return true;
}

static int by_number(const void *one, const void *other)
{
	const struct flame_stack *a = one, *b = other;
	return (a->number > b->number) - (a->number < b->number);
}

void flame_sums_sort(struct flame_sums *sums)
{
	if (sums->stack_count > 1)
		qsort(sums->stacks, sums->stack_count, sizeof(*sums->stacks), by_number);
}

static const struct flame_stack *find_stack(const struct flame_sums *sums, uint64_t number)
{
	const struct flame_stack key = { .number = number };
	return sums->stack_count > 0
		       ? bsearch(&key, sums->stacks, sums->stack_count, sizeof(*sums->stacks), by_number)
		       : NULL;
}

static bool has_key(const void *sums, uint32_t number, const void *key)
{
	const struct flame_sum *sum = &((const struct flame_sum *)sums)[number], *wanted = key;
	return sum->stack == wanted->stack && sum->group == wanted->group;
}

static uint64_t hash_of(const void *sums, uint32_t number)
{
	const struct flame_sum *sum = &((const struct flame_sum *)sums)[number];
	return hash_mix(hash_mix(sum->stack) ^ sum->group);
}

bool flame_sums_add(struct flame_sums *sums, struct histree_flame *flame, unsigned side,
		    const struct flame_sum *sum)
{
	const uint64_t hash = hash_of(sum, 0);
	uint32_t number = hash_index_find(&sums->by_stack, hash, has_key, sums->sums, sum);
	if (number != HASH_INDEX_NONE) {
		struct flame_sum *known = &sums->sums[number];
		if (__builtin_add_overflow(known->weight, sum->weight, &known->weight))
			known->weight = UINT64_MAX;
		return true;
	}
	if (sums->count == SUMS_MAX && !flame_sums_put(sums, flame, side))
		return false;
	if (!array_reserve(&sums->sums, &sums->capacity, (size_t)sums->count + 1) ||
	    !hash_index_reserve(&sums->by_stack, (size_t)sums->count + 1, hash_of, sums->sums))
		return false;
	sums->sums[sums->count] = *sum;
	hash_index_add(&sums->by_stack, hash, sums->count++);
	return true;
}

/* The names of a stack, innermost first.  *is_whole: up to the outermost. */
static bool climb(struct flame_sums *sums, uint64_t number, size_t *depth, bool *is_whole)
{
	*depth = 0;
	while (number != FLAME_NO_STACK && *depth < DEPTH_MAX) {
		const struct flame_stack *stack = find_stack(sums, number);
		if (stack == NULL)
			break;
		if (!array_reserve(&sums->path, &sums->path_capacity, *depth + 1))
			return false;
		sums->path[(*depth)++] = stack->name;
		if (stack->parent != FLAME_NO_STACK && stack->parent >= number)
			break;
		number = stack->parent;
	}
	*is_whole = number == FLAME_NO_STACK && *depth > 0;
	return true;
}

static bool put_sum(struct flame_sums *sums, struct histree_flame *flame, unsigned side,
		    const struct flame_sum *sum)
{
	size_t depth;
	bool is_whole;
	uint32_t branch = 0;
	if (!climb(sums, sum->stack, &depth, &is_whole))
		return false;
	if (sum->group != FLAME_NO_GROUP)
		branch = flame_branch(flame, branch, HISTREE_FLAME_GROUP, sum->group);
	if (branch != FLAME_NONE && !is_whole)
		branch = flame_branch(flame, branch, HISTREE_FLAME_UNKNOWN, 0);
	while (is_whole && depth-- > 0 && branch != FLAME_NONE)
		branch = flame_branch(flame, branch, HISTREE_FLAME_FRAME, sums->path[depth]);
	if (branch == FLAME_NONE)
		return false;
	flame_spend(flame, side, branch, sum->weight);
	return true;
}

bool flame_sums_put(struct flame_sums *sums, struct histree_flame *flame, unsigned side)
{
	for (uint32_t i = 0; i < sums->count; i++)
		if (!put_sum(sums, flame, side, &sums->sums[i]))
			return false;
	hash_index_clear(&sums->by_stack);
	sums->count = 0;
	return true;
}

void flame_sums_release(struct flame_sums *sums)
{
	free(sums->stacks);
	free(sums->sums);
	free(sums->path);
	hash_index_release(&sums->by_stack);
	*sums = (struct flame_sums){ 0 };
}
