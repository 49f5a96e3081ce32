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
 * A *leaf source* is where the leaves of a tree that is being written come from: a table of functions for each.
 *
 * The writer gives every interval to the source of its variant.  The source makes leaves of them and hangs these
 * below the open branch (tree_writer.h); what else it keeps between the two is known to it alone.  A source that
 * has a task of the crew's may use the branch in it until wait() or finish() returns.  So the writer
 * itself does not touch the branch in between.
 *
 * The sections TREE and STAT are what a finished tree says of itself.
 *
 * TREE is what a reader needs; STAT is what the papers tabulate, counted while the tree was written.
 */
#ifndef TREE_TREE_SHAPE_H
#define TREE_TREE_SHAPE_H

#include <stdbool.h>

#include "base/crew.h"
#include "base/table.h"
#include "histree/history.h"
#include "node/node.h"
#include "store/block_file.h"

struct leaf_source;

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

struct tree_variant {
	const char *name; /* as in -t */
	uint32_t id;      /* in the file: never changed, never used again */
	const char *summary;

	uint32_t child_bounds; /* what a parent keeps of a child: enum node_child_bounds, combined by or */
	enum variant_leaves leaves;
	const struct leaf_source *source; /* what makes them (tree_shape.h) */
	histree_time end_max;             /* the last time at which a tree may end */

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

struct block_file;
struct leaf_pack;
struct tree_branch;
struct tree_shape;

struct leaf_source {
	uint32_t key_limit; /* keys of intervals are below it; 0: no intervals are added */

	/* Open the branch, and make what the source keeps: `*out`, which is NULL after an error. */
	enum histree_status (*create)(struct tree_branch *branch, const struct tree_options *options, void **out,
				      struct histree_error *error);

	/* Take intervals that the tree accepts.  The bytes of their values are copied. */
	enum histree_status (*add)(void *leaves, const struct histree_interval *intervals, size_t count,
				   struct histree_error *error);

	/*
	 * Learn of an interval that is in no leaf, but counts for lifetimes.  NULL: the source has no lifetimes.
	 * Fails with HISTREE_ERR_MEMORY only.
	 */
	enum histree_status (*count)(void *leaves, const struct histree_interval *interval);

	/* Hint that intervals which end at `end` are the last of their keys.  NULL: it makes no difference. */
	void (*close_at)(void *leaves, histree_time end);

	/*
	 * Wait until no task of the source's own is at work; returns the error of that task.  NULL: the source
	 * has no tasks.
	 */
	enum histree_status (*wait)(void *leaves, struct histree_error *error);

	/*
	 * Copy what a source that was waited for keeps, for a copy of its branch.  It may lend the copy what it
	 * buffers: until the copy is freed, nothing may be added to it.  Fails with HISTREE_ERR_MEMORY only.
	 */
	enum histree_status (*copy)(const void *leaves, struct tree_branch *branch, void **out);

	/*
	 * Begin a pack (leaf_pack.h) that keeps `kept_max` bytes, and hang the leaves of one below the branch.
	 * NULL: the source has no packs.
	 */
	enum histree_status (*begin_pack)(void *leaves, const struct tree_options *options, size_t kept_max,
					  struct leaf_pack **out, struct histree_error *error);
	enum histree_status (*take_pack)(void *leaves, const struct leaf_pack *pack, struct histree_error *error);

	/* Write all that is left and close the branch at `end`.  Fills in the root and the depth of R-trees. */
	enum histree_status (*finish)(void *leaves, histree_time end, struct tree_shape *shape,
				      struct histree_error *error);

	/* Write a section of the source's own, after the tree was finished.  NULL: the source has no section. */
	enum histree_status (*write_section)(void *leaves, const struct tree_shape *shape, struct block_file *file,
					     struct histree_error *error);

	/* `leaves` may be NULL. */
	void (*free)(void *leaves);
};

/* The lowest nodes of the branch are the leaves: intervals go into the branch (tree_writer.h). */
extern const struct leaf_source leaves_of_branch;

/* R-trees, each made from a full buffer; what starts before the buffer goes into the branch (leaf_sources.c). */
extern const struct leaf_source leaves_of_r_trees;

/* Leaves of columns, made in batches that are clustered by time and key (leaf_pack.h). */
extern const struct leaf_source leaves_of_clusters;

/* Leaves that the owner of the writer makes, see tree_writer_attach(): nothing is between them and the branch. */
extern const struct leaf_source leaves_attached;

#endif
