/* SPDX-License-Identifier: MIT */
/*
 * perf_attribute.h - one event that perf was told to record: how its samples are laid out.
 */
#ifndef TRACE_PERF_PERF_ATTRIBUTE_H
#define TRACE_PERF_PERF_ATTRIBUTE_H

#include <stddef.h>

#include "histree/status.h"
#include "trace/perf/perf_format.h"

/* Offsets are from the start of the record; 0: the sample has no such part. */
struct perf_attribute {
	uint32_t type;
	uint64_t config;
	uint64_t sample_type; /* bits of enum perf_sample_part */
	uint64_t read_format;
	uint64_t fixed_period; /* of each sample; 0: it varies */
	bool has_trailers;     /* records that are no samples end with the parts that say when and where */
	uint16_t identifier, ip, tid, time, id, stream_id, cpu, period;
	uint16_t body; /* where the parts of fixed size end */
	/* In trailers: bytes from the end of the record. */
	uint16_t trailer_size, trailer_time, trailer_id, trailer_cpu;
};

/* From so many bytes, at least PERF_ATTRIBUTE_SIZE_MIN. */
void perf_attribute_read(struct perf_attribute *attribute, const uint8_t *bytes, bool is_big);

/* The counters of a group that a sample read: pairs of a value and an id, among others. */
struct perf_group {
	const uint8_t *enabled,
		*running;      /* ns so far: since it was begun, and what of it it counted; NULL: not said */
	const uint8_t *values; /* the first value; its id follows */
	uint64_t count;
	size_t stride;
};

/* Whether samples have such a group, with ids. */
static inline bool perf_attribute_reads_group(const struct perf_attribute *attribute)
{
	return (attribute->sample_type & PERF_HAS_READ) != 0 && (attribute->read_format & PERF_READ_GROUP) != 0 &&
	       (attribute->read_format & PERF_READ_ID) != 0;
}

/* Returns the group of a sample of such an attribute; of no counters if the sample is shorter than it says. */
struct perf_group perf_attribute_group(const struct perf_attribute *attribute, const uint8_t *record,
				       size_t record_size, bool is_big);

/*
 * Returns the call chain of a sample, numbers of 64 bits from the innermost on, and how many; NULL if it has none,
 * or is shorter than it says.
 */
const uint8_t *perf_attribute_chain(const struct perf_attribute *attribute, const uint8_t *record,
				    size_t record_size, bool is_big, uint64_t *count);

/* Whether its samples say where a program was: those of tracepoints with call chains, and all others. */
bool perf_attribute_samples(const struct perf_attribute *attribute);

/*
 * Returns the raw data of a sample, those of the tracepoint, and their size; NULL if the sample has none or is
 * shorter than it says.
 */
const uint8_t *perf_attribute_raw(const struct perf_attribute *attribute, const uint8_t *record, size_t record_size,
				  bool is_big, uint32_t *size);

#endif
