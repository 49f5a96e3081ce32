/* SPDX-License-Identifier: MIT */
/*
 * model_tree.h - a tree in memory of the intervals on which the papers count nodes (thesis, figure 4.6): each
 * attribute has states of one length, one after the other, and the attributes change in turns, in shuffled order.
 */
#ifndef SUPPORT_MODEL_TREE_H
#define SUPPORT_MODEL_TREE_H

#include "support/memory_io.h"
#include "support/tree_file.h"

struct model {
	uint32_t keys;
	uint32_t turns;      /* each attribute changes once a turn, and has turns + 1 states */
	uint32_t slow_every; /* each so-manieth attribute changes rarely; 0: none does */
	uint32_t slowness;   /* turns between two of its changes */
};

enum { MODEL_STEP = 10 }; /* ns between two changes of a turn */

struct model_tree {
	struct memory_io memory; /* with the file "f" */
	struct tree_file tree;
	struct histree_history_info info;
	histree_time turn; /* ns */
};

/* Returns when the model ends; it starts at 0. */
static inline histree_time model_end(const struct model *model)
{
	return (histree_time)MODEL_STEP * model->keys * model->turns - 1;
}

static inline bool model_is_slow(const struct model *model, histree_quark key)
{
	return model->slow_every != 0 && key % model->slow_every == 0;
}

/*
 * The intervals of a model in the order of their ends; the caller frees them.  NULL when memory is out.
 */
struct histree_interval *model_intervals(const struct model *model, size_t *count);

/* Fails, with a sentence, when it cannot be done: for tests that have nothing to try without the tree. */
enum histree_status model_tree_build(struct model_tree *built, const struct histree_tree_options *asked,
				     const struct model *model, struct histree_error *error);
void model_tree_release(struct model_tree *built);

#endif
