/* SPDX-License-Identifier: MIT */
/*
 * change_log.h - the changes of a part of a trace, made without knowledge of the states before it.
 *
 * The analysis of a slice has its own state system, in which every attribute begins with the state that it had
 * before the slice, which is not known.  The changes are kept here in their order, and applied to the true system
 * once that has reached the beginning of the slice.  There they make the same intervals as one pass, in the same
 * order:
 *
 * - The first changes of an attribute are kept as changes, because the state that they end is not known.
 * - From its second value on, an attribute is *exact*: its state and the start of that state are those of one pass.
 *   A change is kept as the interval that it ended: in a pack of leaves, which the true system never sees, or else
 *   in the log, from which the true system takes it.
 * - A change whose value depends on an attribute that is still as it was before names that attribute instead.
 *
 * Reading an attribute that is still as before makes the slice fail; it is then analysed again with the states
 * before it.
 */
#ifndef ANALYSIS_CHANGE_LOG_H
#define ANALYSIS_CHANGE_LOG_H

#include <stddef.h>

#include "base/arena.h"
#include "base/codec.h"
#include "histree/history.h"
#include "histree/value.h"
#include "state/ongoing_states.h"

struct logged_change {
	histree_time time; /* of the change; of an interval the start */
	uint64_t bits;     /* of the value, as ongoing_states.h has it, a text as its id; or another attribute */
	histree_time end;  /* of an interval; or the values to choose from */
	histree_quark quark;
	uint8_t kind, type; /* type: of the value; of a choice its enum change_doubt */
};

enum { CHANGES_PER_CHUNK = 2000 };

struct change_chunk {
	struct change_chunk *next;
	size_t count;
	struct logged_change changes[CHANGES_PER_CHUNK];
};

struct leaf_pack;

/* What is known of an attribute in a slice. */
enum change_known {
	KNOWN_AS_BEFORE, /* nothing */
	KNOWN_GUESS,     /* a value that the maker of the log will check */
	KNOWN_CHOSEN,    /* that it was set, but not to what */
	KNOWN_VALUE,     /* the value, but not since when */
	KNOWN_EXACT,
};

/*
 * An attribute that is null at the beginning of the slice may be so only because its begin was not seen (it is
 * open): a state that depends on it is then undecided (ongoing_states.h), unless it is certain for another reason,
 * which the slice states or, if the slice does not know it, the instance that knows what came before.
 */
enum change_doubt { DOUBT_AS_BEFORE, DOUBT_IF_OPEN, DOUBT_NEVER };

/*
 * What is known about the facts of a slice from before it, as bits; and the result.  Where it is known whether a
 * fact is certain, the statement of the slice is not used.
 */
enum change_fact {
	CHANGE_FACT_IS_OPEN = 1,
	CHANGE_FACT_IS_CERTAIN = 2,
	CHANGE_FACT_HAD_NO_ROOM = 4,
	CHANGE_FACT_IS_TOLD = 8,
};

/* An attribute becomes `null` if attribute `of` is null, else `other`, both not negative. */
struct change_choice {
	histree_quark of;
	int32_t null, other;
	enum change_doubt doubt;
};

/* They are kept in pieces, so that a log never moves. */
struct change_chunk;
struct logged_change;

/* An attribute of a log that was loaded: its name as struct attribute (attributes.h) has it. */
struct logged_name {
	histree_quark parent;
	uint32_t name;
};

/* A zeroed one is empty. */
struct change_log {
	struct histree_state_system *system; /* of the slice: its names, and values as far as they are known */
	struct change_chunk *first, *last;
	size_t count;   /* of changes */
	uint8_t *known; /* enum change_known by quark */
	size_t known_count, known_capacity;
	size_t bytes_max;       /* of the changes and attributes */
	size_t value_size_max;  /* of a value that the true system takes */
	struct leaf_pack *pack; /* borrowed; NULL: intervals are in the log */
	histree_quark *map; /* once it is done in the true system: by quark, which one that is there; else NULL */
	/* by quark, for the instance that applies the log: bits of enum change_fact; NULL: no fact is open */
	uint8_t *facts;
	struct intern texts;
	struct logged_name *names; /* of a log that was loaded, whose system has no attributes; NULL: of no such */
	size_t name_count;
	struct intern name_texts;
	struct change_choice choice; /* that a value stands for */
	bool is_muted;               /* intervals of the slice's system are dropped: their beginning is not known */
	const char *why;             /* the slice has failed; NULL: not yet */
	bool no_memory;
};

/* How a log begins. */
struct change_log_frame {
	histree_time start;    /* of the history */
	size_t value_size_max; /* that it takes */
	size_t bytes_max;      /* of changes and attributes, beyond which it fails */
	struct leaf_pack *pack;
};

enum histree_status change_log_init(struct change_log *log, const struct change_log_frame *frame,
				    struct histree_error *error);
void change_log_release(struct change_log *log);

/* The slice is of no use, for this reason, a constant; the first one stays. */
void change_log_fail(struct change_log *log, const char *why);

static inline bool change_log_has_failed(const struct change_log *log)
{
	return log->why != NULL || log->no_memory;
}

/* Returns why the slice is of no use, a constant, or NULL: it may be. */
static inline const char *change_log_failure(const struct change_log *log)
{
	return log->no_memory ? "out of memory" : log->why;
}

/* Returns how many attributes the slice has. */
size_t change_log_attributes(const struct change_log *log);

/* Returns how many bytes of memory it has, about: changes and attributes. */
size_t change_log_bytes(const struct change_log *log);

static inline enum change_known change_log_known(const struct change_log *log, histree_quark quark)
{
	return quark < log->known_count ? (enum change_known)log->known[quark] : KNOWN_AS_BEFORE;
}

/*
 * Whether the slice's system is all that a change of an attribute needs: it is exact, and no other attribute
 * decides the value.  Else it is up to change_log_set().
 */
static inline bool change_log_is_exact(const struct change_log *log, histree_quark quark, enum histree_type type)
{
	return change_log_known(log, quark) == KNOWN_EXACT && type != HISTREE_CUSTOM;
}

/* Whether the value of an attribute can be read. */
bool change_log_knows(const struct change_log *log, histree_quark quark);

/* Returns a value that is known; else fails the slice, and returns null. */
struct histree_value change_log_value(struct change_log *log, histree_quark quark);

/* An attribute that is as before is believed to have this value; the last guess stays. */
void change_log_guess(struct change_log *log, histree_quark quark, struct histree_value value);

/* Changes. */
void change_log_set(struct change_log *log, histree_time time, histree_quark quark, struct histree_value value);

/* Returns a value for the next change_log_set(): which one it is, another attribute says. */
struct histree_value change_log_choice(struct change_log *log, const struct change_choice *choice);

/* It gets the value that another attribute has. */
void change_log_copy(struct change_log *log, histree_time time, histree_quark quark, histree_quark of);

/* A child of an attribute becomes null, if there is such a child. */
void change_log_end_child(struct change_log *log, histree_time time, histree_quark parent, const char *name);

/* The ongoing value becomes this one if that is less, or greater; such an attribute is changed in no other way. */
void change_log_widen(struct change_log *log, histree_quark quark, bool is_least, int64_t value);

/* What an attribute was before the slice is known, or never will be. */
void change_log_decide(struct change_log *log, histree_time time, histree_quark fact,
		       enum undecided_outcome outcome);

/*
 * Settle it, and put all of it into bytes; or read these into an empty log, that can then only be applied.  Returns
 * HISTREE_ERR_FORMAT if they make no sense.
 */
enum histree_status change_log_code(struct change_log *log, struct codec *codec, struct histree_error *error);

/* ---- in the true system -------------------------------------------------------------------------------------- */

/* Have room for `facts`, all 0.  Returns false if memory runs out. */
bool change_log_begin_facts(struct change_log *log);

/*
 * Have all attributes of the slice in a system, made in their order where they are missing, and do all changes
 * there.  A failure ends the history.  From then on `map` is there.
 */
enum histree_status change_log_apply(struct change_log *log, struct histree_state_system *system,
				     struct histree_error *error);

/* Returns `map`, which the caller frees, and how many keys it has; the log is without keys then. */
histree_quark *change_log_take_keys(struct change_log *log, size_t *count);

#endif
