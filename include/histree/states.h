/* SPDX-License-Identifier: MIT */
/*
 * states.h - questions about the states of a history.
 */
#ifndef HISTREE_STATES_H
#define HISTREE_STATES_H

#include "attributes.h"
#include "cursor.h"
#include "filter.h"
#include "history.h"
#include "status.h"

/* ==== query =================================================================================================== */

/*
 * Query a history: single, full, range and 2D queries.
 *
 * A query names a set of attributes and a set of times.  Its answer is every interval of those attributes that
 * covers one of those times, each once, in no particular order (thesis 6.1):
 *
 *	single	one attribute, one time		quarks = {q},   from = to = t
 *	full	all attributes, one time	quarks = NULL,  from = to = t
 *	range	one attribute, [t1, t2]		quarks = {q},   from = t1, to = t2
 *	2D	attributes x [t1, t2]		quarks = {...}, from = t1, to = t2
 *	2D	attributes x list of times	quarks = {...}, times = {...}
 *
 * Damage costs the intervals of the damaged nodes and no others.  Where no readable interval says what an
 * attribute was, the answer ends with intervals of type HISTREE_UNKNOWN, clipped to the range or one for each of
 * the listed times.  A query that meets damage reads its nodes twice and remembers what it found, in 24 bytes for
 * each run of consecutive intervals of an attribute.  If nodes contradict each other so that an attribute has two
 * states at one time, the answer ends with HISTREE_ERR_FORMAT.
 *
 * A query is a lazy cursor: it reads each node once, when it needs it, keeps one node pinned, and may be stopped
 * at any point.  Answers never depend on the variant of the tree.
 *
 *	histree_query_create(history, &query, &error);
 *	histree_query_start(query, &(struct histree_region){ .from = t, .to = t }, &error);
 *	while ((status = histree_cursor_next(query, &error)) == HISTREE_OK)
 *		state = histree_cursor_interval(query);
 *	histree_cursor_free(query);			// cursor.h
 *
 * Threads: a query belongs to one thread at a time; any number of queries may run on one history.  One query can
 * use several threads of its own: histree_query_set_threads().
 */

struct histree_region {
	/*
	 * Ascending and distinct; borrowed until the query is started again or freed.  NULL means all attributes.
	 */
	const histree_quark *quarks;
	size_t quark_count;
	/* Ascending; borrowed likewise.  NULL means the range from `from` to `to`, both inclusive. */
	const histree_time *times;
	size_t time_count;
	histree_time from, to; /* used only if `times` is NULL */
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_create(struct histree_history *history, struct histree_cursor **out, struct histree_error *error);

/*
 * Start a query.  It may be started any number of times, which drops what was left of the answer before.  Returns
 * HISTREE_ERR_TIME_RANGE if a time is outside the history, HISTREE_ERR_QUARK if there is no such attribute,
 * HISTREE_ERR_ARGUMENT if a list is not sorted.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_start(struct histree_cursor *query, const struct histree_region *region, struct histree_error *error);

/* Ask a single query in one call, without allocating memory.  The query can be used again at once. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_query_single(struct histree_cursor *query,
									histree_quark quark, histree_time t,
									struct histree_interval *out,
									struct histree_error *error);

#define HISTREE_QUERY_THREADS_MAX 64

/*
 * Have `threads` threads read nodes ahead of this query, from its next start on; 1, the default, means that the
 * caller's thread reads them (eSHT paper, algorithm 1).  The answer is the same, in the same order, with the same
 * statistics.  What was left of an answer is dropped even if the call fails: with HISTREE_ERR_ARGUMENT if
 * `threads` is 0 or more than 64, with HISTREE_ERR_MEMORY if no thread can be started, in which case the caller's
 * thread reads.
 *
 * The threads wait while there is nothing to read and end with the query.  Each holds two nodes and at most
 * 65,536 intervals of each, 2.5 MiB.  They are worth their cost for answers of 10^5 intervals or more, and where
 * nodes have to be read from a slow disk; a single query has nothing to share.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_set_threads(struct histree_cursor *query, unsigned threads, struct histree_error *error);

HISTREE_API struct histree_history *histree_query_history(const struct histree_cursor *query);

/* ==== selection =============================================================================================== */

/*
 * Which states a question can be about: attributes and times, narrowed condition by condition until
 * a query can be asked for them.
 *
 *	struct histree_selection selection;
 *	histree_selection_begin(&selection, history);
 *	histree_selection_none(&selection);
 *	histree_selection_add_pattern(&selection, "Threads/42", &error);
 *	histree_window_narrow(&selection.window, HISTREE_AT_LEAST, &time);
 *	if (histree_selection_region(&selection, &region))
 *		histree_query_start(query, &region, &error);
 *	histree_selection_release(&selection);
 *
 * Expressions, SQL and the command all use selections.  A selection may be too large but is never too small: the
 * caller checks each state of the answer.
 *
 * Threads: a selection belongs to one thread at a time; a history may have any number of them.
 */

struct histree_selection {
	struct histree_history *history;
	struct histree_window window;
	bool has_all;          /* every attribute; else those of the list */
	histree_quark *quarks; /* in any order, until it is sorted */
	size_t count, capacity;
	/* The last path that was asked for. */
	char *path;
	size_t path_size, path_capacity;
	histree_quark path_quark;
};

/* Begin with everything: all attributes at all times.  Release it later, whatever else is called. */
HISTREE_API void histree_selection_begin(struct histree_selection *selection, struct histree_history *history);

HISTREE_API void histree_selection_release(struct histree_selection *selection);

/*
 * Select all attributes at all times again, or no attributes, so that some can be added.  Both keep the allocated
 * memory.
 */
HISTREE_API void histree_selection_all(struct histree_selection *selection);
HISTREE_API void histree_selection_none(struct histree_selection *selection);

/* Add an attribute to the list.  An attribute that does not exist is left out. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_add_quark(struct histree_selection *selection, uint64_t quark, struct histree_error *error);

/* Add the attribute with this escaped path, if there is one. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_add_path(struct histree_selection *selection, const char *path, struct histree_error *error);

/*
 * Add the attributes that match a pattern (histree_attributes_match()), if there are any.  Returns
 * HISTREE_ERR_ARGUMENT if the pattern is malformed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_add_pattern(struct histree_selection *selection, const char *pattern,
			      struct histree_error *error);

/* Returns whether an attribute is wanted; its path is escaped, terminated, and borrowed during the call. */
typedef bool histree_wanted(void *context, histree_quark quark, const char *path, size_t size);

/* Add the wanted attributes below `top`.  For each attribute its path is made, which takes up to a microsecond. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_add_wanted(struct histree_selection *selection, histree_quark top, histree_wanted *wanted,
			     void *context, struct histree_error *error);

/* Keep only the wanted attributes, of all or of those in the list. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_keep_wanted(struct histree_selection *selection, histree_wanted *wanted, void *context,
			      struct histree_error *error);

/*
 * Get the path of an attribute, escaped and terminated, borrowed until the next call with this selection.  Asking
 * for the same path again costs nothing.  Returns NULL if there is no memory.
 */
HISTREE_API const char *histree_selection_path(struct histree_selection *selection, histree_quark quark,
					       size_t *size);

/* Make the list ascending and distinct, for callers that use it without asking for a region. */
HISTREE_API void histree_selection_sort(struct histree_selection *selection);

/*
 * Make the region to ask a query for; it borrows the list until the selection is changed.  Returns false if there
 * is nothing to ask for: no attribute is left, or no time of the history.
 */
HISTREE_API bool histree_selection_region(struct histree_selection *selection, struct histree_region *out);

/* ==== state filter ============================================================================================ */

/*
 * Filter expressions (filter.h) over states.
 *
 *	path		of the attribute, escaped
 *	quark		of the attribute
 *	host		the name of the host, if the store has several
 *	thread		the number of the thread that the attribute belongs to (histree_attributes_thread())
 *	process, name	of that thread: the process that it was in, and the last name of its program
 *	start, end	times; the end is inclusive
 *	duration	in nanoseconds; a state from t to t has 1
 *	type		"int", "string", ...; null and unknown have their names here
 *	value		what the attribute was
 *	label		what the value means (attributes.h): "waits for a CPU"
 *
 *	histree_state_filter_create(history, "label == 'waits for a CPU' && duration > 1ms", &filter, &error);
 *	histree_selection_begin(&selection, history);
 *	histree_state_filter_select(filter, &selection, &error);
 *	if (histree_selection_region(&selection, &region)) {
 *		histree_query_start(query, &region, &error);
 *		while ((status = histree_cursor_next(query, &error)) == HISTREE_OK)
 *			if (histree_state_filter_match(filter, histree_cursor_interval(query)))
 *				...;
 *	}
 *
 * Histories of the kernel, and of traces of spans, say the process and the name of each thread.  Others have only
 * the numbers of threads, and take the rest from a history of the kernel (histree_state_filter_take_threads()).
 * What is not known of a thread is null; for a state that belongs to no thread, all three fields are null.
 *
 * Threads: a filter remembers the path of the last state, so it belongs to one thread at a time.
 */

struct histree_state_filter;

/*
 * Compile an expression; times such as +12.5ms are relative to the history.  Returns HISTREE_ERR_ARGUMENT as
 * histree_filter_create() does.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_filter_create(struct histree_history *history,
									       const char *text,
									       struct histree_state_filter **out,
									       struct histree_error *error);

/*
 * Returns whether the expression uses the field `process` or `name` but the history does not say the processes
 * and names of threads.
 */
HISTREE_API bool histree_state_filter_lacks_threads(const struct histree_state_filter *filter);

/*
 * Take the processes and names of threads from this history of the kernel.  It must stay open until
 * histree_state_filter_select() has returned.
 */
HISTREE_API void histree_state_filter_take_threads(struct histree_state_filter *filter,
						   struct histree_history *kernel);

/*
 * Say that the history is that of one of several hosts, with this name, which must stay valid as long as the
 * filter.
 */
HISTREE_API void histree_state_filter_call_host(struct histree_state_filter *filter, const char *host);

/*
 * Returns whether the expression uses only the fields of rows: path, quark, host, thread, process and name.  The
 * selection that it leaves is then exact, except for thread numbers that several threads had one after another.
 */
HISTREE_API bool histree_state_filter_is_of_rows(const struct histree_state_filter *filter);

/*
 * Narrow a selection of the same history to the attributes and times where the expression can hold.  An attribute
 * that the expression requires by its path is looked up; other conditions on paths, quarks, threads or labels
 * cost up to a microsecond for each attribute of the selection.  If the expression uses processes or names of
 * threads, this must be called before states are tested, because it reads the threads.  Returns
 * HISTREE_ERR_ARGUMENT if it uses them and no history says them.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_filter_select(struct histree_state_filter *filter,
									       struct histree_selection *selection,
									       struct histree_error *error);

/* Returns true if the state passes. */
HISTREE_API bool histree_state_filter_match(struct histree_state_filter *filter,
					    const struct histree_interval *state);

/*
 * Returns false if no row can pass that belongs to the thread that has the number `tid` at `time` on the host
 * with this index; a `tid` of 0 means no thread.  In a trace of spans, in which several processes have threads of
 * one number, `pid` says of which process it is; 0: that is not known.  histree_state_filter_select() must have
 * been called before.
 */
HISTREE_API bool histree_state_filter_may_match_thread(struct histree_state_filter *filter, size_t host,
						       int32_t pid, int32_t tid, histree_time time);

/* Free the filter, or do nothing if it is NULL. */
HISTREE_API void histree_state_filter_free(struct histree_state_filter *filter);

/* ==== lookup ================================================================================================== */

/*
 * Common questions that are answered by queries: the top of a stack, the first value, numbers over a range, and
 * the changes of some attributes in the order of time.
 *
 * Each uses queries, costs what these cost, and gives what a search through all intervals would.
 * Users of Trace Compass know them as querySingleStackTop(), queryUntilNonNullValue(), queryRangeMin(), Max() and
 * Average(), and as iterators over times.
 *
 * Threads: like a query, each belongs to one thread.
 */

/*
 * Get the interval of the top that the stack `quark` had at `t` (histree_state_push()).  Returns
 * HISTREE_NOT_FOUND if the stack was empty, its depth being null or 0.  If the depth is unknown, so is the top,
 * and *out is the interval of the depth.  Returns HISTREE_ERR_TYPE or HISTREE_ERR_ARGUMENT if the attribute is
 * not a stack.  The query can be used again at once.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_lookup_stack_top(struct histree_cursor *query,
									    histree_quark quark, histree_time t,
									    struct histree_interval *out,
									    struct histree_error *error);

/*
 * Get the first interval that overlaps [from, to], both inclusive, and is not null; it may begin before `from`, and
 * may be unknown.  Returns HISTREE_NOT_FOUND if the attribute is null all the time.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_lookup_first_value(struct histree_cursor *query, histree_quark quark, histree_time from, histree_time to,
			   struct histree_interval *out, struct histree_error *error);

/* The numbers that an attribute had over a range.  Times are in ns and add up to the length of the range. */
struct histree_numbers {
	uint64_t states;               /* how many states with a number overlap the range */
	struct histree_value min, max; /* null if there are no numbers */
	/* Each number weighted by its time in the range; 0 if there are no numbers */
	double mean;
	uint64_t number_ns;  /* the time with a number */
	uint64_t unknown_ns; /* the time in which the value is not known; min and max may not cover it */
	uint64_t other_ns;   /* null, a boolean, a text, or a NaN */
};

/*
 * Add up the numbers of one attribute over [from, to], both inclusive.  All of it is exact, and the mean is the
 * double nearest to the true one; with infinities of both signs it is a NaN.  Among equal numbers, -0 is less than
 * 0, an int less than a long, and a long less than a double.  Times are at most UINT64_MAX.
 *
 * If the history has a number overview (docs/design/05-pyramid.md) with this attribute, the cost grows
 * with the logarithm of the number of states, besides some states at both ends of the range; else it is that of a
 * range query.  The answer is the same.  An overview that contradicts itself, or the states at those ends, is not
 * used; histree_numbers_verify() compares all of it.  Where the history is damaged, the overview still knows what
 * its states were.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_lookup_numbers(struct histree_cursor *query, histree_quark quark, histree_time from, histree_time to,
		       struct histree_numbers *out, struct histree_error *error);

/*
 * Add up all numbers of a history once more, and compare them with its number overview, if it was opened with
 * one.  `report` is called with a sentence for each attribute for which the overview differs.  Returns
 * HISTREE_ERR_FORMAT if it differs anywhere.  All states are read, in about 32 MiB of memory.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_numbers_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
		       void *context, struct histree_error *error);

/* ---- changes in the order of time ----------------------------------------------------------------- */

/*
 * An iterator over the times at which any of some attributes changes.  A change at t is an interval that starts
 * at t; at the start of the history, all attributes change.  It asks 2D queries for windows of time, each with
 * about as many changes as it can keep, and hands them out sorted: it may be stopped at any point without having
 * read the rest.  It keeps 65536 intervals and 16 MiB of their bytes, or the changes of one time if these are
 * more.
 *
 *	histree_changes_create(history, &cursor, &error);
 *	histree_changes_start(cursor, &(struct histree_changes_region){ .from = t1, .to = t2 }, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		change = histree_cursor_change(cursor);
 *	histree_cursor_free(cursor);		// cursor.h
 *
 * States that damage hides are unknown, each from the point where it is lost, as a query of the whole range says.
 */
struct histree_changes_region {
	/* Ascending and distinct; borrowed until the next start.  NULL means all attributes. */
	const histree_quark *quarks;
	size_t quark_count;
	histree_time from, to; /* both inclusive */
	bool backwards;        /* the latest change comes first */
};

/* The next time of a change. */
struct histree_change {
	histree_time time;
	/* The states that begin at that time, by ascending quark; borrowed until the next call. */
	const struct histree_interval *intervals;
	size_t count;
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_changes_create(struct histree_history *history, struct histree_cursor **out, struct histree_error *error);

/* Start, or start again.  The errors are those of histree_query_start(). */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_changes_start(struct histree_cursor *changes, const struct histree_changes_region *region,
		      struct histree_error *error);

/* ==== snapshot ================================================================================================ */

/*
 * All states of a history at one time, kept in memory, which can be given to a new history as its first states.
 *
 * Threads: a snapshot never changes; any number of threads may read it.
 */

struct histree_snapshot;

/*
 * Take the states at `t` with one full query.  The memory is 40 bytes for each attribute and the bytes of
 * distinct values.  The history must outlive the snapshot.  Returns HISTREE_ERR_TIME_RANGE if `t` is outside the
 * history.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_snapshot_take(struct histree_history *history,
									 histree_time t,
									 struct histree_snapshot **out,
									 struct histree_error *error);

HISTREE_API histree_time histree_snapshot_time(const struct histree_snapshot *snapshot);

/*
 * Returns an attribute's interval at that time, borrowed from the snapshot, or NULL if there is no such
 * attribute.
 */
HISTREE_API const struct histree_interval *histree_snapshot_interval(const struct histree_snapshot *snapshot,
								     histree_quark quark);

/*
 * Give a new state system, which must have no attributes yet, the attributes of the snapshot with the same
 * quarks, each with its value from the system's start on.  Changes then follow as usual: a history cut in two at
 * `t` has the same states as the whole one.  Returns HISTREE_ERR_ARGUMENT if the system has attributes.  After
 * another error, some of the attributes may be there, and the caller can only call histree_state_free().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_snapshot_restore(const struct histree_snapshot *snapshot,
									    struct histree_state_system *system,
									    struct histree_error *error);

/* Free the snapshot, or do nothing if it is NULL. */
HISTREE_API void histree_snapshot_free(struct histree_snapshot *snapshot);

/* ==== rows ==================================================================================================== */

/*
 * What a chart shows: one row for each attribute, one cell for each pixel.
 *
 * A time range is cut into pixels.  A cell holds the *dominant* state of its pixel, which is the value that the
 * attribute had for the longest part of it, and says whether there were others, so that no short state vanishes.
 * A client never needs more than that, whatever the range, and a row of a million states is as large as a row of
 * ten (thesis 4.8.2, "Zoom").
 *
 *	histree_rows_create(history, &cursor, &error);
 *	histree_rows_start(cursor, &(struct histree_rows_request){ .quarks = quarks, .quark_count = 50,
 *			   .from = t1, .to = t2, .pixels = 1500 }, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		row = histree_cursor_row(cursor);
 *	histree_cursor_free(cursor);		// cursor.h
 *
 * Cost: rows are made in groups of at most 131,072 cells, however many were asked for.  A group reads the states
 * of its attributes in the range once.  It stops reading if there are more states than `intervals_per_cell` times
 * its cells.  The rows with more than their share are then sampled four times a pixel, which the tree answers
 * without reading the nodes between the samples: the dominant state is that of most samples, a state that fills
 * its pixel is still exact, and states between samples are "others, not known which".  So a cell costs a bounded
 * number of intervals.  The nodes that hold a sample are still read, and inside a node the states of an attribute
 * between two samples are skipped one by one.
 *
 * A long history has overviews (docs/design/05-pyramid.md): histories of the same attributes in which states
 * shorter than a cell of time are added up by cell.  A row is made from them where a pixel holds at least four
 * such cells, or a quarter of `intervals_per_cell` if that is more; its cost is then that of its pixels, whatever
 * the range.  Two cells are enough if `intervals_per_cell` is not above its default and the row would otherwise
 * be sampled.  The dominant state is then right to within two cells a pixel, as long as no more than three values
 * share a cell; if more do, the three that lasted longest in their cells count.  No value is invented.
 *
 * Memory: 12 bytes for each cell of one group, up to 16 bytes for each state of the group that shares a pixel
 * (bounded by `intervals_per_cell`), and the distinct values seen.
 */

#define HISTREE_PIXELS_MAX 65536

/* These stand in place of the index of a value. */
#define HISTREE_NO_VALUE UINT32_MAX                  /* there was no other value */
#define HISTREE_UNKNOWN_VALUE ((uint32_t)0xfffffffe) /* there was another value; it is not known which */

enum histree_rows_shape {
	HISTREE_ROWS_CELLS,  /* one cell a pixel */
	HISTREE_ROWS_STATES, /* true states, those shorter than a pixel merged */
};

/* The time in which the states of an attribute belong to the row; outside of it the row is null. */
struct histree_row_life {
	histree_time from, to; /* both inclusive */
};

struct histree_rows_request {
	const histree_quark *quarks; /* in any order, repeats allowed; borrowed until the next start */
	size_t quark_count;
	const struct histree_row_life *lives; /* by index of the quark, borrowed likewise; NULL: all times */
	histree_time from, to;                /* both inclusive, inside the history */
	uint32_t pixels;                      /* 1 to HISTREE_PIXELS_MAX */
	enum histree_rows_shape shape;
	uint32_t intervals_per_cell; /* how many are read before rows are sampled; 0 means 16 */
	struct histree_work work;    /* ends histree_cursor_next() */
};

/* Both are indices for histree_rows_value(). */
struct histree_cell {
	uint32_t value; /* the dominant state */
	uint32_t other; /* the second longest, HISTREE_NO_VALUE, or HISTREE_UNKNOWN_VALUE */
};

/*
 * A state as a chart of this width can show it.  States are in the order of time, without gaps or overlaps.  A
 * state that is at least as long as a pixel has its true bounds, which may lie outside the range; what lies
 * between such states is cut at the pixels, and each piece has the dominant value.
 */
struct histree_visible_state {
	histree_time start, end; /* both inclusive */
	uint32_t value, other;   /* as in a cell */
};

struct histree_row {
	size_t index; /* into the quarks of the request: 0, 1, 2, ... */
	histree_quark quark;
	const struct histree_cell *cells; /* one for each pixel; NULL if states were asked for */
	const struct histree_visible_state *states;
	size_t state_count;
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_rows_create(struct histree_history *history, struct histree_cursor **out, struct histree_error *error);

/*
 * Start a request.  This may be done any number of times; it drops what was left of the request before, and its
 * values.  Rows come in the order of the request.  Returns HISTREE_ERR_TIME_RANGE, HISTREE_ERR_QUARK and
 * HISTREE_ERR_ARGUMENT as histree_query_start() does.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_rows_start(struct histree_cursor *rows,
								      const struct histree_rows_request *request,
								      struct histree_error *error);

/*
 * The distinct values that were seen since the start have the indices 0 to count - 1; 0 is null.  An index and the
 * bytes of its value stay valid until the rows are started again or freed.  An index out of range gives null.
 */
HISTREE_API uint32_t histree_rows_value_count(const struct histree_cursor *rows);
HISTREE_API struct histree_value histree_rows_value(const struct histree_cursor *rows, uint32_t index);

/* Returns true if the last row was sampled because it had too many states (see above). */
HISTREE_API bool histree_rows_sampled(const struct histree_cursor *rows);

/* ---- pixels --------------------------------------------------------------------------------------------- */

/*
 * Returns the time at which a pixel begins: from + (to - from + 1) * pixel / pixels, rounded down.  For `pixel`
 * equal to `pixels` that is the first time after the range.  A pixel ends just before the next one begins; in a
 * range of fewer ns than pixels, several begin and end at the same ns.
 */
HISTREE_API histree_time histree_pixel_start(histree_time from, histree_time to, uint32_t pixels, uint32_t pixel);

/* Adjacent cells that are equal. */
struct histree_cell_span {
	uint32_t start, length; /* pixels */
	struct histree_cell cell;
};

/* Join equal neighbours among the cells of a row into spans; `out` has room for `pixels`.  Returns how many. */
HISTREE_API size_t histree_cells_to_spans(const struct histree_cell *cells, uint32_t pixels,
					  struct histree_cell_span *out);

/* ==== time in state =========================================================================================== */

/*
 * How long attributes had each of their values over a range.
 *
 *	histree_time_in_state_create(history, &cursor, &error);
 *	histree_time_in_state_start(cursor, &(struct histree_region){ .from = t1, .to = t2 }, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		part = histree_cursor_state_time(cursor);
 *	histree_cursor_free(cursor);		// cursor.h
 *
 * The results are parts: the caller adds up those with the same attribute and value.  The sums are exact.  For
 * statuses, whose values have names (attributes.h), most of a long range comes from the overview of sums of the
 * history, if it has one (docs/design/05-pyramid.md); otherwise each state is a part.
 * What damage hides counts as unknown.
 */

struct histree_state_time {
	histree_quark quark;
	struct histree_value value; /* null and unknown as well; its bytes are borrowed until the next call */
	uint64_t ns;                /* in the range, 1 or more; 0 stands for 2^64 */
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_in_state_create(struct histree_history *history,
										struct histree_cursor **out,
										struct histree_error *error);

/*
 * Start a range; `region` must have no list of times.  Its attributes are borrowed until the next start or until
 * the cursor is freed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_in_state_start(struct histree_cursor *times,
									       const struct histree_region *region,
									       struct histree_error *error);

/*
 * Add up the states of a history once more, and compare them with its overview of sums and its cube, and those that
 * name threads with its file of names, if it was opened with them.  `report` is called with a sentence for each
 * attribute for which these differ.  Returns HISTREE_ERR_FORMAT if any differs.  All states of these attributes are
 * read, in about 32 MiB of memory, and 1 KiB for each thread in the cube.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_sums_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
		    void *context, struct histree_error *error);

/* ==== state compare =========================================================================================== */

/*
 * How long attributes were in which states, in two histories or in two windows of one.
 *
 * States are counted by what they mean: the time in "waits for a CPU" is that of all chosen attributes together,
 * since another trace has other tids and paths.  A share is that time over the length of the window: how many of
 * the attributes were in the state on average.
 *
 * A difference of both shares that is not greater than that between the first and the second half of A, or of B,
 * is noise: A alone varies as much.
 */

struct histree_state_difference {
	const char *kind;           /* what the states are: "thread status"; "" for values without labels */
	const char *label;          /* "waits for a CPU"; NULL if the value speaks for itself */
	struct histree_value value; /* the least with that label; HISTREE_UNKNOWN: damage or a gap; never null */
	uint64_t a_ns, b_ns;        /* of all attributes; UINT64_MAX if it does not fit */
	double a_share, b_share;
	double noise; /* the greater difference of shares between halves of A and between halves of B */
};

struct histree_state_comparison;

/*
 * Compare the attributes of two selections in their windows, which are cut to the histories.  A selection of all
 * attributes stands for those whose values have labels, except idle loops, and interrupts on all CPUs together,
 * because each CPU has its own.  Every interval of both sides is read once, except where an overview of sums
 * answers for a long window; the memory is one record for each state, and for a selection of all attributes a
 * list of those that it stands for.  One thread at a time uses the comparison.  Its texts are borrowed from it
 * and from the histories, which must stay open as long.  Returns HISTREE_ERR_TIME_RANGE if a window has no time
 * of its history, HISTREE_ERR_CANCELLED if `work` ends the call.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_comparison_create(struct histree_selection *a, struct histree_selection *b, struct histree_work work,
				struct histree_state_comparison **out, struct histree_error *error);

/* Returns the states, the greatest difference of shares first, or NULL after the last one. */
HISTREE_API const struct histree_state_difference *
histree_state_comparison_state(const struct histree_state_comparison *comparison, size_t index);

/* Returns "more", "less" or "noise", of B; with `says_why`, also why it is noise: words for people. */
HISTREE_API const char *histree_state_difference_verdict(const struct histree_state_difference *difference,
							 bool says_why);

/* Returns what is lost of the states of A (0) or B (1), which count as unknown. */
HISTREE_API struct histree_loss histree_state_comparison_loss(const struct histree_state_comparison *comparison,
							      int side);

/* Free the comparison, or do nothing if it is NULL. */
HISTREE_API void histree_state_comparison_free(struct histree_state_comparison *comparison);

#endif
