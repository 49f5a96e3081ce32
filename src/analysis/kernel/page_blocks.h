/* SPDX-License-Identifier: MIT */
/*
 * page_blocks.h - blocks of pages that are allocated, by their first page, and who allocated them.
 *
 * The kernel hands out blocks of 2^order pages at multiples of that, and may take them back in parts: a block is
 * then split in halves, as the kernel does, until there is one of the part's size.
 */
#ifndef ANALYSIS_KERNEL_PAGE_BLOCKS_H
#define ANALYSIS_KERNEL_PAGE_BLOCKS_H

#include "base/arena.h"
#include "base/id_map.h"

enum { PAGE_ORDER_MAX = 20 };

struct page_block {
	bool is_taken;
	uint8_t order;
	int32_t owner;
};

/* Zeroed, with its spaces set, it has none.  Blocks that were freed keep their records, as pages come again. */
struct page_blocks {
	struct id_map blocks; /* by first page */
	struct arena records;
	unsigned order_max; /* of those that were ever taken */
};

/* Take a block, of PAGE_ORDER_MAX at most; none is taken there.  Returns false when memory is out. */
bool page_blocks_take(struct page_blocks *blocks, uint64_t page, unsigned order, int32_t owner);

/*
 * Free a block of this order, or all of a smaller one that is there.  Says whose it was and how many pages there
 * were: 0 if it was not known to be taken.  Returns false when memory is out.
 */
bool page_blocks_free(struct page_blocks *blocks, uint64_t page, unsigned order, int32_t *owner, uint64_t *pages);

void page_blocks_release(struct page_blocks *blocks);

#endif
