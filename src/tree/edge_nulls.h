/* SPDX-License-Identifier: MIT */
/*
 * edge_nulls.h - the nulls of a region outside the lifetimes of its keys, which are in no node (lifetimes.h).
 *
 * They are the nulls at both ends of a tree of rows, if its options leave these out (thesis 5.3), and all times
 * of keys that have no states.  The section LIFE stands for both.
 *
 * A variant whose leaves leave them out by themselves (tree_shape.h, has_lifetimes) does not need it: then it is
 * idle.
 */
#ifndef TREE_EDGE_NULLS_H
#define TREE_EDGE_NULLS_H

#include "node/node.h"
#include "tree/lifetimes.h"
#include "tree/tree_reader.h"
#include "tree/tree_shape.h"

struct tree_nulls {
	size_t at, end; /* the region's keys whose nulls were not given yet, by index */
	size_t alike;   /* how many from there on have the nulls below */
	unsigned count; /* of a key's nulls in the region */
	struct histree_interval of_key[2];
	struct lifetime_run runs[LIFETIMES_IN_BLOCK]; /* where all keys are asked for: those of their block */
	unsigned next_run, run_count;
};

/* Begin with the first of `keys` keys of a region; 0 where none has such a null. */
void tree_nulls_begin(struct tree_nulls *nulls, size_t keys);

/* Read the next nulls of the region, as long as there is room.  Returns how many; 0: that was all. */
size_t tree_nulls_read(struct tree_nulls *nulls, const struct tree_reader *reader, const struct node_region *region,
		       struct histree_interval *out, size_t room);

struct edge_nulls {
	bool is_idle, are_left_out;
	histree_time start; /* of the tree */
	bool closing;       /* a null that ends at `end` is after a lifetime */
	histree_time end;
	struct lifetimes lifetimes; /* of the keys so far, if nulls are left out */
	histree_quark *without;     /* keys that have no states */
	size_t without_count, without_capacity;
};

void edge_nulls_init(struct edge_nulls *edges, const struct tree_options *options);

/*
 * Returns whether an interval is such a null: then no node gets it. A key may have been null up to a moment and
 * from that moment on, as what it was then took no time: without a lifetime between them the section would stand
 * for one null, so the latter is an interval as any other.
 */
static inline bool edge_nulls_take(const struct edge_nulls *edges, const struct histree_interval *interval)
{
	return edges->are_left_out && interval->value.type == HISTREE_NULL &&
	       (interval->start == edges->start || (edges->closing && interval->end == edges->end &&
						    lifetimes_has(&edges->lifetimes, interval->quark)));
}

/* Learn of an interval that was added, or taken. */
enum histree_status edge_nulls_see(struct edge_nulls *edges, const struct histree_interval *interval,
				   struct histree_error *error);
void edge_nulls_close_at(struct edge_nulls *edges, histree_time end);
enum histree_status edge_nulls_leave_out(struct edge_nulls *edges, histree_quark key, struct histree_error *error);

/* Returns whether the file needs the section. */
bool edge_nulls_has_any(const struct edge_nulls *edges);

/* Write the section, and say in the header that there is one. */
enum histree_status edge_nulls_write(struct edge_nulls *edges, const struct tree_shape *shape,
				     struct block_file *file, struct histree_error *error);

/* Returns false if memory is out; `copy` is then empty. */
bool edge_nulls_copy(const struct edge_nulls *edges, struct edge_nulls *copy);
void edge_nulls_release(struct edge_nulls *edges);

#endif
