/* SPDX-License-Identifier: MIT */
/*
 * profile.h - profiles that are one document: the common part, which the readers of the formats fill.
 *
 * A format is a function that gets the whole document and adds its content.  It returns HISTREE_OK, with a note for
 * any damage, or HISTREE_ERR_TRACE if it cannot read the document.
 */
#ifndef TRACE_PROFILE_PROFILE_H
#define TRACE_PROFILE_PROFILE_H

#include <stddef.h>

#include "trace/json/json_span.h"
#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_samples.h"
#include "trace/trace_source.h"

enum { PROFILE_SCALE_NS = 9, PROFILE_SCALE_US = 12, PROFILE_SCALE_MS = 15, PROFILE_SCALE_S = 18 };

/* A zeroed one can be released. */
struct profile {
	struct packed_source *packed;
	struct packed_samples samples;
	const struct packed_class *classes[TRACK_CLASS_COUNT];
	struct json_text texts[3]; /* of a frame, while it is made */
	struct packed_parts args;  /* of a span */
	uint64_t spans;            /* and instants, so far */
	bool is_out_of_memory;     /* a text could not be read for that */
	uint64_t left_out;         /* samples, spans or frames that say nothing that can be */
	uint64_t first_left_out;   /* the number of its line, in a profile of lines */
};

/* Who has been sampled. */
struct profile_thread {
	int64_t pid, tid;
	bool has_pid, has_tid;
};

/* Begin a document of a source.  Returns false if memory runs out. */
bool profile_begin(struct profile *profile, struct packed_source *packed, struct histree_error *error);

/* Says in the notes what was left out. */
void profile_end(struct profile *profile);
void profile_release(struct profile *profile);

/* Returns false if no clock has it. */
bool profile_time(json_wide exact, histree_time *out);

/*
 * Returns the number of a frame whose parts are texts of the document, INTERN_NONE if memory runs out; a line is
 * text, or a number.
 */
uint32_t profile_frame(struct profile *profile, struct json_span function, struct json_span binary,
		       struct json_span line);

/* Call a process, with a `tid` a thread.  A name is any value; one that is no text says nothing. */
enum histree_status profile_name(struct profile *profile, const struct profile_thread *thread, bool is_process,
				 struct json_span name, struct histree_error *error);

/* Add a sample; a weight below 0 means that it has no weight. */
enum histree_status profile_sample(struct profile *profile, const struct profile_thread *thread, const char *event,
				   histree_time time, int64_t weight, uint32_t stack, struct histree_error *error);

/* The beginning or the end of a span, a whole one, or an instant.  A zeroed one says nothing. */
struct profile_span {
	enum track_class class;
	histree_time time, end; /* `end`: of a whole one */
	struct packed_text name, category;
	struct packed_text track; /* no bytes: that of the thread */
	struct json_span args;    /* an object of the document */
};

enum histree_status profile_add_span(struct profile *profile, const struct profile_thread *thread,
				     const struct profile_span *span, struct histree_error *error);
enum histree_status profile_read_firefox(struct profile *profile, struct json_span document,
					 struct histree_error *error);

/* Stacks as lines. */
enum profile_lines {
	PROFILE_NO_LINES,
	PROFILE_FOLDED,  /* "main;run 10" */
	PROFILE_COUNTED, /* a frame a line, the innermost first, and then a count: of DTrace and bpftrace */
};

/* What the first bytes of a text are, behind the mark of the order of bytes. */
enum profile_lines profile_lines_look(const void *bytes, size_t size);

/* Read such a file from where its content is. */
enum histree_status profile_read_lines(struct profile *profile, enum profile_lines kind,
				       struct histree_error *error);

/* Whether bytes are the first of a profile of pprof. */
bool profile_pprof_begins(const void *bytes, size_t size);

/* Read a whole one.  Returns HISTREE_END if it is cut or damaged, which has added what is before. */
enum histree_status profile_read_pprof(struct profile *profile, const void *bytes, size_t size,
				       struct histree_error *error);

#endif
