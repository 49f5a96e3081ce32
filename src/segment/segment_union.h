/* SPDX-License-Identifier: MIT */
/*
 * segment_union.h - the stores of several hosts as one: its parts, and the cursor that merges theirs.
 *
 * Each part gives every order by itself, so the union keeps one segment of each at hand, in a heap
 * (docs/design/13-hosts.md).
 */
#ifndef SEGMENT_SEGMENT_UNION_H
#define SEGMENT_SEGMENT_UNION_H

#include "segment/segment_memory.h"

struct union_part {
	struct histree_segment_store *store;        /* NULL: it is missing */
	struct histree_value host;                  /* its name */
	uint8_t fields[HISTREE_SEGMENT_FIELDS_MAX]; /* of the part, by those of the union */
};

/* A field that a part has not. */
enum { UNION_NO_FIELD = UINT8_MAX };

struct segment_union {
	struct histree_segment_part *parts; /* as the caller gave them, with texts of our own */
	struct union_part *sources;         /* the same, as cursors need them */
	size_t part_count;
	size_t field_count; /* the last one is the host */
};

#endif
