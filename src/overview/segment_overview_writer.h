/* SPDX-License-Identifier: MIT */
/*
 * segment_overview_writer.h - make the overviews of a segment store (docs/design/0028-summaries.md).
 */
#ifndef OVERVIEW_SEGMENT_OVERVIEW_WRITER_H
#define OVERVIEW_SEGMENT_OVERVIEW_WRITER_H

#include "overview/segment_ladder.h"

/* The limits with which histree_segment_store_make_overviews() makes those of a store. */
struct segment_overview_limits segment_overview_limits(const struct histree_segment_store_info *of);

/* The same as that function with any limits. */
enum histree_status segment_overviews_write(struct histree_segment_store *store,
					    const struct segment_overview_limits *limits,
					    struct histree_cancel cancel, struct histree_error *error);

#endif
