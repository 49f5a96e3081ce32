// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"

enum { PIECE_SIZE = 256 << 10, PLAIN_SIZE = 64 << 10 };

static enum histree_status begin(struct perfetto_input *input, struct histree_error *error)
{
	enum histree_status status = trace_window_move(&input->window, 0, PIECE_SIZE, error);
	const uint8_t *bytes = input->window.bytes;
	bool is_packed = status == HISTREE_OK && input->window.count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
	return is_packed ? perfetto_inflate_create(&input->unpack, error) : status;
}

enum histree_status perfetto_input_open(struct perfetto_input *input, const char *path, struct histree_error *error)
{
	struct stat facts;
	*input = (struct perfetto_input){ 0 };
	trace_window_init(&input->window, &io_posix, path, true);
	enum histree_status status = begin(input, error);
	if (status == HISTREE_OK && stat(path, &facts) == 0)
		input->size = (uint64_t)facts.st_size;
	if (status != HISTREE_OK)
		perfetto_input_close(input);
	return status;
}

void perfetto_input_close(struct perfetto_input *input)
{
	trace_window_release(&input->window);
	perfetto_inflate_free(input->unpack);
	free(input->plain);
	*input = (struct perfetto_input){ 0 };
}

/* ---- the file -------------------------------------------------------------------------------------------- */

/* Look at so many bytes of the file, or what is left of it. */
static enum histree_status see_file(struct perfetto_input *input, size_t size, const uint8_t **bytes, size_t *count,
				    struct histree_error *error)
{
	struct trace_window *window = &input->window;
	uint64_t left = input->at < input->size ? input->size - input->at : 0;
	uint64_t passed = input->at - window->offset;
	enum histree_status status = HISTREE_OK;
	if (size > left)
		size = (size_t)left;
	if (input->at < window->offset || passed > window->count || size > window->count - passed)
		status = trace_window_move(window, input->at, size > PIECE_SIZE ? size : PIECE_SIZE, error);
	passed = input->at - window->offset;
	*bytes = window->bytes + passed;
	*count = window->count - (size_t)passed < size ? window->count - (size_t)passed : size;
	return status;
}

/* ---- gzip ------------------------------------------------------------------------------------------------ */

/* Make room behind what is unpacked and not taken yet. */
static bool make_room(struct perfetto_input *input)
{
	size_t kept = input->count - input->taken;
	if (input->taken > 0) {
		memmove(input->plain, input->plain + input->taken, kept);
		input->taken = 0;
		input->count = kept;
	}
	if (input->count < input->capacity)
		return true;
	size_t capacity = input->capacity == 0 ? PLAIN_SIZE : 2 * input->capacity;
	uint8_t *larger = realloc(input->plain, capacity);
	if (larger == NULL)
		return false;
	input->plain = larger;
	input->capacity = capacity;
	return true;
}

/* Unpack some more.  HISTREE_END: there is no more. */
static enum histree_status unpack(struct perfetto_input *input, struct histree_error *error)
{
	const uint8_t *packed;
	size_t count, used = 0;
	if (input->is_broken)
		return HISTREE_END;
	if (!make_room(input))
		return error_memory(error, "what is compressed");
	enum histree_status status = see_file(input, PIECE_SIZE, &packed, &count, error);
	if (status != HISTREE_OK)
		return status;
	size_t got = perfetto_inflate(input->unpack, packed, count, &used, input->plain + input->count,
				      input->capacity - input->count);
	input->at += used;
	bool is_stuck = got == 0 && used == 0;
	if (got == SIZE_MAX || (is_stuck && !perfetto_inflate_is_whole(input->unpack)))
		input->is_broken = true;
	if (input->is_broken || is_stuck)
		return HISTREE_END;
	input->count += got;
	return HISTREE_OK;
}

/* ---- both ------------------------------------------------------------------------------------------------ */

enum histree_status perfetto_input_see(struct perfetto_input *input, size_t size, const uint8_t **bytes,
				       size_t *count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (input->unpack == NULL)
		return see_file(input, size, bytes, count, error);
	while (status == HISTREE_OK && input->count - input->taken < size)
		status = unpack(input, error);
	*bytes = input->plain + input->taken;
	*count = input->count - input->taken < size ? input->count - input->taken : size;
	return status == HISTREE_END ? HISTREE_OK : status;
}

void perfetto_input_take(struct perfetto_input *input, size_t size)
{
	if (input->unpack == NULL)
		input->at += size;
	else
		input->taken += size;
}
