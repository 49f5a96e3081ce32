/* SPDX-License-Identifier: MIT */
/*
 * block_file_inside.h - the body of a block file, for block_*.c.
 *
 * An entry of the table of sections: id (4), CRC-32C of the section (4), offset (8), size (8).
 * Section EXTS: a varint for each block, its size in bytes.
 * Section SUMS: the first 4 bytes of each block, its checksum (docs/design/0016-forged-histories.md).
 */
#ifndef STORE_BLOCK_FILE_INSIDE_H
#define STORE_BLOCK_FILE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/io.h"
#include "store/block_copies.h"
#include "store/section_pages.h"

enum { SECTION_COUNT_MAX = 64, SECTION_ENTRY_SIZE = 24 };

/* What was read from its copy. */
enum block_damage { DAMAGED_HEADER = 1, DAMAGED_TABLE = 2 };

struct section {
	uint32_t id, crc;
	uint64_t offset, size;
};

/* Offsets and sizes are those of the whole: those of a tail count what is in the file before it. */
struct block_file {
	const struct io *io;
	char *path;
	int file;
	bool writing; /* made here and not complete: removed on close */
	uint32_t version;
	uint32_t block_size, block_count;
	uint64_t size; /* bytes of the whole so far */
	uint64_t sync_begun; /* of those, what is on its way to disk */
	/*
	 * With FEATURE_EXTENTS, and while writing: where each block begins; one more says where the last one
	 * ends.
	 */
	uint64_t *offsets;
	size_t offsets_capacity;
	bool has_extents;
	uint32_t *sums; /* of each block its first bytes; when read, NULL if the file has no section SUMS */
	size_t sums_capacity;
	bool lost_sums; /* it has one that is damaged */
	bool has_unknown;
	bool needs_lifetimes;
	bool is_partial;
	struct section sections[SECTION_COUNT_MAX];
	uint32_t section_count;
	bool section_open;                  /* the last one is being written */
	struct section_pages section_pages; /* of that one */
	struct block_copies copies;
	unsigned damage; /* or of enum block_damage */

	uint64_t identity;            /* of a file being written, and of its tails */
	uint64_t identity_of_content; /* of a complete file that is read */
	uint64_t base; /* what is before this offset is not in `file`: of a tail B, else the size of the header */
	int main_file; /* of a tail that is read, the file that has it; else -1 */
	bool is_tail;
	bool has_tail;       /* one was published: this file is then worth to be kept */
	uint32_t kept_count; /* blocks of the file that is gone on with */
};

static inline uint64_t block_offset(const struct block_file *file, uint64_t number)
{
	return file->has_extents ? file->offsets[number] : BLOCK_FILE_HEADER_SIZE + number * file->block_size;
}

static inline uint32_t block_bytes(const struct block_file *file, uint32_t number)
{
	return (uint32_t)(block_offset(file, (uint64_t)number + 1) - block_offset(file, number));
}

/* Returns where in `file` the byte at an offset is, which is not before the base. */
static inline uint64_t own_offset(const struct block_file *file, uint64_t offset)
{
	return offset - file->base + BLOCK_FILE_HEADER_SIZE;
}

/* Returns a file without a descriptor, or NULL if memory is out. */
struct block_file *block_file_new(const struct io *io, const char *path);

/* Put the path before the message if `status` is an error.  Returns `status`. */
enum histree_status block_file_error_in(const struct block_file *file, enum histree_status status,
					struct histree_error *error);

/* Give the file to the caller, or close it if `status` is an error.  Returns `status`. */
enum histree_status block_file_hand_out(struct block_file *file, enum histree_status status,
					struct block_file **out);

/* Read bytes at an offset in the whole.  Blocks and sections lie as a whole on one side of the base. */
enum histree_status block_file_read_at(const struct block_file *file, void *bytes, size_t size, uint64_t offset,
				       struct histree_error *error);

/* Find whether a block begins with zeros, as none does that was written. */
enum histree_status block_file_is_hole(const struct block_file *file, uint32_t number, bool *is_hole,
				       struct histree_error *error);

/* Read the header and the table of sections. */
enum histree_status block_file_read_directory(struct block_file *file, struct histree_error *error);

/* ---- block_tail.c ------------------------------------------------------------------------------------- */

/* Give a new file an identity, and keep it where the header will be. */
enum histree_status block_tail_identify(struct block_file *file, struct histree_error *error);

/* Open a file that is not complete with its tail.  Returns HISTREE_ERR_INCOMPLETE if it has none. */
enum histree_status block_tail_open(const struct io *io, const char *path, struct block_file **out,
				    struct histree_error *error);

/* Join the tail being read, whose header says that it follows what `main_file` has before `base`. */
enum histree_status block_tail_join(struct block_file *tail, uint64_t base, uint64_t identity,
				    struct histree_error *error);

/*
 * Find whether the next block is the one in the file that is written once more.  If it is not, what follows it
 * there is of no use, and the tail is removed.
 */
enum histree_status block_tail_keep(struct block_file *file, const void *block, uint32_t size, bool *kept,
				    struct histree_error *error);

/* Remove the tail of a file that was completed. */
void block_tail_remove(struct block_file *file);

#endif
