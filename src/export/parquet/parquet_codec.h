/* SPDX-License-Identifier: MIT */
/*
 * parquet_codec.h - compresses pages by zstd, or leaves them as they are.
 *
 * Without zstd (without/zstd.c) there is no compression, and no codec that would compress.
 */
#ifndef EXPORT_PARQUET_PARQUET_CODEC_H
#define EXPORT_PARQUET_PARQUET_CODEC_H

#include "export/parquet/parquet_encoding.h"

struct parquet_codec {
	void *context; /* of zstd; NULL: pages stay as they are */
	int level;
};

/* Returns whether pages can be compressed at all. */
bool parquet_codec_has_zstd(void);

/* Have one that compresses; level 1 to 19.  Returns false if memory is out, or zstd is not there. */
bool parquet_codec_init(struct parquet_codec *codec, int level);

/* Put a page at the end of `out`, compressed. */
void parquet_codec_put(const struct parquet_codec *codec, struct parquet_bytes *out, const uint8_t *page,
		       size_t size);

void parquet_codec_release(struct parquet_codec *codec);

#endif
