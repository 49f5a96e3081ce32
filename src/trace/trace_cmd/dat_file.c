// SPDX-License-Identifier: MIT
#include "trace/trace_cmd/dat_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"

struct trace_cursor dat_file_cursor(struct dat_file *file, uint64_t offset, struct histree_error *error)
{
	bool is_within = offset <= file->size;
	return (struct trace_cursor){
		.window = &file->window,
		.at = is_within ? offset : 0,
		.end = file->size,
		.is_big = file->is_big,
		.status = is_within ? HISTREE_OK : HISTREE_END,
		.error = error,
	};
}

/* ---- whether it can be understood ------------------------------------------------------------------------ */

static enum histree_status check_page(const struct dat_file *file, struct histree_error *error)
{
	const struct tracing_page *page = &file->page;
	bool is_known = (page->long_size == 4 || page->long_size == 8) && page->begin >= 8 + page->long_size &&
			page->begin <= 64;
	if (page->long_size == 0)
		return error_set(error, HISTREE_ERR_TRACE,
				 "it does not describe its pages: its kernel is older than Linux 2.6.31, or it is "
				 "damaged");
	if (!is_known)
		return error_set(error, HISTREE_ERR_TRACE,
				 "its pages have a head of %" PRIu32 " bytes with a word of %" PRIu32
				 ", as no kernel has",
				 page->begin, page->long_size);
	return HISTREE_OK;
}

/* Pages of CPUs do not lie in one another, so they are not more than the file. */
static enum histree_status check_buffers(const struct dat_file *file, struct histree_error *error)
{
	uint64_t left = file->size;
	for (size_t i = 0; i < file->buffer_count; i++) {
		const struct dat_buffer *buffer = &file->buffers[i];
		if (buffer->page_size <= file->page.begin || buffer->page_size > DAT_PAGE_SIZE_MAX)
			return error_set(error, HISTREE_ERR_TRACE,
					 "its pages are of %" PRIu32 " bytes, as no kernel's are",
					 buffer->page_size);
		for (uint32_t cpu = 0; cpu < buffer->cpu_count; cpu++) {
			const struct dat_cpu *of = &buffer->cpus[cpu];
			uint64_t there = of->offset >= file->size             ? 0
					 : of->size < file->size - of->offset ? of->size
									      : file->size - of->offset;
			if (there > left)
				return error_set(error, HISTREE_ERR_TRACE,
						 "the pages of its CPUs lie in one another: it is damaged");
			left -= there;
		}
	}
	return HISTREE_OK;
}

static enum histree_status check(const struct dat_file *file, struct histree_error *error)
{
	bool has_pages = false;
	for (size_t i = 0; i < file->buffer_count; i++)
		has_pages |= file->buffers[i].cpu_count > 0;
	if (!has_pages && file->has_text)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"it has the text of a tracer of latencies (trace-cmd extract with the plugin irqsoff, "
			"wakeup or the like), no events; record without the plugin, with '-e EVENT'");
	enum histree_status status = check_page(file, error);
	if (status == HISTREE_OK)
		status = check_buffers(file, error);
	if (status == HISTREE_OK && file->buffer_count == 0)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"it does not say where its events are, which trace-cmd writes last: it was cut short, "
			"or trace-cmd was killed; if its 'FILE.cpu0', ... are there, use 'trace-cmd restore'");
	return status;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/* The buffer that is always there comes first; its clock is that of the file. */
static void order_buffers(struct dat_file *file)
{
	for (size_t i = 1; i < file->buffer_count; i++) {
		if (file->buffers[i].name[0] != '\0' || file->buffers[0].name[0] == '\0')
			continue;
		struct dat_buffer top = file->buffers[i];
		file->buffers[i] = file->buffers[0];
		file->buffers[0] = top;
	}
	if (file->clock_name[0] == '\0' && file->buffer_count > 0)
		memcpy(file->clock_name, file->buffers[0].clock, sizeof(file->clock_name));
}

static enum histree_status read_rest(struct dat_file *file, struct trace_cursor *cursor,
				     struct histree_error *error)
{
	const struct tracing_head *head = &file->head;
	bool is_six = strcmp(head->version, "6") == 0, is_seven = strcmp(head->version, "7") == 0;
	if (!is_six && !is_seven)
		return error_set(error, HISTREE_ERR_TRACE,
				 "it is of version '%s' of that format, and histree reads 6 and 7; %s",
				 head->version,
				 strtol(head->version, NULL, 10) > 7
					 ? "convert it with 'trace-cmd convert --file-version 7 -i FILE -o FILE'"
					 : "record with a trace-cmd of 2010 or later");
	struct tracing_points points = {
		.by_id = &file->tracepoints,
		.memory = &file->memory,
		.parser = tracepoint_parser_create(head->is_big),
	};
	if (points.parser == NULL)
		return error_memory(error, "the tracepoints of a trace");
	enum histree_status status = is_six ? dat_row_read(file, cursor, &points, error)
					    : dat_sections_read(file, cursor, &points, error);
	tracepoint_parser_free(points.parser);
	return status;
}

static enum histree_status read_all(struct dat_file *file, struct histree_error *error)
{
	struct trace_cursor cursor = dat_file_cursor(file, 0, error);
	if (!tracing_head_read(&cursor, &file->head))
		return cursor.status < 0 ? cursor.status
					 : error_set(error, HISTREE_ERR_TRACE, "it ends within its header");
	file->is_big = file->head.is_big;
	enum histree_status status = read_rest(file, &cursor, error);
	if (status == HISTREE_END)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"it ends before, or within, what describes its events, or says where they are: "
			"it was cut short or is damaged; if its 'FILE.cpu0', ... are there, use 'trace-cmd "
			"restore'");
	if (status != HISTREE_OK)
		return status;
	order_buffers(file);
	return check(file, error);
}

enum histree_status dat_file_open(struct dat_file *file, const struct io *io, const char *path,
				  struct histree_error *error)
{
	struct stat facts;
	if (stat(path, &facts) < 0)
		return error_set(error, HISTREE_ERR_IO, "cannot open: %s", strerror(errno));
	file->io = io;
	file->path = path;
	file->size = (uint64_t)facts.st_size;
	file->major = file->minor = -1;
	memcpy(file->facts.tracer, "trace-cmd", 10);
	trace_window_init(&file->window, io, path, true);
	enum histree_status status = read_all(file, error);
	if (file->trace_id != 0)
		snprintf(file->facts.uuid, sizeof(file->facts.uuid), "%016" PRIx64, file->trace_id);
	trace_window_release(&file->window);
	return status;
}

void dat_file_close(struct dat_file *file)
{
	trace_window_release(&file->window);
	id_map_release(&file->tracepoints);
	arena_release(&file->memory);
	free(file->buffers);
	*file = (struct dat_file){ 0 };
}
