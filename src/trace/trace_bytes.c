// SPDX-License-Identifier: MIT
/*
 * trace_bytes.c - the bytes of a stream file: from front to back, unpacked if it is gzip, or through one buffer
 * that moves with the reader.
 *
 * The bytes of a file from front to back through a window, unpacked if the file is gzip.
 *
 * The part of a stream file that is in memory: one buffer, which moves with the reader.
 */
#include "trace/trace_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "base/zlib.h"
#include "histree/status.h"

enum { TRACE_BYTES_PIECE = 256 << 10 };

/* Where what is packed begins and ends in a file, what was read behind it is read again: a little at first. */
enum { PIECE_MIN = 4 << 10 };

/* ---- trace bytes --------------------------------------------------------------------------------------------- */

/* A window that has grown is filled so much at a time: between the steps, tables in files may leave memory. */
enum { PIECE_MAX = 4 * TRACE_BYTES_PIECE };

/* Returns HISTREE_END at the end of the file. */
static enum histree_status read_piece(struct trace_bytes *bytes, uint8_t *room, size_t size, size_t *got,
				      struct histree_error *error)
{
	ssize_t count;
	if (bytes->piece_limit > 0) {
		size = size < bytes->piece_limit ? size : bytes->piece_limit;
		bytes->piece_limit = bytes->piece_limit < TRACE_BYTES_PIECE ? 2 * bytes->piece_limit : 0;
	}
	do
		count = bytes->io->pread(bytes->io->context, bytes->file, room, size, (off_t)bytes->packed_offset);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		return error_set(error, HISTREE_ERR_IO, "cannot read: %s", strerror(errno));
	*got = (size_t)count;
	bytes->packed_offset += (uint64_t)count;
	return count > 0 ? HISTREE_OK : HISTREE_END;
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
	/* The first piece of the file says whether it is packed. */
	uint8_t first[2];
	size_t got = 0;
	enum histree_status status = read_piece(bytes, first, sizeof(first), &got, error);
	bytes->packed_offset = 0;
	if (status < 0 || !(got >= 2 && first[0] == 0x1f && first[1] == 0x8b))
		return status < 0 ? status : HISTREE_OK;
	status = gunzip_create(&bytes->gunzip, error);
	bytes->packed = status == HISTREE_OK ? malloc(TRACE_BYTES_PIECE) : NULL;
	return status == HISTREE_OK && bytes->packed == NULL ? error_memory(error, "a piece of a file") : status;
}

void trace_bytes_close(struct trace_bytes *bytes)
{
	if (bytes->is_open)
		bytes->io->close(bytes->io->context, bytes->file);
	gunzip_free(bytes->gunzip);
	free(bytes->packed);
	table_release(&bytes->table, bytes->window);
	*bytes = (struct trace_bytes){ 0 };
}

/* What has not been used of it comes again, or does not belong to the content. */
static void drop_window(struct trace_bytes *bytes)
{
	bytes->offset -= (uint64_t)(bytes->end - bytes->at);
	bytes->at = bytes->end = bytes->window;
}

enum histree_status trace_bytes_enter_base64(struct trace_bytes *bytes, struct histree_error *error)
{
	bytes->packed_offset -= (uint64_t)(bytes->end - bytes->at);
	drop_window(bytes);
	bytes->is_base64 = true;
	bytes->has_base64_end = bytes->is_at_end = bytes->is_cut = false;
	bytes->base64_bits = bytes->base64_count = 0;
	bytes->packed_at = bytes->packed_end = 0;
	bytes->piece_limit = PIECE_MIN;
	enum histree_status status = gunzip_create(&bytes->gunzip, error);
	if (status == HISTREE_OK && bytes->packed == NULL)
		bytes->packed = malloc(TRACE_BYTES_PIECE);
	return status == HISTREE_OK && bytes->packed == NULL ? error_memory(error, "a piece of a file") : status;
}

void trace_bytes_leave_base64(struct trace_bytes *bytes)
{
	gunzip_free(bytes->gunzip);
	bytes->gunzip = NULL;
	bytes->is_base64 = bytes->is_at_end = bytes->is_cut = false;
	bytes->packed_offset = bytes->has_base64_end ? bytes->base64_end : bytes->base64_at;
	bytes->piece_limit = PIECE_MIN;
	drop_window(bytes);
}

/* Make bytes of a piece of base64, in its place. */
static size_t decode_base64(struct trace_bytes *bytes, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t count = 0;
	for (size_t i = 0; i < size; i++) {
		const uint8_t byte = bytes->packed[i];
		if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n')
			continue;
		const char *letter = byte != '\0' ? strchr(letters, byte) : NULL;
		if (letter == NULL) {
			bytes->has_base64_end = true;
			bytes->base64_end = bytes->base64_at + i;
			break;
		}
		bytes->base64_bits = bytes->base64_bits << 6 | (uint32_t)(letter - letters);
		bytes->base64_count += 6;
		if (bytes->base64_count < 8)
			continue;
		bytes->base64_count -= 8;
		bytes->packed[count++] = (uint8_t)(bytes->base64_bits >> bytes->base64_count);
	}
	return count;
}

/* The next piece of what is packed.  Returns HISTREE_END at its end. */
static enum histree_status read_packed(struct trace_bytes *bytes, size_t *piece, struct histree_error *error)
{
	*piece = 0;
	if (!bytes->is_base64)
		return read_piece(bytes, bytes->packed, TRACE_BYTES_PIECE, piece, error);
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && *piece == 0 && !bytes->has_base64_end) {
		size_t read = 0;
		bytes->base64_at = bytes->packed_offset;
		status = read_piece(bytes, bytes->packed, TRACE_BYTES_PIECE, &read, error);
		*piece = decode_base64(bytes, read);
	}
	return status != HISTREE_OK ? status : *piece > 0 ? HISTREE_OK : HISTREE_END;
}

/* Returns HISTREE_END where the content ends; bytes may come none, of a packed piece that says little. */
static enum histree_status unpack(struct trace_bytes *bytes, uint8_t *room, size_t size, size_t *got,
				  struct histree_error *error)
{
	*got = 0;
	if (bytes->packed_at == bytes->packed_end) {
		size_t piece = 0;
		enum histree_status status = read_packed(bytes, &piece, error);
		bytes->is_cut = status == HISTREE_END && !gunzip_is_whole(bytes->gunzip);
		if (status != HISTREE_OK)
			return status;
		bytes->packed_at = 0;
		bytes->packed_end = piece;
	}
	size_t used;
	*got = gunzip_read(bytes->gunzip, bytes->packed + bytes->packed_at, bytes->packed_end - bytes->packed_at,
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
	const size_t free_room = bytes->capacity - left, room = free_room < PIECE_MAX ? free_room : PIECE_MAX;
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

/* ---- trace window -------------------------------------------------------------------------------------------- */

void trace_window_init(struct trace_window *window, const struct io *io, const char *path, bool stays_open)
{
	*window = (struct trace_window){ .io = io, .path = path, .stays_open = stays_open };
}

static void close_file(struct trace_window *window)
{
	if (window->is_open)
		window->io->close(window->io->context, window->file);
	window->is_open = false;
}

void trace_window_release(struct trace_window *window)
{
	close_file(window);
	free(window->bytes);
	*window = (struct trace_window){ 0 };
}

static enum histree_status open_file(struct trace_window *window, struct histree_error *error)
{
	if (window->is_open || window->source != NULL)
		return HISTREE_OK;
	window->file = window->io->open(window->io->context, window->path, O_RDONLY, 0);
	window->is_open = window->file >= 0;
	return window->is_open ? HISTREE_OK : error_set(error, HISTREE_ERR_IO, "cannot open: %s", strerror(errno));
}

static enum histree_status fill_from_source(struct trace_window *window, size_t size, struct histree_error *error)
{
	const struct trace_window_source *source = window->source;
	uint64_t at = window->offset + window->count, left = source->end > at ? source->end - at : 0;
	size_t wanted = size - window->count < left ? size - window->count : (size_t)left;
	enum histree_status status = HISTREE_OK;
	if (wanted > 0)
		status = source->read(source->context, at, window->bytes + window->count, wanted, error);
	if (status == HISTREE_OK)
		window->count += wanted;
	return status;
}

enum histree_status trace_window_size(struct trace_window *window, uint64_t *out, struct histree_error *error)
{
	off_t size;
	enum histree_status status = open_file(window, error);
	if (status == HISTREE_OK && window->io->size(window->io->context, window->file, &size) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot read: %s", strerror(errno));
	*out = status == HISTREE_OK ? (uint64_t)size : 0;
	if (!window->stays_open)
		close_file(window);
	return status;
}

/* Read on behind what is there, until there are `size` bytes in all or the file ends. */
static enum histree_status trace_window_fill(struct trace_window *window, size_t size, struct histree_error *error)
{
	while (window->count < size) {
		ssize_t got = window->io->pread(window->io->context, window->file, window->bytes + window->count,
						size - window->count, (off_t)(window->offset + window->count));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(error, HISTREE_ERR_IO, "cannot read: %s", strerror(errno));
		if (got == 0)
			break;
		window->count += (size_t)got;
	}
	return HISTREE_OK;
}

enum histree_status trace_window_move(struct trace_window *window, uint64_t offset, size_t size,
				      struct histree_error *error)
{
	bool overlaps = offset >= window->offset && offset - window->offset < window->count;
	size_t kept = overlaps ? window->count - (size_t)(offset - window->offset) : 0;
	if (kept > size)
		kept = size;
	if (size > window->capacity) {
		uint8_t *larger = realloc(window->bytes, size);
		if (larger == NULL)
			return error_memory(error, "a part of a stream");
		window->bytes = larger;
		window->capacity = size;
	}
	if (kept > 0)
		memmove(window->bytes, window->bytes + (offset - window->offset), kept);
	window->offset = offset;
	window->count = kept;
	if (kept == size)
		return HISTREE_OK;
	enum histree_status status = open_file(window, error);
	if (status == HISTREE_OK)
		status = window->source != NULL ? fill_from_source(window, size, error)
						: trace_window_fill(window, size, error);
	if (!window->stays_open)
		close_file(window);
	return status;
}
