// SPDX-License-Identifier: MIT
/*
 * segment_scan.c - the segments of a tree, read node by node in no particular order: what can be read, and what is
 * damaged.
 */
#include "segment_tree/segment_scan.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/segments.h"
#include "item/segment_batch.h"
#include "node/node_view.h"
#include "node/segment_node.h"
#include "store/block_file.h"
#include "tree/tree_reader.h"

/* ---- segment visit ------------------------------------------------------------------------------------------- */

static enum histree_status malformed(const struct segment_visit *visit, const char *what, uint32_t which,
				     struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: %s %u contradicts its bounds",
			 visit->reader->file->path, visit->view.number, what, which);
}

void segment_visit_leave(struct segment_visit *visit)
{
	if (visit->pin != NULL)
		node_pin_drop(visit->pin);
	visit->holds = false;
}

void segment_visit_release(struct segment_visit *visit)
{
	node_pin_free(visit->pin);
	visit->pin = NULL;
	visit->holds = false;
}

enum histree_status segment_visit_node(struct segment_visit *visit, uint32_t number, struct histree_error *error)
{
	if (visit->holds && visit->view.number == number)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	const struct tree_node *node;
	bool loaded;
	visit->holds = false;
	if (visit->pin == NULL)
		status = node_pin_create(visit->reader->cache, &visit->pin, error);
	if (status == HISTREE_OK)
		status = tree_node_hold(visit->reader, visit->pin, number, &loaded, &node, error);
	if (status != HISTREE_OK)
		return status;
	visit->holds = true;
	visit->view = node->view;
	visit->visited++;
	visit->loaded += loaded;
	return HISTREE_OK;
}

enum histree_status segment_visit_times(const struct segment_visit *visit, uint32_t index,
					struct segment_block *block, struct segment_times times[SEGMENT_BLOCK_MAX],
					struct histree_error *error)
{
	if (index >= segment_leaf_block_count(visit->view.block))
		return malformed(visit, "block", index, error);
	*block = segment_block(visit->view.block, index);
	if (segment_block_times(block, times) != HISTREE_OK)
		return malformed(visit, "block", index, error);
	return HISTREE_OK;
}

enum histree_status segment_visit_content(const struct segment_visit *visit, const struct segment_block *block,
					  uint32_t index, const struct segment_source *source, size_t wanted,
					  struct histree_value *content, struct histree_error *error)
{
	if (segment_block_content(block, index, source->fields, source->field_count, wanted, content) == HISTREE_OK)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: segment %u of block %u has malformed content",
			 visit->reader->file->path, visit->view.number, index, block->bounds.number);
}

/* ---- what is lost ------------------------------------------------------------------------------- */

/*
 * Returns whether a damaged node can be a leaf.  The height of its parent gives its own; the height of the root is
 * that of the tree.
 */
static bool may_be_leaf(const struct tree_reader *reader, const struct damaged_node *node)
{
	if (node->bounds.number == reader->shape.root)
		return reader->statistics.height_count <= 1;
	return node->parent_height <= 1;
}

/* Find the losses, now that there is damage. */
static enum histree_status take_damage(struct segment_damage *met, const struct tree_reader *reader,
				       const struct tree_damage *damage, struct histree_error *error)
{
	/* If more segments can be read than the file says, its number is of no use. */
	uint64_t all = reader->statistics.interval_count;
	uint64_t missing = damage->readable_rows <= all ? all - damage->readable_rows : UINT64_MAX, leaves = 0;
	met->loss_count = 0;
	for (size_t i = 0; missing > 0 && i < damage->node_count; i++)
		if (may_be_leaf(reader, &damage->nodes[i])) {
			if (!array_reserve(&met->losses, &met->losses_capacity, met->loss_count + 1))
				return error_memory(error, "looking for damage");
			bool has_parent = damage->nodes[i].parent_height > 0;
			met->losses[met->loss_count++] = (struct segment_loss){
				.loss = { .nodes = 1,
					  .node = damage->nodes[i].bounds.number,
					  .from = has_parent ? damage->nodes[i].bounds.start : INT64_MIN,
					  .to = has_parent ? damage->nodes[i].bounds.end : INT64_MAX },
				.has_parent = has_parent,
			};
			leaves += damage->nodes[i].parent_height == 1;
		}
	/* Each of the others that is a leaf held one segment at least. */
	for (size_t i = 0; i < met->loss_count; i++)
		met->losses[i].loss.rows_max = missing - (leaves - met->losses[i].has_parent);
	met->damage = damage;
	return HISTREE_OK;
}

/* ---- telling of it ------------------------------------------------------------------------------ */

void segment_damage_begin(struct segment_damage *met)
{
	met->damage = NULL;
	met->met_core = false;
	met->untold = 0;
}

void segment_damage_release(struct segment_damage *met)
{
	free(met->losses);
	*met = (struct segment_damage){ 0 };
}

static enum histree_status tell(struct segment_damage *met, struct segment_loss *loss)
{
	if (loss->told)
		return HISTREE_OK;
	loss->told = true;
	met->loss = loss->loss;
	return HISTREE_PARTIAL;
}

enum histree_status segment_damage_meet(struct segment_damage *met, struct tree_reader *reader, uint32_t node,
					struct histree_error *error)
{
	const struct tree_damage *damage;
	struct histree_error refusal;
	enum histree_status status = tree_damage_find(reader, &damage, &refusal);
	if (status != HISTREE_OK)
		return error_set(error, status, "%s", refusal.message);
	if (node >= reader->shape.node_count || !tree_damage_lists(damage, node))
		return HISTREE_ERR_FORMAT;
	if (met->damage == NULL)
		status = take_damage(met, reader, damage, error);
	if (status != HISTREE_OK)
		return status;
	const size_t low = SEARCH(i, 0, met->loss_count, met->losses[i].loss.node < node);
	struct segment_loss *loss =
		low < met->loss_count && met->losses[low].loss.node == node ? &met->losses[low] : NULL;
	if (loss != NULL && loss->has_parent)
		return tell(met, loss);
	met->met_core = true;
	return HISTREE_OK;
}

enum histree_status segment_damage_tell_next(struct segment_damage *met)
{
	while (met->untold < met->loss_count) {
		struct segment_loss *loss = &met->losses[met->untold++];
		if (!loss->has_parent)
			return tell(met, loss);
	}
	return HISTREE_OK;
}

/* ---- segment gather ------------------------------------------------------------------------------------------ */

struct segment_gather {
	struct segment_source source;
	struct segment_visit visit;
	struct keyed_index *entries; /* the locations, sorted; the upper half is spare */
	size_t entries_capacity;
	struct histree_segment *segments; /* by index of the location */
	size_t segments_capacity;
	struct arena contents;

	/* The block that was read last, of the node being visited. */
	bool has_block;
	uint64_t block_location;
	struct segment_block block;
	struct segment_times times[SEGMENT_BLOCK_MAX];
};

enum histree_status segment_gather_create(const struct segment_source *source, struct segment_gather **out,
					  struct histree_error *error)
{
	*out = calloc(1, sizeof(**out));
	if (*out == NULL)
		return error_memory(error, "an iterator");
	(*out)->source = *source;
	(*out)->visit.reader = source->reader;
	return HISTREE_OK;
}

void segment_gather_free(struct segment_gather *gather)
{
	if (gather == NULL)
		return;
	segment_visit_release(&gather->visit);
	arena_release(&gather->contents);
	free(gather->entries);
	free(gather->segments);
	free(gather);
}

void segment_gather_stats(const struct segment_gather *gather, struct histree_statistics *stats)
{
	stats->nodes_visited += gather->visit.visited;
	stats->nodes_loaded += gather->visit.loaded;
}

const struct histree_segment *segment_gather_get(const struct segment_gather *gather, size_t index)
{
	return &gather->segments[index];
}

/* Be at the block of a location; the locations ascend. */
static enum histree_status go_to_block(struct segment_gather *gather, uint64_t location,
				       struct histree_error *error)
{
	uint64_t block_location = location >> LOCATION_SEGMENT_BITS;
	if (gather->has_block && gather->block_location == block_location)
		return HISTREE_OK;
	gather->has_block = false;
	enum histree_status status = segment_visit_node(&gather->visit, segment_location_node(location), error);
	if (status != HISTREE_OK)
		return status;
	if (gather->visit.view.height > 0)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is no leaf", gather->source.path,
				 gather->visit.view.number);
	status = segment_visit_times(&gather->visit, segment_location_block(location), &gather->block,
				     gather->times, error);
	gather->has_block = status == HISTREE_OK;
	gather->block_location = block_location;
	return status;
}

static enum histree_status fetch_one(struct segment_gather *gather, uint64_t location, struct histree_segment *out,
				     struct histree_error *error)
{
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
	enum histree_status status = go_to_block(gather, location, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t index = segment_location_segment(location);
	if (index >= gather->block.count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: block %u has no segment %u",
				 gather->source.path, gather->visit.view.number, segment_location_block(location),
				 index);
	const struct segment_times *times = &gather->times[index];
	struct histree_segment segment = {
		.start = times->start,
		.end = (histree_time)((uint64_t)times->start + times->duration),
		.content = content,
	};
	status = segment_visit_content(&gather->visit, &gather->block, index, &gather->source,
				       gather->source.field_count, content, error);
	if (status == HISTREE_OK && !segment_copy_content(&gather->contents, gather->source.field_count, &segment))
		return error_memory(error, "an iterator");
	*out = segment;
	return status;
}

/* HISTREE_ERR_TOO_LARGE: their content takes more than that. */
static enum histree_status fetch(struct segment_gather *gather, const uint64_t *locations, size_t count,
				 size_t bytes_max, struct histree_error *error)
{
	if (!array_reserve(&gather->entries, &gather->entries_capacity, 2 * count) ||
	    !array_reserve(&gather->segments, &gather->segments_capacity, count))
		return error_memory(error, "an iterator");
	for (size_t i = 0; i < count; i++)
		gather->entries[i] = (struct keyed_index){ .key = locations[i], .index = (uint32_t)i };
	radix_sort(gather->entries, gather->entries + count, count);
	arena_release(&gather->contents);
	gather->has_block = false;
	for (size_t i = 0; i < count; i++) {
		const struct keyed_index *entry = &gather->entries[i];
		enum histree_status status = fetch_one(gather, entry->key, &gather->segments[entry->index], error);
		if (status != HISTREE_OK)
			return status;
		if (count > 1 && gather->contents.bytes_total > bytes_max)
			return HISTREE_ERR_TOO_LARGE;
	}
	return HISTREE_OK;
}

enum histree_status segment_gather_fetch(struct segment_gather *gather, const uint64_t *locations, size_t *count,
					 size_t bytes_max, struct histree_error *error)
{
	enum histree_status status;
	while ((status = fetch(gather, locations, *count, bytes_max, error)) == HISTREE_ERR_TOO_LARGE)
		*count /= 2;
	segment_visit_leave(&gather->visit);
	return status;
}

/* ---- segment scan -------------------------------------------------------------------------------------------- */

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

	/* In the current leaf: */
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

struct histree_loss segment_scan_loss(const struct segment_scan *scan)
{
	return scan->damage.loss;
}

void segment_scan_stats(const struct segment_scan *scan, struct histree_statistics *stats)
{
	stats->nodes_visited = scan->visit.visited;
	stats->nodes_loaded = scan->visit.loaded;
}

static bool is_chosen(const struct segment_scan *scan, const struct segment_bounds *bounds)
{
	return scan->choice.may_have == NULL || scan->choice.may_have(scan->choice.context, bounds);
}

/* For a node or a block. */
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
		const struct node_child child = node_view_child(&scan->visit.view, index);
		assert(child.number < scan->visit.view.number);
		if (is_wanted(scan, &child))
			scan->pending[scan->pending_count++] = child.number;
	}
	return HISTREE_OK;
}

static enum histree_status enter_node(struct segment_scan *scan, struct histree_error *error)
{
	assert(scan->pending_count > 0);
	uint32_t number = scan->pending[--scan->pending_count];
	/* A file that lies about its children must not keep us for ever. */
	if (scan->nodes++ == scan->source.reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 scan->source.path, number);
	scan->block_at = scan->block_count = 0;
	enum histree_status status = segment_visit_node(&scan->visit, number, error);
	if (status == HISTREE_ERR_FORMAT) {
		status = segment_damage_meet(&scan->damage, scan->source.reader, number, error);
		if (status != HISTREE_OK)
			return status;
		if (!scan->resuming || scan->has_given) {
			/*
			 * The orphans of a damaged node take its place.  They are those before it in number that
			 * are not pending yet: a node comes after all that are below it, and the scan visits leaves
			 * in the order of their numbers.
			 */
			const struct tree_damage *damage = scan->damage.damage;
			size_t end = scan->orphan_at;
			while (end < damage->orphan_count && damage->orphans[end].bounds.number < number)
				end++;
			if (!array_reserve(&scan->pending, &scan->pending_capacity,
					   scan->pending_count + end - scan->orphan_at))
				return error_memory(error, "an iterator");
			for (size_t i = end; i-- > scan->orphan_at;)
				if (damage->orphans[i].is_readable && is_wanted(scan, &damage->orphans[i].bounds))
					scan->pending[scan->pending_count++] = damage->orphans[i].bounds.number;
			scan->orphan_at = end;
			return HISTREE_OK;
		}
		scan->resuming = false;
		scan->is_passing = true;
		go_to_root(scan);
		return HISTREE_OK;
	}
	if (status != HISTREE_OK)
		return status;
	if (scan->visit.view.height > 0)
		return push_children(scan, error);
	scan->block_count = segment_leaf_block_count(scan->visit.view.block);
	return HISTREE_OK;
}

static enum histree_status enter_block(struct segment_scan *scan, struct histree_error *error)
{
	assert(scan->block_at < scan->block_count);
	uint32_t index = scan->block_at++;
	scan->at = scan->count = 0;
	struct segment_block block = segment_block(scan->visit.view.block, index);
	if (!may_have_wanted(scan, &block.bounds))
		return HISTREE_OK;
	enum histree_status status = segment_visit_times(&scan->visit, index, &scan->block, scan->times, error);
	if (status != HISTREE_OK)
		return status;
	scan->count = scan->block.count;
	assert(scan->count <= SEGMENT_BLOCK_MAX);
	if (scan->resuming && scan->visit.view.number == scan->resume_leaf)
		while (scan->at < scan->count && segment_location(0, index, scan->at) <= scan->resume_location)
			scan->at++;
	return HISTREE_OK;
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
				/*
				 * The segment at hand was handed out before the scan was resumed; the last one of
				 * these ends that.
				 */
				uint64_t key[2];
				segment_scan_location(scan, key);
				scan->is_passing = key[0] != scan->resume_leaf || key[1] != scan->resume_location;
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
