/* SPDX-License-Identifier: MIT */
/*
 * stream.h - questions of rank 0 to other ranks, step by step, and rows as columns in messages.
 *
 * *Rows* are of one layout, which both sides know: some columns of numbers, then some of values.
 *
 * 	states		attribute, start, duration;	its value
 * 	segments	start, duration;		a value for each field
 * 	events		time, CPU, type;		their texts (enum histree_event_text), then values of fields
 *
 * The bytes:
 *
 * 	first		the layout, and how many rows and columns of values there are
 * 	numbers		of each row: zigzag
 * 	values		texts: a count, and for each its size and its bytes with a terminating zero;
 * 			kinds: a kind (0: no value), and how many rows have it, up to the last row;
 * 			then of each row that has one: int, long: zigzag; double: 8 bytes; bool:
 * 			a byte; string, custom: the number of its text
 *
 * Layout, counts, kinds and sizes are varints.  Another rank is trusted no more than a file: everything is checked
 * before any of it is used.  What was read borrows from the bytes.
 *
 * A *stream* is one question to one rank: for what it has of a host, or for rows, which come in several answers as
 * more is asked for.  Starts are gathered, and sent when the first answer is needed: one message for each rank, so
 * that all ranks work at the same time.
 *
 * A message to a rank is JOB_REQUEST and steps, its answer one message of answers, both as sections (link.h):
 *
 * 	START	ask, kind, what is asked		begins a stream, whose number is that of the ask
 * 	MORE	ask, stream, what is asked
 * 	DROP	stream					has no answer
 * 	ANSWER	ask, status, why, bytes
 *
 * The number of an ask identifies its answer.  Answers that are no longer wanted still arrive, and are dropped.
 * HISTREE_OK means that there is more; after any other status the rank has dropped the stream.
 *
 * 	HISTORY		host, analysis		its number and its description (history.h)
 * 	STORE		host, analysis		its number, its info and those of its overviews
 * 	INDEX		host			whether its clocks are in order, and its index of events
 * 	STATES		history, part, region	statistics so far, and columns.h
 * 	SEGMENTS	store, part, query	what was lost before these rows, and columns.h
 * 	EVENTS		START: host; both: first event, count, paths, texts of types
 * 				columns.h; fewer than the count where that is much
 * 	VIEW		history, question	the answer (histree/time_use.h)
 *
 * The first three and the last have one answer.  Numbers are varints.
 */
#ifndef MPI_STREAM_H
#define MPI_STREAM_H

#include "base/arena.h"
#include "histree/events.h"
#include "histree/segments.h"
#include "histree/value.h"
#include "mpi/link.h"

enum {
	COLUMNS_NUMBERS_MAX = 3,
	COLUMNS_VALUES_MAX = 132,
	/* From which on rows are enough. */
	COLUMNS_ROWS_MAX = 8192,
	COLUMNS_BYTES_MAX = 1024 * 1024,
};

enum column_layout { STATE_ROWS, SEGMENT_ROWS, EVENT_ROWS, COLUMN_LAYOUTS };

/* The numbers of each layout. */
enum { STATE_ATTRIBUTE, STATE_START, STATE_END };

enum { SEGMENT_START, SEGMENT_END };

enum { EVENT_TIME, EVENT_CPU, EVENT_TYPE };

/* The values of events begin with their texts. */
enum { EVENT_TEXTS = HISTREE_EVENT_STREAM + 1, EVENT_PATHS_MAX = COLUMNS_VALUES_MAX - EVENT_TEXTS };

struct value_column {
	struct intern known; /* texts that are written once */
	struct byte_buffer texts, kinds, values;
	uint32_t text_count;
	uint32_t kind, run; /* of the last rows: their kind, and how many they are */
};

/* What is written.  A zeroed one is empty; it keeps its memory. */
struct column_writer {
	enum column_layout layout;
	uint32_t rows;
	size_t value_count, bytes;
	struct byte_buffer numbers[COLUMNS_NUMBERS_MAX];
	uint64_t next[COLUMNS_NUMBERS_MAX]; /* what a number or a start is the difference to */
	struct value_column values[COLUMNS_VALUES_MAX];
	bool no_memory;
};

void columns_begin(struct column_writer *writer, enum column_layout layout, size_t value_count);

/* A row is all of its numbers and all of its values, in any order. */
void columns_add_number(struct column_writer *writer, size_t column, int64_t number);

/* The numbers of a start, and of the end behind it. */
void columns_add_times(struct column_writer *writer, size_t column, histree_time start, histree_time end);

/* NULL: there is no value. */
void columns_add_value(struct column_writer *writer, size_t column, const struct histree_value *value);

/* A terminated text that is hardly there twice; a column has only such texts, or none of them. */
void columns_add_text(struct column_writer *writer, size_t column, const char *text);
void columns_end_row(struct column_writer *writer);
bool columns_are_full(const struct column_writer *writer);

/* Appends the rows to a message.  Without memory for any of them the message has none either. */
void columns_write(struct column_writer *writer, struct byte_buffer *out);
void column_writer_release(struct column_writer *writer);

/* What is read.  A zeroed one is empty; it keeps its memory. */
struct columns {
	uint32_t rows;
	size_t number_count, value_count;
	int64_t *numbers;             /* of each row */
	struct histree_value *values; /* likewise; text has a terminating zero behind it */
	struct message_text *texts;
	size_t number_capacity, value_capacity, text_capacity;
};

/* Reads all that is left.  Returns HISTREE_ERR_FORMAT if it is no rows of the layout; there are no rows then. */
enum histree_status columns_read(struct columns *columns, enum column_layout layout, struct byte_reader *reader,
				 struct histree_error *error);

static inline const int64_t *columns_numbers(const struct columns *columns, uint32_t row)
{
	return &columns->numbers[row * columns->number_count];
}

static inline struct histree_value *columns_values(const struct columns *columns, uint32_t row)
{
	return &columns->values[row * columns->value_count];
}

/* Whether there is a value; if there is none, its type is HISTREE_UNKNOWN. */
static inline bool columns_has(const struct histree_value *value)
{
	return value->type != HISTREE_UNKNOWN || value->size == 0;
}

void columns_release(struct columns *columns);

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
	struct byte_buffer received;
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
	uint32_t answers;                  /* that were taken since the start */
	struct byte_buffer arrived, taken; /* the answer that came last, and the one that was taken last */
	enum histree_status status;        /* of the latter */
	struct histree_error error;
};

void stream_open(struct stream *stream, struct streams *streams, int rank);

/* Begins it anew.  Both return the message for what is asked, up to the next call for the same rank. */
struct byte_buffer *stream_start(struct stream *stream, enum stream_kind kind);
struct byte_buffer *stream_more(struct stream *stream);

/*
 * Takes the answer to the last ask, waiting for it.  Its bytes live until the next call, and its status is that of
 * the stream: if that is an error and has no bytes, it is returned.
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
