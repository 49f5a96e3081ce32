/* SPDX-License-Identifier: MIT */
/*
 * history_subject.h - a query of the public interface as something to compare with a reference.
 */
#ifndef SUPPORT_HISTORY_SUBJECT_H
#define SUPPORT_HISTORY_SUBJECT_H

#include "support/reference.h"
#include "tree/tree_iter.h"

/* Returns what a query has counted, in the words of a tree. */
struct tree_counts history_counts(const struct histree_cursor *query);

/* The query is borrowed. */
struct subject history_subject(struct histree_cursor *query, const struct histree_history_info *info);

/*
 * Verify a history and ask it `questions` random questions.  NULL if it is what the reference says, else what is
 * not: in `fault`, or constant.
 */
const char *history_compare(struct histree_history *history, const struct reference *reference, uint64_t seed,
			    unsigned questions, char fault[512]);

#endif
