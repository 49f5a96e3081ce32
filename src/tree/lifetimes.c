// SPDX-License-Identifier: MIT
/*
 * lifetimes.c - the time in which each attribute has states on disk.
 */
#include "tree/lifetimes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/value.h"
#include "node/node.h"
#include "store/block_file.h"

/* ---- lifetimes ----------------------------------------------------------------------------------------------- */

enum { LIFETIMES_PER_LOOK = 1 << 18 }; /* at what is resident of their table: 4 MiB */

static bool lifetimes_reserve(struct lifetimes *lifetimes, size_t count)
{
	if (!table_reserve(&lifetimes->table, &lifetimes->by_key, &lifetimes->capacity, count))
		return false;
	while (lifetimes->count < count) {
		lifetimes->by_key[lifetimes->count++] = lifetime_none;
		if (lifetimes->count % LIFETIMES_PER_LOOK == 0)
			table_space_look(lifetimes->table.space);
	}
	return true;
}

enum histree_status lifetimes_add(struct lifetimes *lifetimes, histree_quark key, struct lifetime lifetime)
{
	if (key >= lifetimes->count && !lifetimes_reserve(lifetimes, (size_t)key + 1))
		return HISTREE_ERR_MEMORY;
	assert(key < lifetimes->count && lifetimes->count <= lifetimes->capacity);
	struct lifetime *known = &lifetimes->by_key[key];
	if (lifetime.first < known->first)
		known->first = lifetime.first;
	if (lifetime.last > known->last)
		known->last = lifetime.last;
	return HISTREE_OK;
}

unsigned lifetime_nulls(struct lifetime lifetime, histree_quark key, histree_time start, histree_time end,
			struct histree_interval nulls[2])
{
	unsigned count = 0;
	if (lifetime.first > lifetime.last) {
		nulls[count++] = (struct histree_interval){ .start = start, .end = end, .quark = key };
		return count;
	}
	if (lifetime.first > start)
		nulls[count++] =
			(struct histree_interval){ .start = start, .end = lifetime.first - 1, .quark = key };
	if (lifetime.last < end)
		nulls[count++] = (struct histree_interval){ .start = lifetime.last + 1, .end = end, .quark = key };
	return count;
}

bool lifetimes_copy(const struct lifetimes *lifetimes, struct lifetimes *copy)
{
	struct table_space *space = lifetimes->table.space;
	*copy = (struct lifetimes){ .table.space = space };
	if (!table_reserve(&copy->table, &copy->by_key, &copy->capacity, lifetimes->count))
		return false;
	for (; copy->count < lifetimes->count; copy->count++) {
		copy->by_key[copy->count] = lifetimes->by_key[copy->count];
		if (copy->count % LIFETIMES_PER_LOOK == 0)
			table_space_look(space);
	}
	return true;
}

void lifetimes_release(struct lifetimes *lifetimes)
{
	table_release(&lifetimes->table, lifetimes->by_key);
	*lifetimes = (struct lifetimes){ 0 };
}

/* ---- the section ---------------------------------------------------------------------------------- */

enum { COLUMN_SIZE_MAX = VARINT_SIZE_MAX + 2 + 8 + 8 + LIFETIMES_IN_BLOCK * 8 };

/* A column being filled: the numbers of up to 64 attributes, as they come. */
struct lifetimes_column {
	uint64_t changed, fresh;             /* bit i: see above */
	uint64_t now, before;                /* the latest number, and the one before the latest change */
	uint64_t stored[LIFETIMES_IN_BLOCK]; /* the fresh ones */
	unsigned stored_count;
	bool has_before;
};

static void column_add(struct lifetimes_column *column, unsigned i, uint64_t number)
{
	bool first = column->stored_count == 0;
	if (!first && number == column->now)
		return;
	column->changed |= UINT64_C(1) << i;
	if (!column->has_before || number != column->before) {
		column->fresh |= UINT64_C(1) << i;
		column->stored[column->stored_count++] = number;
	}
	column->has_before = !first;
	column->before = column->now;
	column->now = number;
}

static void column_put(const struct lifetimes_column *column, struct bit_buffer *out)
{
	uint64_t min = column->stored[0], max = min;
	assert(column->stored_count >= 1 && column->stored_count <= LIFETIMES_IN_BLOCK);
	assert((column->fresh & ~column->changed) == 0);
	for (unsigned i = 1; i < column->stored_count; i++) {
		min = column->stored[i] < min ? column->stored[i] : min;
		max = column->stored[i] > max ? column->stored[i] : max;
	}
	unsigned width = bits_needed(max - min);
	bool all_fresh = column->fresh == column->changed;
	uint8_t varint[VARINT_SIZE_MAX];
	size_t varint_size = (size_t)(put_varint(varint, min) - varint);
	for (size_t i = 0; i < varint_size; i++)
		bit_buffer_put(out, varint[i], 8);
	bit_buffer_put(out, column->stored_count - 1, 8);
	bit_buffer_put(out, width | (all_fresh ? LIFETIMES_ALL_FRESH : 0), 8);
	if (column->stored_count > 1)
		bit_buffer_put(out, column->changed, 64);
	if (!all_fresh)
		bit_buffer_put(out, column->fresh, 64);
	for (unsigned i = 0; i < column->stored_count; i++)
		bit_buffer_put(out, column->stored[i] - min, width);
	out->bits = (out->bits + 7) / 8 * 8;
}

/* Write the block of the keys from `key` on. */
static void put_block(const struct lifetimes *lifetimes, uint32_t key, uint32_t key_count, histree_time start,
		      histree_time end, struct bit_buffer *out)
{
	struct lifetimes_column firsts = { 0 }, lasts = { 0 };
	for (unsigned i = 0; i < LIFETIMES_IN_BLOCK && i < key_count - key; i++) {
		struct lifetime lifetime = key + i < lifetimes->count ? lifetimes->by_key[key + i] : lifetime_none;
		bool none = lifetime.first > lifetime.last;
		/* Without a lifetime any first time will do; repeating the previous one costs nothing. */
		column_add(&firsts, i, none ? firsts.now : (uint64_t)lifetime.first - (uint64_t)start);
		column_add(&lasts, i, (uint64_t)end - (none ? (uint64_t)start - 1 : (uint64_t)lifetime.last));
	}
	column_put(&firsts, out);
	column_put(&lasts, out);
}

static enum histree_status write_footer(const struct block_offsets *offsets, struct bit_buffer *bits,
					struct block_file *file, struct histree_error *error)
{
	size_t size = bits->bits / 8;
	if (!block_offsets_pack(offsets, size, bits) || !bit_buffer_reserve(bits, 7 + 64))
		return error_memory(error, "the section LIFE");
	bits->bits = (bits->bits + 7) / 8 * 8;
	bit_buffer_put(bits, size, 64);
	return block_file_section_put(file, SECTION_LIFETIMES, bits->bytes, bits->bits / 8, error);
}

enum histree_status lifetimes_write(const struct lifetimes *lifetimes, uint32_t key_count, histree_time start,
				    histree_time end, struct block_file *file, struct histree_error *error)
{
	struct bit_buffer bits = { 0 };
	struct block_offsets offsets = { 0 };
	enum histree_status status = HISTREE_OK;
	for (uint64_t key = 0; status == HISTREE_OK && key < key_count; key += LIFETIMES_IN_BLOCK) {
		if (key % LIFETIMES_PER_LOOK == 0)
			table_space_look(lifetimes->table.space);
		if (!block_offsets_add(&offsets, bits.bits / 8) ||
		    !bit_buffer_reserve(&bits, 2 * 8 * COLUMN_SIZE_MAX))
			status = error_memory(error, "the section LIFE");
		else
			put_block(lifetimes, (uint32_t)key, key_count, start, end, &bits);
	}
	if (status == HISTREE_OK)
		status = write_footer(&offsets, &bits, file, error);
	block_offsets_release(&offsets);
	bit_buffer_release(&bits);
	return status;
}

/* ---- lifetimes view ------------------------------------------------------------------------------------------ */

enum { NARROWED_QUARKS_MAX = 1024 /* rows of a screen with all that is known of each */ };

enum histree_status lifetimes_view_open(struct lifetimes_view *view, uint32_t key_count, histree_time start,
					histree_time end, const struct block_file *file,
					struct histree_error *error)
{
	*view = (struct lifetimes_view){ .start = start, .end = end };
	size_t size;
	enum histree_status status = block_file_section(file, SECTION_LIFETIMES, &view->bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	struct byte_reader reader = { .failed = true };
	uint64_t block_count = ((uint64_t)key_count + LIFETIMES_IN_BLOCK - 1) / LIFETIMES_IN_BLOCK;
	if (size >= LIFETIMES_FOOTER_SIZE) {
		reader = byte_reader(view->bytes, size - LIFETIMES_FOOTER_SIZE);
		view->blocks = block_directory_read(&reader, get_le64(reader.end), block_count);
	}
	/* No number of attributes is believed that the bytes could not be of. */
	if (reader.failed || byte_reader_left(&reader) > 0 ||
	    view->blocks.size / LIFETIMES_BLOCK_SIZE_MIN < block_count) {
		lifetimes_view_release(view);
		return error_set(error, HISTREE_ERR_FORMAT,
				 "'%s': section LIFE of %zu bytes is not that of %u attributes", file->path, size,
				 key_count);
	}
	view->count = key_count;
	return HISTREE_OK;
}

/* What any and what all of some keys have. */
struct lifetimes_bounds {
	struct lifetime any, all;
};

/* Their number is limited. */
static struct lifetimes_bounds bounds_of_lifetimes(const struct lifetimes_view *lifetimes,
						   const struct node_region *region)
{
	struct lifetimes_bounds bounds = { .any = lifetime_none, .all = { .first = INT64_MIN, .last = INT64_MAX } };
	for (size_t i = 0; i < region->quark_count; i++) {
		struct lifetime lifetime = lifetimes_view_get(lifetimes, region->quarks[i]);
		bounds.any.first = lifetime.first < bounds.any.first ? lifetime.first : bounds.any.first;
		bounds.any.last = lifetime.last > bounds.any.last ? lifetime.last : bounds.any.last;
		bounds.all.first = lifetime.first > bounds.all.first ? lifetime.first : bounds.all.first;
		bounds.all.last = lifetime.last < bounds.all.last ? lifetime.last : bounds.all.last;
	}
	return bounds;
}

bool lifetimes_view_narrow(const struct lifetimes_view *lifetimes, struct node_region *region, bool *has_nulls)
{
	*has_nulls = lifetimes->count > 0;
	if (lifetimes->count == 0 || region->quarks == NULL || region->quark_count > NARROWED_QUARKS_MAX)
		return true;
	const struct lifetimes_bounds bounds = bounds_of_lifetimes(lifetimes, region);
	*has_nulls = bounds.all.first > region->from || bounds.all.last < region->to;
	if (bounds.any.first > region->to || bounds.any.last < region->from)
		return false;
	if (region->times != NULL) {
		size_t first = region_time_from(region, 0, bounds.any.first), end = region->time_count;
		if (bounds.any.last < region->to)
			end = region_time_from(region, first, bounds.any.last + 1);
		if (first == end)
			return false;
		region->times += first;
		region->time_count = end - first;
		region->from = region->times[0];
		region->to = region->times[region->time_count - 1];
		return true;
	}
	region->from = bounds.any.first > region->from ? bounds.any.first : region->from;
	region->to = bounds.any.last < region->to ? bounds.any.last : region->to;
	return true;
}

void lifetimes_view_release(struct lifetimes_view *view)
{
	free(view->bytes);
	*view = (struct lifetimes_view){ 0 };
}

/* ---- a block -------------------------------------------------------------------------------------- */

struct lifetimes_view_column {
	uint64_t min, changed, fresh;
	unsigned width;
	const uint8_t *stored;
};

static uint64_t read_mask(struct byte_reader *reader)
{
	const uint8_t *bytes = read_bytes(reader, 8);
	return bytes == NULL ? 0 : get_le64(bytes);
}

static struct lifetimes_view_column read_column(struct byte_reader *reader)
{
	struct lifetimes_view_column column = { .min = read_varint(reader), .changed = 1 };
	const uint8_t *sizes = read_bytes(reader, 2);
	if (sizes == NULL)
		return column;
	unsigned count = sizes[0] + 1u;
	column.width = sizes[1] & ~(unsigned)LIFETIMES_ALL_FRESH;
	if (count > 1)
		column.changed = read_mask(reader);
	column.fresh = (sizes[1] & LIFETIMES_ALL_FRESH) != 0 ? column.changed : read_mask(reader);
	column.stored = read_bytes(reader, (count * (size_t)column.width + 7) / 8);
	/* With these checks, a search always ends at a stored number. */
	if (column.width > 64 || (unsigned)__builtin_popcountll(column.fresh) != count ||
	    (column.changed & column.fresh & 1) == 0 || (column.fresh & ~column.changed) != 0)
		reader->failed = true;
	return column;
}

static uint64_t stored_number(const struct lifetimes_view_column *column, unsigned number)
{
	return column->min + bits_get(column->stored, (size_t)number * column->width, column->width);
}

static struct lifetime lifetime_of(const struct lifetimes_view *view, uint64_t first, uint64_t before_end)
{
	uint64_t span = (uint64_t)view->end - (uint64_t)view->start;
	if (first > span || before_end > span - first)
		return lifetime_none;
	return (struct lifetime){ .first = (histree_time)((uint64_t)view->start + first),
				  .last = (histree_time)((uint64_t)view->end - before_end) };
}

/* The number of the last bit that is set at or before bit `i`; there is one. */
static unsigned last_set(uint64_t mask, unsigned i)
{
	return 63 - (unsigned)__builtin_clzll(mask & (UINT64_MAX >> (63 - i)));
}

static uint64_t column_get(const struct lifetimes_view_column *column, unsigned i)
{
	if (column->changed == 1)
		return stored_number(column, 0);
	unsigned at = last_set(column->changed, i);
	while ((column->fresh >> at & 1) == 0) {
		/* The number goes back to what it was before the change before this one. */
		unsigned change = last_set(column->changed, at - 1);
		at = change == 0 ? 0 : last_set(column->changed, change - 1);
	}
	unsigned number = (unsigned)__builtin_popcountll(column->fresh & (UINT64_MAX >> (63 - at))) - 1;
	return stored_number(column, number);
}

struct lifetime lifetimes_view_get(const struct lifetimes_view *view, histree_quark key)
{
	struct byte_reader reader = block_directory_at(&view->blocks, key / LIFETIMES_IN_BLOCK);
	struct lifetimes_view_column firsts = read_column(&reader), lasts = read_column(&reader);
	if (reader.failed)
		return lifetime_none;
	return lifetime_of(view, column_get(&firsts, key % LIFETIMES_IN_BLOCK),
			   column_get(&lasts, key % LIFETIMES_IN_BLOCK));
}

/* A column while its changes are taken one after the other. */
struct column_walk {
	const struct lifetimes_view_column *column;
	uint64_t now, before; /* the number at hand, and the one before the latest change */
	unsigned stored;      /* the next that is stored */
};

static inline struct column_walk column_walk_begin(const struct lifetimes_view_column *column)
{
	const uint64_t first = stored_number(column, 0);
	return (struct column_walk){ .column = column, .now = first, .before = first, .stored = 1 };
}

/* Where the column has a change, go on to the number that it has from there on. */
static inline void take_change(struct column_walk *walk, uint64_t bit)
{
	if ((walk->column->changed & bit) == 0)
		return;
	const bool is_fresh = (walk->column->fresh & bit) != 0;
	const uint64_t next = is_fresh ? stored_number(walk->column, walk->stored++) : walk->before;
	walk->before = walk->now;
	walk->now = next;
}

unsigned lifetimes_view_get_runs(const struct lifetimes_view *view, histree_quark key,
				 struct lifetime_run runs[LIFETIMES_IN_BLOCK])
{
	struct byte_reader reader = block_directory_at(&view->blocks, key / LIFETIMES_IN_BLOCK);
	const struct lifetimes_view_column firsts = read_column(&reader), lasts = read_column(&reader);
	unsigned count = 0;
	if (reader.failed) {
		runs[0] = (struct lifetime_run){ .lifetime = lifetime_none, .end = LIFETIMES_IN_BLOCK };
		return 1;
	}
	struct column_walk first = column_walk_begin(&firsts), last = column_walk_begin(&lasts);
	uint64_t changes = (firsts.changed | lasts.changed) & ~UINT64_C(1);
	for (;; changes &= changes - 1) {
		const uint64_t bit = changes & -changes;
		runs[count].lifetime = lifetime_of(view, first.now, last.now);
		runs[count++].end = bit != 0 ? (unsigned)__builtin_ctzll(bit) : LIFETIMES_IN_BLOCK;
		if (bit == 0)
			return count;
		take_change(&first, bit);
		take_change(&last, bit);
	}
}

void lifetimes_view_get_block(const struct lifetimes_view *view, histree_quark key,
			      struct lifetime lifetimes[LIFETIMES_IN_BLOCK])
{
	struct lifetime_run runs[LIFETIMES_IN_BLOCK];
	const unsigned count = lifetimes_view_get_runs(view, key, runs);
	for (unsigned run = 0, i = 0; run < count; run++)
		while (i < runs[run].end)
			lifetimes[i++] = runs[run].lifetime;
}
