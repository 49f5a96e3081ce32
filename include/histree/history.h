/* SPDX-License-Identifier: MIT */
/*
 * history.h - open a history file, ask what it is, and check it.
 *
 * An open history never changes.  Any number of threads may query it at the same time, each with a query (query.h)
 * of its own.
 */
#ifndef HISTREE_HISTORY_H
#define HISTREE_HISTORY_H

#include "attributes.h"
#include "value.h"

struct histree_history;

struct histree_open_options {
	/*
	 * Size of the node cache; 0 means 128 MiB.  Each query pins one node, and pinned nodes always fit.  Each
	 * overview (rows.h) has a cache of its own, a 256th of this size.
	 */
	size_t cache_bytes;
	/*
	 * Open the file however damaged it is, as long as its header and the section TREE, or their copies, can
	 * be read.  If the names are lost, attributes are called ?0, ?1, ...; if the lifetimes are lost, times
	 * that no node covers are unknown rather than null.
	 */
	bool salvage;
	bool no_overviews; /* make rows and charts from the states of the history itself */
};

#define HISTREE_KEY_RANGE_BUCKETS 20

/*
 * What the papers tabulate, and what a user asks first; all of it is in the file.  For several hosts, counts and
 * bytes are sums and `depth` is the greatest; where hosts differ, `variant` and `provider` are "mixed", and other
 * properties of a file are 0.
 */
struct histree_history_info {
	char variant[16];
	uint32_t r_depth; /* levels of an R-tree at the end of the build; 0 for variants without R-trees */
	uint32_t node_size, fan_out;
	char provider[64];
	uint32_t provider_version;
	uint32_t format_version;
	/* Identifies the content (histree-format(5)); no other file has that of an incomplete one. */
	uint64_t identity;
	histree_time start, end;
	bool complete; /* false if it was being built when it was opened; even then it is exact up to `end` */
	uint64_t file_bytes;
	uint64_t node_count;
	uint32_t depth; /* number of nodes from the root to the deepest leaf */
	uint64_t interval_count;
	uint64_t null_interval_count;
	uint32_t attribute_count;
	uint32_t folder_count;    /* attributes among them that were declared to have no states */
	bool has_lifetimes;       /* a table of first and last times stands for nulls at the ends */
	uint64_t node_bytes;      /* size of all nodes in the file; a variant may cut nodes to what they use */
	uint64_t node_bytes_used; /* divided by node_bytes, the fill */
	uint64_t attribute_bytes; /* size of the section that holds the attribute tree */
	const uint64_t *nodes_at_height; /* `depth` numbers, that of leaves first; borrowed from the history */
	/*
	 * How many nodes have ranges of keys of which width: the greatest less the smallest key of a node's
	 * intervals, as a share of all attributes, in equal buckets (thesis, figure 4.8).
	 */
	uint64_t key_range_nodes[HISTREE_KEY_RANGE_BUCKETS];
	/*
	 * The file has only those intervals that were going on at one of its checkpoints; interval_count counts
	 * all.  The others are made again from the trace, which the store names: such a history answers if it was
	 * opened by histree_store_history().
	 */
	bool partial;
	uint64_t checkpoint_count, checkpoint_bytes; /* bytes: of what the checkpoints keep */
	/* The overviews beside the file that can be used; 0 if the caller asked for none. */
	uint32_t overview_count;
	uint64_t overview_bytes;
};

/* ---- of one host ------------------------------------------------------------------------------------------ */

/*
 * Open a history file; the caller closes *out.  A file that this version cannot read is refused with a sentence
 * that says what to do.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_history_open(const char *path,
									const struct histree_open_options *options,
									struct histree_history **out,
									struct histree_error *error);

/* Close the history, whose queries must have been freed before, or do nothing if it is NULL. */
HISTREE_API void histree_history_close(struct histree_history *history);

HISTREE_API const struct histree_history_info *histree_history_info(const struct histree_history *history);
HISTREE_API const struct histree_attributes *histree_history_attributes(const struct histree_history *history);

/*
 * Read every node and check every invariant: checksums, addresses, containment in time and key, order and counts;
 * that each attribute is covered from start to end without gap or overlap; and that it is found by its name.
 * Overviews are checked likewise unless the history was opened without them.  For a partial history opened by its
 * store, all that it left out is made again and compared with what was built.  `report` is called with a sentence
 * for each fault, and may be NULL.  Returns HISTREE_OK if there is no fault, HISTREE_ERR_FORMAT if there is one.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
		       void *context, struct histree_error *error);

/* ---- of several hosts --------------------------------------------------------------------------------------- */

/*
 * A history of several hosts is a *union*: the histories of the hosts side by side, each below a folder with the
 * name of the host (docs/design/13-hosts.md).  It begins with the earliest of them and ends with the last.
 * Outside of its host's times, an attribute has a null interval of its own: the host was not traced then. Every
 * function that takes a history takes a union, except histree_history_nodes().
 */
struct histree_history_part {
	const char *name;                /* of the host; copied; not empty and unique */
	struct histree_history *history; /* of one host, not used elsewhere; NULL: none */
	const char
		*why; /* if `history` is NULL: a sentence that says why it is missing; NULL: the host needs none */
};

struct histree_history_host {
	const char *name;
	struct histree_history *history; /* of this host alone, quarks from 0; NULL: none */
	const char *why;      /* if `history` is NULL: why it is missing; NULL: the host needs none */
	histree_quark folder; /* of the host: a top-level attribute */
	uint32_t count;       /* its attribute q is attribute folder + 1 + q of the union */
};

/*
 * Make one history of those of several hosts, in the order in which they are given.  It takes their histories,
 * also if it fails: closing the union closes them.  Their node caches become one, as large as the largest of
 * them; so open each as if it were the only one.
 *
 * The folder of a host that is missing (`why`) has no children, is no folder by histree_attributes_is_folder(),
 * and is unknown at all times: queries of it count a damaged node.  The folder of a host without a history is
 * null.
 *
 * Returns HISTREE_ERR_ARGUMENT with a sentence if two parts have one name, a name is empty, a part is a union, or
 * no part has a history, with all of `why`; HISTREE_ERR_FORMAT if there would be too many attributes.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_history_unite(const struct histree_history_part *parts,
									 size_t count, struct histree_history **out,
									 struct histree_error *error);

/*
 * Make a union that begins at `start` at the latest and ends at `end` at the earliest, even if all parts lie
 * within: it answers about its hosts as a union with further hosts from `start` to `end` would, such as those that
 * are missing.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_unite_within(const struct histree_history_part *parts, size_t count, histree_time start,
			     histree_time end, struct histree_history **out, struct histree_error *error);

/* Returns the hosts of a union, which live as long as it; NULL and a *count of 0 for a history of one host. */
HISTREE_API const struct histree_history_host *histree_history_hosts(const struct histree_history *history,
								     size_t *count);

/*
 * Call `found` with the folder of each missing host if a pattern (histree_attributes_match()) asks for something
 * below it: whether the host has that is not known, so the folder, which is unknown, stands for it. `found`
 * returns false to stop.  Returns how often it was called; 0 if the pattern is malformed.
 */
HISTREE_API size_t histree_history_match_missing(const struct histree_history *history, const char *pattern,
						 bool (*found)(void *context, histree_quark quark), void *context);

/* Returns the index of the host that an attribute of a union belongs to; 0 if the history is of one host. */
HISTREE_API size_t histree_history_host_of(const struct histree_history *history, histree_quark quark);

/* ---- nodes ------------------------------------------------------------------------------------------------ */

/* A node of the tree on disk, for those who want to see its structure (thesis 3.1). */
struct histree_node {
	uint32_t number; /* its position in the file */
	uint32_t parent; /* HISTREE_NO_NODE for the root */
	uint32_t height; /* 0 for a leaf; a child may be more than one level below its parent */
	uint32_t child_count;
	histree_time start, end;        /* bounds of what is in it and below it */
	histree_quark key_min, key_max; /* of the intervals in the node itself; key_min > key_max if it has none */
	uint32_t interval_count;
	uint32_t bytes_used, bytes; /* bytes_used / bytes is the fill */
	/*
	 * The node cannot be read.  Its counts and bytes are 0, its bounds are those that its parent keeps, and its
	 * height is the smallest that it may have had.
	 */
	bool is_damaged;
};
#define HISTREE_NO_NODE UINT32_MAX

/*
 * Call `visit` for each node: depth first from the root, a parent before its children, children in the order in
 * which they were written.  `visit` returns false to stop.  Every node is read, through the cache.
 *
 * Damaged nodes are visited as well.  Their children are known, but not which node they belong to, so they are
 * given to the next damaged node in the file that may have had children.
 *
 * Returns HISTREE_ERR_ARGUMENT for a union: ask the histories of its hosts.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_nodes(struct histree_history *history,
		      bool (*visit)(void *context, const struct histree_node *node), void *context,
		      struct histree_error *error);

#endif
