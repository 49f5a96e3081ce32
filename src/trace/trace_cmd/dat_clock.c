// SPDX-License-Identifier: MIT
#include "trace/trace_cmd/dat_clock.h"
#include "base/search.h"

__extension__ typedef __int128 wide;

/* Returns the first of the two samples that a time is judged by. */
static uint32_t sample_before(const struct dat_shift *shift, uint64_t stamp)
{
	const uint32_t low =
		(uint32_t)SEARCH(i, 1, shift->count - 1, (wide)shift->samples[i].time <= (wide)stamp) - 1;
	return low;
}

/*
 * As trace-cmd does (its manual has the samples, not what is done with them): one is an offset; of several, the one
 * before a time scales it, and its offset is moved towards that of the one behind where the protocol says so.
 */
static wide to_host(const struct dat_clock *clock, const struct dat_shift *shift, uint64_t stamp)
{
	if (shift->count == 1)
		return (wide)stamp + shift->samples[0].offset;
	const struct dat_sample *before = &shift->samples[sample_before(shift, stamp)], *behind = before + 1;
	wide offset = before->offset;
	if (clock->interpolates) {
		wide span = (wide)behind->time - before->time;
		wide part = ((wide)stamp - before->time) * ((wide)behind->offset - before->offset);
		offset += (part + span / 2) / span;
	}
	return (((wide)stamp * (wide)before->scaling) >> before->fraction) + offset;
}

bool dat_clock_time(const struct dat_clock *clock, uint32_t cpu, uint64_t stamp, histree_time *out)
{
	if (stamp > INT64_MAX)
		return false;
	wide time = (wide)stamp;
	if (cpu < clock->shift_count && clock->shifts[cpu].count > 0) {
		time = to_host(clock, &clock->shifts[cpu], stamp);
		if (time < 0 || time > INT64_MAX)
			return false;
	}
	if (clock->multiplier != 0)
		time = (time * clock->multiplier) >> clock->shift;
	time += clock->offset;
	*out = (histree_time)time;
	return *out == time;
}
