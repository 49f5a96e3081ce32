/* SPDX-License-Identifier: MIT */
/*
 * fact_feed.h - what the threads of a kernel are called and whose they are, kept while a history is made, and
 * written beside it (docs/design/05-pyramid.md).
 *
 * These are few of all states, and each is kept as it is.  Where they are not few, they are forgotten: to read the
 * whole history costs little more then.
 */
#ifndef OVERVIEW_FACT_FEED_H
#define OVERVIEW_FACT_FEED_H

#include "base/io.h"
#include "base/table.h"
#include "histree/history.h"
#include "node/column_builder.h"
#include "overview/overview_choice.h"
#include "query/range_sums.h"
#include "state/attributes.h"

/* A zeroed one takes nothing. */
struct fact_feed {
	bool is_wanted;
	bool are_of_no_use; /* there were too many, or too long ones: they were forgotten */
	struct attribute_range near;
	struct column_item *items;
	size_t count, capacity;
	struct table of_items;
	struct value_table values; /* of items that are listed */
};

/* What is kept is in `tables`. */
enum histree_status fact_feed_begin(struct fact_feed *feed, const char *provider, struct table_space *tables,
				    struct histree_error *error);

/* Whether it takes the states of an attribute, which is asked once. */
bool fact_feed_takes(struct fact_feed *feed, const struct histree_attributes *attributes, histree_quark quark);

/* Take a state that has ended, as one of `states`.  Returns false without memory. */
bool fact_feed_take(struct fact_feed *feed, const struct histree_interval *state, uint64_t states);

/*
 * Write the file at a path, which is beside the history, of `bytes_max` bytes at most.  *bytes is its size; 0:
 * there is no file.
 */
enum histree_status fact_feed_write(struct fact_feed *feed, const struct io *io, const char *path,
				    const struct histree_history *history, const struct overview_options *options,
				    uint64_t bytes_max, uint64_t *bytes, struct histree_error *error);
void fact_feed_release(struct fact_feed *feed);

#endif
