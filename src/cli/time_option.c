// SPDX-License-Identifier: MIT
#include "cli/time_option.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/time_text.h"

enum cli_exit time_option_read(const char *option, const char *text, const struct histree_history_info *info,
			       histree_time *time)
{
	if (!time_parse(text, info->start, info->end, time))
		return report_exit(
			CLI_USAGE,
			"'--%s': '%s' is not a time: ns since the epoch, '+12.5ms' after the start of the "
			"history, or HH:MM:SS.nnnnnnnnn",
			option, text);
	if (*time >= info->start && *time <= info->end)
		return CLI_OK;
	char start[TIME_TEXT_SIZE], end[TIME_TEXT_SIZE], clock[TIME_TEXT_SIZE];
	time_format_date(info->start, start);
	time_format_date(info->end, end);
	time_format_date(*time, clock);
	return report_exit(CLI_USAGE,
			   "'--%s': '%s' is %" PRId64 " (%s), outside the history, which goes from %" PRId64
			   " (%s) to %" PRId64 " (%s)",
			   option, text, *time, clock, info->start, start, info->end, end);
}

enum cli_exit time_option_range(const char *from, const char *to, const struct histree_history_info *info,
				histree_time *first, histree_time *last)
{
	*first = info->start;
	*last = info->end;
	enum cli_exit code = from == NULL ? CLI_OK : time_option_read("from", from, info, first);
	if (code == CLI_OK && to != NULL)
		code = time_option_read("to", to, info, last);
	if (code == CLI_OK && *first > *last)
		return report_exit(CLI_USAGE, "'--from' is %" PRId64 ", after '--to', which is %" PRId64, *first,
				   *last);
	return code;
}
