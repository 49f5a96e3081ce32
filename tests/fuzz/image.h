/* SPDX-License-Identifier: MIT */
/*
 * image.h - a history file as the input of fuzz_file.c: pieces, each with its size (2 bytes) before it.
 *
 * A piece goes to the next multiple of 4096 bytes; what it does not fill is zero.  So an input is about as long as
 * what it says, and a change of length moves nothing else.
 */
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum { IMAGE_PIECE_SIZE = 4096, IMAGE_PIECES_MAX = 64 };

/* The file of an input, with every checksum made right.  The caller frees it; NULL when memory is out. */
uint8_t *image_unpack(const uint8_t *bytes, size_t size, size_t *image_size);

/* The input that becomes this file.  `packed` has room for `size` bytes and 2 for each piece. */
size_t image_pack(const uint8_t *image, size_t size, uint8_t *packed);

#endif
