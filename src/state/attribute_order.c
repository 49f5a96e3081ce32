// SPDX-License-Identifier: MIT
/*
 * attribute_order.c - writes the order in which children are searched in the section ATTR: by parent; within a
 * parent the oldest range first, then the others by name.
 */
#include "state/attribute_order.h"

#include <string.h>

#include "base/bits.h"
#include "base/table.h"

/*
 * Looks are at what is resident of the tables: leaders are read with pages between them, and names compared out of
 * order.
 */
enum { LEADERS_PER_LOOK = 128, COMPARISONS_PER_LOOK = 64, RANGES_PER_LOOK = 1 << 13 };

bool range_leaders_add(struct range_leaders *leaders, histree_quark quark)
{
	if (!table_reserve(&leaders->table, &leaders->quarks, &leaders->capacity, leaders->count + 1))
		return false;
	leaders->quarks[leaders->count++] = quark;
	return true;
}

void range_leaders_release(struct range_leaders *leaders)
{
	table_release(&leaders->table, leaders->quarks);
	*leaders = (struct range_leaders){ 0 };
}

/* ---- the order ------------------------------------------------------------------------------------------- */

struct ordered_range {
	uint64_t beginning[2]; /* of the name: compares like it as far as it goes */
	uint32_t parent;       /* + 1 */
	uint32_t range;
};

struct ordering {
	const struct attribute_tree *tree;
	const histree_quark *leaders;
	uint64_t names; /* that were compared as a whole */
};

/* Returns `size` bytes of a text from `from` on, with zeros after its end, as a number that compares like them. */
static uint64_t bytes_of(const struct attribute_name *name, size_t from, size_t size)
{
	uint64_t bytes = 0;
	for (size_t at = from; at < from + size; at++)
		bytes = bytes << 8 | (at < name->size ? (uint8_t)name->text[at] : 0);
	return bytes;
}

/* Numbers come before texts, which are ordered by their first fifteen bytes here. */
static void set_beginning(struct ordered_range *range, const struct attribute_name *name)
{
	range->beginning[0] = name->text == NULL ? name->number : UINT64_C(1) << 63 | bytes_of(name, 0, 7);
	range->beginning[1] = name->text == NULL ? 0 : bytes_of(name, 7, 8);
}

static int compare_ranges(const void *one, const void *other, void *context)
{
	const struct ordered_range *a = one, *b = other;
	struct ordering *ordering = context;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->beginning[0] != b->beginning[0])
		return a->beginning[0] < b->beginning[0] ? -1 : 1;
	if (a->beginning[1] != b->beginning[1])
		return a->beginning[1] < b->beginning[1] ? -1 : 1;
	if (++ordering->names % COMPARISONS_PER_LOOK == 0)
		table_space_look(ordering->tree->table.space);
	struct attribute_name first = attribute_tree_name(ordering->tree, ordering->leaders[a->range]);
	struct attribute_name second = attribute_tree_name(ordering->tree, ordering->leaders[b->range]);
	return attribute_name_compare(&first, &second);
}

/* Ranges are numbered by age. */
static void move_oldest_to_front(struct ordered_range *ranges, uint32_t count)
{
	uint32_t oldest = 0;
	for (uint32_t i = 1; i < count; i++)
		if (ranges[i].range < ranges[oldest].range)
			oldest = i;
	struct ordered_range moved = ranges[oldest];
	memmove(ranges + 1, ranges, oldest * sizeof(*ranges));
	ranges[0] = moved;
}

static bool sort(struct ordering *ordering, struct ordered_range *ranges, uint32_t count)
{
	const struct attribute_tree *tree = ordering->tree;
	for (uint32_t range = 0; range < count; range++) {
		const histree_quark leader = ordering->leaders[range];
		if (range % LEADERS_PER_LOOK == 0)
			table_space_look(tree->table.space);
		struct attribute_name name = attribute_tree_name(tree, leader);
		ranges[range] =
			(struct ordered_range){ .parent = tree->attributes[leader].parent + 1, .range = range };
		set_beginning(&ranges[range], &name);
	}
	if (!table_sort(tree->table.space, ranges, count, sizeof(*ranges), compare_ranges, ordering))
		return false;
	for (uint32_t first = 0, after; first < count; first = after) {
		for (after = first + 1; after < count && ranges[after].parent == ranges[first].parent; after++)
			if (after % RANGES_PER_LOOK == 0)
				table_space_look(tree->table.space);
		move_oldest_to_front(ranges + first, after - first);
	}
	return true;
}

bool attribute_order_put(const struct attribute_tree *tree, const struct range_leaders *leaders,
			 void (*put)(void *context, const void *bytes, size_t size), void *context)
{
	const uint32_t count = (uint32_t)leaders->count;
	const unsigned width = count > 0 ? bits_needed(count - 1) : 0;
	struct table table = { .space = tree->table.space };
	struct bit_buffer bits = { 0 };
	struct ordering ordering = { .tree = tree, .leaders = leaders->quarks };
	struct ordered_range *ranges = table_allocate(&table, ((size_t)count + 1) * sizeof(*ranges));
	bool is_done = ranges != NULL && bit_buffer_reserve(&bits, (size_t)RANGES_PER_LOOK * width) &&
		       sort(&ordering, ranges, count);
	for (uint32_t i = 0; i < count && is_done; i++) {
		bit_buffer_put(&bits, ranges[i].range, width);
		if ((i + 1) % RANGES_PER_LOOK != 0 && i + 1 != count)
			continue;
		put(context, bits.bytes, (bits.bits + 7) / 8);
		bit_buffer_clear(&bits);
		table_space_look(tree->table.space);
	}
	bit_buffer_release(&bits);
	table_release(&table, ranges);
	return is_done;
}
