/* SPDX-License-Identifier: MIT */
/*
 * overview_case.h - small histories that have overviews all the same, and how long each value lasted by a plain
 * array.
 */
#ifndef PROPERTY_OVERVIEW_CASE_H
#define PROPERTY_OVERVIEW_CASE_H

#include "overview/overview_choice.h"
#include "overview/row_pyramid.h"
#include "overview/overview_writer.h"
#include "state/pyramid.h"
#include "support/reference.h"
#include "support/workload.h"

/* Thresholds that a history of a few hundred states meets. */
struct overview_options overview_case_options(struct random *random);

/* Several threads; now and then so few bytes that a first overview is made again, of the one that is there. */
void overview_case_vary(struct overview_options *options, struct random *random);

/* Attributes of ints have few, some, or many values, and all of them int 0 now and then. */
void overview_case_choose_values(struct workload *workload);

/* Int 0, null, unknown: what is never put to the rest. */
bool value_is_idle(const struct histree_value *value);

/*
 * ---- the states of an overview, as an array
 * ---------------------------------------------------------------------
 */

struct kept_states {
	struct reference states;
	struct arena bytes;
};

bool kept_states_read(struct kept_states *kept, struct histree_history *history);
void kept_states_release(struct kept_states *kept);

/*
 * ---- how long each value lasted
 * ---------------------------------------------------------------------------------
 */

enum { SHARES_MAX = 4096 };

struct shares {
	size_t count;
	struct {
		const struct histree_value *value;
		uint64_t ns;
	} shares[SHARES_MAX];
};

void shares_of(struct shares *shares, const struct reference *reference, histree_quark quark, histree_time from,
	       histree_time to);
uint64_t shares_find(const struct shares *shares, const struct histree_value *value);
uint64_t shares_most(const struct shares *shares);
uint64_t shares_sum(const struct shares *shares);

/* No more than a cell keeps, so that there is no rest. */
bool attribute_has_few_values(const struct reference *reference, histree_quark quark);

/* One of those that are likely to have many states: whose a random state is. */
histree_quark reference_busiest(const struct reference *reference, struct random *random);

#endif
