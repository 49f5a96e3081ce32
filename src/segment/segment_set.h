/* SPDX-License-Identifier: MIT */
/*
 * segment_set.h - segments that were added to a distinct store, each once: their bytes, interned.
 */
#ifndef SEGMENT_SEGMENT_SET_H
#define SEGMENT_SEGMENT_SET_H

#include <stdbool.h>

#include "histree/segment.h"

struct segment_set;

enum histree_status segment_set_create(size_t field_count, struct segment_set **out, struct histree_error *error);

/* Add a segment that its schema accepts; *is_new says whether there was no equal one. */
enum histree_status segment_set_add(struct segment_set *set, const struct histree_segment *segment, bool *is_new,
				    struct histree_error *error);

/* Free the set, or do nothing if it is NULL. */
void segment_set_free(struct segment_set *set);

#endif
