/* SPDX-License-Identifier: MIT */
/*
 * slice_run.h - the steps of one slice: read it from the trace, analyse it, hand it over, make leaves of it.
 *
 * A slice is what the trace hands out from one time to another, both by its own clock.  It is read by a reader
 * that went there by what packets say of their times; that these say the truth is not believed, but seen at the
 * hand-over: the slice before has to end where this one began, file by file.
 *
 * A reader belongs to one thread at a time, and so does a run.
 */
#ifndef PIPELINE_SLICE_RUN_H
#define PIPELINE_SLICE_RUN_H

#include <stdatomic.h>

#include "analysis/analysis.h"
#include "event_index/index_part.h"
#include "trace/trace.h"

/* What all readers of a trace have in common; constant, and outlives them. */
struct slice_source {
	const struct analysis *analysis;
	const char *const *traces;
	size_t trace_count;
	bool ignores_gaps;
	const struct histree_clock *clock; /* NULL: none */
	uint64_t bytes;                    /* of the trace that was cut: another one is refused */
	size_t file_count;
};

/* ---- reading ------------------------------------------------------------------------------------------------- */

struct slice_reader;
struct leaf_scratch;

enum histree_status slice_reader_open(const struct slice_source *source, struct slice_reader **out,
				      struct histree_error *error);

/* One of a trace that is open, and borrowed; it has given `event`. */
enum histree_status slice_reader_over(const struct slice_source *source, struct trace *trace,
				      const struct event *event, struct slice_reader **out,
				      struct histree_error *error);
void slice_reader_close(struct slice_reader *reader);

/* Go where the files are at these positions. */
enum histree_status slice_reader_go(struct slice_reader *reader, const struct trace_position *positions,
				    struct histree_error *error);

/* Whoever sees the events one by one. */
struct slice_pass {
	struct analysis_inputs *inputs;
	void *instance;
	struct event_index_writer *index; /* NULL: none is made */
	/* Asked now and then whether to go on. */
	enum histree_status (*go_on)(void *context, struct histree_error *error);
	void *context;
	uint64_t events;   /* that it has seen */
	histree_time last; /* the greatest time of all */
};

/*
 * Hand out events and gaps up to the first event of that time or later from which on others can read, or all that
 * there are.  `positions` become those of that place.
 */
enum histree_status slice_reader_pass(struct slice_reader *reader, histree_time to, struct slice_pass *pass,
				      struct trace_position *positions, struct histree_error *error);

/* ---- slices -------------------------------------------------------------------------------------------------- */

/* Times by the clock of the trace; the greatest: to the end. */
struct slice_range {
	histree_time known_from, from, to;
};

struct slice_run;

/* What runs that come one after the other use again; a zeroed one is fine. */
struct slice_memory {
	struct index_part part;
};

/*
 * Make one; `owner` is the instance that will take it, and may be far from there yet.  The pack of the frame is its
 * own from then on, also after a failure; the memory is borrowed.
 */
enum histree_status slice_run_create(const struct slice_source *source, const struct slice_frame *frame,
				     const struct slice_range *range, void *owner, struct slice_memory *memory,
				     struct slice_run **out, struct histree_error *error);

/*
 * Read and analyse the slice, as far as that is of use, until `is_stopping`; its events are kept for the index if
 * `is_indexed`.  A reader that is NULL could not be opened.
 */
void slice_run_read(struct slice_run *run, struct slice_reader *reader, bool is_indexed,
		    const atomic_bool *is_stopping);

/* What became of a slice that was read. */
enum slice_outcome {
	SLICE_IS_OF_USE,
	SLICE_IS_OF_NO_USE, /* it failed, or does not begin where it should */
	SLICE_HAS_MORE,     /* to say of the trace than its events: who reads on from here has to */
};
enum slice_outcome slice_run_outcome(const struct slice_run *run, const struct trace_position *begin);

/*
 * As struct analysis_slices has it: HISTREE_NOT_FOUND if nothing was done.  Else `positions`, of its begin, become
 * those of its end, and the pass has seen what it saw.
 */
enum histree_status slice_run_commit(struct slice_run *run, struct slice_pass *pass,
				     struct trace_position *positions, struct histree_error *error);

/* Returns how many bytes of memory it takes, when it has been read, in its pack and besides that. */
struct slice_bytes {
	size_t kept, log;
};
struct slice_bytes slice_run_bytes(const struct slice_run *run);

/* Make leaves of a slice that was committed, by any thread. */
enum histree_status slice_run_make(struct slice_run *run, struct leaf_scratch *scratch,
				   struct histree_error *error);

/* Returns its leaves; NULL: it has none. */
const struct leaf_pack *slice_run_pack(const struct slice_run *run);

void slice_run_free(struct slice_run *run);

#endif
