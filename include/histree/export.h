/* SPDX-License-Identifier: MIT */
/*
 * export.h - files for other tools: columns, and tracks for viewers of traces.
 *
 * The functions that write columns consume any Arrow stream (columns.h), and release it even if they fail.  Viewers
 * of traces get tracks with spans, counters and flows: histree_export_viewer() walks over a history, a segment
 * store or the events of a store in the order of time, and writes as it goes.
 *
 * A file is written under a temporary name and takes its own when it is complete; until then an older file stays.
 *
 * Threads: a call uses the stream in the thread of the caller.
 */
#ifndef HISTREE_EXPORT_H
#define HISTREE_EXPORT_H

#include "columns.h"
#include "segments.h"

enum histree_parquet_compression {
	HISTREE_PARQUET_DEFAULT_COMPRESSION, /* zstd if the library was built with it, else none */
	HISTREE_PARQUET_ZSTD,
	HISTREE_PARQUET_UNCOMPRESSED,
};

/*
 * The order of the rows within a row group.  The row groups themselves always follow the stream.  If a column of
 * the order is missing or nullable, rows keep the order of the stream.
 */
enum histree_parquet_order {
	HISTREE_PARQUET_AS_THEY_COME, /* the smallest and the fastest for a query of states */
	HISTREE_PARQUET_BY_ATTRIBUTE, /* by the columns `quark`, then `start` */
	HISTREE_PARQUET_BY_TIME,      /* by `start`, then `quark` if there is such a column */
};

/*
 * The type of timestamp columns.  DuckDB reads instants in ns as TIMESTAMP WITH TIME ZONE, which has microseconds
 * only: for full precision in DuckDB use PLAIN; for Spark, which refuses ns, use NUMBERS.
 */
enum histree_parquet_times {
	HISTREE_PARQUET_TIMES_AS_THEY_ARE, /* with a time zone: instants, isAdjustedToUTC */
	/* The same numbers as a timestamp without a time zone: the file no longer says that they are UTC */
	HISTREE_PARQUET_TIMES_PLAIN,
	HISTREE_PARQUET_TIMES_NUMBERS, /* int64 since the epoch */
};

/* A note in the footer, such as the host that was traced. */
struct histree_export_note {
	const char *key, *value;
};

/* What has been written so far, or in total. */
struct histree_export_counts {
	uint64_t rows, row_groups, bytes, files;
	struct histree_loss loss; /* of what is written (histree_arrow_loss()) */
};

/* A zero selects the default. */
struct histree_parquet_options {
	/* Default 1 Mi, at most 16 Mi; all rows of a group are in memory, about 60 bytes each */
	uint32_t row_group_rows;
	enum histree_parquet_compression compression;
	int level; /* of zstd, 1 to 19; default 3 */
	/* Default: a column of a row group is one page, which packs best; smaller pages prune better */
	uint32_t page_rows;
	enum histree_parquet_order order;
	enum histree_parquet_times times;
	const struct histree_export_note *notes;
	size_t note_count;
	int descriptor;           /* written to if the path is NULL; may be a pipe; the caller owns it */
	struct histree_work work; /* called at each batch */
	struct histree_export_counts *counts; /* filled at the end; may be NULL */
};

/*
 * Write a Parquet file, or write it to the descriptor of the options if `path` is NULL.  Columns may be bool,
 * integers of 8 to 64 bits, float64, utf8, dictionaries of utf8, and timestamps in ms, us or ns; all may be null.
 * `options` may be NULL.
 *
 * Returns HISTREE_ERR_ARGUMENT if a column has another type, or if zstd is requested and the library was built
 * without it; HISTREE_ERR_IO with the stream's sentence if the stream fails.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_export_parquet(struct ArrowArrayStream *stream, const char *path,
		       const struct histree_parquet_options *options, struct histree_error *error);

/* The length of the slices of a folder; in UTC. */
enum histree_partition_slice {
	HISTREE_SLICE_HOUR, /* hour=2026-11-23T16 */
	HISTREE_SLICE_DAY,  /* day=2026-11-23 */
	HISTREE_SLICE_MINUTE,
	HISTREE_SLICE_SECOND,
};

/* A zero selects the default. */
struct histree_partition_options {
	const char *analysis; /* the analysis that made the rows; must be given */
	enum histree_partition_slice slice;
	bool replace; /* replace what the folder has of the analysis */
	/*
	 * The options of each file.  The descriptor is not used; progress is reported for each batch; at most 2
	 * Mi rows are in memory in total.
	 */
	struct histree_parquet_options file;
};

/*
 * Write Parquet files into a folder, by analysis and slice of time named as Hive does, so that Spark, Trino,
 * DuckDB and ClickHouse read them as columns: FOLDER/analysis=kernel/hour=2026-11-23T16/part-0.parquet.  The
 * stream must have a column `start`, or `time`, of timestamps in ns.  A row is in the slice in which it starts
 * and in no other, so that no sum counts it twice.  To get the states of a slice that began before it, read
 * earlier slices too; the bounds of `end` let a reader skip the rows that end before the slice.
 *
 * The folder is made if it is missing; FOLDER/analysis=NAME appears when it is complete.  Returns
 * HISTREE_ERR_EXISTS if FOLDER/analysis=NAME exists and `replace` is not set, and otherwise the errors of
 * histree_export_parquet().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_export_partitions(struct ArrowArrayStream *stream, const char *folder,
			  const struct histree_partition_options *options, struct histree_error *error);

/* Returns true if this library was built with zstd. */
HISTREE_API bool histree_export_has_zstd(void);

/* ---- Arrow IPC ------------------------------------------------------------------------------------------ */

/* A zero selects the default. */
struct histree_ipc_options {
	bool is_stream; /* Arrow's stream format, which is read from front to back; default its file format */
	/* Compress the buffers of each batch by zstd; readers then copy what they would otherwise map */
	bool is_compressed;
	int level;                /* of zstd, 1 to 19; default 1 */
	int descriptor;           /* written to if the path is NULL; may be a pipe; the caller owns it */
	struct histree_work work; /* called at each batch */
	struct histree_export_counts *counts; /* filled at the end, row groups being batches; may be NULL */
};

/*
 * Write Arrow IPC, or write it to the descriptor of the options if `path` is NULL.  Columns may be bool, integers
 * of 8 to 64 bits, float32, float64, utf8, dictionaries of utf8, and timestamps; all may be null.  `options` may
 * be NULL.  Memory: one batch beside that of the stream, and one more if compressed.
 *
 * Returns HISTREE_ERR_ARGUMENT if a column has another type, if compression is requested and the library was
 * built without zstd, or if a dictionary changes rather than grows, which a file cannot express; HISTREE_ERR_IO
 * with the stream's sentence if the stream fails.
 *
 * Source: "Arrow Columnar Format", IPC, version 1.5; Schema.fbs, Message.fbs, File.fbs.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_export_arrow(struct ArrowArrayStream *stream,
									const char *path,
									const struct histree_ipc_options *options,
									struct histree_error *error);

/* ---- comma-separated values ------------------------------------------------------------------------------- */

/* A zero selects the default. */
struct histree_csv_options {
	/*
	 * Dictionaries only grow, as those of histree's streams do, so they need not be compared with those of
	 * the batch before, which takes time proportional to their length.
	 */
	bool dictionaries_grow;
	int descriptor;           /* written to if the path is NULL; may be a pipe; the caller owns it */
	struct histree_work work; /* called at each batch */
	struct histree_export_counts *counts; /* filled at the end, row groups being batches; may be NULL */
};

/*
 * Write comma-separated values, or write them to the descriptor of the options if `path` is NULL: a header line,
 * then a line for each row, which ends with CR LF.  A null is an empty cell and an empty text is `""`; a
 * timestamp is an integer in its unit; a bool is true or false.  Columns may be bool, integers of 8 to 64 bits,
 * float32, float64, utf8, dictionaries of utf8, and timestamps.  `options` may be NULL.
 *
 * Returns HISTREE_ERR_ARGUMENT if a column has another type, and HISTREE_ERR_IO with the stream's sentence if the
 * stream fails.
 *
 * Source: RFC 4180.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_export_csv(struct ArrowArrayStream *stream,
								      const char *path,
								      const struct histree_csv_options *options,
								      struct histree_error *error);

/* ---- SQLite ----------------------------------------------------------------------------------------------- */

struct histree_sqlite_table {
	const char *name;
	struct ArrowArrayStream *stream; /* released, whatever happens */
	const char *primary_key;         /* an integer column; NULL: no primary key */
	const char *const *indexes;      /* lists of columns, such as "quark, start"; NULL ends them; may be NULL */
};

/* A zero selects the default. */
struct histree_sqlite_options {
	/* The rows of a table `info`; without notes there is no such table */
	const struct histree_export_note *notes;
	size_t note_count;
	const char *const *views;             /* the text after CREATE VIEW; NULL ends them; may be NULL */
	struct histree_work work;             /* called at each batch, and while indexes are made */
	struct histree_export_counts *counts; /* filled at the end, row groups being batches; may be NULL */
};

/*
 * Write a database of ordinary tables, which any SQLite reads.  Columns may have the types that CSV allows; if a
 * table has all of the columns value, real and text, they become one column `value`, as each cell of SQLite has
 * its own type.  Numbers above INT64_MAX become negative.  Indexes are made when a table is full, with temporary
 * files where SQLite puts them.
 *
 * Returns the errors of histree_export_csv(), and HISTREE_ERR_IO if the library was built without SQLite.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_export_sqlite(const struct histree_sqlite_table *tables, size_t count, const char *path,
		      const struct histree_sqlite_options *options, struct histree_error *error);

/* Returns true if this library was built with SQLite. */
HISTREE_API bool histree_export_has_sqlite(void);

/* ---- viewers of traces ------------------------------------------------------------------------------------- */

enum histree_viewer_format {
	HISTREE_VIEWER_CHROME,   /* Trace Event Format: JSON, times in microseconds after `origin` */
	HISTREE_VIEWER_PERFETTO, /* protocol buffers, times in ns since 1970, none before that */
};

/*
 * What to show: the states of a history, the segments of a store, or events; the one that is not NULL.
 *
 * In a history of a kernel, each thread is a track of its process, with its system calls as spans and its
 * statuses inside of them; each CPU has tracks for its status, its thread and its interrupts, and a counter for
 * its frequency.  In a history of tracks or call stacks, each stack is a track, and each counter a counter.
 * Other attributes are tracks of their own, on which numbers of type long and double are counters.  States have
 * the names of their labels where they have labels; null makes no span.  Spans are cut at the ends of the range.
 */
struct histree_viewer_request {
	enum histree_viewer_format format;
	histree_time from, to; /* both inclusive; for a history, inside it */
	histree_time origin;   /* time 0 of a format that counts from an origin */
	const char *title;     /* title within the file; NULL: the name of the analysis */

	struct histree_history *history;
	/* Only these attributes, ascending and distinct; NULL: those that the views of the analysis show. */
	const histree_quark *quarks;
	size_t quark_count;
	struct histree_segment_store *wakeups; /* arrows: of the analysis `wakeups`; may be NULL */
	struct histree_segment_store *flows;   /* arrows: of the analysis `track-flows`; may be NULL */
	/*
	 * A history that says which names and processes the threads of segments and events have, and which thread
	 * ran; it is not exported itself.  May be NULL.
	 */
	struct histree_history *names;

	struct histree_segment_store *segments;
	/* Only its window and filter are used.  NULL: everything in the range. */
	const struct histree_segment_query *query;

	const struct histree_events *events;
	/*
	 * Only events that pass this expression (events.h); times are relative to `origin` and `end`.  NULL:
	 * all.
	 */
	const char *where;
	histree_time end;

	int descriptor;           /* written to if the path is NULL; may be a pipe; the caller owns it */
	struct histree_work work; /* called now and then */
	/*
	 * Filled at the end; may be NULL.  Rows are spans, values of counters, instants, and ends of flows;
	 * damaged nodes count each time they are met.
	 */
	struct histree_export_counts *counts;
};

/*
 * Write a file for a viewer, or write it to the descriptor of the request if `path` is NULL.  Memory grows with
 * the number of tracks, not with the length of the trace.
 *
 * Returns HISTREE_NOT_FOUND if the history has no states to show, HISTREE_ERR_ARGUMENT if a time is before 1970
 * and the format cannot express that, HISTREE_ERR_TIME_RANGE, HISTREE_ERR_CANCELLED, HISTREE_ERR_IO, or what a
 * query returns.
 *
 * Source: "Trace Event Format" of the Chromium project; protos/perfetto/trace of Perfetto.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_export_viewer(const struct histree_viewer_request *request, const char *path, struct histree_error *error);

#endif
