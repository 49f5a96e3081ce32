/* SPDX-License-Identifier: MIT */
/*
 * segment.h - something that lasted: a system call, an interrupt, a function (thesis 5.4).
 *
 * A segment has a start, an end and a content, but no attribute, so segments may overlap and may be equal.  Its
 * duration is end - start in nanoseconds and may be 0.  Start and end may be any time, including negative ones.  A
 * schema declares what the content is.  Stores of segments are declared in segment_store.h.
 */
#ifndef HISTREE_SEGMENT_H
#define HISTREE_SEGMENT_H

#include "value.h"

struct histree_segment_field {
	const char *name;       /* such as "tid"; unique within its schema */
	enum histree_type type; /* int, long, double, bool or string; a value may also be null */
};

enum { HISTREE_SEGMENT_FIELDS_MAX = 32 };

struct histree_segment_schema {
	const char *provider; /* the analysis that made it and knows what it means, such as "system_calls" */
	uint32_t provider_version;
	const struct histree_segment_field *fields;
	size_t field_count; /* 0: segments without content */
};

struct histree_segment {
	histree_time start;
	histree_time end; /* start or later */
	/*
	 * One value for each field of the schema.  A function that takes a segment reads them only during the call,
	 * and takes NULL to mean that all are null.  An iterator that hands out a segment lends them, with their
	 * bytes, until its next call.
	 */
	const struct histree_value *content;
};

/* Returns end - start.  The result is unsigned, so that no duration overflows. */
static inline uint64_t histree_segment_duration(const struct histree_segment *segment)
{
	return (uint64_t)segment->end - (uint64_t)segment->start;
}

#endif
