/* SPDX-License-Identifier: MIT */
/*
 * verb_info.h - what `info` can be asked, and what answers it.
 */
#ifndef CLI_VERB_INFO_H
#define CLI_VERB_INFO_H

#include <stdbool.h>

#include "cli/option.h"

struct info_options {
	struct cli_question question;
	const char *name;
	struct cli_texts definitions;
	bool attributes, children, labels, charts, analyses;
};

/* Lists what of a store the options choose: attributes, fields of segments, labels or charts. */
int info_list_run(void *said, const struct cli_words *words);

/* Lists the analyses that there are, or that files define. */
int info_analyses_run(void *said, const struct cli_words *words);

#endif
