/* SPDX-License-Identifier: MIT */
/*
 * section_writer.h - the bytes of a section on their way to a file, gathered to pieces.
 *
 * After the first failure, which is kept, nothing is written any more: so it is enough to ask once, at the end.
 */
#ifndef STATE_SECTION_WRITER_H
#define STATE_SECTION_WRITER_H

#include "base/block_directory.h"
#include "histree/status.h"

/* Where the bytes go, in pieces. */
struct section_sink {
	enum histree_status (*write)(void *context, const void *bytes, size_t size, struct histree_error *error);
	void *context;
};

struct section_writer {
	const struct section_sink *sink;
	struct histree_error *error;
	enum histree_status status;
	uint8_t *bytes;
	size_t used;
	uint64_t size; /* of everything so far */
};

enum histree_status section_writer_init(struct section_writer *writer, const struct section_sink *sink,
					struct histree_error *error);
void section_writer_put(struct section_writer *writer, const void *bytes, size_t size);
void section_writer_put_varint(struct section_writer *writer, uint64_t number);

/* A directory of the blocks of `size` bytes that were put just before; the offsets are released. */
void section_writer_put_directory(struct section_writer *writer, struct block_offsets *offsets, uint64_t size);

void section_writer_no_memory(struct section_writer *writer);

/* Write what is left, and let go of everything. */
enum histree_status section_writer_finish(struct section_writer *writer);

#endif
