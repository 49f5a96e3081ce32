/* SPDX-License-Identifier: MIT */
/*
 * store.h - stores: open one, relate the clocks of its hosts, repair it, convert it.
 */
#ifndef HISTREE_STORE_H
#define HISTREE_STORE_H

#include <math.h>

#include "history.h"
#include "segments.h"
#include "status.h"
#include "value.h"

/* ==== sync ==================================================================================================== */

/*
 * By how much the clocks of the hosts of several traces differ, from the packets between them.
 *
 * A TCP packet cannot arrive before it left, so each packet bounds the clock of one host by that of the other;
 * the lines that all packets allow lie between two convex hulls (docs/design/13-hosts.md has the method and its
 * sources).
 *
 * Threads: one thread calls; the result belongs to the caller.
 */

enum histree_clock_quality {
	HISTREE_CLOCK_ABSENT,      /* nothing is known: times stay as they are */
	HISTREE_CLOCK_APPROXIMATE, /* packets bound the offset, or one side of it, but not the rate */
	HISTREE_CLOCK_ACCURATE,    /* the rate and the offset are bounded from both sides */
	HISTREE_CLOCK_REFERENCE,   /* all times become those of this host's clock */
	HISTREE_CLOCK_GIVEN,       /* given by the user, not checked */
};

/* The error of a clock that has no bounds. */
#define HISTREE_CLOCK_UNBOUNDED INFINITY

/* Converts times of a host to those of the reference. */
struct histree_clock {
	histree_time from, to; /* the same moment by both clocks; that of the reference has a fraction besides */
	uint32_t fraction;     /* in 2^-32 ns */
	int64_t rate;          /* how much faster the reference goes, in 2^-62: slope - 1, between -1/2 and 1 */
	enum histree_clock_quality quality;
	double error;      /* in ns, the greatest while packets came; HISTREE_CLOCK_UNBOUNDED */
	uint64_t matches;  /* packets on the path to the reference that were seen by both hosts */
	uint64_t accurate; /* those among them that narrowed the bounds when they came */
};

/*
 * Returns the time of the reference, in whole nanoseconds, rounded down.  The order of two times is never
 * reversed.  A result beyond the ends of time becomes the nearer end.
 */
HISTREE_API histree_time histree_clock_apply(const struct histree_clock *clock, histree_time time);

/* Returns the slope and the offset in "reference = slope * time + offset", as far as doubles go. */
HISTREE_API double histree_clock_slope(const struct histree_clock *clock);
HISTREE_API double histree_clock_offset(const struct histree_clock *clock);

/*
 * Make a clock from a user's text, "OFFSET[,SLOPE]": decimal numbers, the offset in ns.  Its quality is
 * HISTREE_CLOCK_GIVEN.  Returns HISTREE_ERR_ARGUMENT if they are not numbers, or out of range: the slope is more
 * than 1/2 and less than 2, and the offset is a time of 64 bits.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_clock_read(const char *text, struct histree_clock *out,
								      struct histree_error *error);

struct histree_host_clock {
	const char *host; /* its name; the name of its folder if the traces do not say it */
	struct histree_clock clock;
	/*
	 * Index of the host whose packets its clock comes from, or its own index if there is no such host.  The
	 * path of such hosts leads to the reference.
	 */
	size_t neighbour;
	/* If packets contradict each other, the time of the first contradiction, by this host's clock; else 0. */
	histree_time contradiction;
	/*
	 * Events of this host that were read, and packets among them.  Traces that declare no packets are not
	 * read.
	 */
	uint64_t events, packets;
};

struct histree_sync;

struct histree_sync_options {
	const char *reference; /* all times become those of this host's clock; NULL: that of the first trace */
	struct histree_work work;
};

/*
 * Read the traces found at and below the paths, and compare the clocks of their hosts.  Hosts are told apart by
 * what the traces say: the boot of the machine, or its name.  `options` may be NULL.  Returns HISTREE_ERR_TRACE
 * if one of the paths has no trace, HISTREE_NOT_FOUND if no host has the name of the reference,
 * HISTREE_ERR_CANCELLED.  The caller frees *out.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_sync_traces(const char *const *paths, size_t path_count,
								       const struct histree_sync_options *options,
								       struct histree_sync **out,
								       struct histree_error *error);

/* Returns the hosts, in the order of their first traces; borrowed. */
HISTREE_API const struct histree_host_clock *histree_sync_hosts(const struct histree_sync *sync, size_t *count);

HISTREE_API void histree_sync_free(struct histree_sync *sync);

/* Returns "absent", "approximate", "accurate", "reference" or "given". */
HISTREE_API const char *histree_clock_quality_name(enum histree_clock_quality quality);

/* ==== store =================================================================================================== */

/*
 * Open the folder that a build makes of one trace or experiment: histories and segment stores, one for
 * each analysis, and a manifest.
 */

/* Where the histories of a build are (thesis 1.2). */
enum histree_backend_kind {
	HISTREE_BACKEND_DISK,    /* files in the store: the default */
	HISTREE_BACKEND_PARTIAL, /* files with a part of the intervals; the rest is made again from the trace */
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

/* One host of a store of several hosts, which contains a store for each host. */
struct histree_store_host {
	const char *name;
	size_t trace_count; /* how many of all the store's traces are its own; they are in the order of the hosts */
	const char *folder; /* of its store, inside the folder of the whole store: "hosts/NAME" */
	/* The clock that corrected its times; NULL: not corrected, as the build was asked */
	const struct histree_clock *clock;
	size_t neighbour; /* index of the host by whose packets its clock was found; its own index: no host */
	/* Of what it recorded, in corrected time; not known if the end is before the start. */
	histree_time start, end;
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
	/*
	 * Analyses that belong to "all" but that this store lacks, because the trace has none of the events that
	 * they need.
	 */
	const char *const *lacking;
	size_t lacking_count;
	const char *lacks; /* a sentence that names them, with the events to record; NULL if there are none */
	uint64_t event_count;
	uint64_t clock_steps_back;
	uint64_t discarded_events, discarded_packets;
	uint64_t repeated_packets; /* packets that the trace had more than once, which were read once */
	uint64_t gap_count; /* gaps, in which events were lost or a stream is damaged, so that states are unknown */
	/* Options of the build (histree_build_options); false if the store does not say. */
	bool ignores_gaps, null_empty_stacks;
	bool partial_histories;     /* true if the histories are partial (histree_history_info) */
	uint64_t checkpoint_events; /* of partial histories: events between checkpoints */
	const char *const *symbols; /* where names of functions were looked for */
	size_t symbol_count;
	bool no_symbols; /* names were not looked for on the machine that built the store */
	/* Of the trace; while the store is not complete, each history has an end of its own. */
	histree_time start, end;
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
	struct histree_work work;
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

/* The same for histree_store_history(): the union has the histories that this function opens. */
HISTREE_API void histree_store_set_history_opener(struct histree_store *store, histree_history_opener *opener,
						  void *context);

struct histree_events;

/* Opens the events of a host (events.h); HISTREE_NOT_FOUND if they have no index. */
typedef enum histree_status histree_event_opener(void *context, size_t host, struct histree_events **out,
						 struct histree_error *error);

/*
 * From now on histree_events_open() of a store of several hosts gets the events of each host from this function;
 * NULL: from the store's folder again. histree_store_event_opener() returns the opener that was set, or NULL.
 */
HISTREE_API void histree_store_set_event_opener(struct histree_store *store, histree_event_opener *opener,
						void *context);
HISTREE_API histree_event_opener *histree_store_event_opener(const struct histree_store *store, void **context);

/* ==== repair ================================================================================================== */

/*
 * Make a sound store from the readable part of a damaged one, or from one whose build was cut off.
 *
 * The damaged store stays as it is.  In the new one, lost states are intervals of type unknown, and all others
 * are as they were.  A segment store keeps the segments that can be read, and gets new overviews; its side tables
 * are made when a query needs them.
 */

struct histree_repair_options {
	/* a store, whose build may have been cut off, or one file of it: a history or a segment store */
	const char *path;
	const char *out; /* what to make, of the same kind */
	bool force;      /* replace a store of that name once the new one is complete */
	/* Called for each lost interval of an attribute, in no particular order; may be NULL. */
	void (*lost)(void *context, const char *analysis, const struct histree_attributes *attributes,
		     const struct histree_interval *interval);
	/* Called for each lost node of a segment store; may be NULL. */
	void (*lost_segments)(void *context, const char *analysis, const struct histree_loss *loss);
	/* Called with a sentence for other damage, such as a lost section or a whole lost history; may be NULL. */
	void (*damage)(void *context, const char *what);
	/*
	 * Called before the store of each of several hosts is repaired; the calls that follow are about that
	 * host.  May be NULL.
	 */
	void (*host)(void *context, const char *host);
	void *context;            /* passed to all four */
	struct histree_work work; /* called before each slice of a history, and between files */
};

/*
 * Repair a store.  Returns HISTREE_OK if nothing was damaged, HISTREE_PARTIAL if something was and the callbacks
 * were called for it, HISTREE_NOT_FOUND if the store is complete, with sound histories, segments and overviews,
 * so that nothing had to be made, and a negative status if nothing could be made or the call was cancelled.  A
 * history can be repaired if its header and the section TREE, or their copies, can be read; a store can be
 * repaired if one of its histories can.  In a store of several hosts, each host is repaired.  A host of which
 * nothing can be read is left out, which `damage` and the warnings of the new store report.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_repair(const struct histree_repair_options *options,
								  struct histree_error *error);

/* ==== convert ================================================================================================= */

/*
 * Make a store from a complete one, without its trace: with another kind of tree, or with only a part of its
 * time.
 *
 * Every state, the number of states and the names stay the same; only the trees of the histories change.  Segment
 * stores and the index of events are copied byte by byte, without side tables, which queries make when they need
 * them.  Histories get new overviews.
 *
 * A part has the states of its time, cut at its ends, and the segments that overlap it, uncut: questions about
 * times within it have the same answers as in the whole store.  The index of events is that of the trace.
 */

struct histree_convert_options {
	const char *path; /* a store, or one history file */
	const char *out;  /* what to make, of the same kind; may be a store's own path, with `force` */
	bool force;       /* replace a store of that name once the new one is complete */
	bool no_overviews;
	struct histree_tree_options tree; /* of all histories */
	/*
	 * Copy only what there is from `from` to `to`, both inclusive, which must overlap the times of the store.
	 */
	bool is_part;
	histree_time from, to;
	/*
	 * For a part: an expression about rows (histree_state_filter_is_of_rows()).  Only the states of rows that
	 * pass are copied.  A history without such rows is left out, and so are the segments of threads without
	 * such rows.  NULL: all rows.
	 */
	const char *rows;
	struct histree_work work; /* called before each slice of a history, and between files */
};

/*
 * Convert a store.  Memory is bounded; the time is that of reading each history several times.  Returns
 * HISTREE_ERR_INCOMPLETE if the build of the store was cut off or is running, HISTREE_ERR_FORMAT if something in
 * it is damaged and must be repaired first (histree_repair()), HISTREE_ERR_ARGUMENT if the store has nothing in
 * the given time, and HISTREE_NOT_FOUND if it has none of the given rows.  If the call fails, nothing is made.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_convert(const struct histree_convert_options *options,
								   struct histree_error *error);

#endif
