// SPDX-License-Identifier: MIT
/*
 * overview_replay.c - reads a complete history once, and feeds its states in the order of their ends.
 *
 * A state ends when the next one of its attribute begins.  So states in the order of their starts are enough,
 * together with the current state of each attribute, which the feed also needs.
 *
 * A node starts no later than anything in or below it.  The node that starts first is read, its children are
 * queued, and all states that begin before the next node are complete.  Each node is read once.  Memory holds the
 * states of nodes already read that begin later: about as many as the writer of the tree had when it packed these
 * nodes; if there are more, they are in a file (base/table.h).
 */
#include "overview/overview_replay.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/search.h"
#include "base/table.h"
#include "node/column_builder.h"
#include "node/node_cursor.h"
#include "overview/feed_item.h"
#include "query/value_table.h"
#include "state/history.h"
#include "state/ongoing_states.h"
#include "tree/tree_reader.h"

enum {
	STATES_AT_ONCE = 1 << 16, /* that are read before some are given away */
	ROWS_AT_ONCE = 256,
	VALUES_ENOUGH = 1 << 14,
	BYTES_ENOUGH = 4 << 20,
};

/* A node that was not read yet, as its parent knows it. */
struct waiting_node {
	histree_time start;
	uint32_t number;
};

struct replay {
	struct overview_feed *feed;
	struct histree_history *history;
	const struct histree_history_info *of;
	const struct tree_reader *tree;
	const struct histree_attributes *attributes;
	const struct overview_progress *progress;
	struct node_pin *pin;
	struct waiting_node *nodes; /* a heap, the one that starts first on top */
	size_t node_count, nodes_capacity;
	uint64_t nodes_read;
	struct column_item *items; /* states of nodes that were read, which were not given away */
	size_t count, capacity;
	struct table of_items;
	struct value_table values, spare_values; /* of these, that are no ints */
	struct keyed_index *order, *spare;       /* of those that are given away together */
	size_t order_capacity, spare_capacity;
	struct ongoing_states ongoing;
};

/* ---- nodes -------------------------------------------------------------------------------------------------- */

static enum histree_status add_node(struct replay *replay, histree_time start, uint32_t number,
				    struct histree_error *error)
{
	if (!array_reserve(&replay->nodes, &replay->nodes_capacity, replay->node_count + 1))
		return error_memory(error, "an overview");
	const struct waiting_node node = { start, number };
	HEAP_PUSH(replay->nodes, replay->node_count, node, a, b, a->start < b->start);
	return HISTREE_OK;
}

/* The number of the node that starts first, which waits no longer. */
static uint32_t first_node(struct replay *replay)
{
	assert(replay->node_count > 0);
	const uint32_t first = replay->nodes[0].number;
	HEAP_POP(replay->nodes, replay->node_count, a, b, a->start < b->start);
	return first;
}

static enum histree_status add_item(struct replay *replay, const struct histree_interval *state,
				    struct histree_error *error)
{
	if ((replay->count < replay->capacity ||
	     table_reserve(&replay->of_items, &replay->items, &replay->capacity, replay->count + 1)) &&
	    feed_item_keep(&replay->values, state, &replay->items[replay->count])) {
		replay->count++;
		return HISTREE_OK;
	}
	return error_memory(error, "an overview");
}

/* If that is the last state on disk of its attribute, which is null from then on, no node says so. */
static enum histree_status add_last_null(struct replay *replay, const struct histree_interval *state,
					 struct histree_error *error)
{
	if (state->end == replay->of->end || state->quark >= replay->tree->lifetimes.count ||
	    lifetimes_view_get(&replay->tree->lifetimes, state->quark).last != state->end)
		return HISTREE_OK;
	const struct histree_interval null = {
		.quark = state->quark, .start = state->end + 1, .end = replay->of->end, .value = histree_null()
	};
	return add_item(replay, &null, error);
}

/* The states of a node that the feed takes; its children wait. */
static enum histree_status read_node(struct replay *replay, uint32_t number, struct histree_error *error)
{
	bool loaded, is_last_taken = false;
	enum histree_status status = node_pin_hold(replay->pin, number, &loaded, error);
	/* A file that lies about its children must not keep us for ever. */
	if (status == HISTREE_ERR_FORMAT || replay->nodes_read++ == replay->tree->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' is damaged: build it again",
				 history_path(replay->history));
	if (status != HISTREE_OK)
		return status;
	const struct node_view *view = &((const struct tree_node *)node_pin_companion(replay->pin))->view;
	for (uint32_t i = 0; i < view->child_count && status == HISTREE_OK; i++) {
		const struct node_child child = node_view_child(view, i);
		status = add_node(replay, child.start > view->start ? child.start : view->start, child.number,
				  error);
	}
	struct node_cursor cursor;
	struct histree_interval rows[ROWS_AT_ONCE], last = { .quark = HISTREE_ROOT };
	size_t count;
	node_cursor_begin_all(&cursor, view);
	while (status == HISTREE_OK &&
	       (status = node_cursor_read(&cursor, rows, ROWS_AT_ONCE, &count)) == HISTREE_OK)
		for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
			if (rows[i].quark != last.quark) {
				if (is_last_taken)
					status = add_last_null(replay, &last, error);
				is_last_taken = rows[i].quark < replay->of->attribute_count &&
						overview_feed_takes(replay->feed, rows[i].quark);
			}
			last = rows[i];
			if (is_last_taken && status == HISTREE_OK)
				status = add_item(replay, &rows[i], error);
		}
	if (status == HISTREE_END)
		status = is_last_taken ? add_last_null(replay, &last, error) : HISTREE_OK;
	else if (status == HISTREE_ERR_FORMAT)
		status = error_set(error, status, "'%s' is damaged: build it again", history_path(replay->history));
	node_pin_drop(replay->pin);
	return status;
}

/* ---- states ------------------------------------------------------------------------------------------------- */

/* A state begins, and the one before it has ended. */
static enum histree_status begin_state(struct replay *replay, const struct column_item *item,
				       struct histree_error *error)
{
	const histree_quark quark = column_item_key(item);
	assert(quark < replay->ongoing.count);
	const struct ongoing_state *before = &replay->ongoing.states[quark];
	const struct histree_value value = feed_item_value(replay->values.values, item);
	struct held_value held;
	if (item->start < before->since || (item->start == before->since && item->start > replay->of->start))
		return error_set(error, HISTREE_ERR_FORMAT,
				 "attribute %u has two states at a time: the history contradicts itself", quark);
	if (item->start > before->since) {
		const struct histree_interval state = { .quark = quark,
							.start = before->since,
							.end = item->start - 1,
							.value = ongoing_states_value(&replay->ongoing, quark) };
		overview_feed_take(replay->feed, &state);
	}
	if (!ongoing_states_hold(&replay->ongoing, &value, &held))
		return error_memory(error, "an overview");
	ongoing_states_set(&replay->ongoing, quark, item->start, &held);
	return HISTREE_OK;
}

/* Have only those items that begin at a time or later; once values are many, those that are theirs. */
static enum histree_status keep_later(struct replay *replay, histree_time from, struct histree_error *error)
{
	const bool is_enough =
		replay->values.count > VALUES_ENOUGH || replay->values.bytes.bytes_total > BYTES_ENOUGH;
	enum histree_status status = HISTREE_OK;
	size_t kept = 0;
	if (is_enough) {
		const struct value_table values = replay->values;
		replay->values = replay->spare_values;
		replay->spare_values = values;
		status = value_table_reset(&replay->values, error);
	}
	for (size_t i = 0; i < replay->count && status == HISTREE_OK; i++) {
		struct column_item item = replay->items[i];
		if (item.start < from)
			continue;
		if (is_enough && column_item_kind(&item) == ITEM_LISTED)
			status = value_table_add(&replay->values, &replay->spare_values.values[item.value],
						 &item.value, error);
		replay->items[kept++] = item;
	}
	assert(kept <= replay->count);
	replay->count = kept;
	return status;
}

/* Begin all states that are there and begin before a time, in the order of their starts. */
static enum histree_status begin_states(struct replay *replay, histree_time before, struct histree_error *error)
{
	size_t count = 0;
	if (replay->count > UINT32_MAX ||
	    !array_reserve(&replay->order, &replay->order_capacity, replay->count + 1) ||
	    !array_reserve(&replay->spare, &replay->spare_capacity, replay->count + 1))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < replay->count; i++)
		if (replay->items[i].start < before)
			replay->order[count++] = (struct keyed_index){
				(uint64_t)replay->items[i].start - (uint64_t)replay->of->start, (uint32_t)i
			};
	assert(count <= replay->count);
	radix_sort(replay->order, replay->spare, count);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = begin_state(replay, &replay->items[replay->order[i].index], error);
	return status == HISTREE_OK ? keep_later(replay, before, error) : status;
}

/* Node by node, until all states have begun. */
static enum histree_status read_all(struct replay *replay, struct histree_error *error)
{
	const double whole = (double)replay->of->end - (double)replay->of->start + 1;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && replay->node_count > 0) {
		/* Those that begin later are looked at again each time: not many times more than others. */
		const size_t enough = replay->count + replay->count / 2 + STATES_AT_ONCE;
		while (status == HISTREE_OK && replay->node_count > 0 && replay->count < enough) {
			const double done = (double)replay->nodes[0].start - (double)replay->of->start;
			status = overview_progress_show(replay->progress, done / whole, error);
			if (status == HISTREE_OK)
				status = read_node(replay, first_node(replay), error);
		}
		if (status == HISTREE_OK)
			status = begin_states(replay, replay->node_count > 0 ? replay->nodes[0].start : INT64_MAX,
					      error);
	}
	return status;
}

/* What goes on ends with the history; a folder has no states. */
static void end_states(struct replay *replay)
{
	overview_feed_closing(replay->feed, replay->of->end);
	for (histree_quark quark = 0; quark < replay->ongoing.count; quark++) {
		const struct ongoing_state *last = &replay->ongoing.states[quark];
		const struct histree_interval state = { .quark = quark,
							.start = last->since,
							.end = replay->of->end,
							.value = ongoing_states_value(&replay->ongoing, quark) };
		const bool is_null = last->type == HISTREE_NULL && last->since == replay->of->start;
		if (overview_feed_takes(replay->feed, quark) &&
		    !(is_null && histree_attributes_is_folder(replay->attributes, quark)))
			overview_feed_take(replay->feed, &state);
	}
	overview_feed_end(replay->feed, replay->of->end);
}

enum histree_status overview_replay(struct overview_feed *feed, struct histree_history *history,
				    struct table_space *tables, const struct overview_progress *progress,
				    struct histree_error *error)
{
	const struct histree_history_info *of = histree_history_info(history);
	struct tree_reader *tree = history_tree(history);
	struct replay replay = { .feed = feed,
				 .history = history,
				 .of = of,
				 .tree = tree,
				 .attributes = histree_history_attributes(history),
				 .progress = progress,
				 .of_items.space = tables };
	ongoing_states_use_space(&replay.ongoing, tables);
	enum histree_status status = node_pin_create(tree->cache, &replay.pin, error);
	if (status == HISTREE_OK)
		status = value_table_reset(&replay.values, error);
	if (status == HISTREE_OK && !ongoing_states_reserve(&replay.ongoing, of->attribute_count))
		status = error_memory(error, "an overview");
	if (status == HISTREE_OK) {
		ongoing_states_extend(&replay.ongoing, of->attribute_count, of->start);
		overview_feed_watch(feed, replay.attributes, &replay.ongoing);
		status = add_node(&replay, of->start, tree->shape.root, error);
	}
	if (status == HISTREE_OK)
		status = read_all(&replay, error);
	if (status == HISTREE_OK)
		end_states(&replay);
	overview_feed_forget_source(feed);
	if (status == HISTREE_OK && overview_feed_lacks_memory(feed))
		status = error_memory(error, "an overview");
	node_pin_free(replay.pin);
	ongoing_states_release(&replay.ongoing);
	table_release(&replay.of_items, replay.items);
	value_table_release(&replay.values);
	value_table_release(&replay.spare_values);
	free(replay.nodes);
	free(replay.order);
	free(replay.spare);
	return status;
}
