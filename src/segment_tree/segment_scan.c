// SPDX-License-Identifier: MIT
/*
 * Algorithm 5.1: depth first, with the numbers of the nodes still to visit on a stack.  Leaves come in the order of
 * their numbers, so that a scan is resumed by passing over the nodes with smaller ones.
 *
 * But the orphans of a damaged core node may be leaves and core nodes: the first leaf of a core node is written
 * before the core node that comes before it.  There a scan comes to its place again from the beginning, in the
 * order that it had before.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "segment_tree/segment_damage.h"
#include "segment_tree/segment_location.h"
#include "segment_tree/segment_visit.h"

struct segment_scan {
	struct segment_source source;
	struct segment_window window;
	struct segment_choice choice; /* zeroed: all */
	size_t field_count;           /* that are wanted */
	struct segment_visit visit;
	uint32_t *pending; /* stack of node numbers */
	size_t pending_count, pending_capacity;
	uint64_t nodes; /* entered */
	struct segment_damage damage;
	size_t orphan_at; /* those before it are pending or have been visited */

	uint32_t resume_leaf;     /* nodes below it are passed over */
	uint64_t resume_location; /* in that leaf, segments up to it */
	bool resuming;
	bool is_passing; /* what was handed out before the place in that leaf comes again */
	bool has_given;  /* a segment, since the start */

	/* Of the leaf being visited. */
	uint32_t block_at, block_count; /* the next block */
	struct segment_block block;     /* being read */
	struct segment_times times[SEGMENT_BLOCK_MAX];
	uint32_t at, count; /* the next of them */
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
};

enum histree_status segment_scan_create(const struct segment_source *source, struct segment_scan **out,
					struct histree_error *error)
{
	*out = NULL;
	struct segment_scan *scan = calloc(1, sizeof(*scan));
	if (scan == NULL || !array_reserve(&scan->pending, &scan->pending_capacity, 1)) {
		free(scan);
		return error_memory(error, "an iterator");
	}
	scan->source = *source;
	scan->visit.reader = source->reader;
	*out = scan;
	return HISTREE_OK;
}

void segment_scan_free(struct segment_scan *scan)
{
	if (scan == NULL)
		return;
	segment_visit_release(&scan->visit);
	segment_damage_release(&scan->damage);
	free(scan->pending);
	free(scan);
}

static void go_to_root(struct segment_scan *scan)
{
	segment_visit_leave(&scan->visit);
	scan->pending[0] = scan->source.reader->shape.root;
	scan->pending_count = 1;
	scan->nodes = 0;
	scan->orphan_at = 0;
	scan->block_at = scan->block_count = scan->at = scan->count = 0;
}

void segment_scan_start(struct segment_scan *scan, struct segment_window window,
			const struct histree_segment_token *resume)
{
	go_to_root(scan);
	scan->visit.visited = scan->visit.loaded = 0;
	scan->window = window;
	scan->choice = (struct segment_choice){ 0 };
	scan->field_count = scan->source.field_count;
	segment_damage_begin(&scan->damage);
	scan->resuming = resume != NULL && resume->given > 0;
	scan->resume_leaf = scan->resuming ? (uint32_t)resume->key[0] : 0;
	scan->resume_location = scan->resuming ? resume->key[1] : 0;
	scan->is_passing = scan->has_given = false;
}

void segment_scan_choose(struct segment_scan *scan, struct segment_choice choice)
{
	scan->choice = choice;
	scan->field_count = choice.field_count > 0 && choice.field_count < scan->source.field_count
				    ? choice.field_count
				    : scan->source.field_count;
}

void segment_scan_location(const struct segment_scan *scan, uint64_t key[2])
{
	key[0] = scan->visit.view.number;
	key[1] = segment_location(0, scan->block.bounds.number, scan->at - 1);
}

struct histree_segment_loss segment_scan_loss(const struct segment_scan *scan)
{
	return scan->damage.loss;
}

void segment_scan_stats(const struct segment_scan *scan, struct histree_segment_iter_stats *stats)
{
	stats->nodes_visited = scan->visit.visited;
	stats->nodes_loaded = scan->visit.loaded;
}

static bool is_chosen(const struct segment_scan *scan, const struct segment_bounds *bounds)
{
	return scan->choice.may_have == NULL || scan->choice.may_have(scan->choice.context, bounds);
}

/* Of a node or a block. */
static bool may_have_wanted(const struct segment_scan *scan, const struct node_child *child)
{
	const struct segment_bounds bounds = { child->start, child->start_max, child->duration_min,
					       child->duration_max };
	return segment_window_meets(scan->window, child) && is_chosen(scan, &bounds);
}

static bool has_wanted(const struct segment_scan *scan, const struct segment_times *times)
{
	const struct segment_bounds bounds = { times->start, times->start, times->duration, times->duration };
	return segment_window_has(scan->window, times) && is_chosen(scan, &bounds);
}

static bool is_wanted(const struct segment_scan *scan, const struct node_child *node)
{
	return may_have_wanted(scan, node) && (!scan->resuming || node->number >= scan->resume_leaf);
}

static enum histree_status push_children(struct segment_scan *scan, struct histree_error *error)
{
	uint32_t count = scan->visit.view.child_count;
	if (!array_reserve(&scan->pending, &scan->pending_capacity, scan->pending_count + count))
		return error_memory(error, "an iterator");
	for (uint32_t index = count; index-- > 0;) {
		struct node_child child;
		enum histree_status status = segment_visit_child(&scan->visit, index, &child, error);
		if (status != HISTREE_OK)
			return status;
		if (is_wanted(scan, &child))
			scan->pending[scan->pending_count++] = child.number;
	}
	return HISTREE_OK;
}

/*
 * The orphans of a damaged node take its place.  They are those before it in number that are not pending yet: a
 * node comes after all that are below it, and the scan visits leaves in the order of their numbers.
 */
static enum histree_status push_orphans(struct segment_scan *scan, uint32_t number, struct histree_error *error)
{
	const struct tree_damage *damage = scan->damage.damage;
	size_t end = scan->orphan_at;
	while (end < damage->orphan_count && damage->orphans[end].bounds.number < number)
		end++;
	if (!array_reserve(&scan->pending, &scan->pending_capacity, scan->pending_count + end - scan->orphan_at))
		return error_memory(error, "an iterator");
	for (size_t i = end; i-- > scan->orphan_at;)
		if (damage->orphans[i].is_readable && is_wanted(scan, &damage->orphans[i].bounds))
			scan->pending[scan->pending_count++] = damage->orphans[i].bounds.number;
	scan->orphan_at = end;
	return HISTREE_OK;
}

static enum histree_status enter_damaged(struct segment_scan *scan, uint32_t number, struct histree_error *error)
{
	enum histree_status status = segment_damage_meet(&scan->damage, scan->source.reader, number, error);
	if (status != HISTREE_OK)
		return status;
	if (!scan->resuming || scan->has_given)
		return push_orphans(scan, number, error);
	scan->resuming = false;
	scan->is_passing = true;
	go_to_root(scan);
	return HISTREE_OK;
}

static enum histree_status enter_node(struct segment_scan *scan, struct histree_error *error)
{
	uint32_t number = scan->pending[--scan->pending_count];
	/* A file that lies about its children must not keep us for ever. */
	if (scan->nodes++ == scan->source.reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 scan->source.path, number);
	scan->block_at = scan->block_count = 0;
	enum histree_status status = segment_visit_node(&scan->visit, number, error);
	if (status == HISTREE_ERR_FORMAT)
		return enter_damaged(scan, number, error);
	if (status != HISTREE_OK)
		return status;
	if (scan->visit.view.height > 0)
		return push_children(scan, error);
	scan->block_count = segment_leaf_block_count(scan->visit.view.block);
	return HISTREE_OK;
}

static enum histree_status enter_block(struct segment_scan *scan, struct histree_error *error)
{
	uint32_t index = scan->block_at++;
	scan->at = scan->count = 0;
	struct segment_block block = segment_block(scan->visit.view.block, index);
	if (!may_have_wanted(scan, &block.bounds))
		return HISTREE_OK;
	enum histree_status status = segment_visit_times(&scan->visit, index, &scan->block, scan->times, error);
	if (status != HISTREE_OK)
		return status;
	scan->count = scan->block.count;
	if (scan->resuming && scan->visit.view.number == scan->resume_leaf)
		while (scan->at < scan->count && segment_location(0, index, scan->at) <= scan->resume_location)
			scan->at++;
	return HISTREE_OK;
}

/* The segment at hand was handed out before the scan was resumed; the last one of these ends that. */
static void pass_by(struct segment_scan *scan)
{
	uint64_t key[2];
	segment_scan_location(scan, key);
	scan->is_passing = key[0] != scan->resume_leaf || key[1] != scan->resume_location;
}

enum histree_status segment_scan_next(struct segment_scan *scan, struct histree_segment *out,
				      struct histree_error *error)
{
	for (;;) {
		while (scan->at < scan->count) {
			const struct segment_times *times = &scan->times[scan->at++];
			if (!has_wanted(scan, times))
				continue;
			if (scan->is_passing) {
				pass_by(scan);
				continue;
			}
			scan->has_given = true;
			out->start = times->start;
			out->end = (histree_time)((uint64_t)times->start + times->duration);
			out->content = scan->content;
			if (scan->source.field_count == 0)
				return HISTREE_OK;
			return segment_visit_content(&scan->visit, &scan->block, scan->at - 1, &scan->source,
						     scan->field_count, scan->content, error);
		}
		enum histree_status status = segment_damage_next(&scan->damage);
		if (status != HISTREE_OK)
			return status;
		if (scan->block_at < scan->block_count) {
			status = enter_block(scan, error);
		} else if (scan->pending_count > 0) {
			status = enter_node(scan, error);
		} else {
			segment_visit_leave(&scan->visit);
			return HISTREE_END;
		}
		if (status != HISTREE_OK)
			return status;
	}
}
