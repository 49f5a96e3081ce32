/* SPDX-License-Identifier: MIT */
/*
 * segment_disk.h - the body of a store on disk, for segment_disk.c and disk_cursor.c.
 */
#ifndef SEGMENT_SEGMENT_DISK_H
#define SEGMENT_SEGMENT_DISK_H

#include "segment/disk_tables.h"
#include "segment_tree/segment_writer.h"

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

/* The cursor of segment_backend.h. */
enum histree_status disk_cursor_create(void *body, void **out, struct histree_error *error);
enum histree_status disk_cursor_start(void *context, const struct histree_segment_query *query,
				      const struct histree_segment_token *resume, struct histree_error *error);
void disk_cursor_choose(void *context, struct segment_choice choice);
enum histree_status disk_cursor_start_field(void *context, const struct histree_segment_query *query, uint64_t rank,
					    struct histree_error *error);
enum histree_status disk_cursor_next(void *context, struct histree_segment *out, struct histree_error *error);
struct histree_segment_loss disk_cursor_loss(const void *context);
void disk_cursor_key(const void *context, uint64_t key[2]);
void disk_cursor_stats(const void *context, struct histree_segment_iter_stats *stats);
void disk_cursor_free(void *context);

#endif
