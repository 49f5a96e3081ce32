/* SPDX-License-Identifier: MIT */
/*
 * segment_schema.h - the schema of the fields of segments, and the section that stores it.
 *
 * Section SEGM: least start (8), greatest end (8), least and greatest duration (8 each), 0 without segments;
 * version of the provider (4); its name; number of fields (1); for each its type (1) and name.  A name is its
 * size as a varint, then its bytes, none of them zero.
 */
#ifndef SEGMENT_SEGMENT_SCHEMA_H
#define SEGMENT_SEGMENT_SCHEMA_H

#include "histree/segments.h"
#include "store/block_file.h"

/* Copy a schema; segment_schema_release() releases it.  Returns HISTREE_ERR_ARGUMENT if the schema is wrong. */
enum histree_status segment_schema_copy(const struct histree_segment_schema *schema,
					struct histree_segment_schema *out, struct histree_error *error);
void segment_schema_release(struct histree_segment_schema *schema);

/* The schema and extents of `info`. */
enum histree_status segment_schema_write(const struct histree_segment_store_info *info, struct block_file *file,
					 struct histree_error *error);
enum histree_status segment_schema_read(const struct block_file *file, struct histree_segment_store_info *info,
					struct histree_error *error);

#endif
