// SPDX-License-Identifier: MIT
/*
 * export_output.c - the file or descriptor that an export writes to, from front to back; a file gets its name when
 * it is complete.
 */
#include "export/export_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/io.h"
#include "base/number_text.h"
#include "histree/columns.h"

/* ---- export buffer ------------------------------------------------------------------------------------------- */

struct export_buffer *export_buffer_create(struct export_output *file, struct histree_error *error)
{
	struct export_buffer *output = malloc(sizeof(*output));
	if (output == NULL)
		return NULL;
	output->file = file;
	output->status = HISTREE_OK;
	output->error = error;
	output->used = 0;
	return output;
}

enum histree_status export_buffer_flush(struct export_buffer *output)
{
	if (output->used > 0 && output->status == HISTREE_OK)
		output->status = export_output_write(output->file, output->bytes, output->used, output->error);
	output->used = 0;
	return output->status;
}

void export_long_bytes(struct export_buffer *output, const char *bytes, size_t size)
{
	if (export_buffer_flush(output) == HISTREE_OK)
		output->status = export_output_write(output->file, bytes, size, output->error);
}

/* ---- export stream ------------------------------------------------------------------------------------------- */

static enum histree_status failed(struct ArrowArrayStream *stream, int number, struct histree_error *error)
{
	const char *sentence = stream->get_last_error(stream);
	enum histree_status status = number == ENOMEM      ? HISTREE_ERR_MEMORY
				     : number == EINVAL    ? HISTREE_ERR_ARGUMENT
				     : number == ECANCELED ? HISTREE_ERR_CANCELLED
							   : HISTREE_ERR_IO;
	return error_set(error, status, "%s", sentence != NULL ? sentence : strerror(number));
}

enum histree_status export_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema,
					 struct histree_error *error)
{
	int number = stream->get_schema(stream, schema);
	return number == 0 ? HISTREE_OK : failed(stream, number, error);
}

enum histree_status export_stream_next(struct ArrowArrayStream *stream, const struct histree_work *work,
				       struct ArrowArray *batch, struct histree_error *error)
{
	if (cancel_asked(work))
		return error_set(error, HISTREE_ERR_CANCELLED, "the file is no longer wanted");
	int number = stream->get_next(stream, batch);
	if (number != 0)
		return failed(stream, number, error);
	return batch->release != NULL ? HISTREE_OK : HISTREE_END;
}

/* ---- export output ------------------------------------------------------------------------------------------- */

enum histree_status export_output_open(struct export_output *output, const struct io *io, const char *path,
				       struct histree_error *error)
{
	*output = (struct export_output){ .io = io, .file = -1 };
	bool is_stream = false;
	output->path = io == &io_posix ? io_destination(path, &is_stream) : strdup(path);
	if (output->path != NULL && is_stream) {
		free(output->path);
		*output = (struct export_output){ .file = open(path, O_WRONLY | O_CLOEXEC), .is_own = true };
		return output->file >= 0
			       ? HISTREE_OK
			       : error_set(error, HISTREE_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	}
	if (output->path == NULL || asprintf(&output->temporary, "%s.part", output->path) < 0) {
		output->temporary = NULL;
		export_output_finish(output, HISTREE_ERR_MEMORY, NULL);
		return error_memory(error, "a path");
	}
	output->file = io->open(io->context, output->temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (output->file >= 0)
		return HISTREE_OK;
	error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", output->temporary, strerror(errno));
	return export_output_finish(output, HISTREE_ERR_IO, NULL);
}

void export_output_use(struct export_output *output, int descriptor)
{
	*output = (struct export_output){ .file = descriptor };
}

/* A pipe that is full and does not wait is waited for. */
static enum histree_status write_stream(int file, const char *bytes, size_t size, struct histree_error *error)
{
	while (size > 0) {
		ssize_t done = write(file, bytes, size);
		if (done < 0 && errno == EAGAIN) {
			struct pollfd wanted = { .fd = file, .events = POLLOUT };
			if (poll(&wanted, 1, -1) >= 0 || errno == EINTR)
				continue;
		}
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return error_set(error, HISTREE_ERR_IO, "cannot write: %s",
					 done < 0 ? strerror(errno) : "the system takes no more bytes");
		bytes += done;
		size -= (size_t)done;
	}
	return HISTREE_OK;
}

enum histree_status export_output_write(struct export_output *output, const void *bytes, size_t size,
					struct histree_error *error)
{
	enum histree_status status;
	if (output->path == NULL) {
		status = write_stream(output->file, bytes, size, error);
	} else {
		status = io_write_all(output->io, output->file, bytes, size, output->size, error);
		if (status != HISTREE_OK)
			error_prefix(error, "'%s'", output->path);
	}
	if (status == HISTREE_OK)
		output->size += size;
	return status;
}

enum histree_status export_output_finish(struct export_output *output, enum histree_status status,
					 struct histree_error *error)
{
	const struct io *io = output->io;
	if (output->path == NULL && output->temporary == NULL) {
		if (output->is_own && output->file >= 0 && close(output->file) != 0 && status == HISTREE_OK)
			status = error_set(error, HISTREE_ERR_IO, "cannot write: %s", strerror(errno));
		*output = (struct export_output){ .file = -1 };
		return status;
	}
	if (output->file >= 0) {
		if (status == HISTREE_OK && (status = io_sync(io, output->file, error)) != HISTREE_OK)
			error_prefix(error, "'%s'", output->path);
		if (io->close(io->context, output->file) != 0 && status == HISTREE_OK)
			status = error_set(error, HISTREE_ERR_IO, "cannot close '%s': %s", output->path,
					   strerror(errno));
		if (status == HISTREE_OK && io->rename(io->context, output->temporary, output->path) != 0)
			status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s' to '%s': %s",
					   output->temporary, output->path, strerror(errno));
		if (status != HISTREE_OK)
			io->unlink(io->context, output->temporary);
		else
			status = io_sync_folder_of(io, output->path, error);
	}
	free(output->path);
	free(output->temporary);
	*output = (struct export_output){ .file = -1 };
	return status;
}
