// SPDX-License-Identifier: MIT
#include "support/forge.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "store/block_format.h"

/* Where things are: histree-format(5). */
enum { HEADER_SIZE = 4096, SECTION_ENTRY_SIZE = 24, SECTIONS_MAX = 64 };

/* ---- finding -------------------------------------------------------------------------------------------- */

/* The table of sections; NULL if it is not inside the file. */
static uint8_t *table_of(uint8_t *file, size_t size, uint32_t *count)
{
	uint64_t table = get_le64(file + 40);
	*count = get_le32(file + 48);
	if (*count > SECTIONS_MAX || table > size || *count * (size_t)SECTION_ENTRY_SIZE > size - table)
		return NULL;
	return file + table;
}

static uint8_t *section_of(uint8_t *file, size_t size, const uint8_t *entry, size_t *section_size)
{
	uint64_t offset = get_le64(entry + 8), length = get_le64(entry + 16);
	if (offset > size || length > size - offset)
		return NULL;
	*section_size = (size_t)length;
	return file + offset;
}

uint8_t *forge_section(uint8_t *file, size_t size, uint32_t id, size_t *section_size)
{
	uint32_t count;
	const uint8_t *table = table_of(file, size, &count);
	for (uint32_t i = 0; table != NULL && i < count; i++) {
		const uint8_t *entry = table + (size_t)i * SECTION_ENTRY_SIZE;
		if (get_le32(entry) == id)
			return section_of(file, size, entry, section_size);
	}
	return NULL;
}

/* Goes from node to node. */
struct walk {
	uint8_t *file;
	size_t size, at, block_size;
	bool sizes_differ;
	struct byte_reader sizes;
	uint32_t left;
};

static struct walk first_node(uint8_t *file, size_t size)
{
	size_t extents_size = 0;
	const uint8_t *extents = forge_section(file, size, SECTION_EXTENTS, &extents_size);
	return (struct walk){
		.file = file,
		.size = size,
		.at = HEADER_SIZE,
		.block_size = get_le32(file + 32),
		.sizes_differ = (get_le64(file + 16) & 1) != 0,
		.sizes = byte_reader(extents != NULL ? extents : file, extents_size),
		.left = get_le32(file + 36),
	};
}

static uint8_t *next_node(struct walk *walk, size_t *node_size)
{
	if (walk->left == 0)
		return NULL;
	*node_size = walk->sizes_differ ? (size_t)read_varint(&walk->sizes) : walk->block_size;
	if (*node_size < 4 || *node_size > walk->size - walk->at)
		return NULL;
	uint8_t *node = walk->file + walk->at;
	walk->at += *node_size;
	walk->left--;
	return node;
}

uint8_t *forge_node(uint8_t *file, size_t size, uint32_t number, size_t *node_size)
{
	struct walk walk = first_node(file, size);
	uint8_t *node = next_node(&walk, node_size);
	while (node != NULL && number-- > 0)
		node = next_node(&walk, node_size);
	return node;
}

/* ---- sealing -------------------------------------------------------------------------------------------- */

static void seal_node(uint8_t *node, size_t size)
{
	uint32_t used = size < 48 ? 0 : get_le32(node + 40);
	if (used >= 4 && used <= size)
		put_le32(node, crc32c(0, node + 4, used - 4));
}

/* The checksum of each node, and the same in the section of checksums; a file of version 1 has none. */
static void seal_nodes(uint8_t *file, size_t size)
{
	struct walk walk = first_node(file, size);
	size_t node_size, sums_size = 0;
	uint8_t *sums = forge_section(file, size, SECTION_SUMS, &sums_size);
	for (uint8_t *node = next_node(&walk, &node_size); node != NULL; node = next_node(&walk, &node_size)) {
		seal_node(node, node_size);
		if (sums_size >= 4) {
			memcpy(sums, node, 4);
			sums += 4;
			sums_size -= 4;
		}
	}
}

static void seal_sections(uint8_t *file, size_t size)
{
	uint32_t count;
	uint8_t *table = table_of(file, size, &count);
	if (table == NULL)
		return;
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *entry = table + (size_t)i * SECTION_ENTRY_SIZE;
		size_t section_size;
		const uint8_t *section = section_of(file, size, entry, &section_size);
		if (section != NULL)
			put_le32(entry + 4, crc32c(0, section, section_size));
	}
	put_le32(file + 52, crc32c(0, table, count * SECTION_ENTRY_SIZE));
}

void forge_seal(uint8_t *file, size_t size)
{
	if (size < HEADER_SIZE)
		return;
	seal_nodes(file, size);
	seal_sections(file, size);
	put_le32(file + 64, crc32c(0, file, 64));
	if ((get_le64(file + 16) & 2) != 0) /* a tail */
		put_le32(file + 84, crc32c(0, file, 84));
}
