/* SPDX-License-Identifier: MIT */
/*
 * block_file.h - a file of blocks, followed by named sections.
 *
 *	0			header, 4096 bytes: magic, versions, features, block size, where the table is
 *	4096 + k * block size	block k
 *	after the blocks	sections, then the table of sections
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
/* Numbers are 0, 1, 2, ... */
enum histree_status block_file_write(struct block_file *file, uint32_t number, const void *block,
				     struct histree_error *error);

/* A block whose bytes from `size` on are zero and need not be kept. */
enum histree_status block_file_write_part(struct block_file *file, uint32_t number, const void *block,
					  uint32_t size, struct histree_error *error);

/* Readers must know that values may be unknown. */
void block_file_has_unknown(struct block_file *file);

/* A section, in as many pieces as its writer likes.  One at a time. */
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
 * A completed tail becomes the one with which the file is opened from now on, also after a failure of power.  If
 * this fails, that is the one before it or this one.
 */
enum histree_status block_file_publish(struct block_file *file, const struct block_file *tail,
				       struct histree_error *error);

/*
 * Go on with a file that has a tail and whose writer is gone, from its beginning: as long as the blocks written are
 * the ones that are there, nothing changes; at the first that differs the tail is removed.  Until then the file is
 * as readable as it was.  HISTREE_ERR_INCOMPLETE: there is no tail.
 */
enum histree_status block_file_continue(const struct io *io, const char *path, struct block_file **out,
					struct histree_error *error);

/* Remove the tail of the file at a path, if it has one: it is to be made anew. */
void block_file_drop_tail(const struct io *io, const char *path);

/* Open for reading a file that is complete, or one that is not with the tail that was published last. */
enum histree_status block_file_open(const struct io *io, const char *path, struct block_file **out,
				    struct histree_error *error);

/* Any number of threads may read at once.  `block` has room for one block; what was not kept is zero. */
enum histree_status block_file_read(const struct block_file *file, uint32_t number, void *block,
				    struct histree_error *error);

/* The first `size` bytes of a block, which has as many. */
enum histree_status block_file_peek(const struct block_file *file, uint32_t number, void *bytes, uint32_t size,
				    struct histree_error *error);

/*
 * Read the header and all sections once more; `report` gets a sentence for each that is damaged, also where a copy
 * stands in for it.  HISTREE_ERR_IO, HISTREE_ERR_MEMORY.
 */
enum histree_status block_file_check(const struct block_file *file,
				     void (*report)(void *context, const char *fault), void *context,
				     struct histree_error *error);

/* The whole section, checked; the caller frees *bytes.  HISTREE_ERR_FORMAT if it is missing or damaged. */
enum histree_status block_file_section(const struct block_file *file, uint32_t id, uint8_t **bytes, size_t *size,
				       struct histree_error *error);

/* The same with the tail at a path of its own. */
enum histree_status block_file_open_with_tail(const struct io *io, const char *path, const char *tail_path,
					      struct block_file **out, struct histree_error *error);

/* False: it was opened with a tail. */
bool block_file_is_complete(const struct block_file *file);

const char *block_file_path(const struct block_file *file);
uint32_t block_file_version(const struct block_file *file);
uint32_t block_file_block_size(const struct block_file *file);
uint32_t block_file_block_count(const struct block_file *file);
uint64_t block_file_bytes(const struct block_file *file);

/* Of all blocks together. */
uint64_t block_file_block_bytes(const struct block_file *file);

/* Close; a file that was being made and has neither been completed nor a tail is removed.  NULL is fine. */
void block_file_close(struct block_file *file);

#endif
