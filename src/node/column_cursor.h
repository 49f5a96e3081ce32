/* SPDX-License-Identifier: MIT */
/*
 * column_cursor.h - the intervals of a region in a leaf of columns, in the order of (key, start).
 *
 * Where all keys are asked for, each block is unpacked at once and its series are read one after the other.  Else
 * each key is looked for, from where the one before was.  Where times are asked for, the cursor goes from an
 * interval to the one that holds the next time, and passes by what lies between.
 */
#ifndef NODE_COLUMN_CURSOR_H
#define NODE_COLUMN_CURSOR_H

#include "node/column_block.h"
#include "node/node_region.h"

struct column_cursor {
	const struct column_view *view;   /* borrowed */
	const struct node_region *region; /* borrowed */
	/*
	 * The window as ticks: an interval meets it that ends at `window_from` or later, and starts before
	 * `window_to`.  `ends_from` is the same for what is left of the key at hand: it moves on with the times.
	 */
	uint64_t window_from, window_to, ends_from;
	size_t first_time,
		next_time; /* of the region: the first that the leaf can meet; the next of the key at hand */
	size_t next_quark, quark_end; /* of the region: those still to be looked for in this leaf */
	uint64_t key;                 /* at hand */

	struct column_block block;                     /* series_count 0: none is open yet */
	struct column_series series[SERIES_PER_BLOCK]; /* all of them, or in [0] the one being read */
	uint32_t next_series;
	size_t next_payload; /* some keys: where that of the next series begins, in bits */

	const struct column_series *now; /* being read */
	uint32_t count, interval;        /* of its intervals; the next; the same: none is left */
	uint64_t tick;                   /* at which the next starts */
	uint64_t times_met;              /* of a list of times: region_count_times() of all intervals read */
};

/* Before the first interval. */
void column_cursor_begin(struct column_cursor *cursor, const struct column_view *view,
			 const struct node_region *region);

/*
 * Up to `room` intervals.  HISTREE_OK with at least one; else HISTREE_END or HISTREE_ERR_FORMAT, again and again.
 * Bytes of values are borrowed from the block.
 */
enum histree_status column_cursor_read(struct column_cursor *cursor, struct histree_interval *out, size_t room,
				       size_t *count);

#endif
