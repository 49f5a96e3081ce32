// SPDX-License-Identifier: MIT
#include "trace/tracing_data.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

bool tracing_head_read(struct trace_cursor *cursor, struct tracing_head *out)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint8_t *bytes = trace_cursor_take(cursor, sizeof(magic));
	if (bytes == NULL || memcmp(bytes, magic, sizeof(magic)) != 0)
		return false;
	const char *version = trace_cursor_text(cursor);
	if (version == NULL)
		return false;
	snprintf(out->version, sizeof(out->version), "%s", version);
	bytes = trace_cursor_take(cursor, 2);
	if (bytes == NULL)
		return false;
	out->is_big = cursor->is_big = bytes[0] != 0;
	out->long_size = bytes[1];
	return trace_cursor_u32(cursor, &out->page_size);
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

/* Returns the number behind a word in the line of a field, 0 if it is not there. */
static uint32_t number_of(const char *text, const char *field, const char *word)
{
	const char *at = strstr(text, field);
	const char *end = at == NULL ? NULL : strchr(at, '\n');
	at = at == NULL ? NULL : strstr(at, word);
	if (at == NULL || (end != NULL && at > end))
		return 0;
	return (uint32_t)strtoul(at + strlen(word), NULL, 10);
}

bool tracing_page_read(struct trace_cursor *cursor, struct tracing_page *out)
{
	char text[1024];
	uint64_t size;
	if (trace_cursor_text(cursor) == NULL) /* "header_page" */
		return false;
	const uint8_t *block = trace_cursor_block(cursor, &size);
	if (block == NULL)
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)(size < sizeof(text) ? size : sizeof(text) - 1),
		 (const char *)block);
	*out = (struct tracing_page){
		.long_size = number_of(text, " commit;", "size:"),
		.begin = number_of(text, " data;", "offset:"),
	};
	return trace_cursor_text(cursor) != NULL && trace_cursor_skip_block(cursor); /* "header_event" */
}

/* ---- descriptions ---------------------------------------------------------------------------------------- */

static enum histree_status read_point(struct trace_cursor *cursor, const struct tracing_points *points,
				      const char *system, struct histree_error *error)
{
	const struct tracepoint *tracepoint;
	uint64_t size;
	const uint8_t *text = trace_cursor_block(cursor, &size);
	if (text == NULL)
		return cursor->status;
	enum histree_status status = tracepoint_parse(points->parser, (const char *)text, (size_t)size, system,
						      points->memory, &tracepoint, error);
	if (status != HISTREE_OK || tracepoint == NULL || id_map_find(points->by_id, tracepoint->id) != NULL)
		return status;
	union {
		const struct tracepoint *is;
		void *kept; /* an id_map hands out what it was given */
	} record = { .is = tracepoint };
	return id_map_add(points->by_id, tracepoint->id, record.kept)
		       ? HISTREE_OK
		       : error_memory(error, "the tracepoints of a trace");
}

enum histree_status tracing_ftrace_read(struct trace_cursor *cursor, const struct tracing_points *points,
					struct histree_error *error)
{
	uint32_t count;
	enum histree_status status = HISTREE_OK;
	if (!trace_cursor_u32(cursor, &count))
		return cursor->status;
	for (; count > 0 && status == HISTREE_OK; count--)
		if (points != NULL)
			status = read_point(cursor, points, "ftrace", error);
		else if (!trace_cursor_skip_block(cursor))
			status = cursor->status;
	return status;
}

enum histree_status tracing_systems_read(struct trace_cursor *cursor, const struct tracing_points *points,
					 struct histree_error *error)
{
	uint32_t systems, count;
	enum histree_status status = HISTREE_OK;
	if (!trace_cursor_u32(cursor, &systems))
		return cursor->status;
	for (; systems > 0 && status == HISTREE_OK; systems--) {
		const char *name = trace_cursor_text(cursor);
		const char *system = name == NULL ? NULL : arena_copy(points->memory, name, strlen(name));
		if (name != NULL && system == NULL)
			return error_memory(error, "the tracepoints of a trace");
		if (name == NULL || !trace_cursor_u32(cursor, &count))
			return cursor->status;
		for (; count > 0 && status == HISTREE_OK; count--)
			status = read_point(cursor, points, system, error);
	}
	return status;
}
