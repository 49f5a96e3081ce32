// SPDX-License-Identifier: MIT
/*
 * Where times are in the files of a trace, by what packets say of themselves.
 */
#include <stdlib.h>

#include "base/error.h"
#include "trace/trace.h"
#include "trace/trace_inside.h"

/* How many bytes come before a time, about.  Returns false if packets do not say. */
static bool find_bytes(const struct trace *trace, histree_time time, uint64_t *bytes)
{
	*bytes = 0;
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		if (source->is_copy)
			continue;
		if (source->kind->find_time == NULL)
			return false;
		for (size_t file = 0; file < source->file_count; file++) {
			struct trace_position at;
			uint64_t of_file;
			if (!source->kind->find_time(source, file, time, &at, &of_file))
				return false;
			*bytes += of_file;
		}
	}
	return true;
}

/* The greatest time that packets speak of. */
static histree_time last_time(const struct trace *trace)
{
	histree_time last = INT64_MIN, of_source;
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		of_source = source->kind->last != NULL ? source->kind->last(source) : INT64_MIN;
		last = of_source > last ? of_source : last;
	}
	return last;
}

histree_time trace_time_behind(const struct trace *trace, histree_time from, uint64_t bytes)
{
	histree_time low = from, high = last_time(trace);
	uint64_t before, all, here;
	if (!trace_can_move(trace) || trace_file_count(trace) == 0 || !find_bytes(trace, from, &before) ||
	    !find_bytes(trace, high, &all))
		return INT64_MIN;
	if (high <= low || all < before || all - before < bytes + bytes / 2)
		return INT64_MAX;
	while (high - low > 1) {
		histree_time middle = low + (high - low) / 2;
		if (!find_bytes(trace, middle, &here))
			return INT64_MIN;
		if (here < before + bytes)
			low = middle;
		else
			high = middle;
	}
	return high;
}

enum histree_status trace_move_before(struct trace *trace, histree_time time, struct histree_error *error)
{
	struct trace_position *positions = calloc(trace->file_count + 1, sizeof(*positions));
	enum histree_status status = HISTREE_OK;
	if (positions == NULL)
		return error_memory(error, "a place in the trace");
	for (size_t index = 0; index < trace->file_count; index++)
		positions[index].packet = TRACE_FILE_DONE;
	for (size_t index = 0; index < trace->source_count && status == HISTREE_OK; index++) {
		const struct trace_source *source = trace->sources[index];
		for (size_t file = 0; !source->is_copy && file < source->file_count && status == HISTREE_OK;
		     file++) {
			uint64_t bytes;
			if (source->kind->find_time == NULL ||
			    !source->kind->find_time(source, file, time, &positions[source->first_file + file],
						     &bytes))
				status = error_set(error, HISTREE_ERR_ARGUMENT,
						   "the packets of the trace do not say when they begin");
		}
	}
	if (status == HISTREE_OK)
		status = trace_move_silently(trace, positions, trace->file_count, error);
	if (status == HISTREE_OK)
		status = trace_merge_skip(&trace->merge, time, error);
	free(positions);
	return status;
}
