/* SPDX-License-Identifier: MIT */
/*
 * history_inside.h - the inside of an opened history, for the files of state/ that make one.
 */
#ifndef STATE_HISTORY_INSIDE_H
#define STATE_HISTORY_INSIDE_H

#include "histree/history.h"
#include "state/attribute_section.h"
#include "state/partial_section.h"
#include "state/pyramid.h"
#include "state/told.h"

struct history_union;

struct histree_history {
	struct history_union
		*hosts; /* the hosts of a history of several, which has nothing else but `info`; otherwise NULL */
	struct block_file *file;
	struct tree_reader *reader;
	struct attribute_view attributes;
	struct pyramid pyramids[PYRAMIDS];
	bool has_overviews;             /* they were looked for, at least */
	struct partial_section partial; /* of a partial one */
	struct history_slices slices;
	/* For a history that another process answers, which has no file and no reader; else all zero. */
	struct histree_history_source source;
	uint32_t source_part;
	uint64_t *nodes_at_height; /* of its info */
	struct told_slots *told;   /* what its values mean, after the first question */
	bool lost_names;           /* salvaged: ATTR has the right checksum, but what it says cannot be names */
	struct histree_history_info info;
};

enum { HISTORY_CACHE_BYTES = 128 << 20 };

#endif
