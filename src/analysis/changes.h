/* SPDX-License-Identifier: MIT */
/*
 * changes.h - the attributes that one event touches and the state changes that it makes.
 *
 * The first failure is remembered, as a struct byte_reader does: later calls do nothing, attributes read as null,
 * and changes_end() returns the result for the event.  So a handler is a plain list of its changes.
 *
 * 	changes_begin(&changes, event->time);
 * 	change(&changes, status, histree_int(5));
 * 	return changes_end(&changes, error);
 */
#ifndef ANALYSIS_CHANGES_H
#define ANALYSIS_CHANGES_H

#include "histree/history.h"
#include "state/ongoing_states.h"

struct change_log;

/* Stands for a quark that is not created yet.  The root is never an attribute with states. */
#define NO_ATTRIBUTE HISTREE_ROOT

struct changes {
	struct histree_state_system *system; /* borrowed */
	struct change_log *log;     /* of a slice, whose system that is (change_log.h); NULL: all before is known */
	histree_time time;          /* of the event */
	enum histree_status status; /* the first failure of this event */
	struct histree_error error;
	uint64_t refused;                 /* events that a refused change cut short */
	struct undecided_value undecided; /* that a value stands for */
	bool *has_no_room;                /* becomes true if no fact holds it back */
};

static inline void changes_begin(struct changes *changes, histree_time time)
{
	changes->time = time;
	changes->status = HISTREE_OK;
}

/* As changes_end(), of an event that has failed. */
enum histree_status changes_end_failed(struct changes *changes, struct histree_error *error);

/*
 * A change that the state system refuses (another type, too long, a time that the history cannot hold)
 * is the trace's fault: it is counted, and is HISTREE_OK here.  Negative is what must end the build.
 */
static inline enum histree_status changes_end(struct changes *changes, struct histree_error *error)
{
	return changes->status == HISTREE_OK ? HISTREE_OK : changes_end_failed(changes, error);
}

/* If the last change was refused, count it and go on with the event; what ends the build stays. */
void changes_forgive(struct changes *changes);

/* Something other than a change failed, such as memory. */
void changes_fail(struct changes *changes, enum histree_status status, const char *what);

/* Returns the child of `parent` with this name, created if it is missing.  *known keeps it for the next time. */
histree_quark changes_child(struct changes *changes, histree_quark *known, histree_quark parent, const char *name,
			    size_t name_size);

/* As changes_child(), for a folder: it has no states. */
histree_quark changes_folder(struct changes *changes, histree_quark *known, histree_quark parent, const char *name,
			     size_t name_size);

/* The attribute has `value` from the event on. */
void change(struct changes *changes, histree_quark quark, struct histree_value value);

/*
 * The ongoing state was last known to hold at `known`, before the event: it ends there, and `value` follows.  What
 * began later than that is known at its beginning.
 */
void change_after(struct changes *changes, histree_quark quark, histree_time known, struct histree_value value);

/* The ongoing state had `value` all along. */
void change_ongoing(struct changes *changes, histree_quark quark, struct histree_value value);

/*
 * Returns a value for the next change(), which a fact decides (ongoing_states.h); not in a slice.  If there is no
 * room to keep back what it says, *has_no_room becomes true.
 */
struct histree_value changes_undecided(struct changes *changes, const struct undecided_value *value,
				       bool *has_no_room);

/* The fact is known from that time on; a slice may learn it later than the true instance. */
void changes_decide(struct changes *changes, histree_quark fact, enum undecided_outcome outcome,
		    histree_time since);

/* Returns the ongoing value.  Its bytes are borrowed until the next change. */
struct histree_value changes_value(struct changes *changes, histree_quark quark);

#endif
