// SPDX-License-Identifier: MIT
#include "base/processors.h"

#include <sched.h>
#include <unistd.h>

uint32_t processors_count(void)
{
	cpu_set_t set;
	long count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
	return count > 0 ? (uint32_t)count : 1;
}
