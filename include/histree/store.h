/* SPDX-License-Identifier: MIT */
/*
 * store.h - the folder that a build makes for one trace: histories by analysis, and a manifest.
 */
#ifndef HISTREE_STORE_H
#define HISTREE_STORE_H

#include "history.h"

/* What the manifest says of the trace and of the build.  Strings belong to the store. */
struct histree_store_history {
	const char *analysis;
	uint32_t analysis_version;
	const char *file;               /* name inside the folder */
	uint64_t state_changes_refused; /* changes that the state system refused, an error of the trace */
};

struct histree_store_info {
	const char *path;
	const char *made_by; /* "histree 0.1.0" */
	const char *const *traces;
	size_t trace_count;
	const struct histree_store_history *histories;
	size_t history_count;
	bool complete; /* false: the store of a build that is running, or was cut off */
	bool building; /* not complete, and the build is running */
	bool partial;  /* some of the trace could not be read: see warnings */
	const char *const *warnings;
	size_t warning_count;
	uint64_t event_count;
	uint64_t clock_steps_back;
	uint64_t discarded_events, discarded_packets;
	uint64_t gap_count; /* in which states became unknown: where events were lost, or a stream is damaged */
	histree_time start, end; /* where it is not complete, each history says itself where it ends */
	int64_t build_ns;        /* wall time of the build */
};

struct histree_store;

/*
 * Open a store.  Where there is none of that name, but a build of it is running or was cut off, that is opened as
 * far as it was published; under the name PATH.building it is also where there is an older store.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_store_open(const char *path, struct histree_store **out,
								      struct histree_error *error);
HISTREE_API void histree_store_close(struct histree_store *store);
HISTREE_API const struct histree_store_info *histree_store_info(const struct histree_store *store);

/*
 * Open the history of one analysis (NULL: "kernel" if there is one, else the first).  The caller closes
 * it.  HISTREE_NOT_FOUND names the analyses that the store has; HISTREE_ERR_VERSION says that the
 * analysis has changed since the build, unless `any_version`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_store_history(struct histree_store *store,
									 const char *analysis, bool any_version,
									 const struct histree_open_options *options,
									 struct histree_history **out,
									 struct histree_error *error);

#endif
