// SPDX-License-Identifier: MIT
#include "trace/trace_cursor.h"

enum { READ_SIZE = 64 << 10, TEXT_SIZE_MAX = 4 << 10 };

/* Returns as many bytes as there are, `size` at most, without stepping over them. */
static const uint8_t *look(struct trace_cursor *cursor, uint64_t size)
{
	struct trace_window *window = cursor->window;
	if (cursor->status != HISTREE_OK)
		return NULL;
	if (window == NULL)
		return cursor->bytes + cursor->at;
	bool is_there = cursor->at >= window->offset && cursor->at - window->offset <= window->count &&
			size <= window->count - (cursor->at - window->offset);
	if (!is_there) {
		size_t wanted = (size_t)(size > READ_SIZE ? size : READ_SIZE);
		cursor->status = trace_window_move(window, cursor->at, wanted, cursor->error);
		if (cursor->status == HISTREE_OK && window->count < size)
			cursor->status = HISTREE_END;
	}
	return cursor->status == HISTREE_OK ? window->bytes + (cursor->at - window->offset) : NULL;
}

/* Returns whether `size` bytes are left. */
static bool check(struct trace_cursor *cursor, uint64_t size)
{
	if (cursor->status == HISTREE_OK && size > cursor->end - cursor->at)
		cursor->status = HISTREE_END;
	return cursor->status == HISTREE_OK;
}

const uint8_t *trace_cursor_take(struct trace_cursor *cursor, uint64_t size)
{
	if (!check(cursor, size))
		return NULL;
	if (size > TRACE_WINDOW_SIZE_MAX)
		cursor->status = HISTREE_END;
	const uint8_t *bytes = look(cursor, size);
	if (bytes != NULL)
		cursor->at += size;
	return bytes;
}

bool trace_cursor_skip(struct trace_cursor *cursor, uint64_t size)
{
	if (!check(cursor, size))
		return false;
	cursor->at += size;
	return true;
}

bool trace_cursor_u16(struct trace_cursor *cursor, uint16_t *out)
{
	const uint8_t *bytes = trace_cursor_take(cursor, 2);
	if (bytes != NULL)
		*out = ordered_u16(bytes, cursor->is_big);
	return bytes != NULL;
}

bool trace_cursor_u32(struct trace_cursor *cursor, uint32_t *out)
{
	const uint8_t *bytes = trace_cursor_take(cursor, 4);
	if (bytes != NULL)
		*out = ordered_u32(bytes, cursor->is_big);
	return bytes != NULL;
}

bool trace_cursor_u64(struct trace_cursor *cursor, uint64_t *out)
{
	const uint8_t *bytes = trace_cursor_take(cursor, 8);
	if (bytes != NULL)
		*out = ordered_u64(bytes, cursor->is_big);
	return bytes != NULL;
}

const char *trace_cursor_text(struct trace_cursor *cursor)
{
	uint64_t left = cursor->end - cursor->at;
	size_t size = (size_t)(left < TEXT_SIZE_MAX ? left : TEXT_SIZE_MAX);
	const uint8_t *bytes = look(cursor, size);
	const uint8_t *zero = bytes == NULL || size == 0 ? NULL : memchr(bytes, 0, size);
	if (zero != NULL)
		cursor->at += (uint64_t)(zero - bytes) + 1;
	else if (cursor->status == HISTREE_OK)
		cursor->status = HISTREE_END;
	return (const char *)(zero == NULL ? NULL : bytes);
}

const uint8_t *trace_cursor_block(struct trace_cursor *cursor, uint64_t *size)
{
	return trace_cursor_u64(cursor, size) ? trace_cursor_take(cursor, *size) : NULL;
}

bool trace_cursor_skip_block(struct trace_cursor *cursor)
{
	uint64_t size;
	return trace_cursor_u64(cursor, &size) && trace_cursor_skip(cursor, size);
}
