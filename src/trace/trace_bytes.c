// SPDX-License-Identifier: MIT
/*
 * trace_bytes.c - the bytes of a file from front to back through a window, unpacked if the file is gzip.
 */
#include "trace/trace_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/status.h"

enum { TRACE_BYTES_PIECE = 256 << 10 };

/* ---- trace gunzip -------------------------------------------------------------------------------------------- */

/* RFC 1952: a window of 2^15 bytes; 32 more make zlib look for a header, of gzip or its own (RFC 1950). */
enum { GZIP_WINDOW = 15 + 32, TRACE_GUNZIP_PIECE_MAX = 1 << 30 };

struct trace_gunzip {
	z_stream stream;
	bool is_between; /* two members: the next byte begins one, or what is no content */
	bool has_ended;
	struct unpack_limit limit;
};

bool trace_gunzip_is_there(void)
{
	return true;
}

enum histree_status trace_gunzip_create(struct trace_gunzip **out, struct histree_error *error)
{
	struct trace_gunzip *gunzip = calloc(1, sizeof(*gunzip));
	*out = NULL;
	if (gunzip == NULL || inflateInit2(&gunzip->stream, GZIP_WINDOW) != Z_OK) {
		free(gunzip);
		return error_memory(error, "unpacking");
	}
	*out = gunzip;
	return HISTREE_OK;
}

/* What follows a member is another one, or no content: padding, as tar(1) and tapes leave it. */
static bool begin_member(struct trace_gunzip *gunzip, const uint8_t *bytes, size_t size)
{
	if (!gunzip->is_between)
		return true;
	gunzip->has_ended = size > 0 && bytes[0] != 0x1f;
	gunzip->is_between = gunzip->has_ended || inflateReset(&gunzip->stream) != Z_OK;
	return !gunzip->is_between;
}

size_t trace_gunzip(struct trace_gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		    size_t room_size)
{
	z_stream *stream = &gunzip->stream;
	*used = 0;
	if (gunzip->limit.is_over)
		return SIZE_MAX;
	if (size == 0 || gunzip->has_ended || !begin_member(gunzip, bytes, size))
		return 0;
	union {
		const uint8_t *constant;
		uint8_t *plain;
	} from = { .constant = bytes };
	stream->next_in = from.plain; /* which zlib only reads */
	stream->avail_in = (uInt)(size < TRACE_GUNZIP_PIECE_MAX ? size : TRACE_GUNZIP_PIECE_MAX);
	stream->next_out = room;
	stream->avail_out = (uInt)(room_size < TRACE_GUNZIP_PIECE_MAX ? room_size : TRACE_GUNZIP_PIECE_MAX);
	int result = inflate(stream, Z_NO_FLUSH);
	*used = (size_t)(stream->next_in - from.plain);
	size_t got = (size_t)(stream->next_out - room);
	if (!unpack_limit_count(&gunzip->limit, *used, got)) {
		gunzip->is_between = false;
		return SIZE_MAX;
	}
	gunzip->is_between = result == Z_STREAM_END;
	bool is_damaged = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
	return is_damaged && got == 0 ? SIZE_MAX : got;
}

bool trace_gunzip_is_whole(const struct trace_gunzip *gunzip)
{
	return gunzip->is_between;
}

bool trace_gunzip_is_over(const struct trace_gunzip *gunzip)
{
	return gunzip->limit.is_over;
}

void trace_gunzip_free(struct trace_gunzip *gunzip)
{
	if (gunzip != NULL)
		inflateEnd(&gunzip->stream);
	free(gunzip);
}

/* ---- trace bytes --------------------------------------------------------------------------------------------- */

/* Of a window that has grown, so much is filled at a time: what it has in files goes from memory in between. */
enum { TRACE_BYTES_PIECE_MAX = 4 * TRACE_BYTES_PIECE };

/* Returns HISTREE_END at the end of the file. */
static enum histree_status read_piece(struct trace_bytes *bytes, uint8_t *room, size_t size, size_t *got,
				      struct histree_error *error)
{
	ssize_t count;
	do
		count = bytes->io->pread(bytes->io->context, bytes->file, room, size, (off_t)bytes->packed_offset);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		return error_set(error, HISTREE_ERR_IO, "cannot read: %s", strerror(errno));
	*got = (size_t)count;
	bytes->packed_offset += (uint64_t)count;
	return count > 0 ? HISTREE_OK : HISTREE_END;
}

static bool is_gzip(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* The first piece of the file says whether it is packed. */
static enum histree_status look(struct trace_bytes *bytes, struct histree_error *error)
{
	uint8_t first[2];
	size_t got = 0;
	enum histree_status status = read_piece(bytes, first, sizeof(first), &got, error);
	bytes->packed_offset = 0;
	if (status < 0 || !is_gzip(first, got))
		return status < 0 ? status : HISTREE_OK;
	status = trace_gunzip_create(&bytes->gunzip, error);
	bytes->packed = status == HISTREE_OK ? malloc(TRACE_BYTES_PIECE) : NULL;
	return status == HISTREE_OK && bytes->packed == NULL ? error_memory(error, "a piece of a file") : status;
}

enum histree_status trace_bytes_open(struct trace_bytes *bytes, const struct io *io, const char *path,
				     struct histree_error *error)
{
	off_t size = 0;
	*bytes = (struct trace_bytes){ .io = io };
	bytes->file = io->open(io->context, path, O_RDONLY | O_CLOEXEC, 0);
	if (bytes->file < 0)
		return error_set(error, HISTREE_ERR_IO, "cannot open: %s", strerror(errno));
	bytes->is_open = true;
	if (io->size(io->context, bytes->file, &size) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot ask for its size: %s", strerror(errno));
	bytes->size = (uint64_t)size;
	return look(bytes, error);
}

void trace_bytes_close(struct trace_bytes *bytes)
{
	if (bytes->is_open)
		bytes->io->close(bytes->io->context, bytes->file);
	trace_gunzip_free(bytes->gunzip);
	free(bytes->packed);
	table_release(&bytes->table, bytes->window);
	*bytes = (struct trace_bytes){ 0 };
}

/* Returns HISTREE_END where the content ends; bytes may come none, of a packed piece that says little. */
static enum histree_status unpack(struct trace_bytes *bytes, uint8_t *room, size_t size, size_t *got,
				  struct histree_error *error)
{
	*got = 0;
	if (bytes->packed_at == bytes->packed_end) {
		size_t piece = 0;
		enum histree_status status = read_piece(bytes, bytes->packed, TRACE_BYTES_PIECE, &piece, error);
		bytes->is_cut = status == HISTREE_END && !trace_gunzip_is_whole(bytes->gunzip);
		if (status != HISTREE_OK)
			return status;
		bytes->packed_at = 0;
		bytes->packed_end = piece;
	}
	size_t used;
	*got = trace_gunzip(bytes->gunzip, bytes->packed + bytes->packed_at, bytes->packed_end - bytes->packed_at,
			    &used, room, size);
	bytes->packed_at += used;
	bytes->taken = bytes->packed_offset - (bytes->packed_end - bytes->packed_at);
	bytes->is_cut = *got == SIZE_MAX;
	if (*got == SIZE_MAX)
		*got = 0;
	return bytes->is_cut || (*got == 0 && used == 0) ? HISTREE_END : HISTREE_OK;
}

/* Move what is not used to the front, and have room for a piece behind it. */
static enum histree_status make_room(struct trace_bytes *bytes, size_t *left, struct histree_error *error)
{
	*left = (size_t)(bytes->end - bytes->at);
	if (*left > 0 && bytes->at > bytes->window)
		memmove(bytes->window, bytes->at, *left);
	bool has_room = table_reserve(&bytes->table, &bytes->window, &bytes->capacity, *left + TRACE_BYTES_PIECE);
	bytes->at = bytes->window;
	bytes->end = bytes->window + *left;
	return has_room ? HISTREE_OK : error_memory(error, "a window of a file");
}

enum histree_status trace_bytes_more(struct trace_bytes *bytes, struct histree_error *error)
{
	size_t left, got = 0;
	if (bytes->is_at_end)
		return HISTREE_END;
	enum histree_status status = make_room(bytes, &left, error);
	const size_t free_room = bytes->capacity - left,
		     room = free_room < TRACE_BYTES_PIECE_MAX ? free_room : TRACE_BYTES_PIECE_MAX;
	table_space_look(bytes->table.space);
	while (status == HISTREE_OK && got == 0)
		status = bytes->gunzip != NULL ? unpack(bytes, bytes->window + left, room, &got, error)
					       : read_piece(bytes, bytes->window + left, room, &got, error);
	if (bytes->gunzip == NULL)
		bytes->taken = bytes->packed_offset;
	bytes->is_at_end = status == HISTREE_END;
	bytes->end += got;
	bytes->offset += got;
	return status;
}
