/* SPDX-License-Identifier: MIT */
/*
 * trace_places.h - where traces are, links followed, to find what is named twice.
 */
#ifndef TRACE_TRACE_PLACES_H
#define TRACE_TRACE_PLACES_H

#include <stdbool.h>
#include <stddef.h>

struct trace_place {
	char *path; /* without links */
	const char *given, *host;
};

/* A zeroed one is empty. */
struct trace_places {
	struct trace_place *places;
	size_t count, capacity;
};

/*
 * Add a trace as it was given, and its host, both borrowed.  What is not there is left out: who opens it says why.
 * Returns false if memory is out.
 */
bool trace_places_add(struct trace_places *places, const char *given, const char *host);

/* Returns the second of two that are one trace, the first one before it; NULL if all are different. */
const struct trace_place *trace_places_twice(struct trace_places *places);

/* The same, but of two different hosts. */
const struct trace_place *trace_places_of_two_hosts(struct trace_places *places);

void trace_places_release(struct trace_places *places);

#endif
