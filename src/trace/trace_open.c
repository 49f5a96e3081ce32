// SPDX-License-Identifier: MIT
/*
 * How a trace is opened: the traces at and below the paths are found and scanned, compared with one another, and
 * their streams merged.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "trace/ctf/ctf_live.h"
#include "trace/text/event_text.h"
#include "trace/trace.h"
#include "trace/trace_copies.h"
#include "trace/trace_hosts.h"
#include "trace/trace_inside.h"
#include "trace/trace_list.h"
#include "trace/trace_repeats.h"

/* What the buffers of all streams may take together, and those of one. */
enum { WINDOWS_SIZE = 16 << 20, WINDOW_SIZE_MAX = 64 << 10, OPEN_FILES_MAX = 256 };

static enum histree_status scan_sources(struct trace *trace, const struct trace_list *list,
					struct histree_error *error)
{
	trace->sources = calloc(list->count, sizeof(struct trace_source *));
	if (trace->sources == NULL)
		return error_memory(error, "the traces");
	for (size_t index = 0; index < list->count; index++) {
		const struct trace_format_kind *kind = list->entries[index].kind;
		struct trace_source *source = kind->create();
		if (source == NULL)
			return error_memory(error, "the traces");
		trace->sources[trace->source_count++] = source;
		source->kind = kind;
		source->trace.id = (uint32_t)(trace->source_count - 1);
		source->io = trace->io;
		source->class_count = &trace->class_count;
		source->notes = &trace->notes;
		enum histree_status status = kind->scan(source, list->entries[index].path, error);
		if (status == HISTREE_END) {
			kind->free(source);
			trace->source_count--;
			continue;
		}
		if (status != HISTREE_OK)
			return status;
		source->first_file = trace->file_count;
		trace->notes.report.bytes_total += source->bytes;
		trace->file_count += source->file_count;
	}
	return HISTREE_OK;
}

/* Beside a trace that says that it is of the kernel, no other one is. */
static void know_the_kernel(struct trace *trace)
{
	bool has_kernel = false;
	for (size_t index = 0; index < trace->source_count; index++)
		has_kernel |= strcmp(trace->sources[index]->trace.domain, "kernel") == 0;
	for (size_t index = 0; has_kernel && index < trace->source_count; index++)
		trace->sources[index]->trace.kernel_words = EVENT_NO_KERNEL;
}

/* Returns what the traces say of their hosts, which the caller frees; NULL if memory is out. */
static struct trace_host *list_hosts(const struct trace *trace)
{
	struct trace_host *hosts = calloc(trace->source_count + 1, sizeof(*hosts));
	for (size_t index = 0; hosts != NULL && index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		struct trace_host *host = &hosts[index];
		*host = (struct trace_host){ .path = source->path,
					     .facts = &source->facts,
					     .is_of_kernel = strcmp(source->trace.domain, "ust") != 0,
					     .has_kernel = strcmp(source->trace.domain, "kernel") == 0 &&
							   source->kind != &event_text_format,
					     .is_left_out = source->is_copy };
		if (!source->kind->span(source, &host->begin, &host->end))
			host->begin = 1, host->end = 0;
	}
	return hosts;
}

static enum histree_status check_hosts(const struct trace *trace, struct histree_error *error)
{
	struct trace_host *hosts = list_hosts(trace);
	if (hosts == NULL)
		return error_memory(error, "the hosts of traces");
	enum histree_status status = trace_hosts_check(hosts, trace->source_count, error);
	free(hosts);
	return status;
}

/*
 * Of two recordings of one kernel at one time, packets are different, and events the same.  Those that may be of
 * two kernels, such as texts of two machines, would have their CPUs and threads taken for the same.
 */
static enum histree_status warn_of_doubled(struct trace *trace, struct histree_error *error)
{
	struct trace_host *hosts = list_hosts(trace);
	if (hosts == NULL)
		return error_memory(error, "the hosts of traces");
	size_t second;
	for (size_t first = 0; trace_hosts_find_doubled(hosts, trace->source_count, &first, &second); first++)
		trace_notes_warn(
			&trace->notes,
			"'%s' and '%s' are two recordings of one kernel at the same time: events that both have "
			"count twice; build one of them",
			hosts[first].path, hosts[second].path);
	size_t unnamed = 0;
	if (trace_hosts_find_unnamed(hosts, trace->source_count, &unnamed, &second))
		trace_notes_warn(&trace->notes,
				 "'%s' and '%s' do not say of which host they are, and are taken for traces of "
				 "one: if they are "
				 "not, their CPUs and threads are mixed up; '--host NAME=TRACE' for each says so",
				 hosts[unnamed].path, hosts[second].path);
	free(hosts);
	return HISTREE_OK;
}

/* Packets of CTF can be told from one another; what is one file is so as a whole. */
static enum histree_status find_repeats(struct trace *trace, struct histree_error *error)
{
	size_t count = 0;
	struct ctf_source **sources = calloc(trace->source_count + 1, sizeof(struct ctf_source *));
	if (sources == NULL)
		return error_memory(error, "the packets of an input");
	for (size_t index = 0; index < trace->source_count; index++)
		if (trace->sources[index]->kind == &ctf_format)
			sources[count++] = ctf_source_of(trace->sources[index]);
	enum histree_status status = trace_repeats_find(sources, count, &trace->notes, error);
	if (status == HISTREE_OK)
		status = trace_copies_find(trace->sources, trace->source_count, &trace->notes, error);
	free((void *)sources);
	return status;
}

/* From the first event of the packet of a stream on to the event of its position. */
static enum histree_status skip_events(struct trace_stream *stream, uint64_t events, struct histree_error *error)
{
	if (stream->kind->skip != NULL)
		return stream->kind->skip(stream, events, error);
	enum histree_status status = stream->kind->next(stream, error);
	while (status == HISTREE_OK && events > 0) {
		events -= stream->upcoming.gap == NULL;
		status = stream->kind->next(stream, error);
	}
	return status < 0 ? status : HISTREE_OK;
}

enum histree_status trace_open_sources(struct trace *trace, const struct trace_position *positions,
				       struct histree_error *error)
{
	size_t window_size = WINDOWS_SIZE / (trace->file_count + 1);
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; status == HISTREE_OK && index < trace->source_count; index++) {
		struct trace_source *source = trace->sources[index];
		const struct trace_opening opening = {
			.window_size = window_size > WINDOW_SIZE_MAX ? WINDOW_SIZE_MAX : window_size,
			.files_stay_open = trace->file_count <= OPEN_FILES_MAX,
			.is_alone = trace->source_count == 1,
			.positions = positions,
			.cancel = trace->cancel,
		};
		status = source->is_copy ? HISTREE_OK : source->kind->open(source, &opening, error);
		for (size_t i = 0; status == HISTREE_OK && i < source->stream_count; i++) {
			struct trace_stream *stream = source->streams[i];
			status = skip_events(stream, positions == NULL ? 0 : positions[stream->first_file].events,
					     error);
		}
		if (positions != NULL)
			positions += source->file_count;
	}
	return status == HISTREE_OK ? trace_merge_begin(&trace->merge, trace->sources, trace->source_count,
							&trace->notes.report, error)
				    : status;
}

bool trace_is_address(const char *path)
{
	return strncmp(path, "net://", 6) == 0 || strncmp(path, "net4://", 7) == 0;
}

static enum histree_status open_live(struct trace *trace, const char *address, const struct histree_cancel *cancel,
				     struct histree_error *error)
{
	trace->live = calloc(1, sizeof(*trace->live));
	if (trace->live == NULL)
		return error_memory(error, "the traces");
	trace->live->notes = &trace->notes;
	trace->live->class_count = &trace->class_count;
	return ctf_live_open(trace->live, address, cancel, error);
}

static enum histree_status open_paths(struct trace *trace, const char *const *paths, size_t path_count,
				      const struct trace_position *positions, size_t position_count,
				      struct histree_error *error)
{
	struct trace_list list = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; status == HISTREE_OK && index < path_count; index++) {
		if (trace_is_address(paths[index]))
			status = error_set(error, HISTREE_ERR_ARGUMENT, "'%s': a live trace is read alone",
					   paths[index]);
		else
			status = trace_list_find(&list, paths[index], error);
	}
	if (status == HISTREE_OK)
		status = scan_sources(trace, &list, error);
	if (status == HISTREE_OK)
		know_the_kernel(trace);
	if (status == HISTREE_OK)
		status = check_hosts(trace, error);
	if (status == HISTREE_OK)
		status = find_repeats(trace, error);
	if (status == HISTREE_OK)
		status = warn_of_doubled(trace, error);
	if (status == HISTREE_OK && positions != NULL)
		status = trace_check_positions(trace, positions, position_count, error);
	if (status == HISTREE_OK)
		status = trace_open_sources(trace, positions, error);
	trace_list_release(&list);
	return status;
}

static enum histree_status open_from(const struct io *io, const char *const *paths, size_t path_count,
				     const struct trace_position *positions, size_t position_count,
				     const struct histree_cancel *cancel, struct trace **out,
				     struct histree_error *error)
{
	*out = NULL;
	if (path_count == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "no trace was named");
	struct trace *trace = calloc(1, sizeof(*trace));
	if (trace == NULL)
		return error_memory(error, "a trace");
	*out = trace;
	trace->io = io;
	trace->cancel = cancel;
	enum histree_status status =
		positions == NULL && path_count == 1 && trace_is_address(paths[0])
			? open_live(trace, paths[0], cancel, error)
			: open_paths(trace, paths, path_count, positions, position_count, error);
	trace->cancel = NULL;
	if (status != HISTREE_OK) {
		*out = NULL;
		trace_close(trace);
	}
	return status;
}

static enum histree_status open_from_start(const struct io *io, const char *const *paths, size_t path_count,
					   const struct histree_cancel *cancel, struct trace **out,
					   struct histree_error *error)
{
	histree_time begin;
	enum histree_status status = open_from(io, paths, path_count, NULL, 0, cancel, out, error);
	if (status != HISTREE_OK || !trace_begins_at_zero(*out))
		return status;
	/* Looking for the beginning reads the trace. */
	status = trace_find_begin(*out, &begin, error);
	trace_close(*out);
	*out = NULL;
	if (status == HISTREE_OK)
		status = open_from(io, paths, path_count, NULL, 0, cancel, out, error);
	if (status == HISTREE_OK && begin != INT64_MIN)
		status = trace_leave_out_before(*out, begin, error);
	if (status != HISTREE_OK) {
		trace_close(*out);
		*out = NULL;
	}
	return status;
}

enum histree_status trace_open_or_cancel(const char *const *paths, size_t path_count,
					 const struct histree_cancel *cancel, struct trace **out,
					 struct histree_error *error)
{
	return open_from_start(&io_posix, paths, path_count, cancel, out, error);
}

enum histree_status trace_open(const char *const *paths, size_t path_count, struct trace **out,
			       struct histree_error *error)
{
	return open_from_start(&io_posix, paths, path_count, NULL, out, error);
}

enum histree_status trace_open_by(const struct io *io, const char *const *paths, size_t path_count,
				  struct trace **out, struct histree_error *error)
{
	return open_from_start(io, paths, path_count, NULL, out, error);
}

enum histree_status trace_open_at(const char *const *paths, size_t path_count,
				  const struct trace_position *positions, size_t position_count, struct trace **out,
				  struct histree_error *error)
{
	return open_from(&io_posix, paths, path_count, positions, position_count, NULL, out, error);
}
