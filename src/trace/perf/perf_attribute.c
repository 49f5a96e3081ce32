// SPDX-License-Identifier: MIT
#include "trace/perf/perf_attribute.h"

/* Bit fields are laid out from the other end where the byte order is the other. */
static uint64_t reverse_bits(uint64_t bits)
{
	uint64_t reversed = 0;
	for (unsigned i = 0; i < 64; i++)
		reversed |= (bits >> i & 1) << (63 - i);
	return reversed;
}

/* Returns where a part of 8 bytes begins, and moves on behind it; 0 if there is none. */
static uint16_t take(uint64_t sample_type, uint64_t part, uint16_t *at)
{
	uint16_t begin = *at;
	if ((sample_type & part) == 0)
		return 0;
	*at = (uint16_t)(begin + 8);
	return begin;
}

static void lay_out_samples(struct perf_attribute *attribute)
{
	uint64_t type = attribute->sample_type;
	uint16_t at = PERF_RECORD_HEAD_SIZE;
	attribute->identifier = take(type, PERF_HAS_IDENTIFIER, &at);
	attribute->ip = take(type, PERF_HAS_IP, &at);
	attribute->tid = take(type, PERF_HAS_TID, &at);
	attribute->time = take(type, PERF_HAS_TIME, &at);
	take(type, PERF_HAS_ADDRESS, &at);
	attribute->id = take(type, PERF_HAS_ID, &at);
	attribute->stream_id = take(type, PERF_HAS_STREAM_ID, &at);
	attribute->cpu = take(type, PERF_HAS_CPU, &at);
	attribute->period = take(type, PERF_HAS_PERIOD, &at);
	attribute->body = at;
}

/* From the end of a record backwards: identifier, CPU, stream, id, time, thread. */
static void lay_out_trailers(struct perf_attribute *attribute)
{
	uint64_t type = attribute->sample_type;
	uint16_t back = 8; /* what is taken ends so many bytes before the end, less 8 */
	uint16_t identifier = take(type, PERF_HAS_IDENTIFIER, &back);
	attribute->trailer_cpu = take(type, PERF_HAS_CPU, &back);
	take(type, PERF_HAS_STREAM_ID, &back);
	attribute->trailer_id = take(type, PERF_HAS_ID, &back);
	attribute->trailer_time = take(type, PERF_HAS_TIME, &back);
	take(type, PERF_HAS_TID, &back);
	if (identifier != 0)
		attribute->trailer_id = identifier;
	attribute->trailer_size = (uint16_t)(back - 8);
}

/* Offsets: struct perf_event_attr in include/uapi/linux/perf_event.h. */
void perf_attribute_read(struct perf_attribute *attribute, const uint8_t *bytes, bool is_big)
{
	enum { IS_FREQUENCY = 1 << 10, SAMPLE_ID_ALL = 1 << 18 };
	uint64_t flags = ordered_u64(bytes + 40, is_big);
	if (is_big)
		flags = reverse_bits(flags);
	*attribute = (struct perf_attribute){
		.type = ordered_u32(bytes, is_big),
		.config = ordered_u64(bytes + 8, is_big),
		.sample_type = ordered_u64(bytes + 24, is_big),
		.read_format = ordered_u64(bytes + 32, is_big),
		.fixed_period = (flags & IS_FREQUENCY) == 0 ? ordered_u64(bytes + 16, is_big) : 0,
		.has_trailers = (flags & SAMPLE_ID_ALL) != 0,
	};
	lay_out_samples(attribute);
	lay_out_trailers(attribute);
}

/* Returns the bytes that a part of type PERF_HAS_READ takes; SIZE_MAX if there are not so many. */
static size_t read_size(uint64_t format, const uint8_t *at, size_t left, bool is_big)
{
	size_t times =
		8 * (size_t)(((format & PERF_READ_TIME_ENABLED) != 0) + ((format & PERF_READ_TIME_RUNNING) != 0));
	size_t value = 8 + 8 * (size_t)(((format & PERF_READ_ID) != 0) + ((format & PERF_READ_LOST) != 0));
	if ((format & PERF_READ_GROUP) == 0)
		return times + value;
	if (left < 8)
		return SIZE_MAX;
	uint64_t count = ordered_u64(at, is_big);
	return count > left / value ? SIZE_MAX : 8 + times + (size_t)count * value;
}

struct perf_group perf_attribute_group(const struct perf_attribute *attribute, const uint8_t *record,
				       size_t record_size, bool is_big)
{
	const uint64_t format = attribute->read_format;
	const size_t at = attribute->body;
	if (at > record_size || read_size(format, record + at, record_size - at, is_big) > record_size - at)
		return (struct perf_group){ .count = 0 };
	const bool has_enabled = (format & PERF_READ_TIME_ENABLED) != 0;
	const bool has_running = (format & PERF_READ_TIME_RUNNING) != 0;
	const uint8_t *times = record + at + 8, *running = times + (has_enabled ? 8 : 0);
	return (struct perf_group){ .enabled = has_enabled ? times : NULL,
				    .running = has_running ? running : NULL,
				    .values = running + (has_running ? 8 : 0),
				    .count = ordered_u64(record + at, is_big),
				    .stride = (format & PERF_READ_LOST) != 0 ? 24 : 16 };
}

/* Returns where the call chain of a sample would be; SIZE_MAX if it is shorter than it says. */
static size_t chain_place(const struct perf_attribute *attribute, const uint8_t *record, size_t record_size,
			  bool is_big)
{
	size_t at = attribute->body;
	if (at > record_size || (attribute->sample_type & PERF_HAS_READ) == 0)
		return at > record_size ? SIZE_MAX : at;
	size_t part = read_size(attribute->read_format, record + at, record_size - at, is_big);
	return part > record_size - at ? SIZE_MAX : at + part;
}

const uint8_t *perf_attribute_chain(const struct perf_attribute *attribute, const uint8_t *record,
				    size_t record_size, bool is_big, uint64_t *count)
{
	size_t at = chain_place(attribute, record, record_size, is_big);
	*count = 0;
	if ((attribute->sample_type & PERF_HAS_CALLCHAIN) == 0 || at == SIZE_MAX || record_size - at < 8)
		return NULL;
	uint64_t said = ordered_u64(record + at, is_big);
	if (said > (record_size - at - 8) / 8)
		return NULL;
	*count = said;
	return record + at + 8;
}

bool perf_attribute_samples(const struct perf_attribute *attribute)
{
	const bool is_software = attribute->type == PERF_TYPE_IS_SOFTWARE;
	if (attribute->type == PERF_TYPE_IS_TRACEPOINT)
		return (attribute->sample_type & PERF_HAS_CALLCHAIN) != 0;
	return !is_software || (attribute->config != PERF_COUNTS_NOTHING && attribute->config != PERF_BPF_OUTPUT);
}

const uint8_t *perf_attribute_raw(const struct perf_attribute *attribute, const uint8_t *record, size_t record_size,
				  bool is_big, uint32_t *size)
{
	size_t at = chain_place(attribute, record, record_size, is_big);
	if ((attribute->sample_type & PERF_HAS_RAW) == 0 || at == SIZE_MAX)
		return NULL;
	if ((attribute->sample_type & PERF_HAS_CALLCHAIN) != 0) {
		uint64_t count;
		const uint8_t *chain = perf_attribute_chain(attribute, record, record_size, is_big, &count);
		if (chain == NULL)
			return NULL;
		at = (size_t)(chain - record) + 8 * (size_t)count;
	}
	if (record_size - at < 4)
		return NULL;
	*size = ordered_u32(record + at, is_big);
	at += 4;
	return *size > record_size - at ? NULL : record + at;
}
