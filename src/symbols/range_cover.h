/* SPDX-License-Identifier: MIT */
/*
 * range_cover.h - which of many ranges of addresses an address belongs to: of nested ranges, the deepest.
 *
 * Ranges may cross, as those of a damaged file do: an address belongs to the deepest, of equally deep ones to the
 * shortest, of these to the one with the least item.
 */
#ifndef SYMBOLS_RANGE_COVER_H
#define SYMBOLS_RANGE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COVER_NONE UINT32_MAX

struct cover_range {
	uint64_t start, end; /* without its end; one that does not end above its start has nothing */
	uint32_t depth, item;
};

/* From an address on, up to that of the next piece; the last piece belongs to no range. */
struct cover_piece {
	uint64_t start;
	uint32_t item; /* COVER_NONE: no range */
};

/* A zeroed one has nothing. */
struct range_cover {
	struct cover_piece *pieces;
	size_t count, capacity;
};

/* Makes an empty cover of ranges, which it reorders.  Returns false when memory is out; release it then too. */
bool range_cover_make(struct range_cover *cover, struct cover_range *ranges, size_t count);

/* Returns the item that an address belongs to, or COVER_NONE. */
uint32_t range_cover_find(const struct range_cover *cover, uint64_t address);

void range_cover_release(struct range_cover *cover);

#endif
