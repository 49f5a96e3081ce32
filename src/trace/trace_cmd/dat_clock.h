/* SPDX-License-Identifier: MIT */
/*
 * dat_clock.h - from what the kernel's buffer has for a time to ns of the day, or of the clock that was recorded.
 */
#ifndef TRACE_TRACE_CMD_DAT_CLOCK_H
#define TRACE_TRACE_CMD_DAT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/value.h"

/* How the clock of one CPU of a guest differed from the host's at a time of the guest. */
struct dat_sample {
	int64_t time;
	int64_t offset;
	uint64_t scaling; /* times are multiplied by this and divided by 2^fraction */
	uint64_t fraction;
};

struct dat_shift {
	struct dat_sample *samples; /* by time */
	uint32_t count;
};

/* A zeroed one takes ns for ns. */
struct dat_clock {
	struct dat_shift *shifts; /* by CPU */
	uint32_t shift_count;
	bool interpolates;          /* between samples */
	uint32_t multiplier, shift; /* of cycles; 0: they are ns */
	int64_t offset;             /* what is added in the end */
};

/* Returns whether the result is a time. */
bool dat_clock_time(const struct dat_clock *clock, uint32_t cpu, uint64_t stamp, histree_time *out);

#endif
