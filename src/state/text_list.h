/* SPDX-License-Identifier: MIT */
/*
 * text_list.h - byte strings by number, read where they lie.
 *
 * A block has 32 of them: the smallest size, a varint; the width of the sizes, a byte; as bits, each size above the
 * smallest; then the strings, one after the other.  The directory of the blocks follows (base/block_directory.h).
 */
#ifndef STATE_TEXT_LIST_H
#define STATE_TEXT_LIST_H

#include "base/intern.h"
#include "state/section_writer.h"

struct text_list {
	struct block_directory blocks;
	uint32_t count;
};

/* Returns the size of the blocks. */
uint64_t text_list_save(const struct intern *texts, struct section_writer *writer);

struct text_list text_list_read(struct byte_reader *reader, uint64_t size, uint32_t count);

/* The bytes of one; failed if there is no such number, or it makes no sense. */
struct byte_reader text_list_get(const struct text_list *list, uint64_t number);

#endif
