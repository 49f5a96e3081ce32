// SPDX-License-Identifier: MIT
#include "support/effort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 20130704 };

static uint64_t number_from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	return text != NULL && *text != '\0' ? strtoull(text, NULL, 0) : otherwise;
}

uint64_t test_seed(void)
{
	static bool is_printed;
	uint64_t seed = number_from_environment("HISTREE_SEED", SEED);
	if (!is_printed)
		fprintf(stderr, "HISTREE_SEED=%" PRIu64 "\n", seed);
	is_printed = true;
	return seed;
}

uint64_t test_rounds(void)
{
	return number_from_environment("HISTREE_ROUNDS", 1);
}

bool test_is_quick(void)
{
	const char *length = getenv("HISTREE_TESTS");
	return length != NULL && strcmp(length, "quick") == 0;
}

uint64_t test_effort(uint64_t full, uint64_t quick)
{
	return test_is_quick() ? quick : full;
}
