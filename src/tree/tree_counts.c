// SPDX-License-Identifier: MIT
/*
 * tree_counts.c - counts the intervals of a tree by key without making them: threads of a crew take nodes from
 * front to back.  Each node is counted by one thread, and nulls outside of lifetimes once.
 */
#include "tree/tree_counts.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "tree/tree_reader.h"

enum { NODES_A_STEP = 8, HELPERS_MAX = 7 };

struct counting;

/* A thread that counts nodes: the caller's, or a task of the crew. */
struct counter_at_work {
	struct counting *counting;
	struct crew_task task;
	struct node_pin *pin;
	uint32_t failed; /* the node, if `status` says so */
	enum histree_status status;
	struct histree_error error;
};

struct counting {
	const struct tree_reader *reader;
	const struct node_counter *counter;
	_Atomic uint64_t next; /* the next node that no thread has taken */
	_Atomic bool is_in_vain;
	struct counter_at_work at_work[1 + HELPERS_MAX]; /* the caller first */
	unsigned count;
};

/* What no node has: only the section of lifetimes knows of it. */
static void count_nulls(const struct tree_reader *reader, const struct node_counter *counter)
{
	const struct tree_shape *shape = &reader->shape;
	const struct histree_value null = histree_null();
	const unsigned classes = counter->class_of(&null);
	struct lifetime lifetimes[LIFETIMES_IN_BLOCK];
	for (uint32_t key = 0; key < reader->lifetimes.count; key++) {
		if (key % LIFETIMES_IN_BLOCK == 0)
			lifetimes_view_get_block(&reader->lifetimes, key, lifetimes);
		unsigned nulls = lifetime_null_count(lifetimes[key % LIFETIMES_IN_BLOCK], shape->start, shape->end);
		if (nulls > 0)
			counter->count(counter->context, key, nulls, classes);
	}
}

static enum histree_status count_node(const struct counting *counting, struct node_pin *pin, uint32_t number,
				      struct histree_error *error)
{
	const struct tree_reader *reader = counting->reader;
	bool loaded;
	enum histree_status status = node_pin_hold(pin, number, &loaded, error);
	if (status != HISTREE_OK)
		return status;
	const struct tree_node *node = node_pin_companion(pin);
	status = node_count(&node->view, counting->counter);
	if (status != HISTREE_OK)
		error_set(error, status, "'%s': node %u: malformed row", block_file_path(reader->file), number);
	node_pin_drop(pin);
	return status;
}

/*
 * A step: the next few nodes.  A thread that fails makes all others end; the nodes before its own are counted, or
 * fail as well.
 */
static bool count_some(void *context)
{
	struct counter_at_work *own = context;
	struct counting *counting = own->counting;
	const uint32_t nodes = counting->reader->shape.node_count;
	if (atomic_load(&counting->is_in_vain) || atomic_load(&counting->next) >= nodes)
		return false;
	uint64_t number = atomic_fetch_add(&counting->next, NODES_A_STEP);
	for (uint32_t i = 0; i < NODES_A_STEP && number < nodes && own->status == HISTREE_OK; i++, number++) {
		own->failed = (uint32_t)number;
		own->status = count_node(counting, own->pin, own->failed, &own->error);
	}
	if (own->status != HISTREE_OK)
		atomic_store(&counting->is_in_vain, true);
	return own->status == HISTREE_OK;
}

/* The threads that take the last nodes may count beyond them. */
static double share_done(const struct counting *counting)
{
	const uint32_t nodes = counting->reader->shape.node_count;
	uint64_t done = atomic_load(&counting->next);
	return done < nodes ? (double)done / nodes : 1;
}

/* Without memory for a counter, one thread less counts. */
static enum histree_status engage(struct counting *counting, struct histree_error *error)
{
	struct counter_at_work *own = &counting->at_work[counting->count];
	enum histree_status status = node_pin_create(counting->reader->cache, &own->pin, error);
	if (status != HISTREE_OK)
		return status;
	own->counting = counting;
	own->task = (struct crew_task){ .step = count_some, .context = own };
	counting->count++;
	return HISTREE_OK;
}

/* The failure at the first node is the one that is reported. */
static enum histree_status outcome(const struct counting *counting, struct histree_error *error)
{
	const struct counter_at_work *first = NULL;
	for (unsigned i = 0; i < counting->count; i++) {
		const struct counter_at_work *one = &counting->at_work[i];
		if (one->status != HISTREE_OK && (first == NULL || one->failed < first->failed))
			first = one;
	}
	return first != NULL ? error_set(error, first->status, "%s", first->error.message) : HISTREE_OK;
}

enum histree_status
tree_count(struct tree_reader *reader, const struct node_counter *counter, struct crew *crew, unsigned threads,
	   enum histree_status (*go_on)(void *context, double share, struct histree_error *error),
	   struct histree_error *error)
{
	struct counting *counting = calloc(1, sizeof(*counting));
	if (counting == NULL)
		return error_memory(error, "counting states");
	counting->reader = reader;
	counting->counter = counter;
	enum histree_status status = engage(counting, error);
	while (status == HISTREE_OK && crew != NULL && counting->count < threads &&
	       counting->count <= HELPERS_MAX && engage(counting, NULL) == HISTREE_OK)
		crew_start(crew, &counting->at_work[counting->count - 1].task);
	if (status == HISTREE_OK)
		count_nulls(reader, counter);
	do {
		if (status == HISTREE_OK)
			status = go_on(counter->context, share_done(counting), error);
	} while (status == HISTREE_OK && count_some(&counting->at_work[0]));
	atomic_store(&counting->is_in_vain, atomic_load(&counting->is_in_vain) || status != HISTREE_OK);
	for (unsigned i = 1; i < counting->count; i++)
		crew_finish(crew, &counting->at_work[i].task);
	if (status == HISTREE_OK)
		status = outcome(counting, error);
	for (unsigned i = 0; i < counting->count; i++)
		node_pin_free(counting->at_work[i].pin);
	free(counting);
	return status;
}
