// SPDX-License-Identifier: MIT
#include "state/run_order.h"

#include <stdlib.h>
#include <string.h>

struct sorted_run {
	uint64_t beginning; /* of the name: compares like it as far as it goes */
	uint32_t parent;    /* + 1 */
	uint32_t run;
};

struct sorting {
	const struct attribute_tree *tree;
	const histree_quark *heads;
};

/* Numbers come before texts. */
static uint64_t beginning_of(const struct attribute_name *name)
{
	if (name->text == NULL)
		return name->number;
	uint64_t beginning = 0;
	for (size_t at = 0; at < sizeof(beginning); at++)
		beginning = beginning << 8 | (at < name->size ? (uint8_t)name->text[at] : 0);
	return beginning >> 1 | UINT64_C(1) << 63;
}

static int compare(const void *one, const void *other, void *context)
{
	const struct sorted_run *a = one, *b = other;
	const struct sorting *sorting = context;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->beginning != b->beginning)
		return a->beginning < b->beginning ? -1 : 1;
	struct attribute_name first = attribute_tree_name(sorting->tree, sorting->heads[a->run]);
	struct attribute_name second = attribute_tree_name(sorting->tree, sorting->heads[b->run]);
	return attribute_name_compare(&first, &second);
}

/* Runs are numbered by age. */
static void move_oldest_to_front(struct sorted_run *runs, uint32_t count)
{
	uint32_t oldest = 0;
	for (uint32_t i = 1; i < count; i++)
		if (runs[i].run < runs[oldest].run)
			oldest = i;
	struct sorted_run moved = runs[oldest];
	memmove(runs + 1, runs, oldest * sizeof(*runs));
	runs[0] = moved;
}

bool run_order_pack(const struct attribute_tree *tree, const histree_quark *heads, uint32_t count,
		    struct bit_buffer *out)
{
	unsigned width = count > 0 ? bits_needed(count - 1) : 0;
	struct sorted_run *runs = malloc(((size_t)count + 1) * sizeof(*runs));
	if (runs == NULL || !bit_buffer_reserve(out, (size_t)count * width)) {
		free(runs);
		return false;
	}
	for (uint32_t run = 0; run < count; run++) {
		struct attribute_name name = attribute_tree_name(tree, heads[run]);
		runs[run] = (struct sorted_run){ .beginning = beginning_of(&name),
						 .parent = tree->attributes[heads[run]].parent + 1,
						 .run = run };
	}
	struct sorting sorting = { .tree = tree, .heads = heads };
	qsort_r(runs, count, sizeof(*runs), compare, &sorting);
	for (uint32_t first = 0, after; first < count; first = after) {
		for (after = first + 1; after < count && runs[after].parent == runs[first].parent;)
			after++;
		move_oldest_to_front(runs + first, after - first);
	}
	for (uint32_t i = 0; i < count; i++)
		bit_buffer_put(out, runs[i].run, width);
	free(runs);
	return true;
}
