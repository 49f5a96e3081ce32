// SPDX-License-Identifier: MIT
#include "segment/table_section.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/crc32c.h"

enum { HEADER_SIZE = 16, CHECKSUM_SIZE = 4 };

size_t table_identity_size(const struct table_store *store)
{
	return HEADER_SIZE + (size_t)block_file_block_count(store->file) * CHECKSUM_SIZE;
}

enum histree_status table_identity_put(const struct table_store *store, uint8_t *header,
				       struct histree_error *error)
{
	uint8_t *schema;
	size_t size;
	enum histree_status status = block_file_section(store->file, SECTION_SEGMENTS, &schema, &size, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t nodes = block_file_block_count(store->file);
	put_le64(header, store->segment_count);
	put_le32(header + 8, crc32c(0, schema, size));
	put_le32(header + 12, nodes);
	free(schema);
	for (uint32_t node = 0; status == HISTREE_OK && node < nodes; node++)
		status = block_file_peek(store->file, node, header + HEADER_SIZE + (size_t)node * CHECKSUM_SIZE,
					 CHECKSUM_SIZE, error);
	return status;
}
