/* SPDX-License-Identifier: MIT */
/*
 * lives_view.h - the section LIFE of a finished tree, read where it lies: lives.h says how.
 */
#ifndef TREE_LIVES_VIEW_H
#define TREE_LIVES_VIEW_H

#include "base/block_directory.h"
#include "tree/lives.h"

/* A zeroed struct has no attributes. */
struct lives_view {
	uint8_t *bytes;
	struct block_directory blocks;
	histree_time start, end;
	uint32_t count;
};

/* Takes the section into memory and checks its size; what is in it is checked when it is asked for. */
enum histree_status lives_view_open(struct lives_view *view, uint32_t key_count, histree_time start,
				    histree_time end, const struct block_file *file, struct histree_error *error);

/*
 * Of a key below `count`; or of all keys from `first` on, a multiple of LIVES_IN_BLOCK, which costs less than one
 * by one.  Inside the history, whatever the section says; what makes no sense is no life.
 */
struct life lives_view_get(const struct lives_view *view, histree_quark key);
void lives_view_get_block(const struct lives_view *view, histree_quark first, struct life lives[LIVES_IN_BLOCK]);

void lives_view_release(struct lives_view *view);

#endif
