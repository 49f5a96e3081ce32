// SPDX-License-Identifier: MIT
#include "store/block_copies.h"

#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"

enum { COPY_HEADER_SIZE = 12 };

void block_copies_begin(struct block_copies *copies)
{
	copies->growing = 0;
	copies->overflown = false;
}

/* There is always room left for the id that ends the copies. */
void block_copies_write(struct block_copies *copies, const void *bytes, size_t size)
{
	size_t taken = copies->used + COPY_HEADER_SIZE + copies->growing + sizeof(uint32_t);
	size_t room = BLOCK_COPIES_SIZE - (copies->is_last ? 0 : BLOCK_COPIES_RESERVE);
	copies->overflown = copies->overflown || taken > room || size > room - taken;
	if (copies->overflown || size == 0)
		return;
	memcpy(copies->bytes + copies->used + COPY_HEADER_SIZE + copies->growing, bytes, size);
	copies->growing += size;
}

void block_copies_end(struct block_copies *copies, uint32_t id)
{
	uint8_t *copy = copies->bytes + copies->used;
	if (copies->overflown || copies->growing == 0)
		return;
	put_le32(copy, id);
	put_le32(copy + 4, crc32c(0, copy + COPY_HEADER_SIZE, copies->growing));
	put_le32(copy + 8, (uint32_t)copies->growing);
	copies->used += COPY_HEADER_SIZE + copies->growing;
}

const uint8_t *block_copies_find(const struct block_copies *copies, uint32_t id, size_t *size)
{
	struct byte_reader reader = byte_reader(copies->bytes, BLOCK_COPIES_SIZE);
	for (;;) {
		uint32_t found = read_le32(&reader), crc = read_le32(&reader);
		*size = read_le32(&reader);
		const uint8_t *bytes = read_bytes(&reader, *size);
		if (reader.failed || found == 0)
			return NULL;
		if (found == id && crc32c(0, bytes, *size) == crc)
			return bytes;
	}
}
