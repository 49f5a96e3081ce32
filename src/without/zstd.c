// SPDX-License-Identifier: MIT
/*
 * zstd.c - without libzstd: no columns are compressed, and there is no codec that would.
 */
#include "export/arrow/ipc_zstd.h"
#include "export/parquet/parquet_codec.h"
#include "trace/perf/perf_unpack.h"
#include "trace/trace_cmd/dat_unpack.h"
#include "without/without.h"

/* ---- traces ---------------------------------------------------------------------------------------------- */

const bool dat_has_zstd = false;

bool dat_unpack_zstd(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	return false;
}

enum histree_status perf_unpack_create(struct perf_unpack **out, struct histree_error *error)
{
	*out = NULL;
	return error_set(
		error, HISTREE_ERR_TRACE,
		"its records are compressed (perf record -z), and this histree was built without zstd; build "
		"it with libzstd (Debian: libzstd-dev), or record without -z");
}

size_t perf_unpack(struct perf_unpack *unpack, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		   size_t room_size)
{
	return SIZE_MAX;
}

void perf_unpack_free(struct perf_unpack *unpack)
{
}

/* ---- columns --------------------------------------------------------------------------------------------- */

const bool ipc_has_zstd = false;

struct ipc_zstd *ipc_zstd_create(int level)
{
	return NULL;
}

size_t ipc_zstd_bound(size_t size)
{
	return size;
}

size_t ipc_zstd_compress(struct ipc_zstd *zstd, const void *bytes, size_t size, void *out, size_t room)
{
	return 0;
}

void ipc_zstd_free(struct ipc_zstd *zstd)
{
}

bool parquet_codec_has_zstd(void)
{
	return false;
}

bool parquet_codec_init(struct parquet_codec *codec, int level)
{
	*codec = (struct parquet_codec){ 0 };
	return false;
}

void parquet_codec_put(const struct parquet_codec *codec, struct parquet_bytes *out, const uint8_t *page,
		       size_t size)
{
	parquet_bytes_put(out, page, size);
}

void parquet_codec_release(struct parquet_codec *codec)
{
}
