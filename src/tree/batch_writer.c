// SPDX-License-Identifier: MIT
#include "tree/batch_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "item/value_codec.h"

/* A guess, before the first leaf is known. */
static const double item_bytes_first = 3.0;

/* The share of a node that a leaf is meant to fill; nodes are only as long in the file as they are filled. */
static const double leaf_fill = 0.75;

enum { KEYS_PER_LOOK = 2048 }; /* at what is resident of their lifetimes */

void batch_writer_init(struct batch_writer *writer, struct tree_branch *branch, struct table_space *tables)
{
	writer->lifetimes.table.space = tables;
	writer->branch = branch;
	writer->item_bytes = item_bytes_first;
}

size_t batch_writer_leaf_items(const struct batch_writer *writer)
{
	return (size_t)((double)writer->branch->output.layout.node_size * leaf_fill / writer->item_bytes) + 1;
}

/* Add the lifetimes of a leaf's items.  They are sorted, so the lifetimes are looked up in the order of keys. */
static bool add_lifetimes(struct lifetimes *lifetimes, const struct column_item *items, size_t count)
{
	for (size_t first = 0, keys = 0; first < count;) {
		size_t last = first;
		while (last + 1 < count && column_item_key(&items[last + 1]) == column_item_key(&items[first]))
			last++;
		struct lifetime lifetime = { .first = items[first].start, .last = items[last].end };
		if (lifetimes_add(lifetimes, column_item_key(&items[first]), lifetime) != HISTREE_OK)
			return false;
		first = last + 1;
		if (++keys % KEYS_PER_LOOK == 0)
			table_space_look(lifetimes->table.space);
	}
	return true;
}

/* Encode a leaf of `count` items or of as many as fit.  Returns how many, 0 if memory is out. */
static size_t encode_leaf(struct batch_writer *writer, const struct column_item *items, size_t count,
			  const struct histree_value *values, size_t value_count)
{
	double limit = writer->branch->output.layout.node_size;
	for (;;) {
		size_t size = column_builder_encode(&writer->builder, items, count, values, value_count);
		if (size == 0)
			return 0;
		writer->item_bytes = (double)size / (double)count;
		if ((double)size <= limit)
			return count;
		size_t fewer = (size_t)((double)count * limit / (double)size * leaf_fill);
		count = fewer > 0 ? fewer : 1;
	}
}

/* Returns how many of the items that are left the next leaf is to take. */
static size_t leaf_share(const struct batch_writer *writer, size_t left)
{
	/* A node has room for a third more than what is aimed at: rather a fuller leaf than two half ones. */
	size_t aim = batch_writer_leaf_items(writer);
	size_t leaves = left <= aim ? 1 : (left + aim / 3 * 2) / aim;
	return (left + leaves - 1) / leaves;
}

/* Write one leaf of at most `count` items; *taken becomes how many. */
static enum histree_status write_leaf(struct batch_writer *writer, const struct batch *batch,
				      const struct column_item *items, size_t count,
				      const struct histree_value *values, size_t *taken,
				      struct histree_error *error)
{
	*taken = encode_leaf(writer, items, count, values, batch->values.count);
	if (*taken == 0 || !add_lifetimes(&writer->lifetimes, items, *taken))
		return error_memory(error, "a leaf");
	struct node_child leaf;
	enum histree_status status = tree_output_leaf(&writer->branch->output, &writer->builder, &leaf, error);
	return status == HISTREE_OK ? tree_branch_attach(writer->branch, &leaf, batch->start, error) : status;
}

/* Take the items bucket by bucket, and whenever there are enough of them, write a leaf. */
static enum histree_status write_leaves(struct batch_writer *writer, struct batch *batch,
					const struct histree_value *values, struct histree_error *error)
{
	size_t ready = 0, used = 0; /* items: those before `used` are written */
	for (size_t bucket = 0; bucket < batch->bucket_count; bucket++) {
		size_t more = bucket_item_count(&batch->buckets[bucket]);
		if (more == 0)
			continue;
		if (used > 0)
			memmove(writer->items, writer->items + used, (ready - used) * sizeof(*writer->items));
		ready -= used;
		used = 0;
		if (!array_reserve(&writer->items, &writer->items_capacity, ready + more))
			return error_memory(error, "sorting a batch");
		batch_take(batch, bucket, writer->items + ready);
		ready += more;
		for (;;) {
			size_t share = leaf_share(writer, ready - used + batch->count), taken;
			if (ready == used || (share > ready - used && batch->count > 0))
				break;
			enum histree_status status =
				write_leaf(writer, batch, writer->items + used, share, values, &taken, error);
			if (status != HISTREE_OK)
				return status;
			used += taken;
		}
	}
	return HISTREE_OK;
}

static struct histree_value listed_value(const struct batch *batch, uint32_t number)
{
	size_t size;
	const char *bytes = intern_get(&batch->values, number, &size);
	struct byte_reader reader = byte_reader(bytes, size);
	return value_decode(&reader);
}

enum histree_status batch_writer_write(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error)
{
	struct histree_value *values = malloc(((size_t)batch->values.count + 1) * sizeof(*values));
	if (values == NULL)
		return error_memory(error, "the values of a batch");
	for (uint32_t number = 0; number < batch->values.count; number++)
		values[number] = listed_value(batch, number);
	enum histree_status status = write_leaves(writer, batch, values, error);
	free(values);
	return status;
}

enum histree_status batch_writer_copy(const struct batch_writer *writer, struct tree_branch *branch,
				      struct batch_writer *copy)
{
	copy->branch = branch;
	copy->item_bytes = writer->item_bytes;
	copy->builder.direct = writer->builder.direct;
	copy->builder.leaves = writer->builder.leaves;
	return lifetimes_copy(&writer->lifetimes, &copy->lifetimes) ? HISTREE_OK : HISTREE_ERR_MEMORY;
}

void batch_writer_release(struct batch_writer *writer)
{
	column_builder_release(&writer->builder);
	lifetimes_release(&writer->lifetimes);
	free(writer->items);
}
