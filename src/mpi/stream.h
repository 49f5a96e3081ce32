/* SPDX-License-Identifier: MIT */
/*
 * stream.h - what rank 0 asks another rank for, and how the answers come.
 *
 * A stream is one question to one rank: for what it has of a host, or for rows, which come in several answers as
 * more is asked for.  What starts is gathered, and sent when the first answer is wanted: one message a rank, and
 * all ranks work at a time.
 *
 * A message to a rank is JOB_REQUEST and steps, its answer one message of answers, both as sections (link.h):
 *
 *	START	ask, kind, what is asked		begins a stream, whose number is that of the ask
 *	MORE	ask, stream, what is asked
 *	DROP	stream					has no answer
 *	ANSWER	ask, status, why, bytes
 *
 * The number of an ask says whose an answer is.  What was asked for before, and is not wanted any more, comes all
 * the same, and is dropped.  HISTREE_OK says that there is more, everything else that the rank has forgotten
 * the stream.
 *
 *	HISTORY		host, analysis		its number and its description (history_source.h)
 *	STORE		host, analysis		its number, its info and those of its overviews
 *	INDEX		host			whether its clocks are in order, and its index of events
 *	STATES		history, part, region	statistics so far, and columns.h
 *	SEGMENTS	store, part, query	what was lost before these rows, and columns.h
 *	EVENTS		START: host; both: first event, count, paths, texts of types
 *				columns.h; fewer than the count where that is much
 *	VIEW		history, question	the answer (histree/time_use.h)
 *
 * The first three and the last have one answer.  Numbers are varints.
 */
#ifndef MPI_STREAM_H
#define MPI_STREAM_H

#include "mpi/link.h"

enum stream_step { STEP_START = 'S', STEP_MORE = 'M', STEP_DROP = 'D', STEP_ANSWER = 'A' };

enum stream_kind {
	STREAM_HISTORY,
	STREAM_STORE,
	STREAM_INDEX,
	STREAM_STATES,
	STREAM_SEGMENTS,
	STREAM_EVENTS,
	STREAM_VIEW,
	STREAM_KINDS,
};

struct stream_rank;

/* All streams of rank 0.  A zeroed one has no ranks. */
struct streams {
	struct asker *asker; /* of the question */
	struct stream_rank *ranks;
	struct stream *first; /* a list of those that are open */
	uint64_t asks;        /* so far */
	struct message received;
	bool is_lost; /* a rank does not answer */
};

/* Returns false without memory. */
bool streams_begin(struct streams *streams, struct asker *asker);

/* Sends what was gathered for all ranks.  HISTREE_ERR_CANCELLED: nobody waits for the answer. */
enum histree_status streams_send(struct streams *streams, struct histree_error *error);

/* A rank has sent what it never says: it is not asked any more. */
enum histree_status streams_damaged(struct streams *streams, int rank, struct histree_error *error);

/* Takes what is still to come of a question, wanted or not; the link is free again then. */
void streams_drain(struct streams *streams);
void streams_release(struct streams *streams);

struct stream {
	struct streams *streams;
	struct stream *next;
	int rank;
	uint64_t number; /* 0: the rank has no such stream */
	uint64_t asked;  /* the ask whose answer is to come; 0: none */
	bool has_arrived;
	uint32_t answers;              /* that were taken since the start */
	struct message arrived, taken; /* the answer that came last, and the one that was taken last */
	enum histree_status status;    /* of the latter */
	struct histree_error error;
};

void stream_open(struct stream *stream, struct streams *streams, int rank);

/* Begins it anew.  Both return the message for what is asked, up to the next call for the same rank. */
struct message *stream_start(struct stream *stream, enum stream_kind kind);
struct message *stream_more(struct stream *stream);

/*
 * Takes the answer to what was asked last, waiting for it.  Its bytes live until the next call, and its status is
 * that of the stream: if that is an error and has no bytes, it is returned.
 */
enum histree_status stream_take(struct stream *stream, struct byte_reader *answer, struct histree_error *error);

/* The same of a stream that goes on by itself: it asks for more, and ahead if several answers were taken. */
enum histree_status stream_next(struct stream *stream, struct byte_reader *answer, struct histree_error *error);

/* Takes the only answer there is. */
enum histree_status stream_take_all(struct stream *stream, struct byte_reader *answer, struct histree_error *error);

/* Returns what is behind the rows that came: HISTREE_END, or what failed. */
enum histree_status stream_end(const struct stream *stream, struct histree_error *error);

/* Forgets what was asked; it can be started again. */
void stream_drop(struct stream *stream);
void stream_close(struct stream *stream);

#endif
