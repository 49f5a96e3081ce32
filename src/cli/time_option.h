/* SPDX-License-Identifier: MIT */
/*
 * time_option.h - options that name a moment of a history.
 */
#ifndef CLI_TIME_OPTION_H
#define CLI_TIME_OPTION_H

#include "cli/report.h"
#include "histree/history.h"

/* The moment that the text of an option names; what is wrong with it is said on standard error. */
enum cli_exit time_option_read(const char *option, const char *text, const struct histree_history_info *info,
			       histree_time *time);

/* Those of --from and --to, in their order; one that is NULL is the history's end on its side. */
enum cli_exit time_option_range(const char *from, const char *to, const struct histree_history_info *info,
				histree_time *first, histree_time *last);

#endif
