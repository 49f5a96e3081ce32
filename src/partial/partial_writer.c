// SPDX-License-Identifier: MIT
#include "partial/partial_writer.h"

#include <stdlib.h>

#include "base/error.h"
#include "partial/knowledge.h"

static enum histree_status begin(const struct partial_writer *writer, const struct trace *trace, bool ignores_gaps,
				 struct histree_error *error)
{
	struct saved_bytes saved = { 0 };
	const struct partial_origin origin = {
		.trace_bytes = trace_bytes(trace),
		.file_count = trace_file_count(trace),
		.ignores_gaps = ignores_gaps,
	};
	partial_origin_put(&origin, &saved);
	enum histree_status status = saved.no_memory
					     ? error_memory(error, "a checkpoint")
					     : partial_file_begin(writer->file, saved.bytes, saved.size, error);
	free(saved.bytes);
	return status;
}

enum histree_status partial_writer_checkpoint(const struct partial_writer *writer, const struct trace *trace,
					      uint64_t before, bool ignores_gaps, struct histree_error *error)
{
	size_t count = trace_file_count(trace);
	struct saved_bytes saved = { 0 };
	struct trace_position *positions = calloc(count + 1, sizeof(*positions));
	if (positions == NULL)
		return error_memory(error, "a checkpoint");
	trace_positions(trace, positions);
	enum histree_status status = before == 0 ? begin(writer, trace, ignores_gaps, error) : HISTREE_OK;
	if (status == HISTREE_OK) {
		knowledge_put_place(before, positions, count, &saved);
		writer->analysis->save(writer->instance, &saved);
		status = saved.no_memory ? error_memory(error, "a checkpoint")
					 : partial_file_checkpoint(writer->file, writer->system, saved.bytes,
								   saved.size, error);
	}
	free(saved.bytes);
	free(positions);
	return status;
}
