/* SPDX-License-Identifier: MIT */
/*
 * uftrace_names.h - the names of functions that uftrace wrote down, by process and library.
 *
 * The names of the functions of one program or library, of a file "libc.so.6.sym".
 *
 * A line is "0000000000001030 T main", by addresses in the module; a type "?" is where symbols end.  Newer versions
 * write the size behind the address.
 *
 * What the texts of a folder of uftrace say: which tasks there were, which program each of them
 * ran when, where its libraries lay, and so how a function is called.
 *
 *	task.txt	"SESS timestamp=3512.22 pid=12 sid=7aea exename="/bin/x"",
 *			"TASK timestamp=.. tid=13 pid=12", "FORK timestamp=.. pid=14 ppid=12",
 *			"DLOP timestamp=.. tid=12 sid=7aea base=7fae libname="l.so""
 *	sid-7aea.map	lines as of /proc/PID/maps, one a library, with a build id behind
 *
 * A task has the sessions of its process; one that was forked, those of its parent before.  Symbols are read when a
 * function of their module is met first.
 */
#ifndef TRACE_UFTRACE_UFTRACE_NAMES_H
#define TRACE_UFTRACE_UFTRACE_NAMES_H

#include "base/arena.h"
#include "base/id_map.h"
#include "histree/value.h"
#include "trace/lines/line_text.h"

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

/* Returns what a task ran at a time, and before *until, NULL if that is not known. */
const struct uftrace_session *uftrace_names_session(const struct uftrace_names *names,
						    const struct uftrace_task *task, uint64_t time,
						    uint64_t *until);

/* Set *out to the name of the function at an address, or NULL if it is not known.  Returns HISTREE_ERR_MEMORY. */
enum histree_status uftrace_names_find(struct uftrace_names *names, const struct uftrace_session *session,
				       uint64_t time, uint64_t address, const char **out,
				       struct histree_error *error);
void uftrace_names_release(struct uftrace_names *names);

#endif
