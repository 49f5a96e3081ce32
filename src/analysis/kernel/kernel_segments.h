/* SPDX-License-Identifier: MIT */
/*
 * kernel_segments.h - what all segment analyses of a kernel trace share: from an event to its handler, which
 * thread runs on each CPU, and the names of threads.
 *
 * A kind is a table of handlers by role.  A handler opens a segment, fills in values and closes it; what fails is
 * remembered and ends the build after the event.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SEGMENTS_H
#define ANALYSIS_KERNEL_KERNEL_SEGMENTS_H

#include "analysis/class_table.h"
#include "analysis/kernel/kernel_event.h"
#include "analysis/kernel/system_calls.h"
#include "analysis/open_segments.h"
#include "analysis/segment_analysis.h"
#include "base/id_map.h"
#include "base/intern.h"

enum { KERNEL_EXTRA_FIELDS = 5 };

struct kernel_segments;
struct kernel_segment_event;

struct kernel_segments_kind {
	/* By role; NULL: such events mean nothing to this kind. */
	void (*handlers[KERNEL_ROLE_COUNT])(struct kernel_segments *segments,
					    const struct kernel_segment_event *event);
	/* Fields of the event that only this kind reads, by name; ends with NULL. */
	const char *extra[KERNEL_EXTRA_FIELDS + 1];
};

/* Gaps: a segment that did not begin behind `gap_end` may have another's end (kernel_segments_end). */
struct segment_thread {
	int32_t tid;
	struct segment_cpu *cpu; /* where it runs; NULL: nowhere, or not known where */
	histree_time gap_end;    /* of the last gap in which it may have done what nobody saw */
	const char *name;        /* NULL: not known yet */
	size_t name_size;
};

struct segment_cpu {
	int32_t number;
	struct segment_thread *thread; /* that runs; NULL before the first switch, also behind a gap */
	histree_time gap_end;          /* of its last gap */
};

/* An event for a handler. */
struct kernel_segment_event {
	const struct event *event;
	const uint32_t *extra; /* fields, in the order of the kind's names */
	struct kernel_event kernel;
	struct segment_cpu *cpu;       /* NULL where the trace does not say */
	struct segment_thread *thread; /* in which it happened; NULL: not known (yet) */
};

struct kernel_segments {
	const struct kernel_segments_kind *kind;
	struct histree_segment_store *store; /* borrowed */
	struct open_segments open;
	struct segment_counts counts;
	struct class_table bindings;
	struct id_map threads, cpus; /* struct segment_thread, struct segment_cpu */
	struct arena records;
	struct intern texts;
	struct system_calls calls;
	histree_time gap_end;          /* of the last one of any CPU; INT64_MIN: there was none */
	histree_time gap_end_anywhere; /* of the last one of which it is not said on which CPU */
	enum histree_status status;    /* the first failure */
	struct histree_error error;
};

/* The functions of a struct segment_analysis; `create` of an analysis adds its kind. */
bool kernel_segments_applies(const struct event_trace *trace);
enum histree_status kernel_segments_create(const struct kernel_segments_kind *kind,
					   struct histree_segment_store *store, void **instance,
					   struct histree_error *error);
enum histree_status kernel_segments_event(void *instance, const struct event *event, struct histree_error *error);
enum histree_status kernel_segments_gap(void *instance, const struct event_gap *gap, struct histree_error *error);
struct segment_counts kernel_segments_counts(const void *instance);
void kernel_segments_free(void *instance);

/* ---- for handlers ------------------------------------------------------------------------------------ */

/* Begin a segment; one that is open under the same key never ended.  NULL: no memory, which is remembered. */
struct open_segment *kernel_segments_begin(struct kernel_segments *segments, uint64_t key, histree_time start);

/* The open segment of an end; NULL: it never began, which is counted. */
struct open_segment *kernel_segments_ending(struct kernel_segments *segments, uint64_t key);

/*
 * The segment ends and goes to the store.  If it did not begin behind `gap_end`, its own end and the beginning of
 * what ends now may have been lost: then both count as alone.
 */
void kernel_segments_end(struct kernel_segments *segments, struct open_segment *segment, histree_time end,
			 histree_time gap_end);

/* Whatever is open under the key never ends. */
void kernel_segments_abandon(struct kernel_segments *segments, uint64_t key);

/* The thread with this tid, new or not; NULL when memory is out, which is remembered. */
struct segment_thread *kernel_segments_thread(struct kernel_segments *segments, int32_t tid);

/* A string that lives as long as the analysis; null when memory is out, which is remembered. */
struct histree_value kernel_segments_text(struct kernel_segments *segments, const char *bytes, size_t size);

void kernel_segments_no_memory(struct kernel_segments *segments);

/* The name of a thread, null where none is known. */
struct histree_value segment_thread_name(const struct segment_thread *thread);

#endif
