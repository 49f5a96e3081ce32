/* SPDX-License-Identifier: MIT */
/*
 * segment.h - something that lasted: a system call, an interrupt, a function (thesis 5.4).
 *
 * A segment has a start, an end and a content, but no attribute: segments may overlap, and be equal.  Its duration
 * is end - start, in nanoseconds, and may be 0; start and end may be any time, also negative ones.  What the
 * content is, a schema declares.  Stores of segments are in segment_store.h.
 */
#ifndef HISTREE_SEGMENT_H
#define HISTREE_SEGMENT_H

#include "value.h"

struct histree_segment_field {
	const char *name;       /* "name", "tid": each field of a schema another one */
	enum histree_type type; /* int, long, double, bool or string; the value of any field may also be null */
};

enum { HISTREE_SEGMENT_FIELDS_MAX = 32 };

struct histree_segment_schema {
	const char *provider; /* who made it and knows what it means: "system_calls" */
	uint32_t provider_version;
	const struct histree_segment_field *fields;
	size_t field_count; /* 0: segments without content */
};

struct histree_segment {
	histree_time start;
	histree_time end; /* start or later */
	/* As many as the schema has fields.  Handing in: read only during the call, NULL: all null.  Handed out:
	 * borrowed, with their bytes, until the next call on the iterator. */
	const struct histree_value *content;
};

/* As wide as time itself, so that no duration overflows. */
static inline uint64_t histree_segment_duration(const struct histree_segment *segment)
{
	return (uint64_t)segment->end - (uint64_t)segment->start;
}

#endif
