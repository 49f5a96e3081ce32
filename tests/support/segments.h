/* SPDX-License-Identifier: MIT */
/*
 * segments.h - made-up segments of several kinds, and the array searched linearly that every segment store is
 * compared with.
 */
#ifndef SUPPORT_SEGMENTS_H
#define SUPPORT_SEGMENTS_H

#include "base/hash_index.h"
#include "histree/segments.h"

/* How starts and durations are drawn. */
enum segment_model {
	SEGMENTS_NOISY,      /* thesis 5.4: starts on a line, with noise; one duration */
	SEGMENTS_RANDOM,     /* thesis 5.4: starts anywhere from 0 on; one duration */
	SEGMENTS_BY_END,     /* as an analysis makes them: by end, most short, a few long */
	SEGMENTS_SCATTERED,  /* starts and durations anywhere in all of time */
	SEGMENTS_EXTREME,    /* of the ends of time, zero, and what is beside them */
	SEGMENTS_FEW_VALUES, /* the same few over and over */
};

struct segment_kind {
	const char *name; /* NULL ends a list */
	enum segment_model model;
	size_t count;
	bool content;
};

extern const struct segment_kind segment_kinds[];

/*
 * With content, a segment has these: its own number, a name, a number that is null now and then, and one of each
 * type.
 */
enum { SEGMENT_ID, SEGMENT_NAME, SEGMENT_RESULT, SEGMENT_RATIO, SEGMENT_FLAG, SEGMENT_TID, SEGMENT_TEST_FIELDS };

extern const struct histree_segment_schema segment_test_schema, segment_empty_schema;

struct segments {
	const struct histree_segment_schema *schema;
	struct histree_segment *segments;
	size_t count;
	struct histree_value *values; /* SEGMENT_TEST_FIELDS for each, in the order in which they were made */
};

/* False when memory is out. */
bool segments_make(struct segments *segments, const struct segment_kind *kind, uint64_t seed);
void segments_release(struct segments *segments);

/* A store in memory that holds them, for who tests what is above stores; NULL when that fails. */
struct histree_segment_store *segments_store(const struct segments *segments);

/*
 * The answer to a query, in its order but without regard to filter_context: indices of segments, in `out`, which
 * has room for all.  Returns how many.
 */
size_t segments_answer(const struct segments *segments, const struct histree_segment_query *query, size_t *out);

bool segments_content_equal(const struct segments *segments, const struct histree_segment *a,
			    const struct histree_segment *b);

#endif
