// SPDX-License-Identifier: MIT
/*
 * trace_merge.c - merges streams by time in a heap.  Events of equal time come in the order of the streams, and
 * those of one stream keep its order.
 */
#include "trace/trace_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool comes_before(const struct trace_upcoming *a, const struct trace_upcoming *b)
{
	return a->time != b->time ? a->time < b->time : a->stream < b->stream;
}

/* Move queue[at] down to where it belongs. */
static inline void sift_down(struct trace_merge *merge, size_t at)
{
	struct trace_upcoming *queue = merge->queue, moved = queue[at];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= merge->queue_count)
			break;
		if (child + 1 < merge->queue_count && comes_before(&queue[child + 1], &queue[child]))
			child++;
		if (comes_before(&moved, &queue[child]))
			break;
		queue[at] = queue[child];
		at = child;
	}
	queue[at] = moved;
}

/* Whether the one at the top belongs there. */
static inline bool is_first(const struct trace_merge *merge)
{
	const struct trace_upcoming *queue = merge->queue;
	return merge->queue_count < 2 || (comes_before(&queue[0], &queue[1]) &&
					  (merge->queue_count == 2 || comes_before(&queue[0], &queue[2])));
}

static int compare_streams(const void *a, const void *b)
{
	const struct trace_stream *first = *(struct trace_stream *const *)a;
	const struct trace_stream *second = *(struct trace_stream *const *)b;
	if (first->trace != second->trace)
		return first->trace->id < second->trace->id ? -1 : 1;
	return strcmp(first->name, second->name);
}

enum histree_status trace_merge_begin(struct trace_merge *merge, struct trace_source *const *sources, size_t count,
				      struct trace_report *report, struct histree_error *error)
{
	size_t room = 1, stream_count = 0;
	merge->report = report;
	for (size_t index = 0; index < count; index++)
		room += sources[index]->stream_count;
	merge->streams = calloc(room, sizeof(struct trace_stream *));
	merge->queue = calloc(room, sizeof(*merge->queue));
	if (merge->streams == NULL || merge->queue == NULL)
		return error_memory(error, "the streams of a trace");

	for (size_t index = 0; index < count; index++)
		for (size_t stream = 0; stream < sources[index]->stream_count; stream++)
			if (sources[index]->streams[stream]->has_upcoming)
				merge->streams[stream_count++] = sources[index]->streams[stream];
	qsort((void *)merge->streams, stream_count, sizeof(struct trace_stream *), compare_streams);
	for (size_t index = 0; index < stream_count; index++)
		merge->queue[index] = (struct trace_upcoming){ .time = merge->streams[index]->upcoming.time,
							       .stream = (uint32_t)index };
	merge->queue_count = stream_count;
	for (size_t at = stream_count / 2; at-- > 0;)
		sift_down(merge, at);
	return HISTREE_OK;
}

void trace_merge_release(struct trace_merge *merge)
{
	free((void *)merge->streams);
	free(merge->queue);
	*merge = (struct trace_merge){ 0 };
}

static inline enum histree_status advance(struct trace_merge *merge, struct histree_error *error)
{
	struct trace_upcoming *top = &merge->queue[0];
	struct trace_stream *stream = merge->streams[top->stream];
	enum histree_status status = stream->kind->next(stream, error);
	if (status < 0)
		return status;
	if (status == HISTREE_END)
		*top = merge->queue[--merge->queue_count];
	else
		top->time = stream->upcoming.time;
	/* Events of a stream come in bursts: mostly it stays the first. */
	if (!is_first(merge))
		sift_down(merge, 0);
	return HISTREE_OK;
}

enum histree_status trace_merge_advance(struct trace_merge *merge, struct histree_error *error)
{
	return advance(merge, error);
}

enum histree_status trace_merge_skip(struct trace_merge *merge, histree_time time, struct histree_error *error)
{
	size_t left = 0;
	for (size_t index = 0; index < merge->queue_count; index++) {
		struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		enum histree_status status = HISTREE_OK;
		while (status == HISTREE_OK && stream->upcoming.time < time)
			status = stream->kind->next(stream, error);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			merge->queue[left++] = (struct trace_upcoming){ .time = stream->upcoming.time,
									.stream = merge->queue[index].stream };
	}
	merge->queue_count = left;
	for (size_t at = left / 2; at-- > 0;)
		sift_down(merge, at);
	return HISTREE_OK;
}

enum histree_status trace_merge_next(struct trace_merge *merge, bool wants_gaps, struct event *out,
				     struct histree_error *error)
{
	do {
		enum histree_status status = merge->is_taken ? advance(merge, error) : HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
		merge->is_taken = merge->queue_count > 0;
		if (!merge->is_taken)
			return HISTREE_END;
		*out = merge->streams[merge->queue[0].stream]->upcoming;
	} while (out->gap != NULL && !wants_gaps);
	merge->report->events += out->gap == NULL;
	merge->report->gaps += out->gap != NULL;
	return HISTREE_OK;
}
