/* SPDX-License-Identifier: MIT */
/*
 * history.h - the inside of an opened history, for the layers above.
 */
#ifndef STATE_HISTORY_H
#define STATE_HISTORY_H

#include "histree/history.h"
#include "tree/tree_reader.h"

/* Borrowed; lives as long as the history. */
struct tree_reader *history_tree(struct histree_history *history);

#endif
