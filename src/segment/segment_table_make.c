// SPDX-License-Identifier: MIT
/*
 * Making a side table: the locations of all segments, sorted by the one field as every query by it would sort them,
 * into a file that takes its name when it is whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "segment/segment_sort.h"
#include "segment/segment_table.h"
#include "segment/table_section.h"
#include "segment_tree/segment_location.h"

struct table_maker {
	const struct table_store *store;
	struct segment_sort *sort;
	struct block_file *file;
	uint8_t *section; /* RANK */
	uint8_t *times;   /* of the next page, in it */

	/* The page being filled. */
	uint64_t locations[TABLE_PAGE_LOCATIONS];
	uint32_t count;
	struct table_page_times page_times;
};

static enum histree_status sort_all(struct table_maker *maker, size_t field, struct histree_error *error)
{
	const struct table_store *store = maker->store;
	const struct segment_window all = { .from = INT64_MIN, .to = INT64_MAX };
	struct segment_scan *scan;
	struct histree_segment segment;
	uint64_t count = 0, key[2];
	enum histree_status status = segment_scan_create(&store->source, &scan, error);
	if (status != HISTREE_OK)
		return status;
	segment_scan_start(scan, all, NULL);
	while (status == HISTREE_OK && (status = segment_scan_next(scan, &segment, error)) == HISTREE_OK) {
		segment.content += field;
		segment_scan_location(scan, key);
		status = segment_sort_add(maker->sort, &segment, key[0] << LOCATION_NODE_SHIFT | key[1], error);
		count++;
	}
	segment_scan_free(scan);
	if (status == HISTREE_PARTIAL)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "'%s': a node is damaged, and a side table needs all segments", store->path);
	if (status == HISTREE_END && count != store->segment_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': has another number of segments than it says",
				 store->path);
	return status == HISTREE_END ? segment_sort_finish(maker->sort, error) : status;
}

static enum histree_status write_page(struct table_maker *maker, struct histree_error *error)
{
	uint8_t page[TABLE_PAGE_SIZE];
	uint32_t number = block_file_block_count(maker->file);
	uint32_t used = table_page_put(page, number, maker->locations, maker->count);
	put_le64(maker->times, (uint64_t)maker->page_times.start);
	put_le64(maker->times + 8, (uint64_t)maker->page_times.end);
	maker->times += TABLE_TIMES_SIZE;
	maker->count = 0;
	return block_file_write_part(maker->file, number, page, (used + 63) / 64 * 64, error);
}

static enum histree_status put_segment(struct table_maker *maker, const struct sorted_segment *item,
				       struct histree_error *error)
{
	const struct histree_segment *segment = &item->segment;
	struct table_page_times *times = &maker->page_times;
	bool first = maker->count == 0;
	times->start = first || segment->start < times->start ? segment->start : times->start;
	times->end = first || segment->end > times->end ? segment->end : times->end;
	maker->locations[maker->count++] = item->arrival;
	return maker->count == TABLE_PAGE_LOCATIONS ? write_page(maker, error) : HISTREE_OK;
}

static enum histree_status write_section(struct table_maker *maker, struct histree_error *error)
{
	enum histree_status status = block_file_section_begin(maker->file, SECTION_RANKS, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(maker->file, maker->section, table_section_size(maker->store),
						  error);
	if (status == HISTREE_OK)
		block_file_section_end(maker->file);
	return status;
}

static enum histree_status write_file(struct table_maker *maker, const char *path, struct histree_error *error)
{
	const struct table_store *store = maker->store;
	struct sorted_segment item;
	enum histree_status status = block_file_create(store->io, path, TABLE_PAGE_SIZE, &maker->file, error);
	/* Of a maker that died; or of one at work, whose table then comes to nothing. */
	if (status == HISTREE_ERR_EXISTS)
		store->io->unlink(store->io->context, path);
	if (status != HISTREE_OK)
		return status;
	status = table_identity_put(store, maker->section, error);
	maker->times = maker->section + table_identity_size(store);
	while (status == HISTREE_OK && (status = segment_sort_next(maker->sort, &item, error)) == HISTREE_OK)
		status = put_segment(maker, &item, error);
	status = status == HISTREE_END ? HISTREE_OK : status;
	if (status == HISTREE_OK && maker->count > 0)
		status = write_page(maker, error);
	if (status == HISTREE_OK)
		status = write_section(maker, error);
	return status == HISTREE_OK ? block_file_complete(maker->file, error) : status;
}

/* The file that is written before it has its name. */
static char *path_of_new(const char *path)
{
	size_t size = strlen(path) + sizeof(".new");
	char *new_path = malloc(size);
	if (new_path != NULL)
		snprintf(new_path, size, "%s.new", path);
	return new_path;
}

static enum histree_status make_at(struct table_maker *maker, size_t field, const char *path, const char *new_path,
				   struct histree_error *error)
{
	const struct io *io = maker->store->io;
	enum histree_status status = sort_all(maker, field, error);
	if (status == HISTREE_OK)
		status = write_file(maker, new_path, error);
	if (status == HISTREE_OK && io->rename(io->context, new_path, path) != 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s'", new_path);
		io->unlink(io->context, new_path);
	}
	block_file_close(maker->file);
	return status;
}

enum histree_status segment_table_make(const struct table_store *store, size_t field, struct histree_error *error)
{
	const struct histree_segment_schema schema = { .fields = &store->source.fields[field], .field_count = 1 };
	const struct histree_segment_query query = { .from = INT64_MIN,
						     .to = INT64_MAX,
						     .order = HISTREE_SEGMENTS_BY_FIELD };
	char *path = segment_table_path(store, field), *new_path = path != NULL ? path_of_new(path) : NULL;
	struct table_maker *maker = calloc(1, sizeof(*maker));
	uint8_t *section = malloc(table_section_size(store));
	enum histree_status status = HISTREE_OK;
	if (new_path == NULL || maker == NULL || section == NULL) {
		status = error_memory(error, "a side table");
	} else {
		maker->store = store;
		maker->section = section;
		status = segment_sort_create(&query, &schema, &store->room, &maker->sort, error);
		if (status == HISTREE_OK)
			status = make_at(maker, field, path, new_path, error);
		segment_sort_free(maker->sort);
	}
	free(section);
	free(maker);
	free(new_path);
	free(path);
	return status;
}
