/* SPDX-License-Identifier: MIT */
/*
 * block_file.h - a file of blocks, followed by named sections.
 *
 *	0			header, 4096 bytes: magic, versions, features, block size, where the table is
 *	4096 + k * block size	block k
 *	after the blocks	sections, then the table of sections
 *
 * A block begins with its checksum (4 bytes), which the section SUMS has once more.
 *
 * A block may be written shorter than the block size; the section EXTS then says how long each of them is, and
 * they follow one another without gaps.
 *
 * A file is made once and then never changes.  It is written by one thread: blocks in the order of their numbers,
 * then sections one after the other, then block_file_complete(), which writes the header last.  Before that it can
 * be read with a tail (block_tail.c).  It knows nothing of what the blocks mean.
 *
 * The bytes are described in histree-format(5).
 */
#ifndef STORE_BLOCK_FILE_H
#define STORE_BLOCK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "histree/status.h"
#include "store/block_format.h"

struct block_file;

/* Make a file; it must not exist (HISTREE_ERR_EXISTS).  `io` must outlive it. */
enum histree_status block_file_create(const struct io *io, const char *path, uint32_t block_size,
				      struct block_file **out, struct histree_error *error);
/* Write a block.  Numbers are 0, 1, 2, ... */
enum histree_status block_file_write(struct block_file *file, uint32_t number, const void *block,
				     struct histree_error *error);

/* Write a block whose bytes from `size` on are zero and need not be kept. */
enum histree_status block_file_write_part(struct block_file *file, uint32_t number, const void *block,
					  uint32_t size, struct histree_error *error);

/* Say in the header that readers must know unknown values. */
void block_file_has_unknown(struct block_file *file);

/* Say in the header that readers must know the section LIFE, in a tree of a variant that never had one. */
void block_file_need_lifetimes(struct block_file *file);

/* Returns whether the header says so. */
bool block_file_needs_lifetimes(const struct block_file *file);

/*
 * Say in the header that the file has only some of a history, and in the section PART how the rest is made again.
 */
void block_file_make_partial(struct block_file *file);

/* Returns whether the header says so. */
bool block_file_is_partial(const struct block_file *file);

/* Write a section in any number of pieces; one section at a time. */
enum histree_status block_file_section_begin(struct block_file *file, uint32_t id, struct histree_error *error);
enum histree_status block_file_section_write(struct block_file *file, const void *bytes, size_t size,
					     struct histree_error *error);
void block_file_section_end(struct block_file *file);

enum histree_status block_file_complete(struct block_file *file, struct histree_error *error);

/*
 * A tail is what a file being written lacks to be whole as it is now (docs/design/0006-trust.md): a file
 * of its own, whose blocks are numbered on from those of `file`, and which is written and completed like any other.
 * Nothing may be written to `file` before it is completed.
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

/*
 * The same; if nobody can say any more which blocks are those of the file, then whatever is in their place will do.
 */
enum histree_status block_file_salvage(const struct io *io, const char *path, struct block_file **out,
				       struct histree_error *error);

/*
 * Returns 8 bytes by which a file is told from others.  Those of a complete one follow from the checksums of all
 * blocks and sections, so that the same content has the same identity; those of one that is not are random, and it
 * has them until it is complete.
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

/* Returns the bytes that the first section with this id says it has, or 0 if there is none: none is read. */
uint64_t block_file_section_size(const struct block_file *file, uint32_t id);

/* Returns how many bytes of that section are worth memory, be they damaged or not (section_pages.h). */
uint64_t block_file_section_worth(const struct block_file *file, uint32_t id);

/* Open a file that is not complete with the tail at `tail_path`. */
enum histree_status block_file_open_with_tail(const struct io *io, const char *path, const char *tail_path,
					      struct block_file **out, struct histree_error *error);

/* Returns false if the file was opened with a tail. */
bool block_file_is_complete(const struct block_file *file);

const char *block_file_path(const struct block_file *file);
uint32_t block_file_version(const struct block_file *file);
uint32_t block_file_block_size(const struct block_file *file);
uint32_t block_file_block_count(const struct block_file *file);
uint64_t block_file_bytes(const struct block_file *file);

/* Returns how many bytes of a block are in the file; those after them are zero. */
uint32_t block_file_kept_bytes(const struct block_file *file, uint32_t number);

/* Returns the size of all blocks together. */
uint64_t block_file_block_bytes(const struct block_file *file);

/*
 * Close a file, or do nothing if it is NULL.  One that was being made is removed unless it is complete or has a
 * tail.
 */
void block_file_close(struct block_file *file);

#endif
