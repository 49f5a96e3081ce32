/* SPDX-License-Identifier: MIT */
/*
 * uftrace_stream.h - what a folder of uftrace says: its tasks, the names of functions, entries and exits.
 *
 * The functions of one program or library are in a file "libc.so.6.sym".  A line is "0000000000001030 T main", by
 * addresses in the module; a type "?" is where symbols end.  Newer versions write the size behind the address.
 *
 * Other texts say which program each task ran when, and where its libraries lay:
 *
 * 	task.txt	"SESS timestamp=3512.22 pid=12 sid=7aea exename="/bin/x"",
 * 			"TASK timestamp=.. tid=13 pid=12", "FORK timestamp=.. pid=14 ppid=12",
 * 			"DLOP timestamp=.. tid=12 sid=7aea base=7fae libname="l.so""
 * 	sid-7aea.map	lines as of /proc/PID/maps, one a library, with a build id behind
 *
 * A task has the sessions of its process; one that was forked, those of its parent before.  Symbols are read when a
 * function of their module is met first.
 *
 * The entries and exits of one task are in a file "<tid>.dat": records of 16 bytes, a time and a word
 * (libmcount/record.c of uftrace):
 *
 * 	bits 0-1	what it is: entry, exit, lost records, event
 * 	bit 2		something follows it, up to the next multiple of 8 bytes: arguments, a value
 * 	bits 3-5	5, always
 * 	bits 6-15	the depth
 * 	bits 16-63	the address; of lost records their number, of an event its kind
 *
 * in a file of the other byte order from the upper end of the word.  Only specifications in words, which depend on
 * the program, say how long arguments are; so the next record is looked for: it has the 5, a time that is neither
 * before the last one nor behind that of the last record of the file, and so has the one behind it.
 */
#ifndef TRACE_UFTRACE_UFTRACE_STREAM_H
#define TRACE_UFTRACE_UFTRACE_STREAM_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/value.h"
#include "trace/lines/line_text.h"
#include "trace/trace_source.h"
#include "trace/trace_window.h"

struct uftrace_symbol {
	uint64_t address, size; /* 0: up to the next one, or nothing if it is the last */
	const char *name;       /* NULL: none is here */
};

/* A zeroed one is empty. */
struct uftrace_symbols {
	struct uftrace_symbol *symbols; /* by address */
	size_t count, capacity;
	struct arena names;
};

/* A program or a library. */
struct uftrace_module {
	const char *path, *build_id; /* the latter "" where unknown */
	bool is_read;
	struct uftrace_symbols symbols;
};

/* Where one lies. */
struct uftrace_map {
	uint64_t begin, end;
	uint64_t since; /* the time from which it does */
	struct uftrace_module *module;
};

/* A program that a process ran, from a time on. */
struct uftrace_session {
	const char *id, *program; /* the latter a path */
	const char *name;         /* of the process */
	uint64_t begin;
	int32_t pid;
	struct uftrace_map *maps;
	size_t map_count, map_capacity;
};

struct uftrace_task {
	int32_t tid, pid;
	int32_t parent; /* 0: it was not forked */
};

struct uftrace_names {
	const struct io *io;
	const char *folder;
	struct uftrace_session **sessions; /* by their times */
	size_t session_count, session_capacity;
	struct id_map tasks; /* by tid */
	struct uftrace_module **modules;
	size_t module_count, module_capacity;
	struct arena memory;
};

/* Read the texts of a folder; `names` is zeroed.  What is missing is not known.  Returns HISTREE_ERR_MEMORY. */
enum histree_status uftrace_names_read(struct uftrace_names *names, const struct io *io, const char *folder,
				       struct histree_error *error);

/* Returns the task of a tid, or NULL. */
const struct uftrace_task *uftrace_names_task(const struct uftrace_names *names, int32_t tid);
void uftrace_names_release(struct uftrace_names *names);

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
