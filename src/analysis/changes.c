// SPDX-License-Identifier: MIT
/*
 * changes.c - the attributes that one event touches and the state changes that it makes.  A refused change is
 * counted and does not end the analysis; other failures do.
 */
#include "analysis/changes.h"

#include "analysis/change_log.h"
#include "base/error.h"
#include "state/state_system.h"

static bool is_refusal(enum histree_status status)
{
	return status == HISTREE_ERR_TYPE || status == HISTREE_ERR_TOO_LARGE || status == HISTREE_ERR_ARGUMENT ||
	       status == HISTREE_ERR_TIME_RANGE;
}

enum histree_status changes_end_failed(struct changes *changes, struct histree_error *error)
{
	if (is_refusal(changes->status)) {
		changes->refused++;
		return HISTREE_OK;
	}
	return error_set(error, changes->status, "%s", changes->error.message);
}

void changes_forgive(struct changes *changes)
{
	if (!is_refusal(changes->status))
		return;
	changes->refused++;
	changes->status = HISTREE_OK;
}

void changes_fail(struct changes *changes, enum histree_status status, const char *what)
{
	if (changes->status == HISTREE_OK)
		changes->status = error_set(&changes->error, status, "%s", what);
}

histree_quark changes_child(struct changes *changes, histree_quark *known, histree_quark parent, const char *name,
			    size_t name_size)
{
	if (*known == NO_ATTRIBUTE && changes->status == HISTREE_OK) {
		histree_quark quark;
		changes->status =
			histree_state_child(changes->system, parent, name, name_size, &quark, &changes->error);
		if (changes->status == HISTREE_OK)
			*known = quark;
	}
	return *known;
}

histree_quark changes_folder(struct changes *changes, histree_quark *known, histree_quark parent, const char *name,
			     size_t name_size)
{
	bool is_known = *known != NO_ATTRIBUTE;
	histree_quark quark = changes_child(changes, known, parent, name, name_size);
	if (!is_known && quark != NO_ATTRIBUTE)
		changes->status = histree_state_folder(changes->system, quark, &changes->error);
	return quark;
}

struct histree_value changes_undecided(struct changes *changes, const struct undecided_value *value,
				       bool *has_no_room)
{
	changes->undecided = *value;
	changes->has_no_room = has_no_room;
	return (struct histree_value){ .type = HISTREE_CUSTOM, .bytes = &changes->undecided };
}

void changes_decide(struct changes *changes, histree_quark fact, enum undecided_outcome outcome, histree_time since)
{
	if (fact == NO_ATTRIBUTE || changes->status != HISTREE_OK)
		return;
	if (changes->log != NULL)
		change_log_decide(changes->log, changes->time, fact, outcome);
	else if (changes->system->undecided != NULL)
		changes->status = state_decide(changes->system, fact, outcome, since, &changes->error);
}

void change(struct changes *changes, histree_quark quark, struct histree_value value)
{
	if (changes->status != HISTREE_OK)
		return;
	if (changes->log != NULL && !change_log_is_exact(changes->log, quark, value.type)) {
		change_log_set(changes->log, changes->time, quark, value);
		return;
	}
	if (value.type == HISTREE_CUSTOM && value.bytes == &changes->undecided) {
		changes->status = state_modify_undecided(changes->system, changes->time, quark, &changes->undecided,
							 &changes->error);
		if (changes->status == HISTREE_NOT_FOUND) {
			changes->status = HISTREE_OK;
			*changes->has_no_room = true;
		} else if (changes->status == HISTREE_ERR_TIME_BACKWARDS) {
			changes->status = HISTREE_OK;
			change_ongoing(changes, quark, changes->undecided.believed);
		}
		return;
	}
	changes->status = histree_state_modify(changes->system, changes->time, quark, value, &changes->error);
	/*
	 * The clock of a trace can step back between packets.  Trace Compass then lets the ongoing state begin
	 * where it began, with the new value; the order of the events decides, not their times.
	 */
	if (changes->status == HISTREE_ERR_TIME_BACKWARDS) {
		changes->status = HISTREE_OK;
		change_ongoing(changes, quark, value);
	}
}

void change_after(struct changes *changes, histree_quark quark, histree_time known, struct histree_value value)
{
	histree_time since = 0, now = changes->time;
	if (changes->log != NULL) {
		change_log_fail(changes->log, "a state ended before the event that says so");
		return;
	}
	if (changes->status == HISTREE_OK)
		changes->status = histree_state_ongoing(changes->system, quark, NULL, &since, &changes->error);
	if (known < since)
		known = since;
	if (known < now)
		changes->time = known + 1;
	change(changes, quark, value);
	changes->time = now;
}

void change_ongoing(struct changes *changes, histree_quark quark, struct histree_value value)
{
	if (changes->log != NULL)
		change_log_fail(changes->log, "a state had another value all along");
	else if (changes->status == HISTREE_OK)
		changes->status = histree_state_update(changes->system, quark, value, &changes->error);
}

struct histree_value changes_value(struct changes *changes, histree_quark quark)
{
	struct histree_value value = histree_null();
	if (changes->status != HISTREE_OK)
		return value;
	if (changes->log != NULL)
		return change_log_value(changes->log, quark);
	if (quark < changes->system->attributes.base.count)
		return state_system_value(changes->system, quark);
	changes->status = histree_state_ongoing(changes->system, quark, &value, NULL, &changes->error);
	return value;
}
