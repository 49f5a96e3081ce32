/* SPDX-License-Identifier: MIT */
/*
 * publish_clock.h - when a build publishes what it has so far.
 *
 * Publishing costs what writing the buffers and all names costs, and some syncs, and holds up whoever builds.
 * Unless somebody asked for it more often, it is done every second at most, and so seldom that it takes no more
 * than 3 % of the time; of files for the first time after three seconds.  So a short build does it never, and what
 * is lost of a long one that is cut off is three seconds' work, or 3 % of the rest.
 */
#ifndef PIPELINE_PUBLISH_CLOCK_H
#define PIPELINE_PUBLISH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Times are of one clock that only goes forward, in ns. */
struct publish_clock {
	int64_t every_ns; /* as asked for; 0: as above */
	int64_t next_ns;
};

/* Returns what that clock says. */
int64_t publish_clock_now(void);

/* `is_live`: somebody may be looking on. */
struct publish_clock publish_clock_begin(int64_t every_ns, bool is_live, int64_t now_ns);
bool publish_clock_is_due(const struct publish_clock *clock, int64_t now_ns);

/* It was done, from one time to the other. */
void publish_clock_done(struct publish_clock *clock, int64_t begun_ns, int64_t ended_ns);

#endif
