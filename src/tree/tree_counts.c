// SPDX-License-Identifier: MIT
#include "tree/tree_counts.h"

#include "base/error.h"
#include "tree/tree_nulls.h"

enum { NULLS_AT_ONCE = 512, NODES_A_QUESTION = 8 };

static void count_nulls(const struct tree_reader *reader, const struct node_counter *counter)
{
	const struct node_region all = { .from = reader->shape.start, .to = reader->shape.end };
	struct histree_interval nulls[NULLS_AT_ONCE];
	struct tree_nulls walk;
	size_t count;
	tree_nulls_begin(&walk, reader, reader->shape.key_count);
	while ((count = tree_nulls_read(&walk, reader, &all, nulls, NULLS_AT_ONCE)) > 0)
		for (size_t i = 0; i < count; i++)
			counter->count(counter->context, nulls[i].quark, 1, counter->class_of(&nulls[i].value));
}

static enum histree_status count_node(const struct tree_reader *reader, struct node_pin *pin, uint32_t number,
				      const struct node_counter *counter, struct histree_error *error)
{
	bool loaded;
	enum histree_status status = node_pin_hold(pin, number, &loaded, error);
	if (status != HISTREE_OK)
		return status;
	const struct tree_node *node = node_pin_companion(pin);
	status = node_count(&node->view, counter);
	if (status != HISTREE_OK)
		error_set(error, status, "'%s': node %u: malformed row", block_file_path(reader->file), number);
	node_pin_drop(pin);
	return status;
}

enum histree_status tree_count(struct tree_reader *reader, const struct node_counter *counter,
			       enum histree_status (*go_on)(void *context, double share,
							    struct histree_error *error),
			       struct histree_error *error)
{
	const uint32_t nodes = reader->shape.node_count;
	struct node_pin *pin;
	enum histree_status status = node_pin_create(reader->cache, &pin, error);
	if (status != HISTREE_OK)
		return status;
	count_nulls(reader, counter);
	for (uint32_t number = 0; number < nodes && status == HISTREE_OK; number++) {
		if (number % NODES_A_QUESTION == 0)
			status = go_on(counter->context, (double)number / nodes, error);
		if (status == HISTREE_OK)
			status = count_node(reader, pin, number, counter, error);
	}
	node_pin_free(pin);
	return status;
}
