// SPDX-License-Identifier: MIT
#include "store/block_header.h"

#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"

static const uint8_t magic[8] = { 0x89, 'h', 'i', 's', 't', 'r', 'e', '\n' };

enum {
	CHECKED = 64,      /* bytes before their checksum */
	TAIL_CHECKED = 84, /* the same of a tail */
	FEATURE_COPIES = 1,
};

void block_header_encode(const struct block_header *header, uint8_t bytes[BLOCK_HEADER_USED])
{
	memset(bytes, 0, BLOCK_HEADER_USED);
	memcpy(bytes, magic, sizeof(magic));
	put_le32(bytes + 8, BLOCK_FILE_VERSION);
	put_le32(bytes + 12, BLOCK_FILE_OLDEST_READER);
	put_le64(bytes + 16, header->features);
	put_le64(bytes + 24, header->has_copies ? FEATURE_COPIES : 0);
	put_le32(bytes + 32, header->block_size);
	put_le32(bytes + 36, header->block_count);
	put_le64(bytes + 40, header->table_offset);
	put_le32(bytes + 48, header->section_count);
	put_le32(bytes + 52, header->table_crc);
	put_le64(bytes + 56, header->size);
	put_le32(bytes + 64, crc32c(0, bytes, CHECKED));
	if ((header->features & BLOCK_TAIL) == 0)
		return;
	put_le64(bytes + 68, header->base);
	put_le64(bytes + 76, header->identity);
	put_le32(bytes + 84, crc32c(0, bytes, TAIL_CHECKED));
}

static enum histree_status check_versions(const uint8_t *bytes, struct histree_error *error)
{
	uint32_t version = get_le32(bytes + 8), oldest = get_le32(bytes + 12);
	uint64_t features = get_le64(bytes + 16);
	if (oldest > BLOCK_FILE_VERSION)
		return error_set(error, HISTREE_ERR_VERSION,
				 "is of format %u, which needs a reader of format %u or later, and this is %u; "
				 "use a newer histree, or build it again with this one",
				 version, oldest, BLOCK_FILE_VERSION);
	if ((features & ~(uint64_t)BLOCK_FEATURES_KNOWN) != 0)
		return error_set(error, HISTREE_ERR_VERSION,
				 "uses features (0x%llx) that this version does not know; use a newer histree, or "
				 "build it again with this one",
				 (unsigned long long)features);
	return HISTREE_OK;
}

enum histree_status block_header_decode(const uint8_t bytes[BLOCK_HEADER_USED], struct block_header *header,
					struct histree_error *error)
{
	static const uint8_t zeros[CHECKED + 4];
	if (memcmp(bytes, zeros, sizeof(zeros)) == 0)
		return error_set(error, HISTREE_ERR_INCOMPLETE, "was never completed; build it again");
	if (memcmp(bytes, magic, sizeof(magic)) != 0)
		return error_set(error, HISTREE_ERR_FORMAT, "is no histree file");
	if (crc32c(0, bytes, CHECKED) != get_le32(bytes + 64))
		return error_set(error, HISTREE_ERR_FORMAT, "header: checksum mismatch");
	enum histree_status status = check_versions(bytes, error);
	if (status != HISTREE_OK)
		return status;
	*header = (struct block_header){
		.version = get_le32(bytes + 8),
		.features = get_le64(bytes + 16),
		.has_copies = (get_le64(bytes + 24) & FEATURE_COPIES) != 0,
		.block_size = get_le32(bytes + 32),
		.block_count = get_le32(bytes + 36),
		.table_offset = get_le64(bytes + 40),
		.section_count = get_le32(bytes + 48),
		.table_crc = get_le32(bytes + 52),
		.crc = get_le32(bytes + 64),
		.size = get_le64(bytes + 56),
	};
	uint32_t block_size = header->block_size;
	if (block_size < BLOCK_SIZE_MIN || block_size > BLOCK_SIZE_MAX || (block_size & (block_size - 1)) != 0)
		return error_set(error, HISTREE_ERR_FORMAT, "header: blocks of %u bytes", block_size);
	if ((header->features & BLOCK_TAIL) == 0)
		return HISTREE_OK;
	if (crc32c(0, bytes, TAIL_CHECKED) != get_le32(bytes + 84))
		return error_set(error, HISTREE_ERR_FORMAT, "header: checksum mismatch");
	header->base = get_le64(bytes + 68);
	header->identity = get_le64(bytes + 76);
	return HISTREE_OK;
}
