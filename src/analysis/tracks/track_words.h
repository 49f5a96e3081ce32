/* SPDX-License-Identifier: MIT */
/*
 * track_words.h - what one event of a trace of tracks says, in the words of event/track_vocabulary.h.
 */
#ifndef ANALYSIS_TRACKS_TRACK_WORDS_H
#define ANALYSIS_TRACKS_TRACK_WORDS_H

#include "analysis/class_table.h"
#include "event/event.h"
#include "event/track_vocabulary.h"

struct track_text {
	const char *bytes; /* borrowed; NULL: absent */
	size_t size;
};

struct track_words {
	enum track_class class; /* TRACK_CLASS_COUNT: it is of another kind, and the rest says nothing */
	histree_time time;
	bool has_pid, has_tid, has_duration, has_thread_duration, has_sort_index;
	int64_t pid, tid, duration, thread_duration, sort_index;
	struct track_text name, category, track, id, series;
	const struct event *event;
	uint32_t args, value; /* fields of it */
};

/* Whether a trace has such events. */
bool track_words_apply(const struct event_trace *trace);

/* Decode an event.  Returns false when memory is out. */
bool track_words_read(struct class_table *bindings, const struct event *event, struct track_words *out);

#endif
