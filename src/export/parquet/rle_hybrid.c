// SPDX-License-Identifier: MIT
#include "export/parquet/rle_hybrid.h"

#include <assert.h>

enum { GROUP = 8 };

void rle_hybrid_put_run(struct parquet_bytes *bytes, uint32_t number, size_t count, unsigned width)
{
	parquet_bytes_put_varint(bytes, (uint64_t)count << 1);
	uint8_t four[4];
	put_le32(four, number);
	parquet_bytes_put(bytes, four, (width + 7) / 8);
}

/* Each group of eight takes `width` bytes, so that it begins and ends at a byte. */
static uint8_t *put_group(uint8_t *to, const uint32_t *numbers, unsigned width)
{
	uint64_t word = 0;
	unsigned filled = 0;
	for (unsigned i = 0; i < GROUP; i++) {
		word |= (uint64_t)numbers[i] << filled;
		filled += width;
		if (filled >= 32) {
			put_le32(to, (uint32_t)word);
			to += 4;
			word >>= 32;
			filled -= 32;
		}
	}
	for (; filled > 0; filled -= 8, word >>= 8)
		*to++ = (uint8_t)word;
	return to;
}

static void put_packed(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count, unsigned width)
{
	size_t groups = (count + GROUP - 1) / GROUP;
	if (groups == 0)
		return;
	parquet_bytes_put_varint(bytes, (uint64_t)groups << 1 | 1);
	uint8_t *to = parquet_bytes_room(bytes, groups * width + 4);
	if (to == NULL)
		return;
	for (size_t i = 0; i < count / GROUP; i++)
		to = put_group(to, numbers + GROUP * i, width);
	if (count % GROUP != 0) {
		uint32_t last[GROUP] = { 0 };
		memcpy(last, numbers + count / GROUP * GROUP, count % GROUP * sizeof(*last));
		to = put_group(to, last, width);
	}
	bytes->size = (size_t)(to - bytes->bytes);
}

static bool are_alike(const uint32_t *group)
{
	uint32_t differ = 0;
	for (unsigned i = 1; i < GROUP; i++)
		differ |= group[i] ^ group[0];
	return differ == 0;
}

void rle_hybrid_put(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count, unsigned width)
{
	assert(width <= 32);
	size_t packed = 0, i = 0; /* what lies between the two is to be packed */
	while (i < count) {
		if (count - i < GROUP || !are_alike(numbers + i)) {
			i += count - i < GROUP ? count - i : GROUP;
			continue;
		}
		size_t end = i + GROUP;
		while (end < count && numbers[end] == numbers[i])
			end++;
		put_packed(bytes, numbers + packed, i - packed, width);
		rle_hybrid_put_run(bytes, numbers[i], end - i, width);
		packed = i = end;
	}
	put_packed(bytes, numbers + packed, count - packed, width);
}
