/* SPDX-License-Identifier: MIT */
/*
 * table_store.h - the store that a side table is made from and belongs to.
 */
#ifndef SEGMENT_TABLE_STORE_H
#define SEGMENT_TABLE_STORE_H

#include "segment/segment_backend.h"
#include "segment_tree/segment_iter.h"

/* All of it is borrowed, and outlives the table. */
struct table_store {
	const struct io *io;
	const char *path; /* of the store */
	const struct block_file *file;
	struct segment_source source;
	uint64_t segment_count;
	struct segment_room room; /* to sort in */
};

#endif
