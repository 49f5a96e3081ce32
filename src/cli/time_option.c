// SPDX-License-Identifier: MIT
#include "cli/time_option.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

#include "base/time_text.h"

struct time_span time_span_of_history(const struct histree_history_info *info)
{
	return (struct time_span){ .start = info->start, .end = info->end, .what = "history" };
}

enum cli_exit time_option_read(const char *option, const char *text, const struct time_span *span,
			       histree_time *time)
{
	if (!time_parse(text, span->start, span->end, time))
		return report_exit(CLI_USAGE,
				   "'--%s': '%s' is not a time: write nanoseconds since the epoch, '+12.5ms' after "
				   "the start of "
				   "the %s, '17:46:23.1' or '2016-03-04 17:46:23.1'",
				   option, text, span->what);
	if (*time >= span->start && *time <= span->end)
		return CLI_OK;
	char start[TIME_TEXT_SIZE], end[TIME_TEXT_SIZE], clock[TIME_TEXT_SIZE];
	time_format_date(span->start, start);
	time_format_date(span->end, end);
	time_format_date(*time, clock);
	return report_exit(CLI_USAGE,
			   "'--%s': '%s' is %" PRId64 " (%s), outside the %s, which goes from %" PRId64
			   " (%s) to %" PRId64 " (%s)",
			   option, text, *time, clock, span->what, span->start, start, span->end, end);
}

enum cli_exit time_option_range_of(const struct time_range_options *options, const struct time_span *span,
				   histree_time *first, histree_time *last)
{
	assert(span->start <= span->end);
	*first = span->start;
	*last = span->end;
	enum cli_exit code = CLI_OK;
	if (options->from != NULL)
		code = time_option_read(options->from_name, options->from, span, first);
	if (code == CLI_OK && options->to != NULL)
		code = time_option_read(options->to_name, options->to, span, last);
	if (code == CLI_OK && *first > *last)
		return report_exit(CLI_USAGE, "'--%s' is %" PRId64 ", after '--%s', which is %" PRId64,
				   options->from_name, *first, options->to_name, *last);
	return code;
}

enum cli_exit time_option_range(const char *from, const char *to, const struct time_span *span, histree_time *first,
				histree_time *last)
{
	const struct time_range_options options = { .from_name = "from", .to_name = "to", .from = from, .to = to };
	return time_option_range_of(&options, span, first, last);
}
