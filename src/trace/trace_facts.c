// SPDX-License-Identifier: MIT
#include "trace/trace_facts.h"

#include <stdio.h>

#define NS_PER_SECOND INT64_C(1000000000)

__extension__ typedef __int128 wide;

bool trace_release_has_new_task_states(const char *release)
{
	unsigned major, minor;
	return sscanf(release, "%3u.%3u", &major, &minor) == 2 && (major > 4 || (major == 4 && minor >= 14));
}

bool trace_facts_time(const struct trace_facts *facts, uint64_t cycles, histree_time *out)
{
	if (!facts->has_clock)
		return false;
	wide ns = (wide)cycles * NS_PER_SECOND / (wide)facts->frequency + facts->zero;
	*out = (histree_time)ns;
	return *out == ns;
}
