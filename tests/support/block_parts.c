// SPDX-License-Identifier: MIT
#include "support/block_parts.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "node/node.h"
#include "store/block_file.h"

enum { PAGE_HEADER = 24 };

/* ---- finding ----------------------------------------------------------------------------------------------- */

static bool lies_within(uint64_t at, uint64_t size, size_t whole)
{
	return at <= whole && size <= whole - at;
}

/*
 * What is before this offset is not in the file: of a tail, that is in the file that it belongs to.  All offsets
 * are those of both together.
 */
static uint64_t base_of(const uint8_t *bytes)
{
	return (get_le64(bytes + BLOCK_AT_FEATURES) & BLOCK_TAIL) != 0 ? get_le64(bytes + BLOCK_AT_BASE)
								       : BLOCK_FILE_HEADER_SIZE;
}

/* Where in this file something lies; false if it does not. */
static bool find_part(const uint8_t *bytes, size_t size, uint64_t at, uint64_t length, struct block_part *out)
{
	uint64_t base = base_of(bytes), own = at - base + BLOCK_FILE_HEADER_SIZE;
	if (at < base || !lies_within(own, length, size))
		return false;
	out->at = (size_t)own;
	out->size = (size_t)length;
	return true;
}

static void find_sections(const uint8_t *bytes, size_t size, struct block_parts *out)
{
	uint64_t count = get_le32(bytes + BLOCK_AT_SECTION_COUNT);
	struct block_part table;
	if (count > BLOCK_PARTS_SECTIONS_MAX ||
	    !find_part(bytes, size, get_le64(bytes + BLOCK_AT_TABLE), count * SECTION_ENTRY_SIZE, &table))
		return;
	out->table = table.at;
	for (; out->section_count < count; out->section_count++) {
		const uint8_t *entry = bytes + table.at + out->section_count * SECTION_ENTRY_SIZE;
		struct block_part *part = &out->sections[out->section_count];
		part->number = get_le32(entry);
		find_part(bytes, size, get_le64(entry + 8), get_le64(entry + 16), part);
	}
}

static void find_nodes(const uint8_t *bytes, size_t size, struct byte_reader sizes, struct block_parts *out)
{
	bool differ = (get_le64(bytes + BLOCK_AT_FEATURES) & BLOCK_EXTENTS) != 0;
	uint64_t at = BLOCK_FILE_HEADER_SIZE;
	uint32_t count = get_le32(bytes + BLOCK_AT_BLOCK_COUNT), number = 0;
	for (; number < count && number < BLOCK_PARTS_NODES_MAX && !sizes.failed; number++) {
		uint64_t node = differ ? read_varint(&sizes) : get_le32(bytes + BLOCK_AT_BLOCK_SIZE);
		if (node < PAGE_HEADER || node > BLOCK_SIZE_MAX)
			return;
		struct block_part *part = &out->nodes[out->node_count];
		if (find_part(bytes, size, at, node, part)) {
			part->number = number;
			out->node_count++;
		}
		at += node;
	}
}

void block_parts_find(const uint8_t *bytes, size_t size, struct block_parts *out)
{
	struct byte_reader sizes = byte_reader(bytes, 0);
	memset(out, 0, sizeof(*out));
	if (size < BLOCK_FILE_HEADER_SIZE)
		return;
	find_sections(bytes, size, out);
	for (size_t i = 0; i < out->section_count; i++)
		if (out->sections[i].number == SECTION_EXTENTS)
			sizes = byte_reader(bytes + out->sections[i].at, out->sections[i].size);
	find_nodes(bytes, size, sizes, out);
}

static const struct block_part *section_named(const struct block_parts *parts, uint32_t id)
{
	for (size_t i = 0; i < parts->section_count; i++)
		if (parts->sections[i].number == id && parts->sections[i].at > 0)
			return &parts->sections[i];
	return NULL;
}

uint8_t *block_parts_section(uint8_t *bytes, size_t size, uint32_t id, size_t *section_size)
{
	static struct block_parts parts;
	block_parts_find(bytes, size, &parts);
	const struct block_part *section = section_named(&parts, id);
	if (section == NULL)
		return NULL;
	*section_size = section->size;
	return bytes + section->at;
}

uint8_t *block_parts_node(uint8_t *bytes, size_t size, uint32_t number, size_t *node_size)
{
	static struct block_parts parts;
	block_parts_find(bytes, size, &parts);
	for (size_t i = 0; i < parts.node_count; i++) {
		if (parts.nodes[i].number != number)
			continue;
		*node_size = parts.nodes[i].size;
		return bytes + parts.nodes[i].at;
	}
	return NULL;
}

/* ---- sealing ----------------------------------------------------------------------------------------------- */

/* A page of a side table does not say how much of it is used: its numbers do. */
static size_t used_bytes(const uint8_t *node, size_t size, bool is_table)
{
	if (!is_table)
		return size < NODE_HEADER_SIZE ? 0 : get_le32(node + 40);
	return PAGE_HEADER + ((uint64_t)get_le32(node + 8) * (node[12] + node[13]) + 7) / 8;
}

/* The checksum of each node, and the same in the section of checksums; a file of version 1 has none. */
static void seal_nodes(uint8_t *bytes, const struct block_parts *parts)
{
	bool is_table = section_named(parts, SECTION_RANKS) != NULL;
	const struct block_part *sums = section_named(parts, SECTION_SUMS);
	for (size_t i = 0; i < parts->node_count; i++) {
		const struct block_part *part = &parts->nodes[i];
		uint8_t *node = bytes + part->at;
		size_t used = used_bytes(node, part->size, is_table);
		if (used >= 4 && used <= part->size)
			put_le32(node, crc32c(0, node + 4, used - 4));
		if (sums != NULL && sums->size / 4 > part->number)
			memcpy(bytes + sums->at + (size_t)part->number * 4, node, 4);
	}
}

void block_parts_seal(uint8_t *bytes, size_t size)
{
	static struct block_parts parts;
	block_parts_find(bytes, size, &parts);
	if (size < BLOCK_FILE_HEADER_SIZE)
		return;
	seal_nodes(bytes, &parts);
	for (size_t i = 0; i < parts.section_count; i++)
		put_le32(bytes + parts.table + i * SECTION_ENTRY_SIZE + 4,
			 crc32c(0, bytes + parts.sections[i].at, parts.sections[i].size));
	if (parts.section_count > 0)
		put_le32(bytes + BLOCK_AT_TABLE_CRC,
			 crc32c(0, bytes + parts.table, parts.section_count * SECTION_ENTRY_SIZE));
	put_le32(bytes + BLOCK_AT_CRC, crc32c(0, bytes, BLOCK_AT_CRC));
	if ((get_le64(bytes + BLOCK_AT_FEATURES) & BLOCK_TAIL) != 0) /* a tail */
		put_le32(bytes + BLOCK_AT_TAIL_CRC, crc32c(0, bytes, BLOCK_AT_TAIL_CRC));
}
