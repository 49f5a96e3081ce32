// SPDX-License-Identifier: MIT
#include "segment/table_cursor.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "segment/table_page.h"
#include "segment_tree/segment_scan.h"

enum {
	BATCH_FIRST = 128,
	LOCATION_BYTES = 2 * 8 + 2 * 16 + 24, /* location and rank; sorting it; its segment without content */
};

/* So much more may lie in the pages of the table than in the window: sorting costs more than gathering. */
static const double pays_up_to = 8;

#define NO_PAGE UINT32_MAX

struct table_cursor {
	const struct table_store *store;
	const struct segment_table *table;
	struct segment_window window;
	bool descending;
	uint64_t rank; /* of the next to be fetched, as the query goes */
	uint64_t rank_end;

	uint32_t page; /* whose locations these are */
	uint64_t page_locations[TABLE_PAGE_LOCATIONS];

	/* The batch. */
	struct segment_gather *gather;
	uint64_t *locations, *ranks;
	size_t locations_capacity, ranks_capacity;
	size_t wanted, max; /* of the next batch, and of any */
	size_t at, count;   /* the next to be handed out */
};

enum histree_status table_cursor_create(const struct table_store *store, struct table_cursor **out,
					struct histree_error *error)
{
	*out = NULL;
	struct table_cursor *cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL)
		return error_memory(error, "an iterator");
	cursor->store = store;
	enum histree_status status = segment_gather_create(&store->source, &cursor->gather, error);
	if (status != HISTREE_OK) {
		free(cursor);
		return status;
	}
	*out = cursor;
	return HISTREE_OK;
}

void table_cursor_free(struct table_cursor *cursor)
{
	if (cursor == NULL)
		return;
	segment_gather_free(cursor->gather);
	free(cursor->locations);
	free(cursor->ranks);
	free(cursor);
}

static bool page_meets(const struct segment_table *table, uint32_t page, struct segment_window window)
{
	struct table_page_times times = segment_table_page_times(table, page);
	return times.start <= window.to && times.end >= window.from;
}

bool table_cursor_pays(const struct segment_table *table, const struct histree_segment_query *query,
		       const struct histree_segment_store_info *info)
{
	struct segment_window window = { .from = query->from > info->start ? query->from : info->start,
					 .to = query->to < info->end ? query->to : info->end };
	double extent = (double)info->end - (double)info->start + 1, share = 0;
	if (window.from <= window.to)
		share = ((double)window.to - (double)window.from + 1) / extent;
	double locations = 0;
	for (uint32_t page = 0; page < segment_table_page_count(table); page++)
		if (page_meets(table, page, window))
			locations += segment_table_page_locations(table, page);
	return locations <= pays_up_to * share * (double)info->segment_count + TABLE_PAGE_LOCATIONS;
}

void table_cursor_start(struct table_cursor *cursor, const struct segment_table *table,
			const struct histree_segment_query *query, uint64_t rank)
{
	cursor->table = table;
	cursor->window = (struct segment_window){ .from = query->from, .to = query->to };
	cursor->descending = query->descending;
	cursor->rank_end = cursor->store->segment_count;
	cursor->rank = rank < cursor->rank_end ? rank : cursor->rank_end;
	cursor->page = NO_PAGE;
	cursor->max = cursor->store->room.bytes / 2 / LOCATION_BYTES + 1;
	cursor->wanted = BATCH_FIRST;
	/* What the filter takes away has to come from further on. */
	if (query->limit > 0 && query->limit < cursor->wanted && query->filter == NULL)
		cursor->wanted = (size_t)query->limit;
	cursor->at = cursor->count = 0;
}

uint64_t table_cursor_rank(const struct table_cursor *cursor)
{
	return cursor->at > 0 ? cursor->ranks[cursor->at - 1] + 1 : cursor->rank;
}

uint64_t table_cursor_location(const struct table_cursor *cursor)
{
	return cursor->locations[cursor->at - 1];
}

void table_cursor_stats(const struct table_cursor *cursor, struct histree_segment_iter_stats *stats)
{
	segment_gather_stats(cursor->gather, stats);
}

/* ---- batches ------------------------------------------------------------------------------------ */

/* Where a rank lies in the table, which is ascending. */
static uint64_t row_of(const struct table_cursor *cursor, uint64_t rank)
{
	return cursor->descending ? cursor->rank_end - 1 - rank : rank;
}

static void skip_page(struct table_cursor *cursor, uint32_t page)
{
	uint64_t first = (uint64_t)page * TABLE_PAGE_LOCATIONS;
	if (cursor->descending)
		cursor->rank = cursor->rank_end - first;
	else
		cursor->rank = first + segment_table_page_locations(cursor->table, page);
}

/* Choose the locations of the next batch, from the rank on. */
static enum histree_status choose(struct table_cursor *cursor, struct histree_error *error)
{
	cursor->at = cursor->count = 0;
	if (!array_reserve(&cursor->locations, &cursor->locations_capacity, cursor->wanted) ||
	    !array_reserve(&cursor->ranks, &cursor->ranks_capacity, cursor->wanted))
		return error_memory(error, "an iterator");
	while (cursor->count < cursor->wanted && cursor->rank < cursor->rank_end) {
		uint64_t row = row_of(cursor, cursor->rank);
		uint32_t page = (uint32_t)(row / TABLE_PAGE_LOCATIONS);
		if (page != cursor->page) {
			if (!page_meets(cursor->table, page, cursor->window)) {
				skip_page(cursor, page);
				continue;
			}
			enum histree_status status =
				segment_table_read(cursor->table, page, cursor->page_locations, error);
			if (status == HISTREE_ERR_IO) /* the store may be readable all the same */
				status = HISTREE_ERR_FORMAT;
			if (status != HISTREE_OK)
				return status;
			cursor->page = page;
		}
		cursor->locations[cursor->count] = cursor->page_locations[row % TABLE_PAGE_LOCATIONS];
		cursor->ranks[cursor->count++] = cursor->rank++;
	}
	return HISTREE_OK;
}

static enum histree_status next_batch(struct table_cursor *cursor, struct histree_error *error)
{
	enum histree_status status = choose(cursor, error);
	if (status != HISTREE_OK || cursor->count == 0)
		return status != HISTREE_OK ? status : HISTREE_END;
	size_t fetched = cursor->count;
	status = segment_gather_fetch(cursor->gather, cursor->locations, &fetched, cursor->store->room.bytes / 2,
				      error);
	if (status != HISTREE_OK) {
		cursor->count = 0;
		return status;
	}
	if (fetched < cursor->count) { /* their content is large: so it will be of others */
		cursor->rank = cursor->ranks[fetched];
		cursor->count = cursor->max = fetched;
	}
	cursor->wanted = 2 * cursor->wanted < cursor->max ? 2 * cursor->wanted : cursor->max;
	return HISTREE_OK;
}

enum histree_status table_cursor_next(struct table_cursor *cursor, struct histree_segment *out,
				      struct histree_error *error)
{
	for (;;) {
		while (cursor->at < cursor->count) {
			*out = *segment_gather_get(cursor->gather, cursor->at++);
			if (out->start <= cursor->window.to && out->end >= cursor->window.from)
				return HISTREE_OK;
		}
		enum histree_status status = next_batch(cursor, error);
		if (status != HISTREE_OK)
			return status;
	}
}
