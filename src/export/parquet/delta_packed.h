/* SPDX-License-Identifier: MIT */
/*
 * delta_packed.h - integers as differences of packed bits (Parquet, Encodings.md, DELTA_BINARY_PACKED).
 *
 * A block of 128 differences has its least one, and four miniblocks of 32 with a width each.  All arithmetic wraps
 * around, so that any differences come back.
 */
#ifndef EXPORT_PARQUET_DELTA_PACKED_H
#define EXPORT_PARQUET_DELTA_PACKED_H

#include "export/parquet/parquet_bytes.h"

void delta_packed_put32(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count);
void delta_packed_put64(struct parquet_bytes *bytes, const uint64_t *numbers, size_t count);

#endif
