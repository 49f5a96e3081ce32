/* SPDX-License-Identifier: MIT */
/*
 * rle_hybrid.h - small numbers as runs of one number and as groups of eight packed bits (Parquet, Encodings.md,
 * RLE).
 *
 * A run begins at a multiple of eight from the beginning of the packed numbers before it, since only there it needs
 * no padding; runs of less than eight numbers are packed.
 */
#ifndef EXPORT_PARQUET_RLE_HYBRID_H
#define EXPORT_PARQUET_RLE_HYBRID_H

#include "export/parquet/parquet_bytes.h"

/* Put the numbers at the end; each has at most `width` bits, 0 to 32. */
void rle_hybrid_put(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count, unsigned width);

/* Put definition levels: 1 where there is a value.  NULL: it is `level` everywhere. */
void rle_hybrid_put_levels(struct parquet_bytes *bytes, const uint8_t *levels, uint8_t level, size_t count);

#endif
