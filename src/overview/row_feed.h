/* SPDX-License-Identifier: MIT */
/*
 * row_feed.h - the rows of a history while it is made: the states of each owner, condensed as their number grows
 * (docs/design/05-pyramid.md).
 *
 * The states of an owner are kept as they are until there are as many as a level of rows would have cells for it.
 * Then they become cells, whose width follows the life of the owner so far; later the cells become wider, since
 * cells of any width contain whole cells of all smaller widths.  If all owners together need too much memory, those
 * with the fewest states are dropped.  The owners of a level and the width of their cells are chosen at the end,
 * without reading any states.
 */
#ifndef OVERVIEW_ROW_FEED_H
#define OVERVIEW_ROW_FEED_H

#include "base/table.h"
#include "histree/value.h"
#include "overview/overview_choice.h"
#include "overview/row_pyramid.h"
#include "query/value_table.h"

struct row_page;

/* What is kept of an owner. */
struct row_owner {
	uint32_t *pages; /* by order; all but the last are full */
	size_t page_count, page_capacity;
	size_t kept, settled; /* now, and those that are as few as such cells make them */
	uint64_t states;      /* that it had */
	unsigned width_log2;  /* of its cells; 0: it has states as they were */
	bool is_left_out;
	histree_time from; /* of its life: what is null before is not part of it */
};

/* A zeroed one keeps nothing. */
struct row_feed {
	struct overview_options options;
	histree_time start;
	uint64_t states; /* of the history so far, */
	uint64_t kept;   /* and of all owners */
	struct row_owner *owners;
	size_t owner_count, owners_capacity;
	struct row_page *pages; /* of all of them */
	size_t page_count, page_capacity;
	struct table of_pages;
	uint32_t *free_pages; /* those that nobody has; the last is taken first */
	size_t free_count, free_capacity;
	struct value_table values; /* of all states */
	struct overview_cells cells;
	struct overview_state *piece; /* some states of an owner at hand */
	size_t piece_capacity;
};

/* Tables are in `tables`. */
enum histree_status row_feed_begin(struct row_feed *feed, const struct overview_options *options,
				   histree_time start, struct table_space *tables, struct histree_error *error);

/* Another owner, after all others; and a state of one, which follows on the one before.  False without memory. */
bool row_feed_own(struct row_feed *feed);
bool row_feed_add(struct row_feed *feed, uint32_t owner, const struct histree_interval *state);

/* Keep no more than a history of this many states may have. */
bool row_feed_look(struct row_feed *feed, uint64_t states);

/*
 * Make what is kept of an owner cells of a width, unless they are wider.  A cell up to which they were made fewer
 * before may then be in several parts.
 */
bool row_feed_widen(struct row_feed *feed, uint32_t owner, unsigned width_log2);

/* Returns a state that is kept. */
struct overview_state row_feed_state(const struct row_feed *feed, uint32_t owner, size_t index);

/* Returns which of them from `index` on is the first that ends after a time; how many there are: none does. */
size_t row_feed_after(const struct row_feed *feed, uint32_t owner, size_t index, histree_time time);
void row_feed_release(struct row_feed *feed);

#endif
