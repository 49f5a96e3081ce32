/* SPDX-License-Identifier: MIT */
/*
 * reference.h - the oracle of every tree: an array of intervals, searched from its beginning to its end.
 */
#ifndef SUPPORT_REFERENCE_H
#define SUPPORT_REFERENCE_H

#include "base/hash_index.h"
#include "histree/states.h"
#include "histree/value.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"

/* Constant once made: any number of threads may ask, each with its own `struct answer`. */
struct reference {
	struct histree_interval *sorted; /* by (quark, start); values borrowed from whoever made them */
	size_t count;
	histree_time start, end;
	uint32_t key_count;
};

/* The intervals are copied, their values are not.  False when memory is out. */
bool reference_make(struct reference *reference, const struct histree_interval *intervals, size_t count,
		    histree_time start, histree_time end, uint32_t key_count);
void reference_release(struct reference *reference);

/* The attribute's interval at `t`; NULL if there is none. */
const struct histree_interval *reference_at(const struct reference *reference, histree_quark quark, histree_time t);

/* Whatever can be asked: an iterator of a tree, or a query of the public interface. */
struct subject {
	void *query;
	enum histree_status (*start)(void *query, const struct histree_region *region, struct histree_error *error);
	enum histree_status (*next)(void *query, struct histree_interval *out, struct histree_error *error);
	struct tree_counts (*stats)(const void *query);
	uint64_t node_count;
};

/* Of one thread. */
struct answer {
	uint8_t *seen;   /* by index of `sorted` */
	uint8_t *wanted; /* by quark */
	char fault[320];
};

bool answer_make(struct answer *answer, const struct reference *reference);
void answer_release(struct answer *answer);

/*
 * Ask for a region and compare, interval by interval.  `most` > 0: stop after so many and start no new query.
 * NULL if all is as it should be, else what is not.
 */
const char *reference_compare(const struct reference *reference, struct answer *answer,
			      const struct subject *subject, const struct histree_region *region, size_t most);

/* A region that can be asked for: some attributes or all, one time, a range, or a list of times. */
enum { REGION_QUARKS_MAX = 400, REGION_TIMES_MAX = 12 };

struct region_room {
	histree_quark quarks[REGION_QUARKS_MAX];
	histree_time times[REGION_TIMES_MAX];
};

/* `room` has its lists. */
struct histree_region reference_region(const struct reference *reference, struct random *random,
				       struct region_room *room);

/* The same for `count` regions of every kind, some of them stopped early. */
const char *reference_compare_many(const struct reference *reference, struct answer *answer,
				   const struct subject *subject, struct random *random, unsigned count);

#endif
