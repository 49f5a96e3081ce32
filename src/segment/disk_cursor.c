// SPDX-License-Identifier: MIT
/*
 * The cursor of a store on disk: one of the two iterators of its tree, or one over a side table.
 */
#include <stdlib.h>

#include "base/error.h"
#include "segment/segment_disk.h"
#include "segment/table_cursor.h"

enum disk_order { DISK_UNSORTED, DISK_BY_TIME, DISK_BY_FIELD };

struct disk_cursor {
	struct segment_disk *disk;
	enum disk_order order;
	struct segment_scan *scan;
	struct segment_sweep *sweep; /* made when it is first needed, as its queue is large */
	struct table_cursor *ranks;  /* the same */
	size_t field;
	bool counts; /* all segments are asked for, and none was said to be lost */
	uint64_t given;
};

enum histree_status disk_cursor_create(void *body, void **out, struct histree_error *error)
{
	struct segment_disk *disk = body;
	*out = NULL;
	struct disk_cursor *cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL)
		return error_memory(error, "an iterator");
	cursor->disk = disk;
	enum histree_status status = segment_scan_create(&disk->store.source, &cursor->scan, error);
	if (status != HISTREE_OK) {
		free(cursor);
		return status;
	}
	*out = cursor;
	return HISTREE_OK;
}

static bool asks_for_all(const struct segment_disk *disk, const struct histree_segment_query *query)
{
	return query->from <= disk->info->start && query->to >= disk->info->end;
}

enum histree_status disk_cursor_start(void *context, const struct histree_segment_query *query,
				      const struct histree_segment_token *resume, struct histree_error *error)
{
	struct disk_cursor *cursor = context;
	struct segment_window window = { .from = query->from, .to = query->to };
	cursor->order = query->order == HISTREE_SEGMENTS_UNSORTED ? DISK_UNSORTED : DISK_BY_TIME;
	cursor->given = 0;
	cursor->counts = asks_for_all(cursor->disk, query) && resume == NULL && !cursor->disk->salvages;
	if (cursor->order == DISK_UNSORTED) {
		segment_scan_start(cursor->scan, window, resume);
		return HISTREE_OK;
	}
	enum histree_status status = HISTREE_OK;
	if (cursor->sweep == NULL)
		status = segment_sweep_create(&cursor->disk->store.source, &cursor->sweep, error);
	if (status != HISTREE_OK)
		return status;
	return segment_sweep_start(cursor->sweep, query->order, query->descending, window, resume, error);
}

void disk_cursor_choose(void *context, struct segment_choice choice)
{
	struct disk_cursor *cursor = context;
	cursor->counts = false;
	segment_scan_choose(cursor->scan, choice);
}

enum histree_status disk_cursor_start_field(void *context, const struct histree_segment_query *query, uint64_t rank,
					    struct histree_error *error)
{
	struct disk_cursor *cursor = context;
	struct segment_disk *disk = cursor->disk;
	const struct segment_table *table =
		disk_tables_get(&disk->tables, &disk->store, query->field, asks_for_all(disk, query));
	if (table == NULL || !table_cursor_pays(table, query, disk->info))
		return HISTREE_NOT_FOUND;
	enum histree_status status = HISTREE_OK;
	if (cursor->ranks == NULL)
		status = table_cursor_create(&disk->store, &cursor->ranks, error);
	if (status != HISTREE_OK)
		return status;
	cursor->order = DISK_BY_FIELD;
	cursor->counts = false;
	cursor->field = query->field;
	table_cursor_start(cursor->ranks, table, query, rank);
	return HISTREE_OK;
}

/* What is damaged, the table or the store, sorting will tell. */
static enum histree_status next_of_table(struct disk_cursor *cursor, struct histree_segment *out,
					 struct histree_error *error)
{
	enum histree_status status = table_cursor_next(cursor->ranks, out, error);
	if (status != HISTREE_ERR_FORMAT)
		return status;
	disk_tables_reject(&cursor->disk->tables, &cursor->disk->store, cursor->field);
	return HISTREE_NOT_FOUND;
}

static enum histree_status next_of_order(struct disk_cursor *cursor, struct histree_segment *out,
					 struct histree_error *error)
{
	switch (cursor->order) {
	case DISK_UNSORTED:
		return segment_scan_next(cursor->scan, out, error);
	case DISK_BY_TIME:
		return segment_sweep_next(cursor->sweep, out, error);
	case DISK_BY_FIELD:
		break;
	}
	return next_of_table(cursor, out, error);
}

/* Nodes that all agree may be those of a store with more or fewer of them: only the sum tells. */
static enum histree_status check_count(const struct disk_cursor *cursor, struct histree_error *error)
{
	const struct segment_disk *disk = cursor->disk;
	if (!cursor->counts || cursor->given == disk->info->segment_count)
		return HISTREE_END;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': has %llu segments, and says that it has %llu",
			 disk->path, (unsigned long long)cursor->given,
			 (unsigned long long)disk->info->segment_count);
}

enum histree_status disk_cursor_next(void *context, struct histree_segment *out, struct histree_error *error)
{
	struct disk_cursor *cursor = context;
	enum histree_status status = next_of_order(cursor, out, error);
	cursor->given += status == HISTREE_OK;
	cursor->counts = cursor->counts && status != HISTREE_PARTIAL;
	return status == HISTREE_END ? check_count(cursor, error) : status;
}

struct histree_segment_loss disk_cursor_loss(const void *context)
{
	const struct disk_cursor *cursor = context;
	const struct histree_segment_store_info *info = cursor->disk->info;
	struct histree_segment_loss loss = cursor->order == DISK_UNSORTED ? segment_scan_loss(cursor->scan)
									  : segment_sweep_loss(cursor->sweep);
	loss.from = loss.from > info->start ? loss.from : info->start;
	loss.to = loss.to < info->end ? loss.to : info->end;
	return loss;
}

void disk_cursor_key(const void *context, uint64_t key[2])
{
	const struct disk_cursor *cursor = context;
	if (cursor->order == DISK_BY_TIME) {
		segment_sweep_key(cursor->sweep, key);
	} else if (cursor->order == DISK_UNSORTED) {
		segment_scan_location(cursor->scan, key);
	} else {
		key[0] = table_cursor_rank(cursor->ranks);
		key[1] = 0;
	}
}

void disk_cursor_stats(const void *context, struct histree_segment_iter_stats *stats)
{
	const struct disk_cursor *cursor = context;
	if (cursor->order == DISK_BY_TIME)
		segment_sweep_stats(cursor->sweep, stats);
	else if (cursor->order == DISK_UNSORTED)
		segment_scan_stats(cursor->scan, stats);
	else
		table_cursor_stats(cursor->ranks, stats);
}

void disk_cursor_free(void *context)
{
	struct disk_cursor *cursor = context;
	segment_scan_free(cursor->scan);
	segment_sweep_free(cursor->sweep);
	table_cursor_free(cursor->ranks);
	free(cursor);
}
