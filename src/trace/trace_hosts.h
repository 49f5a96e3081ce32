/* SPDX-License-Identifier: MIT */
/*
 * trace_hosts.h - whether traces are of one host, so that CPU 0 of the one is CPU 0 of the other.
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
#include "trace/trace_notes.h"

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
