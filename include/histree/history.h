/* SPDX-License-Identifier: MIT */
/*
 * history.h - open a finished history file and look at it.
 *
 * A history is immutable: any number of threads may query one history at the same time, each with a
 * query (query.h) of its own.
 */
#ifndef HISTREE_HISTORY_H
#define HISTREE_HISTORY_H

#include "attributes.h"
#include "value.h"

struct histree_history;

struct histree_open_options {
	/*
	 * Node cache at most; 0 means 128 MiB.  Pinned nodes always fit: one a query.  Each overview (rows.h) has
	 * another 256th of it.
	 */
	size_t cache_bytes;
	/*
	 * Open it however damaged it is, as long as the header and the section TREE, or their copies, are there.
	 * Without its names, attributes are called ?0, ?1, ...; without its lives, what no node says is unknown
	 * rather than null.
	 */
	bool salvage;
	bool no_overviews; /* as if the history had none: rows and charts are made of its own states */
};

/* What the papers tabulate, and what a user asks first.  All from the file itself. */
#define HISTREE_KEY_RANGE_BUCKETS 20

struct histree_history_info {
	char variant[16];
	uint32_t r_depth; /* levels of an R-tree at the end of the build; 0 for variants without */
	uint32_t node_size, fan_out;
	char provider[64];
	uint32_t provider_version;
	uint32_t format_version;
	histree_time start, end;
	bool complete; /* false: it was being built when it was opened, and everything is exact up to `end` */
	uint64_t file_bytes;
	uint64_t node_count;
	uint32_t depth; /* nodes from root to the deepest leaf */
	uint64_t interval_count;
	uint64_t null_interval_count;
	uint32_t attribute_count;
	uint64_t node_bytes;             /* that nodes take in the file; a variant may cut them to what they use */
	uint64_t node_bytes_used;        /* the share of the two is the fill */
	uint64_t attribute_bytes;        /* of the section with the attribute tree */
	const uint64_t *nodes_at_height; /* `depth` of them, [0]: leaves; borrowed from the history */
	/*
	 * Nodes by the width of their key range, (greatest - smallest key of the intervals in it) as a share
	 * of all attributes, in equal buckets: figure 4.8 of the thesis.
	 */
	uint64_t key_range_nodes[HISTREE_KEY_RANGE_BUCKETS];
	/* Beside the file, and those only that can be used; 0 where none were to be opened. */
	uint32_t overview_count;
	uint64_t overview_bytes;
};

/* The caller owns *out and closes it.  Refuses a file it does not know with a sentence that says what to do. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_history_open(const char *path,
									const struct histree_open_options *options,
									struct histree_history **out,
									struct histree_error *error);

/* All queries on it must be freed before.  NULL is fine. */
HISTREE_API void histree_history_close(struct histree_history *history);

HISTREE_API const struct histree_history_info *histree_history_info(const struct histree_history *history);
HISTREE_API const struct histree_attributes *histree_history_attributes(const struct histree_history *history);

/*
 * Read every node and check every invariant: checksums, addresses, containment in time and key, order,
 * counts, and that each attribute is covered from start to end without gap or overlap, and found by its name.
 * So are its overviews, unless none were to be opened.  `report` is called with a sentence for each fault.  Returns
 * HISTREE_OK if there was none, HISTREE_ERR_FORMAT if there were some.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
		       void *context, struct histree_error *error);

/* A node of the tree on disk, for those who want to see its structure (thesis 3.1). */
struct histree_node {
	uint32_t number; /* its place in the file */
	uint32_t parent; /* HISTREE_NO_NODE: it is the root */
	uint32_t height; /* 0: a leaf; a child may be more than one lower than its parent */
	uint32_t child_count;
	histree_time start, end;        /* of what is in it and below it */
	histree_quark key_min, key_max; /* of the intervals in the node itself; key_min > key_max: it has none */
	uint32_t interval_count;
	uint32_t bytes_used, bytes; /* the share of the two is the fill */
	/*
	 * It cannot be read: no intervals and no bytes are told of it, its start and end are those that its parent
	 * knows of it, and its height is the least that it may have had.
	 */
	bool is_damaged;
};
#define HISTREE_NO_NODE UINT32_MAX

/*
 * Call `visit` for each node: depth first from the root, a parent before its children, those in the order of their
 * making.  It returns false to stop.  Every node is read, through the cache.
 *
 * Damaged nodes come too.  The children of one are known, but not whose they are: they come as children of the next
 * damaged node in the file that may have had some.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_nodes(struct histree_history *history,
		      bool (*visit)(void *context, const struct histree_node *node), void *context,
		      struct histree_error *error);

#endif
