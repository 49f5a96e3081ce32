/* SPDX-License-Identifier: MIT */
/*
 * driver.h - runs a property: it is checked for each kind of input, in rounds, each of which has a seed of its own.
 *
 * HISTREE_SEED and HISTREE_ROUNDS make another run, or a longer one (support/effort.h).  When a round fails the
 * driver prints the line that runs it again.
 */
#ifndef PROPERTY_DRIVER_H
#define PROPERTY_DRIVER_H

#include "shrink.h"
#include "support/test.h"

struct property {
	const void *kinds; /* an array of structures that begin with a name; one without a name ends it */
	size_t kind_size;
	unsigned rounds;                                /* of each kind; a quick run has a fourth */
	void (*check)(const void *kind, uint64_t seed); /* one round; it fails as any test of cmocka does */
	bool (*applies)(const void *kind);              /* NULL: to every kind */
};

/* Runs a test for each kind of each property, then the TESTs of `file`; returns what main() returns. */
int properties_run(const char *file, const struct property *properties, size_t count);

/* The suite of this file: these properties, as in `{ KINDS(workload_kinds), .rounds = 1, .check = is_sorted }`. */
#define KINDS(array) .kinds = array, .kind_size = sizeof(*(array))
#define PROPERTIES(...)                                                                                \
	TEST_SUITE                                                                                     \
	{                                                                                              \
		const struct property properties[] = { __VA_ARGS__ };                                  \
		return properties_run(__FILE__, properties, sizeof(properties) / sizeof(*properties)); \
	}

/*
 * Checks more rounds of each kind, with other seeds than those of properties_run(), until `is_enough` holds: so
 * what a few rounds must have seen is seen whatever the seed is.  Returns whether it holds in the end.
 */
bool property_go_on(const struct property *property, bool (*is_enough)(void));

/*
 * Fails the round in which `check` found `fault` in the workload: prints the shape (as printf() does), makes the
 * workload as small as it can be, and prints that too.
 */
void property_fail_shrunk(struct workload *workload, const struct workload_check *check, const char *fault,
			  const char *shape, ...) __attribute__((format(printf, 4, 5)));

#endif
