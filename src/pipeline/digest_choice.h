/* SPDX-License-Identifier: MIT */
/*
 * digest_choice.h - which attributes go into a digest, and how long their cells are.
 */
#ifndef PIPELINE_DIGEST_CHOICE_H
#define PIPELINE_DIGEST_CHOICE_H

#include "histree/query.h"
#include "pipeline/digest_progress.h"
#include "pipeline/digest_writer.h"

/* An attribute of the history being read that goes into the digest being made. */
struct digested {
	histree_quark source; /* in what is read */
	histree_quark quark;  /* in the history that has the digests */
	histree_quark own;    /* in the digest */
	uint32_t width_log2;
	uint64_t states; /* in the digest */
};

/* A zeroed one is empty. */
struct digest_choice {
	struct digested *digested; /* by `source` */
	uint32_t count;
	size_t capacity;
	uint64_t states; /* that these have in what is read */
};

/* For the first digest, of the history itself: its states are counted. */
enum histree_status digest_choice_of_history(struct digest_choice *choice, const struct digest_options *options,
					     struct histree_query *query, const struct histree_history_info *of,
					     const struct digest_progress *progress, struct histree_error *error);

/* For the next one, of the digest that was just made: longer cells. */
void digest_choice_of_digest(struct digest_choice *choice, const struct digest_options *options);

/* The place of an attribute that is read; `near` is that of the one before. */
uint32_t digest_choice_find(const struct digest_choice *choice, histree_quark source, uint32_t near);

void digest_choice_release(struct digest_choice *choice);

#endif
