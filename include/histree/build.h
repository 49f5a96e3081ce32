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
 * incomplete store, in which each history is exact up to its end.  What was published survives however the build
 * is interrupted, and another build can continue from it.  A build that fails before it has published anything,
 * or is cancelled, leaves nothing.
 */

struct histree_slice_post; /* pipeline/slices.h */

/* A name for the host of some traces, in place of what they say it is.  They must all be of one host. */
struct histree_build_host {
	const char *name;
	const char *path; /* as in `traces` below; several paths may be of one host */
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
	bool no_clocks;        /* do not look for clocks that are not given: those times stay as they are */
	const char *reference; /* all times become those of this host's clock; NULL: the first */
	const char *store;     /* the folder to make */
	/* Names; "all" stands for all analyses that apply to the trace, and "-NAME" leaves one out; NULL: all */
	const char *const *analyses;
	size_t analysis_count;
	/*
	 * Files that define analyses, or folders of such files (histree-build(1), "-x"); each is used where it
	 * applies.  If `analyses` has names, only the named ones are used.
	 */
	const char *const *definitions;
	size_t definition_count;
	/*
	 * Where to find the names of functions that the trace gives only by address: tables of text with lines as
	 * nm prints them ("401136 T main"), and folders that stand for the root of the traced machine, with its
	 * binaries or with files of debugging information as in /usr/lib/debug.  Without folders, binaries are
	 * looked for where the trace says that they were.  Binaries with another build id are not used.  Without
	 * any, a table in the folder of a trace, or in the one that holds it, is used if it is the only one there.
	 */
	const char *const *symbols;
	size_t symbol_count;
	bool no_symbols; /* look for nothing on this machine */
	bool force;
	/*
	 * Add the analyses to the complete store of that name, which must have been made from the same traces
	 * with the same options; `force` and `resume` must not be set.  At every moment, the name stands for
	 * either the old store or the new one.  Returns HISTREE_ERR_TRACE if the traces are different, and
	 * HISTREE_ERR_EXISTS if the store already has one of the analyses.
	 */
	bool add;
	/*
	 * Continue an interrupted build of the same traces with the same options.  The traces are read from their
	 * beginning, but what is on disk is not written again and can be queried throughout.
	 */
	bool resume;
	/*
	 * Where events are missing from the trace, let states go on as if none had been lost, as Trace Compass
	 * does; they may then be wrong.  By default, states in doubt are unknown until the trace says more.
	 */
	bool ignore_gaps;
	/*
	 * A partial history needs analyses that can begin in the middle of a trace (those of the kernel) and a
	 * trace with one file for each stream that is not live.  Its build can be neither published nor resumed.
	 * Analyses that make segments still keep them on disk.
	 *
	 * In memory and with the null backend there is no store: `store` is NULL, and `result` gets the outcome.
	 */
	enum histree_backend_kind backend;
	uint64_t checkpoint_events; /* of a partial history: events between checkpoints; 0 means 50,000 */
	uint64_t backend_bytes_max; /* of a history in memory (histree_state_create_in_memory()) */
	struct histree_build_result *result;
	/* as the option of the same name in struct histree_history_options */
	bool null_empty_stacks;
	bool no_overviews; /* make no overviews, which make wide views of long histories fast (states.h) */
	/*
	 * A build that is cancelled keeps what it has published in STORE.building, for `resume`, as one that fails
	 * does.  Otherwise it leaves nothing, and so does one of a live trace, which cannot be read again.
	 */
	bool keep_cancelled;
	/* time between publications; 0 means a second, or more to keep them below 3 % of the build */
	int64_t publish_ns;
	/*
	 * About how many processors to keep busy.  Hosts are built in parallel, and so are, within each host, the
	 * reading, the analyses, sorting and writing. 1 means that one thread does everything, 0 as many
	 * processors as the process may use.  The store is the same for any number, except that from six on a
	 * long trace may be cut in time for `kernel`, as it is with `slices`.  Only one thread reads a live trace
	 * or a trace for partial histories.
	 */
	uint32_t threads;
	/*
	 * How many threads analyse slices of the trace, which is cut in time for the analyses that can be cut
	 * (`kernel`); 0: the build chooses (`threads`).  The intervals are the same, but the leaves of the tree
	 * differ.  Nothing is published before the end, and the build cannot be resumed.  The slices share the
	 * buffers that `memory_max` allows, or have 48 MiB each if it is 0; there are two more slices than
	 * threads.
	 */
	uint32_t slices;
	/*
	 * Lets workers in other processes read slices as well, besides the `slices` threads, of which there must
	 * be at least one.  A trace that cannot be cut is then built in one pass.  Only histree-mpi uses this; no
	 * public header can make workers.  NULL: no workers.
	 */
	struct histree_slice_post *slice_post;
	/* How many events a slice has, approximately, if they have 30 bytes; 0: as many as memory allows */
	uint64_t slice_events;
	/*
	 * `memory_max` limits all that the build keeps of the trace; the process takes up to 64 MiB more, and the
	 * command's `--memory` covers both (histree-build(1)).  Default: 160 MiB for each host that is being
	 * built.  If `threads` is 0, it follows from that of the build.
	 */
	struct histree_tree_options tree;
	/*
	 * Called by the thread that called histree_build().  Ending it cancels the build; a build from a live
	 * trace instead completes the store with what was read.
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
 * could not be read (`error` has the first warning, the store has all of them), and a negative status if no store
 * was made.
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
 * Returns whether there is one trace at a path, judged by the beginning of a file or the names in a folder.
 * Subfolders are not looked at, and a build may still find the trace to be empty.
 */
HISTREE_API bool histree_is_trace(const char *path);

struct histree_analysis_info {
	const char *name;
	uint32_t version;
	const char *summary; /* one line */
	bool makes_segments; /* true if it makes a segment store, false if it makes a history */
	bool by_default;     /* true if "all" includes it where it applies */
	const char *events;  /* the events of a kernel trace that it needs, as perf names them; or NULL */
};

/*
 * Read files that define analyses, or folders of such files, as a build does (histree-build(1), "-x"), and call
 * `tell` for each analysis; its arguments are borrowed during that call.  Returns HISTREE_ERR_ARGUMENT if a file
 * is invalid: the message gives line and column and, for files in the language of histree, two further lines with
 * the line and a caret.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_analyses_defined(const char *const *definitions, size_t count,
			 void (*tell)(void *context, const struct histree_analysis_info *analysis), void *context,
			 struct histree_error *error);

/*
 * Returns the name, with this index from 0, of an analysis in the language of histree that comes with it: among
 * definitions, the name stands for its file.  Returns NULL if the index is too large.
 */
HISTREE_API const char *histree_analysis_shipped(size_t index);

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
	bool is_built;  /* its store was complete when the experiment was opened, or has been built by it */
	const struct histree_clock *clock; /* NULL: it is not known yet, or its times stay as they are */
	size_t neighbour; /* index of the host by whose packets its clock was found; its own index: no host */
};

/*
 * Find the hosts of the traces.  With `own`, also lock STORE.building as histree_build() does, with the same
 * errors (histree_build_options.force and .resume).  `options` and what it points to are copied, except for
 * callbacks.  Returns HISTREE_ERR_ARGUMENT if an option is impossible for a store of several hosts.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_open(const struct histree_build_options *options, bool own, struct histree_experiment **out,
			struct histree_error *error);

/* Returns the hosts, in the order of their first traces; borrowed. */
HISTREE_API const struct histree_experiment_host *
histree_experiment_hosts(const struct histree_experiment *experiment, size_t *count);

/*
 * Find the clocks as the options say: from packets, as they are given, or not at all.  Looking at packets reads
 * all traces, unless an earlier build that was interrupted has already found the clocks.  Once they are found,
 * other processes can open STORE.building.  Only the owner calls this.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_find_clocks(struct histree_experiment *experiment, struct histree_error *error);

/* Tell a process that does not own the experiment the clock that the owner found.  NULL: times stay as they are. */
HISTREE_API void histree_experiment_set_clock(struct histree_experiment *experiment, size_t host,
					      const struct histree_clock *clock);

/*
 * Build the store of one host, unless it is built already.  `work` may be NULL, and is called by the thread that
 * builds.  Returns what histree_build() would for the traces of the host, including HISTREE_PARTIAL; the message
 * names the host.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_build_host(struct histree_experiment *experiment, size_t host, const struct histree_work *work,
			      struct histree_error *error);

/*
 * Complete the store once all hosts have been built, whichever process built them: write the manifest, and give
 * the store its name.  Returns HISTREE_PARTIAL as histree_build() does, HISTREE_ERR_INCOMPLETE if a host is not
 * built.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_complete(struct histree_experiment *experiment, struct histree_error *error);

/*
 * Free the experiment.  Complete hosts stay in STORE.building for a build with `resume`; if there are no complete
 * hosts, STORE.building is removed.
 */
HISTREE_API void histree_experiment_free(struct histree_experiment *experiment);

/* ==== load ==================================================================================================== */

/*
 * Make a store from states, changes of states or segments that are written as text.
 *
 * A text is tab-separated or comma-separated values with a line of names, or JSON with one object a line, as
 * 'histree states' and 'histree segments' write them.  Its columns decide what it contains:
 *
 *	path, start, end, value		states as intervals: a dump of the history is the same text
 *	path, time, value		changes: from then on the attribute has that value
 *	start, end, others		segments, whose fields are the other columns
 *
 * A column `type` says what each value is: null, int, long, double, bool, string, custom or unknown.  Without it,
 * the text of a value decides.  Times are ns.  Rows may come in any order and are sorted on disk; an attribute is
 * null where no row covers it.  docs/man/histree-load.1.scd has the details.
 */

struct histree_load_options {
	const char *const *files; /* all with one kind of rows; "-" is standard input */
	size_t file_count;
	const char *format;  /* "tsv", "csv" or "json"; NULL: recognised from each text */
	const char *columns; /* names separated by commas, for files without a line of names; else NULL */
	/*
	 * The first states of a history of changes: a text of path and value, as 'histree states --at' writes it.
	 * NULL: every attribute is null at first.
	 */
	const char *initial;
	/*
	 * What values mean (attributes.h): a text with the columns pattern, value and name, and optionally type,
	 * key, light, dark, height and meaning; docs/man/histree-load.1.scd describes them.  NULL: no labels.
	 */
	const char *labels;
	/* Bounds of the history, if it is to begin before its first row, or end after its last. */
	bool has_start, has_end;
	histree_time start, end;
	const char *store;    /* the folder to make */
	const char *analysis; /* the name of the history or segment store; NULL: "states" or "segments" */
	bool force;           /* replace an existing store once the new one is complete */
	bool no_overviews;
	/* `memory_max` limits all that is kept of the text and its attributes; default 160 MiB, as for a build. */
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
