/* SPDX-License-Identifier: MIT */
/*
 * tree_shape.h - the shape of a tree: the table of variants, what differs between them, and their options with
 * defaults.
 *
 * Insertion, descent, closing, caching and verification exist once, in the other files of this folder.  A
 * *variant* is a row of the table here; every test then runs on it too.  No other file asks which variant it has
 * before it.
 *
 * Which children a query visits is not a function here: bounds that a variant does not keep are read as the widest
 * possible (node.h), so that one rule, "the bounds meet the query", serves all.
 *
 * The sections TREE and STAT describe a finished tree.
 *
 * TREE has what a reader needs; STAT has what the papers tabulate, counted while the tree was written.
 */
#ifndef TREE_TREE_SHAPE_H
#define TREE_TREE_SHAPE_H

#include <stdbool.h>

#include "base/crew.h"
#include "base/table.h"
#include "histree/history.h"
#include "node/node.h"
#include "store/block_file.h"

/* What the depth of the next R-tree may depend on. */
struct variant_shape {
	uint32_t r_depth;        /* of the R-trees so far */
	uint32_t r_depth_asked;  /* the option of the user */
	uint32_t nodes_asked;    /* that a single query is to read at most; 0: no target */
	uint32_t height;         /* h: of the tree so far */
	uint32_t fan_out;        /* c */
	uint64_t key_count;      /* A: attributes so far */
	uint64_t node_intervals; /* n: intervals that a node holds on average */
};

/* What the leaves of a tree hold, and how. */
enum variant_leaves {
	LEAVES_OF_ROWS,
	LEAVES_OF_COLUMNS,
	LEAVES_OF_SEGMENTS,
};

/* What makes them: the open branch, a buffer, batches of columns, or the owner of the tree (leaf_sources.h). */
enum tree_leaf_source {
	SOURCE_BRANCH,
	SOURCE_R_TREES,
	SOURCE_CLUSTERS,
	SOURCE_ATTACHED,
};

struct tree_variant {
	const char *name; /* as in -t */
	uint32_t id;      /* in the file: never changed, never used again */
	const char *summary;

	uint32_t child_bounds; /* what a parent keeps of a child: enum node_child_bounds, combined by or */
	enum variant_leaves leaves;
	enum tree_leaf_source source; /* what makes them (leaf_sources.h) */
	histree_time end_max;         /* the last time at which a tree may end */

	/* Every file has the section LIFE (lifetimes.h); those of other variants have it if they need it. */
	bool has_lifetimes;
	bool leaves_out_nulls; /* before and after the lifetimes of keys, by default */

	/* Returns where a new branch starts that is made for an interval that starts at `start`. */
	histree_time (*branch_start)(histree_time start, histree_time tree_end);

	/* Returns the levels of the next R-tree.  NULL, and a default of 0: the variant has no R-trees. */
	uint32_t (*r_depth)(const struct variant_shape *shape);
	uint32_t r_depth_default;
	bool r_grows; /* the R-trees to come may be deeper than those so far */

	/* Defaults of options; 0: those of all variants. */
	uint32_t node_size_default, fan_out_default;
	size_t memory_default;

	/*
	 * The most threads for which a tree has work: the caller's, those of its source of leaves, and the
	 * inserter.
	 */
	uint32_t threads_max;

	/* Checks the rule of siblings: returns a sentence if it is broken, else NULL.  NULL: there is no rule. */
	const char *(*check_siblings)(const struct node_child *before, const struct node_child *after);
};

/* Every variant of a history, ended by NULL. */
extern const struct tree_variant *const tree_variants[];

/* The variant of segment stores.  No history has it. */
extern const struct tree_variant variant_segments;

/* Returns the variant of a history with this name, or NULL if there is no such variant. */
const struct tree_variant *tree_variant_by_name(const char *name);

/* Returns the variant of a history or of segment stores with this id, or NULL if there is no such variant. */
const struct tree_variant *tree_variant_by_id(uint32_t id);

/* Returns what nodes of a tree look like; see node_layout(). */
struct node_layout tree_variant_layout(const struct tree_variant *variant, uint32_t node_size, uint32_t fan_out);

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

/* Count one node.  Returns HISTREE_ERR_MEMORY if memory runs out. */
enum histree_status tree_statistics_count_node(struct tree_statistics *statistics, uint32_t height, uint32_t used,
					       histree_quark key_min, histree_quark key_max);

/* Sort the key ranges into buckets of equal width, now that the number of keys is known. */
void tree_statistics_finish(struct tree_statistics *statistics, uint32_t key_count);

/* Copy statistics.  Returns HISTREE_ERR_MEMORY if memory runs out; `copy` is then empty. */
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
