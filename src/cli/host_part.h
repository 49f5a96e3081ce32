/* SPDX-License-Identifier: MIT */
/*
 * host_part.h - one host of a store of several, and those that are missing of it.
 */
#ifndef CLI_HOST_PART_H
#define CLI_HOST_PART_H

#include "cli/target.h"

/*
 * Finds the history of the host that an option names; it lives as long as the union.  A fault is reported on
 * standard error: the store is of one host, has no host of that name, or has lost it.
 */
enum cli_exit host_part_history(const struct target *target, struct histree_history *history, const char *option,
				const char *host, struct histree_history **out);

/* Checks that a segment store has a host of that name; missing segments are left to the reader of its segments. */
enum cli_exit host_part_segments(const struct target *target, const struct histree_segment_store *store,
				 const char *option, const char *host);

/* Returns the condition that the host is this one, as an expression has it; to be freed.  NULL without memory. */
char *host_part_condition(const char *host);

/* Returns what to call a picture of a store, or of one host of it, unless that is NULL; to be freed. */
char *host_part_title(const char *path, const char *host);

/* Reports each host whose history is missing.  Returns CLI_INPUT if there is one. */
enum cli_exit host_part_missing(const struct histree_history *history);

/* Says that a history is damaged, after which hosts are missing of it.  Returns CLI_INPUT. */
enum cli_exit host_part_damaged(const struct histree_history *history);

#endif
