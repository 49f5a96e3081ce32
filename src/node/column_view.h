/* SPDX-License-Identifier: MIT */
/*
 * column_view.h - read a leaf of columns: search by (key, time), then interval by interval.
 *
 * Nothing is unpacked: every access computes where its bits are.  All that comes from the block is checked before
 * it is used as a place, so that a hostile leaf gives HISTREE_ERR_FORMAT at worst.
 */
#ifndef NODE_COLUMN_VIEW_H
#define NODE_COLUMN_VIEW_H

#include <stdbool.h>

#include "node/column_format.h"

struct column_view {
	const uint8_t *block;
	uint32_t used;
	histree_time start;
	uint64_t length; /* of the node, end - start */
	uint64_t last;   /* moment */
	histree_quark key_min, key_max;
	bool direct;
	uint32_t time_count, block_count, value_count;
	const uint8_t *time_heads, *block_heads, *dictionary;
};

/* Sizes against each other; the checksum was checked before. */
enum histree_status column_check(const uint8_t *block, uint32_t used, uint32_t node_size,
				 struct histree_error *error);

/* The block must have passed column_check(). */
struct column_view column_view(const uint8_t *block);

/* A segment, with what is needed to read its intervals. */
struct column_segment_view {
	histree_quark key;
	uint32_t count;
	uint64_t start, step_min, base; /* start: a moment */
	uint64_t first, end;            /* where the edges are apart: the first step, the moment behind the last */
	unsigned step_width, value_width, kind;
	size_t steps, values; /* bits, from the beginning of the node */
};

/*
 * Where a reader is.  It hands out the intervals that meet [from, to], in the order of (key, start).
 */
struct column_cursor {
	const struct column_view *view;
	/* The window as moments: an interval meets it that ends at `ends_from` or later, and starts before
	 * `starts_to`. */
	uint64_t ends_from, starts_to;
	bool one_key; /* since a seek: only intervals of `key` */
	histree_quark key;
	uint32_t block, segment; /* the next segment; block == block_count: no more */
	uint32_t segment_count;  /* of that block; 0: not opened yet */
	unsigned edges;          /* likewise, enum column_edge */
	unsigned widths[COLUMN_COUNT_OF_COLUMNS];
	uint64_t least[COLUMN_COUNT_OF_COLUMNS];
	size_t columns[COLUMN_COUNT_OF_COLUMNS]; /* bits, from the beginning of the node */
	size_t payload;                          /* of the next segment */
	struct column_segment_view now;
	uint32_t interval; /* of `now`, the next; interval == count: take the next segment */
	uint64_t moment;   /* at which it starts */
};

/* Before the first interval. */
void column_cursor_begin(struct column_cursor *cursor, const struct column_view *view, histree_time from,
			 histree_time to);

/* From here on, only the intervals of `key` that meet the window. */
enum histree_status column_cursor_seek(struct column_cursor *cursor, histree_quark key);

enum histree_status column_cursor_next(struct column_cursor *cursor, struct histree_interval *out);

/* Whether searches can rely on it: times ascend, and each head has the key of its block.  For verification. */
bool column_is_searchable(const struct column_view *view);

#endif
