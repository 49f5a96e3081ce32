/* SPDX-License-Identifier: MIT */
/*
 * compare_flame.h - the call stacks of two stores, or of two windows or hosts of one, in one flame graph.
 */
#ifndef CLI_COMPARE_FLAME_H
#define CLI_COMPARE_FLAME_H

#include "cli/option.h"
#include "cli/time_option.h"

struct compare_flame {
	const char *analysis, *format; /* as those options have them */
	const char *output;            /* a picture; NULL: rows */
	bool replaces;                 /* a file of that name */
	const char *size;
	const char *where;                       /* of samples: those that pass; NULL: all */
	const struct time_range_options *ranges; /* of A and of B */
	const char *hosts[2];                    /* of A and of B; NULL: all of a store */
};

/* The first two words are stores, the others patterns, or of samples threads.  Returns what to exit with. */
int compare_flame_run(const struct cli_words *words, const struct compare_flame *chosen);

#endif
