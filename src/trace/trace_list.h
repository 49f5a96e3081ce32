/* SPDX-License-Identifier: MIT */
/*
 * trace_list.h - which traces are at and below some paths, and of which host each is.
 *
 * A *place* is where a trace is after following links, to find traces that are named twice.
 *
 * A file is recognised by its content: as a trace, or as a format that histree does not read.
 *
 * A user with a recording of trace-cmd or of a browser, or a trace in an archive, is told what the file is and how
 * to proceed, instead of what it is not.
 *
 * Traces belong to one host if they were recorded during one boot of one machine, or if their hosts have the same
 * name and nothing says that the boots differ.  A trace that does not state its host is a host of its own, named
 * after its file or folder.
 *
 * Analyses call CPUs and threads by their numbers.  Those of two hosts would be merged into CPUs and threads that
 * never existed.  A trace that does not state its host may belong to any host; and one host may have traces of
 * several boots.
 */
#ifndef TRACE_TRACE_LIST_H
#define TRACE_TRACE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "histree/status.h"
#include "trace/trace_source.h"

struct trace_place {
	char *path; /* without links */
	const char *given, *host;
};

/* A zeroed one is empty. */
struct trace_places {
	struct trace_place *places;
	size_t count, capacity;
};

/*
 * Add a trace as it was given, and its host, both borrowed.  What is not there is left out: who opens it says why.
 * Returns false if memory runs out.
 */
bool trace_places_add(struct trace_places *places, const char *given, const char *host);

/* Returns the second of two that are one trace, the first one before it; NULL if all are different. */
const struct trace_place *trace_places_twice(struct trace_places *places);

/* The same, but of two different hosts. */
const struct trace_place *trace_places_of_two_hosts(struct trace_places *places);
void trace_places_release(struct trace_places *places);

/* What a file is; zeroed: of no format that is known. */
struct trace_format {
	const char *name;                     /* ends the sentence "this is ..." */
	const struct trace_format_kind *kind; /* what reads such a file, a trace by itself; NULL: nothing does */
	const char *advice;                   /* what to do with it then; NULL: it is no trace */
	bool is_gzip;                         /* of something else */
	bool is_print;                        /* only looks like a table, or like samples */
};

/* Returns the format that the first bytes of a file are of. */
struct trace_format trace_format_of_bytes(const void *bytes, size_t size);

/* Returns the format of a file, of what is inside if that is read as it is; none if it cannot be read. */
struct trace_format trace_format_of_path(const char *path);

struct trace_entry {
	char *path;
	const struct trace_format_kind *kind;
};

/* A zeroed one is empty. */
struct trace_list {
	struct trace_entry *entries;
	size_t count, capacity;
};

/*
 * Add the file `path` if it is a trace by itself (a recording of perf or trace-cmd, a table of events as text, or
 * one that is named with a map, base/trace_word.h), once for each kind that reads a part of it, else each folder
 * with a file `metadata` at or below `path`, sorted by name; a trace has none inside.  Symbolic links below `path`
 * are not followed.  Returns HISTREE_ERR_TRACE if there was none.
 */
enum histree_status trace_list_find(struct trace_list *list, const char *path, struct histree_error *error);
void trace_list_release(struct trace_list *list);

/* Returns whether there is one trace at a path: see histree_is_trace(). */
bool trace_is_at(const char *path);

enum { TRACE_GROUP_NAME_SIZE = 128 };

struct trace_group {
	char name[TRACE_GROUP_NAME_SIZE]; /* of the host; different from those of the others */
	bool is_named;                    /* by the caller */
	struct trace_facts facts;         /* of its first trace */
	char **paths;
	size_t path_count;
};

struct trace_groups {
	struct trace_group *groups; /* by the first trace of each */
	size_t count;
};

/*
 * Find all traces.  Returns HISTREE_ERR_TRACE if one of the paths has no trace, or its metadata cannot be read.
 * Release it also after failure.
 */
enum histree_status trace_groups_find(struct trace_groups *groups, const char *const *paths, size_t path_count,
				      struct histree_error *error);

/*
 * Add the traces at and below a path to the host of that name, whatever they state.  Call it before
 * trace_groups_find(), whose traces also go to named hosts if they are of the same boot, or state that name.
 * Returns HISTREE_ERR_ARGUMENT if the name is not valid for a host.
 */
enum histree_status trace_groups_add(struct trace_groups *groups, const char *name, const char *path,
				     struct histree_error *error);
void trace_groups_release(struct trace_groups *groups);

struct trace_host {
	const char *path; /* of the trace */
	const struct trace_facts *facts;
	histree_time begin, end; /* the end is before the beginning: not known */
	bool is_of_kernel;       /* and of all of the machine: a second one at the same time says the same again */
	bool has_kernel;         /* it is known to be of a kernel, as a table of events is not */
	bool is_left_out;        /* as the copy of one before */
};

/* Returns HISTREE_ERR_ARGUMENT, and how to build two stores, if two of the traces are of different hosts. */
enum histree_status trace_hosts_check(const struct trace_host *traces, size_t count, struct histree_error *error);

/*
 * Returns whether two of the traces, from *first on, are different recordings of the kernel of one start of one
 * machine, at the same time: what both have counts twice.
 */
bool trace_hosts_find_doubled(const struct trace_host *traces, size_t count, size_t *first, size_t *second);

/*
 * Returns whether two of the traces, from *first on, are kernel traces that do not state their host: they are taken
 * for one host, and may be of two.  Traces that are known not to overlap may well be parts of one recording.
 */
bool trace_hosts_find_unnamed(const struct trace_host *traces, size_t count, size_t *first, size_t *second);

/*
 * As trace_hosts_check(), for the traces found at or below the paths.  Also returns HISTREE_ERR_TRACE if there is
 * no trace, or its metadata cannot be read.
 */
enum histree_status trace_hosts_check_paths(const char *const *paths, size_t count, struct histree_error *error);

#endif
