// SPDX-License-Identifier: MIT
#include "segment/segment_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "segment/table_section.h"

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
			 block_file_path(table->file));
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
	if (size != table_section_size(store) || block_file_block_size(table->file) != TABLE_PAGE_SIZE ||
	    block_file_block_count(table->file) != table->page_count)
		return of_another_store(table, error);
	table->times = table->section + table_identity_size(store);
	return check_identity(store, table, error);
}

/* Whatever else may be wrong with it. */
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

const char *segment_table_name(const struct segment_table *table)
{
	return block_file_path(table->file);
}

/* ---- pages -------------------------------------------------------------------------------------- */

uint32_t segment_table_page_count(const struct segment_table *table)
{
	return table->page_count;
}

uint32_t segment_table_page_locations(const struct segment_table *table, uint32_t page)
{
	uint64_t left = table->segment_count - (uint64_t)page * TABLE_PAGE_LOCATIONS;
	return left < TABLE_PAGE_LOCATIONS ? (uint32_t)left : TABLE_PAGE_LOCATIONS;
}

struct table_page_times segment_table_page_times(const struct segment_table *table, uint32_t page)
{
	const uint8_t *at = table->times + (size_t)page * TABLE_TIMES_SIZE;
	return (struct table_page_times){ (histree_time)get_le64(at), (histree_time)get_le64(at + 8) };
}

enum histree_status segment_table_read(const struct segment_table *table, uint32_t page, uint64_t *locations,
				       struct histree_error *error)
{
	uint8_t bytes[TABLE_PAGE_SIZE];
	enum histree_status status = block_file_read(table->file, page, bytes, error);
	if (status == HISTREE_OK &&
	    !table_page_get(bytes, page, segment_table_page_locations(table, page), locations))
		status = error_set(error, HISTREE_ERR_FORMAT, "page %u is damaged; remove it", page);
	return status;
}
