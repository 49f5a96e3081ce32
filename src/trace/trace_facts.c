// SPDX-License-Identifier: MIT
#include "trace/trace_facts.h"

#define NS_PER_SECOND INT64_C(1000000000)

__extension__ typedef __int128 wide;

bool trace_facts_time(const struct trace_facts *facts, uint64_t cycles, histree_time *out)
{
	if (!facts->has_clock)
		return false;
	wide ns = (wide)cycles * NS_PER_SECOND / (wide)facts->frequency + facts->zero;
	*out = (histree_time)ns;
	return *out == ns;
}
