// SPDX-License-Identifier: MIT
/*
 * state_insert.c - whole intervals: two changes of state each, in one step where the attribute was null before.
 */
#include <inttypes.h>

#include "base/error.h"
#include "state/state_system.h"

enum {
	/* So far ahead of its use an ongoing state is asked for: shuffled attributes meet no cached one. */
	PREFETCH_DISTANCE = 32,
	RUN_INTERVALS = 64, /* handed to the sink at once, at most: what it reads again is in the nearest cache */
};

static enum histree_status check_times(const struct histree_state_system *system,
				       const struct histree_interval *interval, struct histree_error *error)
{
	if (interval->start > interval->end || interval->end == INT64_MAX)
		return error_set(error, HISTREE_ERR_TIME_RANGE, "an interval from %" PRId64 " to %" PRId64,
				 interval->start, interval->end);
	histree_time since = system->ongoing.states[interval->quark].since;
	if (interval->start >= since || interval->value.type == HISTREE_NULL)
		return HISTREE_OK;
	error_set(error, HISTREE_ERR_TIME_BACKWARDS,
		  "an interval from %" PRId64 ", but its ongoing state began at %" PRId64, interval->start, since);
	attributes_prefix(&system->attributes.base, interval->quark, error);
	return HISTREE_ERR_TIME_BACKWARDS;
}

static enum histree_status check(const struct histree_state_system *system, const struct histree_interval *interval,
				 struct histree_error *error)
{
	enum histree_status status = attributes_check(&system->attributes.base, interval->quark, error);
	if (status == HISTREE_OK)
		status = check_times(system, interval, error);
	if (status == HISTREE_OK)
		status = state_check_change(system, interval->start, interval->quark, &interval->value, error);
	return status;
}

/* As changes, the second of which is after the end of what was inserted. */
static enum histree_status apply(struct histree_state_system *system, const struct histree_interval *interval,
				 struct histree_error *error)
{
	const struct histree_value null = histree_null();
	histree_time end = system->current_end > interval->end ? system->current_end : interval->end;
	enum histree_status status =
		state_apply_change(system, interval->start, interval->quark, &interval->value, error);
	if (status == HISTREE_OK)
		status = state_apply_change(system, interval->end + 1, interval->quark, &null, error);
	system->current_end = end;
	return status;
}

/* The attribute is null since the interval's start, as it is when its intervals come one after the other. */
static inline bool goes_on(const struct ongoing_state *state, const struct histree_interval *interval)
{
	return state->type == HISTREE_NULL && state->since == interval->start &&
	       (state->fixed_type == interval->value.type || state->fixed_type == HISTREE_NULL) &&
	       interval->value.type == HISTREE_INT && interval->start <= interval->end &&
	       interval->end != INT64_MAX;
}

/* A state may lie in two lines. */
static inline void prefetch_state(const struct histree_state_system *system,
				  const struct histree_interval *interval)
{
	const struct ongoing_state *state = &system->ongoing.states[interval->quark];
	if (interval->quark >= system->attributes.base.count)
		return;
	__builtin_prefetch(&state->since, 1);
	__builtin_prefetch(&state->type, 1);
}

/*
 * Have the attributes of the next intervals be null after them, as long as these just go on, before they are added:
 * if that fails, the system is of no use any more.  Returns how many.
 */
static size_t take_run(struct histree_state_system *system, const struct histree_interval *intervals, size_t count)
{
	struct ongoing_state *const states = system->ongoing.states;
	const uint32_t attribute_count = system->attributes.base.count;
	const size_t ahead = count > PREFETCH_DISTANCE ? count - PREFETCH_DISTANCE : 0;
	size_t most = count < RUN_INTERVALS ? count : RUN_INTERVALS, taken = 0;
	histree_time end = system->current_end;
	for (; taken < most; taken++) {
		const struct histree_interval *interval = &intervals[taken];
		if (taken < ahead)
			prefetch_state(system, interval + PREFETCH_DISTANCE);
		if (interval->quark >= attribute_count)
			break;
		struct ongoing_state *state = &states[interval->quark];
		if (!goes_on(state, interval))
			break;
		state->since = interval->end + 1;
		state->fixed_type = HISTREE_INT;
		end = interval->end > end ? interval->end : end;
	}
	system->current_end = end;
	return taken;
}

/* One that does not just go on: a pair of changes. */
static enum histree_status insert_one(struct histree_state_system *system, const struct histree_interval *interval,
				      struct histree_error *error)
{
	enum histree_status status = check(system, interval, error);
	return status == HISTREE_OK ? apply(system, interval, error) : status;
}

enum histree_status histree_state_insert(struct histree_state_system *system,
					 const struct histree_interval *intervals, size_t count, size_t *inserted,
					 struct histree_error *error)
{
	enum histree_status status = state_check_open(system, error);
	size_t done = 0;
	for (size_t i = 0; i < count && i < PREFETCH_DISTANCE; i++)
		prefetch_state(system, &intervals[i]);
	while (done < count && status == HISTREE_OK) {
		size_t added = 0, run = take_run(system, &intervals[done], count - done);
		if (run > 0) {
			status = state_add_intervals(system, &intervals[done], run, &added, error);
		} else {
			status = insert_one(system, &intervals[done], error);
			added = status == HISTREE_OK;
		}
		done += added;
	}
	if (inserted != NULL)
		*inserted = done;
	return status;
}
