/* SPDX-License-Identifier: MIT */
/*
 * block_header.h - the first page of a block file (histree-format(5)), 4096 bytes:
 *
 *	OFFSET	SIZE
 *	0	8	magic: 0x89 'h' 'i' 's' 't' 'r' 'e' 0x0a
 *	8	4	version of the format
 *	12	4	oldest version whose reader understands the file
 *	16	8	features that a reader must know: enum block_feature
 *	24	8	features that a reader may ignore; 1: there are copies
 *	32	4	size of a block
 *	36	4	number of blocks
 *	40	8	offset of the table of sections
 *	48	4	number of sections
 *	52	4	CRC-32C of the table of sections
 *	56	8	size of the file
 *	64	4	CRC-32C of the bytes 0 to 64
 *	68	8	of a tail: where it goes on, in bytes of the file before it
 *	76	8	of a tail: the identity of the file before it
 *	84	4	of a tail: CRC-32C of the bytes 0 to 84
 *	512		copies of the small sections and of their table (block_copies.h)
 *	4088	8	of a file that is not complete: its identity
 *
 * The file ends with a copy of the bytes 0 to 88.
 */
#ifndef STORE_BLOCK_HEADER_H
#define STORE_BLOCK_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "histree/status.h"
#include "store/block_format.h"

enum {
	BLOCK_HEADER_USED = 88,
	BLOCK_COPIES_OFFSET = 512,
	BLOCK_IDENTITY_OFFSET = BLOCK_FILE_HEADER_SIZE - 8,
};

enum block_feature {
	BLOCK_EXTENTS = 1,   /* blocks have sizes of their own: section EXTS */
	BLOCK_TAIL = 2,      /* the file is a tail: block_tail.c */
	BLOCK_UNKNOWN = 4,   /* values may be unknown */
	BLOCK_LIFETIMES = 8, /* the section LIFE holds, whatever the variant */
	BLOCK_PARTIAL = 16,  /* the rest is made again from the trace: section PART */
	BLOCK_FEATURES_KNOWN = BLOCK_EXTENTS | BLOCK_TAIL | BLOCK_UNKNOWN | BLOCK_LIFETIMES | BLOCK_PARTIAL,
};

struct block_header {
	uint32_t version;
	uint64_t features;
	bool has_copies;
	uint32_t block_size, block_count;
	uint32_t section_count, table_crc;
	uint32_t crc; /* of the header itself; only when it was read */
	uint64_t table_offset, size;
	uint64_t base, identity; /* of a tail */
};

void block_header_encode(const struct block_header *header, uint8_t bytes[BLOCK_HEADER_USED]);

/*
 * Returns HISTREE_ERR_INCOMPLETE if the header was never written, HISTREE_ERR_VERSION or HISTREE_ERR_FORMAT.  Its
 * offsets are still to be compared with the size of the file.
 */
enum histree_status block_header_decode(const uint8_t bytes[BLOCK_HEADER_USED], struct block_header *header,
					struct histree_error *error);

#endif
