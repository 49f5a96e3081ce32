/* SPDX-License-Identifier: MIT */
/*
 * viewer.h - what trace viewers show, for every format of their files: tracks with spans on them, counters,
 * instants, and flows from track to track.
 *
 * A walk over a history, a segment store or events makes these, in the order of time, and passes them to the table
 * of functions of a format.  So how a state becomes a span is written once for all formats.
 */
#ifndef EXPORT_VIEWER_VIEWER_H
#define EXPORT_VIEWER_VIEWER_H

#include "export/export_output.h"
#include "histree/value.h"

/* Linux has no process from 2^22 on, and groups have numbers from 2^30 on. */
enum { VIEWER_HOST_NUMBERS = 1 << 22, VIEWER_HOSTS_MAX = 255 };

enum viewer_kind {
	VIEWER_PROCESS, /* of `pid` */
	VIEWER_THREAD,  /* of `pid` and `tid`; the first may be absent */
	VIEWER_GROUP,   /* has other tracks below it and nothing on it */
	VIEWER_LANE,    /* spans of anything else */
	VIEWER_COUNTER, /* numbers */
};

struct viewer_track {
	uint32_t number; /* dense from 1 */
	uint32_t parent; /* its number; 0: none */
	enum viewer_kind kind;
	uint32_t overlaps; /* the track of what does not nest in the spans of this one; 0: none yet */
	uint32_t place;    /* of a process or thread in the order of all, from 1 on; 0: they are by their numbers */
	bool has_pid, is_described;
	bool holds_overlaps; /* it is the track of the overlaps of another */
	int64_t pid, tid;    /* pid: of its process, if it has one */
	const char *host;    /* of several; NULL: there is one */
	const char *name;    /* of `name_size` bytes of anything; NULL: none */
	const char *unit;    /* of a counter; NULL: none */
	const char *series;  /* of a counter that has several; NULL: it has one */
	uint32_t name_size, series_size;
	/* Ends of the spans that are open: of the outermost, and of those in it, which few tracks have. */
	histree_time outermost_end, *inner_ends;
	size_t depth, capacity; /* capacity: of `inner_ends` */
};

struct viewer_text {
	const char *bytes; /* any */
	size_t size;
};

struct viewer_argument {
	const char *name;
	struct histree_value value;
};

struct viewer_span {
	histree_time start, end; /* `end` is when the next may begin, not before `start` */
	struct viewer_text name;
	struct viewer_text category; /* no bytes: none */
	const struct viewer_argument *arguments;
	size_t argument_count;
};

/* One end of a flow. */
struct viewer_flow {
	uint64_t id;
	histree_time time;
	bool is_end;
	const char *name;
};

/* What the file says of itself. */
struct viewer_head {
	const char *title;   /* what the file is made of */
	histree_time origin; /* the time that may be counted from */
};

struct viewer_file;

/*
 * A format.  Its functions write to file->output and are called in the order of time, except describe(), which
 * comes before anything else of its track, and after that of the parent.
 */
struct viewer_format {
	void *(*create)(void); /* what the format keeps; NULL if memory runs out */
	void (*free)(void *state);
	void (*begin)(struct viewer_file *file, const struct viewer_head *head);
	void (*describe)(struct viewer_file *file, const struct viewer_track *track);
	/* Whether end() is to be called for the spans of a track, when their time has come. */
	bool (*wants_ends)(const struct viewer_file *file, const struct viewer_track *track);
	bool ends_have_names; /* end() asks for the name */
	void (*span)(struct viewer_file *file, const struct viewer_track *track, const struct viewer_span *span);
	void (*end)(struct viewer_file *file, const struct viewer_track *track, histree_time time,
		    struct viewer_text name);
	/* An int, a long or a double. */
	void (*count)(struct viewer_file *file, const struct viewer_track *track, histree_time time,
		      const struct histree_value *value);
	void (*instant)(struct viewer_file *file, const struct viewer_track *track, const struct viewer_span *span);
	void (*flow)(struct viewer_file *file, const struct viewer_track *track, const struct viewer_flow *flow);
	void (*finish)(struct viewer_file *file);
};

extern const struct viewer_format viewer_chrome, viewer_perfetto;

#endif
