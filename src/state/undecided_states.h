/* SPDX-License-Identifier: MIT */
/*
 * undecided_states.h - states whose value a later fact decides: they are kept back until it is known.
 *
 * A fact is named by an attribute: whether that was null, or something else, where nobody had seen it begin.  A
 * state that follows from it has the value that is believed until then.  Once it has ended, it waits in memory for
 * undecided_decide(), which gives it to the sink: later than states that ended after it, which a tree takes.  Who
 * asks meanwhile, through a branch of the sink, gets what is believed; so does who closes the history.
 *
 * A run is one state of an attribute, in pieces: a CPU that goes on in the same state may run one thread after the
 * other, and each has a fact of its own.  Pieces of a run lie side by side in the order of time.  They stay until
 * all of them are decided and the run has ended; then those that have the same value are one interval again.
 *
 * There is room for UNDECIDED_MAX pieces that are not decided.  Facts share UNDECIDED_BUCKETS buckets, and none of
 * these may have more than an eighth of what is left: however many facts are never decided, a new one finds room.
 * What finds no room is as it is believed.
 */
#ifndef STATE_UNDECIDED_STATES_H
#define STATE_UNDECIDED_STATES_H

#include "state/interval_sink.h"
#include "state/ongoing_states.h"

enum { UNDECIDED_MAX = 1 << 16, UNDECIDED_BUCKETS = 1 << 12 };

/* A value, an int or unknown, that a fact decides. */
struct undecided_value {
	histree_quark fact;
	struct histree_value believed;
	int32_t if_null, if_other;
};

/* What is known of a fact in the end: no more than before, what it was, or that what is believed holds. */
enum undecided_outcome { FACT_STAYS_UNKNOWN, FACT_IS_NULL, FACT_IS_OTHER, FACT_IS_BELIEVED };

/* A number of a piece is its index plus 1; 0: there is none. */
struct undecided_piece {
	histree_time from, to; /* where it is the last of a run that goes on, `to` is INT64_MAX */
	histree_quark quark;   /* HISTREE_ROOT: its state is gone, or elsewhere, and it only takes room */
	histree_quark fact;    /* HISTREE_ROOT: it is decided */
	uint32_t next;         /* of the run, or of the free ones */
	uint32_t first;        /* of the run */
	uint32_t before_in_bucket, after_in_bucket;
	/*
	 * Of the first one of a run: its last piece, how many are undecided, and 1 while it goes on, and what the
	 * sink said when it ended (interval_sink.h).
	 */
	uint32_t last, open, token;
	int32_t value, if_null, if_other;
	uint8_t type; /* of `value` */
};

struct undecided_states {
	struct ongoing_states *ongoing; /* both borrowed: the states, and where those go that are decided */
	const struct interval_sink *sink;
	struct undecided_piece *pieces;
	size_t capacity;
	uint32_t used, free; /* those that ever were in use; the first free one */
	uint32_t total;      /* in buckets */
	uint32_t buckets[UNDECIDED_BUCKETS], counts[UNDECIDED_BUCKETS];
};

/* Returns a new one; NULL: memory is out. */
struct undecided_states *undecided_create(struct ongoing_states *ongoing, const struct interval_sink *sink);
void undecided_free(struct undecided_states *undecided);

/* Whether what goes on follows from the same fact already. */
bool undecided_goes_on_alike(const struct undecided_states *undecided, histree_quark quark,
			     const struct undecided_value *value);

/*
 * What goes on, and has the believed value, is undecided from `t` on.  Returns HISTREE_NOT_FOUND if there is no
 * room to keep it back.
 */
enum histree_status undecided_add(struct undecided_states *undecided, histree_time t, histree_quark quark,
				  const struct undecided_value *value, struct histree_error *error);

/*
 * The ongoing state of an attribute with a run: it ends at `end`; it goes on, and is certain from `t` on; it had
 * another value all along.
 */
enum histree_status undecided_end(struct undecided_states *undecided, histree_quark quark, histree_time end,
				  struct histree_error *error);
enum histree_status undecided_go_on(struct undecided_states *undecided, histree_quark quark, histree_time t,
				    struct histree_error *error);
void undecided_replace(struct undecided_states *undecided, histree_quark quark);

/*
 * A fact is known: what waits for it since `since` or later gets its value, and what began before is as believed.
 * What still goes on is as believed too, and certain from now on: who knows better changes it.
 */
enum histree_status undecided_decide(struct undecided_states *undecided, histree_quark fact,
				     enum undecided_outcome outcome, histree_time since,
				     struct histree_error *error);

/* Returns how much room a fact takes. */
uint32_t undecided_count(const struct undecided_states *undecided, histree_quark fact);

/*
 * From a checkpoint: so much room is taken by a fact, by states that are elsewhere.  Returns false if memory is out
 * or it is more than there is.
 */
bool undecided_resume(struct undecided_states *undecided, histree_quark fact, uint32_t count);

/* Give a branch what waits, as believed, and what goes on in pieces, up to `end`. */
enum histree_status undecided_tell(const struct undecided_states *undecided, const struct interval_sink *branch,
				   histree_time end, struct histree_error *error);

/* The history ends at `end`: what goes on in pieces ends too, and what waits is as believed. */
enum histree_status undecided_close(struct undecided_states *undecided, histree_time end,
				    struct histree_error *error);

#endif
