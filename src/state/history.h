/* SPDX-License-Identifier: MIT */
/*
 * history.h - the inside of an opened history, for the layers above; and a check that names, links and look-ups of
 * its attributes are consistent.
 */
#ifndef STATE_HISTORY_H
#define STATE_HISTORY_H

#include "histree/history.h"
#include "state/attributes.h"
#include "state/pyramid.h"
#include "tree/tree_reader.h"

/* Call `report` with a sentence for each fault.  Returns how many there were. */
uint64_t attributes_verify(const struct histree_attributes *attributes,
			   void (*report)(void *context, const char *fault), void *context);

struct told_slots;
struct history_union;
struct histree_history_source;

/* Open the history in a file, which is the history's from here on, and is closed also on failure. */
enum histree_status history_open_file(struct block_file *file, const struct histree_open_options *options,
				      struct histree_history **out, struct histree_error *error);

/* Returns the hosts of a history of several (history_union.h), or NULL: everything below is of a history of one. */
const struct history_union *history_union_of(const struct histree_history *history);

/*
 * Returns the history of the host that an attribute belongs to, and sets *quark to its quark there; the history
 * itself if it is of one host.  NULL: the attribute is the folder of a host.
 */
const struct histree_history *history_of_host(const struct histree_history *history, histree_quark *quark);

/* Returns who answers for the history, and which part of theirs it is; NULL: its file does. */
const struct histree_history_source *history_source_of(const struct histree_history *history, uint32_t *part);

/* Borrowed; lives as long as the history. */
const char *history_path(const struct histree_history *history);
struct tree_reader *history_tree(struct histree_history *history);
const struct pyramid *history_pyramid(const struct histree_history *history, enum pyramid_id id);
struct block_file *history_file(const struct histree_history *history);
struct told_slots *history_told(const struct histree_history *history);

/* Verify a history of a file without what lies beside it. */
enum histree_status history_verify_file(struct histree_history *history,
					void (*report)(void *context, const char *fault), void *context,
					struct histree_error *error);

/*
 * Read all overviews that lie beside the history, however it was opened, and report what is damaged in them.
 * Returns HISTREE_ERR_FORMAT if something is.
 */
enum histree_status history_verify_overviews(const struct histree_history *history,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error);

#endif
