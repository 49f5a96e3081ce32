/* SPDX-License-Identifier: MIT */
/*
 * slice_run.h - the steps of one slice: read it from the trace, analyse it, hand it over, make leaves and index of
 * it, and have these taken.
 *
 *	slice_run_create, slice_run_read	whoever reads it
 *	slice_run_outcome, slice_run_commit	the owner of the analysis that has seen all that came before
 *	slice_run_make				whoever read it
 *	slice_run_take				the owner
 *
 * Where whoever reads it is in another process, there is a run in each: what the steps there have made comes as
 * bytes (slice_run_bytes.c).
 *
 * A run belongs to one thread at a time.
 */
#ifndef PIPELINE_SLICE_RUN_H
#define PIPELINE_SLICE_RUN_H

#include <stdatomic.h>

#include "event_index/index_part.h"
#include "pipeline/slice_reader.h"
#include "state/interval_sink.h"
#include "tree/leaf_pack.h"

/* Times by the clock of the trace; the greatest: to the end. */
struct slice_range {
	histree_time known_from, from, to;
};

/* What runs that come one after the other use again; a zeroed one is fine. */
struct slice_memory {
	struct index_part part;
};

/* How many bytes of memory it takes, when it has been read, in its pack and besides that. */
struct slice_bytes {
	size_t kept, log;
};

struct slice_run {
	const struct slice_source *source;
	struct slice_range range;
	struct analysis_inputs inputs;
	void *instance; /* NULL: it was committed, and is not needed any more */
	struct leaf_pack *pack;
	histree_quark *keys;         /* of the pack, once it was committed */
	size_t key_count;            /* attributes of the slice, once it was read */
	uint64_t before;             /* events that come before it, once it was committed */
	struct slice_memory *memory; /* borrowed */
	struct trace_position *begin, *end;
	uint64_t events;
	histree_time last;       /* the greatest time */
	struct slice_bytes size; /* as slice_run_bytes() has it, once it was read */
	bool is_indexed;
	bool is_elsewhere; /* another process has read it, and its pack */
	bool is_whole;     /* it was read from its beginning to its end */
	bool has_more;     /* SLICE_HAS_MORE */
};

/*
 * Make one, with what the owner has hinted at.  The pack of the frame is its own from then on, also after a
 * failure; the memory is borrowed.
 */
enum histree_status slice_run_create(const struct slice_source *source, const struct slice_frame *frame,
				     const struct slice_range *range, const struct saved_bytes *hint,
				     struct slice_memory *memory, struct slice_run **out,
				     struct histree_error *error);

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
 * those of its end, and the pass has seen what it saw, but for the index.
 */
enum histree_status slice_run_commit(struct slice_run *run, struct slice_pass *pass,
				     struct trace_position *positions, struct histree_error *error);

/*
 * A run that was read is to be made in place of one of the same range and hint that was committed, and was read
 * elsewhere.  Returns HISTREE_ERR_IO if it has not seen the same.
 */
enum histree_status slice_run_replace(struct slice_run *run, struct slice_run *committed,
				      struct histree_error *error);

/* Make leaves, and the index, of a slice that was committed. */
enum histree_status slice_run_make(struct slice_run *run, struct leaf_scratch *scratch,
				   struct histree_error *error);

/* What was made goes into the index, if there is one, and to the sink; those of the slices before are there. */
enum histree_status slice_run_take(const struct slice_run *run, struct event_index_writer *index,
				   const struct interval_sink *sink, struct histree_error *error);

/* The instance is not needed any more. */
void slice_run_release_instance(struct slice_run *run);

void slice_run_free(struct slice_run *run);

/* ---- in two processes: slice_run_bytes.c --------------------------------------------------------------------- */

/* What was read, and back into a run of the same range that reads nothing.  Memory may be out in either. */
void slice_run_save_read(struct slice_run *run, struct saved_bytes *out);
enum histree_status slice_run_load_read(struct slice_run *run, const struct slice_frame *frame,
					struct byte_reader *reader, struct histree_error *error);

/* What it is to be made with, of one that was committed, and back into the one that was read. */
void slice_run_save_keys(const struct slice_run *run, struct saved_bytes *out);
enum histree_status slice_run_load_keys(struct slice_run *run, struct byte_reader *reader,
					struct histree_error *error);

/* What was made, and back into the one that was committed, with an empty pack if it is to have leaves. */
void slice_run_save_made(const struct slice_run *run, struct saved_bytes *out);
enum histree_status slice_run_load_made(struct slice_run *run, struct leaf_pack *pack, struct byte_reader *reader,
					struct histree_error *error);

#endif
