/* SPDX-License-Identifier: MIT */
/*
 * export.h - columns as files for other tools.
 *
 * Each function consumes an Arrow stream (arrow.h), whoever made it, and releases it, also when it fails.  A file
 * is written under a temporary name and takes its own when it is whole; until then an older one stays.
 *
 * Threads: a call uses the stream in the thread of the caller.
 */
#ifndef HISTREE_EXPORT_H
#define HISTREE_EXPORT_H

#include "arrow.h"

enum histree_parquet_compression {
	HISTREE_PARQUET_DEFAULT_COMPRESSION, /* zstd if the library was built with it, else none */
	HISTREE_PARQUET_ZSTD,
	HISTREE_PARQUET_UNCOMPRESSED,
};

/* The order of the rows of a row group.  Row groups themselves follow the stream in any case. */
enum histree_parquet_order {
	HISTREE_PARQUET_SMALLEST,     /* the one of the next two that is smaller in the first row group */
	HISTREE_PARQUET_BY_ATTRIBUTE, /* by the columns `quark`, then `start` */
	HISTREE_PARQUET_BY_TIME,      /* by `start`, then `quark` if there is one */
	HISTREE_PARQUET_AS_THEY_COME, /* also taken where the columns of the order wanted are not there */
};

/* What the footer says beside the columns, such as the host that was traced. */
struct histree_export_note {
	const char *key, *value;
};

/* What is written, so far or in all. */
struct histree_export_counts {
	uint64_t rows, row_groups, bytes, files;
	uint64_t damaged_nodes; /* that the stream has met (histree_arrow_damage()) */
};

/* A zero selects the default. */
struct histree_parquet_options {
	uint32_t row_group_rows; /* default 1 Mi, at most 16 Mi; they are all in memory, about 60 bytes each */
	enum histree_parquet_compression compression;
	int level; /* of zstd, 1 to 19; default 1 */
	enum histree_parquet_order order;
	const struct histree_export_note *notes;
	size_t note_count;
	int descriptor;               /* where a path of NULL writes to; may be a pipe; stays the caller's */
	struct histree_cancel cancel; /* asked for each batch */
	/* Called for each row group that is written, with what there is so far. */
	void (*progress)(void *context, const struct histree_export_counts *counts);
	void *progress_context;
	struct histree_export_counts *counts; /* filled at the end; NULL: not wanted */
};

/*
 * Write a Parquet file, or write it to the descriptor of the options if `path` is NULL.  Columns may be bool,
 * integers of 8 to 64 bits, float64, utf8, dictionaries of utf8, and timestamps in ms, us or ns; all may be null.
 * `options` may be NULL.
 *
 * Fails with HISTREE_ERR_ARGUMENT on a column of another type, and on zstd where the library was built without it;
 * with HISTREE_ERR_IO where the stream does, and says what it says.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_export_parquet(struct ArrowArrayStream *stream, const char *path,
		       const struct histree_parquet_options *options, struct histree_error *error);

/* Returns true if this library was built with zstd. */
HISTREE_API bool histree_export_has_zstd(void);

/* ---- Arrow IPC ------------------------------------------------------------------------------------------ */

/* A zero selects the default. */
struct histree_ipc_options {
	bool is_stream; /* Arrow's stream format, which readers take from front to back; default its file format */
	bool is_compressed; /* the buffers of each batch, by zstd; readers then copy what they else would map */
	int level;          /* of zstd, 1 to 19; default 1 */
	int descriptor;     /* where a path of NULL writes to; may be a pipe; stays the caller's */
	struct histree_cancel cancel; /* asked for each batch */
	/* Called for each batch that is written, with what there is so far. */
	void (*progress)(void *context, const struct histree_export_counts *counts);
	void *progress_context;
	struct histree_export_counts *counts; /* filled at the end, row groups being batches; NULL: not wanted */
};

/*
 * Write Arrow IPC, or write it to the descriptor of the options if `path` is NULL.  Columns may be bool, integers
 * of 8 to 64 bits, float32, float64, utf8, dictionaries of utf8, and timestamps; all may be null.  `options` may
 * be NULL. Memory: one batch beside that of the stream, and compressed one more.
 *
 * Fails with HISTREE_ERR_ARGUMENT on a column of another type, on compression where the library was built without
 * zstd, and where a dictionary changes rather than grows, which a file cannot have; with HISTREE_ERR_IO where the
 * stream does, and says what it says.
 *
 * Source: "Arrow Columnar Format", IPC, version 1.5; Schema.fbs, Message.fbs, File.fbs.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_export_arrow(struct ArrowArrayStream *stream,
									const char *path,
									const struct histree_ipc_options *options,
									struct histree_error *error);

#endif
