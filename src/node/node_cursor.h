/* SPDX-License-Identifier: MIT */
/*
 * node_cursor.h - the intervals of a region in a node, in the order of (key, start), whatever the format of its
 * leaves.
 *
 * Where all keys are asked for, each block is unpacked at once and its series are read one after the other.  Else
 * each key is looked for, from where the one before was.  Where times are asked for, the cursor goes from an
 * interval to the one that holds the next time, and passes by what lies between.
 *
 * Which interval of a series ends at a tick or later:
 *
 * Steps add up, so there is no way past those before.  But in a leaf of few attributes a series has up to 64
 * intervals, and a query of one time passes half of them.  So the steps that two loads have are added up at a time:
 * the even and the odd ones, in fields of twice their width, and then the fields, by a product that has the sum of
 * all of them in its highest one.
 *
 * It relies on a property of state histories: intervals of one key do not overlap.
 */
#ifndef NODE_NODE_CURSOR_H
#define NODE_NODE_CURSOR_H

#include "node/column_block.h"
#include "node/node.h"
#include "node/node_view.h"

enum { STEPS_AT_ONCE = 4, STEP_WIDTH_MOST = BITS_IN_A_LOAD / 2, GROUP_WIDTH_LEAST = 3, GROUP_WIDTH_MOST = 16 };

/* How the steps of a load are added up. */
struct step_group {
	uint64_t even, odd; /* the steps in a field each, once the odd ones are shifted by one step */
	uint64_t times;     /* what has the sum of the fields in the highest bits of the product */
	uint32_t count;     /* of steps */
	uint32_t shift;     /* of the product */
};

/*
 * Fields fit into 64 bits, steps into a load, and the steps of two loads into a field: 2 * count * (2^width - 1) is
 * less than 2^(2 * width).
 */
#define STEP_FIELD(width, number) (UINT64_C(1) << 2 * (width) * (number))
#define STEP_FIELDS(width, last) \
	((STEP_FIELD(width, last) - 1) / (STEP_FIELD(width, 1) - 1) + STEP_FIELD(width, last))
#define STEP_GROUP(width, steps)                                                                      \
	[width] = {                                                                                   \
		.even = STEP_FIELDS(width, (steps - 1) / 2) * ((UINT64_C(1) << width) - 1),           \
		.odd = STEP_FIELDS(width, steps / 2 - 1) * ((UINT64_C(1) << width) - 1),              \
		.times = STEP_FIELDS(width, (steps - 1) / 2) << (64 - 2 * width * ((steps + 1) / 2)), \
		.count = steps,                                                                       \
		.shift = 64 - 2 * width,                                                              \
	}

static const struct step_group step_groups[GROUP_WIDTH_MOST + 1] = {
	STEP_GROUP(3, 4),  STEP_GROUP(4, 8),  STEP_GROUP(5, 11), STEP_GROUP(6, 9),  STEP_GROUP(7, 8),
	STEP_GROUP(8, 7),  STEP_GROUP(9, 6),  STEP_GROUP(10, 5), STEP_GROUP(11, 4), STEP_GROUP(12, 4),
	STEP_GROUP(13, 4), STEP_GROUP(14, 4), STEP_GROUP(15, 3), STEP_GROUP(16, 3),
};

/*
 * Where in a series a search is: an interval, with the ticks at which it starts and after which it ends.  The
 * payload has all steps of the intervals up to `stored`, except the first, whose place `steps` would point to.
 */
struct step_place {
	uint32_t interval, stored;
	uint64_t start, end;
	size_t steps;
};

/* Pass groups of intervals that end too early; then, in the group that does not, go to the interval. */
static inline void pass_by_groups(struct step_place *place, const uint8_t *bytes, uint64_t min, unsigned width,
				  uint64_t ends_from)
{
	const struct step_group *group = &step_groups[width];
	const uint32_t first = place->interval, count = group->count;
	const uint64_t mask = (UINT64_C(1) << width) - 1, least = count * min;
	const size_t size = count * (size_t)width;
	size_t at = place->steps + (first + (size_t)1) * width;
	for (;; at += 2 * size) {
		if (place->stored - place->interval < 2 * count) {
			if (place->interval > first)
				place->start = place->end - min - bits_get(bytes, at - width, width);
			return;
		}
		uint64_t word = bits_load(bytes + at / 8) >> at % 8;
		const uint64_t next = bits_load(bytes + (at + size) / 8) >> (at + size) % 8;
		const uint64_t fields = (word & group->even) + (word >> width & group->odd);
		const uint64_t both = fields + (next & group->even) + (next >> width & group->odd);
		const uint64_t end = place->end + 2 * least + (both * group->times >> group->shift);
		if (end < ends_from) {
			place->end = end;
			place->interval += 2 * count;
			continue;
		}
		const uint64_t middle = place->end + least + (fields * group->times >> group->shift);
		if (middle < ends_from) {
			place->start = middle - min - (word >> (size - width) & mask);
			place->end = middle;
			place->interval += count;
			word = next;
		}
		for (; place->end < ends_from; word >>= width) {
			place->start = place->end;
			place->end += min + (word & mask);
			place->interval++;
		}
		return;
	}
}

/* Returns the sum of two steps from a bit on, without what each of them has at least. */
static inline uint64_t two_steps(const uint8_t *bytes, size_t at, unsigned width, uint64_t mask)
{
	uint64_t word = bits_load(bytes + at / 8) >> at % 8;
	return (word & mask) + (word >> width & mask);
}

/* The same with four at a time, for steps of other widths. */
static inline void pass_by_fours(struct step_place *place, const uint8_t *bytes, uint64_t min, unsigned width,
				 uint64_t ends_from)
{
	const uint64_t mask = (UINT64_C(1) << width) - 1, least = STEPS_AT_ONCE * min;
	size_t at = place->steps + (place->interval + (size_t)1) * width;
	uint32_t fours = (place->stored - place->interval) / STEPS_AT_ONCE, left = fours;
	for (; left > 0; left--) {
		uint64_t end = place->end + least + two_steps(bytes, at, width, mask) +
			       two_steps(bytes, at + 2 * (size_t)width, width, mask);
		if (end >= ends_from)
			break;
		place->end = end;
		at += STEPS_AT_ONCE * (size_t)width;
	}
	if (left < fours) {
		place->interval += STEPS_AT_ONCE * (fours - left);
		place->start = place->end - min - bits_get(bytes, at - width, width);
	}
}

/* Go on from a place that ends too early to the first that does not, or to the last whose step is stored. */
static inline void pass_stored(struct step_place *place, const uint8_t *bytes, const uint64_t *fields,
			       uint64_t ends_from)
{
	const uint64_t min = fields[COLUMN_STEP_MIN];
	const unsigned width = (unsigned)fields[COLUMN_STEP_WIDTH];
	const bool are_many = place->stored - place->interval >= 2 * STEPS_AT_ONCE;
	if (are_many && width >= GROUP_WIDTH_LEAST && width <= GROUP_WIDTH_MOST)
		pass_by_groups(place, bytes, min, width, ends_from);
	else if (are_many && width <= STEP_WIDTH_MOST)
		pass_by_fours(place, bytes, min, width, ends_from);
	size_t at = place->steps + place->interval * (size_t)width;
	while (place->end < ends_from && place->interval < place->stored) {
		at += width;
		place->interval++;
		place->start = place->end;
		place->end += min + bits_get(bytes, at, width);
	}
}

/*
 * From an interval and the tick at which it starts: the first that ends at `ends_from` or later, its start and
 * the tick after it.  False: the series ends before.
 */
static inline bool column_find_end(const struct column_block *block, const struct column_series *series,
				   uint64_t ends_from, uint32_t *interval, uint64_t *tick, uint64_t *after)
{
	const uint32_t last = (uint32_t)series->fields[COLUMN_COUNT];
	*after = column_tick_after(block, series, *interval, *tick);
	if (*after >= ends_from || *interval == last)
		return *after >= ends_from;
	const bool has_first = (block->edges & EDGE_FIRST) != 0, has_last = (block->edges & EDGE_LAST) != 0;
	struct step_place place = {
		.interval = *interval,
		.stored = last - has_last,
		.start = *tick,
		.end = *after,
		.steps = series->steps - (has_first ? series->fields[COLUMN_STEP_WIDTH] : 0),
	};
	pass_stored(&place, block->view->block, series->fields, ends_from);
	if (has_last && place.end < ends_from && place.interval < last) {
		place.start = place.end;
		place.end = column_tick_after(block, series, ++place.interval, place.start);
	}
	*interval = place.interval;
	*tick = place.start;
	*after = place.end;
	return place.end >= ends_from;
}

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

struct node_cursor {
	bool is_columns;
	uint64_t times_met; /* of rows, as that of columns */
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
 * Read up to `room` intervals.  Returns HISTREE_OK with at least one, else HISTREE_END or HISTREE_ERR_FORMAT, as
 * often as it is called.  Bytes of values are borrowed from the block.
 */
enum histree_status node_cursor_read(struct node_cursor *cursor, struct histree_interval *out, size_t room,
				     size_t *count);

/* Returns region_count_times() of all intervals that were read.  If the region has no list, it means nothing. */
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
 * Returns whether a search finds the row that the cursor is before; for rows, whether the index leads there, if it
 * has an entry for it.  For verification.
 */
bool node_cursor_is_indexed(const struct node_cursor *cursor, uint32_t row);

#endif
