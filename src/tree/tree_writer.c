// SPDX-License-Identifier: MIT
/*
 * tree_writer.c - how a tree grows: intervals go into the open leaf, full nodes are sealed, numbered and written,
 * and the open branch from the root to the leaf holds the nodes that are not.
 */
#include "tree/tree_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/crew.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/status.h"
#include "histree/value.h"
#include "item/value.h"
#include "node/node_view.h"
#include "store/block_file.h"
#include "tree/leaf_pack.h"
#include "tree/leaf_sources.h"
#include "tree/lifetimes.h"
#include "tree/tree_branch.h"
#include "tree/tree_shape.h"

enum { INSERTER_INTERVALS = 16384, INSERTER_BYTES = 128 << 10 };

struct inserter_block {
	struct histree_interval *intervals; /* room for INSERTER_INTERVALS */
	size_t count;
	uint8_t *bytes; /* of their values; NULL: none had any yet */
	size_t used, room;
};

struct tree_inserter {
	struct tree_writer *writer;
	struct inserter_block blocks[2];
	unsigned filling;
	struct crew *crew;
	struct crew_task task;
	enum histree_status status; /* of what was handed over; read when the task is finished */
	struct histree_error error;
};

/* ---- edge nulls ---------------------------------------------------------------------------------------------- */

/*
 * The nulls at both ends of a tree of rows, if its options leave these out (thesis 5.3), and all times of keys that
 * have no states: they are in no node, and the section LIFE stands for them.  A variant whose leaves leave them out
 * by themselves (tree_shape.h, has_lifetimes) does not need it: then it is idle.
 */
struct edge_nulls {
	bool is_idle, are_left_out;
	histree_time start; /* of the tree */
	bool closing;       /* a null that ends at `end` is after a lifetime */
	histree_time end;
	struct lifetimes lifetimes; /* of the keys so far, if nulls are left out */
	histree_quark *without;     /* keys that have no states */
	size_t without_count, without_capacity;
};

/*
 * Returns whether an interval is such a null: then no node gets it. A key may have been null up to a moment and
 * from that moment on, as what it was then took no time: without a lifetime between them the section would stand
 * for one null, so the latter is an interval as any other.
 */
static inline bool edge_nulls_take(const struct edge_nulls *edges, const struct histree_interval *interval)
{
	return edges->are_left_out && interval->value.type == HISTREE_NULL &&
	       (interval->start == edges->start || (edges->closing && interval->end == edges->end &&
						    lifetimes_has(&edges->lifetimes, interval->quark)));
}

/* Learn of an interval that was added, or taken. */
static enum histree_status edge_nulls_see(struct edge_nulls *edges, const struct histree_interval *interval,
					  struct histree_error *error)
{
	const struct lifetime lifetime = { .first = interval->start, .last = interval->end };
	assert(interval->start <= interval->end && interval->start >= edges->start);
	if (!edges->are_left_out || edge_nulls_take(edges, interval))
		return HISTREE_OK;
	return lifetimes_add(&edges->lifetimes, interval->quark, lifetime) == HISTREE_OK
		       ? HISTREE_OK
		       : error_memory(error, "the lifetimes of attributes");
}

static enum histree_status edge_nulls_leave_out(struct edge_nulls *edges, histree_quark key,
						struct histree_error *error)
{
	if (edges->is_idle)
		return HISTREE_OK;
	if (!array_reserve(&edges->without, &edges->without_capacity, edges->without_count + 1))
		return error_memory(error, "the attributes without states");
	edges->without[edges->without_count++] = key;
	return HISTREE_OK;
}

/* Write the section, and say in the header that there is one. */
static enum histree_status edge_nulls_write(struct edge_nulls *edges, const struct tree_shape *shape,
					    struct block_file *file, struct histree_error *error)
{
	/* If nodes hold every null state, a lifetime is that of the tree; without states there is no lifetime. */
	const struct lifetime whole = { .first = shape->start, .last = shape->end };
	for (histree_quark key = 0; !edges->are_left_out && key < shape->key_count; key++)
		if (lifetimes_add(&edges->lifetimes, key, whole) != HISTREE_OK)
			return error_memory(error, "the lifetimes of attributes");
	for (size_t i = 0; !edges->are_left_out && i < edges->without_count; i++)
		edges->lifetimes.by_key[edges->without[i]] = lifetime_none;
	file->needs_lifetimes = true;
	return lifetimes_write(&edges->lifetimes, shape->key_count, shape->start, shape->end, file, error);
}

/* Returns false if memory runs out; `copy` is then empty. */
static bool edge_nulls_copy(const struct edge_nulls *edges, struct edge_nulls *copy)
{
	*copy = *edges;
	copy->lifetimes = (struct lifetimes){ 0 };
	copy->without = array_copy(edges->without, edges->without_count);
	copy->without_capacity = copy->without_count = copy->without != NULL ? edges->without_count : 0;
	return copy->without_count == edges->without_count && lifetimes_copy(&edges->lifetimes, &copy->lifetimes);
}

/* ---- what was added ------------------------------------------------------------------------------------------ */

/* What was added so far. */
struct tree_added {
	histree_time end;   /* the greatest */
	uint64_t key_count; /* greatest key + 1 */
	uint64_t intervals, nulls;
	bool has_unknown; /* among the values */
};

struct tree_writer {
	const struct leaf_source *source;
	void *leaves; /* of the source */
	struct tree_options options;
	struct tree_added added;
	size_t value_size_max;
	struct edge_nulls edges;   /* if the source does not see to them itself */
	struct tree_branch branch; /* the source's while it has a task at work (tree_shape.h) */
	struct crew own_crew;      /* used where the options have no crew */
	/* NULL: none.  While it is not waited for, all but `added` and what never changes is its task's. */
	struct tree_inserter *inserter;
};

/* Those which are nulls at an end go to the lifetimes, and all others to the leaves. */
static enum histree_status add_without_edges(struct tree_writer *writer, const struct histree_interval *intervals,
					     size_t count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (!edge_nulls_take(&writer->edges, &intervals[i]))
			status = writer->source->add(writer->leaves, &intervals[i], 1, error);
		if (status == HISTREE_OK)
			status = edge_nulls_see(&writer->edges, &intervals[i], error);
	}
	return status;
}

static inline enum histree_status insert_now(struct tree_writer *writer, const struct histree_interval *intervals,
					     size_t count, struct histree_error *error)
{
	return writer->edges.are_left_out ? add_without_edges(writer, intervals, count, error)
					  : writer->source->add(writer->leaves, intervals, count, error);
}

/* ---- tree inserter ------------------------------------------------------------------------------------------- */

static bool tree_inserter_insert(void *context);

/* Returns NULL if memory runs out. */
static struct tree_inserter *tree_inserter_create(struct crew *crew, struct tree_writer *writer)
{
	struct tree_inserter *inserter = calloc(1, sizeof(*inserter));
	if (inserter == NULL)
		return NULL;
	inserter->crew = crew;
	inserter->task = (struct crew_task){ .step = tree_inserter_insert, .context = inserter };
	inserter->writer = writer;
	for (unsigned i = 0; i < 2; i++)
		inserter->blocks[i].intervals = calloc(INSERTER_INTERVALS, sizeof(struct histree_interval));
	if (inserter->blocks[0].intervals != NULL && inserter->blocks[1].intervals != NULL)
		return inserter;
	for (unsigned i = 0; i < 2; i++)
		free(inserter->blocks[i].intervals);
	free(inserter);
	return NULL;
}

/* ---- handing over ------------------------------------------------------------------------------------------ */

/* The block that is not being filled.  After an error blocks go by. */
static bool tree_inserter_insert(void *context)
{
	struct tree_inserter *inserter = context;
	struct inserter_block *block = &inserter->blocks[1 - inserter->filling];
	if (inserter->status == HISTREE_OK)
		inserter->status = insert_now(inserter->writer, block->intervals, block->count, &inserter->error);
	block->count = block->used = 0;
	return false;
}

static enum histree_status wait(struct tree_inserter *inserter, struct histree_error *error)
{
	crew_finish(inserter->crew, &inserter->task);
	if (inserter->status == HISTREE_OK)
		return HISTREE_OK;
	return error_set(error, inserter->status, "%s", inserter->error.message);
}

static enum histree_status hand_over(struct tree_inserter *inserter, struct histree_error *error)
{
	enum histree_status status = wait(inserter, error);
	assert(inserter->blocks[1 - inserter->filling].count == 0);
	inserter->filling = 1 - inserter->filling;
	crew_start(inserter->crew, &inserter->task);
	return status;
}

/* ---- adding ------------------------------------------------------------------------------------------------ */

/* Returns whether the block has room for the bytes of a value; an empty block may grow. */
static bool has_room(struct inserter_block *block, size_t size, bool *no_memory)
{
	if (size <= block->room - block->used)
		return true;
	if (block->used > 0)
		return false;
	size_t room = size > INSERTER_BYTES ? size : INSERTER_BYTES;
	uint8_t *bytes = realloc(block->bytes, room);
	*no_memory = bytes == NULL;
	if (bytes == NULL)
		return false;
	block->bytes = bytes;
	block->room = room;
	return true;
}

static enum histree_status add_with_bytes(struct tree_inserter *inserter, const struct histree_interval *interval,
					  struct histree_error *error)
{
	struct inserter_block *block = &inserter->blocks[inserter->filling];
	enum histree_status status = HISTREE_OK;
	bool no_memory = false;
	while (status == HISTREE_OK && !has_room(block, interval->value.size, &no_memory)) {
		if (no_memory)
			return error_memory(error, "a value");
		status = hand_over(inserter, error);
		block = &inserter->blocks[inserter->filling];
	}
	if (status != HISTREE_OK)
		return status;
	struct histree_interval *copy = &block->intervals[block->count++];
	*copy = *interval;
	copy->value.bytes = block->bytes + block->used;
	if (interval->value.size > 0)
		memcpy(block->bytes + block->used, interval->value.bytes, interval->value.size);
	block->used += interval->value.size;
	return HISTREE_OK;
}

/* The bytes of values are copied.  Returns the error that intervals added before have met, too. */
static enum histree_status tree_inserter_add(struct tree_inserter *inserter,
					     const struct histree_interval *intervals, size_t count,
					     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		struct inserter_block *block = &inserter->blocks[inserter->filling];
		if (!value_has_bytes(&intervals[i].value))
			block->intervals[block->count++] = intervals[i];
		else
			status = add_with_bytes(inserter, &intervals[i], error);
		block = &inserter->blocks[inserter->filling];
		if (status == HISTREE_OK && block->count == INSERTER_INTERVALS)
			status = hand_over(inserter, error);
	}
	return status;
}

/* Wait until all is inserted: from here on until something is added, no other thread inserts. */
static enum histree_status wait_for_inserter(const struct tree_writer *writer, struct histree_error *error)
{
	struct tree_inserter *inserter = writer->inserter;
	enum histree_status status = HISTREE_OK;
	if (inserter == NULL)
		return status;
	if (inserter->blocks[inserter->filling].count > 0)
		status = hand_over(inserter, error);
	enum histree_status rest = wait(inserter, error);
	return status != HISTREE_OK ? status : rest;
}

/* What was not handed over is not inserted.  NULL is fine. */
static void tree_inserter_free(struct tree_inserter *inserter)
{
	if (inserter == NULL)
		return;
	crew_finish(inserter->crew, &inserter->task);
	for (unsigned i = 0; i < 2; i++) {
		free(inserter->blocks[i].intervals);
		free(inserter->blocks[i].bytes);
	}
	free(inserter);
}

/* ---- tree writer --------------------------------------------------------------------------------------------- */

enum histree_status tree_writer_create(struct block_file *file, const struct tree_options *options,
				       struct tree_writer **out, struct histree_error *error)
{
	*out = NULL;
	struct tree_writer *writer = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "a tree");
	writer->source = leaf_source_of(options->variant->source);
	writer->options = *options;
	writer->added.end = options->start;
	/* If no thread can be started, the caller's thread does all the work. */
	if (options->threads < 2)
		writer->options.crew = NULL;
	else if (options->crew == NULL && crew_begin(&writer->own_crew, options->threads - 1))
		writer->options.crew = &writer->own_crew;
	options = &writer->options;
	writer->edges = (struct edge_nulls){
		.is_idle = options->variant->has_lifetimes,
		.are_left_out = options->leaves_out_nulls && !options->variant->has_lifetimes,
		.start = options->start,
		.lifetimes.table.space = options->tables,
	};
	enum histree_status status = tree_branch_init(&writer->branch, file, options, error);
	if (status == HISTREE_OK)
		status = writer->source->create(&writer->branch, options, &writer->leaves, error);
	if (status != HISTREE_OK) {
		tree_writer_free(writer);
		return status;
	}
	writer->value_size_max = node_value_size_max(&writer->branch.output.layout);
	/* The last of the threads for which there is work; without memory for it, the caller's inserts. */
	if (options->crew != NULL && options->threads == options->variant->threads_max)
		writer->inserter = tree_inserter_create(options->crew, writer);
	tree_assert_branch(&writer->branch);
	*out = writer;
	return HISTREE_OK;
}

void tree_writer_free(struct tree_writer *writer)
{
	if (writer == NULL)
		return;
	/* First of all: a crew may still write. */
	tree_inserter_free(writer->inserter);
	writer->source->free(writer->leaves);
	if (writer->options.crew == &writer->own_crew)
		crew_end(&writer->own_crew);
	lifetimes_release(&writer->edges.lifetimes);
	free(writer->edges.without);
	tree_branch_release(&writer->branch);
	free(writer);
}

/* ---- copies ------------------------------------------------------------------------------------------- */

enum histree_status tree_writer_wait(struct tree_writer *writer, struct histree_error *error)
{
	enum histree_status status = wait_for_inserter(writer, error);
	if (status == HISTREE_OK && writer->source->wait != NULL)
		status = writer->source->wait(writer->leaves, error);
	return status;
}

enum histree_status tree_writer_copy(const struct tree_writer *writer, struct block_file *file,
				     struct tree_writer **out, struct histree_error *error)
{
	*out = NULL;
	struct tree_writer *copy = calloc(1, sizeof(*copy));
	if (copy == NULL)
		return error_memory(error, "a tree");
	tree_assert_branch(&writer->branch);
	copy->source = writer->source;
	copy->options = writer->options;
	copy->options.crew = NULL;
	copy->added = writer->added;
	copy->value_size_max = writer->value_size_max;
	enum histree_status status = tree_branch_copy(&writer->branch, file, &copy->branch);
	if (status == HISTREE_OK)
		status = copy->source->copy(writer->leaves, &copy->branch, &copy->leaves);
	if (status == HISTREE_OK && !edge_nulls_copy(&writer->edges, &copy->edges))
		status = HISTREE_ERR_MEMORY;
	if (status != HISTREE_OK) {
		tree_writer_free(copy);
		return error_memory(error, "a tree");
	}
	tree_assert_branch(&copy->branch);
	*out = copy;
	return HISTREE_OK;
}

/* ---- adding ------------------------------------------------------------------------------------------- */

size_t tree_writer_value_size_max(const struct tree_writer *writer)
{
	return writer->value_size_max;
}

/* Returns whether the tree takes an interval: what every interval is asked, in one condition. */
static inline bool is_acceptable(const struct tree_writer *writer, const struct histree_interval *interval)
{
	/* The interval after it starts at end + 1: no end may be the last time there is. */
	return interval->start >= writer->options.start && interval->end >= interval->start &&
	       interval->end != INT64_MAX && interval->value.size <= writer->value_size_max &&
	       interval->quark < writer->source->key_limit;
}

static __attribute__((cold, noinline)) enum histree_status
refuse(const struct tree_writer *writer, const struct histree_interval *interval, struct histree_error *error)
{
	if (interval->value.size > writer->value_size_max)
		return error_set(
			error, HISTREE_ERR_TOO_LARGE,
			"a value of %u bytes: nodes of this size take %zu at most; use a greater node size",
			interval->value.size, writer->value_size_max);
	if (interval->quark >= writer->source->key_limit)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "attribute %u: there is room for %u",
				 interval->quark, writer->source->key_limit);
	return error_set(error, HISTREE_ERR_TIME_RANGE,
			 "an interval from %lld to %lld in a history that starts at %lld",
			 (long long)interval->start, (long long)interval->end, (long long)writer->options.start);
}

static inline void note_added(struct tree_added *added, const struct histree_interval *interval)
{
	added->end = interval->end > added->end ? interval->end : added->end;
	added->key_count = interval->quark < added->key_count ? added->key_count : (uint64_t)interval->quark + 1;
	added->nulls += interval->value.type == HISTREE_NULL;
	added->has_unknown |= interval->value.type == HISTREE_UNKNOWN;
	added->intervals++;
}

/* Returns how many of the intervals, from the first on, the tree takes, and counts them. */
static inline size_t accept(struct tree_writer *writer, const struct histree_interval *intervals, size_t count)
{
	size_t accepted = 0;
	for (; accepted < count && is_acceptable(writer, &intervals[accepted]); accepted++)
		note_added(&writer->added, &intervals[accepted]);
	return accepted;
}

enum histree_status tree_writer_add(struct tree_writer *writer, const struct histree_interval *intervals,
				    size_t count, size_t *added, struct histree_error *error)
{
	size_t accepted = accept(writer, intervals, count); /* after a failure, the count is not used */
	enum histree_status status = writer->inserter != NULL
					     ? tree_inserter_add(writer->inserter, intervals, accepted, error)
					     : insert_now(writer, intervals, accepted, error);
	*added = status == HISTREE_OK ? accepted : 0;
	return status == HISTREE_OK && accepted < count ? refuse(writer, &intervals[accepted], error) : status;
}

enum histree_status tree_writer_add_one(struct tree_writer *writer, const struct histree_interval *interval,
					struct histree_error *error)
{
	if (!is_acceptable(writer, interval))
		return refuse(writer, interval, error);
	note_added(&writer->added, interval);
	return writer->inserter != NULL ? tree_inserter_add(writer->inserter, interval, 1, error)
					: insert_now(writer, interval, 1, error);
}

enum histree_status tree_writer_count(struct tree_writer *writer, const struct histree_interval *interval,
				      struct histree_error *error)
{
	if (!is_acceptable(writer, interval))
		return refuse(writer, interval, error);
	enum histree_status status = wait_for_inserter(writer, error);
	if (status == HISTREE_OK && writer->source->count != NULL &&
	    writer->source->count(writer->leaves, interval) != HISTREE_OK)
		status = error_memory(error, "the lifetimes of attributes");
	if (status == HISTREE_OK)
		status = edge_nulls_see(&writer->edges, interval, error);
	if (status == HISTREE_OK)
		note_added(&writer->added, interval);
	return status;
}

void tree_writer_close_at(struct tree_writer *writer, histree_time end)
{
	if (wait_for_inserter(writer, NULL) != HISTREE_OK)
		return; /* the next call to add or finish returns the error */
	assert(!writer->edges.closing && end >= writer->edges.start);
	writer->edges.closing = true;
	writer->edges.end = end;
	if (writer->source->close_at != NULL)
		writer->source->close_at(writer->leaves, end);
}

enum histree_status tree_writer_leave_out(struct tree_writer *writer, histree_quark key,
					  struct histree_error *error)
{
	enum histree_status status = wait_for_inserter(writer, error);
	if (status == HISTREE_OK)
		status = edge_nulls_leave_out(&writer->edges, key, error);
	if (status == HISTREE_OK) { /* readers see its null, as for every key */
		writer->added.intervals++;
		writer->added.nulls++;
	}
	return status;
}

struct tree_output *tree_writer_output(struct tree_writer *writer)
{
	return &writer->branch.output;
}

enum histree_status tree_writer_attach(struct tree_writer *writer, const struct node_child *leaf, size_t count,
				       struct histree_error *error)
{
	assert(writer->options.variant->source == SOURCE_ATTACHED);
	enum histree_status status = tree_branch_attach(&writer->branch, leaf, writer->options.start, error);
	if (status != HISTREE_OK)
		return status;
	writer->added.intervals += count;
	writer->added.end = writer->branch.end;
	return HISTREE_OK;
}

const struct tree_options *tree_writer_packs(const struct tree_writer *writer)
{
	return writer->source->take_pack != NULL ? &writer->options : NULL;
}

enum histree_status tree_writer_take_pack(struct tree_writer *writer, const struct leaf_pack *pack,
					  struct histree_error *error)
{
	const struct pack_sums sums = pack->sums;
	struct tree_added *added = &writer->added;
	enum histree_status status = wait_for_inserter(writer, error);
	if (status == HISTREE_OK)
		status = writer->source->take_pack(writer->leaves, pack, error);
	if (status != HISTREE_OK)
		return status;
	added->end = sums.end > added->end ? sums.end : added->end;
	added->key_count = sums.key_count > added->key_count ? sums.key_count : added->key_count;
	added->intervals += sums.intervals;
	added->nulls += sums.nulls;
	added->has_unknown |= sums.has_unknown;
	return HISTREE_OK;
}

/* ---- the end ------------------------------------------------------------------------------------------ */

enum histree_status tree_writer_finish(struct tree_writer *writer, histree_time end, uint32_t key_count,
				       struct histree_error *error)
{
	const struct tree_added *added = &writer->added;
	if (end < added->end || end > writer->options.variant->end_max || key_count < added->key_count)
		return error_set(
			error, HISTREE_ERR_TIME_RANGE,
			"a tree that ends at %lld with %u keys, but has intervals to %lld and keys to %llu",
			(long long)end, key_count, (long long)added->end, (unsigned long long)added->key_count);
	enum histree_status status = wait_for_inserter(writer, error);
	if (status != HISTREE_OK)
		return status;
	struct tree_shape shape = {
		.variant = writer->options.variant,
		.layout = writer->branch.output.layout,
		.fan_out = writer->options.fan_out,
		.key_count = key_count,
		.has_lifetimes = writer->options.variant->has_lifetimes ||
				 (writer->edges.are_left_out || writer->edges.without_count > 0),
		.start = writer->options.start,
		.end = end,
	};
	status = writer->source->finish(writer->leaves, end, &shape, error);
	if (status != HISTREE_OK)
		return status;
	shape.node_count = writer->branch.output.node_count;
	assert(shape.root + 1 == shape.node_count); /* it is written last */
	assert(added->nulls <= added->intervals && writer->branch.output.statistics.height_count > 0);
	if (added->has_unknown)
		writer->branch.output.file->has_unknown = true;
	/* The section of the source comes after those of every tree. */
	struct block_file *file = writer->branch.output.file;
	struct tree_statistics *statistics = &writer->branch.output.statistics;
	statistics->interval_count = writer->added.intervals;
	statistics->null_count = writer->added.nulls;
	tree_statistics_finish(statistics, shape.key_count);
	status = tree_shape_write(&shape, file, error);
	if (status == HISTREE_OK)
		status = tree_statistics_write(statistics, file, error);
	if (status == HISTREE_OK && writer->source->write_section != NULL)
		status = writer->source->write_section(writer->leaves, &shape, file, error);
	if (status == HISTREE_OK && shape.has_lifetimes && !shape.variant->has_lifetimes)
		status = edge_nulls_write(&writer->edges, &shape, file, error);
	return status;
}
