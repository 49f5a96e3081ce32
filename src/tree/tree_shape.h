/* SPDX-License-Identifier: MIT */
/*
 * tree_shape.h - what a finished tree says of itself, the sections TREE and STAT; and the options of a tree,
 * checked and with every default filled in.
 *
 * TREE is what a reader needs; STAT is what the papers tabulate, counted while the tree was written.
 */
#ifndef TREE_TREE_SHAPE_H
#define TREE_TREE_SHAPE_H

#include "base/crew.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/state_system.h"
#include "store/block_file.h"
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

struct tree_shape {
	const struct tree_variant *variant;
	struct node_layout layout;
	uint32_t r_depth; /* at the end, fewer where the memory was too small for them; 0 without */
	uint32_t fan_out;
	uint32_t root; /* number of the root node: the last one */
	uint32_t node_count;
	uint32_t key_count; /* keys are below it */
	bool has_lifetimes; /* section LIFE: what it says is null is in no node */
	bool is_partial;    /* some intervals are in no node (state/partial_file.h) */
	histree_time start, end;
};

struct tree_statistics {
	uint64_t interval_count, null_count;
	uint64_t bytes_used;       /* of all nodes */
	uint64_t *nodes_at_height; /* [0]: leaves */
	size_t height_count, heights_capacity;
	uint32_t *key_ranges; /* greatest - smallest key of each node that has intervals; only while writing */
	size_t key_range_count, key_ranges_capacity;
	uint64_t key_range_nodes[HISTREE_KEY_RANGE_BUCKETS];
};

/* Count one node.  Returns HISTREE_ERR_MEMORY if memory is out. */
enum histree_status tree_statistics_count_node(struct tree_statistics *statistics, uint32_t height, uint32_t used,
					       histree_quark key_min, histree_quark key_max);

/* Sort the key ranges into buckets of equal width, now that the number of keys is known. */
void tree_statistics_finish(struct tree_statistics *statistics, uint32_t key_count);

/* Copy statistics.  Returns HISTREE_ERR_MEMORY if memory is out; `copy` is then empty. */
enum histree_status tree_statistics_copy(const struct tree_statistics *statistics, struct tree_statistics *copy);
void tree_statistics_release(struct tree_statistics *statistics);
enum histree_status tree_shape_write(const struct tree_shape *shape, struct block_file *file,
				     struct histree_error *error);
enum histree_status tree_shape_read(const struct block_file *file, struct tree_shape *out,
				    struct histree_error *error);
enum histree_status tree_statistics_write(const struct tree_statistics *statistics, struct block_file *file,
					  struct histree_error *error);
enum histree_status tree_statistics_read(const struct block_file *file, struct tree_statistics *out,
					 struct histree_error *error);

#endif
