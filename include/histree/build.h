/* SPDX-License-Identifier: MIT */
/*
 * build.h - make a store: from traces, host by host, or from text.
 */
#ifndef HISTREE_BUILD_H
#define HISTREE_BUILD_H

#include "history.h"
#include "status.h"
#include "store.h"

/* ==== build =================================================================================================== */

/*
 * Read a trace once and make a store from it.
 *
 * The store grows in the folder STORE.building and takes the name STORE once it is complete.  Only `force`
 * replaces an existing store, and only then.
 *
 * From time to time the build publishes what it has read so far.  STORE.building can then be opened as an
 * incomplete store, in which each history is exact up to its end.  What was published stays however the build is
 * cut off, and another build can continue from it.  A build that fails before it has published anything, or is
 * cancelled, leaves nothing.
 */

struct histree_slice_post; /* pipeline/slices.h */

/* The name of the host of some traces, which overrides what they say; they must not be of two hosts. */
struct histree_build_host {
	const char *name;
	const char *path; /* as in `traces` below; several may be of one host */
};

/* The clock of a host, in place of one found from packets. */
struct histree_build_clock {
	const char *host;
	struct histree_clock clock; /* of any quality; the one from histree_clock_read() is used */
	const char *neighbour;      /* the host whose packets it comes from; NULL: no host */
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
	 * Traces of several hosts make a store of several hosts, which contains a store for each (struct
	 * histree_store_info).  Hosts are told apart by what the traces say, or by these names.
	 */
	const struct histree_build_host *hosts;
	size_t host_count;
	/* Clocks of hosts; those not given here are found from the packets between hosts. */
	const struct histree_build_clock *clocks;
	size_t clock_count;
	bool no_clocks;        /* do not look for the clocks not given: their times stay as they are */
	const char *reference; /* the host whose time all get; NULL: the first */
	const char *store;     /* the folder to make */
	/* Names, of which "all" stands for all that apply to the trace, and "-NAME" leaves one out; NULL: all */
	const char *const *analyses;
	size_t analysis_count;
	/*
	 * Files that define analyses, or folders of such files (histree-build(1), "-x"); each is used where it
	 * applies.  If `analyses` has names, only the named ones are used.
	 */
	const char *const *definitions;
	size_t definition_count;
	/*
	 * Where to find the names of functions that the trace has by address: tables of text with lines as nm
	 * prints them ("401136 T main"), and folders that stand for the root of the traced machine, with its
	 * binaries or with files of debugging information as in /usr/lib/debug.  Without folders, binaries are
	 * looked for where the trace says that they were.  Binaries with another build id are not used.
	 */
	const char *const *symbols;
	size_t symbol_count;
	bool no_symbols; /* look for nothing on this machine */
	bool force;
	/*
	 * Add the analyses to the complete store of that name, which was made of the same traces with the same
	 * options; without `force` and `resume`.  It is the old store or the new one at each moment.
	 * Returns HISTREE_ERR_TRACE if the traces are others, and HISTREE_ERR_EXISTS if it has an analysis already.
	 */
	bool add;
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
	 * A partial history takes analyses that can begin in the middle of a trace (those of the kernel) and
	 * traces with one file for each stream; it can be neither published nor resumed nor live.  Analyses that
	 * make segments still keep them on disk.
	 *
	 * In memory and with the null backend there is no store: `store` is NULL, and `result` gets the outcome.
	 */
	enum histree_backend_kind backend;
	uint64_t checkpoint_events; /* of a partial history: events between checkpoints; 0 means 50,000 */
	uint64_t backend_bytes_max; /* of a history in memory (histree_state_create_in_memory()) */
	struct histree_build_result *result;
	/* histories have the option of the same name (history.h) */
	bool null_empty_stacks;
	bool no_overviews; /* make no overviews, which make wide views of long histories fast (states.h) */
	/* time between publications; 0 means a second, or more to keep them below 3 % of the build */
	int64_t publish_ns;
	/*
	 * How many processors to keep busy, about: hosts, and within each the reading, the analyses, sorting and
	 * writing, run beside one another.  1: one thread does everything; 0: as many as there are processors for
	 * the process.  The store is the same, unless six or more cut a long trace in time, as if `slices` said so,
	 * as they do for `kernel` alone.  A live trace and a partial history are read by one thread.
	 */
	uint32_t threads;
	/*
	 * How many threads analyse slices of the trace, which is cut in time for the analyses that can be cut
	 * (`kernel`); 0: the build chooses (`threads`).  The intervals are the same, though the leaves are not.
	 * Nothing is published before the end, and the build cannot be resumed.  The slices share the buffers
	 * that `memory_max` allows, or have 48 MiB each if it is 0; there are two more slices than threads.
	 */
	uint32_t slices;
	/*
	 * Have workers in other processes read slices as well, beside `slices` threads, which must be at least one.
	 * A trace that cannot be cut is then built in one pass.  It is for histree-mpi: what makes workers is in no
	 * public header.  NULL: no workers.
	 */
	struct histree_slice_post *slice_post;
	/* Events of a slice, approximately, for events of 30 bytes; 0: as many as memory allows */
	uint64_t slice_events;
	/*
	 * `memory_max` is for all that the build keeps of the trace; the process takes up to 64 MiB besides, and
	 * the command's `--memory` is for both (histree-build(1)).  Default: 160 MiB, for each host that is built
	 * at a time.  `threads` may be 0: it follows from those of the build.
	 */
	struct histree_tree_options tree;
	/*
	 * Called by the thread that called histree_build().  It cancels the build; for a live trace, it ends it
	 * here and makes a store of what was read.
	 */
	struct histree_work work;
};

/* The outcome of a build without a store. */
struct histree_build_result {
	uint64_t events, intervals, attributes;
	uint64_t bytes; /* of the history in memory */
	int64_t build_ns;
	/* HISTREE_BACKEND_MEMORY: the history of the only analysis that was asked for; the caller closes it. */
	struct histree_history *history;
};

/*
 * Build a store.  Returns HISTREE_OK if the store was made, HISTREE_PARTIAL if it was made but some of the trace
 * could not be read (`error` has the first sentence about it, the store's warnings have all), and a negative
 * status if no store was made.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_build(const struct histree_build_options *options,
								 struct histree_error *error);

/*
 * Check that traces are of one host, by their metadata alone.  Returns HISTREE_ERR_ARGUMENT if they are of
 * different hosts, whose CPUs and threads would be mixed up; a build makes a store of several hosts from them.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_build_check(const char *const *traces, size_t trace_count, struct histree_error *error);

/*
 * Returns whether what is at a path is one trace, by the beginning of a file or the names in a folder.  Folders
 * below are not looked at, and a build may still find that there is nothing in it.
 */
HISTREE_API bool histree_is_trace(const char *path);

struct histree_analysis_info {
	const char *name;
	uint32_t version;
	const char *summary; /* one line */
	bool makes_segments; /* true if it makes a segment store, false if it makes a history */
	bool by_default;     /* true if it is one of "all", where it applies */
	const char *events;  /* that it lives on, of a trace of the kernel, in the words of perf; or NULL */
};

/*
 * Read files that define analyses, or folders of such files, as a build does (histree-build(1), "-x"), and call
 * `tell` for each analysis; its arguments are borrowed during the call.  Returns HISTREE_ERR_ARGUMENT if a file
 * is wrong: the message gives line and column and, for files in the language of histree, two further lines with
 * the line and a caret.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_analyses_defined(const char *const *definitions, size_t count,
			 void (*tell)(void *context, const struct histree_analysis_info *analysis), void *context,
			 struct histree_error *error);

/* Describe the analysis with this index, from 0.  Returns false if the index is too large. */
HISTREE_API bool histree_analysis(size_t index, struct histree_analysis_info *out);

/* ==== experiment ============================================================================================== */

/*
 * Build a store of several hosts step by step, as histree_build() does by itself, so that several
 * processes can build hosts.
 *
 *	histree_experiment_open(&options, true, &experiment, &error);
 *	histree_experiment_find_clocks(experiment, &error);
 *	for each host i that is not built yet, in any order, by any thread or process:
 *		histree_experiment_build_host(experiment, i, NULL, &error);
 *	histree_experiment_complete(experiment, &error);
 *	histree_experiment_free(experiment);
 *
 * One process *owns* STORE.building: it holds its lock, writes the manifest and gives the store its name.  Others
 * open the same experiment without owning it, are told the clocks, and build hosts into the folder of the owner.
 * For the same traces and options every process makes the same plan, and every process that builds a host writes
 * the same bytes.
 *
 * A host is built into STORE.building/hosts/NAME.building and takes its name when it is complete: a host that is
 * there under its name need not be built again, and a build with `resume` does not build it.
 *
 * Threads: one thread uses an experiment, except that any number of threads may call
 * histree_experiment_build_host() at a time, for different hosts.  Each call may then take as much memory as the
 * options say.
 */

struct histree_experiment;

struct histree_experiment_host {
	const char *name;
	const char *folder;       /* of its store, inside of STORE: "hosts/NAME" */
	const char *const *paths; /* of its traces */
	size_t path_count;
	uint64_t bytes; /* of all files at and below them */
	bool is_built;  /* its store is complete: when the experiment was opened, or since it built it */
	const struct histree_clock *clock; /* NULL: its times stay as they are, or it is not known yet */
	size_t neighbour; /* index of the host by whose packets its clock was found; its own index: no host */
};

/*
 * Find the hosts of the traces.  With `own`, take hold of STORE.building, as histree_build() does, with its
 * errors (histree_build_options.force and .resume).  `options` and what it points to are copied, except for
 * callbacks. Returns HISTREE_ERR_ARGUMENT if an option is impossible for a store of several hosts.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_open(const struct histree_build_options *options, bool own, struct histree_experiment **out,
			struct histree_error *error);

/* Returns the hosts, in the order of their first traces; borrowed. */
HISTREE_API const struct histree_experiment_host *
histree_experiment_hosts(const struct histree_experiment *experiment, size_t *count);

/*
 * Find the clocks as the options say: from packets, which reads all traces unless an earlier build, cut off
 * since, has found them; as given; or no clocks at all.  Then others can open STORE.building.  The owner calls
 * this.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_find_clocks(struct histree_experiment *experiment, struct histree_error *error);

/* Tell a process that does not own the experiment the clock that the owner found.  NULL: times stay as they are. */
HISTREE_API void histree_experiment_set_clock(struct histree_experiment *experiment, size_t host,
					      const struct histree_clock *clock);

/*
 * Build the store of one host, unless it is built already.  `work` may be NULL, and is used by the thread that
 * builds.  Returns what histree_build() does for its traces, also HISTREE_PARTIAL; the message names the host.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_build_host(struct histree_experiment *experiment, size_t host, const struct histree_work *work,
			      struct histree_error *error);

/*
 * Complete the store once all hosts are built, by any process: write the manifest, and give the store its name.
 * Returns HISTREE_PARTIAL as histree_build() does, HISTREE_ERR_INCOMPLETE if a host is not built.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_complete(struct histree_experiment *experiment, struct histree_error *error);

/*
 * Free the experiment.  Complete hosts stay in STORE.building for a build with `resume`; without any, it is
 * removed.
 */
HISTREE_API void histree_experiment_free(struct histree_experiment *experiment);

/* ==== load ==================================================================================================== */

/*
 * Make a store from states, changes of states or segments that are written as text.
 *
 * A text is tab-separated or comma-separated values with a line of names, or JSON with one object a line, as
 * 'histree dump', 'query' and 'segments' write them.  Its columns decide what it has:
 *
 *	path, start, end, value		states as intervals: a dump of the history is the same text
 *	path, time, value		changes: from then on the attribute has that value
 *	start, end, others		segments, whose fields are the others
 *
 * A column `type` says what each value is: null, int, long, double, bool, string, custom or unknown.  Without it,
 * the text of a value decides.  Times are ns.  Rows may come in any order and are sorted on disk; an attribute is
 * null where no row covers it.  docs/man/histree-load.1.scd has the details.
 */

struct histree_load_options {
	const char *const *files; /* all with one kind of rows; "-" is standard input */
	size_t file_count;
	const char *format;  /* "tsv", "csv" or "json"; NULL: each text shows it */
	const char *columns; /* names separated by commas, for files without a line of names; else NULL */
	/*
	 * The first states of a history of changes: a text of path and value, as 'histree query --at' writes it.
	 * NULL: every attribute is null at first.
	 */
	const char *initial;
	/*
	 * What values mean (attributes.h): a text with the columns pattern, value and name, and optionally type,
	 * key, light, dark, height and meaning; docs/man/histree-load.1.scd describes them.  NULL: no labels.
	 */
	const char *labels;
	/* Of the history, if it is to begin earlier, or end later, than its rows. */
	bool has_start, has_end;
	histree_time start, end;
	const char *store;    /* the folder to make */
	const char *analysis; /* the name of the history or segment store; NULL: "states" or "segments" */
	bool force;           /* replace an existing store once the new one is complete */
	bool no_overviews;
	/* `memory_max` is for all that is kept of the text and its attributes; default 160 MiB, as for a build. */
	struct histree_tree_options tree;
	struct histree_work work;
};

struct histree_load_result {
	uint64_t rows, bytes;  /* rows and bytes that were read */
	uint64_t sorted_bytes; /* written to a temporary file on the way */
};

/*
 * Load texts into a new store.  `result` may be NULL.  Returns HISTREE_ERR_FORMAT if a text has none of these
 * forms or gives an attribute two states at a time, with a sentence that names file, line and column, and
 * HISTREE_ERR_TYPE if it gives an attribute values of several types.  If the call fails, nothing is made.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_load(const struct histree_load_options *options,
								struct histree_load_result *result,
								struct histree_error *error);

#endif
