/* SPDX-License-Identifier: MIT */
/*
 * segment_overviews_check.h - whether an overview of segments says what there is: its summaries are made again.
 */
#ifndef SEGMENT_SEGMENT_OVERVIEWS_CHECK_H
#define SEGMENT_SEGMENT_OVERVIEWS_CHECK_H

#include "segment/segment_overviews.h"

/*
 * Compare all sums of an overview by `field` with what they are of: the segments of the store, if `below` is NULL,
 * or the summaries of an overview with shorter cells.  Both are sound in themselves.  HISTREE_ERR_FORMAT: they
 * differ.  In memory are those of 64 Ki summaries, or of one cell.
 */
enum histree_status segment_overview_check(const struct segment_overview *overview,
					   const struct segment_overview *below,
					   struct histree_segment_store *segments, size_t field,
					   struct histree_error *error);

#endif
