/* SPDX-License-Identifier: MIT */
/*
 * build.h - read a trace once and make a store from it.
 *
 * The store grows in a folder beside the target, STORE.building, and takes the target's name when it is
 * complete: a store that exists is replaced only with `force`, and only then.  A failed or cancelled build
 * leaves nothing.
 */
#ifndef HISTREE_BUILD_H
#define HISTREE_BUILD_H

#include "state_system.h"
#include "store.h"

struct histree_progress {
	uint64_t events;
	uint64_t bytes_done, bytes_total; /* of the trace; bytes_total 0: not known */
	int64_t elapsed_ns;
};

struct histree_build_options {
	const char *const *traces; /* folders; several make one experiment on one time axis */
	size_t trace_count;
	const char *store;            /* the folder to make */
	const char *const *analyses;  /* names; NULL: the ones that apply to the trace */
	size_t analysis_count;
	bool force;
	struct histree_tree_options tree;
	/* Called now and then from the building thread; returns false to cancel.  May be NULL. */
	bool (*progress)(void *context, const struct histree_progress *progress);
	void *progress_context;
};

/*
 * Build.  HISTREE_OK: the store is there and whole.  HISTREE_PARTIAL: the store is there and says what
 * could not be read (`error` has the first of it).  Negative: there is no new store.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_build(const struct histree_build_options *options, struct histree_error *error);

struct histree_analysis_info {
	const char *name;
	uint32_t version;
	const char *summary; /* one line */
	bool makes_segments; /* a segment store; else a history */
	bool by_default;     /* a build that names no analysis uses it where it applies */
};

/* The analyses that this library has, by index from 0; false behind the last. */
HISTREE_API bool histree_analysis(size_t index, struct histree_analysis_info *out);

#endif
