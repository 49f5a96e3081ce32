/* SPDX-License-Identifier: MIT */
/*
 * packed_markers.h - the markers that programs of Android and Chrome write to the kernel's trace_marker, as events
 * of tracks; and the classes of these (event.h), for readers whose events are packed.
 *
 * 	B|100|name		a span of the thread begins, in process 100; "B|100|name|key=value;...|category" too
 * 	E|100, E		and ends
 * 	C|100|name|3		a counter of the process; also with a category behind
 * 	S|100|name|7, F|...	an asynchronous span: the cookie tells it from others of its name; some programs
 * 				begin one again and again, and end it once
 * 	G|100|track|name|7, H|100|track|7	the same on a track that has a name
 * 	I|100|name, N|100|track|name	an instant of the thread, or of such a track
 *
 * Sources: libcutils (trace-dev.inc) of Android, what systrace and Perfetto read, and HiTrace of OpenHarmony. Names
 * may contain bars; the cookie or value is the last field that is a number.  The thread is that of the line; the
 * end of a span belongs to the process of the thread's last marker, whether it names one or not.
 *
 * The cells of an event are indexed by enum track_field.
 */
#ifndef TRACE_PACKED_PACKED_MARKERS_H
#define TRACE_PACKED_PACKED_MARKERS_H

#include "base/hash_index.h"
#include "event/event.h"
#include "trace/packed/packed_source.h"

/*
 * Get all of them.  `trace` is NULL for base.trace, else one of domain TRACK_DOMAIN.  Returns false, and the error,
 * if memory runs out.
 */
bool packed_track_classes(struct packed_source *source, const struct event_trace *trace,
			  const struct packed_class *out[TRACK_CLASS_COUNT], struct histree_error *error);

enum { MARKERS_NO_THREAD = -1 };

/* Who wrote a marker. */
struct marker_thread {
	int64_t number; /* or MARKERS_NO_THREAD */
	const char *name;
	size_t name_size; /* 0: not known */
};

struct packed_markers {
	struct packed_source *packed;
	const struct packed_class *classes[TRACK_CLASS_COUNT];
	struct id_map processes; /* of threads */
	struct intern tracks;    /* whose names were told */
	struct arena memory;
	struct packed_parts args;
	uint64_t others; /* texts that begin like a marker, but are not one */
};

/* Returns whether a text is a marker; a prefix that tools put in front of it is skipped. */
bool packed_marker_is(const char *text, size_t size);

/* Returns whether a name stands for the function that writes markers: its own, or its address where it has none. */
bool packed_marker_is_writer(const char *name, size_t size);

/* Of a zeroed one.  Returns false, and the error, if memory runs out. */
bool packed_markers_begin(struct packed_markers *markers, struct packed_source *packed,
			  struct histree_error *error);

/* Add what a text says that a thread wrote at a time; a text that is no marker says nothing. */
enum histree_status packed_markers_take(struct packed_markers *markers, histree_time time,
					const struct marker_thread *thread, const char *text, size_t size,
					struct histree_error *error);
void packed_markers_release(struct packed_markers *markers);

#endif
