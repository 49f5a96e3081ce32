/* SPDX-License-Identifier: MIT */
/*
 * leveled_overview.h - pyramids beside a history: levels of cells, each of eight of the level below.
 *
 * The attributes of an overview that has levels: L/Q is level L, from 1 on, of quark Q of the
 * history that it is of.  Those of a level follow one another by Q, so that a tree has them in leaves of their own.
 *
 * An overview with levels (leveled_overview.h) as a file beside its history: a history of its
 * own, of numbers (leveled_overview.h), of sums (leveled_overview.h) or of all threads together (history_cube.h).
 *
 * That of FILE is FILE.NAME.  Its provider says of which history it is, and how much a state of level 1 is of: 2^N
 * states, or ns; one of each further level is of 2^LEVELED_STEP_LOG2 of the level below.
 *
 * It is no more than a help: where there is none, or it is not of this file, what it would say is read from the
 * history.
 *
 * The number overview of a history: a history of its own whose states are summaries of the
 * numbers of states that follow one another (docs/design/0031-number-overviews.md).
 *
 * That of FILE is FILE.numbers (leveled_overview.h).  Its attribute 1/Q has a state for each 2^B states of quark
 * Q of the history, 2/Q one for each eight of 1/Q, and so on; the last one of each may be of fewer.  The
 * attributes of a level follow one another by Q, so that a tree has them in leaves of their own.  A state is of
 * type custom and as number_summary_put() writes it.
 *
 * The overview of sums of a history: a history of its own whose states say for how long an
 * attribute had each of its values in a cell of time (docs/design/0078-sums.md).
 *
 * That of FILE is FILE.sums (leveled_overview.h).  Its attribute 1/Q has the cells of 2^W ns of quark Q of the
 * history, counted from the start of that, 2/Q those of eight times as many ns, and so on; what is behind the last
 * whole cell is null.  A state is
 *
 * 	custom		a cell, as state_sum_put() writes it
 * 	int, null	cells in which the attribute has this value all the time and no state begins
 * 	custom ""	the same of unknown
 * 	custom "\0"	cells of an attribute whose values are other ones, or too many: of no use
 */
#ifndef STATE_LEVELED_OVERVIEW_H
#define STATE_LEVELED_OVERVIEW_H

#include "base/io.h"
#include "histree/history.h"

struct level_entry {
	histree_quark quark; /* in the history */
	histree_quark own;
};

/* A zeroed one is empty. */
struct overview_level {
	struct level_entry *entries; /* by quark */
	size_t count, capacity;
};

/* Returns NULL if the level does not have the attribute. */
const struct level_entry *overview_level_find(const struct overview_level *level, histree_quark quark);

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

enum { NUMBERS_VERSION = 1, NUMBERS_STATES_LOG2_MAX = 24 };

extern const struct leveled_kind numbers_kind;

enum { SUMS_VERSION = 1, SUMS_WIDTH_LOG2_MAX = 60 };

extern const struct leveled_kind sums_kind;

#endif
