/* SPDX-License-Identifier: MIT */
/*
 * track_stacks.h - which spans are open on each track, followed from event to event: the input of all analyses of a
 * trace of tracks.  The meaning of beginnings and ends is defined here, for all formats.
 *
 * Open spans are on the stack of their track, each in a slot.  A span that ends below others that continue leaves
 * its slot empty.  A span with a duration ends by itself, before the first event that is not earlier; of those that
 * begin at one time the longest is the outermost, because writers emit them in any order.  A span of no length is
 * inside everything that begins at its time: it waits until all of that is known.
 *
 * An end with a name closes the innermost open span of that name, an end without one the innermost of all; a span
 * without a name matches any.  Of those it closes one of its category, else one without any, else any.  Unmatched
 * ends are counted.  Spans that a thread began above the one that ends, and
 * did not end, are cut: they end there, unless their own end follows before anything else begins on the thread, as
 * happens if ends were rounded or written in another order.  Until then this is undecided, and a state is ended
 * late, at an earlier time.  The same holds for spans begun within a complete span.  On a track that is not a
 * thread's, spans may overlap, and those above continue.  Perfetto's SliceTracker has the same rules, except that
 * it loses an end that comes later than that of the span below, and overlapping spans.
 *
 * Spans that are open at the end of the trace last until then, as far as is known.
 *
 * In a gap it is not known what is open.  Complete spans still become segments, the others are dropped.  A loss is
 * a gap of one track, where it is known whose events are missing.
 */
#ifndef ANALYSIS_TRACKS_TRACK_STACKS_H
#define ANALYSIS_TRACKS_TRACK_STACKS_H

#include "analysis/analysis.h"
#include "analysis/tracks/track_places.h"
#include "event/event.h"

enum {
	TRACK_DEPTH_MAX = 1024,
	TRACK_ARGS_MAX = 2048,    /* bytes of the arguments of a span, as text */
	TRACK_TEXT_MAX = 1 << 30, /* of a name or a category */
};

enum track_ending {
	TRACK_ENDED, /* the trace says when */
	TRACK_CUT,   /* nothing says it, and what it lay in ended then */
	TRACK_OPEN,  /* it was open at the end of the trace */
	TRACK_LOST,  /* a gap may have had its end */
	TRACK_ENDING_COUNT,
};

/* What analyses are told.  A function may be NULL; a negative status ends the build. */
struct track_listener {
	void *context;
	/* The place has what is open in its slots from now on: it was not known since a gap. */
	enum histree_status (*renewed)(void *context, const struct track_place *place, histree_time time,
				       struct histree_error *error);
	/* What is open in its slots is not known from now on. */
	enum histree_status (*doubted)(void *context, const struct track_place *place, histree_time time,
				       struct histree_error *error);
	/* The slot has a span: a new one, or one that has moved up as a longer one began at the same time. */
	enum histree_status (*opened)(void *context, const struct track *track, size_t slot, histree_time time,
				      struct histree_error *error);
	/*
	 * The span has ended; track->depth is as it is without it.  The slot is SIZE_MAX in a gap, where it is
	 * not known.
	 */
	enum histree_status (*closed)(void *context, const struct track *track, const struct track_frame *frame,
				      size_t slot, enum track_ending ending, histree_time time,
				      struct histree_error *error);
};

struct track_counts {
	uint64_t unmatched; /* ends of spans that are not open */
	uint64_t endings[TRACK_ENDING_COUNT];
	uint64_t too_deep;
	uint64_t repeated; /* beginnings that say nothing, as their span is open */
	uint64_t negative; /* durations below 0, or beyond all times */
	uint64_t overlaps; /* complete spans that end later than one that they lie on */
	uint64_t in_gaps;  /* beginnings and ends that are not known to be the last */
};

struct track_end {
	histree_time end;
	uint64_t number; /* of the span */
	struct track *track;
};

/* A span of no length, at the time of the events that are being read. */
struct track_point {
	struct track *track;
	struct track_frame frame;
};

struct track_stacks {
	struct track_words event; /* the current one */
	struct class_table bindings;
	struct track_places places;
	struct track_listener listeners[4];
	size_t listener_count;
	bool wants_args;        /* arguments are kept as text */
	uint64_t spans;         /* so far */
	uint64_t open;          /* of them, now */
	uint64_t told;          /* that have ended, so far */
	struct track_end *ends; /* a heap of the complete spans that are open */
	size_t end_count, end_capacity;
	struct table end_table;
	struct track_point *points;
	size_t point_count, point_capacity;
	histree_time first;    /* of the events so far; INT64_MAX: no event yet */
	histree_time last;     /* INT64_MIN: no event yet */
	histree_time last_end; /* of all spans that are complete; INT64_MIN: none */
	histree_time gap_end;  /* of the gaps so far; INT64_MIN: no gap yet */
	struct track_counts counts;
	char args[TRACK_ARGS_MAX], end_args[TRACK_ARGS_MAX], joined_args[TRACK_ARGS_MAX];
};

extern const struct analysis_input_kind track_stacks_kind;

/* Hear of what happens; before the first event. */
void track_stacks_listen(struct track_stacks *stacks, const struct track_listener *listener);

/* There are no more events: end everything.  More than once is as good as once. */
enum histree_status track_stacks_finish(struct track_stacks *stacks, struct histree_error *error);

/* How many beginnings have no end so far. */
uint64_t track_stacks_without_end(const struct track_stacks *stacks);

/* Write a sentence about what did not fit, or "". */
void track_stacks_missing(const struct track_stacks *stacks, char *text, size_t size);

#endif
