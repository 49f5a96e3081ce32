// SPDX-License-Identifier: MIT
/*
 * The merge: a binary heap of the streams that have an event, by its time.  Of two events at the same
 * nanosecond the one of the earlier stream comes first: streams are numbered by trace, in the order that
 * was given, and then by the name of their file.
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf_input.h"
#include "trace/trace_folders.h"
#include "trace/trace_hosts.h"

struct upcoming {
	histree_time time;
	uint32_t stream; /* index in trace.streams */
};

struct trace {
	const bt_plugin *plugin;
	struct ctf_input *inputs;
	size_t input_count;
	struct ctf_classes classes;
	struct trace_notes notes;

	struct ctf_stream **streams; /* of all inputs, in the order that decides ties */
	size_t stream_count;
	struct upcoming *queue; /* a heap: the parent of i is (i - 1) / 2 */
	size_t queue_count;
	bool handed_out;         /* queue[0] is the event that trace_next() gave last */
	size_t file_count;       /* stream files of all inputs */
	struct ctf_stream *live; /* the only stream of a live trace, which merges by itself; else NULL */
};

static bool comes_before(const struct upcoming *a, const struct upcoming *b)
{
	return a->time != b->time ? a->time < b->time : a->stream < b->stream;
}

/* Move queue[at] down to where it belongs. */
static void sift_down(struct trace *trace, size_t at)
{
	struct upcoming *queue = trace->queue, moved = queue[at];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= trace->queue_count)
			break;
		if (child + 1 < trace->queue_count && comes_before(&queue[child + 1], &queue[child]))
			child++;
		if (comes_before(&moved, &queue[child]))
			break;
		queue[at] = queue[child];
		at = child;
	}
	queue[at] = moved;
}

static int compare_streams(const void *a, const void *b)
{
	const struct ctf_stream *first = *(struct ctf_stream *const *)a, *second = *(struct ctf_stream *const *)b;
	if (first->input != second->input)
		return first->input < second->input ? -1 : 1;
	int order = strcmp(first->name, second->name);
	return order != 0 ? order : (first > second) - (first < second);
}

/* Read the first event of each stream; only then are the names of the streams known. */
static enum histree_status read_first_events(struct trace *trace, struct histree_error *error)
{
	for (size_t index = 0; index < trace->input_count; index++) {
		struct ctf_input *input = &trace->inputs[index];
		for (size_t stream = 0; stream < input->stream_count; stream++) {
			enum histree_status status = ctf_stream_next(&input->streams[stream], error);
			if (status < 0)
				return status;
		}
	}
	return HISTREE_OK;
}

/* Put the streams that have an event in order. */
static enum histree_status begin_streams(struct trace *trace, struct histree_error *error)
{
	size_t count = 0;
	for (size_t index = 0; index < trace->input_count; index++)
		count += trace->inputs[index].stream_count;
	trace->streams = calloc(count + 1, sizeof(*trace->streams));
	trace->queue = calloc(count + 1, sizeof(*trace->queue));
	if (trace->streams == NULL || trace->queue == NULL)
		return error_memory(error, "the streams of a trace");

	for (size_t index = 0; index < trace->input_count; index++) {
		struct ctf_input *input = &trace->inputs[index];
		for (size_t stream = 0; stream < input->stream_count; stream++)
			if (input->streams[stream].current != NULL)
				trace->streams[trace->stream_count++] = &input->streams[stream];
	}
	qsort(trace->streams, trace->stream_count, sizeof(*trace->streams), compare_streams);
	for (size_t index = 0; index < trace->stream_count; index++)
		trace->queue[index] = (struct upcoming){ .time = trace->streams[index]->upcoming.time,
							 .stream = (uint32_t)index };
	trace->queue_count = trace->stream_count;
	for (size_t at = trace->queue_count / 2; at-- > 0;)
		sift_down(trace, at);
	return HISTREE_OK;
}

static enum histree_status scan_inputs(struct trace *trace, const struct trace_folders *folders,
				       struct histree_error *error)
{
	trace->inputs = calloc(folders->count, sizeof(*trace->inputs));
	if (trace->inputs == NULL)
		return error_memory(error, "the traces");
	for (size_t index = 0; index < folders->count; index++) {
		struct ctf_input *input = &trace->inputs[trace->input_count++];
		input->trace.id = (uint32_t)index;
		input->classes = &trace->classes;
		input->notes = &trace->notes;
		enum histree_status status = ctf_input_scan(input, folders->paths[index], error);
		if (status != HISTREE_OK)
			return status;
		trace->notes.report.bytes_total += input->folder.bytes;
		trace->file_count += input->folder.file_count;
	}
	return HISTREE_OK;
}

static enum histree_status check_hosts(const struct trace *trace, struct histree_error *error)
{
	struct trace_host *hosts = calloc(trace->input_count + 1, sizeof(*hosts));
	if (hosts == NULL)
		return error_memory(error, "the hosts of traces");
	for (size_t index = 0; index < trace->input_count; index++) {
		const struct ctf_folder *folder = &trace->inputs[index].folder;
		struct trace_host *host = &hosts[index];
		*host = (struct trace_host){ .path = folder->path, .facts = &folder->facts };
		if (!ctf_folder_span(folder, &host->begin, &host->end))
			host->begin = 1, host->end = 0;
	}
	enum histree_status status = trace_hosts_check(hosts, trace->input_count, error);
	free(hosts);
	return status;
}

static enum histree_status open_inputs(struct trace *trace, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; status == HISTREE_OK && index < trace->input_count; index++)
		status = ctf_input_open(&trace->inputs[index], trace->plugin, error);
	return status;
}

/* ---- positions ------------------------------------------------------------------------------------------- */

/* Returns the number of the first file of an input among the files of all. */
static size_t first_file(const struct trace *trace, const struct ctf_input *input)
{
	size_t first = 0;
	for (const struct ctf_input *before = trace->inputs; before < input; before++)
		first += before->folder.file_count;
	return first;
}

static size_t file_of(const struct trace *trace, const struct ctf_stream *stream)
{
	return first_file(trace, stream->input) + (size_t)(stream->file - stream->input->folder.files);
}

size_t trace_file_count(const struct trace *trace)
{
	for (size_t index = 0; index < trace->input_count; index++) {
		const struct ctf_input *input = &trace->inputs[index];
		if (!input->folder.layout.usable || input->stream_count != input->folder.file_count)
			return 0;
	}
	for (size_t index = 0; index < trace->stream_count; index++)
		if (trace->streams[index]->file == NULL)
			return 0;
	return trace->file_count;
}

void trace_positions(const struct trace *trace, struct trace_position *out)
{
	for (size_t index = 0; index < trace->file_count; index++)
		out[index] = (struct trace_position){ .packet = TRACE_FILE_DONE };
	for (size_t index = 0; index < trace->queue_count; index++) {
		const struct ctf_stream *stream = trace->streams[trace->queue[index].stream];
		out[file_of(trace, stream)] = (struct trace_position){
			.packet = stream->packets - 1,
			.events = stream->packet_events - (stream->upcoming.gap == NULL),
		};
	}
}

/* Each file begins with the packet of its position; babeltrace2 is given a stand-in of the folder. */
static enum histree_status choose_packets(struct trace *trace, const struct trace_position *positions,
					  size_t position_count, struct histree_error *error)
{
	bool fits = position_count == trace->file_count;
	for (size_t index = 0; fits && index < trace->input_count; index++) {
		struct ctf_folder *folder = &trace->inputs[index].folder;
		fits = folder->layout.usable;
		folder->sound = false;
		for (size_t i = 0; fits && i < folder->file_count; i++, positions++) {
			struct ctf_file *file = &folder->files[i];
			bool is_done = positions->packet == TRACE_FILE_DONE;
			fits = is_done || positions->packet < file->packets.count;
			file->first_packet = is_done ? file->packets.count : (size_t)positions->packet;
		}
	}
	if (fits)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace has changed since its store was built; build it again");
}

/* From the first event of the packet of each stream on to the event of its position. */
static enum histree_status skip_events(struct trace *trace, const struct trace_position *positions,
				       struct histree_error *error)
{
	for (size_t index = 0; index < trace->input_count; index++) {
		struct ctf_input *input = &trace->inputs[index];
		for (size_t i = 0; i < input->stream_count; i++) {
			struct ctf_stream *stream = &input->streams[i];
			uint64_t events = stream->current != NULL ? positions[file_of(trace, stream)].events : 0;
			while (events-- > 0) {
				enum histree_status status = ctf_stream_next(stream, error);
				if (status < 0)
					return status;
				if (status == HISTREE_END)
					break;
			}
		}
	}
	return HISTREE_OK;
}

bool trace_is_address(const char *path)
{
	return strncmp(path, "net://", 6) == 0 || strncmp(path, "net4://", 7) == 0;
}

bool trace_is_live(const struct trace *trace)
{
	return trace->live != NULL;
}

static enum histree_status open_live(struct trace *trace, const char *address, struct histree_error *error)
{
	trace->inputs = calloc(1, sizeof(*trace->inputs));
	if (trace->inputs == NULL)
		return error_memory(error, "the traces");
	struct ctf_input *input = &trace->inputs[trace->input_count++];
	input->classes = &trace->classes;
	input->notes = &trace->notes;
	enum histree_status status = ctf_input_open_live(input, trace->plugin, address, error);
	if (status == HISTREE_OK)
		trace->live = &input->streams[0];
	return status;
}

/* Open every trace at or below the paths; from the start if `positions` is NULL. */
static enum histree_status open_folders(struct trace *trace, const char *const *paths, size_t path_count,
					const struct trace_position *positions, size_t position_count,
					struct histree_error *error)
{
	struct trace_folders folders = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; status == HISTREE_OK && index < path_count; index++) {
		if (trace_is_address(paths[index]))
			status = error_set(error, HISTREE_ERR_ARGUMENT, "'%s': a live trace is read alone",
					   paths[index]);
		else
			status = trace_folders_find(&folders, paths[index], error);
	}
	if (status == HISTREE_OK)
		status = scan_inputs(trace, &folders, error);
	if (status == HISTREE_OK)
		status = check_hosts(trace, error);
	if (status == HISTREE_OK && positions != NULL)
		status = choose_packets(trace, positions, position_count, error);
	if (status == HISTREE_OK)
		status = open_inputs(trace, error);
	if (status == HISTREE_OK)
		status = read_first_events(trace, error);
	if (status == HISTREE_OK && positions != NULL)
		status = skip_events(trace, positions, error);
	if (status == HISTREE_OK)
		status = begin_streams(trace, error);
	trace_folders_release(&folders);
	return status;
}

static enum histree_status open_from(const char *const *paths, size_t path_count,
				     const struct trace_position *positions, size_t position_count,
				     struct trace **out, struct histree_error *error)
{
	*out = NULL;
	if (path_count == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "no trace was named");
	struct trace *trace = calloc(1, sizeof(*trace));
	enum histree_status status = trace == NULL ? error_memory(error, "a trace") : HISTREE_OK;
	if (status == HISTREE_OK)
		status = ctf_plugin_find(&trace->plugin, error);
	if (status == HISTREE_OK && positions == NULL && path_count == 1 && trace_is_address(paths[0]))
		status = open_live(trace, paths[0], error);
	else if (status == HISTREE_OK)
		status = open_folders(trace, paths, path_count, positions, position_count, error);
	if (status == HISTREE_OK)
		*out = trace;
	else
		trace_close(trace);
	return status;
}

enum histree_status trace_open(const char *const *paths, size_t path_count, struct trace **out,
			       struct histree_error *error)
{
	return open_from(paths, path_count, NULL, 0, out, error);
}

enum histree_status trace_open_at(const char *const *paths, size_t path_count,
				  const struct trace_position *positions, size_t position_count, struct trace **out,
				  struct histree_error *error)
{
	return open_from(paths, path_count, positions, position_count, out, error);
}

void trace_want_gaps(struct trace *trace)
{
	for (size_t index = 0; index < trace->input_count; index++)
		trace->inputs[index].wants_gaps = true;
}

size_t trace_count(const struct trace *trace)
{
	return trace->input_count;
}

const struct event_trace *trace_at(const struct trace *trace, size_t index)
{
	return &trace->inputs[index].trace;
}

/* Bring the stream at the top of the heap to its next event, or take it out. */
static enum histree_status advance(struct trace *trace, struct histree_error *error)
{
	struct upcoming *top = &trace->queue[0];
	struct ctf_stream *stream = trace->streams[top->stream];
	enum histree_status status = ctf_stream_next(stream, error);
	if (status < 0)
		return status;
	if (status == HISTREE_END)
		*top = trace->queue[--trace->queue_count];
	else
		top->time = stream->upcoming.time;
	if (trace->queue_count > 0)
		sift_down(trace, 0);
	return HISTREE_OK;
}

/* Hand out the earliest of the upcoming events. */
static enum histree_status merge(struct trace *trace, struct event *out, struct histree_error *error)
{
	if (trace->handed_out) {
		enum histree_status status = advance(trace, error);
		if (status != HISTREE_OK)
			return status;
	}
	trace->handed_out = trace->queue_count > 0;
	if (!trace->handed_out)
		return HISTREE_END;
	*out = trace->streams[trace->queue[0].stream]->upcoming;
	return HISTREE_OK;
}

enum histree_status trace_next(struct trace *trace, struct event *out, struct histree_error *error)
{
	enum histree_status status;
	if (trace->live == NULL) {
		status = merge(trace, out, error);
	} else {
		status = ctf_stream_next(trace->live, error);
		*out = trace->live->upcoming;
	}
	if (status != HISTREE_OK)
		return status;
	trace->notes.report.events += out->gap == NULL;
	trace->notes.report.gaps += out->gap != NULL;
	return HISTREE_OK;
}

struct trace_report trace_report(const struct trace *trace)
{
	struct trace_report report = trace_notes_report(&trace->notes);
	for (size_t index = 0; index < trace->input_count; index++)
		report.bytes_done += ctf_input_bytes_done(&trace->inputs[index]);
	return report;
}

void trace_close(struct trace *trace)
{
	if (trace == NULL)
		return;
	for (size_t index = 0; index < trace->input_count; index++)
		ctf_input_close(&trace->inputs[index]);
	bt_plugin_put_ref(trace->plugin);
	ctf_classes_release(&trace->classes);
	trace_notes_release(&trace->notes);
	free(trace->inputs);
	free(trace->streams);
	free(trace->queue);
	free(trace);
}
