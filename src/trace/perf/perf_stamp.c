// SPDX-License-Identifier: MIT
#include "trace/perf/perf_stamp.h"

static uint16_t cpu_number(uint32_t cpu)
{
	return cpu < PERF_NO_CPU ? (uint16_t)cpu : PERF_NO_CPU;
}

/* The attribute that has the id at an offset; NULL: none. */
static const struct perf_number *find(const struct perf_file *file, const struct perf_record *record, size_t offset)
{
	static const struct perf_number first = { 0 };
	if (file->attribute_count == 1)
		return &first;
	if (offset == 0 || offset > record->size - 8)
		return NULL;
	return id_map_find(&file->ids, ordered_u64(record->bytes + offset, file->is_big));
}

bool perf_stamp_of_sample(const struct perf_file *file, const struct perf_record *record, struct perf_stamp *out)
{
	const struct perf_attribute *first = &file->attributes[0];
	const struct perf_number *number =
		find(file, record, first->identifier != 0 ? first->identifier : first->id);
	if (number == NULL)
		return false;
	const struct perf_attribute *attribute = &file->attributes[number->number];
	if (record->size < attribute->body)
		return false;
	*out = (struct perf_stamp){ .cpu = PERF_NO_CPU, .attribute = (uint16_t)number->number };
	if (attribute->cpu != 0)
		out->cpu = cpu_number(ordered_u32(record->bytes + attribute->cpu, file->is_big));
	out->has_time =
		perf_file_time(file, ordered_u64(record->bytes + attribute->time, file->is_big), &out->time);
	return out->has_time;
}

struct perf_stamp perf_stamp_of_side(const struct perf_file *file, const struct perf_record *record)
{
	const struct perf_attribute *first = &file->attributes[0], *attribute = first;
	struct perf_stamp stamp = { .cpu = PERF_NO_CPU };
	if (first->trailer_id != 0 && first->trailer_id <= record->size) {
		const struct perf_number *number = find(file, record, record->size - first->trailer_id);
		attribute = number == NULL ? first : &file->attributes[number->number];
	}
	if (!attribute->has_trailers || attribute->trailer_size + (size_t)PERF_RECORD_HEAD_SIZE > record->size)
		return stamp;
	const uint8_t *end = record->bytes + record->size;
	if (attribute->trailer_cpu != 0)
		stamp.cpu = cpu_number(ordered_u32(end - attribute->trailer_cpu, file->is_big));
	if (attribute->trailer_time != 0) {
		uint64_t clock = ordered_u64(end - attribute->trailer_time, file->is_big);
		stamp.has_time = clock != 0 && perf_file_time(file, clock, &stamp.time);
	}
	return stamp;
}
