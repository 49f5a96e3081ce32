/* SPDX-License-Identifier: MIT */
/*
 * history_numbers.h - the number overview of a history: a history of its own whose states are summaries of the
 * numbers of states that follow one another (docs/design/0031-number-overviews.md).
 *
 * That of FILE is FILE.numbers.  Its attribute 1/Q has a state for each 2^B states of quark Q of the history, 2/Q
 * one for each 2^NUMBERS_STEP_LOG2 of 1/Q, and so on; the last one of each may be of fewer.  The attributes of a
 * level follow one another by Q, so that a tree has them in leaves of their own.  A state is of type custom and as
 * number_summary_put() writes it.
 *
 * It is no more than a help: where there is none, or it is not of this file, numbers are read from the history.
 */
#ifndef STATE_HISTORY_NUMBERS_H
#define STATE_HISTORY_NUMBERS_H

#include "base/io.h"
#include "histree/history.h"
#include "state/overview_levels.h"

enum { NUMBERS_VERSION = 1, NUMBERS_STEP_LOG2 = 3, NUMBERS_LEVELS_MAX = 12, NUMBERS_STATES_LOG2_MAX = 24 };

/* A zeroed one is empty. */
struct history_numbers {
	struct histree_history *history; /* NULL: there is none */
	struct overview_level levels[NUMBERS_LEVELS_MAX];
	uint32_t level_count;
	unsigned states_log2; /* of the history, in a state of level 1 */
};

/* Write the path of that of the history at a path; `room` has numbers_path_size() bytes. */
size_t numbers_path_size(const char *history);
void numbers_path(const char *history, char *room);

/* Write the provider by which it says whose it is; `room` is as large as histree_history_info.provider. */
void numbers_provider(const struct histree_history_info *of, unsigned states_log2, char *room, size_t size);

/* Take a history that somebody else answers for; it is closed if it is no number overview of this one. */
enum histree_status history_numbers_attach(struct history_numbers *numbers, struct histree_history *history,
					   const struct histree_history_info *of, struct histree_error *error);

/* Open that of a history, if it has one.  HISTREE_ERR_MEMORY only. */
enum histree_status history_numbers_open(struct history_numbers *numbers, const char *path,
					 const struct histree_history_info *of, size_t cache_bytes,
					 struct histree_error *error);

struct overview_faults;

/* Read all of it, whether it can be used or not; nothing is done if there is none. */
enum histree_status history_numbers_verify(const struct io *io, const char *path,
					   const struct histree_history_info *of, struct overview_faults *faults,
					   struct histree_error *error);

/* Find the attributes that stand for one of the history, that of level 1 first.  Returns how many levels it has. */
uint32_t history_numbers_find(const struct history_numbers *numbers, histree_quark quark,
			      histree_quark own[NUMBERS_LEVELS_MAX]);

void history_numbers_close(struct history_numbers *numbers);

#endif
