/* SPDX-License-Identifier: MIT */
/*
 * columns.h - answers as columns, for every tool that takes the Arrow C stream interface.
 *
 * A stream hands out batches of rows.  Each batch is a struct of columns: buffers of numbers, bitmaps of what is
 * not null, and dictionaries of texts, as the Arrow columnar format lays them out.  pandas, polars, DuckDB,
 * pyarrow and many others take such a stream directly; both sides need only the three structs below, which are
 * those of the specification (https://arrow.apache.org/docs/format/CDataInterface.html).
 *
 *	struct ArrowArrayStream stream;
 *	struct ArrowArray batch;
 *	histree_query_arrow(history, &region, NULL, &stream, &error);
 *	while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
 *		...;				// batch.length rows
 *		batch.release(&batch);
 *	}
 *	stream.release(&stream);
 *
 * Where a text is not valid UTF-8, U+FFFD stands for each byte that is not part of a character.
 *
 * Ownership: a stream borrows what it was made from (the history, the store, the events, the attributes), which
 * must stay open until the stream is released; it copies the region and the options.  The schemas and batches
 * that it hands out belong to the consumer alone: they may outlive the stream and the history, be moved, and be
 * released in any order and on any thread.
 *
 * Dictionaries: within one stream an index always means the same text.  The dictionary of a batch begins with
 * that of the batch before; all batches share its memory.
 *
 * Memory of a stream: about 70 bytes for each row of a batch, for the batches that the consumer holds and at most
 * two more; four bytes for each attribute; and each text once for as long as the stream or a batch needs it, with
 * about 16 bytes of overhead, up to histree_arrow_options.text_bytes.
 *
 * Errors: get_next() returns a number from <errno.h> (ENOMEM, EIO, EINVAL, ECANCELED), and get_last_error() the
 * sentence that a struct histree_error would have.  After an error, every later call fails with it.
 *
 * Threads: one thread at a time uses a stream.
 */
#ifndef HISTREE_COLUMNS_H
#define HISTREE_COLUMNS_H

#include "attributes.h"
#include "events.h"
#include "history.h"
#include "segments.h"
#include "states.h"
#include "status.h"

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/*
 * Columns by their bits.  A stream has those of its columns that are requested, in the order in which the comment
 * on its function lists them.
 */
enum histree_arrow_column {
	HISTREE_ARROW_QUARK = 1 << 0,
	HISTREE_ARROW_PATH = 1 << 1,
	HISTREE_ARROW_START = 1 << 2,
	HISTREE_ARROW_END = 1 << 3, /* inclusive */
	HISTREE_ARROW_DURATION = 1 << 4,
	HISTREE_ARROW_TYPE = 1 << 5,
	HISTREE_ARROW_VALUE = 1 << 6,
	HISTREE_ARROW_REAL = 1 << 7,
	HISTREE_ARROW_TEXT = 1 << 8,
	HISTREE_ARROW_LABEL = 1 << 9,
	HISTREE_ARROW_PARENT = 1 << 10,
	HISTREE_ARROW_NAME = 1 << 11,
	HISTREE_ARROW_DEPTH = 1 << 12,
	HISTREE_ARROW_NUMBER = 1 << 13,
	HISTREE_ARROW_TIME = 1 << 14,
	HISTREE_ARROW_CPU = 1 << 15,
};

/* The bit of field `index` of a segment store. */
#define HISTREE_ARROW_FIELD(index) (UINT64_C(1) << (16 + (index)))

/* The host of an event, if there are several hosts; the host of a segment is a field. */
#define HISTREE_ARROW_HOST (UINT64_C(1) << 48)

/* For events: their fields as one JSON object. */
#define HISTREE_ARROW_FIELDS (UINT64_C(1) << 49)

#define HISTREE_ARROW_BATCH_ROWS_MAX 65536

/* A zero selects the default. */
struct histree_arrow_options {
	uint64_t columns;    /* bits of the wanted columns; default all */
	uint32_t batch_rows; /* rows in a batch, 1 to 65,536; default 65,536 */
	unsigned threads;    /* for a query of states (histree_query_set_threads()); default 1 */
	/*
	 * The most that the distinct texts of one column may take; default 1 GiB, at most 2 GiB - 1.  A stream
	 * that needs more ends with an error.
	 */
	size_t text_bytes;
	struct histree_work work; /* called at every batch, and now and then within one */
	/*
	 * For states and events: only those that pass this expression (states.h, events.h), which is
	 * read during the call; NULL: all.
	 */
	const char *where;
	/* For events: the bounds of the trace, to which times in the expression are relative */
	histree_time start, end;
	const char *names; /* names of the columns, separated by commas; NULL: `columns` says which */
	/*
	 * What says of threads what the expression asks: for states as for
	 * histree_state_filter_take_threads(), read during the call; for events as for
	 * histree_event_query_take_threads(), borrowed until the stream is released; may be NULL
	 */
	struct histree_history *kernel;
};

/*
 * States, as a query (states.h) gives them and in its order; start and end are those of the state, also where
 * they lie outside the region.  The columns:
 *
 *	quark		uint32
 *	path		dictionary<uint32, utf8>
 *	start, end	timestamp[ns, UTC]
 *	duration	int64: length in ns, both ends counted; INT64_MAX if it is longer
 *	type		dictionary<uint8, utf8>: null int long double bool string custom unknown
 *	value		int64: of int, long and bool; else null
 *	real		float64: of double; else null
 *	text		dictionary<uint32, utf8>: of string, and of custom as hexadecimal digits; else null
 *	label		dictionary<uint32, utf8>: what the value means; null where that is not known
 *
 * `options` may be NULL.  The caller releases *out.  Returns the errors of histree_query_start(), and
 * HISTREE_ERR_ARGUMENT if an option is invalid or no column is selected.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_query_arrow(struct histree_history *history,
								       const struct histree_region *region,
								       const struct histree_arrow_options *options,
								       struct ArrowArrayStream *out,
								       struct histree_error *error);

/*
 * Segments, in the order of the query.  The columns start and end are those of states; duration is end - start,
 * as for segments everywhere; then comes one nullable column for each field: int32, int64, float64, bool, or
 * dictionary<uint32, utf8>.  A field named like one of the first three columns gets the prefix `field_`.  What
 * the query points to is borrowed until the stream is released.  `query` and `options` may be NULL, for all
 * segments and all columns; if the options have a `work`, it replaces that of the query.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segments_arrow(struct histree_segment_store *store, const struct histree_segment_query *query,
		       const struct histree_arrow_options *options, struct ArrowArrayStream *out,
		       struct histree_error *error);

/*
 * All attributes in the order of their quarks: quark uint32; parent uint32, null at the top level; name utf8,
 * unescaped; path utf8; depth uint32, 0 at the top level.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_arrow(const struct histree_attributes *attributes, const struct histree_arrow_options *options,
			 struct ArrowArrayStream *out, struct histree_error *error);

/*
 * The events from one time to another, both inclusive: number uint64; time timestamp[ns, UTC]; cpu int32, null if
 * the trace does not say; name dictionary<uint32, utf8>; with several hosts also host dictionary<uint32, utf8>;
 * fields utf8, a JSON object as histree_event_reader_json() gives it.  They are read from the trace (events.h).
 *
 * If the expression of the options selects a single type (histree_event_query_one_type()), each field becomes a
 * nullable column instead, after the others, in the order of first occurrence: int64, uint64 or float64; utf8
 * where any of the events has a text or a labelled number there, and for an array or a structure as JSON.  To
 * learn the columns, the call reads all of these events.  A column has the name of its field.  The prefix
 * `field_` is added if another column has that name or if the name is `type` (regardless of case), and the prefix
 * `context_` if a field of a context has the name of a field of the payload.  An event type with more than 240
 * fields also has the column `fields`, with all of them.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_events_arrow(const struct histree_events *events,
									histree_time from, histree_time to,
									const struct histree_arrow_options *options,
									struct ArrowArrayStream *out,
									struct histree_error *error);

/*
 * Returns what a stream of this library has lost so far: lost states are rows of type unknown, lost segments are
 * missing.  Returns a loss of no nodes if the stream was released, or was not made by this library.
 */
HISTREE_API struct histree_loss histree_arrow_loss(const struct ArrowArrayStream *stream);

#endif
