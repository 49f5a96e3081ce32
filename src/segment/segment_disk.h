/* SPDX-License-Identifier: MIT */
/*
 * segment_disk.h - the body of a store on disk; its side tables, each opened or made when it is first needed; and a
 * sound store, made of what can be read of a damaged one.
 *
 * Threads: any number may ask.  A table that was handed out stays open as long as the store.
 */
#ifndef SEGMENT_SEGMENT_DISK_H
#define SEGMENT_SEGMENT_DISK_H

#include <pthread.h>

#include "base/io.h"
#include "histree/segments.h"
#include "segment/segment_table.h"
#include "segment_tree/segment_writer.h"

struct segment_repair_report {
	void (*lost)(void *context, const struct histree_loss *loss);
	void *context;
};

/*
 * Write the new store to `path`, which must not exist, with nodes of the same size.  The damaged one was opened to
 * be salvaged.
 */
enum histree_status segment_repair(const struct io *io, struct histree_segment_store *damaged, const char *path,
				   const struct segment_repair_report *report, struct histree_error *error);

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

struct segment_disk {
	const struct io *io;
	char *path;
	struct block_file *file;
	struct segment_writer *writer; /* until it is finished */
	struct tree_reader *reader;    /* from then on, with all below */
	size_t cache_bytes;
	bool salvages;
	const struct histree_segment_store_info *info; /* of the store */
	struct table_store store;
	struct disk_tables tables;
};

#endif
