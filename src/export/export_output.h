/* SPDX-License-Identifier: MIT */
/*
 * export_output.h - the destination of an exported file, written from front to back; a buffer in front of it; and
 * an Arrow stream whose errors are messages.
 *
 * A file is written under a temporary name, its own with ".part" appended, and takes its name when it is complete:
 * an older file stays until then.  A descriptor of the caller, or a path that is not a file, such as a pipe, is
 * written directly.
 *
 * Writing to the buffer never fails at the call: bytes after the first failure are dropped, and `status` has the
 * failure.
 */
#ifndef EXPORT_EXPORT_OUTPUT_H
#define EXPORT_EXPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/io.h"
#include "base/number_text.h"
#include "histree/export.h"

/* The caller releases the schema. */
enum histree_status export_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema,
					 struct histree_error *error);

/* Returns HISTREE_END when there is no further batch.  The caller releases the batch. */
enum histree_status export_stream_next(struct ArrowArrayStream *stream, const struct histree_work *work,
				       struct ArrowArray *batch, struct histree_error *error);

struct export_output {
	const struct io *io;    /* of files; a descriptor of the caller's is written with write(2) */
	char *path, *temporary; /* NULL: a descriptor of the caller's */
	int file;
	bool is_own;   /* a device or a pipe that was opened here */
	uint64_t size; /* bytes written so far */
};

/* Make the file, under its temporary name. */
enum histree_status export_output_open(struct export_output *output, const struct io *io, const char *path,
				       struct histree_error *error);

/* Write to a descriptor that stays the caller's. */
void export_output_use(struct export_output *output, int descriptor);
enum histree_status export_output_write(struct export_output *output, const void *bytes, size_t size,
					struct histree_error *error);

/*
 * What is written is all: bring it to disk and give the file its name.  Also ends what has failed or is not wanted:
 * with `status` other than HISTREE_OK the temporary file goes.  Returns `status`, or what failed here.
 */
enum histree_status export_output_finish(struct export_output *output, enum histree_status status,
					 struct histree_error *error);

enum { EXPORT_BUFFER_SIZE = 256 * 1024 };

struct export_buffer {
	struct export_output *file;  /* borrowed */
	enum histree_status status;  /* of the first write that failed */
	struct histree_error *error; /* borrowed: what it said */
	size_t used;
	char bytes[EXPORT_BUFFER_SIZE];
};

/* Returns a buffer in front of a file, or NULL if memory runs out; the caller frees it. */
struct export_buffer *export_buffer_create(struct export_output *file, struct histree_error *error);

/* Hand on what is there.  Returns `status`. */
enum histree_status export_buffer_flush(struct export_buffer *output);

/* Returns room for `size` bytes, at most EXPORT_BUFFER_SIZE.  The caller adds to `used` what it took. */
static inline char *export_room(struct export_buffer *output, size_t size)
{
	if (EXPORT_BUFFER_SIZE - output->used < size)
		export_buffer_flush(output);
	return output->bytes + output->used;
}

void export_long_bytes(struct export_buffer *output, const char *bytes, size_t size);

static inline void export_bytes(struct export_buffer *output, const char *bytes, size_t size)
{
	if (size > EXPORT_BUFFER_SIZE) {
		export_long_bytes(output, bytes, size);
		return;
	}
	char *room = export_room(output, size);
	if (size > 0)
		memcpy(room, bytes, size);
	output->used += size;
}

static inline void export_char(struct export_buffer *output, char c)
{
	*export_room(output, 1) = c;
	output->used++;
}

static inline void export_text(struct export_buffer *output, const char *text)
{
	export_bytes(output, text, strlen(text));
}

static inline void export_signed(struct export_buffer *output, int64_t number)
{
	char *room = export_room(output, NUMBER_TEXT_SIZE);
	output->used += number_format_signed(number, room);
}

static inline void export_unsigned(struct export_buffer *output, uint64_t number)
{
	char *room = export_room(output, NUMBER_TEXT_SIZE);
	output->used += number_format_unsigned(number, room);
}

/* Tell the caller what has been written so far; how many rows there will be is not known. */
static inline void export_tell(const struct histree_work *work, const struct histree_export_counts *counts)
{
	const struct histree_progress now = { .share = -1, .rows = counts->rows, .bytes = counts->bytes };
	if (work->progress != NULL)
		work->progress(work->context, &now);
}

/* ---- the functions of histree/export.h, with a table of file calls; csv into an output that stays open ------- */

enum histree_status csv_export(struct ArrowArrayStream *stream, struct export_output *output,
			       const struct histree_csv_options *options, struct histree_error *error);
enum histree_status ipc_export(const struct io *io, struct ArrowArrayStream *stream, const char *path,
			       const struct histree_ipc_options *options, struct histree_error *error);
enum histree_status parquet_export(struct ArrowArrayStream *stream, const struct io *io, const char *path,
				   const struct histree_parquet_options *options, struct histree_error *error);
enum histree_status parquet_export_partitions(struct ArrowArrayStream *stream, const struct io *io,
					      const char *folder, const struct histree_partition_options *options,
					      struct histree_error *error);
enum histree_status viewer_export(const struct histree_viewer_request *request, const struct io *io,
				  const char *path, struct histree_error *error);

#endif
