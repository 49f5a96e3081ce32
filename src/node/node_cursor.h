/* SPDX-License-Identifier: MIT */
/*
 * node_cursor.h - the intervals of a region in a node, in the order of (key, start), whatever the format of its
 * leaves.
 *
 * If all keys are asked for, each block is unpacked as a whole, and the first interval of each of its series that
 * the window meets is found before any is made: so neither loop has more at hand than registers hold. Otherwise
 * each key is searched for, starting where the one before was found.  If a list of times is asked for, the cursor
 * goes from an interval to the one that contains the next time and skips those between.
 *
 * It relies on a property of state histories: intervals of one key do not overlap.
 */
#ifndef NODE_NODE_CURSOR_H
#define NODE_NODE_CURSOR_H

#include "node/column_block.h"
#include "node/node.h"
#include "node/node_view.h"

/*
 * Where in a series a search is: an interval, with the ticks at which it starts and after which it ends.  The
 * payload has all steps of the intervals up to `stored`, except the first, whose place `steps` would point to.
 */
struct step_place {
	uint32_t interval, stored;
	uint64_t start, end;
	size_t steps;
};

/* Advance from a place that ends too early to the first that does not, or to the last whose step is stored. */
void column_pass_stored(struct step_place *place, const uint8_t *bytes, uint64_t min, unsigned width,
			uint64_t ends_from);

/*
 * From an interval and the tick at which it starts, find the first interval that ends at `ends_from` or later, its
 * start and the tick after it.  Returns false if the series ends before.
 */
__attribute__((always_inline)) static inline bool column_find_end(const struct column_block *block,
								  const struct column_series *series,
								  uint64_t ends_from, uint32_t *interval,
								  uint64_t *tick, uint64_t *after)
{
	const uint32_t last = (uint32_t)series->fields[COLUMN_COUNT];
	uint64_t start = *tick, end = column_tick_after(block, series, *interval, start);
	*after = end;
	if (end >= ends_from || *interval == last)
		return end >= ends_from;
	const bool has_first = (block->edges & EDGE_FIRST) != 0, has_last = (block->edges & EDGE_LAST) != 0;
	const uint32_t stored = last - has_last;
	const uint64_t min = series->fields[COLUMN_STEP_MIN];
	const unsigned width = (unsigned)series->fields[COLUMN_STEP_WIDTH];
	uint32_t at = *interval;
	if (width == 0 && at < stored) { /* all steps are alike */
		const uint64_t steps = min > 0 ? (ends_from - end - 1) / min + 1 : stored;
		const uint32_t passed = steps < stored - at ? (uint32_t)steps : stored - at;
		at += passed;
		start = end + (passed - 1) * min;
		end = start + min;
	} else if (at < stored) {
		struct step_place place = {
			.interval = at,
			.stored = stored,
			.start = start,
			.end = end,
			.steps = series->steps - (has_first ? width : 0),
		};
		column_pass_stored(&place, block->view->block, min, width, ends_from);
		at = place.interval;
		start = place.start;
		end = place.end;
	}
	if (has_last && end < ends_from && at < last) {
		start = end;
		end = column_tick_after(block, series, ++at, start);
	}
	*interval = at;
	*tick = start;
	*after = end;
	return end >= ends_from;
}

/* The first interval of a series of the open block that meets the window, between two ticks. */
struct column_met {
	uint32_t series, interval;
	uint64_t tick, after;
};

struct column_cursor {
	const struct column_view *view;   /* borrowed */
	const struct node_region *region; /* borrowed */
	/*
	 * The window as ticks: an interval meets it that ends at `window_from` or later, and starts before
	 * `window_to`.  `ends_from` is the same bound for the rest of the current key: it advances with the times.
	 */
	uint64_t window_from, window_to, ends_from;
	size_t first_time,
		next_time; /* of the region: the first that the leaf can meet; the next of the key at hand */
	size_t next_quark, quark_end; /* of the region: those still to be looked for in this leaf */
	uint64_t key;                 /* at hand */

	struct column_block block; /* series_count 0: no block is open yet */
	uint32_t next_series;
	size_t next_payload; /* some keys: where that of the next series begins, in bits */

	struct column_series now; /* being read */
	uint32_t count, interval; /* of its intervals; the next; the same: none is left */
	uint64_t tick;            /* at which the next starts */
	uint64_t times_met;       /* with a list of times: region_count_times() of all intervals read */

	/* All keys: the next block, the series of the open one, and the intervals with which those begin. */
	uint32_t next_block, next_met, met_count;
	struct column_met met[SERIES_PER_BLOCK];
	struct column_table table;
};

struct node_cursor {
	bool is_columns;
	uint64_t times_met; /* of rows: the same as `times_met` of columns */
	union {
		struct row_cursor row;
		struct column_cursor column;
	};
};

/* Begin before the first interval of a region.  `view` and `region` are borrowed as long as the cursor is used. */
void node_cursor_begin(struct node_cursor *cursor, const struct node_view *view, const struct node_region *region);

/* Begin before the first interval of the node, whatever its key and time. */
void node_cursor_begin_all(struct node_cursor *cursor, const struct node_view *view);

/*
 * Read up to `room` intervals.  Returns HISTREE_OK with at least one, else HISTREE_END or HISTREE_ERR_FORMAT, also
 * when called again.  Bytes of values are borrowed from the block.
 */
enum histree_status node_cursor_read(struct node_cursor *cursor, struct histree_interval *out, size_t room,
				     size_t *count);

/*
 * Returns region_count_times() of all intervals that were read.  Without a list of times the number has no meaning.
 */
static inline uint64_t node_cursor_times_met(const struct node_cursor *cursor)
{
	return cursor->is_columns ? cursor->column.times_met : cursor->times_met;
}

static inline enum histree_status node_cursor_next(struct node_cursor *cursor, struct histree_interval *out)
{
	size_t count;
	return node_cursor_read(cursor, out, 1, &count);
}

/*
 * Returns whether a search finds the row at which the cursor stands; for rows, whether the index leads there, if it
 * has an entry for it.  For verification.
 */
bool node_cursor_is_indexed(const struct node_cursor *cursor, uint32_t row);

#endif
