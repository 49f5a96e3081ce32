// SPDX-License-Identifier: MIT
/*
 * Algorithm 5.2, with one queue: nodes and blocks by the least key that they can have, segments by theirs.  What
 * comes out of the queue is opened, or, if it is a segment, handed out.
 *
 * Content is read from the leaf as each segment is handed out.  Where so many leaves are open that they do not fit
 * into the cache, each segment would cost a node: then segments are taken from the queue ahead, and their content
 * is gathered, each leaf once for many.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "segment_tree/segment_damage.h"
#include "segment_tree/segment_gather.h"
#include "segment_tree/segment_location.h"
#include "segment_tree/segment_order.h"
#include "segment_tree/segment_queue.h"
#include "segment_tree/segment_visit.h"

/*
 * References, from the top: whether it is a segment (1 bit), whether it is a block (1), a location (59).  So nodes
 * and blocks come before segments of the same key.
 */
#define REF_IS_BLOCK (UINT64_C(1) << 62)

/*
 * Loads of leaves for the sake of content: so many at first, and then one in so many segments, are none too many.
 */
enum { LOADS_AT_FIRST = 64, SEGMENTS_PER_LOAD = 16 };

enum { AHEAD_FIRST = 128, AHEAD_BYTES = 8 + 16 + 2 * 16 + 24 };

/* Segments taken from the queue, whose content is gathered. */
struct sweep_ahead {
	bool on;
	struct segment_gather *gather;
	uint64_t *locations;
	struct segment_key *keys;
	size_t locations_capacity, keys_capacity;
	size_t wanted, count;
	size_t at; /* the next to be handed out */
	size_t gathered, gathered_end;
	bool one_by_one; /* some leaf of them can no longer be read */
	/* What comes after the last of them: the end, a loss, an error. */
	enum histree_status after;
	struct histree_segment_loss loss;
	struct histree_error error;
};

struct segment_sweep {
	struct segment_source source;
	struct segment_window window;
	struct segment_order order;
	struct segment_queue *queue;
	struct segment_key from;   /* segments with smaller keys are passed over */
	struct segment_key last;   /* of what was popped last */
	struct segment_key handed; /* of the segment handed out last */
	uint64_t handed_out;
	struct sweep_ahead ahead;
	uint64_t nodes; /* opened */
	struct segment_damage damage;
	struct segment_visit visit;  /* to the node being opened */
	struct segment_visit holder; /* to the leaf with the content handed out last */
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
};

enum histree_status segment_sweep_create(const struct segment_source *source, struct segment_sweep **out,
					 struct histree_error *error)
{
	*out = NULL;
	struct segment_sweep *sweep = calloc(1, sizeof(*sweep));
	if (sweep == NULL)
		return error_memory(error, "an iterator");
	enum histree_status status =
		segment_queue_create(source->io, source->path, source->queue_bytes, &sweep->queue, error);
	if (status != HISTREE_OK) {
		free(sweep);
		return status;
	}
	sweep->source = *source;
	sweep->visit.reader = sweep->holder.reader = source->reader;
	*out = sweep;
	return HISTREE_OK;
}

void segment_sweep_free(struct segment_sweep *sweep)
{
	if (sweep == NULL)
		return;
	segment_visit_release(&sweep->visit);
	segment_visit_release(&sweep->holder);
	segment_damage_release(&sweep->damage);
	segment_gather_free(sweep->ahead.gather);
	free(sweep->ahead.locations);
	free(sweep->ahead.keys);
	segment_queue_free(sweep->queue);
	free(sweep);
}

void segment_sweep_key(const struct segment_sweep *sweep, uint64_t key[2])
{
	key[0] = sweep->handed.first;
	key[1] = sweep->handed.second;
}

struct histree_segment_loss segment_sweep_loss(const struct segment_sweep *sweep)
{
	return sweep->damage.loss;
}

void segment_sweep_stats(const struct segment_sweep *sweep, struct histree_segment_iter_stats *stats)
{
	stats->nodes_visited = sweep->visit.visited + sweep->holder.visited;
	stats->nodes_loaded = sweep->visit.loaded + sweep->holder.loaded;
	stats->spilled_bytes = segment_queue_spilled_bytes(sweep->queue);
	if (sweep->ahead.gather != NULL)
		segment_gather_stats(sweep->ahead.gather, stats);
}

/* ---- references --------------------------------------------------------------------------------- */

static uint64_t ref_of_node(uint32_t node)
{
	return segment_location(node, 0, 0);
}

static uint64_t ref_of_block(uint32_t node, uint32_t block)
{
	return REF_IS_BLOCK | segment_location(node, block, 0);
}

/* The order of equal segments is that of their locations, and descending its reverse. */
static uint64_t turn_location(const struct segment_sweep *sweep, uint64_t location)
{
	return sweep->order.descending ? location ^ LOCATION_MASK : location;
}

/* ---- the queue ---------------------------------------------------------------------------------- */

/* The queue relies on it that nothing comes before what was popped; the file might not keep to its bounds. */
static enum histree_status broken_bounds(const struct segment_sweep *sweep, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: its parent has narrower bounds of it",
			 sweep->source.path, sweep->visit.view.number);
}

/* Push a node or block, if it can have segments that are wanted. */
static enum histree_status push_bounds(struct segment_sweep *sweep, const struct node_child *bounds, uint64_t ref,
				       struct histree_error *error)
{
	if (!segment_window_meets(sweep->window, bounds) ||
	    segment_key_is_less(segment_key_limit(sweep->order, bounds), sweep->from))
		return HISTREE_OK;
	struct segment_key key = segment_key_bound(sweep->order, bounds);
	if (segment_key_is_less(key, sweep->last))
		return broken_bounds(sweep, error);
	return segment_queue_push(sweep->queue, &(struct segment_entry){ { key.first, key.second, ref } }, 1,
				  error);
}

enum histree_status segment_sweep_start(struct segment_sweep *sweep, enum histree_segment_order by, bool descending,
					struct segment_window window, const struct histree_segment_token *resume,
					struct histree_error *error)
{
	segment_visit_leave(&sweep->visit);
	segment_visit_leave(&sweep->holder);
	sweep->visit.visited = sweep->visit.loaded = sweep->holder.visited = sweep->holder.loaded = 0;
	segment_queue_clear(sweep->queue);
	sweep->order = (struct segment_order){ .by = by, .descending = descending };
	sweep->window = window;
	sweep->nodes = sweep->handed_out = 0;
	sweep->ahead.on = false;
	sweep->ahead.at = sweep->ahead.count = 0;
	sweep->ahead.after = HISTREE_OK;
	segment_damage_begin(&sweep->damage);
	sweep->from = sweep->last = (struct segment_key){ 0, 0 };
	if (resume != NULL && resume->given > 0)
		sweep->from = (struct segment_key){ resume->key[0], resume->key[1] };
	const struct segment_entry root = { { 0, 0, ref_of_node(sweep->source.reader->shape.root) } };
	return segment_queue_push(sweep->queue, &root, 1, error);
}

/*
 * A node could not be read.  All orphans go into the queue with the first damaged core node that is met: the bounds
 * of each lie within those of a node that is damaged too, and either still in the queue or the one just taken from
 * it.
 */
static enum histree_status meet_damage(struct segment_sweep *sweep, uint32_t number, struct histree_error *error)
{
	bool had_orphans = sweep->damage.met_core;
	enum histree_status status = segment_damage_meet(&sweep->damage, sweep->source.reader, number, error);
	if (had_orphans || !sweep->damage.met_core)
		return status;
	const struct tree_damage *damage = sweep->damage.damage;
	for (size_t i = 0; status == HISTREE_OK && i < damage->orphan_count; i++) {
		const struct orphan_node *orphan = &damage->orphans[i];
		if (orphan->is_readable)
			status = push_bounds(sweep, &orphan->bounds, ref_of_node(orphan->bounds.number), error);
	}
	return status;
}

static enum histree_status open_node(struct segment_sweep *sweep, uint32_t number, struct histree_error *error)
{
	/* A file that lies about its children must not keep us for ever. */
	if (sweep->nodes++ == sweep->source.reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 sweep->source.path, number);
	enum histree_status status = segment_visit_node(&sweep->visit, number, error);
	if (status == HISTREE_ERR_FORMAT)
		return meet_damage(sweep, number, error);
	if (status != HISTREE_OK)
		return status;
	const struct node_view *view = &sweep->visit.view;
	if (view->height == 0) {
		uint32_t count = segment_leaf_block_count(view->block);
		for (uint32_t index = 0; status == HISTREE_OK && index < count; index++) {
			struct segment_block block = segment_block(view->block, index);
			status = push_bounds(sweep, &block.bounds, ref_of_block(number, index), error);
		}
		return status;
	}
	for (uint32_t index = 0; status == HISTREE_OK && index < view->child_count; index++) {
		struct node_child child;
		status = segment_visit_child(&sweep->visit, index, &child, error);
		if (status == HISTREE_OK)
			status = push_bounds(sweep, &child, ref_of_node(child.number), error);
	}
	return status;
}

static enum histree_status open_block(struct segment_sweep *sweep, uint64_t ref, struct histree_error *error)
{
	struct segment_block block;
	struct segment_times times[SEGMENT_BLOCK_MAX];
	enum histree_status status = segment_visit_node(&sweep->visit, segment_location_node(ref), error);
	if (status == HISTREE_ERR_FORMAT)
		return meet_damage(sweep, segment_location_node(ref), error);
	if (status == HISTREE_OK)
		status = segment_visit_times(&sweep->visit, segment_location_block(ref), &block, times, error);
	if (status != HISTREE_OK)
		return status;
	struct segment_entry entries[SEGMENT_BLOCK_MAX];
	size_t count = 0;
	bool sound = true;
	for (uint32_t i = 0; i < block.count; i++) {
		struct segment_key key = segment_key_of(sweep->order, &times[i]);
		uint64_t location = turn_location(sweep, (ref & LOCATION_MASK) | i);
		entries[count] = (struct segment_entry){ { key.first, key.second, SEGMENT_REF_LAST | location } };
		count += segment_window_has(sweep->window, &times[i]) && !segment_key_is_less(key, sweep->from);
		sound &= !segment_key_is_less(key, sweep->last);
	}
	return sound ? segment_queue_push(sweep->queue, entries, count, error) : broken_bounds(sweep, error);
}

/* ---- handing out ------------------------------------------------------------------------------- */

/* From the leaf that it lies in.  HISTREE_NOT_FOUND: it is lost, and that has been told. */
static enum histree_status hand_out(struct segment_sweep *sweep, struct segment_key key, uint64_t location,
				    struct histree_segment *out, struct histree_error *error)
{
	struct segment_times times = segment_key_times(sweep->order, key);
	assert(sweep->handed_out == 0 || !segment_key_is_less(key, sweep->handed));
	sweep->handed = key;
	sweep->handed_out++;
	out->start = times.start;
	out->end = (histree_time)((uint64_t)times.start + times.duration);
	out->content = sweep->content;
	if (sweep->source.field_count == 0)
		return HISTREE_OK;
	enum histree_status status = segment_visit_node(&sweep->holder, segment_location_node(location), error);
	if (status == HISTREE_ERR_FORMAT) {
		status = meet_damage(sweep, segment_location_node(location), error);
		return status == HISTREE_OK ? HISTREE_NOT_FOUND : status;
	}
	if (status != HISTREE_OK)
		return status;
	struct segment_block block = segment_block(sweep->holder.view.block, segment_location_block(location));
	return segment_visit_content(&sweep->holder, &block, segment_location_segment(location), &sweep->source,
				     sweep->source.field_count, sweep->content, error);
}

/* The next segment of the queue; its key is then the last. */
static enum histree_status next_location(struct segment_sweep *sweep, uint64_t *location,
					 struct histree_error *error)
{
	for (;;) {
		struct segment_entry entry;
		enum histree_status status = segment_damage_next(&sweep->damage);
		if (status == HISTREE_OK)
			status = segment_queue_pop(sweep->queue, &entry, error);
		if (status != HISTREE_OK)
			return status;
		uint64_t ref = entry.words[2];
		sweep->last = (struct segment_key){ entry.words[0], entry.words[1] };
		if (ref & SEGMENT_REF_LAST) {
			*location = turn_location(sweep, ref & LOCATION_MASK);
			return HISTREE_OK;
		}
		status = ref & REF_IS_BLOCK ? open_block(sweep, ref, error)
					    : open_node(sweep, segment_location_node(ref), error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* ---- ahead ------------------------------------------------------------------------------------- */

static enum histree_status begin_ahead(struct segment_sweep *sweep, struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	enum histree_status status = HISTREE_OK;
	if (ahead->gather == NULL)
		status = segment_gather_create(&sweep->source, &ahead->gather, error);
	ahead->on = status == HISTREE_OK;
	ahead->wanted = AHEAD_FIRST;
	segment_visit_leave(&sweep->holder);
	return status;
}

static enum histree_status take_ahead(struct segment_sweep *sweep, struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	size_t max = sweep->source.queue_bytes / 4 / AHEAD_BYTES + 1;
	ahead->at = ahead->count = ahead->gathered = ahead->gathered_end = 0;
	ahead->one_by_one = false;
	if (!array_reserve(&ahead->locations, &ahead->locations_capacity, ahead->wanted) ||
	    !array_reserve(&ahead->keys, &ahead->keys_capacity, ahead->wanted))
		return error_memory(error, "an iterator");
	while (ahead->after == HISTREE_OK && ahead->count < ahead->wanted) {
		ahead->after = next_location(sweep, &ahead->locations[ahead->count], &ahead->error);
		if (ahead->after == HISTREE_OK)
			ahead->keys[ahead->count++] = sweep->last;
	}
	ahead->loss = sweep->damage.loss;
	ahead->wanted = 2 * ahead->wanted < max ? 2 * ahead->wanted : max;
	return HISTREE_OK;
}

static enum histree_status reach_what_is_after(struct segment_sweep *sweep, struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	enum histree_status after = ahead->after;
	sweep->damage.loss = ahead->loss;
	ahead->after = HISTREE_OK;
	return after < 0 ? error_set(error, after, "%s", ahead->error.message) : after;
}

/* Have the content of the next at hand, and of as many after it as there is room for. */
static enum histree_status gather(struct segment_sweep *sweep, struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	size_t count = ahead->count - ahead->at;
	enum histree_status status = segment_gather_fetch(ahead->gather, ahead->locations + ahead->at, &count,
							  sweep->source.queue_bytes / 4, error);
	ahead->one_by_one = status == HISTREE_ERR_FORMAT;
	if (status != HISTREE_OK)
		return ahead->one_by_one ? HISTREE_OK : status;
	ahead->gathered = ahead->at;
	ahead->gathered_end = ahead->at + count;
	return HISTREE_OK;
}

static enum histree_status hand_out_gathered(struct segment_sweep *sweep, struct histree_segment *out,
					     struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	enum histree_status status = HISTREE_OK;
	if (ahead->at >= ahead->gathered_end && !ahead->one_by_one)
		status = gather(sweep, error);
	if (status != HISTREE_OK)
		return status;
	size_t at = ahead->at++;
	if (ahead->one_by_one)
		return hand_out(sweep, ahead->keys[at], ahead->locations[at], out, error);
	*out = *segment_gather_get(ahead->gather, at - ahead->gathered);
	sweep->handed = ahead->keys[at];
	sweep->handed_out++;
	return HISTREE_OK;
}

static enum histree_status next_ahead(struct segment_sweep *sweep, struct histree_segment *out,
				      struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	while (ahead->at == ahead->count) {
		enum histree_status status =
			ahead->after != HISTREE_OK ? reach_what_is_after(sweep, error) : take_ahead(sweep, error);
		if (status != HISTREE_OK)
			return status;
	}
	return hand_out_gathered(sweep, out, error);
}

static bool leaves_do_not_fit(const struct segment_sweep *sweep)
{
	uint64_t loaded = sweep->holder.loaded;
	return loaded > LOADS_AT_FIRST && loaded - LOADS_AT_FIRST > sweep->handed_out / SEGMENTS_PER_LOAD;
}

enum histree_status segment_sweep_next(struct segment_sweep *sweep, struct histree_segment *out,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (!sweep->ahead.on && leaves_do_not_fit(sweep))
		status = begin_ahead(sweep, error);
	if (status != HISTREE_OK)
		return status;
	do {
		uint64_t location;
		if (sweep->ahead.on)
			status = next_ahead(sweep, out, error);
		else if ((status = next_location(sweep, &location, error)) == HISTREE_OK)
			status = hand_out(sweep, sweep->last, location, out, error);
	} while (status == HISTREE_NOT_FOUND);
	return status;
}
