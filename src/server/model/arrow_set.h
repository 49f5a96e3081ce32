/* SPDX-License-Identifier: MIT */
/*
 * arrow_set.h - the arrows of a chart, from as many sources as it has: one for each host.
 *
 * Together they have as many arrows as one source would give: each has its share of the pixels, since what is
 * thinned is thinned to what a chart can show.
 */
#ifndef SERVER_MODEL_ARROW_SET_H
#define SERVER_MODEL_ARROW_SET_H

#include "server/model/arrow_model.h"

struct arrow_part {
	struct arrow_source source;
	struct histree_arrows *arrows; /* NULL: none of the range */
	const struct histree_arrow *list;
	size_t count;
};

struct arrow_set {
	struct arrow_part *parts;
	size_t count;
	bool are_all;
};

/* Gives the sources in turn, as struct row_model does; returns false if there are no more. */
typedef bool arrow_next(const void *view, size_t index, struct arrow_source *out);

/* Where arrows come from, and which of it is asked for; a zeroed one has none. */
struct arrow_asked {
	arrow_next *next; /* NULL: there are none */
	const void *view;
	bool (*wants)(const void *context, const struct arrow_source *source); /* NULL: all */
	const void *context;
};

/* Makes the arrows of a range; release the set even after failure. */
enum histree_status arrow_set_make(struct arrow_set *set, const struct arrow_asked *asked,
				   const struct arrow_range *range, struct histree_error *error);
void arrow_set_release(struct arrow_set *set);

#endif
