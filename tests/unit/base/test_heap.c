// SPDX-License-Identifier: MIT
/*
 * test_heap.c - the heap against an array of which the least is looked for.
 */
#include "base/heap.h"

#include <stdint.h>
#include <string.h>

#include "base/hash_index.h"
#include "support/effort.h"
#include "support/test.h"

enum { ITEMS_MAX = 40, KEYS = 12 };

/* Many keys are equal; of two of those the one of the smaller number comes first. */
struct item {
	uint64_t key, number;
};

struct model {
	struct item heap[ITEMS_MAX], all[ITEMS_MAX];
	size_t heap_count, count;
	uint64_t made;
};

static bool comes_before(const struct item *a, const struct item *b)
{
	return a->key != b->key ? a->key < b->key : a->number < b->number;
}

static size_t least_of(const struct model *model)
{
	size_t least = 0;
	for (size_t i = 1; i < model->count; i++)
		if (comes_before(&model->all[i], &model->all[least]))
			least = i;
	return least;
}

static void check(const struct model *model)
{
	assert_int_equal(model->heap_count, model->count);
	if (model->count == 0)
		return;
	const struct item *first = &model->all[least_of(model)];
	assert_int_equal(model->heap[0].key, first->key);
	assert_int_equal(model->heap[0].number, first->number);
}

static void push(struct model *model, struct random *random)
{
	const struct item item = { random_below(random, KEYS), model->made++ };
	model->all[model->count++] = item;
	HEAP_PUSH(model->heap, model->heap_count, item, a, b, comes_before(a, b));
}

static void pop(struct model *model)
{
	model->all[least_of(model)] = model->all[model->count - 1];
	model->count--;
	HEAP_POP(model->heap, model->heap_count, a, b, comes_before(a, b));
}

/* As in a merge, where the first has a next one. */
static void change_first(struct model *model, struct random *random)
{
	struct item *first = &model->all[least_of(model)];
	model->heap[0].key = first->key += random_below(random, KEYS);
	HEAP_SINK(model->heap, model->heap_count, 0, a, b, comes_before(a, b));
}

TEST(gives_the_least)
{
	struct random random = { test_seed() };
	struct model model = { 0 };
	for (uint64_t i = 0, steps = test_effort(200000, 20000); i < steps; i++) {
		const uint64_t what = random_below(&random, 8);
		/* It fills and empties in turns. */
		if (model.count < ITEMS_MAX && (model.count == 0 || what < (i / 500 % 2 ? 5 : 2)))
			push(&model, &random);
		else if (what < 7)
			pop(&model);
		else
			change_first(&model, &random);
		check(&model);
	}
}

TEST(is_made_of_any_order)
{
	struct random random = { test_seed() };
	for (size_t count = 0; count <= ITEMS_MAX; count++) {
		struct model model = { .count = count, .heap_count = count };
		for (size_t i = 0; i < count; i++)
			model.all[i] = (struct item){ random_below(&random, KEYS), i };
		memcpy(model.heap, model.all, sizeof(model.heap));
		HEAP_MAKE(model.heap, model.heap_count, a, b, comes_before(a, b));
		for (check(&model); model.count > 0; check(&model))
			pop(&model);
	}
}

/* Pointers, and what tells them apart is in a context. */
TEST(holds_pointers)
{
	const struct item items[] = { { 3, 0 }, { 1, 1 }, { 2, 2 } }, *heap[3];
	size_t count = 0;
	for (size_t i = 0; i < 3; i++)
		HEAP_PUSH(heap, count, &items[i], a, b, (*a)->key < (*b)->key);
	for (uint64_t key = 1; key <= 3; key++) {
		assert_int_equal(heap[0]->key, key);
		HEAP_POP(heap, count, a, b, (*a)->key < (*b)->key);
	}
	assert_int_equal(count, 0);
}
