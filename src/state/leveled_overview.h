/* SPDX-License-Identifier: MIT */
/*
 * leveled_overview.h - an overview with levels (overview_levels.h) as a file beside its history: a history of its
 * own, of numbers (history_numbers.h), of sums (history_sums.h) or of all threads together (history_cube.h).
 *
 * That of FILE is FILE.NAME.  Its provider says of which history it is, and how much a state of level 1 is of: 2^N
 * states, or ns; one of each further level is of 2^LEVELED_STEP_LOG2 of the level below.
 *
 * It is no more than a help: where there is none, or it is not of this file, what it would say is read from the
 * history.
 */
#ifndef STATE_LEVELED_OVERVIEW_H
#define STATE_LEVELED_OVERVIEW_H

#include "base/io.h"
#include "histree/history.h"
#include "state/overview_levels.h"

enum { LEVELED_STEP_LOG2 = 3, LEVELED_LEVELS_MAX = 12 };

/* What one kind differs from the other in. */
struct leveled_kind {
	const char *name, *unit; /* "sums", of "ns": parts of the format */
	uint32_t version;
	unsigned log2_min, log2_max; /* N */
	unsigned last_log2_max;      /* of the last level */
	uint32_t node_size;          /* of its file */
};

/* A zeroed one is empty. */
struct leveled_overview {
	struct histree_history *history; /* NULL: there is none */
	struct overview_level levels[LEVELED_LEVELS_MAX];
	uint32_t level_count;
	unsigned log2; /* N */
};

/* Write the path of that of the history at a path; `room` has leveled_overview_path_size() bytes. */
size_t leveled_overview_path_size(const struct leveled_kind *kind, const char *history);
void leveled_overview_path(const struct leveled_kind *kind, const char *history, char *room);

/* Write the provider by which it says whose it is; `room` is as large as histree_history_info.provider. */
void leveled_overview_provider(const struct leveled_kind *kind, const struct histree_history_info *of,
			       unsigned log2, char *room, size_t size);

/* Take a history that somebody else answers for; it is closed if it is no such overview of this one. */
enum histree_status leveled_overview_attach(struct leveled_overview *overview, const struct leveled_kind *kind,
					    struct histree_history *history, const struct histree_history_info *of,
					    struct histree_error *error);

/* Open that of a history, if it has one.  HISTREE_ERR_MEMORY only. */
enum histree_status leveled_overview_open(struct leveled_overview *overview, const struct leveled_kind *kind,
					  const char *path, const struct histree_history_info *of,
					  size_t cache_bytes, struct histree_error *error);

struct overview_faults;

/* Read all of it, whether it can be used or not; nothing is done if there is none. */
enum histree_status leveled_overview_verify(const struct leveled_kind *kind, const struct io *io, const char *path,
					    const struct histree_history_info *of, struct overview_faults *faults,
					    struct histree_error *error);

/* Find the attributes that stand for one of the history, that of level 1 first.  Returns how many levels it has. */
uint32_t leveled_overview_find(const struct leveled_overview *overview, histree_quark quark,
			       histree_quark own[LEVELED_LEVELS_MAX]);

void leveled_overview_close(struct leveled_overview *overview);

#endif
