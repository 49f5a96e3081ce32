/* SPDX-License-Identifier: MIT */
/*
 * state_tags.h - which states a client wants to see less of, or not at all: `filter_query_parameters`.
 */
#ifndef SERVER_TSP_STATE_TAGS_H
#define SERVER_TSP_STATE_TAGS_H

#include "server/http/call.h"
#include "server/model/state_filter.h"

/* Bits of `tags`: what does not match the search box, and what does not match the filters. */
enum { STATE_DIMMED = 1, STATE_EXCLUDED = 4 };

/* Zeroed: all are wanted. */
struct state_tags {
	struct state_filter *search, *filter; /* NULL: none */
	struct state_filter *both;            /* what a deep search looks for; NULL: it is a sampled one */
};

/* Reads which states are wanted; returns false if it has answered with 400 instead. */
bool state_tags_read(const struct call *call, const struct state_kind *kind, histree_time start, histree_time end,
		     struct state_tags *out);
void state_tags_release(struct state_tags *tags);

unsigned state_tags_of(const struct state_tags *tags, const struct state_owner *owner,
		       const struct histree_interval *state);

#endif
