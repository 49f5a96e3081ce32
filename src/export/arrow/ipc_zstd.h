/* SPDX-License-Identifier: MIT */
/*
 * ipc_zstd.h - buffers compressed by zstd; without the library (without/zstd.c), none are.
 */
#ifndef EXPORT_ARROW_IPC_ZSTD_H
#define EXPORT_ARROW_IPC_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

struct ipc_zstd;

/* Whether there is any. */
extern const bool ipc_has_zstd;

/* Returns NULL if memory is out.  Level 1 to 19. */
struct ipc_zstd *ipc_zstd_create(int level);

/* Returns how much room compressing needs. */
size_t ipc_zstd_bound(size_t size);

/* Returns how many bytes there are in `out`; 0 if memory is out. */
size_t ipc_zstd_compress(struct ipc_zstd *zstd, const void *bytes, size_t size, void *out, size_t room);
void ipc_zstd_free(struct ipc_zstd *zstd);

#endif
