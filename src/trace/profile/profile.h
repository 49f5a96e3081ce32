/* SPDX-License-Identifier: MIT */
/*
 * profile.h - profiles that are one document: what readers of their formats fill, and the sources that they
 * become.
 *
 * A format is a function that is given the whole document and adds what is in it.  It returns HISTREE_OK, and
 * damage is a note; HISTREE_ERR_TRACE if the document is nothing that it can read.
 *
 * A *document* is JSON in memory, of which values are looked up where they lie: nothing is made of it.
 *
 * A value is the part of the document that it is.  Lists and objects are walked with a rest, which begins behind
 * their bracket; what is no JSON ends a walk, as does the end of the document, so that of one that is cut there is
 * what there is.  To pass over a value costs its bytes.
 *
 * Whether a file is a profile is told by its first bytes.
 *
 * Files are those of speedscope, of V8 (.cpuprofile), of Firefox, and folded stacks, as flamegraph.pl reads them.
 *
 * Documents of JSON are read into memory as a whole, up to PROFILE_DOCUMENT_MAX bytes, also of what is packed by
 * gzip; folded stacks line by line.
 */
#ifndef TRACE_PROFILE_PROFILE_H
#define TRACE_PROFILE_PROFILE_H

#include <stddef.h>

#include "trace/json/json_text.h"
#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_samples.h"
#include "trace/trace_source.h"

/* No bytes: it is not there. */
struct json_span {
	const uint8_t *at, *end;
	struct table_space *space; /* in which the document lies: pages that were walked over may go; or NULL */
};

static inline bool json_span_is_there(struct json_span span)
{
	return span.at < span.end;
}

/* Returns what is in a list or an object, to be walked; nothing of other values. */
struct json_span json_span_inside(struct json_span value, char bracket);

/* Take the next element of a list, or the next member of an object; false: none is left. */
bool json_span_next(struct json_span *rest, struct json_span *element);

/* Returns a member of an object, the first with its name, or nothing.  A name has no escapes. */
struct json_span json_span_find(struct json_span object, const char *name);

/* Each returns false if the value is of another type.  A number with nothing behind its point is an integer. */
bool json_span_int(struct json_span value, int64_t *out);

/* The number times 10^scale, rounded. */
bool json_span_scaled(struct json_span value, int scale, json_wide *out);

/*
 * A text, without its escapes; it lasts as long as what was begun with `text`.  No bytes: it is not a text, or,
 * which is then set, memory is out.
 */
struct packed_text json_span_text(struct json_span value, struct json_text *text, bool *is_out_of_memory);

/* Whether the text is that one, which has nothing to escape. */
bool json_span_is_text(struct json_span value, const char *text);

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
};

/* Who has been sampled. */
struct profile_thread {
	int64_t pid, tid;
	bool has_pid, has_tid;
};

/* Returns false if no clock has it. */
bool profile_time(json_wide exact, histree_time *out);

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

enum profile_look {
	PROFILE_NONE,
	PROFILE_SPEEDSCOPE,
	PROFILE_V8,
	PROFILE_FIREFOX,
	PROFILE_FOLDED, /* "main;run 10" a line */
};

enum profile_look profile_look(const void *bytes, size_t size);

extern const struct trace_format_kind profile_format;

#endif
