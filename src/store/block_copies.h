/* SPDX-License-Identifier: MIT */
/*
 * block_copies.h - second copies of the sections on which everything depends: the small ones, and their
 * table.
 *
 * They are in the first page of the file, and the sections themselves at its end: what destroys one hardly
 * destroys the other.  A copy: id (4), checksum (4), size (4), bytes; an id of 0 ends them.
 */
#ifndef STORE_BLOCK_COPIES_H
#define STORE_BLOCK_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/block_header.h"

/* The table of sections, where it is copied. */
#define SECTION_TABLE SECTION_ID('T', 'A', 'B', 'L')

enum {
	BLOCK_COPIES_SIZE = BLOCK_IDENTITY_OFFSET - BLOCK_COPIES_OFFSET,
	BLOCK_COPIES_RESERVE = 512, /* what comes before the table leaves it: room for the table of 20 sections */
};

/* A zeroed one is empty. */
struct block_copies {
	uint8_t bytes[BLOCK_COPIES_SIZE];
	size_t used;    /* by whole copies */
	size_t growing; /* bytes of the section being copied */
	bool overflown; /* by that section: it gets no copy */
	bool is_last;   /* what is copied now may take all the room that is left */
};

void block_copies_begin(struct block_copies *copies);
void block_copies_write(struct block_copies *copies, const void *bytes, size_t size);
void block_copies_end(struct block_copies *copies, uint32_t id);

/* Returns the bytes of a copy inside `copies`, or NULL if there is none that is sound. */
const uint8_t *block_copies_find(const struct block_copies *copies, uint32_t id, size_t *size);

#endif
