/* SPDX-License-Identifier: MIT */
/*
 * sample_flame.h - the samples of a store, as stacks of a flame graph.
 */
#ifndef CLI_SAMPLE_FLAME_H
#define CLI_SAMPLE_FLAME_H

#include "cli/option.h"
#include "cli/time_option.h"
#include "histree/flame.h"

struct sample_question {
	char *const *threads; /* numbers, or HOST/number; none: all */
	size_t thread_count;
	const char *event, *where;       /* NULL: see histree_flame_samples_request; all */
	const char *host, *host_option;  /* NULL: all of them */
	struct time_range_options range; /* both NULL: all of it */
	bool counts;
	enum histree_flame_group group;
	unsigned side;
};

/*
 * Whether a flame graph of a store is one of samples: the analysis is `samples`, or it is NULL, and the store has
 * samples and no call stacks.
 */
bool sample_flame_is_meant(const char *path, const char *analysis);

/*
 * Opens the store and adds its samples.  What failed is reported, and so is which of several events it is.
 */
enum cli_exit sample_flame_add(struct histree_flame *flame, const char *path,
			       const struct sample_question *question);

/* Says that not all samples or stacks could be read.  Returns CLI_INPUT. */
enum cli_exit sample_flame_damaged(void);

#endif
