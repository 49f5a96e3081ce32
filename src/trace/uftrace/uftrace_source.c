// SPDX-License-Identifier: MIT
/*
 * uftrace_source.c - a recording of uftrace as a source: a folder with "info" and a stream for each task.
 */
#include "trace/uftrace/uftrace_source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"
#include "trace/lines/line_text.h"
#include "trace/uftrace/uftrace_stream.h"

/* What "info" begins with: utils/data-file.c of uftrace. */
enum { HEADER_SIZE = 40, VERSION_MIN = 3, VERSION_MAX = 4, ORDER_BIG = 2, FILES_MAX = 1 << 20 };

static const char magic[8] = "Ftrace!";

struct uftrace_source {
	struct trace_source base;
	bool is_big;
	bool has_kernel; /* files about the kernel */
	struct uftrace_names names;
	struct event_class classes[2];
	struct uftrace_stream **all; /* by the names of their files */
	size_t count, capacity;
	struct trace_stream **streams; /* the same */
};

static struct uftrace_source *source_of(struct trace_source *base)
{
	return (struct uftrace_source *)base;
}

static struct trace_source *create(void)
{
	struct uftrace_source *source = calloc(1, sizeof(*source));
	return source == NULL ? NULL : &source->base;
}

/* ---- what the folder says of itself ---------------------------------------------------------------------- */

/* Returns HISTREE_NOT_FOUND if it is no such folder. */
static enum histree_status read_header(const struct io *io, const char *folder, uint8_t out[HEADER_SIZE],
				       struct histree_error *error)
{
	char *path;
	struct trace_window window;
	if (asprintf(&path, "%s/info", folder) < 0)
		return error_memory(error, "a path");
	trace_window_init(&window, io, path, false);
	enum histree_status status = trace_window_move(&window, 0, HEADER_SIZE, error);
	bool is = status == HISTREE_OK && window.count == HEADER_SIZE &&
		  memcmp(window.bytes, magic, sizeof(magic)) == 0;
	if (is)
		memcpy(out, window.bytes, HEADER_SIZE);
	trace_window_release(&window);
	free(path);
	return status == HISTREE_ERR_MEMORY || is ? status : HISTREE_NOT_FOUND;
}

bool uftrace_source_is(const char *folder)
{
	uint8_t header[HEADER_SIZE];
	return read_header(&io_posix, folder, header, NULL) == HISTREE_OK;
}

static enum histree_status check_header(struct uftrace_source *source, struct histree_error *error)
{
	uint8_t header[HEADER_SIZE] = { 0 };
	enum histree_status status = read_header(source->base.io, source->base.path, header, error);
	if (status == HISTREE_NOT_FOUND)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" has no file \"info\" of uftrace",
				 source->base.path);
	if (status != HISTREE_OK)
		return status;
	source->is_big = header[14] == ORDER_BIG;
	uint8_t version = header[source->is_big ? 11 : 8];
	if (version < VERSION_MIN || version > VERSION_MAX)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"\"%s\" is a recording of uftrace in version %u of its format; histree reads %d to %d",
			source->base.path, version, VERSION_MIN, VERSION_MAX);
	return HISTREE_OK;
}

static void copy_fact(struct line_scan scan, char out[TRACE_FACT_SIZE])
{
	size_t size = (size_t)(scan.end - scan.at);
	size = size < TRACE_FACT_SIZE ? size : TRACE_FACT_SIZE - 1;
	memcpy(out, scan.at, size);
	out[size] = '\0';
}

/* Behind the header are lines, such as "osinfo:hostname=vm". */
static enum histree_status read_info(const struct io *io, const char *folder, struct trace_facts *out,
				     struct histree_error *error)
{
	char *path, *line;
	size_t size;
	struct line_text text;
	if (asprintf(&path, "%s/info", folder) < 0)
		return error_memory(error, "a path");
	const struct line_place place = { .io = io, .path = path };
	enum histree_status status = line_text_open(&text, &place, error);
	if (status == HISTREE_OK) {
		line_text_seek(&text, HEADER_SIZE);
		while ((status = line_text_next(&text, &line, &size, error)) == HISTREE_OK) {
			struct line_scan scan = { line, line + size };
			if (line_scan_word(&scan, "osinfo:hostname="))
				copy_fact(scan, out->hostname);
			else if (line_scan_word(&scan, "osinfo:kernel="))
				copy_fact(scan, out->kernel);
			else if (line_scan_word(&scan, "uftrace_version:"))
				copy_fact(scan, out->tracer);
		}
		line_text_close(&text);
	}
	free(path);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* "28248.dat" is of a task, "kernel-cpu0.dat" is not. */
static bool is_task_file(const char *name, int32_t *tid)
{
	union {
		const char *given;
		char *at;
	} text = { .given = name };
	struct line_scan scan = { text.at, text.at + strlen(name) };
	uint64_t number;
	bool is = line_scan_number(&scan, &number) && number <= INT32_MAX && line_scan_word(&scan, ".dat") &&
		  scan.at == scan.end;
	*tid = is ? (int32_t)number : 0;
	return is;
}

static enum histree_status add_file(struct uftrace_source *source, const char *name, int32_t tid,
				    struct histree_error *error)
{
	struct trace_window window;
	uint64_t size = 0;
	struct uftrace_stream *stream = calloc(1, sizeof(*stream));
	if (stream == NULL || !array_reserve(&source->all, &source->capacity, source->count + 1) ||
	    asprintf(&stream->path, "%s/%s", source->base.path, name) < 0) {
		free(stream);
		return error_memory(error, "the tasks of a trace");
	}
	source->all[source->count++] = stream;
	stream->tid = tid;
	trace_window_init(&window, source->base.io, stream->path, false);
	enum histree_status status = trace_window_size(&window, &size, error);
	trace_window_release(&window);
	source->base.bytes += size;
	return status;
}

static enum histree_status find_files(struct uftrace_source *source, struct histree_error *error)
{
	struct dirent **entries = NULL;
	int32_t tid;
	int count = scandir(source->base.path, &entries, NULL, alphasort);
	enum histree_status status = HISTREE_OK;
	if (count < 0)
		return error_set(error, HISTREE_ERR_TRACE, "cannot list \"%s\": %s", source->base.path,
				 strerror(errno));
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		source->has_kernel = source->has_kernel || strncmp(name, "kernel-cpu", 10) == 0;
		if (status == HISTREE_OK && source->count < FILES_MAX && is_task_file(name, &tid))
			status = add_file(source, name, tid, error);
		free(entries[i]);
	}
	free(entries);
	source->streams = calloc(source->count + 1, sizeof(struct trace_stream *));
	return status == HISTREE_OK && source->streams == NULL ? error_memory(error, "the tasks of a trace")
							       : status;
}

static void describe(struct uftrace_source *source)
{
	static const char *const fields[UFTRACE_FIELD_COUNT] = {
		[UFTRACE_ADDRESS] = "addr", [UFTRACE_NAME] = "name", [UFTRACE_DEPTH] = "depth",
		[UFTRACE_TID] = "vtid",     [UFTRACE_PID] = "vpid",  [UFTRACE_PROCESS] = "procname",
	};
	static const char *const names[2] = { "uftrace:func_entry", "uftrace:func_exit" };
	struct trace_source *base = &source->base;
	base->trace = (struct event_trace){
		.id = base->trace.id,
		.path = base->path,
		.domain = "ust",
		.tracer_name = "uftrace",
		.tracer_major = -1,
		.tracer_minor = -1,
		.hostname = base->facts.hostname,
		.machine = "",
		.get_int = uftrace_event_int,
		.get_string = uftrace_event_string,
	};
	for (size_t i = 0; i < 2; i++)
		source->classes[i] = (struct event_class){
			.trace = &base->trace,
			.id = (*base->class_count)++,
			.name = names[i],
			.field_count = UFTRACE_FIELD_COUNT,
			.fields = fields,
			.payload_count = UFTRACE_DEPTH + 1,
		};
}

static enum histree_status scan(struct trace_source *base, const char *path, struct histree_error *error)
{
	struct uftrace_source *source = source_of(base);
	base->path = strdup(path);
	if (base->path == NULL)
		return error_memory(error, "a path");
	enum histree_status status = check_header(source, error);
	if (status == HISTREE_OK)
		status = read_info(base->io, base->path, &base->facts, error);
	if (status == HISTREE_OK)
		status = uftrace_names_read(&source->names, base->io, base->path, error);
	if (status == HISTREE_OK)
		status = find_files(source, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_IO ? error_set(error, HISTREE_ERR_TRACE, "%s", error->message)
						: status;
	base->file_count = source->count;
	describe(source);
	return HISTREE_OK;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

static enum histree_status next(struct trace_stream *stream, struct histree_error *error)
{
	return uftrace_stream_next((struct uftrace_stream *)stream, error);
}

/* A packet is the byte of a record; before a gap, of the record behind it. */
static void position(const struct trace_stream *base, struct trace_position *out)
{
	const struct uftrace_stream *stream = (const struct uftrace_stream *)base;
	*out = (struct trace_position){ .packet = base->upcoming.gap != NULL ? stream->at : stream->upcoming_at };
}

static const struct trace_stream_kind stream_kind = { .next = next, .position = position };

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct uftrace_source *source = source_of(base);
	if (source->has_kernel && opening->positions == NULL)
		trace_notes_warn(base->notes, "%s: functions of the kernel are not read", base->path);
	base->streams = source->streams;
	base->stream_count = 0;
	for (size_t i = 0; i < source->count; i++) {
		struct uftrace_stream *stream = source->all[i];
		const struct trace_position *at = opening->positions;
		uint64_t begin = at == NULL ? 0 : at[i].packet; /* TRACE_FILE_DONE is behind its end */
		stream->base = (struct trace_stream){ .kind = &stream_kind,
						      .first_file = i,
						      .trace = &base->trace,
						      .notes = base->notes,
						      .name = stream->path };
		stream->names = &source->names;
		stream->classes[0] = &source->classes[0];
		stream->classes[1] = &source->classes[1];
		stream->task = uftrace_names_task(&source->names, stream->tid);
		stream->is_big = source->is_big;
		stream->window_size = opening->window_size;
		source->streams[base->stream_count++] = &stream->base;
		enum histree_status status =
			uftrace_stream_open(stream, base->io, opening->files_stay_open, begin, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static void leave_streams(struct trace_source *base)
{
	struct uftrace_source *source = source_of(base);
	for (size_t i = 0; i < source->count; i++)
		uftrace_stream_close(source->all[i]);
	base->stream_count = 0;
}

/* ---- what is known of it --------------------------------------------------------------------------------- */

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	const struct uftrace_source *source = (const struct uftrace_source *)base;
	(void)source, (void)file;
	return at->packet % 8 == 0 && at->packet < base->bytes;
}

static uint64_t bytes_done(const struct trace_source *base)
{
	const struct uftrace_source *source = (const struct uftrace_source *)base;
	uint64_t done = 0;
	for (size_t i = 0; i < source->count; i++)
		done += source->all[i]->at < source->all[i]->size ? source->all[i]->at : source->all[i]->size;
	return done;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	*out = (struct trace_facts){ 0 };
	return read_info(&io_posix, path, out, error);
}

static void free_source(struct trace_source *base)
{
	struct uftrace_source *source = source_of(base);
	for (size_t i = 0; i < source->count; i++) {
		uftrace_stream_close(source->all[i]);
		free(source->all[i]->path);
		free(source->all[i]);
	}
	uftrace_names_release(&source->names);
	free((void *)source->all);
	free((void *)source->streams);
	free(base->path);
	free(source);
}

const struct trace_format_kind uftrace_format = {
	.reads = "uftrace",
	.create = create,
	.scan = scan,
	.open = open_streams,
	.leave = leave_streams,
	.has_position = has_position,
	.bytes_done = bytes_done,
	.facts = read_facts,
	.free = free_source,
};
