/* SPDX-License-Identifier: MIT */
/*
 * store.h - open the folder that a build makes of one trace or experiment: histories and segment stores, one for
 * each analysis, and a manifest.
 */
#ifndef HISTREE_STORE_H
#define HISTREE_STORE_H

#include "cancel.h"
#include "history.h"
#include "segment_store.h"
#include "sync.h"

/* Where the histories of a build are (thesis 1.2). */
enum histree_backend_kind {
	HISTREE_BACKEND_DISK,    /* files in the store: the default */
	HISTREE_BACKEND_PARTIAL, /* files that have a part; what they leave out is made again from the trace */
	HISTREE_BACKEND_MEMORY,  /* in memory: there is no store */
	HISTREE_BACKEND_NULL,    /* nowhere: there is no store, and no history */
};

/* What the manifest says about the trace and the build.  The strings belong to the store. */
struct histree_store_history {
	const char *analysis;
	uint32_t analysis_version;
	const char *file;               /* name inside the folder */
	uint64_t state_changes_refused; /* by the state system, because of errors in the trace */
	/* The identity that the file must have (histree_history_info); 0 if the manifest does not say it. */
	uint64_t identity;
};

struct histree_store_segments {
	const char *analysis;
	uint32_t analysis_version;
	const char *file; /* name inside the folder */
	/* How often the trace has an end without a start, or a start without an end; these make no segment. */
	uint64_t without_start, without_end;
	uint64_t identity; /* as that of a history */
};

/* A host of a store of several, which contains a store for each host. */
struct histree_store_host {
	const char *name;
	size_t trace_count;                /* of the traces of all, which stand in the order of the hosts */
	const char *folder;                /* of its store, inside of the folder of this one: "hosts/NAME" */
	/* The clock that corrected its times; NULL: not corrected, as was asked for */
	const struct histree_clock *clock;
	size_t neighbour; /* index of the host by whose packets its clock was found; its own index: no host */
	histree_time start,
		end; /* of what it recorded, in corrected time; the end is before the start: not known */
	uint64_t event_count;
	uint64_t identity; /* of all files of its store together; 0 while it is built */
	const char *why;   /* a sentence: why its store cannot be opened; NULL: it can be */
};

struct histree_store_info {
	const char *path;
	uint32_t manifest_version;
	const char *made_by; /* "histree 0.1.0" */
	/* Options that decide what is in the store, as words for 'histree build'; NULL: not known */
	const char *options;
	const char *const *traces;
	size_t trace_count;
	const struct histree_store_history *histories;
	size_t history_count;
	const struct histree_store_segments *segments; /* empty while the store is not complete */
	size_t segments_count;
	uint64_t index_identity; /* that the index of events must have; 0 if the manifest does not say it */
	bool complete;           /* false if the build is running or was cut off */
	bool building;           /* true if it is not complete and the build is running */
	bool partial;            /* true if some of the trace could not be read; the warnings say what */
	const char *const *warnings;
	size_t warning_count;
	/* Analyses that "all" has and this store has not, as the trace has none of the events that they live on. */
	const char *const *lacking;
	size_t lacking_count;
	const char *lacks; /* the sentence that names them, with the events to record; NULL: none */
	uint64_t event_count;
	uint64_t clock_steps_back;
	uint64_t discarded_events, discarded_packets;
	uint64_t repeated_packets; /* packets that the trace had more than once, which were read once */
	uint64_t gap_count; /* gaps, in which events were lost or a stream is damaged, so that states are unknown */
	/* Options of the build (histree_build_options); false if the store does not say. */
	bool ignores_gaps, null_empty_stacks;
	bool partial_histories;     /* they are partial (histree_history_info), */
	uint64_t checkpoint_events; /* of partial histories: events between checkpoints */
	const char *const *symbols; /* where names of functions were looked for, */
	size_t symbol_count;
	bool no_symbols; /* and not on the machine that built it */
	histree_time start,
		end;      /* of the trace; while the store is not complete, each history has an end of its own */
	int64_t build_ns; /* wall time of the build */
	/* The name of the host, if it was given to the build, and the clock by which its times were corrected. */
	const char *host;
	const struct histree_clock *clock; /* NULL: times are those of the traces */
	/* For a store of several hosts, whose histories and segment stores are then unions of theirs. */
	const struct histree_store_host *hosts; /* in the order of their traces */
	size_t host_count;                      /* 0: it is a store of one host, whatever that is called */
};

struct histree_store;

/*
 * Open a store.  If there is no store of that name but a build of it is running or was cut off, what that build
 * has published is opened.  If there is an older store of that name, the name PATH.building opens what a new
 * build has published.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_store_open(const char *path, struct histree_store **out,
								      struct histree_error *error);
HISTREE_API void histree_store_close(struct histree_store *store);
HISTREE_API const struct histree_store_info *histree_store_info(const struct histree_store *store);

/*
 * Open the store of one of several hosts, by its index in struct histree_store_info.  The caller closes it.
 * Returns HISTREE_ERR_FORMAT if it is not the store that the manifest of this one names, HISTREE_ERR_ARGUMENT if
 * the index is too large, and the errors of histree_store_open().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_store_host(const struct histree_store *store,
								      size_t index, struct histree_store **out,
								      struct histree_error *error);

/*
 * Open the history of one analysis; the caller closes it.  If `analysis` is NULL, it is "kernel" if the store has
 * it, else the first.  Returns HISTREE_NOT_FOUND, with the names of the analyses in the store, if the analysis is
 * not among them, HISTREE_ERR_VERSION if the analysis has changed since the build and `any_version` is false, and
 * HISTREE_ERR_FORMAT if the file is of another build than the manifest.
 *
 * In a store of several hosts it is the union of theirs (history.h).  A host whose history cannot be opened is a
 * part that says why.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_store_history(struct histree_store *store,
									 const char *analysis, bool any_version,
									 const struct histree_open_options *options,
									 struct histree_history **out,
									 struct histree_error *error);

/* What to wait for: the history is complete, or has reached `until`, whichever comes first. */
struct histree_store_wait {
	histree_time until; /* INT64_MAX: only for its end */
	int64_t timeout_ns; /* 0: look once; negative: as long as it takes */
	struct histree_cancel cancel;
};

/*
 * Wait for the history of an analysis (NULL: the default) of a store that may not exist yet, which another
 * process or thread builds, and open it; the caller closes *out.  It never changes: to see more, wait again.
 * Returns HISTREE_NOT_FOUND after the timeout, HISTREE_ERR_INCOMPLETE if the build was cut off before it got
 * there, and otherwise the errors of histree_store_open() and histree_store_history().  Looks every 10 ms.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_store_wait(const char *path, const char *analysis,
								      const struct histree_store_wait *wait,
								      const struct histree_open_options *options,
								      struct histree_history **out,
								      struct histree_error *error);

/*
 * Open the segment store of one analysis; the caller closes it.  `options` may be NULL.  The errors are those of
 * histree_store_history().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_store_segments(struct histree_store *store, const char *analysis, bool any_version,
		       const struct histree_segment_open_options *options, struct histree_segment_store **out,
		       struct histree_error *error);

/* Opens the segment store that an analysis made of a host; HISTREE_NOT_FOUND if it made none. */
typedef enum histree_status histree_segment_opener(void *context, size_t host, const char *analysis,
						   struct histree_segment_store **out, struct histree_error *error);

/*
 * From now on histree_store_segments() of a store of several hosts gets the segment store of each host from this
 * function; NULL: from the store's folder again.
 */
HISTREE_API void histree_store_set_segment_opener(struct histree_store *store, histree_segment_opener *opener,
						  void *context);

/* Opens the history that an analysis made of a host; HISTREE_NOT_FOUND if it made none. */
typedef enum histree_status histree_history_opener(void *context, size_t host, const char *analysis,
						   const struct histree_open_options *options,
						   struct histree_history **out, struct histree_error *error);

/* The same for histree_store_history(), whose union then has the histories that this function opens. */
HISTREE_API void histree_store_set_history_opener(struct histree_store *store, histree_history_opener *opener,
						  void *context);

struct histree_events;

/* Opens the events of a host (events.h); HISTREE_NOT_FOUND if they have no index. */
typedef enum histree_status histree_event_opener(void *context, size_t host, struct histree_events **out,
						 struct histree_error *error);

/*
 * From now on histree_events_open() of a store of several hosts gets the events of each host from this function;
 * NULL: from the store's folder again.  The other function returns the opener that was set, or NULL.
 */
HISTREE_API void histree_store_set_event_opener(struct histree_store *store, histree_event_opener *opener,
						void *context);
HISTREE_API histree_event_opener *histree_store_event_opener(const struct histree_store *store, void **context);

#endif
