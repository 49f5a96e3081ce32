/* SPDX-License-Identifier: MIT */
/*
 * history.h - the inside of an opened history, for the layers above.
 */
#ifndef STATE_HISTORY_H
#define STATE_HISTORY_H

#include "histree/history.h"
#include "state/history_numbers.h"
#include "state/history_overviews.h"
#include "tree/tree_reader.h"

struct labels_slot;

/* Open the history in a file, which is the history's from here on, and is closed also on failure. */
enum histree_status history_open_file(struct block_file *file, const struct histree_open_options *options,
				      struct histree_history **out, struct histree_error *error);

/* Borrowed; lives as long as the history. */
const char *history_path(const struct histree_history *history);
struct tree_reader *history_tree(struct histree_history *history);
const struct history_overviews *history_overviews(const struct histree_history *history);
const struct history_numbers *history_numbers(const struct histree_history *history);
struct block_file *history_file(const struct histree_history *history);
struct labels_slot *history_labels_slot(const struct histree_history *history);

/*
 * Read all overviews that lie beside the history, however it was opened, and report what is damaged in them.
 * Returns HISTREE_ERR_FORMAT if something is.
 */
enum histree_status history_verify_overviews(const struct histree_history *history,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error);

#endif
