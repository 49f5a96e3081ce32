// SPDX-License-Identifier: MIT
/*
 * leaf_pack_bytes.c - the leaves of a pack on their way to whoever has the tree, elsewhere (docs/design/0079).
 *
 *	intervals, nulls, end, whether anything is unknown
 *	leaves	how many; of each the bytes that it uses, the start of its batch, and these bytes
 *	lives	how many; of each the key and the first time less those of the one before, and how long it is
 *
 * A leaf is read as one of a file would be: its checksum and its sizes have to be right, and its bounds are those
 * that itself says.
 */
#include <stdlib.h>

#include "base/error.h"
#include "node/node_view.h"
#include "tree/leaf_pack.h"

void leaf_pack_save(const struct leaf_pack *pack, struct saved_bytes *out)
{
	struct pack_life before = { .key = 0 };
	saved_put(out, pack->sums.intervals);
	saved_put(out, pack->sums.nulls);
	saved_put_signed(out, pack->sums.end);
	saved_put(out, pack->sums.has_unknown);
	saved_put(out, pack->leaf_count);
	for (size_t i = 0; i < pack->leaf_count; i++) {
		saved_put_signed(out, pack->leaves[i].start);
		saved_put_text(out, pack->bytes + pack->leaves[i].offset, pack->leaves[i].used);
	}
	saved_put(out, pack->life_count);
	for (size_t i = 0; i < pack->life_count; i++) {
		const struct pack_life *life = &pack->lives[i];
		saved_put_signed(out, (int64_t)life->key - (int64_t)before.key);
		saved_put_time(out, life->lifetime.first, before.lifetime.first);
		saved_put_time(out, life->lifetime.last, life->lifetime.first);
		before = *life;
	}
}

/* The leaf in `block`, of so many bytes, is one of this tree, and no attribute of it is beyond the limit. */
static bool is_leaf(const struct leaf_pack *pack, uint32_t used, uint64_t key_limit, histree_time start,
		    struct node_child *bounds)
{
	if (node_check(&pack->layout, pack->block, 0, NULL) != HISTREE_OK)
		return false;
	const struct node_view view = node_view(&pack->layout, pack->block);
	*bounds = (struct node_child){
		.start = view.start, .end = view.end, .key_min = view.key_min, .key_max = view.key_max
	};
	return view.height == 0 && view.used == used && view.row_count > 0 && view.key_min <= view.key_max &&
	       view.key_max < key_limit && view.start <= view.end && start >= pack->options.start &&
	       start <= view.start && view.end <= pack->sums.end;
}

static bool load_leaves(struct leaf_pack *pack, uint64_t key_limit, struct byte_reader *reader)
{
	size_t count = saved_read_count(reader, 2);
	for (size_t i = 0; i < count && !reader->failed; i++) {
		size_t used;
		histree_time start = saved_read_signed(reader);
		const char *bytes = saved_read_text(reader, &used);
		struct node_child bounds;
		if (reader->failed || used > pack->layout.node_size) {
			reader->failed = true;
			return true;
		}
		memcpy(pack->block, bytes, used);
		node_clear_behind(pack->block, (uint32_t)used, pack->layout.node_size);
		if (!is_leaf(pack, (uint32_t)used, key_limit, start, &bounds))
			reader->failed = true;
		else if (!leaf_pack_put(pack, &bounds, (uint32_t)used, start))
			return false;
	}
	return true;
}

static bool load_lives(struct leaf_pack *pack, uint64_t key_limit, struct byte_reader *reader)
{
	struct pack_life life = { .key = 0 };
	size_t count = saved_read_count(reader, 3);
	for (size_t i = 0; i < count && !reader->failed; i++) {
		uint64_t key = (uint64_t)life.key + (uint64_t)saved_read_signed(reader);
		life.key = (histree_quark)key;
		life.lifetime.first = saved_read_time(reader, life.lifetime.first);
		life.lifetime.last = saved_read_time(reader, life.lifetime.first);
		if (reader->failed || key >= key_limit || life.lifetime.first < pack->options.start ||
		    life.lifetime.last < life.lifetime.first || life.lifetime.last > pack->sums.end)
			reader->failed = true;
		else if (!leaf_pack_live(pack, life.key, life.lifetime))
			return false;
	}
	return true;
}

enum histree_status leaf_pack_load(struct leaf_pack *pack, uint64_t key_limit, struct byte_reader *reader,
				   struct histree_error *error)
{
	pack->sums.intervals = read_varint(reader);
	pack->sums.nulls = saved_read_below(reader, pack->sums.intervals + 1);
	pack->sums.end = saved_read_signed(reader);
	pack->sums.has_unknown = saved_read_below(reader, 2) != 0;
	if (pack->sums.intervals >= UINT64_MAX / 2 || pack->sums.end < pack->options.start ||
	    pack->sums.end > pack->options.variant->end_max)
		reader->failed = true;
	pack->block = malloc(pack->layout.node_size);
	bool has_room =
		pack->block != NULL && load_leaves(pack, key_limit, reader) && load_lives(pack, key_limit, reader);
	free(pack->block);
	pack->block = NULL;
	if (!has_room)
		return error_memory(error, "leaves");
	return reader->failed ? error_set(error, HISTREE_ERR_FORMAT, "the leaves of a slice make no sense")
			      : HISTREE_OK;
}
