// SPDX-License-Identifier: MIT
/*
 * dat_row.c - version 6: all in one row, behind the head (trace-cmd.dat.v6(5)).
 */
#include <stdalign.h>
#include <stdlib.h>

#include "base/error.h"
#include "trace/trace_cmd/dat_file.h"

enum { WORD_SIZE = 10, OPTION_SIZE_MAX = 16 << 20 };

static bool skip_block_of_u32(struct trace_cursor *cursor)
{
	uint32_t size;
	return trace_cursor_u32(cursor, &size) && trace_cursor_skip(cursor, size);
}

static enum histree_status read_options(struct dat_file *file, struct trace_cursor *cursor,
					struct histree_error *error)
{
	for (;;) {
		uint16_t option;
		uint32_t size;
		if (!trace_cursor_u16(cursor, &option) || option == 0)
			return cursor->status;
		if (!trace_cursor_u32(cursor, &size))
			return cursor->status;
		const uint8_t *bytes = size > OPTION_SIZE_MAX ? NULL : trace_cursor_take(cursor, size);
		if (bytes == NULL)
			return cursor->status == HISTREE_OK ? HISTREE_END : cursor->status;
		enum histree_status status = dat_option_read(file, option, bytes, size, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* Whether the next word is this one; it is of 10 bytes. */
static bool take_word(struct trace_cursor *cursor, const char *word)
{
	uint64_t at = cursor->at;
	const uint8_t *bytes = trace_cursor_take(cursor, WORD_SIZE);
	if (bytes == NULL)
		return false;
	bool is = memcmp(bytes, word, strlen(word)) == 0;
	if (!is)
		cursor->at = at;
	return is;
}

/* An offset and a size for each CPU. */
static enum histree_status read_cpus(struct dat_file *file, struct dat_buffer *buffer, struct trace_cursor *cursor,
				     struct histree_error *error)
{
	uint32_t count = file->cpu_count;
	if (count > DAT_CPUS_MAX || count > (cursor->end - cursor->at) / 16)
		return HISTREE_END;
	buffer->cpus = arena_allocate(&file->memory, (count + 1) * sizeof(*buffer->cpus), alignof(struct dat_cpu));
	if (buffer->cpus == NULL)
		return error_memory(error, "the CPUs of a trace");
	for (uint32_t number = 0; number < count; number++) {
		struct dat_cpu cpu = { .number = number };
		if (!trace_cursor_u64(cursor, &cpu.offset) || !trace_cursor_u64(cursor, &cpu.size))
			return cursor->status;
		if (cpu.size > 0)
			buffer->cpus[buffer->cpu_count++] = cpu;
	}
	return HISTREE_OK;
}

/* Behind the table of CPUs, if the option that announces it is there; older versions have damage here. */
static void read_clock(struct dat_file *file, struct trace_cursor *cursor)
{
	uint64_t size;
	if (file->clock_name[0] != '\0' || !trace_cursor_u64(cursor, &size) || size > 4096)
		return;
	const uint8_t *text = trace_cursor_take(cursor, size);
	if (text != NULL)
		dat_clock_name_read(file->clock_name, (const char *)text, (size_t)size);
}

/* What an instance has at its offset. */
static enum histree_status read_instance(struct dat_file *file, struct dat_buffer *buffer,
					 struct histree_error *error)
{
	struct trace_cursor cursor = dat_file_cursor(file, buffer->offset, error);
	if (take_word(&cursor, "options")) {
		/* It repeats those of all. */
		struct dat_file ignored = { .is_big = file->is_big };
		enum histree_status status = read_options(&ignored, &cursor, error);
		arena_release(&ignored.memory);
		free(ignored.buffers);
		if (status != HISTREE_OK)
			return status;
	}
	if (!take_word(&cursor, "flyrecord"))
		return cursor.status == HISTREE_OK ? HISTREE_END : cursor.status;
	return read_cpus(file, buffer, &cursor, error);
}

enum histree_status dat_row_read(struct dat_file *file, struct trace_cursor *cursor,
				 const struct tracing_points *points, struct histree_error *error)
{
	if (!tracing_page_read(cursor, &file->page))
		return cursor->status == HISTREE_OK ? HISTREE_END : cursor->status;
	enum histree_status status = tracing_ftrace_read(cursor, points, error);
	if (status == HISTREE_OK)
		status = tracing_systems_read(cursor, points, error);
	if (status != HISTREE_OK)
		return status;
	/* Addresses, formats of printk, names of threads. */
	if (!skip_block_of_u32(cursor) || !skip_block_of_u32(cursor) || !trace_cursor_skip_block(cursor) ||
	    !trace_cursor_u32(cursor, &file->cpu_count))
		return cursor->status;
	if (take_word(cursor, "options"))
		status = read_options(file, cursor, error);
	file->has_text = status == HISTREE_OK && take_word(cursor, "latency");
	if (status != HISTREE_OK || file->has_text)
		return status;
	if (!take_word(cursor, "flyrecord"))
		return cursor->status == HISTREE_OK ? HISTREE_END : cursor->status;
	size_t instances = file->buffer_count;
	struct dat_buffer *buffer = dat_file_add_buffer(file);
	if (buffer == NULL)
		return error_memory(error, "the buffers of a trace");
	status = read_cpus(file, buffer, cursor, error);
	if (status == HISTREE_OK)
		read_clock(file, cursor);
	for (size_t i = 0; status == HISTREE_OK && i < instances; i++) {
		status = read_instance(file, &file->buffers[i], error);
		file->buffers[i].is_lost = status == HISTREE_END;
		if (status == HISTREE_END)
			status = HISTREE_OK;
	}
	for (size_t i = 0; i < file->buffer_count; i++)
		memcpy(file->buffers[i].clock, file->clock_name, sizeof(file->clock_name));
	return status;
}
