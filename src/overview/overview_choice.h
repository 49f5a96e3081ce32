/* SPDX-License-Identifier: MIT */
/*
 * overview_choice.h - the choice of the attributes of a level of rows and the length of its cells, and how much
 * time and space pyramids may take (docs/design/05-pyramid.md).
 *
 * The states of the attributes that have cells were counted.  A level of rows is chosen by these counts and by the
 * options, which determine how fine it is; coarser ones are tried until it is likely to fit.
 */
#ifndef OVERVIEW_OVERVIEW_CHOICE_H
#define OVERVIEW_OVERVIEW_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "histree/history.h"
#include "histree/states.h"
#include "histree/status.h"
#include "histree/value.h"

struct overview_progress {
	bool (*go_on)(void *context, double share); /* see struct overview_options; may be NULL */
	void *context;
	unsigned steps; /* that are done: feeding, and levels */
};

/* Reports the share of the current part that is done.  Returns HISTREE_ERR_CANCELLED after a cancel. */
enum histree_status overview_progress_show(const struct overview_progress *progress, double share,
					   struct histree_error *error);

struct crew;

/* Zero means the default. */
struct overview_options {
	uint64_t history_states_min;  /* a history with fewer gets no overview; 1 Mi */
	uint32_t states_min;          /* of an attribute that goes into an overview; 1,024 */
	uint32_t states_in_cell;      /* of the first overview, on average; 64 */
	uint32_t states_in_window;    /* of the cube, at most; 128 Ki, or as many as `memory_max` lets */
	uint32_t cells_min;           /* over the lifetime of an attribute, in the first overview; 8,192 */
	uint32_t cells_least;         /* with fewer, an overview is not worth its bytes; 2,048 */
	uint32_t percent_max;         /* of the history's bytes, that all cells have at most; 15 */
	uint32_t numbers_percent_max; /* that the number overview has at most; 4 */
	uint32_t number_states_min;   /* of an attribute that goes into it; 4,096 */
	uint32_t number_states_log2;  /* of a summary, at least; 6 */
	uint32_t sums_percent_max;    /* that the overview of sums has at most; 3 */
	uint32_t sum_states_min;      /* of an attribute that goes into it; 256 */
	uint32_t cube_percent_max;    /* that the cube has at most; 2 */
	uint32_t names_percent_max;   /* that names of threads have at most, besides; 5 */
	uint32_t few_states_max;      /* of a status that is in the file of names; 1024 */
	uint32_t cost_max_share; /* of the history's states, the first overview has a tenth at most, about; 10 */
	/* Of the rows that are kept while a history is made, about: 2 Mi different ones, or what tables let. */
	uint32_t values_max;
	size_t memory_max; /* of the buffers of one, as in struct histree_tree_options */
	uint32_t threads;  /* that they have work for */
	/* One thread fewer than `threads`, as the caller is one; NULL: with threads, a crew of its own */
	struct crew *crew;
	/* Asked now and then, with the share that is done, 0 to 1; false: HISTREE_ERR_CANCELLED.  May be NULL. */
	bool (*go_on)(void *context, double share);
	void *context;
};

/* Returns the options with defaults instead of zeros; NULL: all of them are. */
struct overview_options overview_options_complete(const struct overview_options *asked);

/*
 * Chooses fewer cells: as many as make `bytes` of overviews into `bytes_max`, or half as many if `bytes` is 0.
 * Returns false if they are too few to be of use.
 */
bool overview_options_coarser(struct overview_options *options, uint64_t bytes_max, uint64_t bytes);

/* Returns how many states an attribute with `states` states may have in a level of rows. */
uint64_t overview_options_cost(const struct overview_options *options, uint64_t states);

/* Returns the width of cells, as a power of two, of an attribute with `states` states in a life of so long. */
unsigned overview_options_width(const struct overview_options *options, uint64_t ns, uint64_t states);

enum { HAS_NUMBER = 1, HAS_CUSTOM = 2 };

/* A zeroed one is empty; five bytes an attribute, in files where these are many (base/table.h). */
struct state_counts {
	uint32_t *states; /* by quark; UINT32_MAX: this many or more */
	uint8_t *kinds;   /* what is among them */
	uint32_t attribute_count;
	struct table_space space; /* of the tables that these are: it stays where it is */
	struct table of_states, of_kinds;
};

/* A pass through all attributes calls this on the way, so that pages of the tables are released. */
static inline void state_counts_pass(const struct state_counts *counts, histree_quark quark)
{
	enum { ATTRIBUTES_PER_LOOK = 1 << 18 };
	if (quark % ATTRIBUTES_PER_LOOK == 0)
		table_space_look(counts->of_states.space);
}

/* The kind of a value. */
unsigned state_counts_kind(const struct histree_value *value);

/* All attributes have no states, until who counted them says how many. */
enum histree_status state_counts_begin(struct state_counts *counts, const char *path, uint32_t attribute_count,
				       size_t memory_max, struct histree_error *error);

void state_counts_release(struct state_counts *counts);

/* An attribute of the history that goes into the level being made. */
struct condensed {
	histree_quark quark; /* in the history */
	histree_quark own;   /* in the level */
	uint32_t width_log2; /* of its cells */
	uint64_t ns;         /* how long its lifetime is, in the first level */
	uint64_t read;       /* number of states in the input of the level: the history, or the level below */
	uint64_t states;     /* in the level */
};

/* A zeroed one is empty. */
struct overview_choice {
	struct condensed *condensed; /* by `quark` */
	uint32_t count;
	size_t capacity;
	uint64_t states; /* that these have in what is read */
};

/* Chooses for the first overview, which is of the history itself; the choice before is forgotten. */
enum histree_status overview_choice_of_history(struct overview_choice *choice,
					       const struct overview_options *options, struct histree_cursor *query,
					       const struct state_counts *counts, struct histree_error *error);

/* Chooses of the history with other options, and no attribute that another choice of it does not have. */
enum histree_status overview_choice_coarser(struct overview_choice *choice, const struct overview_options *options,
					    const struct histree_history_info *of,
					    const struct state_counts *counts, const struct overview_choice *before,
					    struct histree_error *error);

enum histree_status overview_choice_copy(struct overview_choice *choice, const struct overview_choice *from,
					 struct histree_error *error);

/* Chooses for the next level, which is made of the one before and has longer cells. */
void overview_choice_of_overview(struct overview_choice *choice, const struct overview_options *options);

void overview_choice_release(struct overview_choice *choice);

#endif
