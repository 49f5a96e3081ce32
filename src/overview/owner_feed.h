/* SPDX-License-Identifier: MIT */
/*
 * owner_feed.h - attributes of a history while it is made: those that have many states own cells of each kind that
 * is fed owner by owner (docs/design/05-pyramid.md).
 *
 * An attribute is young until it has enough states to be chosen.  The states of all young attributes are kept
 * together; those of one attribute are chained.  When it becomes an owner, its cells get these states, and from
 * then on each state as it ends.  When there are too many young states, frequent attributes become owners at once,
 * and all others are dropped for good: they will have no cells.  So memory is bounded, and the cells of an owner
 * cover all of its states, from the first on.
 *
 * States of an attribute come in the order of time, except for those that were not decided when they ended, which
 * come late: states that follow on a gap wait for it to be filled.
 */
#ifndef OVERVIEW_OWNER_FEED_H
#define OVERVIEW_OWNER_FEED_H

#include "base/table.h"
#include "histree/value.h"
#include "node/column_builder.h"
#include "overview/overview_choice.h"
#include "overview/pyramid_maker.h"
#include "overview/row_feed.h"
#include "query/value_table.h"

struct fed_attribute;
struct young_state;

struct fed_owner {
	histree_quark quark;
	histree_time next; /* all up to here was added */
	uint32_t states;
	uint8_t kinds;
	bool is_complete;            /* at the end: that is all of the history */
	struct column_item *waiting; /* behind a gap, by time */
	size_t waiting_count, waiting_first, waiting_capacity;
};

/* A zeroed one takes nothing. */
struct owner_feed {
	struct pyramid_maker *makers;        /* by enum pyramid_id, those of other kinds among them */
	struct pyramid_maker *fed[PYRAMIDS]; /* those that are fed owner by owner, */
	unsigned fed_count;
	struct row_feed rows; /* of the same owners, */
	bool keeps_rows;      /* if they are wanted */
	bool lacks_memory;    /* a kind was left out for that */
	bool lacks_states;    /* of some owner that waited too long: no kind is of use */
	bool are_given;       /* owners are those of a pyramid that is there, and no others */
	histree_time start;
	size_t cells_max;      /* of a kind, whatever the file has room for */
	uint32_t owner_states; /* that make an owner */
	uint64_t states;       /* so far */

	struct fed_attribute *attributes; /* by quark */
	size_t attribute_count, attributes_capacity;
	struct table of_attributes;
	struct young_state *young;
	size_t young_count, young_capacity, young_max;
	struct table of_young;
	struct value_table young_values, waiting_values; /* that are no ints */

	struct fed_owner *owners; /* by place, as in the makers */
	size_t owner_count, owners_capacity;
	struct column_item *first; /* states of one that becomes an owner */
	size_t first_capacity;
};

/*
 * `makers` outlive it; tables are in `tables`, but what is kept of rows in `kept`.  Owners are given if a maker has
 * them already.
 */
enum histree_status owner_feed_begin(struct owner_feed *feed, struct pyramid_maker *makers, histree_time start,
				     const struct overview_options *options, bool keeps_rows,
				     struct table_space *tables, struct table_space *kept,
				     struct histree_error *error);

/* Whether it takes the states of an attribute. */
bool owner_feed_takes(const struct owner_feed *feed, histree_quark quark);

/* Take a state that has ended.  Returns false without memory: cells are then of no use. */
bool owner_feed_take(struct owner_feed *feed, const struct histree_interval *state);

/* All states were taken, up to the end of the history; tables may go then. */
bool owner_feed_end(struct owner_feed *feed, histree_time end);
void owner_feed_release_tables(struct owner_feed *feed);

/* Say how many states owners have that have all of them; of all others, none. */
enum histree_status owner_feed_counts(const struct owner_feed *feed, struct state_counts *counts, const char *path,
				      uint32_t attribute_count, size_t memory_max, struct histree_error *error);
void owner_feed_release(struct owner_feed *feed);

#endif
