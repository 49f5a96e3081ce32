/* SPDX-License-Identifier: MIT */
/*
 * forge.h - files of blocks that were changed by somebody who then made every checksum right.
 *
 * The functions look at a file as it lies in memory.  They believe nothing that it says: what they do not find,
 * they leave alone.
 */
#ifndef SUPPORT_FORGE_H
#define SUPPORT_FORGE_H

#include <stddef.h>
#include <stdint.h>

/* Make the checksums of nodes, sections, their table and the header right. */
void forge_seal(uint8_t *file, size_t size);

/* Return a node, or a section, and its size; or NULL if the file has none. */
uint8_t *forge_node(uint8_t *file, size_t size, uint32_t number, size_t *node_size);
uint8_t *forge_section(uint8_t *file, size_t size, uint32_t id, size_t *section_size);

#endif
