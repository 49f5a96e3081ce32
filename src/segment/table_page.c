// SPDX-License-Identifier: MIT
#include "segment/table_page.h"

#include <string.h>

#include "base/bits.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "segment_tree/segment_location.h"

enum { PAGE_HEADER_SIZE = 24, NODE_WIDTH_MAX = 32 };

_Static_assert(PAGE_HEADER_SIZE + TABLE_PAGE_LOCATIONS * (NODE_WIDTH_MAX + LOCATION_NODE_SHIFT) / 8 + BITS_SLACK <=
		       TABLE_PAGE_SIZE,
	       "a page has room for the widest locations");

static const uint64_t in_node_mask = (UINT64_C(1) << LOCATION_NODE_SHIFT) - 1;

static uint32_t used_bytes(uint32_t count, unsigned node_width, unsigned location_width)
{
	return PAGE_HEADER_SIZE + (count * (node_width + location_width) + 7) / 8;
}

/* There are BITS_SLACK bytes after the last; bits that were not put yet are zero. */
static void put_bits(uint8_t *bytes, size_t at, uint64_t number, unsigned width)
{
	struct bit_buffer buffer = { .bytes = bytes, .bits = at };
	bit_buffer_put(&buffer, number, width);
}

uint32_t table_page_put(uint8_t page[TABLE_PAGE_SIZE], uint32_t number, const uint64_t *locations, uint32_t count)
{
	uint32_t node_min = UINT32_MAX, node_max = 0;
	uint64_t in_node = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = segment_location_node(locations[i]);
		node_min = node < node_min ? node : node_min;
		node_max = node > node_max ? node : node_max;
		in_node |= locations[i] & in_node_mask;
	}
	unsigned node_width = bits_needed(node_max - node_min), location_width = bits_needed(in_node);
	uint32_t used = used_bytes(count, node_width, location_width);
	memset(page, 0, TABLE_PAGE_SIZE);
	put_le32(page + 4, number);
	put_le32(page + 8, count);
	page[12] = (uint8_t)node_width;
	page[13] = (uint8_t)location_width;
	put_le32(page + 16, node_min);
	size_t at = 8 * PAGE_HEADER_SIZE;
	for (uint32_t i = 0; i < count; i++, at += node_width)
		put_bits(page, at, segment_location_node(locations[i]) - node_min, node_width);
	for (uint32_t i = 0; i < count; i++, at += location_width)
		put_bits(page, at, locations[i] & in_node_mask, location_width);
	put_le32(page, crc32c(0, page + 4, used - 4));
	return used;
}

bool table_page_get(const uint8_t page[TABLE_PAGE_SIZE], uint32_t number, uint32_t count, uint64_t *locations)
{
	unsigned node_width = page[12], location_width = page[13];
	if (count > TABLE_PAGE_LOCATIONS || node_width > NODE_WIDTH_MAX || location_width > LOCATION_NODE_SHIFT ||
	    get_le32(page + 4) != number || get_le32(page + 8) != count)
		return false;
	uint32_t used = used_bytes(count, node_width, location_width), node_min = get_le32(page + 16);
	if (get_le32(page) != crc32c(0, page + 4, used - 4))
		return false;
	size_t at = 8 * PAGE_HEADER_SIZE, in_nodes = at + (size_t)count * node_width;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t node = node_min + bits_get(page, at + (size_t)i * node_width, node_width);
		uint64_t in_node = bits_get(page, in_nodes + (size_t)i * location_width, location_width);
		if (node > UINT32_MAX)
			return false;
		locations[i] = node << LOCATION_NODE_SHIFT | in_node;
	}
	return true;
}
