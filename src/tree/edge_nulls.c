// SPDX-License-Identifier: MIT
/*
 * edge_nulls.c - the nulls of a region outside the lifetimes of its keys, which no node has (lifetimes.h).
 */
#include "tree/edge_nulls.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"
#include "node/node.h"
#include "tree/lifetimes.h"
#include "tree/tree_reader.h"
#include "tree/tree_shape.h"

/* ---- tree nulls ---------------------------------------------------------------------------------------------- */

void tree_nulls_begin(struct tree_nulls *nulls, const struct tree_reader *reader, size_t keys)
{
	nulls->at = 0;
	nulls->end = reader->lifetimes.count > 0 ? keys : 0; /* else every null is in a node */
	nulls->block = SIZE_MAX;
}

static inline struct lifetime lifetime_of(struct tree_nulls *nulls, const struct lifetimes_view *lifetimes,
					  const struct node_region *region, size_t at)
{
	if (region->quarks != NULL)
		return lifetimes_view_get(lifetimes, region->quarks[at]);
	if (at / LIFETIMES_IN_BLOCK != nulls->block) {
		nulls->block = at / LIFETIMES_IN_BLOCK;
		lifetimes_view_get_block(lifetimes, (histree_quark)(nulls->block * LIFETIMES_IN_BLOCK),
					 nulls->lifetimes);
	}
	return nulls->lifetimes[at % LIFETIMES_IN_BLOCK];
}

size_t tree_nulls_read(struct tree_nulls *nulls, const struct tree_reader *reader, const struct node_region *region,
		       struct histree_interval *out, size_t room)
{
	size_t count = 0;
	for (; nulls->at < nulls->end && count + 2 <= room; nulls->at++) {
		size_t at = nulls->at;
		struct lifetime lifetime = lifetime_of(nulls, &reader->lifetimes, region, at);
		if (lifetime.first <= region->from && lifetime.last >= region->to)
			continue;
		histree_quark key = region->quarks != NULL ? region->quarks[at] : (histree_quark)at;
		struct histree_interval of_key[2];
		unsigned found = lifetime_nulls(lifetime, key, reader->shape.start, reader->shape.end, of_key);
		for (unsigned i = 0; i < found; i++)
			if (region_has_time_of(region, of_key[i].start, of_key[i].end))
				out[count++] = of_key[i];
	}
	assert(count <= room && nulls->at <= nulls->end);
	return count;
}

/* ---- edge nulls ---------------------------------------------------------------------------------------------- */

void edge_nulls_init(struct edge_nulls *edges, const struct tree_options *options)
{
	*edges = (struct edge_nulls){
		.is_idle = options->variant->has_lifetimes,
		.are_left_out = options->leaves_out_nulls && !options->variant->has_lifetimes,
		.start = options->start,
		.lifetimes.table.space = options->tables,
	};
}

enum histree_status edge_nulls_see(struct edge_nulls *edges, const struct histree_interval *interval,
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

void edge_nulls_close_at(struct edge_nulls *edges, histree_time end)
{
	assert(!edges->closing && end >= edges->start);
	edges->closing = true;
	edges->end = end;
}

enum histree_status edge_nulls_leave_out(struct edge_nulls *edges, histree_quark key, struct histree_error *error)
{
	if (edges->is_idle)
		return HISTREE_OK;
	if (!array_reserve(&edges->without, &edges->without_capacity, edges->without_count + 1))
		return error_memory(error, "the attributes without states");
	edges->without[edges->without_count++] = key;
	return HISTREE_OK;
}

bool edge_nulls_has_any(const struct edge_nulls *edges)
{
	return edges->are_left_out || edges->without_count > 0;
}

/* If nodes have every null, a lifetime is that of the tree; without states there is no lifetime. */
static enum histree_status fill(struct edge_nulls *edges, const struct tree_shape *shape)
{
	const struct lifetime whole = { .first = shape->start, .last = shape->end };
	for (histree_quark key = 0; key < shape->key_count; key++)
		if (lifetimes_add(&edges->lifetimes, key, whole) != HISTREE_OK)
			return HISTREE_ERR_MEMORY;
	for (size_t i = 0; i < edges->without_count; i++)
		edges->lifetimes.by_key[edges->without[i]] = lifetime_none;
	return HISTREE_OK;
}

enum histree_status edge_nulls_write(struct edge_nulls *edges, const struct tree_shape *shape,
				     struct block_file *file, struct histree_error *error)
{
	if (!edges->are_left_out && fill(edges, shape) != HISTREE_OK)
		return error_memory(error, "the lifetimes of attributes");
	block_file_need_lifetimes(file);
	return lifetimes_write(&edges->lifetimes, shape->key_count, shape->start, shape->end, file, error);
}

bool edge_nulls_copy(const struct edge_nulls *edges, struct edge_nulls *copy)
{
	*copy = *edges;
	copy->lifetimes = (struct lifetimes){ 0 };
	copy->without = array_copy(edges->without, edges->without_count);
	copy->without_capacity = copy->without_count = copy->without != NULL ? edges->without_count : 0;
	return copy->without_count == edges->without_count && lifetimes_copy(&edges->lifetimes, &copy->lifetimes);
}

void edge_nulls_release(struct edge_nulls *edges)
{
	lifetimes_release(&edges->lifetimes);
	free(edges->without);
}
