// SPDX-License-Identifier: MIT
/*
 * edge_nulls.c - the nulls of a region outside the lifetimes of its keys, which no node has (lifetimes.h).
 */
#include "tree/edge_nulls.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "node/node.h"
#include "tree/lifetimes.h"
#include "tree/tree_reader.h"
#include "tree/tree_shape.h"

/* ---- tree nulls ---------------------------------------------------------------------------------------------- */

void tree_nulls_begin(struct tree_nulls *nulls, size_t keys)
{
	nulls->at = nulls->alike = 0;
	nulls->end = keys;
	nulls->next_run = nulls->run_count = 0;
}

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

size_t tree_nulls_read(struct tree_nulls *nulls, const struct tree_reader *reader, const struct node_region *region,
		       struct histree_interval *out, size_t room)
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
	file->needs_lifetimes = true;
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
