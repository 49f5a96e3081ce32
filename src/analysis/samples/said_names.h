/* SPDX-License-Identifier: MIT */
/*
 * said_names.h - what processes and threads are called, as samples with names or tracks say of them.
 *
 * A thread is told by its process and its number, as those of several name spaces have the same numbers.
 */
#ifndef ANALYSIS_SAMPLES_SAID_NAMES_H
#define ANALYSIS_SAMPLES_SAID_NAMES_H

#include "base/intern.h"
#include "event/event.h"

/* In the place of a thread: it is a process.  In the place of a process: that is not known. */
#define SAID_NONE INT64_MIN

/* A zeroed one is empty. */
struct said_names {
	struct intern keys, texts;
	uint32_t *names; /* texts, by number of the key */
	size_t capacity;
};

/* False: memory is out. */
bool said_names_set(struct said_names *said, const struct event_trace *trace, int64_t pid, int64_t tid,
		    const char *name, size_t size);

/* Returns NULL if nobody said it. */
const char *said_names_get(const struct said_names *said, const struct event_trace *trace, int64_t pid,
			   int64_t tid);

void said_names_release(struct said_names *said);

#endif
