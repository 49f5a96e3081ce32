/* SPDX-License-Identifier: MIT */
/*
 * sql_twins.h - numbers that tell segments of the same start and end apart, where these follow one another.
 *
 * Contents are told apart by a hash of 64 bits, equal ones by how many came before.
 */
#ifndef SQL_SQL_TWINS_H
#define SQL_SQL_TWINS_H

#include "histree/segment.h"

struct sql_twins {
	histree_time start, end; /* of the segments that were counted last */
	uint64_t *hashes;        /* of their contents */
	size_t count, capacity;
};

/* A zeroed one has counted nothing.  Begin again. */
static inline void sql_twins_begin(struct sql_twins *twins)
{
	twins->count = 0;
}

/*
 * Get a number that tells this segment from others of the same start and end, the same in each pass in which all
 * that are equal to it come, in the same order.  Returns false if memory is out.
 */
bool sql_twins_number(struct sql_twins *twins, const struct histree_segment *segment, size_t field_count,
		      uint64_t *number);

void sql_twins_release(struct sql_twins *twins);

#endif
