/* SPDX-License-Identifier: MIT */
/*
 * fact_feed.h - what the threads of a kernel are called and whose they are, and what those did that did little,
 * kept while a history is made, and written beside it (docs/design/05-pyramid.md).
 *
 * These are few of all states, and each is kept as it is.  Where they are not few, they are forgotten, what threads
 * did before what they are called: to read the whole history costs little more then.
 */
#ifndef OVERVIEW_FACT_FEED_H
#define OVERVIEW_FACT_FEED_H

#include "base/io.h"
#include "base/table.h"
#include "histree/history.h"
#include "node/column_builder.h"
#include "overview/overview_choice.h"
#include "query/thread_pieces.h"
#include "query/value_table.h"
#include "state/attributes.h"

/* A zeroed one takes nothing. */
struct fact_feed {
	bool is_wanted;
	bool are_of_no_use; /* there were too many, or too long ones: they were forgotten */
	struct attribute_range near;
	uint32_t few; /* a status with more states than that is not kept */
	struct column_item *items;
	size_t count, capacity;
	size_t names;   /* of them are of no status */
	size_t stale;   /* of them are of statuses with too many */
	uint16_t *seen; /* by quark: states of a status, until they are too many */
	size_t seen_count, seen_capacity;
	struct table of_items, of_seen;
	struct value_table values; /* of items that are listed */
};

/* What is kept is in `tables`: of a status, up to `few_max` states. */
enum histree_status fact_feed_begin(struct fact_feed *feed, const char *provider, uint32_t few_max,
				    struct table_space *tables, struct histree_error *error);

/* Which states of an attribute it takes, THREAD_FACT_COUNT: none.  That is asked once. */
enum thread_fact fact_feed_takes(struct fact_feed *feed, const struct histree_attributes *attributes,
				 histree_quark quark);

/* Take a state of a status, or of another fact, that has ended, as one of `states`.  False without memory. */
bool fact_feed_take(struct fact_feed *feed, const struct histree_interval *state, bool is_status, uint64_t states);

/*
 * Write the file at a path, which is beside the history, of `bytes_max` bytes at most.  *bytes is its size; 0:
 * there is no file.
 */
enum histree_status fact_feed_write(struct fact_feed *feed, const struct io *io, const char *path,
				    const struct histree_history *history, const struct overview_options *options,
				    uint64_t bytes_max, uint64_t *bytes, struct histree_error *error);
void fact_feed_release(struct fact_feed *feed);

#endif
