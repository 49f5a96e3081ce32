/* SPDX-License-Identifier: MIT */
/*
 * trace_hosts.h - the traces at and below some paths, by the hosts that they are of.
 *
 * Traces are of one host if they are of one start of one machine, or if their hosts have one name and nothing says
 * that the starts differ.  What does not say whose it is is a host of its own, called as its file or folder.
 *
 * Analyses call CPUs and threads by their numbers.  Those of two hosts would become one CPU and one thread that
 * never were.  What does not say whose it is may be of any host; and of one host there may be traces of several
 * starts.
 */
#ifndef TRACE_TRACE_HOSTS_H
#define TRACE_TRACE_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "histree/status.h"
#include "trace/trace_source.h"

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
 * Add the traces at and below a path to the host of that name, whatever they say themselves.  Call it before
 * trace_groups_find(), whose traces go to hosts of a name, too, if they are of the same start, or say that name.
 * Returns HISTREE_ERR_ARGUMENT if no host can be called so.
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
 * Returns whether two of the traces, from *first on, are of a kernel and neither says of which host: they are taken
 * for one, and may be of two.  Traces that are known not to overlap may well be parts of one recording.
 */
bool trace_hosts_find_unnamed(const struct trace_host *traces, size_t count, size_t *first, size_t *second);

/*
 * As trace_hosts_check(), for the traces found at or below the paths.  Also returns HISTREE_ERR_TRACE if there is
 * no trace, or its metadata cannot be read.
 */
enum histree_status trace_hosts_check_paths(const char *const *paths, size_t count, struct histree_error *error);

#endif
