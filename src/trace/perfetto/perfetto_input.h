/* SPDX-License-Identifier: MIT */
/*
 * perfetto_input.h - the bytes of a trace from front to back, unpacked where the file is in gzip.
 */
#ifndef TRACE_PERFETTO_PERFETTO_INPUT_H
#define TRACE_PERFETTO_PERFETTO_INPUT_H

#include "trace/perfetto/perfetto_inflate.h"
#include "trace/trace_window.h"

/* A zeroed one is closed. */
struct perfetto_input {
	struct trace_window window;
	uint64_t size;                   /* of the file */
	uint64_t at;                     /* of what comes next; in gzip: of what is to be unpacked next */
	struct perfetto_inflate *unpack; /* NULL: it is not packed */
	uint8_t *plain;                  /* what was unpacked; it is taken up to `taken` */
	size_t taken, count, capacity;
	bool is_broken; /* what is packed is damaged, or ends before its end */
};

/* `path` outlives it.  Returns HISTREE_ERR_IO, HISTREE_ERR_TRACE (no zlib), HISTREE_ERR_MEMORY. */
enum histree_status perfetto_input_open(struct perfetto_input *input, const char *path,
					struct histree_error *error);

void perfetto_input_close(struct perfetto_input *input);

/*
 * Look at the next bytes, `size` of them or what is left.  They are borrowed until the next call.  No more memory is
 * taken than the input has bytes.
 */
enum histree_status perfetto_input_see(struct perfetto_input *input, size_t size, const uint8_t **bytes,
				       size_t *count, struct histree_error *error);

/* Go on behind bytes that were seen. */
void perfetto_input_take(struct perfetto_input *input, size_t size);

#endif
