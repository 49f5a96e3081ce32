/* SPDX-License-Identifier: MIT */
/*
 * range_cover.h - which of many ranges of addresses has an address: of those that lie within one another, the
 * deepest.
 *
 * Ranges may cross, as those of a damaged file do: of each address the deepest has it, of equally deep ones the
 * shortest, of these the one of the least item.
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

/* From an address on, up to that of the next piece; the last one is of nobody. */
struct cover_piece {
	uint64_t start;
	uint32_t item; /* COVER_NONE: of nobody */
};

/* A zeroed one has nothing. */
struct range_cover {
	struct cover_piece *pieces;
	size_t count, capacity;
};

/* Makes an empty cover of ranges, which it reorders.  Returns false when memory is out; release it then too. */
bool range_cover_make(struct range_cover *cover, struct cover_range *ranges, size_t count);

/* Returns the item that has an address; COVER_NONE: nobody has. */
uint32_t range_cover_find(const struct range_cover *cover, uint64_t address);

void range_cover_release(struct range_cover *cover);

#endif
