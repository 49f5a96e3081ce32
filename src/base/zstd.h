/* SPDX-License-Identifier: MIT */
/*
 * zstd.h - bytes packed by zstd, and unpacked: blocks, and streams that come in pieces.
 *
 * Without the library (without/zstd.c) nothing is packed and nothing can be unpacked: a caller checks zstd_is_there
 * first, and says what to install.
 */
#ifndef BASE_ZSTD_H
#define BASE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const bool zstd_is_there;

struct zstd_packer;

/* Level 1 to 19.  Returns NULL if memory runs out. */
struct zstd_packer *zstd_packer_create(int level);

/* Returns how much room packing needs. */
size_t zstd_pack_bound(size_t size);

/* Pack a block.  Returns how many bytes there are in `out`; 0 if memory runs out. */
size_t zstd_pack(struct zstd_packer *packer, const void *bytes, size_t size, void *out, size_t room);
void zstd_packer_free(struct zstd_packer *packer);

/* Unpack a block.  Returns whether it gave exactly `room_size` bytes. */
bool zstd_unpack(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size);

struct zstd_stream;

/* A stream to be unpacked, which refers back 2^27 bytes at most.  Returns NULL if memory runs out. */
struct zstd_stream *zstd_stream_create(void);

/*
 * Unpack from `bytes` of which `*used` were used up before, into `room`. Returns how many bytes were unpacked, or
 * SIZE_MAX if the bytes are not part of the stream.  If it returns 0 with `*used` at the size, it needs more bytes.
 */
size_t zstd_stream_unpack(struct zstd_stream *stream, const uint8_t *bytes, size_t size, size_t *used,
			  uint8_t *room, size_t room_size);
void zstd_stream_free(struct zstd_stream *stream);

#endif
