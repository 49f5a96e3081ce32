// SPDX-License-Identifier: MIT
/*
 * segment_table.c - a side table of a store: the locations of its segments in the order of a field.
 *
 * The section RANK of a side table has a header that identifies the store.
 *
 * Number of segments (8), CRC-32C of the store's section SEGM (4), number of its nodes (4), of each node the
 * checksum (4); then for each page the least start and the greatest end of its segments (8 each).
 *
 * A complete store has no identity of its own, so that two builds of one trace are equal; but stores whose
 * checksums are all the same have the same segments at the same locations.
 */
#include "segment/segment_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "segment/segment_memory.h"
#include "segment_tree/segment_scan.h"

/* ---- segment table ------------------------------------------------------------------------------------------- */

static inline uint32_t table_page_count(uint64_t segment_count)
{
	return (uint32_t)((segment_count + TABLE_PAGE_LOCATIONS - 1) / TABLE_PAGE_LOCATIONS);
}

/* Returns the size of the header. */
size_t table_identity_size(const struct table_store *store);

enum { TABLE_TIMES_SIZE = 16 }; /* of a page */

static inline size_t table_section_size(const struct table_store *store)
{
	return table_identity_size(store) + (size_t)table_page_count(store->segment_count) * TABLE_TIMES_SIZE;
}

struct table_page_times {
	histree_time start, end; /* least and greatest */
};

/* ---- table page ---------------------------------------------------------------------------------------------- */

enum { PAGE_HEADER_SIZE = 24, NODE_WIDTH_MAX = 32 };

_Static_assert(PAGE_HEADER_SIZE + TABLE_PAGE_LOCATIONS * (NODE_WIDTH_MAX + LOCATION_NODE_SHIFT) / 8 + BITS_SLACK <=
		       TABLE_PAGE_SIZE,
	       "a page has room for the widest locations");

static const uint64_t in_node_mask = (UINT64_C(1) << LOCATION_NODE_SHIFT) - 1;

static uint32_t used_bytes(uint32_t count, unsigned node_width, unsigned location_width)
{
	return PAGE_HEADER_SIZE + (count * (node_width + location_width) + 7) / 8;
}

/* There are BITS_SLACK bytes after the last; bits that were not put yet are zero. */
static void put_bits(uint8_t *bytes, size_t at, uint64_t number, unsigned width)
{
	struct bit_buffer buffer = { .bytes = bytes, .bits = at };
	bit_buffer_put(&buffer, number, width);
}

uint32_t table_page_put(uint8_t page[TABLE_PAGE_SIZE], uint32_t number, const uint64_t *locations, uint32_t count)
{
	uint32_t node_min = UINT32_MAX, node_max = 0;
	uint64_t in_node = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = segment_location_node(locations[i]);
		node_min = node < node_min ? node : node_min;
		node_max = node > node_max ? node : node_max;
		in_node |= locations[i] & in_node_mask;
	}
	unsigned node_width = bits_needed(node_max - node_min), location_width = bits_needed(in_node);
	uint32_t used = used_bytes(count, node_width, location_width);
	memset(page, 0, TABLE_PAGE_SIZE);
	put_le32(page + 4, number);
	put_le32(page + 8, count);
	page[12] = (uint8_t)node_width;
	page[13] = (uint8_t)location_width;
	put_le32(page + 16, node_min);
	size_t at = 8 * PAGE_HEADER_SIZE;
	for (uint32_t i = 0; i < count; i++, at += node_width)
		put_bits(page, at, segment_location_node(locations[i]) - node_min, node_width);
	for (uint32_t i = 0; i < count; i++, at += location_width)
		put_bits(page, at, locations[i] & in_node_mask, location_width);
	put_le32(page, crc32c(0, page + 4, used - 4));
	return used;
}

bool table_page_get(const uint8_t page[TABLE_PAGE_SIZE], uint32_t number, uint32_t count, uint64_t *locations)
{
	unsigned node_width = page[12], location_width = page[13];
	if (count > TABLE_PAGE_LOCATIONS || node_width > NODE_WIDTH_MAX || location_width > LOCATION_NODE_SHIFT ||
	    get_le32(page + 4) != number || get_le32(page + 8) != count)
		return false;
	uint32_t used = used_bytes(count, node_width, location_width), node_min = get_le32(page + 16);
	if (get_le32(page) != crc32c(0, page + 4, used - 4))
		return false;
	size_t at = 8 * PAGE_HEADER_SIZE, in_nodes = at + (size_t)count * node_width;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t node = node_min + bits_get(page, at + (size_t)i * node_width, node_width);
		uint64_t in_node = bits_get(page, in_nodes + (size_t)i * location_width, location_width);
		if (node > UINT32_MAX)
			return false;
		locations[i] = node << LOCATION_NODE_SHIFT | in_node;
	}
	return true;
}

/* ---- table section ------------------------------------------------------------------------------------------- */

enum { HEADER_SIZE = 16, CHECKSUM_SIZE = 4 };

size_t table_identity_size(const struct table_store *store)
{
	return HEADER_SIZE + (size_t)store->file->block_count * CHECKSUM_SIZE;
}

/* Read the checksums of all nodes, and write the header, for which there is room. */
static enum histree_status table_identity_put(const struct table_store *store, uint8_t *header,
					      struct histree_error *error)
{
	uint8_t *schema;
	size_t size;
	enum histree_status status = block_file_section(store->file, SECTION_SEGMENTS, &schema, &size, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t nodes = store->file->block_count;
	put_le64(header, store->segment_count);
	put_le32(header + 8, crc32c(0, schema, size));
	put_le32(header + 12, nodes);
	free(schema);
	for (uint32_t node = 0; status == HISTREE_OK && node < nodes; node++)
		status = block_file_peek(store->file, node, header + HEADER_SIZE + (size_t)node * CHECKSUM_SIZE,
					 CHECKSUM_SIZE, error);
	return status;
}

/* ---- segment table ------------------------------------------------------------------------------------------- */

struct segment_table {
	struct block_file *file;
	uint64_t segment_count;
	uint32_t page_count;
	uint8_t *section;     /* RANK */
	const uint8_t *times; /* of the pages, in it */
};

char *segment_table_path(const struct table_store *store, size_t field)
{
	size_t size = strlen(store->path) + sizeof(".00.order");
	char *path = malloc(size);
	if (path != NULL)
		snprintf(path, size, "%s.%u.order", store->path, (unsigned)field % HISTREE_SEGMENT_FIELDS_MAX);
	return path;
}

void segment_table_close(struct segment_table *table)
{
	if (table == NULL)
		return;
	block_file_close(table->file);
	free(table->section);
	free(table);
}

/* ---- opening ------------------------------------------------------------------------------------ */

static enum histree_status of_another_store(const struct segment_table *table, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': is the side table of another store; remove it",
			 table->file->path);
}

static enum histree_status check_identity(const struct table_store *store, const struct segment_table *table,
					  struct histree_error *error)
{
	size_t size = table_identity_size(store);
	uint8_t *identity = malloc(size);
	if (identity == NULL)
		return error_memory(error, "a side table");
	enum histree_status status = table_identity_put(store, identity, error);
	if (status == HISTREE_OK && memcmp(identity, table->section, size) != 0)
		status = of_another_store(table, error);
	free(identity);
	return status;
}

static enum histree_status read_section(const struct table_store *store, struct segment_table *table,
					struct histree_error *error)
{
	size_t size;
	table->segment_count = store->segment_count;
	table->page_count = table_page_count(store->segment_count);
	uint64_t said = block_file_section_size(table->file, SECTION_RANKS);
	/* What the table of another store says of itself is not worth the memory. */
	if (said != 0 && said != table_section_size(store))
		return of_another_store(table, error);
	enum histree_status status = block_file_section(table->file, SECTION_RANKS, &table->section, &size, error);
	if (status != HISTREE_OK)
		return status;
	if (size != table_section_size(store) || table->file->block_size != TABLE_PAGE_SIZE ||
	    table->file->block_count != table->page_count)
		return of_another_store(table, error);
	table->times = table->section + table_identity_size(store);
	return check_identity(store, table, error);
}

/* Returns true even for a file that cannot be read. */
static bool is_there(const struct table_store *store, const char *path)
{
	int file = store->io->open(store->io->context, path, O_RDONLY, 0);
	if (file < 0)
		return errno != ENOENT;
	store->io->close(store->io->context, file);
	return true;
}

static enum histree_status open_at(const struct table_store *store, const char *path, struct segment_table *table,
				   struct histree_error *error)
{
	if (!is_there(store, path))
		return HISTREE_NOT_FOUND;
	enum histree_status status = block_file_open(store->io, path, &table->file, error);
	if (status == HISTREE_ERR_INCOMPLETE)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': was never completed; remove it", path);
	return status == HISTREE_OK ? read_section(store, table, error) : status;
}

enum histree_status segment_table_open(const struct table_store *store, size_t field, struct segment_table **out,
				       struct histree_error *error)
{
	*out = NULL;
	struct segment_table *table = calloc(1, sizeof(*table));
	char *path = segment_table_path(store, field);
	enum histree_status status = table != NULL && path != NULL ? open_at(store, path, table, error)
								   : error_memory(error, "a side table");
	free(path);
	if (status != HISTREE_OK) {
		segment_table_close(table);
		return status;
	}
	*out = table;
	return HISTREE_OK;
}

/* ---- pages -------------------------------------------------------------------------------------- */

static uint32_t segment_table_page_locations(const struct segment_table *table, uint32_t page)
{
	uint64_t left = table->segment_count - (uint64_t)page * TABLE_PAGE_LOCATIONS;
	return left < TABLE_PAGE_LOCATIONS ? (uint32_t)left : TABLE_PAGE_LOCATIONS;
}

static struct table_page_times segment_table_page_times(const struct segment_table *table, uint32_t page)
{
	const uint8_t *at = table->times + (size_t)page * TABLE_TIMES_SIZE;
	return (struct table_page_times){ (histree_time)get_le64(at), (histree_time)get_le64(at + 8) };
}

/* Read the locations of a page into room for TABLE_PAGE_LOCATIONS.  Returns HISTREE_ERR_FORMAT if it is damaged. */
static enum histree_status segment_table_read(const struct segment_table *table, uint32_t page, uint64_t *locations,
					      struct histree_error *error)
{
	uint8_t bytes[TABLE_PAGE_SIZE];
	enum histree_status status = block_file_read(table->file, page, bytes, error);
	if (status == HISTREE_OK &&
	    !table_page_get(bytes, page, segment_table_page_locations(table, page), locations))
		status = error_set(error, HISTREE_ERR_FORMAT, "page %u is damaged; remove it", page);
	return status;
}

/* ---- table cursor -------------------------------------------------------------------------------------------- */

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
	for (uint32_t page = 0; page < table->page_count; page++)
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

void table_cursor_stats(const struct table_cursor *cursor, struct histree_statistics *stats)
{
	segment_gather_stats(cursor->gather, stats);
}

/* ---- batches ------------------------------------------------------------------------------------ */

/* Where a rank lies in the table, which is ascending. */
static uint64_t row_of(const struct table_cursor *cursor, uint64_t rank)
{
	return cursor->descending ? cursor->rank_end - 1 - rank : rank;
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
				uint64_t first = (uint64_t)page * TABLE_PAGE_LOCATIONS;
				if (cursor->descending)
					cursor->rank = cursor->rank_end - first;
				else
					cursor->rank = first + segment_table_page_locations(cursor->table, page);
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

/* ---- segment table make -------------------------------------------------------------------------------------- */

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
	uint32_t number = maker->file->block_count;
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

static enum histree_status write_file(struct table_maker *maker, const char *path, struct histree_error *error)
{
	const struct table_store *store = maker->store;
	struct sorted_segment item;
	enum histree_status status = block_file_create(store->io, path, TABLE_PAGE_SIZE, &maker->file, error);
	/* A maker that died has left it; or one is at work, whose table then comes to nothing. */
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
		status = block_file_section_put(maker->file, SECTION_RANKS, maker->section,
						table_section_size(maker->store), error);
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

/* ---- segment table verify ------------------------------------------------------------------------------------ */

/* What is compared of a segment. */
struct table_row {
	struct histree_value value; /* its bytes are in `bytes` */
	char *bytes;
	size_t capacity;
	histree_time start, end;
	uint64_t location;
};

static bool keep_row(struct table_row *row, const struct histree_segment *segment, size_t field, uint64_t location)
{
	row->start = segment->start;
	row->end = segment->end;
	row->location = location;
	row->value = segment->content[field];
	if (row->value.type != HISTREE_STRING || row->value.size == 0)
		return true;
	if (!array_reserve(&row->bytes, &row->capacity, row->value.size))
		return false;
	memcpy(row->bytes, row->value.bytes, row->value.size);
	row->value.bytes = row->bytes;
	return true;
}

static bool is_after(const struct table_row *before, const struct histree_segment *segment, size_t field,
		     uint64_t location)
{
	int order = segment_value_compare(&before->value, &segment->content[field]);
	if (order != 0)
		return order < 0;
	if (before->start != segment->start)
		return before->start < segment->start;
	if (before->end != segment->end)
		return before->end < segment->end;
	return before->location < location;
}

static enum histree_status check_rows(struct table_cursor *cursor, const struct segment_table *table, size_t field,
				      struct histree_error *error)
{
	struct table_row before = { 0 };
	struct histree_segment segment;
	enum histree_status status;
	while ((status = table_cursor_next(cursor, &segment, error)) == HISTREE_OK) {
		uint64_t rank = table_cursor_rank(cursor), location = cursor->locations[cursor->at - 1];
		uint32_t page = (uint32_t)((rank - 1) / TABLE_PAGE_LOCATIONS);
		struct table_page_times times = segment_table_page_times(table, page);
		if (segment.start < times.start || segment.end > times.end)
			status = error_set(error, HISTREE_ERR_FORMAT, "page %u: its times are wrong; remove it",
					   page);
		else if (rank > 1 && !is_after(&before, &segment, field, location))
			status = error_set(error, HISTREE_ERR_FORMAT, "page %u: is not in order; remove it", page);
		else if (!keep_row(&before, &segment, field, location))
			status = error_memory(error, "verifying");
		if (status != HISTREE_OK)
			break;
	}
	free(before.bytes);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status segment_table_verify(const struct table_store *store, size_t field, struct histree_error *error)
{
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct segment_table *table;
	struct table_cursor *cursor = NULL;
	enum histree_status status = segment_table_open(store, field, &table, error);
	if (status != HISTREE_OK)
		return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
	status = table_cursor_create(store, &cursor, error);
	if (status == HISTREE_OK) {
		table_cursor_start(cursor, table, &all, 0);
		status = check_rows(cursor, table, field, error);
	}
	if (status == HISTREE_ERR_FORMAT)
		error_prefix(error, "'%s'", table->file->path);
	table_cursor_free(cursor);
	segment_table_close(table);
	return status;
}
