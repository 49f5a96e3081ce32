/* SPDX-License-Identifier: MIT */
/*
 * table_section.h - the section RANK of a side table, whose header says which store it belongs to.
 *
 * Number of segments (8), CRC-32C of the store's section SEGM (4), number of its nodes (4), of each node the
 * checksum (4); then for each page the least start and the greatest end of its segments (8 each).
 *
 * A complete store has no name of its own, so that two builds of one trace are equal; but a store whose every
 * checksum is the same has the same segments at the same locations.
 */
#ifndef SEGMENT_TABLE_SECTION_H
#define SEGMENT_TABLE_SECTION_H

#include "segment/table_page.h"
#include "segment/table_store.h"

static inline uint32_t table_page_count(uint64_t segment_count)
{
	return (uint32_t)((segment_count + TABLE_PAGE_LOCATIONS - 1) / TABLE_PAGE_LOCATIONS);
}

/* Returns the size of the header. */
size_t table_identity_size(const struct table_store *store);

/* Read the checksums of all nodes, and write the header, for which there is room. */
enum histree_status table_identity_put(const struct table_store *store, uint8_t *header,
				       struct histree_error *error);

enum { TABLE_TIMES_SIZE = 16 }; /* of a page */

static inline size_t table_section_size(const struct table_store *store)
{
	return table_identity_size(store) + (size_t)table_page_count(store->segment_count) * TABLE_TIMES_SIZE;
}

#endif
