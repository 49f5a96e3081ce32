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
	uint32_t width_log2;  /* of its cells; OVERVIEW_NO_WIDTH: it is read for others, and has none */
	uint64_t ns;          /* how long its lifetime is, in the first overview */
	uint64_t read;        /* states in what is read */
	uint64_t states;      /* in the overview */
};

#define OVERVIEW_NO_WIDTH UINT32_MAX
#define OVERVIEW_NOT_OF_OTHER UINT32_MAX

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

/*
 * Chooses for the first overview once more, of fewer cells, which are made of those that another choice had: cells
 * are counted from one origin, so each of the new ones holds whole ones of these.
 */
enum histree_status overview_choice_again(struct overview_choice *choice, const struct overview_options *options,
					  const struct histree_history_info *of, const struct state_counts *counts,
					  const struct overview_choice *before, struct histree_error *error);

/* Chooses of the history with other options, and no attribute that another choice of it does not have. */
enum histree_status overview_choice_coarser(struct overview_choice *choice, const struct overview_options *options,
					    const struct histree_history_info *of,
					    const struct state_counts *counts, const struct overview_choice *before,
					    struct histree_error *error);

/* Reads what another choice does, too. */
enum histree_status overview_choice_join(struct overview_choice *choice, const struct overview_choice *other,
					 struct histree_error *error);

/*
 * Says which of the attributes of another choice, that was joined, each is, or OVERVIEW_NOT_OF_OTHER; the array is
 * the caller's to free.
 */
enum histree_status overview_choice_places(const struct overview_choice *choice,
					   const struct overview_choice *other, uint32_t **places,
					   struct histree_error *error);

enum histree_status overview_choice_copy(struct overview_choice *choice, const struct overview_choice *from,
					 struct histree_error *error);

/* Chooses for the next overview, which is of the one that was just made and has longer cells. */
void overview_choice_of_overview(struct overview_choice *choice, const struct overview_options *options);

/* Returns the index of an attribute that is read; `near` is that of the one before. */
uint32_t overview_choice_find(const struct overview_choice *choice, histree_quark source, uint32_t near);

void overview_choice_release(struct overview_choice *choice);

#endif
