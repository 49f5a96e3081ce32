// SPDX-License-Identifier: MIT
#include "cli/open_files.h"

#include <sys/resource.h>

void open_files_allow_all(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE,
			&limit); /* what it refuses is not had, and files that cannot be opened say so */
}
