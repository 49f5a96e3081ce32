// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "trace/perf/perf_file.h"
#include "trace/tracing_data.h"

enum histree_status perf_tracing_read(struct perf_file *file, const uint8_t *bytes, size_t size,
				      struct histree_error *error)
{
	struct trace_cursor cursor = { .bytes = bytes, .end = size, .is_big = file->is_big, .error = error };
	struct tracing_head head;
	struct tracing_page page;
	if (!tracing_head_read(&cursor, &head) || !tracing_page_read(&cursor, &page))
		return HISTREE_OK;
	struct tracing_points points = {
		.by_id = &file->tracepoints,
		.memory = &file->memory,
		.parser = tracepoint_parser_create(head.is_big),
	};
	if (points.parser == NULL)
		return error_memory(error, "the tracepoints of a trace");
	enum histree_status status = tracing_ftrace_read(&cursor, NULL, error);
	if (status == HISTREE_OK)
		status = tracing_systems_read(&cursor, &points, error);
	tracepoint_parser_free(points.parser);
	return status < 0 ? status : HISTREE_OK;
}
