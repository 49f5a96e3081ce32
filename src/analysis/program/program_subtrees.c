// SPDX-License-Identifier: MIT
/*
 * What is below attributes that are deleted again and again, such as those of scenarios: a walk costs more than the
 * changes of it.
 */
#include <stdlib.h>

#include "analysis/program/program_run.h"
#include "base/array.h"
#include "base/hash.h"
#include "state/attributes.h"
#include "state/state_system.h"

static bool has_top(const void *subtrees, uint32_t number, const void *key)
{
	return ((const struct subtree *)subtrees)[number].top == *(const histree_quark *)key;
}

static uint64_t hash_of_subtree(const void *subtrees, uint32_t number)
{
	return hash_mix(((const struct subtree *)subtrees)[number].top);
}

static bool append(struct subtree *subtree, histree_quark quark)
{
	if (!array_reserve(&subtree->quarks, &subtree->capacity, subtree->count + 1))
		return false;
	subtree->quarks[subtree->count++] = quark;
	return true;
}

/* Parents come before their children in a walk, so the other way round children come first. */
static bool walk(struct subtree *subtree, const struct attribute_tree *tree)
{
	struct attribute_range near = { 0 };
	subtree->count = 0;
	for (histree_quark quark = subtree->top; quark != HISTREE_ROOT;
	     quark = attributes_next(&tree->base, subtree->top, quark, &near))
		if (!append(subtree, quark))
			return false;
	for (size_t i = 0, j = subtree->count; i + 1 < j; i++) {
		histree_quark other = subtree->quarks[--j];
		subtree->quarks[j] = subtree->quarks[i];
		subtree->quarks[i] = other;
	}
	return true;
}

/* A parent is older than its children. */
static bool is_below(const struct attribute_tree *tree, histree_quark quark, histree_quark top)
{
	while (quark > top && quark != HISTREE_ROOT)
		quark = tree->attributes[quark].parent;
	return quark == top;
}

/* Learn of attributes that were made since then: one by one, or by a walk, whichever is less. */
static bool refresh(struct subtree *subtree, const struct attribute_tree *tree)
{
	uint32_t from = subtree->known, count = tree->base.count;
	if (from == count)
		return true;
	subtree->known = count;
	if (subtree->count == 0 || count - from > subtree->count)
		return walk(subtree, tree);
	for (histree_quark quark = from; quark < count; quark++)
		if (is_below(tree, quark, subtree->top) && !append(subtree, quark))
			return false;
	return true;
}

const struct subtree *run_subtree(struct program_run *run, histree_quark top)
{
	struct subtrees *subtrees = &run->subtrees;
	uint64_t hash = hash_mix(top);
	uint32_t found = hash_index_find(&subtrees->index, hash, has_top, subtrees->all, &top);
	if (found == HASH_INDEX_NONE) {
		if (!array_reserve(&subtrees->all, &subtrees->capacity, subtrees->count + 1) ||
		    !hash_index_reserve(&subtrees->index, subtrees->count + 1, hash_of_subtree, subtrees->all))
			return NULL;
		found = (uint32_t)subtrees->count++;
		subtrees->all[found] = (struct subtree){ .top = top };
		hash_index_add(&subtrees->index, hash, found);
	}
	struct subtree *subtree = &subtrees->all[found];
	return refresh(subtree, &run->changes.system->attributes) ? subtree : NULL;
}

void run_release_subtrees(struct program_run *run)
{
	for (size_t i = 0; i < run->subtrees.count; i++)
		free(run->subtrees.all[i].quarks);
	free(run->subtrees.all);
	hash_index_release(&run->subtrees.index);
}
