/* SPDX-License-Identifier: MIT */
/*
 * unpack_limit.h - how much may come of what is packed, so that the work is bounded by the file.
 *
 * Traces are packed to a tenth, or a fiftieth where they repeat themselves; a file that was made to keep us busy to
 * a thousandth (deflate) or a ten-thousandth (zstd).  More than UNPACK_RATIO times what was read is not unpacked,
 * beyond what costs nothing to speak of.
 */
#ifndef TRACE_UNPACK_LIMIT_H
#define TRACE_UNPACK_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNPACK_RATIO = 200, UNPACK_FREE = 64 << 20 };

#define UNPACK_IS_TOO_MUCH "is 200 times as large as it was packed, or more; unpack it first"

/* A zeroed one is that of nothing. */
struct unpack_limit {
	uint64_t packed, plain; /* bytes */
	bool is_over;
};

/* Count bytes that were used, and those that came of them.  Returns false from the limit on. */
static inline bool unpack_limit_count(struct unpack_limit *limit, size_t used, size_t came)
{
	limit->packed += used;
	limit->plain += came;
	limit->is_over = limit->is_over || limit->plain > UNPACK_FREE + UNPACK_RATIO * limit->packed;
	return !limit->is_over;
}

#endif
