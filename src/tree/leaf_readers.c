// SPDX-License-Identifier: MIT
/*
 * leaf_readers.c - threads that read and decode leaves ahead of an iterator, in slots.  The iterator takes them
 * in the order in which it asked, so the order of the answer does not change.
 */
#include "tree/leaf_readers.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/crew.h"
#include "tree/tree_reader.h"

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

/* The thread that takes the leaf meets the intervals that are left, and an error among them. */
static enum histree_status read_intervals(struct slot *slot)
{
	struct read_leaf *leaf = &slot->leaf;
	size_t count;
	do {
		if (leaf->count == slot->capacity && !make_room(slot))
			return HISTREE_ERR_MEMORY;
		enum histree_status status = node_cursor_read(&leaf->cursor, leaf->intervals + leaf->count,
							      slot->capacity - leaf->count, &count);
		if (status != HISTREE_OK)
			return HISTREE_OK;
		leaf->count += count;
	} while (leaf->count < INTERVALS_MAX);
	return HISTREE_OK;
}

static enum histree_status read_leaf(const struct leaf_readers *readers, struct slot *slot)
{
	struct read_leaf *leaf = &slot->leaf;
	leaf->count = 0;
	if (tree_damage_has(readers->reader, leaf->number))
		return HISTREE_ERR_FORMAT;
	enum histree_status status = node_pin_hold(leaf->pin, leaf->number, &leaf->loaded, NULL);
	tree_damage_note(readers->reader, leaf->number, status);
	if (status != HISTREE_OK)
		return status;
	leaf->node = node_pin_companion(leaf->pin);
	if (leaf->node->view.child_count > 0 || leaf->node->view.row_count == 0)
		return HISTREE_ERR_FORMAT; /* not a leaf, although its parent says so */
	node_cursor_begin(&leaf->cursor, &leaf->node->view, leaf->region);
	return read_intervals(slot);
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
		slot->leaf.status = read_leaf(readers, slot);
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

enum histree_status leaf_readers_create(struct tree_reader *reader, unsigned threads, struct leaf_readers **out,
					struct histree_error *error)
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

void leaf_readers_free(struct leaf_readers *readers)
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

bool leaf_readers_ask(struct leaf_readers *readers, uint32_t number, const struct node_region *region)
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

size_t leaf_readers_waiting(const struct leaf_readers *readers)
{
	return (size_t)(readers->asked - readers->taken);
}

struct read_leaf *leaf_readers_take(struct leaf_readers *readers)
{
	assert(readers->taken == readers->given_back && readers->taken < readers->asked);
	struct slot *slot = slot_at(readers, readers->taken++);
	pthread_mutex_lock(&readers->mutex);
	while (!slot->is_read)
		pthread_cond_wait(&readers->read_some, &readers->mutex);
	pthread_mutex_unlock(&readers->mutex);
	return &slot->leaf;
}

void leaf_readers_give_back(struct leaf_readers *readers, struct read_leaf *leaf)
{
	assert(readers->given_back + 1 == readers->taken);
	node_pin_drop(leaf->pin);
	readers->given_back++;
}

void leaf_readers_cancel(struct leaf_readers *readers)
{
	pthread_mutex_lock(&readers->mutex);
	uint64_t asked = readers->begun > readers->taken ? readers->begun : readers->taken;
	readers->asked = asked; /* the others are not begun */
	while (readers->reading > 0)
		pthread_cond_wait(&readers->read_some, &readers->mutex);
	for (uint64_t place = readers->taken; place < asked; place++)
		node_pin_drop(slot_at(readers, place)->leaf.pin);
	readers->asked = readers->begun = readers->taken;
	pthread_mutex_unlock(&readers->mutex);
}
