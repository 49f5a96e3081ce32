// SPDX-License-Identifier: MIT
/*
 * tree_verify.c - every node of a tree, depth first, a parent before its children; and whether what they have is
 * right.
 *
 * The walk hands out a damaged node with what its parent knows of it, and an orphan below the damaged node that may
 * have been its parent.
 *
 * The check tests every node and every invariant in one pass over the file, front to back: a child has a lower
 * number than its parent, so the results for the children are known when the parent comes.
 *
 * That each attribute has exactly one state at each time is checked without sorting.  See an interval as an edge
 * from start to end + 1; edges only go forward.  If at every point but the history's ends as many edges arrive as
 * leave, and one more leaves at the beginning, then the edges carry a flow of one, and exactly one of them crosses
 * each time.  Arrivals and departures are compared by a sum of hashes for each attribute, which misses a fault
 * with probability 2^-64.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "node/node_view.h"
#include "node/segment_node.h"
#include "tree/tree_reader.h"

/* ---- tree nodes ---------------------------------------------------------------------------------------------- */

/* A node that is still to be visited, as its parent knows it. */
struct pending_node {
	uint32_t number, parent;
	histree_time start, end;
};

struct node_walk {
	struct tree_reader *reader;
	struct node_pin *pin;
	struct pending_node *pending; /* stack */
	size_t count, capacity;
	uint64_t visited;
};

static enum histree_status push(struct node_walk *walk, struct pending_node node, struct histree_error *error)
{
	if (!array_reserve(&walk->pending, &walk->capacity, walk->count + 1))
		return error_memory(error, "a list of nodes");
	walk->pending[walk->count++] = node;
	return HISTREE_OK;
}

static enum histree_status push_children(struct node_walk *walk, const struct node_view *view,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = view->child_count; i-- > 0 && status == HISTREE_OK;) {
		struct node_child child = node_view_child(view, i);
		assert(child.number < view->number);
		/* What a variant does not keep of a child is as wide as can be. */
		const struct pending_node node = {
			.number = child.number,
			.parent = view->number,
			.start = child.start > view->start ? child.start : view->start,
			.end = child.end < view->end ? child.end : view->end,
		};
		status = push(walk, node, error);
	}
	return status;
}

/* Take a damaged node; the orphans that are assumed to be its children take its place. */
static enum histree_status take_damaged(struct node_walk *walk, const struct pending_node *pending,
					struct histree_node *node, struct histree_error *error)
{
	const struct tree_damage *damage;
	enum histree_status status = tree_damage_find(walk->reader, &damage, error);
	if (status != HISTREE_OK)
		return status;
	const struct damaged_node *damaged = tree_damage_node(damage, pending->number);
	if (damaged == NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u could not be read, and then it could",
				 walk->reader->file->path, pending->number);
	*node = (struct histree_node){
		.number = pending->number,
		.parent = pending->parent,
		.height = damaged->height_min,
		.start = pending->start,
		.end = pending->end,
		.key_min = 1, /* to 0: none */
		.bytes = walk->reader->shape.layout.node_size,
		.is_damaged = true,
	};
	for (size_t index = damaged->last_child; index != NO_ORPHAN && status == HISTREE_OK;
	     index = damage->orphans[index].sibling) {
		uint32_t child = damage->orphans[index].bounds.number;
		status = push(walk, (struct pending_node){ child, pending->number, pending->start, pending->end },
			      error);
		node->child_count++;
	}
	return status;
}

/* Take the node on top of the stack; its children take its place. */
static enum histree_status take_node(struct node_walk *walk, struct histree_node *node, struct histree_error *error)
{
	assert(walk->count > 0);
	const struct pending_node next = walk->pending[--walk->count];
	bool loaded;
	/* A file that lies about its children must not keep us for ever. */
	if (walk->visited++ == walk->reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 walk->reader->file->path, next.number);
	const struct tree_node *held;
	enum histree_status status = tree_node_hold(walk->reader, walk->pin, next.number, &loaded, &held, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_FORMAT ? take_damaged(walk, &next, node, error) : status;
	const struct node_view view = held->view;
	*node = (struct histree_node){
		.number = view.number,
		.parent = next.parent,
		.height = view.height,
		.child_count = view.child_count,
		.start = view.start,
		.end = view.end,
		.key_min = view.key_min,
		.key_max = view.key_max,
		.interval_count = view.row_count,
		.bytes_used = view.used,
		.bytes = walk->reader->shape.layout.node_size,
	};
	status = push_children(walk, &view, error);
	node_pin_drop(walk->pin);
	return status;
}

enum histree_status tree_nodes(struct tree_reader *reader,
			       bool (*visit)(void *context, const struct histree_node *node), void *context,
			       struct histree_error *error)
{
	struct node_walk walk = { .reader = reader };
	const struct pending_node root = {
		.number = reader->shape.root,
		.parent = HISTREE_NO_NODE,
		.start = reader->shape.start,
		.end = reader->shape.end,
	};
	enum histree_status status = node_pin_create(reader->cache, &walk.pin, error);
	if (status == HISTREE_OK)
		status = push(&walk, root, error);
	while (status == HISTREE_OK && walk.count > 0) {
		struct histree_node node;
		status = take_node(&walk, &node, error);
		if (status == HISTREE_OK && !visit(context, &node))
			break;
	}
	node_pin_free(walk.pin);
	free(walk.pending);
	return status;
}

/* ---- tree verify --------------------------------------------------------------------------------------------- */

/* What was seen of a node, for its parent. */
struct node_seen {
	bool is_damaged;
	bool has_parent;
};

/* The most rows that are reported, when all of them may be wrong. */
enum { ROW_FAULTS_MAX = 16 };

struct verify {
	struct tree_reader *reader;
	struct node_pin *pin;
	const struct tree_shape *shape;
	void (*report)(void *context, const char *fault);
	void *context;
	uint64_t faults, damaged_nodes;
	struct node_seen *seen; /* by number */
	uint64_t *balance;      /* by key: departures - arrivals */
	uint64_t *at_height;    /* nodes, of as many heights as the file says */
	uint64_t intervals, nulls, bytes_used;
};

__attribute__((format(printf, 2, 3))) static void fault(struct verify *verify, const char *format, ...)
{
	char text[640];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	verify->faults++;
	verify->report(verify->context, text);
}

/* An edge of this attribute. */
static uint64_t edge(histree_quark key, histree_time start, histree_time end)
{
	uint64_t salt = hash_mix(key + UINT64_C(0x9e3779b97f4a7c15));
	return hash_mix(salt ^ (uint64_t)start) - hash_mix(salt ^ ((uint64_t)end + 1));
}

/* ---- one node ----------------------------------------------------------------------------------------- */

/* What a damaged node held, as far as its parent knows. */
static void report_loss(struct verify *verify, const struct node_child *child)
{
	histree_quark last = verify->shape->key_count - 1;
	if (verify->shape->layout.segments) {
		fault(verify, "node %u: what it held is lost: segments from %lld to %lld at most", child->number,
		      (long long)child->start, (long long)child->end);
		return;
	}
	fault(verify, "node %u: what it held is unknown: at most attributes %u to %u, from %lld to %lld",
	      child->number, child->key_min, child->key_max < last ? child->key_max : last, (long long)child->start,
	      (long long)child->end);
}

static void check_rows(struct verify *verify, const struct node_view *view)
{
	struct node_cursor cursor;
	struct histree_interval row, before = { 0 };
	histree_quark key_min = UINT32_MAX, key_max = 0;
	enum histree_status status;
	uint32_t count = 0;
	uint64_t faults_max = verify->faults + ROW_FAULTS_MAX;
	bool indexed = true;
	node_cursor_begin_all(&cursor, view);
	for (;; count++) {
		indexed = indexed && node_cursor_is_indexed(&cursor, count);
		status = node_cursor_next(&cursor, &row);
		if (status != HISTREE_OK)
			break;
		if (count > 0 && verify->faults < faults_max &&
		    (row.quark < before.quark || (row.quark == before.quark && row.start <= before.end)))
			fault(verify, "node %u: row %u is not after the one before it", view->number, count);
		key_min = row.quark < key_min ? row.quark : key_min;
		key_max = row.quark > key_max ? row.quark : key_max;
		verify->balance[row.quark] += edge(row.quark, row.start, row.end);
		verify->nulls += row.value.type == HISTREE_NULL;
		before = row;
	}
	verify->intervals += count;
	if (status != HISTREE_END)
		fault(verify, "node %u: row %u is malformed", view->number, count);
	else if (count != view->row_count)
		fault(verify, "node %u: %u rows, but it says %u", view->number, count, view->row_count);
	else if (!indexed)
		fault(verify, "node %u: its index does not lead to its rows", view->number);
	else if (key_min != view->key_min || key_max != view->key_max)
		fault(verify, "node %u: its keys are from %u to %u, but it says %u to %u", view->number, key_min,
		      key_max, view->key_min, view->key_max);
}

/* A leaf of segments, or a node above them, whose bounds are those of its children. */
static void check_segments(struct verify *verify, const struct node_view *view)
{
	if (view->height == 0) {
		const char *broken = segment_leaf_fault(view->block);
		if (broken != NULL)
			fault(verify, "node %u: %s", view->number, broken);
		verify->intervals += view->row_count;
		return;
	}
	const struct node_child bounds = tree_segment_bounds(view);
	if (view->start != bounds.start || view->end != bounds.end)
		fault(verify, "node %u: its times are not those of its children", view->number);
}

static void check_unused(struct verify *verify, const struct node_view *view)
{
	uint32_t end = block_bytes(verify->reader->file, view->number);
	for (uint32_t at = view->used; at < end; at++)
		if (view->block[at] != 0) {
			fault(verify, "node %u: bytes after its end are not zero", view->number);
			return;
		}
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* HISTREE_ERR_FORMAT is the node's fault and counted; anything else is ours and ends the check. */
static enum histree_status visit_node(struct verify *verify, uint32_t number, struct histree_error *error)
{
	bool loaded;
	struct histree_error refusal;
	enum histree_status status = node_pin_hold(verify->pin, number, &loaded, &refusal);
	if (status == HISTREE_ERR_FORMAT) {
		fault(verify, "%s", refusal.message);
		verify->seen[number].is_damaged = true;
		verify->damaged_nodes++;
		return HISTREE_OK;
	}
	if (status != HISTREE_OK)
		return error_set(error, status, "%s", refusal.message);
	const struct tree_node *node = node_pin_companion(verify->pin);
	assert(node->view.number == number);
	for (uint32_t i = 0; i < node->view.child_count; i++) {
		/* That the two agree was checked when they were opened (tree_reader.h). */
		struct node_child child = node_view_child(&node->view, i);
		struct node_seen *seen = &verify->seen[child.number];
		seen->has_parent = true;
		if (seen->is_damaged)
			report_loss(verify, &child);
		if (i > 0 && verify->shape->variant->check_siblings != NULL) {
			struct node_child before = node_view_child(&node->view, i - 1);
			const char *broken = verify->shape->variant->check_siblings(&before, &child);
			if (broken != NULL)
				fault(verify, "node %u: %s", node->view.number, broken);
		}
	}
	if (node->view.layout->segments)
		check_segments(verify, &node->view);
	else
		check_rows(verify, &node->view);
	check_unused(verify, &node->view);
	verify->bytes_used += node->view.used;
	if (node->view.height < verify->reader->statistics.height_count)
		verify->at_height[node->view.height]++;
	else
		fault(verify, "node %u: height %u of %zu", node->view.number, node->view.height,
		      verify->reader->statistics.height_count);
	return HISTREE_OK;
}

/* What the section LIFE stands for. */
static void add_nulls(struct verify *verify)
{
	const struct tree_shape *shape = verify->shape;
	struct lifetime lifetimes[LIFETIMES_IN_BLOCK];
	for (histree_quark key = 0; key < verify->reader->lifetimes.count; key++) {
		struct histree_interval nulls[2];
		if (key % LIFETIMES_IN_BLOCK == 0)
			lifetimes_view_get_block(&verify->reader->lifetimes, key, lifetimes);
		unsigned count =
			lifetime_nulls(lifetimes[key % LIFETIMES_IN_BLOCK], key, shape->start, shape->end, nulls);
		for (unsigned i = 0; i < count; i++)
			verify->balance[key] += edge(key, nulls[i].start, nulls[i].end);
		verify->intervals += count;
		verify->nulls += count;
	}
}

/*
 * Only where every node could be read: else the damaged ones hold what is missing.  What a partial history leaves
 * out is in its totals, and not here.
 */
static void check_totals(struct verify *verify)
{
	const struct tree_statistics *statistics = &verify->reader->statistics;
	bool is_partial = verify->shape->is_partial;
	if (is_partial ? verify->intervals > statistics->interval_count || verify->nulls > statistics->null_count
		       : verify->intervals != statistics->interval_count || verify->nulls != statistics->null_count)
		fault(verify, "%llu intervals, %llu of them null, but the file says %llu and %llu",
		      (unsigned long long)verify->intervals, (unsigned long long)verify->nulls,
		      (unsigned long long)statistics->interval_count, (unsigned long long)statistics->null_count);
	if (verify->bytes_used != statistics->bytes_used)
		fault(verify, "nodes use %llu bytes, but the file says %llu",
		      (unsigned long long)verify->bytes_used, (unsigned long long)statistics->bytes_used);
	for (size_t height = 0; height < statistics->height_count; height++)
		if (verify->at_height[height] != statistics->nodes_at_height[height])
			fault(verify, "%llu nodes at height %zu, but the file says %llu",
			      (unsigned long long)verify->at_height[height], height,
			      (unsigned long long)statistics->nodes_at_height[height]);
	const struct tree_shape *shape = verify->shape;
	for (histree_quark key = 0; key < shape->key_count && !is_partial; key++)
		if (verify->balance[key] != edge(key, shape->start, shape->end))
			fault(verify, "attribute %u: its intervals do not cover the history exactly once", key);
}

enum histree_status tree_verify(struct tree_reader *reader, void (*report)(void *context, const char *fault),
				void *context, struct histree_error *error)
{
	const struct tree_shape *shape = &reader->shape;
	struct verify verify = { .reader = reader, .shape = shape, .report = report, .context = context };
	enum histree_status status = HISTREE_OK;
	verify.seen = calloc(shape->node_count, sizeof(*verify.seen));
	verify.balance = calloc((size_t)shape->key_count + 1, sizeof(*verify.balance));
	verify.at_height = calloc(reader->statistics.height_count + 1, sizeof(*verify.at_height));
	if (verify.seen == NULL || verify.balance == NULL || verify.at_height == NULL) {
		status = error_memory(error, "verifying");
		goto out;
	}
	status = node_pin_create(reader->cache, &verify.pin, error);
	for (uint32_t number = 0; status == HISTREE_OK && number < shape->node_count; number++)
		status = visit_node(&verify, number, error);
	if (status != HISTREE_OK)
		goto out;
	for (uint32_t number = 0; number < verify.shape->node_count; number++) {
		bool is_root = number == verify.shape->root;
		if (verify.seen[number].has_parent == is_root && verify.damaged_nodes == 0)
			fault(&verify, "node %u: %s", number,
			      is_root ? "is the root and has a parent" : "has no parent");
	}
	add_nulls(&verify);
	if (verify.damaged_nodes == 0)
		check_totals(&verify);
	if (verify.faults > 0)
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s': %llu fault%s", reader->file->path,
				   (unsigned long long)verify.faults, verify.faults == 1 ? "" : "s");
out:
	node_pin_free(verify.pin);
	free(verify.seen);
	free(verify.balance);
	free(verify.at_height);
	return status;
}
