/* SPDX-License-Identifier: MIT */
/*
 * overview_choice.h - which attributes go into an overview, and how long their cells are.
 */
#ifndef OVERVIEW_OVERVIEW_CHOICE_H
#define OVERVIEW_OVERVIEW_CHOICE_H

#include "histree/query.h"
#include "overview/overview_options.h"
#include "overview/state_counts.h"

/* An attribute of the history being read that goes into the overview being made. */
struct condensed {
	histree_quark source; /* in what is read */
	histree_quark quark;  /* in the history that has the overviews */
	histree_quark own;    /* in the overview */
	uint32_t width_log2;
	uint64_t states; /* in the overview */
};

/* A zeroed one is empty. */
struct overview_choice {
	struct condensed *condensed; /* by `source` */
	uint32_t count;
	size_t capacity;
	uint64_t states; /* that these have in what is read */
};

/* Chooses for the first overview, which is of the history itself; what was chosen before is forgotten. */
enum histree_status overview_choice_of_history(struct overview_choice *choice,
					       const struct overview_options *options, struct histree_query *query,
					       const struct state_counts *counts, struct histree_error *error);

/* Chooses for the next overview, which is of the one that was just made and has longer cells. */
void overview_choice_of_overview(struct overview_choice *choice, const struct overview_options *options);

/* Returns the index of an attribute that is read; `near` is that of the one before. */
uint32_t overview_choice_find(const struct overview_choice *choice, histree_quark source, uint32_t near);

void overview_choice_release(struct overview_choice *choice);

#endif
