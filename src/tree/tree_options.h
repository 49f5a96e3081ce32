/* SPDX-License-Identifier: MIT */
/*
 * tree_options.h - the options of a tree, checked and with every default filled in.
 */
#ifndef TREE_TREE_OPTIONS_H
#define TREE_TREE_OPTIONS_H

#include "base/crew.h"
#include "base/table.h"
#include "histree/state_system.h"
#include "tree/variant.h"

struct tree_options {
	struct crew *crew;          /* that does what the caller need not; NULL: with threads, one of its own */
	struct table_space *tables; /* for what grows with the keys; NULL: it is in memory */
	const struct tree_variant *variant;
	uint32_t r_depth; /* levels of R-trees, or the most that they may have; 0: the variant has no R-trees */
	uint32_t r_nodes; /* that a single query is to read at most, of a variant whose r grows; 0: no target */
	uint32_t node_size;
	uint32_t fan_out; /* as asked for; no more than half a node ever goes to the table of children */
	size_t memory_max;
	bool leaves_out_nulls; /* before the first and after the last state of a key: lifetimes.h */
	uint32_t threads;      /* to have work for; 1: the caller's alone; the most of the variant: one inserts */
	enum histree_preference prefer;
	histree_time start;
};

/*
 * Returns how many threads a tree is to use that is built by `build_threads` threads: as many as its options say,
 * else no more than its variant has work for.
 */
uint32_t tree_options_threads(const struct histree_tree_options *asked, uint32_t threads);

/* Returns HISTREE_ERR_ARGUMENT if an option is wrong; the error says which, and what it may be. */
enum histree_status tree_options_resolve(const struct histree_tree_options *asked, histree_time start,
					 struct tree_options *out, struct histree_error *error);

#endif
