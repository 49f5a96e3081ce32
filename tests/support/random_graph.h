/* SPDX-License-Identifier: MIT */
/*
 * random_graph.h - graphs of who waited for whom as nobody's kernel makes them: any bytes are one.
 */
#ifndef SUPPORT_RANDOM_GRAPH_H
#define SUPPORT_RANDOM_GRAPH_H

#include "histree/critical_path.h"
#include "support/memory_io.h"

enum { RANDOM_GRAPH_THREADS = 6, RANDOM_GRAPH_START = 1000 };

/*
 * Make the file "g" of an analysis `graph`.  Four bytes are an edge of one of the threads 0 to 5: whose, its state,
 * how long, and who ended the edge before it.  Arrows may come from threads that there are none of, from later
 * times, and from each other; every other byte of the values may be none that an analysis makes.
 */
enum histree_status random_graph_build(struct memory_io *memory, const uint8_t *bytes, size_t size,
				       struct histree_error *error);

/*
 * Walk the paths of all threads.  Returns a sentence if a step goes back in time, leaves the range, or is of an
 * enum value that there is none of; NULL if all is well.  *status is that of the first walk that failed.
 */
const char *random_graph_walk(struct histree_history *history, uint64_t *steps, enum histree_status *status,
			      struct histree_error *error);

#endif
