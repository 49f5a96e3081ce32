/* SPDX-License-Identifier: MIT */
/*
 * verb_segments.h - what `segments` can be asked, and what answers it.
 */
#ifndef CLI_VERB_SEGMENTS_H
#define CLI_VERB_SEGMENTS_H

#include <stdbool.h>

#include "cli/option.h"

struct segments_options {
	struct cli_question question;
	const char *of, *per_decade, *on;
	bool histogram, join;
};

/* Statistics of the groups of --by; how many have each duration; with what states they overlap. */
int segment_groups_run(void *said, const struct cli_words *words);
int segment_histogram_run(void *said, const struct cli_words *words);
int segment_join_run(void *said, const struct cli_words *words);

#endif
