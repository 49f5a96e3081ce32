/* SPDX-License-Identifier: MIT */
/*
 * segment_table.h - the side table of a field: where the segments of a store on disk lie, in the order of that
 * field (docs/design/0005-segments.md).
 *
 * A block file beside the store, STORE.N.order for field N.  Its blocks are pages of locations (table_page.h); all
 * of them together are each segment of the store once, by the field, then start, end and location.  Its section
 * RANK (table_section.h) says which store it belongs to, and when the segments of each page were.
 *
 * A table is nothing but speed.  It belongs to the store whose checksums it has, and to no other; one that does
 * not, or is damaged, is not used, and made again.
 */
#ifndef SEGMENT_SEGMENT_TABLE_H
#define SEGMENT_SEGMENT_TABLE_H

#include "segment/table_store.h"

struct segment_table;

struct table_page_times {
	histree_time start, end; /* least and greatest */
};

/* Returns HISTREE_NOT_FOUND if there is no table, HISTREE_ERR_FORMAT if it is of another store or damaged. */
enum histree_status segment_table_open(const struct table_store *store, size_t field, struct segment_table **out,
				       struct histree_error *error);

/* Sort, and replace the table that is there, if there is one.  An error leaves that as it was. */
enum histree_status segment_table_make(const struct table_store *store, size_t field, struct histree_error *error);

/* Returns the path of its file. */
const char *segment_table_name(const struct segment_table *table);

uint32_t segment_table_page_count(const struct segment_table *table);
uint32_t segment_table_page_locations(const struct segment_table *table, uint32_t page);
struct table_page_times segment_table_page_times(const struct segment_table *table, uint32_t page);

/* Read the locations of a page into room for TABLE_PAGE_LOCATIONS.  Returns HISTREE_ERR_FORMAT if it is damaged. */
enum histree_status segment_table_read(const struct segment_table *table, uint32_t page, uint64_t *locations,
				       struct histree_error *error);

/*
 * Check the table of a field, if there is one, against the store: it has each segment once, in order.  Returns
 * HISTREE_ERR_FORMAT if something is wrong with it, HISTREE_OK if there is none.
 */
enum histree_status segment_table_verify(const struct table_store *store, size_t field,
					 struct histree_error *error);

/* Returns the path of the table of a field, which the caller frees, or NULL if memory is out. */
char *segment_table_path(const struct table_store *store, size_t field);

/* Close a table, or do nothing if it is NULL. */
void segment_table_close(struct segment_table *table);

#endif
