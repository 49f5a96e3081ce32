// SPDX-License-Identifier: MIT
#include "pipeline/publish_clock.h"

#include <time.h>

static const int64_t interval_min_ns = 1000 * 1000 * 1000;
static const int64_t first_of_files_ns = 3LL * 1000 * 1000 * 1000;

enum { BUILD_TIME_SHARE = 33 }; /* of which one part is for publishing: 3 % */

int64_t publish_clock_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct publish_clock publish_clock_begin(int64_t every_ns, bool is_live, int64_t now_ns)
{
	int64_t first = is_live ? interval_min_ns : first_of_files_ns;
	return (struct publish_clock){
		.every_ns = every_ns,
		.next_ns = now_ns + (every_ns > 0 ? every_ns : first),
	};
}

bool publish_clock_is_due(const struct publish_clock *clock, int64_t now_ns)
{
	return now_ns >= clock->next_ns;
}

void publish_clock_done(struct publish_clock *clock, int64_t begun_ns, int64_t ended_ns)
{
	int64_t wait = clock->every_ns;
	if (wait == 0) {
		wait = (ended_ns - begun_ns) * BUILD_TIME_SHARE;
		wait = wait > interval_min_ns ? wait : interval_min_ns;
	}
	clock->next_ns = ended_ns + wait;
}
