/* SPDX-License-Identifier: MIT */
/*
 * driver.h - runs a property: it is checked for each kind of input, in rounds, each of which has a seed of its own.
 *
 * HISTREE_SEED and HISTREE_ROUNDS make another run, or a longer one (support/effort.h).  When a round fails the
 * driver prints the line that runs it again.
 */
#ifndef PROPERTY_DRIVER_H
#define PROPERTY_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shrink.h"

struct CMUnitTest;

struct property {
	const void *kinds; /* an array of structures that begin with a name; one without a name ends it */
	size_t kind_size;
	unsigned rounds;                                /* of each kind; a quick run has a fourth */
	void (*check)(const void *kind, uint64_t seed); /* one round; it fails as any test of cmocka does */
	bool (*applies)(const void *kind);              /* NULL: to every kind */
};

/* Runs a test for each kind of each property, then the `others`; returns what main() returns. */
int property_run(const char *name, const struct property *properties, size_t property_count,
		 const struct CMUnitTest *others, size_t other_count);

/*
 * Checks more rounds of each kind, with other seeds than those of property_run(), until `is_enough` holds: so what
 * a few rounds must have seen is seen whatever the seed is.  Returns whether it holds in the end.
 */
bool property_go_on(const struct property *property, bool (*is_enough)(void));

/*
 * Fails the round in which `check` found `fault` in the workload: prints the shape (as printf() does), makes the
 * workload as small as it can be, and prints that too.
 */
void property_fail_shrunk(struct workload *workload, const struct workload_check *check, const char *fault,
			  const char *shape, ...) __attribute__((format(printf, 4, 5)));

#endif
