// SPDX-License-Identifier: MIT
#include "export/arrow/ipc_zstd.h"

#include <zstd.h>

const bool ipc_has_zstd = true;

struct ipc_zstd *ipc_zstd_create(int level)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	if (context != NULL && ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level))) {
		ZSTD_freeCCtx(context);
		context = NULL;
	}
	return (struct ipc_zstd *)context;
}

size_t ipc_zstd_bound(size_t size)
{
	return ZSTD_compressBound(size);
}

size_t ipc_zstd_compress(struct ipc_zstd *zstd, const void *bytes, size_t size, void *out, size_t room)
{
	size_t done = ZSTD_compress2((ZSTD_CCtx *)zstd, out, room, bytes, size);
	return ZSTD_isError(done) ? 0 : done;
}

void ipc_zstd_free(struct ipc_zstd *zstd)
{
	ZSTD_freeCCtx((ZSTD_CCtx *)zstd);
}
