// SPDX-License-Identifier: MIT
#include "base/bits.h"

#include <stdlib.h>

bool bit_buffer_reserve(struct bit_buffer *buffer, size_t bits)
{
	size_t needed = (buffer->bits + bits) / 8 + 1 + BITS_SLACK + 1;
	if (needed <= buffer->capacity)
		return true;
	size_t wanted = needed + needed / 2 + 64;
	uint8_t *grown = realloc(buffer->bytes, wanted);
	if (grown == NULL)
		return false;
	memset(grown + buffer->capacity, 0, wanted - buffer->capacity);
	buffer->bytes = grown;
	buffer->capacity = wanted;
	return true;
}

void bit_buffer_clear(struct bit_buffer *buffer)
{
	if (buffer->bytes != NULL)
		memset(buffer->bytes, 0, buffer->bits / 8 + 1);
	buffer->bits = 0;
}

void bit_buffer_release(struct bit_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct bit_buffer){ 0 };
}
