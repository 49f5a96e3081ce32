// SPDX-License-Identifier: MIT
/*
 * node_builder.c - a node that is being filled: rows and children until they no longer fit, then the sealed
 * block. The size of the block is known at any time, so what was accepted always fits.
 */
#include "node/node_builder.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/table.h"
#include "item/value.h"
#include "node/column_block.h"
#include "node/node.h"

/* ---- node capacity ------------------------------------------------------------------------------------------- */

struct node_layout node_layout(uint32_t node_size, uint32_t child_bounds, uint32_t fan_out)
{
	struct node_layout layout = { .node_size = node_size, .child_bounds = child_bounds };
	uint32_t half = node_size / 2 / node_child_size(&layout);
	layout.child_capacity = fan_out < half ? fan_out : half;
	return layout;
}

size_t node_capacity(const struct node_layout *layout, uint32_t height)
{
	size_t children = height == 0 ? 0 : (size_t)layout->child_capacity * node_child_size(layout);
	return layout->node_size - NODE_HEADER_SIZE - children;
}

size_t node_value_size_max(const struct node_layout *layout)
{
	/* The longest start, duration and key; and the only entry of the index. */
	size_t of_rows =
		node_capacity(layout, 1) - (2 * VARINT_SIZE_MAX + 5) - VALUE_OVERHEAD_MAX - NODE_INDEX_SIZE;
	size_t of_columns = layout->node_size - COLUMN_LEAF_OVERHEAD_MAX;
	return layout->columns && of_columns < of_rows ? of_columns : of_rows;
}

size_t node_row_size(const struct histree_interval *interval, histree_time start)
{
	uint64_t delta = interval->start > start ? (uint64_t)interval->start - (uint64_t)start : 0;
	return varint_size(delta) + varint_size((uint64_t)interval->end - (uint64_t)interval->start) +
	       varint_size(interval->quark) + value_encoded_size(&interval->value);
}

size_t node_index_size(size_t row_count)
{
	return (size_t)node_index_count((uint32_t)row_count) * NODE_INDEX_SIZE;
}

/* ---- node builder -------------------------------------------------------------------------------------------- */

struct node_row {
	histree_time start;
	histree_quark key;
	uint32_t offset, size; /* offset in the builder's bytes */
};

void node_builder_begin(struct node_builder *builder, const struct node_layout *layout, uint32_t height,
			histree_time start)
{
	builder->layout = layout;
	builder->height = height;
	builder->start = start;
	builder->key_min = builder->subtree_key_min = UINT32_MAX;
	builder->key_max = builder->subtree_key_max = 0;
	builder->child_count = 0;
	builder->row_count = 0;
	builder->bytes_used = 0;
}

bool node_builder_fits(const struct node_builder *builder, const struct histree_interval *interval)
{
	size_t index = node_index_count((uint32_t)builder->row_count + 1) * NODE_INDEX_SIZE;
	return builder->bytes_used + node_row_size(interval, builder->start) + index <=
	       node_capacity(builder->layout, builder->height);
}

static void include_keys(struct node_builder *builder, histree_quark key_min, histree_quark key_max)
{
	if (key_min < builder->subtree_key_min)
		builder->subtree_key_min = key_min;
	if (key_max > builder->subtree_key_max)
		builder->subtree_key_max = key_max;
}

enum histree_status node_builder_add(struct node_builder *builder, const struct histree_interval *interval)
{
	assert(interval->start >= builder->start);
	assert(interval->start <= interval->end);
	size_t size = node_row_size(interval, builder->start);
	if (!array_reserve(&builder->rows, &builder->rows_capacity, builder->row_count + 1) ||
	    !array_reserve(&builder->bytes, &builder->bytes_capacity, builder->bytes_used + size))
		return HISTREE_ERR_MEMORY;

	uint8_t *at = builder->bytes + builder->bytes_used;
	at = put_varint(at, (uint64_t)interval->start - (uint64_t)builder->start);
	at = put_varint(at, (uint64_t)interval->end - (uint64_t)interval->start);
	at = put_varint(at, interval->quark);
	at = value_encode(at, &interval->value);
	assert(at == builder->bytes + builder->bytes_used + size);

	builder->rows[builder->row_count++] = (struct node_row){
		.start = interval->start,
		.key = interval->quark,
		.offset = (uint32_t)builder->bytes_used,
		.size = (uint32_t)size,
	};
	builder->bytes_used += size;
	if (interval->quark < builder->key_min)
		builder->key_min = interval->quark;
	if (interval->quark > builder->key_max)
		builder->key_max = interval->quark;
	include_keys(builder, interval->quark, interval->quark);
	return HISTREE_OK;
}

enum histree_status node_builder_add_child(struct node_builder *builder, const struct node_child *child)
{
	assert(builder->child_count < builder->layout->child_capacity);
	assert(builder->height > 0);
	if (!array_reserve(&builder->children, &builder->children_capacity, builder->child_count + 1))
		return HISTREE_ERR_MEMORY;
	builder->children[builder->child_count++] = *child;
	if (child->key_min <= child->key_max)
		include_keys(builder, child->key_min, child->key_max);
	return HISTREE_OK;
}

/*
 * The order of the rows by (key, start).  A state system hands out the intervals of one attribute in the order of
 * time, so a stable sort by key is enough; the insertion sort after it changes something only for callers that
 * insert out of order.  Returns NULL if memory runs out; the caller frees the result.
 */
static struct keyed_index *sorted_order(const struct node_builder *builder)
{
	size_t count = builder->row_count;
	const struct node_row *rows = builder->rows;
	struct keyed_index *order = malloc((2 * count + 1) * sizeof(*order));
	if (order == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		order[i] = (struct keyed_index){ .key = rows[i].key, .index = (uint32_t)i };
	radix_sort(order, order + count, count);
	for (size_t i = 1; i < count; i++) {
		struct keyed_index entry = order[i];
		size_t slot = i;
		for (; slot > 0 && order[slot - 1].key == entry.key &&
		       rows[order[slot - 1].index].start > rows[entry.index].start;
		     slot--)
			order[slot] = order[slot - 1];
		order[slot] = entry;
	}
	return order;
}

static uint8_t *put_child(const struct node_layout *layout, uint8_t *at, const struct node_child *child)
{
	put_le32(at, child->number);
	put_le64(at + 4, (uint64_t)child->start);
	at += 12;
	if (layout->child_bounds & NODE_CHILD_END) {
		put_le64(at, (uint64_t)child->end);
		at += 8;
	}
	if (layout->child_bounds & NODE_CHILD_KEYS) {
		put_le32(at, child->key_min);
		put_le32(at + 4, child->key_max);
		at += 8;
	}
	if (layout->child_bounds & NODE_CHILD_SEGMENTS) {
		node_put_segment_bounds(at, child);
		at += NODE_SEGMENT_BOUNDS_SIZE;
	}
	return at;
}

/*
 * Start and end come from its intervals, which it has seen, and its keys; in a tree of segments they are the exact
 * ones of its children.
 */
static struct node_child subtree_bounds(const struct node_builder *builder, histree_time end)
{
	struct node_child bounds = {
		.start = builder->start,
		.end = end,
		.key_min = builder->subtree_key_min,
		.key_max = builder->subtree_key_max,
	};
	if (builder->layout->segments) {
		bounds = node_child_of_no_segments();
		for (size_t i = 0; i < builder->child_count; i++)
			node_child_include(&bounds, &builder->children[i]);
	}
	return bounds;
}

uint32_t node_builder_seal(struct node_builder *builder, uint32_t number, histree_time end, uint8_t *block,
			   struct node_child *child)
{
	struct keyed_index *order = sorted_order(builder);
	if (order == NULL)
		return 0;
	uint8_t *at = block + NODE_HEADER_SIZE;
	for (size_t i = 0; i < builder->child_count; i++)
		at = put_child(builder->layout, at, &builder->children[i]);

	uint32_t rows_offset = (uint32_t)(at - block);
	uint8_t *index = at + builder->bytes_used;
	for (size_t i = 0; i < builder->row_count; i++) {
		const struct node_row *row = &builder->rows[order[i].index];
		if (i % NODE_ROWS_PER_INDEX == 0) {
			put_le32(index, (uint32_t)(at - block));
			index += NODE_INDEX_SIZE;
		}
		memcpy(at, builder->bytes + row->offset, row->size);
		at += row->size;
	}
	assert(at == block + rows_offset + builder->bytes_used);
	assert(index == at + (size_t)node_index_count((uint32_t)builder->row_count) * NODE_INDEX_SIZE);
	free(order);
	uint32_t used = (uint32_t)(index - block);
	assert(used <= builder->layout->node_size);
	memset(index, 0, builder->layout->node_size - used);

	*child = subtree_bounds(builder, end);
	child->number = number;
	node_put_header(block, &(struct node_header){
				       .bounds = { .number = number,
						   .start = child->start,
						   .end = child->end,
						   .key_min = builder->key_min,
						   .key_max = builder->key_max },
				       .height = builder->height,
				       .child_count = (uint32_t)builder->child_count,
				       .item_count = (uint32_t)builder->row_count,
				       .used = used,
				       .body_offset = rows_offset,
			       });
	return used;
}

enum histree_status node_builder_copy(const struct node_builder *builder, const struct node_layout *layout,
				      struct node_builder *copy)
{
	*copy = *builder;
	copy->layout = layout;
	copy->children_capacity = builder->child_count;
	copy->children = array_copy(builder->children, builder->child_count);
	copy->rows_capacity = builder->row_count;
	copy->rows = array_copy(builder->rows, builder->row_count);
	copy->bytes_capacity = builder->bytes_used;
	copy->bytes = array_copy(builder->bytes, builder->bytes_used);
	if ((copy->children != NULL || builder->child_count == 0) &&
	    (copy->rows != NULL || builder->row_count == 0) && (copy->bytes != NULL || builder->bytes_used == 0))
		return HISTREE_OK;
	node_builder_release(copy);
	return HISTREE_ERR_MEMORY;
}

void node_builder_release(struct node_builder *builder)
{
	free(builder->children);
	free(builder->rows);
	free(builder->bytes);
	*builder = (struct node_builder){ 0 };
}
