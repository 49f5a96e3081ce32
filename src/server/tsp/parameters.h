/* SPDX-License-Identifier: MIT */
/*
 * parameters.h - the body of a request: time ranges, lists of times, items, names.
 *
 * A function that returns false has answered with 400 and the reason.  Lists belong to the memory of the reply.
 */
#ifndef SERVER_TSP_PARAMETERS_H
#define SERVER_TSP_PARAMETERS_H

#include "server/http/http.h"

enum {
	PARAMETER_TIMES_MAX = 65536,
	PARAMETER_ITEMS_MAX = 1 << 19, /* all attributes of all histories of a store; a body has room for no more */
};

/*
 * The times that are asked for: `requested_times`, or nbTimes samples of `requested_timerange`, as the reference
 * server takes them: step = (end - start) / (nbTimes - 1), at least 1; start, start + step, ... before end; end.
 * Without samples only start and end.
 */
struct parameter_times {
	histree_time start, end; /* the first and the last */
	histree_time *times;     /* ascending, each once; at least one */
	size_t count;
};

bool parameters_times(const struct call *call, struct parameter_times *out);

/* Returns how wide the chart of these times is: as they say, or as wide as most where there are but two. */
static inline uint32_t parameter_times_pixels(const struct parameter_times *times)
{
	enum { USUAL_PIXELS = 1000 };
	return times->count > 2 ? (uint32_t)times->count - 1 : USUAL_PIXELS;
}

/*
 * Reads `requested_timerange`, or the first and last of `requested_times`; without either, both outputs stay as
 * they were.
 */
bool parameters_range(const struct call *call, histree_time *start, histree_time *end);

/* Returns the part of the times that lies in a history; it borrows them. */
struct parameter_times parameter_times_within(const struct parameter_times *times, histree_time start,
					      histree_time end);

/* Reads `requested_items`.  The list is empty without such a member. */
bool parameters_items(const struct call *call, int64_t **out, size_t *count);

/* Members of the parameters. */
bool parameters_int(const struct call *call, const char *name,
		    int64_t *out);                                      /* false: absent; nothing is answered */
const char *parameters_text(const struct call *call, const char *name); /* NULL: absent */

#endif
