// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_codec.h"

#include <zstd.h>

bool parquet_codec_has_zstd(void)
{
	return true;
}

bool parquet_codec_init(struct parquet_codec *codec, int level)
{
	*codec = (struct parquet_codec){ .context = ZSTD_createCCtx(), .level = level };
	return codec->context != NULL;
}

void parquet_codec_put(const struct parquet_codec *codec, struct parquet_bytes *out, const uint8_t *page,
		       size_t size)
{
	if (codec->context == NULL) {
		parquet_bytes_put(out, page, size);
		return;
	}
	size_t bound = ZSTD_compressBound(size);
	uint8_t *room = parquet_bytes_room(out, bound);
	if (room == NULL)
		return;
	size_t done = ZSTD_compressCCtx(codec->context, room, bound, page, size, codec->level);
	if (ZSTD_isError(done)) /* with room enough it is memory */
		out->failed = true;
	else
		out->size += done;
}

void parquet_codec_release(struct parquet_codec *codec)
{
	ZSTD_freeCCtx(codec->context);
	*codec = (struct parquet_codec){ 0 };
}
