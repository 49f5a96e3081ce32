// SPDX-License-Identifier: MIT
#include "analysis/kernel/page_blocks.h"

#include <stdalign.h>

bool page_blocks_take(struct page_blocks *blocks, uint64_t page, unsigned order, int32_t owner)
{
	struct page_block *block = id_map_find(&blocks->blocks, page);
	if (block == NULL) {
		block = arena_allocate(&blocks->records, sizeof(*block), alignof(struct page_block));
		if (block == NULL || !id_map_add(&blocks->blocks, page, block))
			return false;
	}
	blocks->order_max = order > blocks->order_max ? order : blocks->order_max;
	*block = (struct page_block){ .is_taken = true, .order = (uint8_t)order, .owner = owner };
	return true;
}

/* Returns the block that a page is in, and its first page; NULL: none that is taken. */
static struct page_block *block_with(const struct page_blocks *blocks, uint64_t page, uint64_t *first)
{
	for (unsigned order = 0; order <= blocks->order_max; order++) {
		*first = page >> order << order;
		struct page_block *block = id_map_find(&blocks->blocks, *first);
		if (block != NULL && block->is_taken && page - *first < UINT64_C(1) << block->order)
			return block;
	}
	return NULL;
}

bool page_blocks_free(struct page_blocks *blocks, uint64_t page, unsigned order, int32_t *owner, uint64_t *pages)
{
	uint64_t first;
	struct page_block *block = block_with(blocks, page, &first);
	*pages = 0;
	if (block == NULL)
		return true;
	*owner = block->owner;
	while (block->order > order || first != page) {
		if (block->order == 0)
			return true; /* that page is no beginning of a block of this order */
		const unsigned half = --block->order;
		const uint64_t second = first + (UINT64_C(1) << half);
		if (!page_blocks_take(blocks, second, half, *owner))
			return false;
		if (page < second)
			continue;
		block = id_map_find(&blocks->blocks, second);
		first = second;
	}
	block->is_taken = false;
	*pages = UINT64_C(1) << block->order;
	return true;
}

void page_blocks_release(struct page_blocks *blocks)
{
	id_map_release(&blocks->blocks);
	arena_release(&blocks->records);
}
