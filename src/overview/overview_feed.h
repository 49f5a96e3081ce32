/* SPDX-License-Identifier: MIT */
/*
 * overview_feed.h - the states of a history while it is made, on their way into pyramids
 * (docs/design/05-pyramid.md).
 *
 * A feed stands in front of the sink of a state system.  What ends goes into the file as before, and to the cells
 * of the attribute, if that is an owner (owner_feed.h).  What the cube takes goes into a window as well; a window
 * that is full is sorted by attribute and given to it.  So nothing is read again when the history is complete:
 *
 *	overview_feed_create(&plan, &sink, &feed, &error);	// the sink feeds, too
 *	state_system_create(start, &sink, &system, &error);
 *	overview_feed_watch(feed, system);
 *	...						// the system is closed
 *	overviews_write_fed(io, path, &options, feed, &error);
 *	overview_feed_free(feed);
 *
 * Windows follow one another: one has all that ended in it, and nothing of it changes afterwards.  Where that is
 * not so, because a state was corrected after the event, the cube is read.  A history whose leaves were made
 * elsewhere is read as if nobody had fed anything, and so it is without memory: a feed never makes a build fail.
 */
#ifndef OVERVIEW_OVERVIEW_FEED_H
#define OVERVIEW_OVERVIEW_FEED_H

#include "histree/history.h"
#include "node/column_builder.h"
#include "overview/overview_choice.h"
#include "state/ongoing_states.h"
#include "state/pyramid.h"

struct overview_feed;
struct owner_feed;
struct pyramid_maker;

/* What ended of an attribute in a window. */
struct feed_run {
	histree_quark quark;
	uint32_t first, count; /* of the items */
};

/*
 * All that ended from `from` to `to` of attributes that a kind takes, by attribute, and that of one by time; what
 * ended later than that, which is in the next window again; and what ended before, and was held.
 */
struct feed_window {
	histree_time from, to;
	const struct column_item *items;
	size_t item_count;
	uint64_t states;             /* that ended meanwhile, of whatever attributes */
	const struct feed_run *runs; /* by quark */
	size_t run_count;
	const struct histree_value *values;        /* of items that are listed */
	const struct histree_state_system *system; /* knows what goes on at its end */
};

/* The value of an item, whose bytes are borrowed from the window. */
static inline struct histree_value feed_value(const struct feed_window *window, const struct column_item *item)
{
	switch (column_item_kind(item)) {
	case ITEM_INT:
		return histree_int((int32_t)item->value);
	case ITEM_LISTED:
		return window->values[item->value];
	case ITEM_NULL:
		break;
	}
	return histree_null();
}

struct overview_feed_plan {
	const char *provider; /* of the history */
	histree_time start;
	const struct overview_options *options; /* what is not zero has to be so, too, when overviews are written */
	struct table_space *tables;             /* outlives the feed; NULL: all is in memory */
};

/* Have what the sink gets be fed, too.  The feed outlives the sink. */
enum histree_status overview_feed_create(const struct overview_feed_plan *plan, struct interval_sink *sink,
					 struct overview_feed **out, struct histree_error *error);

/* The system that fills the sink. */
void overview_feed_watch(struct overview_feed *feed, const struct histree_state_system *system);

/* Returns the maker of a kind that has all of the history, NULL: nobody has, and it is read. */
struct pyramid_maker *overview_feed_maker(struct overview_feed *feed, enum pyramid_id id);

/* Returns the owners, and what is kept of their rows; NULL: nobody has, and it is read. */
struct owner_feed *overview_feed_owners(struct overview_feed *feed);

/* NULL is fine. */
void overview_feed_free(struct overview_feed *feed);

#endif
