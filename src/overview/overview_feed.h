/* SPDX-License-Identifier: MIT */
/*
 * overview_feed.h - feeds the states of a history into pyramids (docs/design/05-pyramid.md).
 *
 * While a history is made, a feed stands in front of the sink of its state system.  An ended state goes into the
 * file as before, and to the cells of its attribute, if that is an owner (owner_feed.h).  States that the cube uses
 * also go into a window; a full window is sorted by attribute and given to the cube.  So nothing is read again when
 * the history is complete:
 *
 * 	overview_feed_create(&plan, &feed, &error);
 * 	overview_feed_stand_before(feed, &sink);
 * 	state_system_create(start, &sink, &system, &error);
 * 	overview_feed_watch(feed, histree_state_attributes(system), &system->ongoing);
 * 	...						// the system is closed
 * 	overviews_write(io, path, &options, feed, &error);
 * 	overview_feed_free(feed);
 *
 * Windows follow one another: a window has all states that ended in it, and does not change afterwards.  If it
 * does, because a state was corrected after the event, the cube is fed again.  A history whose leaves were made
 * elsewhere has not fed any pyramid, nor has one whose feed ran out of memory: a feed never makes a build fail.
 * Such a history is read when it is complete, and feeds its pyramids then (overview_replay.h).
 */
#ifndef OVERVIEW_OVERVIEW_FEED_H
#define OVERVIEW_OVERVIEW_FEED_H

#include "histree/history.h"
#include "node/column_builder.h"
#include "overview/overview_choice.h"
#include "overview/pyramid_maker.h"
#include "state/ongoing_states.h"
#include "state/pyramid.h"

/*
 * By enum pyramid_id; there is none for rows, whose levels are each made from the one below (overview_writer.c),
 * nor for names, which are not added up (fact_feed.h).
 */
extern const struct cell_kind *const cell_kinds[PYRAMIDS];

struct fact_feed;
struct overview_feed;
struct owner_feed;

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
	const struct feed_run *runs; /* one of each attribute */
	size_t run_count;
	const struct histree_value *values; /* of items that are listed */
	size_t value_count;
	const struct histree_attributes *attributes;
	const struct ongoing_states *ongoing; /* what goes on at its end */
	bool is_complete;                     /* the history is: nothing is corrected any more */
};

/* A kind that is there, and is to be made as it is: what is ready goes to who compares. */
struct feed_again {
	enum pyramid_id id;
	const struct pyramid_source *source;
	const struct pyramid *there;
	enum histree_status (*give)(void *context, const struct ready_states *ready, struct histree_error *error);
	void *context;
};

struct overview_feed_plan {
	const char *provider; /* of the history */
	histree_time start;
	const struct overview_options *options; /* what is not zero has to be so, too, when overviews are written */
	struct table_space *tables;             /* outlives the feed; NULL: all is in memory */
	struct table_space *of_attributes;      /* for what grows with these, until the history ends */
	bool is_complete;                       /* the history is there: nothing is corrected any more */
	unsigned kinds;                         /* 1 << enum pyramid_id: those that are fed; 0: all */
	const struct feed_again *again;         /* this one is, as it is; NULL: new ones are */
};

enum histree_status overview_feed_create(const struct overview_feed_plan *plan, struct overview_feed **out,
					 struct histree_error *error);

/* Have what the sink gets be fed, too.  The feed outlives the sink. */
void overview_feed_stand_before(struct overview_feed *feed, struct interval_sink *sink);

/* What attributes there are, and what goes on: who feeds has both, until all was fed. */
void overview_feed_watch(struct overview_feed *feed, const struct histree_attributes *attributes,
			 const struct ongoing_states *ongoing);
void overview_feed_forget_source(struct overview_feed *feed);

/* Whether the states of an attribute are needed; may be called at any time. */
bool overview_feed_takes(struct overview_feed *feed, histree_quark quark);

/* A state has ended; from here on, all that end are the last ones; that was all. */
void overview_feed_take(struct overview_feed *feed, const struct histree_interval *state);
void overview_feed_closing(struct overview_feed *feed, histree_time end);
void overview_feed_end(struct overview_feed *feed, histree_time end);

/* Returns the maker of a kind that has all of the history, NULL: nobody has. */
struct pyramid_maker *overview_feed_maker(struct overview_feed *feed, enum pyramid_id id);

/* Returns the owners, and what is kept of their rows; NULL: nobody has. */
struct owner_feed *overview_feed_owners(struct overview_feed *feed);

/* Returns what is kept of names, or that it was too much; NULL: nobody has all. */
struct fact_feed *overview_feed_facts(struct overview_feed *feed);

/* Whether something is left out because memory was out. */
bool overview_feed_lacks_memory(const struct overview_feed *feed);

/* NULL is fine. */
void overview_feed_free(struct overview_feed *feed);

#endif
