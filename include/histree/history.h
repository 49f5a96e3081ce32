/* SPDX-License-Identifier: MIT */
/*
 * history.h - histories: open and check one, take one from elsewhere, make one from changes of states.
 */
#ifndef HISTREE_HISTORY_H
#define HISTREE_HISTORY_H

#include "attributes.h"
#include "cursor.h"
#include "value.h"

/* ==== history ================================================================================================= */

/*
 * Open a history file, ask what it is, and check it.
 *
 * An open history never changes.  Any number of threads may query it at the same time, each with a query (states.h)
 * of its own.
 */

struct histree_history;

struct histree_open_options {
	/*
	 * Size of the node cache; 0 means 128 MiB.  Each query pins one node, and pinned nodes always fit.  Each
	 * overview (states.h) has a cache of its own, a 256th of this size.
	 */
	size_t cache_bytes;
	/*
	 * Open the file however damaged it is, as long as its header and the section TREE, or their copies, can
	 * be read.  If the names are lost, attributes are called ?0, ?1, ...; if the lifetimes are lost, times
	 * that no node covers are unknown rather than null.
	 */
	bool salvage;
	bool no_overviews; /* do not use overviews: make rows and charts from the states themselves */
};

#define HISTREE_KEY_RANGE_BUCKETS 20

/*
 * What the papers tabulate, and what a user asks first; all of it is kept in the file.  For several hosts, counts
 * and bytes are sums and `depth` is the greatest; where hosts differ, `variant` and `provider` are "mixed", and
 * other properties of a file are 0.
 */
struct histree_history_info {
	char variant[16];
	uint32_t r_depth; /* levels of an R-tree at the end of the build; 0 for variants without R-trees */
	uint32_t node_size, fan_out;
	char provider[64];
	uint32_t provider_version;
	uint32_t format_version;
	/* Identifies the content (histree-format(5)); that of an incomplete file is unique. */
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
	 * A histogram of the key ranges of nodes, in equal buckets: a range is the greatest key of a node's
	 * intervals less the smallest, as a share of all attributes (thesis, figure 4.8).
	 */
	uint64_t key_range_nodes[HISTREE_KEY_RANGE_BUCKETS];
	/*
	 * The file has only those intervals that were going on at one of its checkpoints; interval_count counts
	 * all.  The others are made again from the trace, which the store names: such a history answers queries
	 * only if it was opened by histree_store_history().
	 */
	bool partial;
	uint64_t checkpoint_count, checkpoint_bytes; /* bytes: the size of what the checkpoints keep */
	/* The usable overviews beside the file; 0 if it was opened without overviews. */
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
 * Outside of its host's times, an attribute has a null interval of its own: the host was not traced then.  Every
 * function that takes a history takes a union, except histree_history_nodes().
 */
struct histree_history_part {
	const char *name;                /* of the host; copied; not empty and unique */
	struct histree_history *history; /* of one host, not used elsewhere; NULL: none */
	/* If `history` is NULL: a sentence that says why it is missing; NULL: the host needs no history. */
	const char *why;
};

struct histree_history_host {
	const char *name;
	struct histree_history *history; /* of this host alone, quarks from 0; NULL: none */
	const char *why;      /* if `history` is NULL: why it is missing; NULL: the host needs no history */
	histree_quark folder; /* of the host: a top-level attribute */
	uint32_t count;       /* its attribute q is attribute folder + 1 + q of the union */
};

/*
 * Make one history of those of several hosts, in the order in which they are given.  The union takes over their
 * histories: closing it closes them, and they are closed if the call fails.  Their node caches become one, as
 * large as the largest of them, so open each as if it were the only one.
 *
 * The folder of a missing host (`why`) has no children, is not a folder for histree_attributes_is_folder(), and
 * is unknown at all times: a query of it counts a damaged node.  The folder of a host that needs no history is
 * null.
 *
 * Returns HISTREE_ERR_ARGUMENT if two parts have the same name, a name is empty, a part is a union, or no part
 * has a history, in which case the message has every `why`; HISTREE_ERR_FORMAT if there would be too many
 * attributes.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_history_unite(const struct histree_history_part *parts,
									 size_t count, struct histree_history **out,
									 struct histree_error *error);

/*
 * Make a union that begins at `start` at the latest and ends at `end` at the earliest, even if all parts lie
 * within these times.  It answers as if the union had further hosts, such as missing ones, that were traced from
 * `start` to `end`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_unite_within(const struct histree_history_part *parts, size_t count, histree_time start,
			     histree_time end, struct histree_history **out, struct histree_error *error);

/* Returns the hosts of a union, borrowed from it; NULL and a *count of 0 for a history of one host. */
HISTREE_API const struct histree_history_host *histree_history_hosts(const struct histree_history *history,
								     size_t *count);

/*
 * Call `found` with the folder of each missing host if a pattern (histree_attributes_match()) asks for something
 * below it.  What the host has there is not known, so its folder, whose state is unknown, stands for it.  `found`
 * returns false to stop.  Returns how often it was called; 0 if the pattern is malformed.
 */
HISTREE_API size_t histree_history_match_missing(const struct histree_history *history, const char *pattern,
						 bool (*found)(void *context, histree_quark quark), void *context);

/* Returns the index of the host that an attribute of a union belongs to; 0 if the history is of one host. */
HISTREE_API size_t histree_history_host_of(const struct histree_history *history, histree_quark quark);

/* ---- nodes ------------------------------------------------------------------------------------------------ */

/* A node of the tree on disk, for readers who want to see its structure (thesis 3.1). */
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

/* ==== history source ========================================================================================== */

/*
 * A history whose states another process or machine hands out.  It is queried like any history, and can be a part
 * of a union.
 *
 * It is made from two things.  The *description* has what does not depend on a question: the info of the history,
 * the names of its attributes, its labels, and the same of its overviews; the process that has the history makes
 * it once.  The *source* is a table of functions that answer regions.
 *
 * A description comes from outside, so its sizes are checked against the number of bytes given.  It can be read
 * only by the version of the library that made it.
 */

struct histree_region; /* of states.h */

/*
 * Make the description of a history of one host, which the caller frees with free().  Returns HISTREE_ERR_ARGUMENT
 * for a union.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_describe(struct histree_history *history, void **bytes, size_t *size, struct histree_error *error);

/*
 * Returns a part of a history, borrowed: 0 is the history itself, others are its overviews in the order of
 * descriptions.  Returns NULL if there is no such part.
 */
HISTREE_API struct histree_history *histree_history_part_of(struct histree_history *history, uint32_t part);

/*
 * A cursor reads one part.  Started with a region (states.h), which is borrowed during that call alone, it hands
 * out what a query of the part would, in the same order; it may be started again, or stopped.  Values are
 * borrowed until the next call.  Starting should send the request and not wait for the answer: a query of a union
 * starts all of its parts first.
 *
 * The process that has the history can itself answer some questions about all of it, so that states need not
 * travel: what threads did with their time (histree_time_use_answer()).  Only the library understands the bytes
 * of questions and answers.  `view_ask` may keep a question until `view_send` or `view_take` is called; the bytes
 * of an answer are borrowed until `view_drop`, which also drops unanswered questions.  If these functions are
 * NULL, the library reads the states instead.
 *
 * Threads: the functions of one history are called by one thread at a time.
 */
struct histree_history_source {
	void *context;
	enum histree_status (*cursor_create)(void *context, uint32_t part, void **cursor,
					     struct histree_error *error);
	enum histree_status (*cursor_start)(void *cursor, const struct histree_region *region,
					    struct histree_error *error);
	enum histree_status (*cursor_read)(void *cursor, struct histree_interval *out, size_t room, size_t *count,
					   struct histree_error *error);
	struct histree_statistics (*cursor_statistics)(const void *cursor);
	struct histree_loss (*cursor_loss)(const void *cursor);
	void (*cursor_stop)(void *cursor);
	void (*cursor_free)(void *cursor);
	enum histree_status (*view_ask)(void *context, const void *question, size_t size, void **asked,
					struct histree_error *error);
	enum histree_status (*view_send)(void *context, struct histree_error *error);
	enum histree_status (*view_take)(void *asked, const void **answer, size_t *size,
					 struct histree_error *error);
	void (*view_drop)(void *asked);
	void (*free)(void *context);
};

/*
 * Make a history from a description and a source.  The history owns the source, which is freed if the call fails.
 * The history cannot be verified, and has no nodes to visit.  Returns HISTREE_ERR_FORMAT if the description is
 * malformed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_of_source(const struct histree_history_source *source, const void *description, size_t size,
			  struct histree_history **out, struct histree_error *error);

/* ==== state system ============================================================================================ */

/*
 * Build a history: name attributes, change their states, close.
 *
 * A state system keeps the attribute tree and the ongoing state of each attribute.  A change at t ends the ongoing
 * state at t - 1, hands that interval to the history, and begins the new state at t (thesis, section 1.2).  The
 * rules are those of Trace Compass's builder:
 *
 *  - A new attribute is null from the start of the HISTORY, whenever it is created.
 *  - A change to the value that the attribute already has does nothing.
 *  - A change at exactly the start of the ongoing state replaces its value: no interval of zero length is made,
 *    and the result is not merged with an equal interval before it.
 *  - A change before the start of the ongoing state is refused with HISTREE_ERR_TIME_BACKWARDS.  A caller whose
 *    clock steps back decides what to do; Trace Compass does what histree_state_update() does.
 *  - The first value that is neither null nor unknown fixes the type of an attribute; a value of another type is
 *    refused with HISTREE_ERR_TYPE.
 *
 * A call that fails changes nothing, with one exception: when the history can no longer be written, because the
 * disk or the memory for the tree is exhausted, every later change is refused with that status, and the caller can
 * only call histree_state_free().  After histree_state_close() every change is refused with HISTREE_ERR_CLOSED.
 *
 *	histree_state_create(&(struct histree_history_options){ .path = "kernel.sht", .start = t0,
 *			     .provider = "kernel", .provider_version = 1 }, &system, &error);
 *	histree_state_attribute(system, HISTREE_ROOT, "Threads/42", &quark, &error);
 *	histree_state_modify(system, t, quark, histree_int(2), &error);
 *	histree_state_close(system, t_end, &error);
 *	histree_state_free(system);
 *
 * Threads: one thread at a time uses a state system.  It copies the values and names that it is given.
 */

struct histree_state_system;

/* How the file keeps the nulls before the first state of an attribute and after its last (thesis 5.3). */
enum histree_nulls {
	HISTREE_NULLS_OF_VARIANT, /* cluster leaves them out, the others keep them */
	HISTREE_NULLS_KEPT,       /* they are intervals like others */
	HISTREE_NULLS_LEFT_OUT,   /* a table of first and last times stands for them */
};

/*
 * Which queries a history favours.  All queries work with any preference; they differ in how many nodes a query
 * reads and how many bytes an interval takes (thesis 7.3).
 */
enum histree_preference {
	HISTREE_PREFER_BALANCE, /* the default */
	HISTREE_PREFER_SINGLE,  /* one attribute, and some attributes over a range of time */
	HISTREE_PREFER_FULL,    /* all attributes at a time */
	HISTREE_PREFER_SPACE,   /* the size of the file */
};

/* How a history is laid out on disk.  A zero selects the default. */
struct histree_tree_options {
	const char *variant; /* "cluster" (the default), "sht", "osht", "esht", "rsht" or "vrsht" */
	uint32_t r_depth; /* levels of an R-tree, 2 or more; default 2 for rsht; for vrsht the maximum, default 4 */
	/*
	 * vrsht: the most nodes that a single query is to read, 2 to 1000, as far as r_depth allows.  Default:
	 * R-trees of log_c(A / n) levels, for A attributes and n intervals in a node.
	 */
	uint32_t r_nodes;
	/* Bytes, a power of two, 4 KiB to 1 MiB; default 64 KiB, for cluster 256 KiB unless it prefers single. */
	uint32_t node_size;
	uint32_t fan_out; /* maximum number of children of a node, 2 to 1000; default 50, for cluster 1000 */
	/*
	 * Bytes for buffers, approximately; default 64 MiB, for cluster 256 MiB.  The tables of names, ongoing
	 * states and lifetimes may take as many bytes again, by default 256 MiB; beyond that they go to a file.
	 */
	size_t memory_max;
	/*
	 * How many threads make the tree. 1: the caller's thread does everything.  For cluster, 2 adds a thread
	 * that sorts and writes, and 3 another one that inserts; for the other variants, 2 adds a thread that
	 * inserts and writes.  More are refused.  Default: 2 for cluster on two processors or more, else 1.  The
	 * file is the same.
	 */
	uint32_t threads;
	enum histree_nulls nulls;       /* answers do not depend on it */
	enum histree_preference prefer; /* cluster; the others refuse all but balance */
};

struct histree_history_options {
	const char *path;     /* the file to make; must not exist unless `resume` is set */
	const char *provider; /* name of the analysis, kept in the file */
	uint32_t provider_version;
	histree_time start; /* where the history starts: no state begins before it */
	/*
	 * The file may exist, published by a builder that is gone.  The caller makes the same changes again from
	 * the beginning; until they pass the end of the file, the file stays as it is and nothing is written or
	 * published.
	 */
	bool resume;
	/* An emptied stack or queue is null, as in the code of Trace Compass; else its depth is 0. */
	bool null_empty_stacks;
	struct histree_tree_options tree;
};

/* Make a history file and a state system that fills it.  If the call fails, no file is left. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_create(const struct histree_history_options *options, struct histree_state_system **out,
		     struct histree_error *error);

/*
 * End every ongoing state at `end` (inclusive), write what remains and complete the file.  Returns
 * HISTREE_ERR_TIME_RANGE if an ongoing state starts after `end`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_close(struct histree_state_system *system, histree_time end, struct histree_error *error);

/*
 * Publish the history as it is now, ended at `end`: a process that opens the file from now on sees that, with
 * histree_history_info.complete being false, even after a crash or a power failure.  `end` may be one less than
 * the greatest time of a change; what begins after it is left out.  Choose that end if another change at the same
 * time may follow.  The new state replaces what was published before once it is on disk; if the call fails, the
 * old one stays.  The cost is about that of writing all that is buffered, and the memory of one more state for
 * each attribute; the R-SHT variants need as much memory as they have buffered.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_publish(struct histree_state_system *system, histree_time end, struct histree_error *error);

/*
 * Open the history as it is now, ended at `end`, for this process alone; it contains everything inserted so far.
 * The caller closes it, before or after the state system.  Any thread may query it while this one continues to
 * build.  The cost is that of histree_state_publish().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_history(struct histree_state_system *system,
									 histree_time end,
									 const struct histree_open_options *options,
									 struct histree_history **out,
									 struct histree_error *error);

/*
 * Free the state system, or do nothing if it is NULL.  A history neither closed nor published is removed from
 * disk.
 */
HISTREE_API void histree_state_free(struct histree_state_system *system);

HISTREE_API histree_time histree_state_start(const struct histree_state_system *system);

/* Returns the greatest time of any change so far, and once the history is closed, its end. */
HISTREE_API histree_time histree_state_current_end(const struct histree_state_system *system);

/* ---- attributes -------------------------------------------------------------------------------- */

/*
 * Find the attribute at `path` below `from`, and create it and its parents where they are missing.  The path is
 * absolute if `from` is HISTREE_ROOT.  Components are separated by '/'; inside a component "\/" is a slash and "\\"
 * a backslash.  Returns HISTREE_ERR_ARGUMENT if the path or a component is empty, a component has more than 65535
 * bytes, or there is a stray backslash.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_attribute(struct histree_state_system *system,
									   histree_quark from, const char *path,
									   histree_quark *out,
									   struct histree_error *error);

/* Find or create the child of `parent` with this name: 1 to 65535 bytes, of any value, not escaped. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_child(struct histree_state_system *system,
								       histree_quark parent, const char *name,
								       size_t name_size, histree_quark *out,
								       struct histree_error *error);

/*
 * Declare that an attribute is a folder: it groups others and never has a state (thesis 5.1).  Only its name is
 * kept; a change of it is refused, a query says that it is null.  Declaring it again changes nothing.  Returns
 * HISTREE_ERR_TYPE if the attribute had a state before.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_folder(struct histree_state_system *system, histree_quark quark, struct histree_error *error);

struct histree_attributes;

/* Returns the attribute tree (attributes.h), borrowed from the state system. */
HISTREE_API const struct histree_attributes *histree_state_attributes(const struct histree_state_system *system);

/* ---- changes ------------------------------------------------------------------------------------ */

/* Give the attribute `value` from `t` on.  Returns HISTREE_ERR_TOO_LARGE if no node can hold the value. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_modify(struct histree_state_system *system,
									histree_time t, histree_quark quark,
									struct histree_value value,
									struct histree_error *error);

/*
 * Insert whole intervals: the attribute has the value from start to end (inclusive), and null after that.  An
 * interval equals two changes and costs a third of them.  The intervals of one attribute must come in the order
 * of time; those of different attributes may come in any order, but the closer they are to the order of their
 * ends, the better the tree is.  *inserted, unless `inserted` is NULL, becomes the number of these intervals that
 * were inserted; if it is less than `count`, the next one was refused and the error says why.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_insert(struct histree_state_system *system,
									const struct histree_interval *intervals,
									size_t count, size_t *inserted,
									struct histree_error *error);

/*
 * Replace the value of the ongoing state from its start on, without a state change.  The type is checked, and
 * fixed, as it is by a change.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_update(struct histree_state_system *system,
									histree_quark quark,
									struct histree_value value,
									struct histree_error *error);

/*
 * An attribute can be a stack: `quark` holds the depth (an int) and its sub-attributes "1", "2", ... hold the
 * values; the deepest is the top.  Popping makes the top and everything below it in the attribute tree null; the
 * depth of an emptied stack is 0, or null with histree_history_options.null_empty_stacks.  Popping returns
 * HISTREE_NOT_FOUND and changes nothing if the stack is empty, its depth being null or 0.  Both return
 * HISTREE_ERR_TYPE if the attribute is not a stack, and HISTREE_ERR_ARGUMENT if its depth does not fit its
 * sub-attributes.  `*popped`, unless `popped` is NULL, becomes the value, whose bytes are borrowed until the next
 * change.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_push(struct histree_state_system *system,
								      histree_time t, histree_quark quark,
								      struct histree_value value,
								      struct histree_error *error);
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_pop(struct histree_state_system *system,
								     histree_time t, histree_quark quark,
								     struct histree_value *popped,
								     struct histree_error *error);

/* Look at the top of the stack.  Returns HISTREE_NOT_FOUND if the stack is empty. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_top(struct histree_state_system *system,
								     histree_quark quark, struct histree_value *top,
								     struct histree_error *error);

/*
 * An attribute laid out as a stack can also be a queue, first in, first out: offer adds a value at the end, poll
 * takes "1" and moves the others up by one, peek looks at "1".  Poll and peek return HISTREE_NOT_FOUND if the queue
 * is empty.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_queue_offer(struct histree_state_system *system,
									     histree_time t, histree_quark quark,
									     struct histree_value value,
									     struct histree_error *error);
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_queue_poll(struct histree_state_system *system,
									    histree_time t, histree_quark quark,
									    struct histree_value *polled,
									    struct histree_error *error);
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_queue_peek(struct histree_state_system *system,
									    histree_quark quark,
									    struct histree_value *first,
									    struct histree_error *error);

/* Make the attribute and everything below it null at `t`. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_remove(struct histree_state_system *system,
									histree_time t, histree_quark quark,
									struct histree_error *error);

/*
 * Add `increment`, an int, long or double, to a number.  Null counts as zero of that type; an unknown value stays
 * unknown.  Returns HISTREE_ERR_TYPE if the attribute has another type than the increment, and HISTREE_ERR_ARGUMENT
 * if an integer overflows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_increment(struct histree_state_system *system,
									   histree_time t, histree_quark quark,
									   struct histree_value increment,
									   struct histree_error *error);

/* ---- ongoing states --------------------------------------------------------------------------------- */

/*
 * Get the ongoing state and when it began.  `value` and `since` may be NULL; bytes are borrowed until the next
 * change.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_ongoing(const struct histree_state_system *system, histree_quark quark, struct histree_value *value,
		      histree_time *since, struct histree_error *error);

/* ==== backend ================================================================================================= */

/*
 * Where the intervals of a state system go, other than into a history file (thesis 1.2): into memory,
 * or wherever the caller wants them.
 *
 * A history in memory is queried like one in a file, and gives the same answers:
 *
 *	histree_state_create_in_memory(&(struct histree_history_options){ .start = t0 }, 64 << 20, &system, &error);
 *	...
 *	histree_state_close(system, end, &error);
 *	histree_state_history(system, end, NULL, &history, &error);
 *	histree_state_free(system);
 *	...
 *	histree_history_close(history);
 *
 * A backend is a table of functions.  A caller can use them to write to anything: a database, a socket, an array.
 * The null backend discards all intervals, which shows what the states themselves cost.
 *
 *	static enum histree_status count(void *context, const struct histree_interval *interval,
 *					 struct histree_error *error)
 *	{
 *		++*(uint64_t *)context;
 *		return HISTREE_OK;
 *	}
 *
 *	histree_state_create_for(&(struct histree_backend){ .add = count, .context = &counter }, start, &system,
 *				 &error);
 *
 * Threads: the functions are called by the thread that uses the state system, one at a time.
 */

/* Each function may be NULL, which does nothing. */
struct histree_backend {
	/*
	 * Takes an interval, whose bytes are borrowed during the call.  The intervals of one attribute come in
	 * the order of time, without gaps; all intervals come in the order of their ends, except those inserted
	 * out of order.  A failure (a negative status) ends the history: no more intervals come, and later
	 * changes are refused with that status.
	 */
	enum histree_status (*add)(void *context, const struct histree_interval *interval,
				   struct histree_error *error);
	/*
	 * All intervals have been added; the last of them end at `end`.  The attributes are borrowed for the
	 * call.
	 */
	enum histree_status (*finish)(void *context, const struct histree_attributes *attributes, histree_time end,
				      struct histree_error *error);
	/* Called once, by histree_state_free(), whether the history was finished or not. */
	void (*free)(void *context);
	void *context;
};

/*
 * Make a state system whose intervals go to a backend, which is copied; NULL means the null backend.  The rules
 * are those of histree_state_create(), with two exceptions: it takes values of any size, and it can be neither
 * published nor opened (HISTREE_ERR_ARGUMENT), as only the backend knows where the intervals are.  If the call
 * fails, `free` is not called.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_create_for(const struct histree_backend *backend,
									    histree_time start,
									    struct histree_state_system **out,
									    struct histree_error *error);

/*
 * Make a history in memory.  The rules are those of histree_state_create(); `path` is only a name for messages
 * and may be NULL; `resume` is refused. histree_state_history() opens the history while it is built and, with
 * `end` being its end, any number of times after histree_state_close().  Publishing shows it to no other process.
 *
 * Nodes and sections may take `bytes_max` bytes, or any number if it is 0; a history that would need more ends
 * with HISTREE_ERR_MEMORY and a sentence.  Other memory: the buffers of the tree (`memory_max`), the tables of
 * names and ongoing states, which stay in memory, and the cache of each open history.
 *
 * The memory is freed once the state system is freed and all its histories are closed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_create_in_memory(const struct histree_history_options *options, uint64_t bytes_max,
			       struct histree_state_system **out, struct histree_error *error);

#endif
