/* SPDX-License-Identifier: MIT */
/*
 * monotonic.h - how much time passes, whatever is done to the time of day.
 */
#ifndef BASE_MONOTONIC_H
#define BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline int64_t monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t monotonic_ms(void)
{
	return monotonic_ns() / 1000000;
}

#endif
