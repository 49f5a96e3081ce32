/* SPDX-License-Identifier: MIT */
/*
 * perf_records.h - the records of a perf.data one after the other, those inside compressed ones in their place.
 *
 * Where a record is damaged, all up to the next end of a round is lost: an end of a round is 8 bytes that nothing
 * else looks like.
 */
#ifndef TRACE_PERF_PERF_RECORDS_H
#define TRACE_PERF_PERF_RECORDS_H

#include "trace/perf/perf_file.h"
#include "trace/perf/perf_unpack.h"
#include "trace/unpack_limit.h"

struct perf_record {
	const uint8_t *bytes; /* valid until the next call */
	size_t size;          /* of them: head and rest */
	uint32_t type;
};

struct perf_records {
	struct perf_part *part;
	size_t window_size;
	uint64_t at;   /* in the file, of the record that comes next */
	uint64_t last; /* in the file, of the record that came last, or that it was in */

	struct perf_unpack *unpack; /* NULL: nothing compressed was met */
	uint8_t *packed;            /* a compressed record */
	size_t packed_size, packed_used;
	struct unpack_limit limit;
	uint8_t *plain; /* records out of it */
	size_t plain_at, plain_size;
};

/* Begin at an offset of the part, which is that of a record.  Returns HISTREE_ERR_TRACE, HISTREE_ERR_MEMORY. */
enum histree_status perf_records_init(struct perf_records *records, struct perf_part *part, size_t window_size,
				      uint64_t at, struct histree_error *error);

void perf_records_release(struct perf_records *records);

/*
 * Returns HISTREE_END behind the last record; HISTREE_ERR_TRACE, with the reason, if what comes next is no record;
 * HISTREE_ERR_IO, likewise, if it cannot be read; HISTREE_ERR_MEMORY.
 */
enum histree_status perf_records_next(struct perf_records *records, struct perf_record *out,
				      struct histree_error *error);

/* Behind damage: go on at the next end of a round.  Returns HISTREE_END if there is none; else as above. */
enum histree_status perf_records_resume(struct perf_records *records, struct histree_error *error);

#endif
