/* SPDX-License-Identifier: MIT */
/*
 * segment_overviews.h - the overviews of a segment store: made, found, and checked against its segments.
 *
 * Overviews are segment stores beside the store; their segments are summaries of its segments by cells of time
 * (docs/design/05-pyramid.md).
 *
 * Overview STORE.overview1 has the shortest cells.  Cells divide the time at which segments start: a cell is 2^W
 * ns, counted from the earliest possible time, and lies within a cell of the next overview.  Each segment is in one
 * summary of each overview.
 *
 * The last overview may cover all times and all values together, by parts of duration that are narrower than
 * buckets (segment_summary.h).
 *
 * They are an optimisation: overviews that are missing or belong to another store are not used.
 */
#ifndef SEGMENT_SEGMENT_OVERVIEWS_H
#define SEGMENT_SEGMENT_OVERVIEWS_H

#include "histree/segments.h"

enum { SEGMENT_OVERVIEWS_MAX = HISTREE_SEGMENT_OVERVIEWS_MAX, SEGMENT_OVERVIEW_VERSION = 1 };

/* The width of the cells of an overview of all of the time. */
enum { SEGMENT_OVERVIEW_OF_ALL = 63 };

struct segment_overview {
	struct histree_segment_store *store;
	unsigned width_log2;
	unsigned parts_log2; /* 0: of buckets */
};

struct segment_overviews {
	struct segment_overview overviews[SEGMENT_OVERVIEWS_MAX]; /* the one with the shortest cells first */
	uint32_t count;
	struct segment_overview parts; /* store NULL: none */
	size_t field;                  /* whose values they tell apart; SEGMENT_OVERVIEWS_TOGETHER: none */
};

#define SEGMENT_OVERVIEWS_TOGETHER SIZE_MAX

/* Whose an overview is, which is the text of its provider. */
struct segment_overview_name {
	uint64_t identity, segments; /* of the store */
	size_t field;
	unsigned width_log2, parts_log2;
};

enum { SEGMENT_OVERVIEW_PROVIDER_SIZE = 160 };

void segment_overview_provider(const struct segment_overview_name *name, char room[SEGMENT_OVERVIEW_PROVIDER_SIZE]);

/* Returns the path of overview 1, 2, ... of the store at a path, which is the caller's to free; or NULL. */
char *segment_overview_path(const char *store, uint32_t number);

/* The number of the cell of a time. */
static inline uint64_t segment_overview_cell(histree_time time, unsigned width_log2)
{
	return ((uint64_t)time ^ UINT64_C(1) << 63) >> width_log2;
}

/* The time that is this number, as segment_overview_cell() counts nanoseconds. */
static inline histree_time segment_overview_time(uint64_t number)
{
	return (histree_time)(number ^ UINT64_C(1) << 63);
}

struct io;

/* Open an overview.  Returns HISTREE_ERR_FORMAT if the file is no overview of this store. */
enum histree_status segment_overview_open(const struct io *io, const char *path,
					  const struct histree_segment_store_info *of, size_t cache_bytes,
					  struct segment_overview *out, size_t *field, struct histree_error *error);

/* Open the overviews that the store has, maybe none; each gets a cache of `cache_bytes`.  NULL: memory runs out. */
struct segment_overviews *segment_overviews_open(const struct io *io, const char *path,
						 const struct histree_segment_store_info *of, size_t cache_bytes);

/*
 * Read all overviews beside a store, usable or not, and compare their sums with the segments of the store, which
 * must be sound; NULL: do not compare with segments.  `report` gets a sentence for each fault. Returns
 * HISTREE_ERR_FORMAT if there was a fault.
 */
enum histree_status segment_overviews_verify(const struct io *io, const char *path,
					     const struct histree_segment_store_info *of,
					     struct histree_segment_store *segments,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error);

/* NULL is allowed. */
void segment_overviews_close(struct segment_overviews *overviews);

#endif
