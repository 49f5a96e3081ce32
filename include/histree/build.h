/* SPDX-License-Identifier: MIT */
/*
 * build.h - read a trace once and make a store from it.
 *
 * The store grows in a folder beside the target, STORE.building, and takes the target's name when it is
 * complete: a store that exists is replaced only with `force`, and only then.
 *
 * From time to time the build publishes what it has read so far: STORE.building can then be opened as a store that
 * is not complete, and each history in it is exact up to its end.  What was published stays when the build is cut
 * off, by whatever it may be, and another one can go on with it.  A build that fails before, or is cancelled,
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
	double overviews_share; /* once the trace is read: of the work on overviews that is done, 0 to 1 */
};

struct histree_build_options {
	/*
	 * Folders; several make one experiment on one time axis.  Or one address of a session at a relay daemon of
	 * LTTng, "net://HOST/host/NAME/SESSION": the build then goes on until the session ends.
	 */
	const char *const *traces;
	size_t trace_count;
	const char *store;           /* the folder to make */
	const char *const *analyses; /* names; NULL: the ones that apply to the trace */
	size_t analysis_count;
	bool segments; /* where none are named: those that make segments as well */
	bool force;
	/*
	 * Go on with what a build of the same traces, with the same options, left when it was cut off.  The traces
	 * are read from their beginning, but what is on disk is not written again, and can be asked all the time.
	 */
	bool resume;
	/*
	 * Where the trace lacks events, states go on as if there had been none, as in Trace Compass, and may be
	 * wrong. Else those that are in doubt are unknown until the trace says more.
	 */
	bool ignore_gaps;
	bool no_overviews;  /* of long histories, by which wide views are quick (rows.h) */
	int64_t publish_ns; /* time between two publications; 0: a second, or more where that takes 3 % of the build
			     */
	struct histree_tree_options tree;
	/*
	 * Called now and then from the building thread; returns false to cancel, or where the trace is live, to
	 * take this for its end.  May be NULL.
	 */
	bool (*progress)(void *context, const struct histree_progress *progress);
	void *progress_context;
};

/*
 * Build.  HISTREE_OK: the store is there and whole.  HISTREE_PARTIAL: the store is there and says what
 * could not be read (`error` has the first of it).  Negative: there is no new store.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_build(const struct histree_build_options *options,
								 struct histree_error *error);

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
