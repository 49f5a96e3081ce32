/* SPDX-License-Identifier: MIT */
/*
 * golden_segments.h - one small segment store, always the same, and its text: what the golden file holds.
 *
 * It has a field of each type, values at the edges of their types, nulls, equal segments, the ends of time, and
 * enough of all to need several leaves of 4 KiB.
 */
#ifndef GOLDEN_GOLDEN_SEGMENTS_H
#define GOLDEN_GOLDEN_SEGMENTS_H

#include <stdio.h>

#include "histree/segments.h"

/* Make the file, which must not exist. */
enum histree_status golden_segments_build(const char *path, struct histree_error *error);

/* The schema, then every segment in the order of the file: start, end, type and value of each field. */
/* The side table of the first field, beside it. */
enum histree_status golden_segments_make_table(const char *path, struct histree_error *error);

enum histree_status golden_segments_dump(struct histree_segment_store *store, FILE *out,
					 struct histree_error *error);

#endif
