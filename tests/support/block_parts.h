/* SPDX-License-Identifier: MIT */
/*
 * block_parts.h - where the parts of a file of blocks are: a history, a segment store, a side table, a tail; and
 * its checksums made right, as by somebody who changed it and knows the format.
 *
 * The functions look at a file as it lies in memory.  They believe nothing that it says: what they do not find,
 * they leave alone.  For programs of one thread.
 */
#ifndef SUPPORT_BLOCK_PARTS_H
#define SUPPORT_BLOCK_PARTS_H

#include <stddef.h>
#include <stdint.h>

enum { BLOCK_PARTS_SECTIONS_MAX = 64, BLOCK_PARTS_NODES_MAX = 4096 };

struct block_part {
	size_t at, size; /* in these bytes */
	uint32_t number; /* of a node; the id of a section */
};

struct block_parts {
	struct block_part nodes[BLOCK_PARTS_NODES_MAX];
	struct block_part sections[BLOCK_PARTS_SECTIONS_MAX]; /* zero bytes at 0: not in this file */
	size_t node_count, section_count;
	size_t table; /* of sections, where it is */
};

void block_parts_find(const uint8_t *bytes, size_t size, struct block_parts *out);

/* Make the checksums of nodes, sections, their table and the header right. */
void block_parts_seal(uint8_t *bytes, size_t size);

/* Return a node, or a section, and its size; or NULL if the file has none. */
uint8_t *block_parts_node(uint8_t *bytes, size_t size, uint32_t number, size_t *node_size);
uint8_t *block_parts_section(uint8_t *bytes, size_t size, uint32_t id, size_t *section_size);

#endif
