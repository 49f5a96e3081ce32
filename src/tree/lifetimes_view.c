// SPDX-License-Identifier: MIT
#include "tree/lifetimes_view.h"

#include <stdlib.h>

#include "base/error.h"

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
				 "'%s': section LIFE of %zu bytes is not that of %u attributes",
				 block_file_path(file), size, key_count);
	}
	view->count = key_count;
	return HISTREE_OK;
}

/* Returns the time from the first to the last that any of a region's keys has; their number is limited. */
static struct lifetime bounds_of_lifetimes(const struct lifetimes_view *lifetimes, const struct node_region *region)
{
	struct lifetime bounds = lifetime_none;
	for (size_t i = 0; i < region->quark_count; i++) {
		struct lifetime lifetime = lifetimes_view_get(lifetimes, region->quarks[i]);
		if (lifetime.first < bounds.first)
			bounds.first = lifetime.first;
		if (lifetime.last > bounds.last)
			bounds.last = lifetime.last;
	}
	return bounds;
}

bool lifetimes_view_narrow(const struct lifetimes_view *lifetimes, struct node_region *region)
{
	if (lifetimes->count == 0 || region->quarks == NULL || region->quark_count > NARROWED_QUARKS_MAX)
		return true;
	struct lifetime bounds = bounds_of_lifetimes(lifetimes, region);
	if (bounds.first > region->to || bounds.last < region->from)
		return false;
	if (region->times != NULL) {
		size_t first = region_time_from(region, 0, bounds.first), end = region->time_count;
		if (bounds.last < region->to)
			end = region_time_from(region, first, bounds.last + 1);
		if (first == end)
			return false;
		region->times += first;
		region->time_count = end - first;
		region->from = region->times[0];
		region->to = region->times[region->time_count - 1];
		return true;
	}
	region->from = bounds.first > region->from ? bounds.first : region->from;
	region->to = bounds.last < region->to ? bounds.last : region->to;
	return true;
}

void lifetimes_view_release(struct lifetimes_view *view)
{
	free(view->bytes);
	*view = (struct lifetimes_view){ 0 };
}

/* ---- a block -------------------------------------------------------------------------------------- */

struct column {
	uint64_t min, changed, fresh;
	unsigned width;
	const uint8_t *stored;
};

static uint64_t read_mask(struct byte_reader *reader)
{
	const uint8_t *bytes = read_bytes(reader, 8);
	return bytes == NULL ? 0 : get_le64(bytes);
}

static struct column read_column(struct byte_reader *reader)
{
	struct column column = { .min = read_varint(reader), .changed = 1 };
	const uint8_t *sizes = read_bytes(reader, 2);
	if (sizes == NULL)
		return column;
	unsigned count = sizes[0] + 1u;
	column.width = sizes[1] & ~(unsigned)LIFETIMES_ALL_FRESH;
	if (count > 1)
		column.changed = read_mask(reader);
	column.fresh = (sizes[1] & LIFETIMES_ALL_FRESH) != 0 ? column.changed : read_mask(reader);
	column.stored = read_bytes(reader, (count * (size_t)column.width + 7) / 8);
	/* With these, a number that is looked for is always found among the stored ones. */
	if (column.width > 64 || (unsigned)__builtin_popcountll(column.fresh) != count ||
	    (column.changed & column.fresh & 1) == 0 || (column.fresh & ~column.changed) != 0)
		reader->failed = true;
	return column;
}

static uint64_t stored_number(const struct column *column, unsigned number)
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

static uint64_t column_get(const struct column *column, unsigned i)
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
	struct column firsts = read_column(&reader), lasts = read_column(&reader);
	if (reader.failed)
		return lifetime_none;
	return lifetime_of(view, column_get(&firsts, key % LIFETIMES_IN_BLOCK),
			   column_get(&lasts, key % LIFETIMES_IN_BLOCK));
}

static void column_get_all(const struct column *column, uint64_t numbers[LIFETIMES_IN_BLOCK])
{
	uint64_t now = stored_number(column, 0), before = now;
	unsigned stored = 1;
	numbers[0] = now;
	for (unsigned i = 1; i < LIFETIMES_IN_BLOCK; i++) {
		if ((column->changed >> i & 1) != 0) {
			uint64_t next = (column->fresh >> i & 1) != 0 ? stored_number(column, stored++) : before;
			before = now;
			now = next;
		}
		numbers[i] = now;
	}
}

void lifetimes_view_get_block(const struct lifetimes_view *view, histree_quark key,
			      struct lifetime lifetimes[LIFETIMES_IN_BLOCK])
{
	struct byte_reader reader = block_directory_at(&view->blocks, key / LIFETIMES_IN_BLOCK);
	struct column firsts = read_column(&reader), lasts = read_column(&reader);
	uint64_t first[LIFETIMES_IN_BLOCK] = { 0 }, before_end[LIFETIMES_IN_BLOCK] = { 0 };
	if (!reader.failed) {
		column_get_all(&firsts, first);
		column_get_all(&lasts, before_end);
	}
	for (unsigned i = 0; i < LIFETIMES_IN_BLOCK; i++)
		lifetimes[i] = reader.failed ? lifetime_none : lifetime_of(view, first[i], before_end[i]);
}
