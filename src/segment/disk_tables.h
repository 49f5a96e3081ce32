/* SPDX-License-Identifier: MIT */
/*
 * disk_tables.h - the side tables of a store on disk, each opened or made when it is first needed.
 *
 * Threads: any number may ask.  A table that was handed out stays open as long as the store.
 */
#ifndef SEGMENT_DISK_TABLES_H
#define SEGMENT_DISK_TABLES_H

#include <pthread.h>

#include "segment/segment_table.h"

enum disk_table_state {
	TABLE_NOT_LOOKED_FOR,
	TABLE_NOT_THERE, /* it may be made */
	TABLE_OPEN,
	TABLE_GIVEN_UP, /* until the store is opened again */
};

struct disk_tables {
	enum histree_segment_tables policy;
	pthread_mutex_t mutex; /* held while a table is made: who needs it too would be no quicker alone */
	enum disk_table_state states[HISTREE_SEGMENT_FIELDS_MAX];
	struct segment_table *tables[HISTREE_SEGMENT_FIELDS_MAX];
	/* Replaced, but cursors may still go through them. */
	struct segment_table **replaced;
	size_t replaced_count, replaced_capacity;
};

void disk_tables_init(struct disk_tables *tables, enum histree_segment_tables policy);
void disk_tables_release(struct disk_tables *tables);

/* The table of a field; NULL: do without.  `all`: the query is for all segments, so that making it would pay. */
const struct segment_table *disk_tables_get(struct disk_tables *tables, const struct table_store *store,
					    size_t field, bool all);

/* It was found to be damaged: it goes. */
void disk_tables_reject(struct disk_tables *tables, const struct table_store *store, size_t field);

/* Make the table of a field, whatever is there. */
enum histree_status disk_tables_make(struct disk_tables *tables, const struct table_store *store, size_t field,
				     struct histree_error *error);

#endif
