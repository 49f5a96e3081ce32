// SPDX-License-Identifier: MIT
#include "segment/disk_tables.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/* Sorting fewer takes some milliseconds: no reason to write a file. */
enum { SEGMENTS_MIN = 50000 };

void disk_tables_init(struct disk_tables *tables, enum histree_segment_tables policy)
{
	*tables = (struct disk_tables){ .policy = policy };
	pthread_mutex_init(&tables->mutex, NULL);
}

void disk_tables_release(struct disk_tables *tables)
{
	for (size_t field = 0; field < HISTREE_SEGMENT_FIELDS_MAX; field++)
		segment_table_close(tables->tables[field]);
	for (size_t i = 0; i < tables->replaced_count; i++)
		segment_table_close(tables->replaced[i]);
	free(tables->replaced);
	pthread_mutex_destroy(&tables->mutex);
}

static void open_table(struct disk_tables *tables, const struct table_store *store, size_t field)
{
	enum histree_status status = segment_table_open(store, field, &tables->tables[field], NULL);
	bool is_wrong = status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_INCOMPLETE;
	if (status == HISTREE_OK)
		tables->states[field] = TABLE_OPEN;
	else
		tables->states[field] = status == HISTREE_NOT_FOUND || is_wrong ? TABLE_NOT_THERE : TABLE_GIVEN_UP;
}

static void make_table(struct disk_tables *tables, const struct table_store *store, size_t field)
{
	enum histree_status status = segment_table_make(store, field, NULL);
	if (status == HISTREE_OK)
		open_table(tables, store, field);
	if (tables->states[field] != TABLE_OPEN)
		tables->states[field] = TABLE_GIVEN_UP;
}

const struct segment_table *disk_tables_get(struct disk_tables *tables, const struct table_store *store,
					    size_t field, bool all)
{
	if (tables->policy == HISTREE_TABLES_NEVER || store->segment_count == 0)
		return NULL;
	bool makes = all && tables->policy == HISTREE_TABLES_ON_DEMAND && store->segment_count >= SEGMENTS_MIN;
	pthread_mutex_lock(&tables->mutex);
	if (tables->states[field] == TABLE_NOT_LOOKED_FOR)
		open_table(tables, store, field);
	if (tables->states[field] == TABLE_NOT_THERE && makes)
		make_table(tables, store, field);
	const struct segment_table *table = tables->states[field] == TABLE_OPEN ? tables->tables[field] : NULL;
	pthread_mutex_unlock(&tables->mutex);
	return table;
}

void disk_tables_reject(struct disk_tables *tables, const struct table_store *store, size_t field)
{
	pthread_mutex_lock(&tables->mutex);
	tables->states[field] = TABLE_GIVEN_UP;
	char *path = segment_table_path(store, field);
	if (path != NULL && tables->policy == HISTREE_TABLES_ON_DEMAND)
		store->io->unlink(store->io->context, path);
	free(path);
	pthread_mutex_unlock(&tables->mutex);
}

enum histree_status disk_tables_make(struct disk_tables *tables, const struct table_store *store, size_t field,
				     struct histree_error *error)
{
	pthread_mutex_lock(&tables->mutex);
	struct segment_table *before = tables->tables[field], *made = NULL;
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&tables->replaced, &tables->replaced_capacity, tables->replaced_count + 1))
		status = error_memory(error, "a side table");
	if (status == HISTREE_OK)
		status = segment_table_make(store, field, error);
	if (status == HISTREE_OK)
		status = segment_table_open(store, field, &made, error);
	if (status == HISTREE_OK) {
		if (before != NULL)
			tables->replaced[tables->replaced_count++] = before;
		tables->tables[field] = made;
		tables->states[field] = TABLE_OPEN;
	}
	pthread_mutex_unlock(&tables->mutex);
	return status == HISTREE_NOT_FOUND
		       ? error_set(error, HISTREE_ERR_IO, "'%s': its side table has gone", store->path)
		       : status;
}
