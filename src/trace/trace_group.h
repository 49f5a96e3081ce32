/* SPDX-License-Identifier: MIT */
/*
 * trace_group.h - the traces at and below some paths, by the hosts that they are of.
 *
 * Traces are of one host if they are of one start of one machine, or if their hosts have one name and nothing says
 * that the starts differ.  What does not say whose it is is a host of its own, called as its file or folder.
 */
#ifndef TRACE_TRACE_GROUP_H
#define TRACE_TRACE_GROUP_H

#include <stddef.h>

#include "histree/status.h"
#include "trace/trace_notes.h"

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

#endif
