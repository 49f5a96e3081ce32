// SPDX-License-Identifier: MIT
#include "server/text/piece.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

char *piece_room(struct piece *piece, size_t size)
{
	if (!piece->failed && size <= piece->capacity - piece->size)
		return piece->bytes + piece->size;
	if (piece->failed || size > SIZE_MAX - piece->size ||
	    !array_reserve(&piece->bytes, &piece->capacity, piece->size + size)) {
		piece->failed = true;
		return NULL;
	}
	return piece->bytes + piece->size;
}

void piece_put(struct piece *piece, const void *bytes, size_t size)
{
	char *room = piece_room(piece, size);
	if (room == NULL || size == 0)
		return;
	memcpy(room, bytes, size);
	piece->size += size;
}

void piece_format(struct piece *piece, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	char *room = length < 0 ? NULL : piece_room(piece, (size_t)length + 1);
	if (room != NULL) {
		vsnprintf(room, (size_t)length + 1, format, again);
		piece->size += (size_t)length;
	}
	va_end(again);
	va_end(arguments);
}

void piece_release(struct piece *piece)
{
	free(piece->bytes);
	*piece = (struct piece){ 0 };
}
