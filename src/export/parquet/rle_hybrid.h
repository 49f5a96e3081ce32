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

/*
 * Put the numbers at the end; each has at most `width` bits, 0 to 32.  They are all that a page has: the last
 * group is filled up with zeros.
 */
void rle_hybrid_put(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count, unsigned width);

/* Put the same number `count` times. */
void rle_hybrid_put_run(struct parquet_bytes *bytes, uint32_t number, size_t count, unsigned width);

#endif
