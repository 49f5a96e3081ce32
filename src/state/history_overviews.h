/* SPDX-License-Identifier: MIT */
/*
 * history_overviews.h - the overviews of a history: histories of their own with the same attributes, as far as
 * those have many states, and fewer states (docs/design/0013-overviews.md).
 *
 * The overviews of FILE are FILE.overview1, FILE.overview2, ...; each is made of the one before.  An attribute of a
 * overview is named W/Q: its cells are 2^W ns long, and in the history it is quark Q.  They are in the order of Q.
 * A value of type custom and no bytes stands for several others that are not told apart.
 *
 * They are no more than a help: where there are none, or they are not of this file, a history has no overviews.
 */
#ifndef STATE_HISTORY_OVERVIEWS_H
#define STATE_HISTORY_OVERVIEWS_H

#include "base/io.h"
#include "histree/history.h"

enum { OVERVIEWS_MAX = 16, OVERVIEW_VERSION = 2, OVERVIEW_WIDTH_LOG2_MAX = 62 };

struct overview_entry {
	histree_quark quark; /* in the history */
	histree_quark own;   /* in the overview */
	uint32_t width_log2; /* of a cell */
};

struct history_overview {
	struct histree_history *history;
	struct overview_entry *entries; /* by quark, and so by `own` */
	uint32_t count;
};

/* A zeroed one is empty. */
struct history_overviews {
	struct history_overview overviews[OVERVIEWS_MAX]; /* the one with the shortest cells first */
	uint32_t count;
};

/* Write the path of overview 1, 2, ... of the history at a path; `room` has overview_path_size() bytes. */
size_t overview_path_size(const char *history);
void overview_path(const char *history, uint32_t number, char *room);

/* Write the provider by which an overview says whose it is; `room` is as large as histree_history_info.provider. */
void overview_provider(const struct histree_history_info *of, char *room, size_t size);

/* Open those of a history; each gets a cache of so many bytes.  HISTREE_ERR_MEMORY only. */
enum histree_status history_overviews_open(struct history_overviews *overviews, const char *path,
					   const struct histree_history_info *of, size_t cache_bytes,
					   struct histree_error *error);

/* Take a history that somebody else answers for as the next overview; it is closed if it is none. */
enum histree_status history_overviews_attach(struct history_overviews *overviews, struct histree_history *history,
					     const struct histree_history_info *of, struct histree_error *error);

struct overview_faults;

/* Read all of those that are beside a history, whether they can be used or not. */
enum histree_status history_overviews_verify(const struct io *io, const char *path,
					     const struct histree_history_info *of, struct overview_faults *faults,
					     struct histree_error *error);

/* Find the overview of an attribute with the longest cells up to `cell_ns`; returns UINT32_MAX if there is none. */
uint32_t history_overviews_find(const struct history_overviews *overviews, histree_quark quark, uint64_t cell_ns,
				const struct overview_entry **entry);

static inline bool overview_value_is_rest(const struct histree_value *value)
{
	return value->type == HISTREE_CUSTOM && value->size == 0;
}

void history_overviews_close(struct history_overviews *overviews);

#endif
