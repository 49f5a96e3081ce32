/* SPDX-License-Identifier: MIT */
/*
 * segment_losses.h - walk through segments, and gather what is missing among them.
 *
 * For answers about all segments of a query: they continue after a damaged node, and then say that they are
 * partial.
 */
#ifndef QUERY_SEGMENT_LOSSES_H
#define QUERY_SEGMENT_LOSSES_H

#include "histree/segment_store.h"

/* Zeroed: nothing is missing. */
struct segment_losses {
	bool any;
	struct histree_segment_loss all; /* of all nodes together; `node` is the first of them */
};

void segment_losses_add(struct segment_losses *losses, const struct histree_segment_loss *loss);

/* Call histree_segment_iter_next(), and again as long as it says that something is missing. */
enum histree_status segment_losses_next(struct segment_losses *losses, struct histree_segment_iter *iter,
					struct histree_segment *out, struct histree_error *error);

/* Returns HISTREE_PARTIAL if something is missing, else HISTREE_OK. */
static inline enum histree_status segment_losses_status(const struct segment_losses *losses)
{
	return losses->any ? HISTREE_PARTIAL : HISTREE_OK;
}

#endif
