// SPDX-License-Identifier: MIT
/*
 * Options: what trace-cmd says of the recording, a number and so many bytes each.
 */
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/trace_cmd/dat_file.h"

enum {
	OPTION_DATE = 1,
	OPTION_BUFFER = 3,
	OPTION_TRACE_CLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_OFFSET = 7,
	OPTION_CPU_COUNT = 8,
	OPTION_VERSION = 9,
	OPTION_TRACE_ID = 11,
	OPTION_TIME_SHIFT = 12,
	OPTION_TSC_TO_NS = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_BUFFER_TEXT = 22,
	NS_PER_US = 1000,
	SHIFT_MAX = 63,
	INTERPOLATES = 1, /* a flag of OPTION_TIME_SHIFT */
};

/* Samples that are farther from 0 are none; so that differences and products of two fit. */
#define SAMPLE_MAX (INT64_C(1) << 62)

static void copy_text(char *out, size_t room, const char *text, size_t size)
{
	size = strnlen(text, size);
	if (size >= room)
		size = room - 1;
	memcpy(out, text, size);
	out[size] = '\0';
}

void dat_clock_name_read(char *out, const char *text, size_t size)
{
	const char *begin = size == 0 ? NULL : memchr(text, '[', size);
	const char *end = begin == NULL ? NULL : memchr(begin, ']', size - (size_t)(begin - text));
	if (end != NULL)
		copy_text(out, DAT_CLOCK_NAME_SIZE, begin + 1, (size_t)(end - begin) - 1);
	else
		copy_text(out, DAT_CLOCK_NAME_SIZE, text, size);
}

/* ---- times ----------------------------------------------------------------------------------------------- */

/* Add a number that is written as text, in some unit, to what is added to all times. */
static enum histree_status add_offset(struct dat_file *file, const uint8_t *bytes, uint32_t size, int64_t unit,
				      struct histree_error *error)
{
	char text[64];
	copy_text(text, sizeof(text), (const char *)bytes, size);
	int64_t offset;
	if (__builtin_mul_overflow((int64_t)strtoll(text, NULL, 0), unit, &offset) ||
	    __builtin_add_overflow(file->clock.offset, offset, &file->clock.offset))
		return error_set(error, HISTREE_ERR_TRACE, "its times are moved by '%s', and are none then", text);
	return HISTREE_OK;
}

static bool read_numbers(struct trace_cursor *cursor, struct dat_shift *shift, size_t member)
{
	for (uint32_t i = 0; i < shift->count; i++)
		if (!trace_cursor_u64(cursor, (uint64_t *)((char *)&shift->samples[i] + member)))
			return false;
	return true;
}

static int compare_samples(const void *a, const void *b)
{
	const struct dat_sample *first = a, *second = b;
	return (first->time > second->time) - (first->time < second->time);
}

/* Put samples in order and leave out those that are none, and of one time all but the first. */
static void clean_samples(struct dat_shift *shift)
{
	uint32_t kept = 0;
	qsort(shift->samples, shift->count, sizeof(*shift->samples), compare_samples);
	for (uint32_t i = 0; i < shift->count; i++) {
		const struct dat_sample *sample = &shift->samples[i];
		if (sample->time >= 0 && sample->time < SAMPLE_MAX && sample->offset > -SAMPLE_MAX &&
		    sample->offset < SAMPLE_MAX && sample->fraction <= SHIFT_MAX &&
		    (kept == 0 || sample->time != shift->samples[kept - 1].time))
			shift->samples[kept++] = *sample;
	}
	shift->count = kept;
}

static enum histree_status read_samples(struct dat_file *file, struct trace_cursor *cursor, struct dat_shift *shift,
					struct histree_error *error)
{
	uint32_t count;
	if (!trace_cursor_u32(cursor, &count) || count > (cursor->end - cursor->at) / 24)
		return HISTREE_END;
	shift->samples =
		arena_allocate(&file->memory, (count + 1) * sizeof(*shift->samples), alignof(struct dat_sample));
	if (shift->samples == NULL)
		return error_memory(error, "the clock of a trace");
	memset(shift->samples, 0, (count + 1) * sizeof(*shift->samples));
	shift->count = count;
	bool has_all = read_numbers(cursor, shift, offsetof(struct dat_sample, time)) &&
		       read_numbers(cursor, shift, offsetof(struct dat_sample, offset)) &&
		       read_numbers(cursor, shift, offsetof(struct dat_sample, scaling));
	return has_all ? HISTREE_OK : HISTREE_END;
}

/* Of a guest: how far its clock is from that of its host, a list of samples a CPU. */
static enum histree_status read_time_shift(struct dat_file *file, struct trace_cursor cursor,
					   struct histree_error *error)
{
	uint64_t peer;
	uint32_t flags, count;
	if (!trace_cursor_u64(&cursor, &peer) || !trace_cursor_u32(&cursor, &flags) ||
	    !trace_cursor_u32(&cursor, &count) || count > DAT_CPUS_MAX)
		return HISTREE_OK;
	struct dat_shift *shifts =
		arena_allocate(&file->memory, (count + 1) * sizeof(*shifts), alignof(struct dat_shift));
	if (shifts == NULL)
		return error_memory(error, "the clock of a trace");
	memset(shifts, 0, (count + 1) * sizeof(*shifts));
	for (uint32_t i = 0; i < count; i++) {
		enum histree_status status = read_samples(file, &cursor, &shifts[i], error);
		if (status != HISTREE_OK)
			return status < 0 ? status : HISTREE_OK;
	}
	/* Older versions write no fractions. */
	bool has_fractions = cursor.at < cursor.end;
	for (uint32_t i = 0; i < count; i++) {
		if (has_fractions && !read_numbers(&cursor, &shifts[i], offsetof(struct dat_sample, fraction)))
			return HISTREE_OK;
		clean_samples(&shifts[i]);
	}
	file->clock.shifts = shifts;
	file->clock.shift_count = count;
	file->clock.interpolates = (flags & INTERPOLATES) != 0;
	return HISTREE_OK;
}

/* From cycles to ns.  The offset that follows is not used since trace-cmd 3.0. */
static void read_tsc(struct dat_file *file, struct trace_cursor cursor)
{
	uint32_t multiplier, shift;
	if (trace_cursor_u32(&cursor, &multiplier) && trace_cursor_u32(&cursor, &shift) && shift <= SHIFT_MAX) {
		file->clock.multiplier = multiplier;
		file->clock.shift = shift;
	}
}

/* ---- whose it is ----------------------------------------------------------------------------------------- */

/* "Linux HOST RELEASE MACHINE" */
static void read_uname(struct dat_file *file, const uint8_t *bytes, uint32_t size)
{
	char *const words[] = { file->facts.hostname, file->facts.kernel, file->machine };
	const char *at = (const char *)bytes, *end = at + strnlen(at, size);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *space = at == end ? NULL : memchr(at, ' ', (size_t)(end - at));
		if (space == NULL)
			return;
		at = space + 1;
		const char *next = at == end ? NULL : memchr(at, ' ', (size_t)(end - at));
		copy_text(words[i], TRACE_FACT_SIZE, at, (size_t)((next == NULL ? end : next) - at));
	}
}

static void read_version(struct dat_file *file, const uint8_t *bytes, uint32_t size)
{
	char text[TRACE_FACT_SIZE];
	copy_text(text, sizeof(text), (const char *)bytes, size);
	if (sscanf(text, "%9d.%9d", &file->major, &file->minor) != 2)
		file->major = file->minor = -1;
}

/* ---- buffers --------------------------------------------------------------------------------------------- */

struct dat_buffer *dat_file_add_buffer(struct dat_file *file)
{
	if (!array_reserve(&file->buffers, &file->buffer_capacity, file->buffer_count + 1))
		return NULL;
	struct dat_buffer *buffer = &file->buffers[file->buffer_count++];
	*buffer = (struct dat_buffer){ .name = "", .page_size = file->head.page_size };
	memcpy(buffer->clock, file->clock_name, sizeof(buffer->clock));
	return buffer;
}

/* Each CPU has a number, an offset and a size. */
static enum histree_status read_cpus(struct dat_file *file, struct dat_buffer *buffer, struct trace_cursor *cursor,
				     struct histree_error *error)
{
	uint32_t count;
	if (!trace_cursor_u32(cursor, &count) || count > (cursor->end - cursor->at) / 20 || count > DAT_CPUS_MAX)
		return HISTREE_END;
	buffer->cpus = arena_allocate(&file->memory, (count + 1) * sizeof(*buffer->cpus), alignof(struct dat_cpu));
	if (buffer->cpus == NULL)
		return error_memory(error, "the CPUs of a trace");
	for (; count > 0; count--) {
		struct dat_cpu cpu = { 0 };
		trace_cursor_u32(cursor, &cpu.number);
		trace_cursor_u64(cursor, &cpu.offset);
		trace_cursor_u64(cursor, &cpu.size);
		if (cpu.size > 0)
			buffer->cpus[buffer->cpu_count++] = cpu;
	}
	return HISTREE_OK;
}

/* In version 6 the table of CPUs is at the offset. */
static enum histree_status read_buffer(struct dat_file *file, struct trace_cursor cursor,
				       struct histree_error *error)
{
	bool has_sections = file->head.version[0] == '7';
	uint64_t offset = 0;
	trace_cursor_u64(&cursor, &offset);
	const char *name = trace_cursor_text(&cursor);
	struct dat_buffer *buffer = name == NULL ? NULL : dat_file_add_buffer(file);
	char *copy = buffer == NULL ? NULL : arena_copy(&file->memory, name, strlen(name));
	if (name != NULL && copy == NULL)
		return error_memory(error, "the buffers of a trace");
	if (name == NULL)
		return HISTREE_OK;
	buffer->name = copy;
	buffer->offset = offset;
	if (!has_sections)
		return HISTREE_OK;
	const char *clock = trace_cursor_text(&cursor);
	if (clock != NULL)
		dat_clock_name_read(buffer->clock, clock, strlen(clock));
	enum histree_status status = trace_cursor_u32(&cursor, &buffer->page_size)
					     ? read_cpus(file, buffer, &cursor, error)
					     : HISTREE_END;
	if (status == HISTREE_END)
		file->buffer_count--;
	return status < 0 ? status : HISTREE_OK;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static void read_offset(struct dat_file *file, struct trace_cursor cursor, size_t section)
{
	trace_cursor_u64(&cursor, &file->sections[section]);
}

enum histree_status dat_option_read(struct dat_file *file, uint16_t option, const uint8_t *bytes, uint32_t size,
				    struct histree_error *error)
{
	struct trace_cursor cursor = { .bytes = bytes, .end = size, .is_big = file->is_big, .error = error };
	switch (option) {
	case OPTION_DATE:
		return add_offset(file, bytes, size, NS_PER_US, error);
	case OPTION_OFFSET:
		return add_offset(file, bytes, size, 1, error);
	case OPTION_BUFFER:
		return read_buffer(file, cursor, error);
	case OPTION_TRACE_CLOCK:
		dat_clock_name_read(file->clock_name, (const char *)bytes, size);
		return HISTREE_OK;
	case OPTION_UNAME:
		read_uname(file, bytes, size);
		return HISTREE_OK;
	case OPTION_CPU_COUNT:
		trace_cursor_u32(&cursor, &file->cpu_count);
		return HISTREE_OK;
	case OPTION_VERSION:
		read_version(file, bytes, size);
		return HISTREE_OK;
	case OPTION_TRACE_ID:
		trace_cursor_u64(&cursor, &file->trace_id);
		return HISTREE_OK;
	case OPTION_TIME_SHIFT:
		return read_time_shift(file, cursor, error);
	case OPTION_TSC_TO_NS:
		read_tsc(file, cursor);
		return HISTREE_OK;
	case OPTION_HEADER_INFO:
		read_offset(file, cursor, DAT_SECTION_PAGE);
		return HISTREE_OK;
	case OPTION_FTRACE_EVENTS:
		read_offset(file, cursor, DAT_SECTION_FTRACE);
		return HISTREE_OK;
	case OPTION_EVENT_FORMATS:
		read_offset(file, cursor, DAT_SECTION_SYSTEMS);
		return HISTREE_OK;
	case OPTION_BUFFER_TEXT:
		file->has_text = true;
		return HISTREE_OK;
	default:
		return HISTREE_OK;
	}
}
