// SPDX-License-Identifier: MIT
/*
 * tree_iter.c - the intervals of a region, node by node: depth first, with the numbers of the nodes still to visit
 * on a stack and one node held (algorithm 4.1 for a region instead of a point; thesis 4.6.4 and 6.1).
 *
 * A node is visited if its bounds, as its parent knows them, meet the region: thus at most once, because each has
 * one parent.  Several intervals are read at a time, so that they share the cost of returning to a node.
 *
 * Threads may read and decode the leaves that come next, in slots.  The iterator takes them in the order in which
 * it asked, so the order of the answer does not change.
 *
 * A damaged node is skipped.  What the other nodes leave uncovered is handed out at the end as unknown.
 */
#include "tree/tree_iter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/crew.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "node/node.h"
#include "node/node_cursor.h"
#include "store/node_cache.h"
#include "tree/lifetimes.h"
#include "tree/tree_reader.h"

/* Returns the number of some intervals that meet a range of times. */
static inline tree_coverage tree_coverage_of_range(const struct node_region *region,
						   const struct histree_interval *intervals, size_t count)
{
	const histree_time from = region->from, to = region->to;
	tree_coverage covered = 0;
	if (from == to) { /* each has the one time, and its key no other interval: the sum fits */
		uint64_t weight = 0;
		for (size_t i = 0; i < count; i++)
			weight += region_weight(intervals[i].quark);
		return weight;
	}
	for (size_t i = 0; i < count; i++) {
		histree_time start = intervals[i].start, end = intervals[i].end;
		start = start < from ? from : start;
		end = end > to ? to : end;
		covered +=
			((tree_coverage)((uint64_t)end - (uint64_t)start) + 1) * region_weight(intervals[i].quark);
	}
	return covered;
}

/* Returns the number of some intervals where the region is a list of times, else 0. */
static inline uint64_t tree_coverage_of_times(const struct node_region *region,
					      const struct histree_interval *intervals, size_t count)
{
	uint64_t covered = 0;
	for (size_t i = 0; i < count && region->times != NULL; i++)
		covered += region_count_times(region, &intervals[i]);
	return covered;
}

/* ---- tree iter ----------------------------------------------------------------------------------------------- */

/* What a thread has read. */
struct read_leaf {
	/* The outcome.  If it is not HISTREE_OK, the iterator enters the node itself and reports the fault. */
	enum histree_status status;
	uint32_t number;
	bool loaded;
	struct node_pin *pin; /* holds the leaf */
	const struct tree_node *node;
	const struct node_region *region;
	struct node_cursor cursor; /* after the intervals below, before those for which there was no room */
	struct histree_interval *intervals;
	size_t count;
};

struct leaf_readers;

static void leaf_readers_free(struct leaf_readers *readers);

/* ---- leaf readers -------------------------------------------------------------------------------------------- */

enum {
	LEAVES_PER_THREAD = 2,     /* one that is read, and one that waits to be taken */
	INTERVALS_MAX = 64 << 10,  /* of a leaf that are read ahead */
	INTERVALS_FIRST = 4 << 10, /* for which there is room at first */
};

/*
 * A ring: leaves are asked for, begun and taken in one order, so three counts say the state of each.  Those before
 * `begun` may still be read; `is_read` says which are not.
 */
struct slot {
	struct read_leaf leaf;
	size_t capacity; /* of its intervals */
	bool is_read;
};

struct leaf_readers {
	struct tree_reader *reader;
	struct worker *workers;
	unsigned worker_count;
	struct slot *slots;
	size_t slot_count;

	pthread_mutex_t mutex; /* of all that follows, and of `is_read` */
	pthread_cond_t asked_some, read_some;
	uint64_t asked, begun, taken, given_back;
	unsigned reading; /* threads that read just now */
	bool stopping;
};

static struct slot *slot_at(const struct leaf_readers *readers, uint64_t place)
{
	return &readers->slots[place % readers->slot_count];
}

/* ---- in the threads -------------------------------------------------------------------------------------- */

static bool make_room(struct slot *slot)
{
	size_t capacity = slot->capacity == 0 ? INTERVALS_FIRST : 4 * slot->capacity;
	capacity = capacity < INTERVALS_MAX ? capacity : INTERVALS_MAX;
	struct histree_interval *intervals =
		reallocarray(slot->leaf.intervals, capacity, sizeof(*slot->leaf.intervals));
	if (intervals == NULL)
		return false;
	slot->leaf.intervals = intervals;
	slot->capacity = capacity;
	return true;
}

static enum histree_status leaf_readers_read_leaf(const struct leaf_readers *readers, struct slot *slot)
{
	struct read_leaf *leaf = &slot->leaf;
	leaf->count = 0;
	enum histree_status status =
		tree_node_hold(readers->reader, leaf->pin, leaf->number, &leaf->loaded, &leaf->node, NULL);
	if (status != HISTREE_OK)
		return status;
	if (leaf->node->view.child_count > 0 || leaf->node->view.row_count == 0)
		return HISTREE_ERR_FORMAT; /* not a leaf, although its parent says so */
	node_cursor_begin(&leaf->cursor, &leaf->node->view, leaf->region);
	/* The thread that takes the leaf meets the intervals that are left, and an error among them. */
	size_t count;
	do {
		if (leaf->count == slot->capacity && !make_room(slot))
			return HISTREE_ERR_MEMORY;
		status = node_cursor_read(&leaf->cursor, leaf->intervals + leaf->count,
					  slot->capacity - leaf->count, &count);
		if (status != HISTREE_OK)
			return HISTREE_OK;
		leaf->count += count;
	} while (leaf->count < INTERVALS_MAX);
	return HISTREE_OK;
}

static void serve(void *context)
{
	struct leaf_readers *readers = context;
	pthread_mutex_lock(&readers->mutex);
	for (;;) {
		while (readers->begun == readers->asked && !readers->stopping)
			pthread_cond_wait(&readers->asked_some, &readers->mutex);
		if (readers->stopping)
			break;
		struct slot *slot = slot_at(readers, readers->begun++);
		readers->reading++;
		pthread_mutex_unlock(&readers->mutex);
		slot->leaf.status = leaf_readers_read_leaf(readers, slot);
		pthread_mutex_lock(&readers->mutex);
		readers->reading--;
		slot->is_read = true;
		pthread_cond_signal(&readers->read_some);
	}
	pthread_mutex_unlock(&readers->mutex);
}

/* ---- in the thread of the iterator ------------------------------------------------------------------------ */

static bool make_slots(struct leaf_readers *readers, unsigned threads)
{
	readers->workers = calloc(threads, sizeof(*readers->workers));
	readers->slots = calloc((size_t)threads * LEAVES_PER_THREAD, sizeof(*readers->slots));
	if (readers->workers == NULL || readers->slots == NULL)
		return false;
	for (; readers->slot_count < (size_t)threads * LEAVES_PER_THREAD; readers->slot_count++)
		if (node_pin_create(readers->reader->cache, &readers->slots[readers->slot_count].leaf.pin, NULL) !=
		    HISTREE_OK)
			return false;
	return true;
}

/*
 * Start this many threads, or as many as the system gives, at least one.  Returns HISTREE_ERR_MEMORY if it gives
 * none.
 */
static enum histree_status leaf_readers_create(struct tree_reader *reader, unsigned threads,
					       struct leaf_readers **out, struct histree_error *error)
{
	struct leaf_readers *readers = calloc(1, sizeof(*readers));
	*out = NULL;
	if (readers == NULL)
		return error_memory(error, "the threads of a query");
	*readers = (struct leaf_readers){ .reader = reader,
					  .mutex = PTHREAD_MUTEX_INITIALIZER,
					  .asked_some = PTHREAD_COND_INITIALIZER,
					  .read_some = PTHREAD_COND_INITIALIZER };
	if (make_slots(readers, threads))
		while (readers->worker_count < threads && worker_create(&readers->workers[readers->worker_count]))
			worker_start(&readers->workers[readers->worker_count++], serve, readers);
	if (readers->worker_count == 0) {
		leaf_readers_free(readers);
		return error_memory(error, "the threads of a query");
	}
	*out = readers;
	return HISTREE_OK;
}

/* Ends the threads; NULL is fine. */
static void leaf_readers_free(struct leaf_readers *readers)
{
	if (readers == NULL)
		return;
	pthread_mutex_lock(&readers->mutex);
	readers->stopping = true;
	pthread_cond_broadcast(&readers->asked_some);
	pthread_mutex_unlock(&readers->mutex);
	while (readers->worker_count > 0)
		worker_stop(&readers->workers[--readers->worker_count]);
	while (readers->slot_count > 0) {
		struct slot *slot = &readers->slots[--readers->slot_count];
		free(slot->leaf.intervals);
		node_pin_free(slot->leaf.pin);
	}
	free(readers->slots);
	free(readers->workers);
	pthread_cond_destroy(&readers->asked_some);
	pthread_cond_destroy(&readers->read_some);
	pthread_mutex_destroy(&readers->mutex);
	free(readers);
}

/*
 * Ask for the part of a leaf that is in a region, which is borrowed until it is given back or cancelled.  Returns
 * false if enough was asked for.
 */
static bool leaf_readers_ask(struct leaf_readers *readers, uint32_t number, const struct node_region *region)
{
	if (readers->asked - readers->given_back == readers->slot_count)
		return false;
	struct slot *slot = slot_at(readers, readers->asked);
	slot->leaf.number = number;
	slot->leaf.region = region;
	pthread_mutex_lock(&readers->mutex);
	slot->is_read = false;
	readers->asked++;
	pthread_cond_signal(&readers->asked_some);
	pthread_mutex_unlock(&readers->mutex);
	return true;
}

/* Returns how many leaves were asked for and not taken. */
static size_t leaf_readers_waiting(const struct leaf_readers *readers)
{
	return (size_t)(readers->asked - readers->taken);
}

/* Give back what was taken. */
static void leaf_readers_give_back(struct leaf_readers *readers, struct read_leaf *leaf)
{
	assert(readers->given_back + 1 == readers->taken);
	node_pin_drop(leaf->pin);
	readers->given_back++;
}

/* ---- nulls outside of lifetimes ------------------------------------------------------------------------------ */

/* The nulls of a region outside the lifetimes of its keys, which are in no node (lifetimes.h). */
struct tree_nulls {
	size_t at, end; /* the region's keys whose nulls were not given yet, by index */
	size_t alike;   /* how many from there on have the nulls below */
	unsigned count; /* of a key's nulls in the region */
	struct histree_interval of_key[2];
	struct lifetime_run runs[LIFETIMES_IN_BLOCK]; /* where all keys are asked for: those of their block */
	unsigned next_run, run_count;
};

static inline void add_null(struct tree_nulls *nulls, const struct node_region *region, histree_time start,
			    histree_time end)
{
	if (region_meets_times(region, start, end)) {
		nulls->of_key[nulls->count].start = start;
		nulls->of_key[nulls->count++].end = end;
	}
}

/* What keys of a lifetime have outside of it and inside the region. */
static inline void set_nulls(struct tree_nulls *nulls, const struct tree_shape *shape,
			     const struct node_region *region, struct lifetime lifetime)
{
	nulls->count = 0;
	if (lifetime.first > lifetime.last) {
		add_null(nulls, region, shape->start, shape->end);
		return;
	}
	if (lifetime.first > region->from)
		add_null(nulls, region, shape->start, lifetime.first - 1);
	if (lifetime.last < region->to)
		add_null(nulls, region, lifetime.last + 1, shape->end);
}

/* Go on to the next keys of one lifetime. */
static inline void next_lifetime(struct tree_nulls *nulls, const struct tree_reader *reader,
				 const struct node_region *region)
{
	if (region->quarks != NULL) {
		nulls->alike = 1;
		set_nulls(nulls, &reader->shape, region,
			  lifetimes_view_get(&reader->lifetimes, region->quarks[nulls->at]));
		return;
	}
	if (nulls->next_run == nulls->run_count) {
		nulls->run_count =
			lifetimes_view_get_runs(&reader->lifetimes, (histree_quark)nulls->at, nulls->runs);
		nulls->next_run = 0;
	}
	const struct lifetime_run *run = &nulls->runs[nulls->next_run++];
	const size_t left = nulls->end - nulls->at, alike = run->end - nulls->at % LIFETIMES_IN_BLOCK;
	nulls->alike = alike < left ? alike : left;
	set_nulls(nulls, &reader->shape, region, run->lifetime);
}

/* Put the nulls of this many keys at `out`.  Returns where they end. */
static struct histree_interval *put_nulls(const struct tree_nulls *nulls, const struct node_region *region,
					  size_t keys, struct histree_interval *out)
{
	const struct histree_interval first = nulls->of_key[0], last = nulls->of_key[1];
	for (size_t at = nulls->at, end = at + keys; at < end; at++) {
		const histree_quark key = region->quarks != NULL ? region->quarks[at] : (histree_quark)at;
		*out++ = (struct histree_interval){ .start = first.start, .end = first.end, .quark = key };
		if (nulls->count > 1)
			*out++ = (struct histree_interval){ .start = last.start, .end = last.end, .quark = key };
	}
	return out;
}

/* Read the next nulls of the region, as long as there is room.  Returns how many; 0: that was all. */
static size_t tree_nulls_read(struct tree_nulls *nulls, const struct tree_reader *reader,
			      const struct node_region *region, struct histree_interval *out, size_t room)
{
	struct histree_interval *const begin = out, *const end = out + room;
	while (nulls->at < nulls->end && end - out >= 2) {
		if (nulls->alike == 0)
			next_lifetime(nulls, reader, region);
		size_t keys = nulls->alike;
		if (nulls->count > 0) {
			const size_t fit = (size_t)(end - out) >> (nulls->count - 1);
			keys = fit < keys ? fit : keys;
			out = put_nulls(nulls, region, keys, out);
		}
		nulls->at += keys;
		nulls->alike -= keys;
	}
	assert(out <= end && nulls->at <= nulls->end);
	return (size_t)(out - begin);
}

/* ---- tree iter ----------------------------------------------------------------------------------------------- */

enum { BATCH = 64 };

struct tree_iter {
	struct tree_reader *reader;
	struct node_region region;
	struct node_region stored; /* the part of it that the current node may contain */
	uint64_t left;             /* intervals that can still come: known where the region is one time */
	tree_coverage uncovered;   /* of the region, as tree_iter.h measures it */
	struct tree_nulls nulls;
	uint32_t *pending;     /* stack of node numbers */
	bool *pending_is_core; /* by position: whether it can have children, as far as its parent knows */
	size_t pending_count, pending_capacity, is_core_capacity;

	struct node_pin *pin;
	const struct tree_node *node; /* being read; NULL: none */
	struct node_cursor cursor;    /* in it */
	struct leaf_readers *readers; /* NULL: no threads */
	struct read_leaf *leaf;       /* the node, if they have read it: its cursor is to be used */
	size_t leaf_at;               /* in its intervals */
	struct tree_counts stats;     /* `intervals`: with those that wait in the batch */

	size_t batch_at, batch_count; /* those that were read and not handed out yet */
	struct histree_interval batch[BATCH];

	bool keeps_to_nodes; /* hands out nothing unknown: it is used to find that */
	bool has_orphans;    /* those of the reader are pending, or were */
	bool has_unknown;    /* the unknown intervals were looked for */
	struct tree_unknown unknown;
};

/* What holds between two intervals that are handed out. */
static void iter_assert(const struct tree_iter *iter)
{
	assert(iter->pending_count <= iter->pending_capacity && iter->pending_count <= iter->is_core_capacity);
	assert(iter->leaf == NULL || (iter->node != NULL && iter->readers != NULL));
	assert(iter->batch_at <= iter->batch_count && iter->batch_count <= BATCH);
	assert(iter->stats.intervals >= iter->batch_count - iter->batch_at);
	assert(iter->unknown.next <= iter->unknown.count);
}

static bool reserve_pending(struct tree_iter *iter, size_t count)
{
	return array_reserve(&iter->pending, &iter->pending_capacity, count) &&
	       array_reserve(&iter->pending_is_core, &iter->is_core_capacity, count);
}

enum histree_status tree_iter_create(struct tree_reader *reader, struct tree_iter **out,
				     struct histree_error *error)
{
	*out = NULL;
	struct tree_iter *iter = calloc(1, sizeof(*iter));
	if (iter == NULL || !reserve_pending(iter, 1)) {
		tree_iter_free(iter);
		return error_memory(error, "a query");
	}
	iter->reader = reader;
	iter->keeps_to_nodes = reader->shape.is_partial;
	enum histree_status status = node_pin_create(reader->cache, &iter->pin, error);
	if (status != HISTREE_OK) {
		tree_iter_free(iter);
		return status;
	}
	*out = iter;
	return HISTREE_OK;
}

/* ---- tree unknown -------------------------------------------------------------------------------------------- */

/* One or more intervals, each after the one before, that can be read: their attribute is known then. */
struct cover {
	histree_time start, end;
	histree_quark quark;
};

struct covers {
	struct cover *covers;
	size_t count, capacity;
};

COMPARE(by_quark_and_start, struct cover, BY(quark) BY(start))

/*
 * Add an interval.  Nodes have those of a key one after the other, so there are few more covers than nodes times
 * keys.
 */
static bool cover(struct covers *covers, const struct histree_interval *interval)
{
	struct cover *last = covers->count > 0 ? &covers->covers[covers->count - 1] : NULL;
	if (last != NULL && last->quark == interval->quark && interval->start > last->end &&
	    interval->start - 1 == last->end) {
		last->end = interval->end;
		return true;
	}
	if (!array_reserve(&covers->covers, &covers->capacity, covers->count + 1))
		return false;
	covers->covers[covers->count++] =
		(struct cover){ .start = interval->start, .end = interval->end, .quark = interval->quark };
	return true;
}

static enum histree_status collect(struct tree_reader *reader, const struct histree_region *region,
				   struct covers *covers, struct histree_error *error)
{
	struct tree_iter *iter;
	enum histree_status status = tree_iter_create(reader, &iter, error);
	if (status != HISTREE_OK)
		return status;
	tree_iter_keep_to_nodes(iter);
	tree_iter_start(iter, region);
	struct histree_interval interval;
	while ((status = tree_iter_next(iter, &interval, error)) == HISTREE_OK)
		if (!cover(covers, &interval)) {
			status = error_memory(error, "what a damaged history says");
			break;
		}
	tree_iter_free(iter);
	if (covers->count > 0)
		qsort(covers->covers, covers->count, sizeof(*covers->covers), by_quark_and_start);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status add_unknown(struct tree_unknown *unknown, histree_quark quark, histree_time start,
				       histree_time end, struct histree_error *error)
{
	if (!array_reserve(&unknown->intervals, &unknown->capacity, unknown->count + 1))
		return error_memory(error, "what a damaged history does not say");
	unknown->intervals[unknown->count++] =
		(struct histree_interval){ .start = start, .end = end, .quark = quark, .value = histree_unknown() };
	return HISTREE_OK;
}

/* Add what the `count` known intervals of an attribute leave uncovered in the region's range of times. */
static enum histree_status add_uncovered(struct tree_unknown *unknown, histree_quark quark,
					 const struct cover *covers, size_t count,
					 const struct histree_region *region, struct histree_error *error)
{
	histree_time at = region->from;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (covers[i].start > at)
			status = add_unknown(unknown, quark, at, covers[i].start - 1, error);
		if (covers[i].end >= region->to)
			return status;
		if (covers[i].end >= at) /* as in every sound history */
			at = covers[i].end + 1;
	}
	return status == HISTREE_OK ? add_unknown(unknown, quark, at, region->to, error) : status;
}

/* Like add_uncovered() for listed times: adds each time that is not covered. */
static enum histree_status add_uncovered_times(struct tree_unknown *unknown, histree_quark quark,
					       const struct cover *covers, size_t count,
					       const struct histree_region *region, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t known = 0;
	for (size_t i = 0; i < region->time_count && status == HISTREE_OK; i++) {
		histree_time time = region->times[i];
		while (known < count && covers[known].end < time)
			known++;
		if (known < count && covers[known].start <= time)
			continue;
		if (i == 0 || region->times[i - 1] != time)
			status = add_unknown(unknown, quark, time, time, error);
	}
	return status;
}

enum histree_status tree_unknown_find(struct tree_reader *reader, const struct histree_region *region,
				      struct tree_unknown *unknown, struct histree_error *error)
{
	struct covers covers = { 0 };
	unknown->count = unknown->next = 0;
	/* One attribute at one time, of which nothing was read: there is nothing to tell it from. */
	if (region->quarks != NULL && region->quark_count == 1 && region->from == region->to)
		return add_unknown(unknown, region->quarks[0], region->from, region->to, error);
	enum histree_status status = collect(reader, region, &covers, error);
	size_t key_count = region->quarks != NULL ? region->quark_count : reader->shape.key_count, first = 0;
	for (size_t i = 0; i < key_count && status == HISTREE_OK; i++) {
		histree_quark quark = region->quarks != NULL ? region->quarks[i] : (histree_quark)i;
		size_t end = first;
		while (end < covers.count && covers.covers[end].quark == quark)
			end++;
		const struct cover *known = end > first ? &covers.covers[first] : NULL;
		status = region->times != NULL
				 ? add_uncovered_times(unknown, quark, known, end - first, region, error)
				 : add_uncovered(unknown, quark, known, end - first, region, error);
		first = end;
	}
	free(covers.covers);
	return status;
}

void tree_unknown_release(struct tree_unknown *unknown)
{
	free(unknown->intervals);
	*unknown = (struct tree_unknown){ 0 };
}

/* ---- one iterator ----------------------------------------------------------------------------------------- */

static void leave_node(struct tree_iter *iter)
{
	if (iter->leaf != NULL)
		leaf_readers_give_back(iter->readers, iter->leaf);
	else if (iter->node != NULL)
		node_pin_drop(iter->pin);
	iter->leaf = NULL;
	iter->node = NULL;
}

/* Leaves that were asked for are not wanted: their region, or where they are on the stack, is to change. */
static void forget_asked(struct tree_iter *iter)
{
	if (iter->readers != NULL) {
		/* Forget what was asked for and not taken; from then on no thread uses its region. */
		pthread_mutex_lock(&iter->readers->mutex);
		uint64_t asked =
			iter->readers->begun > iter->readers->taken ? iter->readers->begun : iter->readers->taken;
		iter->readers->asked = asked; /* the others are not begun */
		while (iter->readers->reading > 0)
			pthread_cond_wait(&iter->readers->read_some, &iter->readers->mutex);
		for (uint64_t place = iter->readers->taken; place < asked; place++)
			node_pin_drop(slot_at(iter->readers, place)->leaf.pin);
		iter->readers->asked = iter->readers->begun = iter->readers->taken;
		pthread_mutex_unlock(&iter->readers->mutex);
	}
}

void tree_iter_free(struct tree_iter *iter)
{
	if (iter == NULL)
		return;
	leave_node(iter);
	leaf_readers_free(iter->readers);
	node_pin_free(iter->pin);
	tree_unknown_release(&iter->unknown);
	free(iter->pending);
	free(iter->pending_is_core);
	free(iter);
}

struct tree_counts tree_iter_stats(const struct tree_iter *iter)
{
	struct tree_counts stats = iter->stats;
	stats.intervals -= iter->batch_count - iter->batch_at;
	return stats;
}

/* ---- walking ------------------------------------------------------------------------------------------ */

void tree_iter_stop(struct tree_iter *iter)
{
	leave_node(iter);
	forget_asked(iter);
	iter->left = 0;
	iter->uncovered = 0;
	iter->batch_at = iter->batch_count = 0;
	iter->stats = (struct tree_counts){ 0 };
	iter->has_orphans = iter->has_unknown = false;
}

enum histree_status tree_iter_set_threads(struct tree_iter *iter, unsigned threads, struct histree_error *error)
{
	assert(threads >= 1);
	tree_iter_stop(iter);
	leaf_readers_free(iter->readers);
	iter->readers = NULL;
	return threads > 1 ? leaf_readers_create(iter->reader, threads, &iter->readers, error) : HISTREE_OK;
}

bool tree_iter_is_whole(const struct tree_iter *iter)
{
	return tree_coverage_is_whole(&iter->region, iter->uncovered);
}

void tree_iter_keep_to_nodes(struct tree_iter *iter)
{
	iter->keeps_to_nodes = true;
}

void tree_iter_start(struct tree_iter *iter, const struct histree_region *region)
{
	const struct tree_shape *shape = &iter->reader->shape;
	assert(region->times == NULL || region->time_count > 0);
	assert(region->quarks == NULL || region->quark_count > 0);
	tree_iter_stop(iter);
	iter->region = (struct node_region){
		.from = region->times != NULL ? region->times[0] : region->from,
		.to = region->times != NULL ? region->times[region->time_count - 1] : region->to,
		.quarks = region->quarks,
		.quark_count = region->quark_count,
		.times = region->times,
		.time_count = region->time_count,
	};
	if (region->times != NULL && iter->region.from < iter->region.to)
		iter->region.times_per_ns = (double)(region->time_count - 1) /
					    (double)((uint64_t)iter->region.to - (uint64_t)iter->region.from);
	size_t keys = region->quarks != NULL ? region->quark_count : shape->key_count;
	/* An attribute has exactly one state at a time. */
	iter->left = iter->region.from == iter->region.to ? keys : UINT64_MAX;
	iter->uncovered = tree_coverage_of(&iter->region, keys);
	iter->stored = iter->region;
	iter->pending[0] = shape->root;
	iter->pending_is_core[0] = true;
	bool has_nulls;
	iter->pending_count = lifetimes_view_narrow(&iter->reader->lifetimes, &iter->stored, &has_nulls) ? 1 : 0;
	iter->nulls.at = iter->nulls.alike = 0;
	iter->nulls.end = has_nulls ? keys : 0;
	iter->nulls.next_run = iter->nulls.run_count = 0;
}

static enum histree_status push_children(struct tree_iter *iter, struct histree_error *error)
{
	const struct tree_node *node = iter->node;
	const struct region_bounds bounds = region_bounds(&iter->stored);
	uint32_t count = node->view.child_count;
	size_t position = iter->pending_count;
	if (count == 0)
		return HISTREE_OK;
	if (!reserve_pending(iter, position + count))
		return error_memory(error, "a query");
	/* The last child first: popped in the order of their making, which is about that of time. */
	for (uint32_t g = tree_group_count(count); g-- > 0;) {
		const struct node_child *group = &node->groups[g];
		uint32_t first = g * CHILDREN_PER_GROUP, end = first + CHILDREN_PER_GROUP;
		if (bounds_meet(&bounds, group->start, group->end, group->key_min, group->key_max))
			position += node_view_children(&node->view, first, end < count ? end : count, &iter->stored,
						       &iter->pending[position]);
	}
	memset(&iter->pending_is_core[iter->pending_count], node->view.height > 1, position - iter->pending_count);
	iter->pending_count = position;
	return HISTREE_OK;
}

/*
 * Pass by the node on top of the stack, which cannot be read.  If it may have children, these are orphans: all
 * orphans take its place, once.
 */
static enum histree_status pass_by(struct tree_iter *iter, struct histree_error *error)
{
	assert(iter->pending_count > 0 && iter->node == NULL);
	size_t position = iter->pending_count - 1;
	if (iter->pending_is_core[position] && !iter->has_orphans) {
		const struct tree_damage *damage;
		enum histree_status status = tree_damage_find(iter->reader, &damage, error);
		if (status != HISTREE_OK)
			return status;
		if (!reserve_pending(iter, position + damage->orphan_count))
			return error_memory(error, "a query");
		iter->pending_count = position;
		/* Push the orphans that can be read and meet the region; there is room for them. */
		const struct node_region *region = &iter->stored;
		const struct region_bounds bounds = region_bounds(region);
		for (size_t i = 0; i < damage->orphan_count; i++) {
			const struct node_child *node = &damage->orphans[i].bounds;
			if (!damage->orphans[i].is_readable ||
			    !bounds_meet(&bounds, node->start, node->end, node->key_min, node->key_max) ||
			    !region_meets_times(region, node->start, node->end) ||
			    !region_meets_keys(region, node->key_min, node->key_max))
				continue;
			iter->pending_is_core[iter->pending_count] = true;
			iter->pending[iter->pending_count++] = node->number;
		}
		iter->has_orphans = true;
	} else {
		iter->pending_count = position;
	}
	iter->stats.nodes_damaged++;
	return HISTREE_OK;
}

/*
 * Enter the leaf on top of the stack as a thread has read it.  Those below it, as far as they are leaves, are asked
 * for with it.  Returns false if it is to be entered as other nodes are.
 */
static bool enter_read_leaf(struct tree_iter *iter)
{
	if (iter->readers == NULL)
		return false;
	for (size_t asked = leaf_readers_waiting(iter->readers); asked < iter->pending_count; asked++) {
		size_t position = iter->pending_count - 1 - asked;
		if (iter->pending_is_core[position] ||
		    !leaf_readers_ask(iter->readers, iter->pending[position], &iter->stored))
			break;
	}
	if (leaf_readers_waiting(iter->readers) == 0)
		return false;
	/* Wait for the leaf that was asked for first, and take it.  One at a time is taken. */
	assert(iter->readers->taken == iter->readers->given_back && iter->readers->taken < iter->readers->asked);
	struct slot *slot = slot_at(iter->readers, iter->readers->taken++);
	pthread_mutex_lock(&iter->readers->mutex);
	while (!slot->is_read)
		pthread_cond_wait(&iter->readers->read_some, &iter->readers->mutex);
	pthread_mutex_unlock(&iter->readers->mutex);
	struct read_leaf *leaf = &slot->leaf;
	if (leaf->status != HISTREE_OK) {
		leaf_readers_give_back(iter->readers, leaf);
		forget_asked(iter);
		return false;
	}
	iter->leaf = leaf;
	iter->leaf_at = 0;
	iter->node = leaf->node;
	iter->pending_count--;
	iter->stats.nodes_visited++;
	iter->stats.nodes_loaded += leaf->loaded;
	if (iter->region.times != NULL)
		iter->uncovered -= node_cursor_times_met(&leaf->cursor);
	return true;
}

/*
 * Enter the node on top of the stack.  If that fails, it stays there: a caller that asks again gets the same
 * answer.
 */
static enum histree_status enter_node(struct tree_iter *iter, struct histree_error *error)
{
	assert(iter->pending_count > 0 && iter->node == NULL && iter->leaf == NULL);
	size_t position = iter->pending_count - 1;
	uint32_t number = iter->pending[position];
	bool loaded;
	/* A file that lies about its children must not keep us for ever. */
	if (iter->stats.nodes_visited + iter->stats.nodes_damaged == iter->reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 iter->reader->file->path, number);
	if (enter_read_leaf(iter))
		return HISTREE_OK;
	enum histree_status status = tree_node_hold(iter->reader, iter->pin, number, &loaded, &iter->node, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_FORMAT ? pass_by(iter, error) : status;
	iter->pending_count = position;
	status = push_children(iter, error);
	if (status != HISTREE_OK) {
		leave_node(iter);
		iter->pending[position] = number;
		iter->pending_count = position + 1;
		return status;
	}
	iter->stats.nodes_visited++;
	iter->stats.nodes_loaded += loaded;
	if (iter->node->view.row_count > 0)
		node_cursor_begin(&iter->cursor, &iter->node->view, &iter->stored);
	else
		leave_node(iter);
	return HISTREE_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

/* Read at least one interval of the node that is held, or return HISTREE_END or HISTREE_ERR_FORMAT. */
static enum histree_status read_node(struct tree_iter *iter, struct histree_interval *out, size_t room,
				     size_t *count)
{
	struct read_leaf *leaf = iter->leaf;
	if (leaf != NULL && iter->leaf_at < leaf->count) {
		size_t ready = leaf->count - iter->leaf_at;
		*count = ready < room ? ready : room;
		memcpy(out, &leaf->intervals[iter->leaf_at], *count * sizeof(*out));
		iter->leaf_at += *count;
		return HISTREE_OK;
	}
	struct node_cursor *cursor = leaf != NULL ? &leaf->cursor : &iter->cursor;
	uint64_t met = node_cursor_times_met(cursor);
	enum histree_status status = node_cursor_read(cursor, out, room, count);
	if (iter->region.times != NULL)
		iter->uncovered -= node_cursor_times_met(cursor) - met;
	return status;
}

/* Read at least one interval of the nodes, or return HISTREE_END. */
static enum histree_status read_nodes(struct tree_iter *iter, struct histree_interval *out, size_t room,
				      size_t *count, struct histree_error *error)
{
	enum histree_status status = HISTREE_END;
	*count = 0;
	while (iter->node != NULL || iter->pending_count > 0) {
		if (iter->node == NULL && (status = enter_node(iter, error)) != HISTREE_OK)
			return status;
		if (iter->node == NULL) /* a node of children alone */
			continue;
		status = read_node(iter, out, iter->left < room ? (size_t)iter->left : room, count);
		if (status == HISTREE_OK)
			return HISTREE_OK;
		if (status != HISTREE_END)
			return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: malformed row",
					 iter->reader->file->path, iter->node->view.number);
		leave_node(iter);
	}
	return HISTREE_END;
}

/* Read what the nodes that could not be read held: it is unknown. */
static enum histree_status read_unknown(struct tree_iter *iter, struct histree_interval *out, size_t room,
					size_t *count, struct histree_error *error)
{
	const struct node_region *region = &iter->region;
	struct tree_unknown *unknown = &iter->unknown;
	if (!iter->has_unknown) {
		const struct histree_region asked = {
			.from = region->from,
			.to = region->to,
			.quarks = region->quarks,
			.quark_count = region->quark_count,
			.times = region->times,
			.time_count = region->time_count,
		};
		enum histree_status status = tree_unknown_find(iter->reader, &asked, unknown, error);
		if (status != HISTREE_OK)
			return status;
		iter->has_unknown = true;
	}
	size_t left = unknown->count - unknown->next;
	*count = left < room ? left : room;
	if (*count == 0)
		return HISTREE_END;
	memcpy(out, &unknown->intervals[unknown->next], *count * sizeof(*out));
	unknown->next += *count;
	return HISTREE_OK;
}

/* What the nodes do not say is unknown.  In the end everything is covered once, or they say too much. */
static enum histree_status read_the_rest(struct tree_iter *iter, struct histree_interval *out, size_t room,
					 size_t *count, struct histree_error *error)
{
	if (iter->keeps_to_nodes || (tree_coverage_is_whole(&iter->region, iter->uncovered) && !iter->has_unknown))
		return HISTREE_END;
	enum histree_status status = read_unknown(iter, out, room, count, error);
	iter->uncovered -= tree_coverage_of_times(&iter->region, out, *count);
	if (status == HISTREE_END && !tree_coverage_is_whole(&iter->region, iter->uncovered))
		return error_set(error, HISTREE_ERR_FORMAT,
				 "'%s': an attribute has two states at one time; 'histree verify' says more",
				 iter->reader->file->path);
	return status;
}

/* Read at least one interval, or return HISTREE_END.  There is room for two at least. */
static enum histree_status read_some(struct tree_iter *iter, struct histree_interval *out, size_t room,
				     size_t *count, struct histree_error *error)
{
	enum histree_status status = HISTREE_END;
	iter_assert(iter);
	*count = 0;
	if (iter->left > 0 && !iter->has_unknown) {
		*count = tree_nulls_read(&iter->nulls, iter->reader, &iter->region, out, room);
		iter->uncovered -= tree_coverage_of_times(&iter->region, out, *count);
		status = *count > 0 ? HISTREE_OK : read_nodes(iter, out, room, count, error);
	}
	if (status == HISTREE_END)
		status = read_the_rest(iter, out, room, count, error);
	if (iter->region.times == NULL)
		iter->uncovered -= tree_coverage_of_range(&iter->region, out, *count);
	assert(*count <= room && (status == HISTREE_OK) == (*count > 0));
	if (status == HISTREE_END)
		leave_node(iter);
	iter->left -= *count;
	if (status == HISTREE_END || iter->left == 0)
		forget_asked(iter); /* the answer is whole: the caller may take its lists back */
	iter->stats.intervals += *count;
	return status;
}

static enum histree_status read_batch(struct tree_iter *iter, struct histree_error *error)
{
	iter->batch_at = 0;
	return read_some(iter, iter->batch, BATCH, &iter->batch_count, error);
}

/* Apart from tree_iter_next(), which is short without it. */
__attribute__((noinline)) static enum histree_status
next_of_batch(struct tree_iter *iter, struct histree_interval *out, struct histree_error *error)
{
	enum histree_status status = read_batch(iter, error);
	if (status == HISTREE_OK)
		*out = iter->batch[iter->batch_at++];
	return status;
}

enum histree_status tree_iter_next(struct tree_iter *iter, struct histree_interval *out,
				   struct histree_error *error)
{
	if (iter->batch_at == iter->batch_count)
		return next_of_batch(iter, out, error);
	*out = iter->batch[iter->batch_at++];
	return HISTREE_OK;
}

enum histree_status tree_iter_read(struct tree_iter *iter, struct histree_interval *out, size_t room, size_t *count,
				   struct histree_error *error)
{
	*count = 0;
	if (room == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "room for no interval");
	if (iter->batch_at == iter->batch_count) {
		enum histree_status status =
			room >= 2 ? read_some(iter, out, room, count, error) : read_batch(iter, error);
		if (status != HISTREE_OK || *count > 0)
			return status;
	}
	size_t waiting = iter->batch_count - iter->batch_at;
	*count = waiting < room ? waiting : room;
	memcpy(out, &iter->batch[iter->batch_at], *count * sizeof(*out));
	iter->batch_at += *count;
	return HISTREE_OK;
}
