/* SPDX-License-Identifier: MIT */
/*
 * slice_run.h - slices of a trace on their way from being read to being in the tree: a run each, in a ring of those
 * that were cut and not yet taken.
 *
 * A slice is what the trace hands out from one time to another, both by its own clock.  It is read by a reader
 * that went there by what packets say of their times; that these say the truth is not believed, but seen at the
 * hand-over: the slice before has to end where this one began, file by file.
 *
 * 	STEP_READ	slice_run_create, slice_run_read	a thread that takes it from the ring
 * 	STEP_COMMIT	slice_run_outcome, slice_run_commit	the owner, who has seen all that came before
 * 	STEP_MAKE	slice_run_make				the one that read it: leaves, part of the index
 * 	STEP_TAKE	slice_run_take				the owner, in the order of time
 *
 * Threads of the owner's process take work out of the ring, and so do those who carry messages to other processes
 * (slice_worker.h).  A slice belongs to the thread that took it until the step is ended, and to the owner at the
 * other steps.
 *
 * Where slices are read in another process, there is a run in each, and a ring of the same size with the slices
 * that came there, each in the place that it has in the owner's.  What the steps there have made comes back as
 * bytes: a message is a letter and its contents.  They are checked as the bytes of a file are.
 *
 * A run, and a reader, belong to one thread at a time.
 */
#ifndef PIPELINE_BUILD_SLICE_RUN_H
#define PIPELINE_BUILD_SLICE_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "analysis/analysis.h"
#include "base/arena.h"
#include "event_index/event_index.h"
#include "event_index/index_part.h"
#include "state/ongoing_states.h"
#include "trace/event_stream.h"
#include "tree/batch.h"
#include "tree/leaf_pack.h"
#include "tree/tree_shape.h"

/* What all readers of a trace have in common; constant, and outlives them. */
struct slice_source {
	const struct analysis *analysis;
	struct event_origin origin; /* of the trace that was cut: another one is refused */
};

/* What is wrong with a trace that is another one than was cut. */
extern const char slice_changed[];

struct slice_reader {
	const struct slice_source *source;
	struct event_stream own, *stream; /* its own, or borrowed; what was looked at is what nobody has seen */
	struct analysis_feed feed;
};

/* Over a stream that is open, and borrowed; NULL: over one of its own. */
enum histree_status slice_reader_open(const struct slice_source *source, struct event_stream *stream,
				      struct slice_reader **out, struct histree_error *error);
void slice_reader_close(struct slice_reader *reader);

/* Go where the files are at these positions. */
enum histree_status slice_reader_go(struct slice_reader *reader, const struct trace_position *positions,
				    struct histree_error *error);

/* The pass that sees the events one by one. */
struct slice_pass {
	struct analysis_inputs *inputs;
	void *instance;
	struct event_index_writer *index; /* that watches the stream; NULL: none is made */
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

/* ---- event by event ------------------------------------------------------------------------------------------ */

/* Whether the trace has had something to say since then: losses, damage, clocks that step back. */
bool slice_reader_has_said_more(const struct slice_reader *reader, const struct trace_report *before);

enum slice_message {
	SLICE_PLAN = 'P', /* to a worker: struct slice_plan */
	/* To a worker: number, that of the first not taken, whether it is for an index, times, hint. */
	SLICE_READ = 'R',
	SLICE_MAKE = 'M',     /* to a worker: number, keys */
	SLICE_WAS_READ = 'r', /* number, what was read */
	SLICE_WAS_MADE = 'm', /* number, status; what was made, or a message */
	SLICE_REFUSED = 'E',  /* what was said: status, a message */
};

enum { SLICE_RING_MAX = 1 << 20 }; /* of some thousand processes with all their threads */

/* What readers of slices go by. */
struct slice_plan {
	struct slice_source source;
	struct change_log_frame frame; /* without a pack */
	size_t ring_size;
	bool has_packs;
	struct tree_options tree; /* of packs */
	size_t kept_max;          /* bytes of a pack */
};

/*
 * As bytes, or of them, into a zeroed one whose texts are in the arena.  Returns HISTREE_ERR_FORMAT if they make no
 * sense.
 */
enum histree_status slice_plan_code(struct slice_plan *plan, struct arena *arena, struct codec *codec,
				    struct histree_error *error);

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
	struct change_log log; /* of the instance */
	void *instance;        /* NULL: it was committed, and is not needed any more */
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
 * Make one for a range, with what the owner has hinted at; the memory is borrowed.  Without a pool, it is one whose
 * intervals are elsewhere: it is only to be loaded.
 */
enum histree_status slice_run_create(const struct slice_plan *plan, struct chunk_pool *pool,
				     const struct slice_range *range, const struct byte_buffer *hint,
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
 * those of its end, and the pass has seen what it saw, except for the index.
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
void slice_run_free(struct slice_run *run);

/* ---- in two processes ------------------------------------------------------------------------------------ */

/* What was read, and back into a run of the same range that reads nothing.  Memory may be out in either. */
void slice_run_save_read(struct slice_run *run, struct byte_buffer *out);
enum histree_status slice_run_load_read(struct slice_run *run, struct byte_reader *reader,
					struct histree_error *error);

/* What it is to be made with, of one that was committed, and back into the one that was read. */
void slice_run_save_keys(const struct slice_run *run, struct byte_buffer *out);
enum histree_status slice_run_load_keys(struct slice_run *run, struct byte_reader *reader,
					struct histree_error *error);

/* What was made, and back into the one that was committed, with a pack if it is to have leaves. */
void slice_run_save_made(const struct slice_run *run, struct byte_buffer *out);
enum histree_status slice_run_load_made(struct slice_run *run, const struct slice_plan *plan,
					struct chunk_pool *pool, struct byte_reader *reader,
					struct histree_error *error);

enum slice_step {
	STEP_EMPTY, /* there is no slice */
	STEP_READ,
	STEP_COMMIT,
	STEP_MAKE,
	STEP_TAKE,
};

enum { SLICE_WORKER_HERE = -1 }; /* a thread of this process */

struct slice {
	uint64_t number;
	struct slice_range range;
	uint64_t bytes;          /* of the trace, about */
	bool is_indexed;         /* its events are for an index, too */
	struct byte_buffer hint; /* of the owner, when it was cut */
	struct slice_run *run;   /* NULL: it was not begun, or could not be read */
	struct slice_memory memory;
	enum slice_step step;
	bool is_begun;   /* the step is */
	bool is_refused; /* the owner is to read it */
	int worker;      /* who has taken it to read, another process by number; SLICE_WORKER_HERE */
	enum histree_status made;
	struct histree_error error;
	struct byte_buffer answer; /* to the owner in another process, who waits for it */
	bool has_answer;
};

struct slice_ring {
	struct slice *slices;
	size_t size;
	/* The owner has seen those before `committed`, the tree those before `taken`, which are gone from here. */
	uint64_t cut, committed, taken;
	size_t answers;        /* that are to be got: mostly none */
	pthread_mutex_t mutex; /* of these, and of the steps */
	pthread_cond_t changed;
	bool is_stopping;
};

/* Returns false if memory runs out; release it all the same. */
bool slice_ring_init(struct slice_ring *ring, size_t size);
void slice_ring_release(struct slice_ring *ring);

static inline struct slice *slice_ring_at(const struct slice_ring *ring, uint64_t number)
{
	return &ring->slices[number % ring->size];
}

static inline bool slice_ring_has_room(const struct slice_ring *ring)
{
	return ring->cut - ring->taken < ring->size;
}

/* The owner has filled in the next slice, at `cut`: it is to be read. */
void slice_ring_cut(struct slice_ring *ring);

/* ---- who does the steps -------------------------------------------------------------------------------------- */

/*
 * Take the oldest slice to make that this worker has read; else, if it `may_read`, the oldest to read.  Returns
 * NULL if there is none.
 */
struct slice *slice_ring_take(struct slice_ring *ring, int worker, bool may_read);

/* The same, waiting for one.  NULL: there will be none. */
struct slice *slice_ring_wait(struct slice_ring *ring);

/* Returns the slice that this worker has taken for this step; NULL: it has no such slice. */
struct slice *slice_ring_find(struct slice_ring *ring, uint64_t number, int worker, enum slice_step step);

/* ---- the ring of a worker ------------------------------------------------------------------------------------ */

/*
 * Returns the place of a slice that is to be read here, for its owner, who has taken those before `taken`; NULL: no
 * owner says so.  slice_ring_end_step() gives it to a reader.
 */
struct slice *slice_ring_add(struct slice_ring *ring, uint64_t number, uint64_t taken);

/* Get an answer, if there is one, into empty bytes: the owner has the next step.  After the last one it is gone. */
bool slice_ring_answer(struct slice_ring *ring, struct byte_buffer *out);

/* A worker is gone: what it was to do, or did, is to be done by threads of this process. */
void slice_ring_lose(struct slice_ring *ring, int worker);

/* The one that took it has done the step. */
void slice_ring_end_step(struct slice_ring *ring, struct slice *slice, enum slice_step next);

/* No worker waits for work any more. */
void slice_ring_stop(struct slice_ring *ring);

/* ---- the owner ----------------------------------------------------------------------------------------------- */

/* Returns whether the slice has come to a step, after a while of waiting for that if `waits`. */
bool slice_ring_has_come(struct slice_ring *ring, const struct slice *slice, enum slice_step step, bool waits);

/* Returns who has taken a slice to read. */
int slice_ring_worker(struct slice_ring *ring, const struct slice *slice);

/* Returns how many are taken. */
uint64_t slice_ring_taken(struct slice_ring *ring);

/* One more is committed, or taken. */
void slice_ring_count(struct slice_ring *ring, uint64_t *counter);

#endif
