/* SPDX-License-Identifier: MIT */
/*
 * block_file.h - a file of blocks, followed by named sections (histree-format(5)): written, opened, and opened
 * again when it is not complete; with the numbers of its format.
 *
 * The length of a section is limited by how many of its bytes are not zero: a file can be long without using disk
 * space, because a hole takes no room and reads as zeros.
 *
 * The writer counts in the same way, so that it writes nothing that a reader would refuse.  No section that histree
 * writes comes near the limit, unless names contain thousands of zeros.
 *
 * 	0			header, 4096 bytes: magic, versions, features, block size, where the table is
 * 	4096 + k * block size	block k
 * 	after the blocks	sections, then the table of sections
 *
 * A file is made once and then never changes.  One thread writes it: blocks in the order of their numbers, then
 * sections one after the other, then block_file_complete(), which writes the header last.  Before that it can be
 * read with a tail.  The file knows nothing of what the blocks mean.
 *
 * A block begins with its checksum (4 bytes), which the section SUMS repeats.  It may be written shorter than the
 * block size; the section EXTS then says how long each block is, and they follow one another without gaps.
 *
 * The header:
 *
 * 	OFFSET	SIZE
 * 	0	8	magic: 0x89 'h' 'i' 's' 't' 'r' 'e' 0x0a
 * 	8	4	version of the format
 * 	12	4	oldest version whose reader understands the file
 * 	16	8	features that a reader must know: enum block_feature
 * 	24	8	features that a reader may ignore; 1: there are copies
 * 	32	4	size of a block
 * 	36	4	number of blocks
 * 	40	8	offset of the table of sections
 * 	48	4	number of sections
 * 	52	4	CRC-32C of the table of sections
 * 	56	8	size of the file
 * 	64	4	CRC-32C of the bytes 0 to 64
 * 	68	8	of a tail: where it goes on, in bytes of the file before it
 * 	76	8	of a tail: the identity of the file before it
 * 	84	4	of a tail: CRC-32C of the bytes 0 to 84
 * 	512		copies of the small sections and of their table
 * 	4088	8	of an incomplete file: its identity
 *
 * The file ends with a copy of the bytes 0 to 88.
 *
 * Sections: an entry of their table is id (4), CRC-32C of the section (4), offset (8), size (8).  EXTS: a varint
 * for each block, its size in bytes.  SUMS: the first 4 bytes of each block, its checksum.
 *
 * Copies: everything depends on the small sections and their table, so a second copy of them is in the header,
 * while the sections themselves are at the end of the file: damage to one hardly hits the other.  A copy: id (4),
 * checksum (4), size (4), bytes; an id of 0 ends them.
 */
#ifndef STORE_BLOCK_FILE_H
#define STORE_BLOCK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "histree/status.h"

enum {
	SECTION_PAGE_SIZE = 4096,
	SECTION_EMPTY_PAGES_MIN = 2048, /* that any section may have */
};

/* A zeroed one is at the beginning of a section. */
struct section_pages {
	uint32_t filled; /* bytes of the page that is not whole yet */
	bool has_bytes;  /* one of them is not zero */
	uint64_t empty, full;
};

/* Go on with the bytes that follow.  Returns false if there are too many zeros by now. */
bool section_pages_add(struct section_pages *pages, const uint8_t *bytes, size_t size);

/* Returns the bytes of what came, without its empty pages. */
static inline uint64_t section_pages_worth(const struct section_pages *pages)
{
	return pages->full * SECTION_PAGE_SIZE + pages->filled;
}

/* Returns HISTREE_ERR_FORMAT, with the sentence for a section that has too many. */
enum histree_status section_pages_refuse(struct histree_error *error);

enum {
	BLOCK_FILE_VERSION = 2,       /* what this code writes; 1 had no section SUMS */
	BLOCK_FILE_OLDEST_READER = 1, /* the oldest reader that understands it */
	BLOCK_FILE_HEADER_SIZE = 4096,
	BLOCK_SIZE_MIN = 4 << 10,
	BLOCK_SIZE_MAX = 1 << 20,
	BLOCK_PART_SIZE_MIN =
		64,         /* of a block that is written shorter, so that a small file has no millions of them */
	BLOCK_SUM_SIZE = 4, /* every block begins with a checksum of its own, which this code does not compute */
};

/* Section ids are four letters. */
#define SECTION_ID(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define SECTION_EXTENTS SECTION_ID('E', 'X', 'T', 'S')    /* sizes of the blocks, where they differ: here */
#define SECTION_SUMS SECTION_ID('S', 'U', 'M', 'S')       /* checksums of the blocks: here */
#define SECTION_TREE SECTION_ID('T', 'R', 'E', 'E')       /* shape of the tree: tree/ */
#define SECTION_STATISTICS SECTION_ID('S', 'T', 'A', 'T') /* what the papers tabulate: tree/ */
#define SECTION_LIFETIMES SECTION_ID('L', 'I', 'F', 'E')  /* when attributes have states: tree/ */
#define SECTION_ATTRIBUTES SECTION_ID('A', 'T', 'T', 'R') /* attribute tree: state/ */
#define SECTION_FOLDERS SECTION_ID('F', 'O', 'L', 'D')    /* attributes without states: state/ */
#define SECTION_LABELS SECTION_ID('L', 'A', 'B', 'L')     /* what values mean: state/ */
#define SECTION_CHARTS SECTION_ID('C', 'H', 'R', 'T')     /* which charts there are: state/ */
#define SECTION_PROVIDER SECTION_ID('P', 'R', 'O', 'V')   /* name and version of the analysis: state/ */
#define SECTION_PARTIAL SECTION_ID('P', 'A', 'R', 'T')    /* checkpoints of a partial history: state/ */
#define SECTION_SEGMENTS SECTION_ID('S', 'E', 'G', 'M')   /* what the segments are: segment/ */
#define SECTION_RANKS SECTION_ID('R', 'A', 'N', 'K')      /* of a side table, whose it is: segment/ */

/* Where things are in the header of a file, and in an entry of its table of sections. */
enum {
	BLOCK_AT_VERSION = 8,
	BLOCK_AT_OLDEST_READER = 12,
	BLOCK_AT_FEATURES = 16,
	BLOCK_AT_OTHER_FEATURES = 24, /* which a reader may ignore */
	BLOCK_AT_BLOCK_SIZE = 32,
	BLOCK_AT_BLOCK_COUNT = 36,
	BLOCK_AT_TABLE = 40,
	BLOCK_AT_SECTION_COUNT = 48,
	BLOCK_AT_TABLE_CRC = 52,
	BLOCK_AT_SIZE = 56,
	BLOCK_AT_CRC = 64, /* of all before it */
	BLOCK_AT_BASE = 68,
	BLOCK_AT_IDENTITY = 76,
	BLOCK_AT_TAIL_CRC = 84, /* of all before it: BASE and IDENTITY are later than CRC */

	SECTION_AT_CRC = 4,
	SECTION_AT_OFFSET = 8,
	SECTION_AT_SIZE = 16,
};

enum {
	BLOCK_HEADER_USED = 88,
	BLOCK_COPIES_OFFSET = 512,
	BLOCK_IDENTITY_OFFSET = BLOCK_FILE_HEADER_SIZE - 8,
};

enum block_feature {
	BLOCK_EXTENTS = 1,   /* blocks have sizes of their own: section EXTS */
	BLOCK_TAIL = 2,      /* the file is a tail: block_file.h */
	BLOCK_UNKNOWN = 4,   /* values may be unknown */
	BLOCK_LIFETIMES = 8, /* the section LIFE has lifetimes, also in a variant that usually has none */
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

/* Returns the bytes of a copy inside `copies`, or NULL if no copy is sound. */
const uint8_t *block_copies_find(const struct block_copies *copies, uint32_t id, size_t *size);

enum { SECTION_COUNT_MAX = 64, SECTION_ENTRY_SIZE = 24 };

/* What was read from its copy. */
enum block_damage { DAMAGED_HEADER = 1, DAMAGED_TABLE = 2 };

struct section {
	uint32_t id, crc;
	uint64_t offset, size;
};

/* Offsets and sizes are those of the whole file: in a tail, they include the part of the file before it. */
struct block_file {
	const struct io *io;
	char *path;
	int file;
	bool writing; /* made here and not complete: removed on close */
	uint32_t version;
	uint32_t block_size, block_count;
	uint64_t size;       /* bytes of the whole so far */
	uint64_t sync_begun; /* the part of it whose writing to disk has been started */
	/*
	 * With FEATURE_EXTENTS, and while writing: where each block begins, and at the end where the last one
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

/* Put the path before the message if `status` is an error.  Returns `status`. */
enum histree_status block_file_error_in(const struct block_file *file, enum histree_status status,
					struct histree_error *error);

/* Read bytes at an offset in the whole.  Blocks and sections lie as a whole on one side of the base. */
enum histree_status block_file_read_at(const struct block_file *file, void *bytes, size_t size, uint64_t offset,
				       struct histree_error *error);

/* Make a file; it must not exist (HISTREE_ERR_EXISTS).  `io` must outlive it. */
enum histree_status block_file_create(const struct io *io, const char *path, uint32_t block_size,
				      struct block_file **out, struct histree_error *error);

/* Write a block whose bytes from `size` on are zero and need not be kept. */
enum histree_status block_file_write_part(struct block_file *file, uint32_t number, const void *block,
					  uint32_t size, struct histree_error *error);

/* Write a section at once, or in any number of pieces; one section at a time. */
enum histree_status block_file_section_put(struct block_file *file, uint32_t id, const void *bytes, size_t size,
					   struct histree_error *error);
enum histree_status block_file_section_begin(struct block_file *file, uint32_t id, struct histree_error *error);
enum histree_status block_file_section_write(struct block_file *file, const void *bytes, size_t size,
					     struct histree_error *error);
void block_file_section_end(struct block_file *file);
enum histree_status block_file_complete(struct block_file *file, struct histree_error *error);

/*
 * A tail is what a file that is being written lacks to be complete in its present state
 * (docs/design/02-store-file.md): a file of its own, whose blocks are numbered on from those of `file`, and which
 * is written and completed like any other. Nothing may be written to `file` before it is completed.
 */
enum histree_status block_file_create_tail(const struct block_file *file, const char *path, struct block_file **out,
					   struct histree_error *error);

/*
 * Publish a completed tail: the file is opened with it from now on, also after a power failure.  If this fails, the
 * file is opened with the tail before it or with this one.
 */
enum histree_status block_file_publish(struct block_file *file, const struct block_file *tail,
				       struct histree_error *error);

/*
 * Write once more, from its beginning, a file that has a tail and whose writer is gone.  As long as the blocks
 * written are the ones that are there, nothing changes, and the file is as readable as it was; at the first that
 * differs the tail is removed.  Returns HISTREE_ERR_INCOMPLETE if there is no tail.
 */
enum histree_status block_file_continue(const struct io *io, const char *path, struct block_file **out,
					struct histree_error *error);

/* Remove the tail of the file at a path if it has one, because the file is to be made anew. */
void block_file_drop_tail(const struct io *io, const char *path);

/* Open for reading a file that is complete, or one that is not with the tail that was published last. */
enum histree_status block_file_open(const struct io *io, const char *path, struct block_file **out,
				    struct histree_error *error);

/* The same, but if it is no longer known which blocks belong to the file, accept what is in their place. */
enum histree_status block_file_salvage(const struct io *io, const char *path, struct block_file **out,
				       struct histree_error *error);

/*
 * Returns 8 bytes that identify a file.  Those of a complete file follow from the checksums of all blocks and
 * sections, so that equal content has equal identity; those of an incomplete file are random and stay until it is
 * complete.
 */
uint64_t block_file_identity(const struct block_file *file);

/*
 * Read a block into `block`, which has room for it; what was not kept is zero.  Returns HISTREE_ERR_FORMAT if it
 * is not the block that was written there, but one of another file or of an earlier time.  Any number of threads
 * may read.
 */
enum histree_status block_file_read(const struct block_file *file, uint32_t number, void *block,
				    struct histree_error *error);

/*
 * The same where only the first *filled bytes of `block` may be other than zero, so that many short blocks cost
 * what they are long.  *filled is then the size of this one.
 */
enum histree_status block_file_read_over(const struct block_file *file, uint32_t number, void *block,
					 uint32_t *filled, struct histree_error *error);

/* Read the first `size` bytes of a block, which has as many. */
enum histree_status block_file_peek(const struct block_file *file, uint32_t number, void *bytes, uint32_t size,
				    struct histree_error *error);

/*
 * Read the header and all sections once more; `report` gets a sentence for each that is damaged, even if its copy
 * is used instead.  Returns HISTREE_ERR_IO or HISTREE_ERR_MEMORY if it could not read all.
 */
enum histree_status block_file_check(const struct block_file *file,
				     void (*report)(void *context, const char *fault), void *context,
				     struct histree_error *error);

/*
 * Read and check a whole section; the caller frees *bytes.  Returns HISTREE_ERR_FORMAT if it is missing or damaged.
 */
enum histree_status block_file_section(const struct block_file *file, uint32_t id, uint8_t **bytes, size_t *size,
				       struct histree_error *error);

/*
 * Returns the size of the first section with this id, by its entry, or 0 if there is no such section; it is not
 * read.
 */
uint64_t block_file_section_size(const struct block_file *file, uint32_t id);

/* Returns how many bytes of that section are worth memory, damaged or not (block_file.h). */
uint64_t block_file_section_worth(const struct block_file *file, uint32_t id);

/* Open a file that is not complete with the tail at `tail_path`. */
enum histree_status block_file_open_with_tail(const struct io *io, const char *path, const char *tail_path,
					      struct block_file **out, struct histree_error *error);

/* Returns the size of all blocks together. */
uint64_t block_file_block_bytes(const struct block_file *file);

/*
 * Close a file, or do nothing if it is NULL.  One that was being made is removed unless it is complete or has a
 * tail.
 */
void block_file_close(struct block_file *file);

#endif
