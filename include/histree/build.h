/* SPDX-License-Identifier: MIT */
/*
 * build.h - read a trace once and make a store from it.
 *
 * The store grows in the folder STORE.building and takes the name STORE once it is complete.  An existing store is
 * replaced only with `force`, and only then.
 *
 * From time to time the build publishes what it has read so far.  STORE.building can then be opened as a store that
 * is not complete, in which each history is exact up to its end.  What was published stays when the build is cut
 * off for whatever reason, and another build can continue from it.  A build that fails before it published
 * anything, or is cancelled, leaves nothing.
 */
#ifndef HISTREE_BUILD_H
#define HISTREE_BUILD_H

#include "cancel.h"
#include "state_system.h"
#include "store.h"

struct histree_slice_post; /* slices.h */

struct histree_progress {
	uint64_t events;
	uint64_t bytes_done, bytes_total; /* of the trace; bytes_total is 0 if it is not known */
	int64_t elapsed_ns;
	/* share of the overviews that is made, 0 to 1; they are made after the trace was read */
	double overviews_share;
	/* The trace is live, and nothing of it has come yet. */
	bool waits;
	/* Of a build of several hosts; the numbers above are those of all of them together. */
	const char *host; /* the one that was begun last; NULL: clocks are looked for, or there is one host only */
	size_t hosts_done, host_count;
	double clocks_share; /* of the traces that was read for their clocks, 0 to 1, before the first host */
};

/* Traces of a host, whatever they call it; they may not be of two. */
struct histree_build_host {
	const char *name;
	const char *path; /* as in `traces` below; several may be of one host */
};

/* The clock of a host, instead of one from packets. */
struct histree_build_clock {
	const char *host;
	struct histree_clock clock; /* of any quality: that of histree_clock_read() is given */
	const char *neighbour;      /* the host whose packets it comes from; NULL: none */
};

struct histree_build_options {
	/*
	 * Folders of traces, and tables of events as text, "FILE" or "text:MAP:FILE" (histree-build(1)); several
	 * make one experiment on one time axis.  Or one address of a session at an LTTng relay daemon,
	 * "net://HOST/host/NAME/SESSION", in which case the build runs until the session ends.
	 */
	const char *const *traces;
	size_t trace_count;
	/*
	 * Traces of several hosts make a store of several, each with a store of its own inside
	 * (struct histree_store_info).  Hosts are told apart by what traces say of themselves, or by these names.
	 */
	const struct histree_build_host *hosts;
	size_t host_count;
	/* Their clocks are found from the packets between them, unless these say them. */
	const struct histree_build_clock *clocks;
	size_t clock_count;
	bool no_clocks;              /* and the others are not looked for: times stay as they are */
	const char *reference;       /* the host whose time is that of all; NULL: the first */
	const char *store;           /* the folder to make */
	const char *const *analyses; /* names; NULL selects those that apply to the trace */
	size_t analysis_count;
	/*
	 * Files that define analyses, or folders of them (histree-build(1), "-x"), which are used where they apply;
	 * without names above, no others are.
	 */
	const char *const *definitions;
	size_t definition_count;
	/*
	 * Where names of functions are, whose calls the trace has by address: tables of text, lines as nm prints
	 * them ("401136 T main"), and folders that stand for the root of the machine that was traced, with its
	 * binaries or files of debugging information, as /usr/lib/debug has them.  Without folders, binaries are
	 * looked for where the trace says that they were.  Those of another build id are not taken.
	 */
	const char *const *symbols;
	size_t symbol_count;
	bool no_symbols; /* and nothing is looked for on this machine */
	bool segments;   /* if no analyses are named, also use those that make segments */
	bool force;
	/*
	 * Continue a build of the same traces with the same options that was cut off.  The traces are read from
	 * their beginning, but what is on disk is not written again and can be queried all the time.
	 */
	bool resume;
	/*
	 * Where events are missing from the trace, let states go on as if none had been lost, as Trace Compass
	 * does; they may then be wrong.  By default, states in doubt are unknown until the trace says more.
	 */
	bool ignore_gaps;
	/*
	 * A partial history takes analyses that can begin in the middle of a trace (those of the kernel) and traces
	 * whose files are a stream each; neither is published, resumed nor live.  Analyses that make segments keep
	 * them on disk as ever.
	 *
	 * In memory and nowhere there is no store, `store` is NULL, and `result` says what became of it.
	 */
	enum histree_backend_kind backend;
	uint64_t checkpoint_events; /* of a partial history, between checkpoints; 0 means 50,000 */
	uint64_t backend_bytes_max; /* of a history in memory (histree_state_create_in_memory()) */
	struct histree_build_result *result;
	/* Histories have the option of the same name (state_system.h). */
	bool null_empty_stacks;
	bool no_overviews; /* make no overviews, which make wide views of long histories fast (rows.h) */
	/* time between publications; 0 means a second, or more to keep them below 3 % of the build */
	int64_t publish_ns;
	/*
	 * Have hosts, and of each the reading, analyses, sorting and writing run beside one another, so that about
	 * so many processors have work; 1: one thread does all of it; 0: as many as there are processors for the
	 * process.  What is made is the same.  A live trace and a partial history are read and analysed by one
	 * thread.
	 */
	uint32_t threads;
	/*
	 * Cut the trace in time, and have so many threads analyse the slices, for the analyses that can be cut
	 * (`kernel`); 0: do not.  Each interval is the same, though leaves of histories are not.  Nothing is
	 * published before the end, and the build cannot be resumed.  Slices share what `memory_max` has for
	 * buffers, and where that is 0 have 48 MiB each: there are two more of them than threads.
	 */
	uint32_t slices;
	/*
	 * Have workers in other processes read slices as well (slices.h), besides `slices` threads, one at least.
	 * What cannot be cut is then built in one pass.  NULL: there are none.
	 */
	struct histree_slice_post *slice_post;
	uint64_t slice_events; /* of a slice, about, if one has 30 bytes; 0: as memory allows */
	/*
	 * `memory_max` is for all that the build keeps of the trace (histree-build(1)); default 160 MiB, for each
	 * host that is built at a time.  `threads` may be 0: it follows from those of the build.
	 */
	struct histree_tree_options tree;
	/* Called now and then by the thread that called histree_build(), as `cancel` is; may be NULL. */
	void (*progress)(void *context, const struct histree_progress *progress);
	void *progress_context;
	/* Cancels the build; if the trace is live, ends it here, which makes a store of what was read. */
	struct histree_cancel cancel;
};

/* What a build without a store says. */
struct histree_build_result {
	uint64_t events, intervals, attributes;
	uint64_t bytes; /* of the history in memory */
	int64_t build_ns;
	/* HISTREE_BACKEND_MEMORY: the history of the only analysis that was asked for; the caller closes it. */
	struct histree_history *history;
};

/*
 * Build a store.  Returns HISTREE_OK if the store was made, HISTREE_PARTIAL if it was made but some of the trace
 * could not be read (`error` says the first of it, the store's warnings say all), and a negative status if there is
 * no new store.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_build(const struct histree_build_options *options,
								 struct histree_error *error);

/*
 * Check that traces are of one host, by their metadata alone.  Returns HISTREE_ERR_ARGUMENT if they are of
 * different ones, whose CPUs and threads would be taken for the same ones: a build makes a store of several hosts.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_build_check(const char *const *traces, size_t trace_count, struct histree_error *error);

struct histree_analysis_info {
	const char *name;
	uint32_t version;
	const char *summary; /* one line */
	bool makes_segments; /* true if it makes a segment store, false if it makes a history */
	bool by_default;     /* true if a build that names no analysis uses it where it applies */
};

/*
 * Read files that define analyses, or folders of them, as a build does (histree-build(1), "-x"), and tell of each
 * one; what `tell` gets is borrowed during its call.  Returns HISTREE_ERR_ARGUMENT if a file is wrong: the message
 * says where, with line and column, and, of files in our own language, in two further lines the line and a caret.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_analyses_defined(const char *const *definitions, size_t count,
			 void (*tell)(void *context, const struct histree_analysis_info *analysis), void *context,
			 struct histree_error *error);

/* Describe the analysis with this index, from 0.  Returns false if there are not so many. */
HISTREE_API bool histree_analysis(size_t index, struct histree_analysis_info *out);

#endif
