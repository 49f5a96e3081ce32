/* SPDX-License-Identifier: MIT */
/*
 * losses.h - a real trace of which the events of random times on random CPUs are lost, and said to be.
 */
#ifndef PROPERTY_LOSSES_H
#define PROPERTY_LOSSES_H

#include <stdio.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "event/event.h"
#include "support/data.h"

enum { LOSSES_CPUS_MAX = 64, LOSSES_PER_MILLE_MAX = 20 };

/* Events of a CPU are lost now and then. */
struct losses {
	struct random random;
	unsigned per_mille; /* of the events of a CPU: at which a window begins or ends */
	bool is_losing[LOSSES_CPUS_MAX];
	uint64_t lost, gaps;
};

static inline struct losses losses_of_seed(uint64_t seed)
{
	struct losses losses = { .random = { seed } };
	losses.per_mille = 1 + (unsigned)random_below(&losses.random, LOSSES_PER_MILLE_MAX);
	return losses;
}

/* Returns whether there is a real trace of that name; its path has DATA_PATH_SIZE bytes. */
static inline bool losses_has_trace(const char *name, char *path)
{
	char shared[64];
	snprintf(shared, sizeof(shared), "traces/lttng-kernel/%s", name);
	return shared_path(path, shared);
}

/* A real trace by name; where there are none, the one that comes with the sources. */
static inline const char *losses_trace_path(const char *name)
{
	static char path[DATA_PATH_SIZE];
	return losses_has_trace(name, path) ? path : source_path(path, "tests/data/demo-trace");
}

/*
 * Whether this event is lost; `begins`: it is the first one of a gap, which is to be said before.  `losses` may be
 * NULL.
 */
static inline bool losses_take(struct losses *losses, const struct event *event, bool *begins)
{
	*begins = false;
	if (losses == NULL || event->cpu < 0 || event->cpu >= LOSSES_CPUS_MAX)
		return false;
	bool *losing = &losses->is_losing[event->cpu];
	if (random_below(&losses->random, 1000) < losses->per_mille)
		*begins = *losing = !*losing;
	losses->gaps += *begins;
	losses->lost += *losing;
	return *losing;
}

/* Of a short trace chance may take next to nothing, which shows nothing: then another number is drawn. */
static inline bool losses_are_enough(const struct losses *losses)
{
	return losses->gaps >= 3 && losses->lost > losses->gaps;
}

#endif
