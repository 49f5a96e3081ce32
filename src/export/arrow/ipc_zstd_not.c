// SPDX-License-Identifier: MIT
/*
 * ipc_zstd.h without zstd.
 */
#include "export/arrow/ipc_zstd.h"

const bool ipc_has_zstd = false;

struct ipc_zstd *ipc_zstd_create(int level)
{
	(void)level;
	return NULL;
}

size_t ipc_zstd_bound(size_t size)
{
	return size;
}

size_t ipc_zstd_compress(struct ipc_zstd *zstd, const void *bytes, size_t size, void *out, size_t room)
{
	(void)zstd;
	(void)bytes;
	(void)size;
	(void)out;
	(void)room;
	return 0;
}

void ipc_zstd_free(struct ipc_zstd *zstd)
{
	(void)zstd;
}
