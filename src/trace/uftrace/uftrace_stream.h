/* SPDX-License-Identifier: MIT */
/*
 * uftrace_stream.h - the entries and exits of one task, of a file "<tid>.dat": records of 16 bytes, a time and a
 * word (libmcount/record.c of uftrace):
 *
 *	bits 0-1	what it is: entry, exit, lost records, event
 *	bit 2		something follows it, up to the next multiple of 8 bytes: arguments, a value
 *	bits 3-5	5, always
 *	bits 6-15	the depth
 *	bits 16-63	the address; of lost records their number, of an event its kind
 *
 * in a file of the other byte order from the upper end of the word.  How long arguments are, only specifications in
 * words say, which depend on the program; so the next record is looked for: it has the 5, a time that is neither
 * before the last one nor behind that of the last record of the file, and so has the one behind it.
 */
#ifndef TRACE_UFTRACE_UFTRACE_STREAM_H
#define TRACE_UFTRACE_UFTRACE_STREAM_H

#include "trace/trace_stream.h"
#include "trace/trace_window.h"
#include "trace/uftrace/uftrace_names.h"

enum { UFTRACE_RECORD_SIZE = 16 };

enum uftrace_type { UFTRACE_ENTRY, UFTRACE_EXIT, UFTRACE_LOST, UFTRACE_EVENT };

/* Fields of both classes. */
enum uftrace_field {
	UFTRACE_ADDRESS,
	UFTRACE_NAME,
	UFTRACE_DEPTH,
	UFTRACE_TID,
	UFTRACE_PID,
	UFTRACE_PROCESS,
	UFTRACE_FIELD_COUNT,
};

struct uftrace_record {
	uint64_t time;
	enum uftrace_type type;
	bool has_more, is_one;
	uint16_t depth;
	uint64_t address;
};

struct uftrace_stream {
	struct trace_stream base;
	struct uftrace_names *names; /* borrowed, as the classes are: of entries, and of exits */
	const struct event_class *classes[2];
	const struct uftrace_task *task; /* NULL: no text speaks of it */
	int32_t tid;
	bool is_big;

	char *path; /* freed with the stream */
	struct trace_window window;
	size_t window_size;
	uint64_t size, at, upcoming_at; /* of the file; of the record that comes next; of the upcoming one */
	uint64_t last_time;             /* of the file's last record; INT64_MAX: not known */
	uint64_t time;                  /* of the record before */
	uint64_t lost;                  /* since the last event */
	bool has_lost, is_damaged;

	const struct uftrace_session *session;
	uint64_t session_until;
	struct uftrace_record record; /* the upcoming event */
	const char *name;             /* of its function; NULL: not known */
};

/*
 * Open the file at a record; what is above `path` is set, and `path`.  Returns HISTREE_ERR_IO,
 * HISTREE_ERR_MEMORY.
 */
enum histree_status uftrace_stream_open(struct uftrace_stream *stream, const struct io *io, bool stays_open,
					uint64_t at, struct histree_error *error);

enum histree_status uftrace_stream_next(struct uftrace_stream *stream, struct histree_error *error);

/* Close the file; it can be opened again. */
void uftrace_stream_close(struct uftrace_stream *stream);

/* The two functions of struct event_trace. */
bool uftrace_event_int(const struct event *event, uint32_t field, int64_t *out);
bool uftrace_event_string(const struct event *event, uint32_t field, const char **text, size_t *size);

#endif
