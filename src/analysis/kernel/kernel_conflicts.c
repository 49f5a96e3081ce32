// SPDX-License-Identifier: MIT
/*
 * kernel_conflicts.c - whether denials are so many that events must be missing, and the sentence that says so.
 * Each kind of event of which many deny others has a part in it.
 */
#include "analysis/kernel/kernel_conflicts.h"

#include <inttypes.h>
#include <stdio.h>

static bool are_many(const struct kernel_conflicts *conflicts, enum kernel_conflict kind)
{
	return conflicts->denials[kind] >= CONFLICTS_MANY &&
	       conflicts->denials[kind] > conflicts->events[kind] / CONFLICTS_RATE;
}

static bool is_of_some_programs(const struct kernel_conflicts *conflicts)
{
	return conflicts->to_idle > 0 && conflicts->from_idle == 0;
}

void conflicts_describe(const struct kernel_conflicts *conflicts, const char *what_follows, char *text, size_t size)
{
	static const char *const formats[CONFLICT_KINDS] = {
		[CONFLICT_SWITCH] =
			"%s %" PRIu64 " times a thread ran where none of %" PRIu64 " switches had brought it",
		[CONFLICT_CALL] = "%s %" PRIu64 " of %" PRIu64 " beginnings and ends of system calls do not match",
		[CONFLICT_INTERRUPT] =
			"%s %" PRIu64 " of %" PRIu64 " beginnings and ends of interrupts do not match",
	};
	const char *before = "events are missing that nobody said were lost:";
	size_t length = 0;
	text[0] = '\0';
	for (enum kernel_conflict kind = 0; kind < CONFLICT_KINDS && length < size; kind++) {
		bool is_no_loss = kind == CONFLICT_SWITCH && is_of_some_programs(conflicts);
		if (is_no_loss || !are_many(conflicts, kind))
			continue;
		length += (size_t)snprintf(text + length, size - length, formats[kind], before,
					   conflicts->denials[kind], conflicts->events[kind]);
		before = ",";
	}
	if (length > 0 && length < size)
		snprintf(text + length, size - length, "; %s", what_follows);
}
