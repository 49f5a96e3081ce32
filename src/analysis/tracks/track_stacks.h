/* SPDX-License-Identifier: MIT */
/*
 * track_stacks.h - which spans are open on each track, followed from event to event: the input of all analyses of a
 * trace of tracks.
 *
 * Spans that are open lie on the stack of their track, each in a slot.  One that ends below others that go on, as
 * spans of a track may overlap, leaves its slot empty.  A span that says how long it lasts ends by itself, before
 * the first event that is not earlier; of those that begin at one time the longest is the outermost, as writers
 * have them in any order.
 *
 * In a gap nobody knows what is open.  Spans that are complete are segments all the same, the others are forgotten.
 */
#ifndef ANALYSIS_TRACKS_TRACK_STACKS_H
#define ANALYSIS_TRACKS_TRACK_STACKS_H

#include "analysis/analysis_inputs.h"
#include "analysis/tracks/track_places.h"

enum {
	TRACK_DEPTH_MAX = 1024,
	TRACK_ARGS_MAX = 2048, /* bytes of the arguments of a span, as text */
};

/* What analyses are told.  A function may be NULL; a negative status ends the build. */
struct track_listener {
	void *context;
	/* The place has what is open in its slots from now on: nobody knew since a gap. */
	enum histree_status (*renewed)(void *context, const struct track_place *place, histree_time time,
				       struct histree_error *error);
	/* The slot has a span: a new one, or one that has moved up as a longer one began at the same time. */
	enum histree_status (*opened)(void *context, const struct track *track, size_t slot, histree_time time,
				      struct histree_error *error);
	/* The span has ended; track->depth is as it is without it.  The slot is SIZE_MAX in a gap: nobody knows. */
	enum histree_status (*closed)(void *context, const struct track *track, const struct track_frame *frame,
				      size_t slot, bool is_complete, histree_time time,
				      struct histree_error *error);
};

struct track_counts {
	uint64_t unmatched;  /* ends of spans that are not open */
	uint64_t unfinished; /* beginnings without an end, of which a gap or the end of others says so */
	uint64_t too_deep;
	uint64_t negative; /* durations below 0 */
	uint64_t overlaps; /* complete spans that end later than one that they lie on */
	uint64_t in_gaps;  /* beginnings and ends that are not known to be the last */
};

struct track_end {
	histree_time end;
	uint64_t number; /* of the span */
	struct track *track;
};

struct track_stacks {
	struct track_words event; /* the current one */
	struct class_table bindings;
	struct track_places places;
	struct track_listener listeners[4];
	size_t listener_count;
	bool wants_args;        /* arguments are kept as text */
	uint64_t spans;         /* so far */
	struct track_end *ends; /* a heap of complete spans that are open */
	size_t end_count, end_capacity;
	histree_time last_end; /* of all spans that are complete; INT64_MIN: none */
	histree_time gap_end;  /* of the gaps so far; INT64_MIN: there was none */
	struct track_counts counts;
};

extern const struct analysis_input_kind track_stacks_kind;

/* Hear of what happens; before the first event. */
void track_stacks_listen(struct track_stacks *stacks, const struct track_listener *listener);

/* There are no more events: end what is complete.  More than once is as good as once. */
enum histree_status track_stacks_finish(struct track_stacks *stacks, struct histree_error *error);

/* How many spans are open. */
uint64_t track_stacks_open(const struct track_stacks *stacks);

/* Write a sentence about what did not fit, or "". */
void track_stacks_missing(const struct track_stacks *stacks, char *text, size_t size);

static inline struct track_text track_frame_name(const struct track_frame *frame)
{
	return (struct track_text){ frame->text, frame->name_size };
}

#endif
