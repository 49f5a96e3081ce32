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

void batch_writer_init(struct batch_writer *writer, const struct leaf_taker *taker, struct table_space *tables)
{
	writer->taker = *taker;
	writer->tables = tables;
	writer->item_bytes = item_bytes_first;
}

size_t batch_writer_leaf_items(const struct batch_writer *writer)
{
	return (size_t)((double)writer->taker.node_size * leaf_fill / writer->item_bytes) + 1;
}

/* Tell the lifetimes of a leaf's items.  They are sorted, so the lifetimes are told in the order of keys. */
static bool tell_lifetimes(const struct batch_writer *writer, const struct column_item *items, size_t count)
{
	for (size_t first = 0, keys = 0; first < count;) {
		size_t last = first;
		while (last + 1 < count && column_item_key(&items[last + 1]) == column_item_key(&items[first]))
			last++;
		struct lifetime lifetime = { .first = items[first].start, .last = items[last].end };
		if (!writer->taker.live(writer->taker.context, column_item_key(&items[first]), lifetime))
			return false;
		first = last + 1;
		if (++keys % KEYS_PER_LOOK == 0)
			table_space_look(writer->tables);
	}
	return true;
}

/* Encode a leaf of `count` items or of as many as fit.  Returns how many, 0 if memory is out. */
static size_t encode_leaf(struct batch_writer *writer, const struct column_item *items, size_t count,
			  const struct histree_value *values, size_t value_count)
{
	double limit = writer->taker.node_size;
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

/* Write one leaf of at most `count` items that are ready. */
static enum histree_status write_leaf(struct batch_writer *writer, const struct batch *batch, size_t count,
				      struct histree_error *error)
{
	const struct column_item *items = writer->items + writer->written;
	size_t taken = encode_leaf(writer, items, count, writer->values, batch->values.count);
	if (taken == 0 || !tell_lifetimes(writer, items, taken))
		return error_memory(error, "a leaf");
	writer->written += taken;
	return writer->taker.take(writer->taker.context, &writer->builder, batch->start, error);
}

/* Sort the items of the next bucket behind those that are ready. */
static enum histree_status take_bucket(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error)
{
	size_t bucket = writer->bucket++, more = bucket_item_count(&batch->buckets[bucket]);
	if (more == 0)
		return HISTREE_OK;
	size_t left = writer->ready - writer->written;
	if (writer->written > 0)
		memmove(writer->items, writer->items + writer->written, left * sizeof(*writer->items));
	writer->ready = left;
	writer->written = 0;
	if (!array_reserve(&writer->items, &writer->items_capacity, left + more))
		return error_memory(error, "sorting a batch");
	batch_take(batch, bucket, writer->items + left);
	writer->ready += more;
	return HISTREE_OK;
}

/* Take the items bucket by bucket until there are enough of them for a leaf, or all there are, and write these. */
static enum histree_status write_leaves(struct batch_writer *writer, struct batch *batch,
					struct histree_error *error)
{
	bool has_written = false;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && !has_written && writer->bucket < batch->bucket_count) {
		status = take_bucket(writer, batch, error);
		while (status == HISTREE_OK && writer->written < writer->ready) {
			size_t ready = writer->ready - writer->written;
			size_t share = leaf_share(writer, ready + batch->count);
			if (share > ready && batch->count > 0)
				break;
			status = write_leaf(writer, batch, share, error);
			has_written = true;
		}
	}
	if (status != HISTREE_OK)
		return status;
	return writer->bucket < batch->bucket_count ? HISTREE_OK : HISTREE_END;
}

static struct histree_value listed_value(const struct batch *batch, uint32_t number)
{
	size_t size;
	const char *bytes = intern_get(&batch->values, number, &size);
	struct byte_reader reader = byte_reader(bytes, size);
	return value_decode(&reader);
}

static enum histree_status begin(struct batch_writer *writer, const struct batch *batch,
				 struct histree_error *error)
{
	writer->values = malloc(((size_t)batch->values.count + 1) * sizeof(*writer->values));
	if (writer->values == NULL)
		return error_memory(error, "the values of a batch");
	for (uint32_t number = 0; number < batch->values.count; number++)
		writer->values[number] = listed_value(batch, number);
	writer->bucket = writer->written = writer->ready = 0;
	return HISTREE_OK;
}

enum histree_status batch_writer_write(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error)
{
	enum histree_status status = writer->values != NULL ? HISTREE_OK : begin(writer, batch, error);
	if (status == HISTREE_OK)
		status = write_leaves(writer, batch, error);
	if (status != HISTREE_OK) {
		free(writer->values);
		writer->values = NULL;
	}
	return status;
}

void batch_writer_copy(const struct batch_writer *writer, const struct leaf_taker *taker, struct batch_writer *copy)
{
	copy->taker = *taker;
	copy->tables = writer->tables;
	copy->item_bytes = writer->item_bytes;
	copy->builder.direct = writer->builder.direct;
	copy->builder.leaves = writer->builder.leaves;
}

void batch_writer_release(struct batch_writer *writer)
{
	column_builder_release(&writer->builder);
	free(writer->items);
	free(writer->values);
}
