/* SPDX-License-Identifier: MIT */
/*
 * http_memory.h - one ceiling for the memory of all answers together, from the turn of each until it was taken.
 *
 * What answers take is what the process has allocated beyond what it had when none was under way: stores and what
 * is kept of them are not counted.  That is known a moment late, so each answer claims some memory beforehand, and
 * what is known to be large in addition.  Above the ceiling no answer begins, and of those under way only the one
 * that came first goes on, so that it holds the memory of one answer more at most and always gets less.
 */
#ifndef SERVER_HTTP_HTTP_MEMORY_H
#define SERVER_HTTP_HTTP_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an answer has of it; zeroed: nothing yet. */
struct memory_share {
	bool is_under_way;
	size_t claimed;
	struct memory_share *before, *after; /* in the order of their beginning */
};

struct http_memory {
	size_t ceiling;
	pthread_mutex_t mutex; /* of all that follows, and of the shares */
	size_t claimed;
	size_t resting; /* what was allocated when the first of those under way began */
	size_t taken;   /* by the answers, when it was measured last */
	int64_t measured_ns;
	struct memory_share *first, *last;
};

void http_memory_init(struct http_memory *memory, size_t ceiling);
void http_memory_release(struct http_memory *memory);

/* Waits until there is room for another answer, for so long.  Returns false if there was none. */
bool http_memory_begin(struct http_memory *memory, struct memory_share *share, int milliseconds);

/* Waits until the answer may take so many bytes more, which are claimed then.  Returns false if there were none. */
bool http_memory_claim(struct http_memory *memory, struct memory_share *share, size_t more, int milliseconds);

/* Returns whether an answer may go on. */
bool http_memory_goes_on(struct http_memory *memory, const struct memory_share *share);

/* The answer was taken, or given up; it may not have begun. */
void http_memory_end(struct http_memory *memory, struct memory_share *share);

#endif
