/* SPDX-License-Identifier: MIT */
/*
 * viewer_file.h - what trace viewers show, for every format of their files: tracks with spans on them, counters,
 * instants, and flows from track to track; and such a file while it is written.
 *
 * A walk over a history, a segment store or events makes these, in the order of time, and passes them to the table
 * of functions of a format.  So how a state becomes a span is written once for all formats.
 *
 * Spans come in the order of their starts, of equal ones the longest first.  On one track they nest: a span that
 * would outlast its parent goes to another track, which is made for overlaps.
 *
 * A call that fails sets `status`, after which nothing more is written.
 */
#ifndef EXPORT_VIEWER_VIEWER_FILE_H
#define EXPORT_VIEWER_VIEWER_FILE_H

#include "base/arena.h"
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

/* What is to come: the end of a span, or of a flow. */
struct viewer_end {
	histree_time time;
	uint64_t order; /* the youngest of one time comes first, as spans nest; of a flow it is the id, too */
	struct viewer_track *track;
	union {
		char *name; /* of a span, as memory of its own */
		const char *flow_name;
	};
	size_t name_size; /* of a span */
};

/* The first to come is the root. */
struct viewer_ends {
	struct viewer_end *heap;
	size_t count, capacity;
};

struct viewer_file {
	struct export_buffer *output;
	const struct viewer_format *format;
	void *state; /* of the format */
	struct histree_error *error;
	enum histree_status status;
	struct intern keys;           /* by the number of the track, less one */
	struct viewer_track **tracks; /* likewise */
	size_t track_capacity;
	struct arena memory;
	struct viewer_ends spans, flows; /* that are open */
	uint64_t order;                  /* of the last of them */
	uint64_t rows;                   /* written so far, as a report counts them */
	uint32_t host;                   /* of the tracks that are asked for, from 1; 0: there is one */
	uint32_t host_count;             /* 0: one */
	const char *host_name;           /* outlives the file */
};

/* What tells a track from all others, and what it is called. */
struct viewer_track_key {
	enum viewer_kind kind;
	const struct viewer_track *parent; /* NULL: none */
	bool has_pid;                      /* of a process or thread; others have that of their parent */
	int64_t pid, tid;
	uint32_t again; /* how many processes, or threads of theirs, had the number before it; of an owner */
	struct viewer_text name; /* tells groups, lanes and counters of one parent apart */
	struct viewer_text series;
};

/* Begin a file.  Returns `status`; viewer_file_end() must be called either way. */
enum histree_status viewer_file_begin(struct viewer_file *file, const struct viewer_format *format,
				      struct export_output *output, const struct viewer_head *head,
				      struct histree_error *error);

/* End what is open, and the file.  Returns `status`, or that of a write that failed. */
enum histree_status viewer_file_end(struct viewer_file *file);

/* Returns the track, which is made if it does not exist; NULL after a failure. */
struct viewer_track *viewer_file_track(struct viewer_file *file, const struct viewer_track_key *key);

/* Tracks are of this host of several from now on. */
void viewer_file_host(struct viewer_file *file, uint32_t host, const char *name);

/* All that is open ends: what comes next may be of an earlier time, and of other tracks. */
void viewer_file_catch_up(struct viewer_file *file);

/* Give a process or thread a name, unless it already has one. */
void viewer_file_name(struct viewer_file *file, struct viewer_track *track, struct viewer_text name);

void viewer_file_span(struct viewer_file *file, struct viewer_track *track, const struct viewer_span *span);
void viewer_file_count(struct viewer_file *file, struct viewer_track *track, histree_time time,
		       const struct histree_value *value);
void viewer_file_instant(struct viewer_file *file, struct viewer_track *track, const struct viewer_span *span);

struct viewer_arrow {
	struct viewer_track *from, *to;
	histree_time start, end;
	const char *name; /* outlives the file */
};

/*
 * A flow begins where `start` is the time of the file; its end follows when that has come.  At either time, spans
 * that begin then were written before, and the flow meets them.
 */
void viewer_file_flow(struct viewer_file *file, const struct viewer_arrow *arrow);

/* Fail for want of memory.  Returns the status. */
enum histree_status viewer_file_lacks_memory(struct viewer_file *file);

static inline struct viewer_text viewer_text(const char *text)
{
	return (struct viewer_text){ text, strlen(text) };
}

#endif
