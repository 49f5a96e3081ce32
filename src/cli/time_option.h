/* SPDX-License-Identifier: MIT */
/*
 * time_option.h - options that name a time of a history, or of something else that goes from a start to an end.
 */
#ifndef CLI_TIME_OPTION_H
#define CLI_TIME_OPTION_H

#include "cli/report.h"
#include "histree/history.h"

/* Both ends inclusive. */
struct time_span {
	histree_time start, end;
	const char *what; /* in messages: "history" */
};

struct time_span time_span_of_history(const struct histree_history_info *info);

/* Reads the time that the text of an option names.  What is wrong with it is reported on standard error. */
enum cli_exit time_option_read(const char *option, const char *text, const struct time_span *span,
			       histree_time *time);

/*
 * Reads --from and --to, which must be in this order.  If one is NULL, the start or the end of the span takes its
 * place.
 */
enum cli_exit time_option_range(const char *from, const char *to, const struct time_span *span, histree_time *first,
				histree_time *last);

/* Reads two such options that have other names. */
struct time_range_options {
	const char *from_name, *to_name;
	const char *from, *to;
};
enum cli_exit time_option_range_of(const struct time_range_options *options, const struct time_span *span,
				   histree_time *first, histree_time *last);

#endif
