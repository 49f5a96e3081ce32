/* SPDX-License-Identifier: MIT */
/*
 * segment_copy.h - keep the content of a segment beyond the call that hands it out.
 */
#ifndef ITEM_SEGMENT_COPY_H
#define ITEM_SEGMENT_COPY_H

#include <stdbool.h>

#include "base/arena.h"
#include "histree/segment.h"

/* Its values, and the bytes of strings, move into the arena; false when memory is out. */
bool segment_copy_content(struct arena *arena, size_t field_count, struct histree_segment *segment);

#endif
