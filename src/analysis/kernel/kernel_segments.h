/* SPDX-License-Identifier: MIT */
/*
 * kernel_segments.h - what analyses of segments of the kernel have in common: segments that are open, by key.
 *
 * A kind is a table of handlers by role.  A handler opens a segment, fills in values and closes it; a failure is
 * remembered and ends the build after the event.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SEGMENTS_H
#define ANALYSIS_KERNEL_KERNEL_SEGMENTS_H

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/open_segments.h"

struct kernel_segments;

struct kernel_segments_kind {
	bool is_of_threads; /* keys are places of threads (kernel_machine.h) */
	/* By role; NULL: such events mean nothing to this kind. */
	void (*handlers[KERNEL_ROLE_COUNT])(struct kernel_segments *segments, const struct kernel_event *event);
	const char *needs; /* the events without which there are no segments, and how they are recorded */
	/* What else is missing; NULL: nothing. */
	void (*say_missing)(const struct kernel_segments *segments, char *text, size_t size);
};

struct kernel_segments {
	struct histree_segment_store *store; /* borrowed */
	struct kernel_input *input;          /* borrowed */
	const struct kernel_segments_kind *kind;
	struct machine *machine; /* of the input */
	struct open_segments open;
	struct open_segments aside; /* what a kind remembers that is no segment */
	struct segment_counts counts;
	uint64_t unmatched;          /* ends that fit none of those that they could be of; of without_start */
	bool has_events;             /* there were some that it needs */
	struct class_table bindings; /* what the kind keeps of event classes, if anything */
	enum histree_status status;  /* the first failure */
	struct histree_error error;
};

/* The functions of a struct segment_analysis with a kernel_input; its `kind` is a struct kernel_segments_kind. */
void kernel_segments_start(const struct segment_analysis *analysis, void *instance);
bool kernel_segments_wants(const void *instance, const struct event_class *class);
enum histree_status kernel_segments_event(void *instance, const struct event *event, struct histree_error *error);
struct segment_counts kernel_segments_counts(const void *instance);
bool kernel_segments_is_empty(const void *instance);
void kernel_segments_missing(const void *instance, char *text, size_t size);
void kernel_segments_free(void *instance);

/* What all of them have in common as a struct segment_analysis. */
#define KERNEL_SEGMENTS_FUNCTIONS                                                                           \
	.input = &kernel_input_kind, .applies = kernel_input_knows, .size = sizeof(struct kernel_segments), \
	.begin = kernel_segments_start, .event = kernel_segments_event, .wants = kernel_segments_wants,     \
	.counts = kernel_segments_counts, .is_empty = kernel_segments_is_empty,                             \
	.missing = kernel_segments_missing, .free = kernel_segments_free

/* ---- for handlers ------------------------------------------------------------------------------------ */

/* Begin a segment; one that is open under the same key never ended.  NULL: no memory, which is remembered. */
struct open_segment *kernel_segments_begin(struct kernel_segments *segments, uint64_t key, histree_time start);

/* Returns the open segment of an end; NULL: it never began, which is counted. */
struct open_segment *kernel_segments_ending(struct kernel_segments *segments, uint64_t key);

/*
 * The segment ends and goes to the store.  If it began at `gap_end` or before, its own end and the beginning of
 * what ends now may have been lost: then both count as alone.
 */
void kernel_segments_end(struct kernel_segments *segments, struct open_segment *segment, histree_time end,
			 histree_time gap_end);

/* Until when it is in doubt what a thread did: the gap_end of its segments. */
static inline histree_time kernel_segments_gap_end(const struct kernel_segments *segments,
						   const struct machine_thread *thread)
{
	const histree_time gap_end = segments->machine->gap_end;
	return thread->gap_end > gap_end ? thread->gap_end : gap_end;
}

/* Whatever is open under the key never ends. */
void kernel_segments_abandon(struct kernel_segments *segments, uint64_t key);

/* The handler of KERNEL_FREE if keys are places of threads: what is open of a thread that is gone never ends. */
void kernel_segments_on_free(struct kernel_segments *segments, const struct kernel_event *event);

void kernel_segments_no_memory(struct kernel_segments *segments);

#endif
