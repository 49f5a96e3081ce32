// SPDX-License-Identifier: MIT
/*
 * Version 7: sections, which options point to (trace-cmd.dat.v7(5)).
 */
#include <stdlib.h>

#include "base/error.h"
#include "trace/trace_cmd/dat_file.h"

enum {
	SECTION_PACKED = 1,          /* a flag */
	SECTION_SIZE_MAX = 64 << 20, /* descriptions of all tracepoints of a kernel are some MB */
	OPTIONS_MAX = 4096,          /* sections of options, each of which points to the next */
	OPTION_DONE = 0,
	OPTION_SIZE_MAX = 16 << 20,
};

/* A section that is open. */
struct section {
	struct trace_cursor cursor;
	uint8_t *plain; /* of one that was packed */
};

static enum histree_status unpack(struct dat_file *file, struct section *section, struct histree_error *error)
{
	struct trace_cursor *cursor = &section->cursor;
	uint32_t size, plain_size;
	const uint8_t *bytes;
	if (!trace_cursor_u32(cursor, &size) || !trace_cursor_u32(cursor, &plain_size) ||
	    (bytes = trace_cursor_take(cursor, size)) == NULL)
		return cursor->status;
	if (plain_size > SECTION_SIZE_MAX)
		return HISTREE_END;
	section->plain = malloc((size_t)plain_size + 1);
	if (section->plain == NULL)
		return error_memory(error, "a section of a trace");
	if (!dat_unpack(file->packing, bytes, size, section->plain, plain_size))
		return error_set(error, HISTREE_ERR_TRACE, "a section of it cannot be unpacked: it is damaged");
	*cursor = (struct trace_cursor){
		.bytes = section->plain, .end = plain_size, .is_big = file->is_big, .error = error
	};
	return HISTREE_OK;
}

/* Number, flags, a description that is not looked at, size. */
static enum histree_status read_header(struct trace_cursor *cursor, uint16_t number, bool *is_packed)
{
	uint16_t found, flags;
	uint64_t size;
	if (!trace_cursor_u16(cursor, &found) || !trace_cursor_u16(cursor, &flags) ||
	    !trace_cursor_skip(cursor, 4) || !trace_cursor_u64(cursor, &size))
		return cursor->status;
	*is_packed = (flags & SECTION_PACKED) != 0;
	return found == number ? HISTREE_OK : HISTREE_END;
}

static enum histree_status open_section(struct dat_file *file, uint64_t offset, uint16_t number,
					struct section *out, struct histree_error *error)
{
	bool is_packed = false;
	*out = (struct section){ .cursor = dat_file_cursor(file, offset, error) };
	enum histree_status status = read_header(&out->cursor, number, &is_packed);
	return status == HISTREE_OK && is_packed ? unpack(file, out, error) : status;
}

/* ---- options --------------------------------------------------------------------------------------------- */

/* Read one section of options.  *next is where the next is, 0: this was the last. */
static enum histree_status read_options(struct dat_file *file, struct trace_cursor *cursor, uint64_t *next,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK) {
		uint16_t option;
		uint32_t size;
		if (!trace_cursor_u16(cursor, &option) || !trace_cursor_u32(cursor, &size))
			return cursor->status;
		if (option == OPTION_DONE)
			return trace_cursor_u64(cursor, next) ? HISTREE_OK : cursor->status;
		const uint8_t *bytes = size > OPTION_SIZE_MAX ? NULL : trace_cursor_take(cursor, size);
		if (bytes == NULL)
			return cursor->status == HISTREE_OK ? HISTREE_END : cursor->status;
		status = dat_option_read(file, option, bytes, size, error);
	}
	return status;
}

static enum histree_status read_all_options(struct dat_file *file, uint64_t offset, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned count = 0; status == HISTREE_OK && offset != 0 && count < OPTIONS_MAX; count++) {
		struct section section;
		uint64_t next = 0;
		status = open_section(file, offset, OPTION_DONE, &section, error);
		if (status == HISTREE_OK)
			status = read_options(file, &section.cursor, &next, error);
		free(section.plain);
		offset = next;
	}
	return status;
}

/* ---- what they point to ---------------------------------------------------------------------------------- */

static enum histree_status read_section(struct dat_file *file, size_t which, const struct tracing_points *points,
					struct histree_error *error)
{
	static const uint16_t numbers[DAT_SECTION_COUNT] = { 16, 17, 18 };
	struct section section;
	if (file->sections[which] == 0)
		return which == DAT_SECTION_PAGE ? HISTREE_END : HISTREE_OK;
	enum histree_status status = open_section(file, file->sections[which], numbers[which], &section, error);
	struct trace_cursor *cursor = &section.cursor;
	if (status == HISTREE_OK && which == DAT_SECTION_PAGE && !tracing_page_read(cursor, &file->page))
		status = cursor->status == HISTREE_OK ? HISTREE_END : cursor->status;
	if (status == HISTREE_OK && which == DAT_SECTION_FTRACE)
		status = tracing_ftrace_read(cursor, points, error);
	if (status == HISTREE_OK && which == DAT_SECTION_SYSTEMS)
		status = tracing_systems_read(cursor, points, error);
	free(section.plain);
	return status;
}

static enum histree_status read_buffer_header(struct dat_file *file, struct dat_buffer *buffer,
					      struct histree_error *error)
{
	enum { SECTION_BUFFER = 3 };
	struct trace_cursor cursor = dat_file_cursor(file, buffer->offset, error);
	return read_header(&cursor, SECTION_BUFFER, &buffer->is_packed);
}

enum histree_status dat_sections_read(struct dat_file *file, struct trace_cursor *cursor,
				      const struct tracing_points *points, struct histree_error *error)
{
	uint64_t options = 0;
	const char *packing = trace_cursor_text(cursor);
	if (packing == NULL)
		return cursor->status;
	char name[32];
	file->packing = strcmp(packing, "zlib") == 0   ? DAT_PACKING_ZLIB
			: strcmp(packing, "zstd") == 0 ? DAT_PACKING_ZSTD
						       : DAT_PACKING_NONE;
	bool is_known = file->packing != DAT_PACKING_NONE || strcmp(packing, "none") == 0;
	size_t size = strnlen(packing, sizeof(name) - 1);
	memcpy(name, packing, size);
	name[size] = '\0';
	if (!is_known)
		return error_set(error, HISTREE_ERR_TRACE,
				 "it is compressed with '%s', which histree does not know; convert it with "
				 "'trace-cmd convert --compression none -i FILE -o FILE'",
				 name);
	if (!dat_can_unpack(file->packing))
		return error_set(error, HISTREE_ERR_TRACE,
				 "it is compressed with %s, and this histree was built without that; build it with "
				 "it (Debian: %s), or convert it with 'trace-cmd convert --compression none -i "
				 "FILE -o FILE'",
				 name, file->packing == DAT_PACKING_ZLIB ? "zlib1g-dev" : "libzstd-dev");
	if (trace_cursor_text(cursor) == NULL || !trace_cursor_u64(cursor, &options))
		return cursor->status;
	enum histree_status status = read_all_options(file, options, error);
	for (size_t which = 0; status == HISTREE_OK && which < DAT_SECTION_COUNT; which++)
		status = read_section(file, which, points, error);
	for (size_t i = 0; status == HISTREE_OK && i < file->buffer_count; i++)
		status = read_buffer_header(file, &file->buffers[i], error);
	return status;
}
