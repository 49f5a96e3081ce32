// SPDX-License-Identifier: MIT
/*
 * parquet_codec.h without zstd.
 */
#include "export/parquet/parquet_codec.h"

bool parquet_codec_has_zstd(void)
{
	return false;
}

bool parquet_codec_init(struct parquet_codec *codec, int level)
{
	(void)level;
	*codec = (struct parquet_codec){ 0 };
	return false;
}

void parquet_codec_put(const struct parquet_codec *codec, struct parquet_bytes *out, const uint8_t *page,
		       size_t size)
{
	(void)codec;
	parquet_bytes_put(out, page, size);
}

void parquet_codec_release(struct parquet_codec *codec)
{
	(void)codec;
}
