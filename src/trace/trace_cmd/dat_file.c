// SPDX-License-Identifier: MIT
/*
 * dat_file.c - the parts of a trace.dat before its events, in versions 6 and 7, and the conversion of the times of
 * the kernel's buffer to ns of the day.
 */
#include "trace/trace_cmd/dat_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "base/zlib.h"
#include "base/zstd.h"
#include "histree/value.h"
#include "trace/trace_source.h"
#include "trace/tracepoint.h"

static enum histree_status dat_row_read(struct dat_file *file, struct trace_cursor *cursor,
					const struct tracing_points *points, struct histree_error *error);

/* ---- dat unpack ---------------------------------------------------------------------------------------------- */

bool dat_can_unpack(enum dat_packing packing)
{
	return packing == DAT_PACKING_NONE || (packing == DAT_PACKING_ZLIB && zlib_is_there()) ||
	       (packing == DAT_PACKING_ZSTD && zstd_is_there);
}

bool dat_unpack(enum dat_packing packing, const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	switch (packing) {
	case DAT_PACKING_ZLIB:
		return zlib_unpack(bytes, size, room, room_size);
	case DAT_PACKING_ZSTD:
		return zstd_unpack(bytes, size, room, room_size);
	default:
		return false;
	}
}

/* ---- dat clock ----------------------------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;

/* Returns the first of the two samples that a time is judged by. */
static uint32_t sample_before(const struct dat_shift *shift, uint64_t stamp)
{
	const uint32_t low =
		(uint32_t)SEARCH(i, 1, shift->count - 1, (wide)shift->samples[i].time <= (wide)stamp) - 1;
	return low;
}

/*
 * As trace-cmd does (its manual has the samples, not what is done with them): one is an offset; of several, the one
 * before a time scales it, and its offset is moved towards that of the one behind where the protocol says so.
 */
static wide to_host(const struct dat_clock *clock, const struct dat_shift *shift, uint64_t stamp)
{
	if (shift->count == 1)
		return (wide)stamp + shift->samples[0].offset;
	const struct dat_sample *before = &shift->samples[sample_before(shift, stamp)], *behind = before + 1;
	wide offset = before->offset;
	if (clock->interpolates) {
		wide span = (wide)behind->time - before->time;
		wide part = ((wide)stamp - before->time) * ((wide)behind->offset - before->offset);
		offset += (part + span / 2) / span;
	}
	return (((wide)stamp * (wide)before->scaling) >> before->fraction) + offset;
}

bool dat_clock_time(const struct dat_clock *clock, uint32_t cpu, uint64_t stamp, histree_time *out)
{
	if (stamp > INT64_MAX)
		return false;
	wide time = (wide)stamp;
	if (cpu < clock->shift_count && clock->shifts[cpu].count > 0) {
		time = to_host(clock, &clock->shifts[cpu], stamp);
		if (time < 0 || time > INT64_MAX)
			return false;
	}
	if (clock->multiplier != 0)
		time = (time * clock->multiplier) >> clock->shift;
	time += clock->offset;
	*out = (histree_time)time;
	return *out == time;
}

/* ---- dat file ------------------------------------------------------------------------------------------------ */

static enum histree_status dat_sections_read(struct dat_file *file, struct trace_cursor *cursor,
					     const struct tracing_points *points, struct histree_error *error);

/* ---- dat file ------------------------------------------------------------------------------------------------ */

/* Returns a cursor in the file, from an offset on. */
static struct trace_cursor dat_file_cursor(struct dat_file *file, uint64_t offset, struct histree_error *error)
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

/* ---- all ------------------------------------------------------------------------------------------------- */

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
		.zombie_bit = &file->zombie_bit,
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
	/* The buffer that always exists comes first; its clock is that of the file. */
	for (size_t i = 1; i < file->buffer_count; i++) {
		if (file->buffers[i].name[0] != '\0' || file->buffers[0].name[0] == '\0')
			continue;
		struct dat_buffer top = file->buffers[i];
		file->buffers[i] = file->buffers[0];
		file->buffers[0] = top;
	}
	if (file->clock_name[0] == '\0' && file->buffer_count > 0)
		memcpy(file->clock_name, file->buffers[0].clock, sizeof(file->clock_name));
	bool has_pages = false;
	for (size_t i = 0; i < file->buffer_count; i++)
		has_pages |= file->buffers[i].cpu_count > 0;
	if (!has_pages && file->has_text)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"it has the text of a tracer of latencies (trace-cmd extract with the plugin irqsoff, "
			"wakeup or the like), no events; record without the plugin, with '-e EVENT'");
	status = check_page(file, error);
	if (status == HISTREE_OK)
		status = check_buffers(file, error);
	if (status == HISTREE_OK && file->buffer_count == 0)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"it does not say where its events are, which trace-cmd writes last: it was cut short, "
			"or trace-cmd was killed; if its 'FILE.cpu0', ... are there, use 'trace-cmd restore'");
	return status;
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
	id_map_release(&file->processes);
	arena_release(&file->memory);
	free(file->buffers);
	*file = (struct dat_file){ 0 };
}

/* ---- dat options --------------------------------------------------------------------------------------------- */

enum {
	OPTION_DATE = 1,
	OPTION_BUFFER = 3,
	OPTION_TRACE_CLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_OFFSET = 7,
	OPTION_CPU_COUNT = 8,
	OPTION_VERSION = 9,
	OPTION_TRACE_ID = 11,
	OPTION_TIME_SHIFT = 12,
	OPTION_TSC_TO_NS = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_BUFFER_TEXT = 22,
	OPTION_SAVED_TGIDS =
		32, /* of the trace-cmd that GPUVis comes with: what the kernel's file saved_tgids says */
	NS_PER_US = 1000,
	SHIFT_MAX = 63,
	INTERPOLATES = 1, /* a flag of OPTION_TIME_SHIFT */
};

/* Samples that are farther from 0 are left out, so that differences and products of two fit. */
#define SAMPLE_MAX (INT64_C(1) << 62)
static void copy_text(char *out, size_t room, const char *text, size_t size)
{
	size = strnlen(text, size);
	if (size >= room)
		size = room - 1;
	memcpy(out, text, size);
	out[size] = '\0';
}

/* What the kernel's file trace_clock says, "[local] global ...", or the name alone. */
static void dat_clock_name_read(char *out, const char *text, size_t size)
{
	const char *begin = size == 0 ? NULL : memchr(text, '[', size);
	const char *end = begin == NULL ? NULL : memchr(begin, ']', size - (size_t)(begin - text));
	if (end != NULL)
		copy_text(out, DAT_CLOCK_NAME_SIZE, begin + 1, (size_t)(end - begin) - 1);
	else
		copy_text(out, DAT_CLOCK_NAME_SIZE, text, size);
}

/* ---- times ----------------------------------------------------------------------------------------------- */

/* Add a number that is written as text, in some unit, to what is added to all times. */
static enum histree_status add_offset(struct dat_file *file, const uint8_t *bytes, uint32_t size, int64_t unit,
				      struct histree_error *error)
{
	char text[64];
	copy_text(text, sizeof(text), (const char *)bytes, size);
	int64_t offset;
	if (__builtin_mul_overflow((int64_t)strtoll(text, NULL, 0), unit, &offset) ||
	    __builtin_add_overflow(file->clock.offset, offset, &file->clock.offset))
		return error_set(error, HISTREE_ERR_TRACE, "its times are moved out of range, by '%s'", text);
	return HISTREE_OK;
}

static bool read_numbers(struct trace_cursor *cursor, struct dat_shift *shift, size_t member)
{
	for (uint32_t i = 0; i < shift->count; i++)
		if (!trace_cursor_u64(cursor, (uint64_t *)((char *)&shift->samples[i] + member)))
			return false;
	return true;
}

static int compare_samples(const void *a, const void *b)
{
	const struct dat_sample *first = a, *second = b;
	return (first->time > second->time) - (first->time < second->time);
}

/* Put samples in order and leave out invalid ones, and of those with one time all but the first. */
static void clean_samples(struct dat_shift *shift)
{
	uint32_t kept = 0;
	qsort(shift->samples, shift->count, sizeof(*shift->samples), compare_samples);
	for (uint32_t i = 0; i < shift->count; i++) {
		const struct dat_sample *sample = &shift->samples[i];
		if (sample->time >= 0 && sample->time < SAMPLE_MAX && sample->offset > -SAMPLE_MAX &&
		    sample->offset < SAMPLE_MAX && sample->fraction <= SHIFT_MAX &&
		    (kept == 0 || sample->time != shift->samples[kept - 1].time))
			shift->samples[kept++] = *sample;
	}
	shift->count = kept;
}

static enum histree_status read_samples(struct dat_file *file, struct trace_cursor *cursor, struct dat_shift *shift,
					struct histree_error *error)
{
	uint32_t count;
	if (!trace_cursor_u32(cursor, &count) || count > (cursor->end - cursor->at) / 24)
		return HISTREE_END;
	shift->samples =
		arena_allocate(&file->memory, (count + 1) * sizeof(*shift->samples), alignof(struct dat_sample));
	if (shift->samples == NULL)
		return error_memory(error, "the clock of a trace");
	memset(shift->samples, 0, (count + 1) * sizeof(*shift->samples));
	shift->count = count;
	bool has_all = read_numbers(cursor, shift, offsetof(struct dat_sample, time)) &&
		       read_numbers(cursor, shift, offsetof(struct dat_sample, offset)) &&
		       read_numbers(cursor, shift, offsetof(struct dat_sample, scaling));
	return has_all ? HISTREE_OK : HISTREE_END;
}

/* Of a guest: how far its clock is from that of its host, a list of samples a CPU. */
static enum histree_status read_time_shift(struct dat_file *file, struct trace_cursor cursor,
					   struct histree_error *error)
{
	uint64_t peer;
	uint32_t flags, count;
	if (!trace_cursor_u64(&cursor, &peer) || !trace_cursor_u32(&cursor, &flags) ||
	    !trace_cursor_u32(&cursor, &count) || count > DAT_CPUS_MAX)
		return HISTREE_OK;
	struct dat_shift *shifts =
		arena_allocate(&file->memory, (count + 1) * sizeof(*shifts), alignof(struct dat_shift));
	if (shifts == NULL)
		return error_memory(error, "the clock of a trace");
	memset(shifts, 0, (count + 1) * sizeof(*shifts));
	for (uint32_t i = 0; i < count; i++) {
		enum histree_status status = read_samples(file, &cursor, &shifts[i], error);
		if (status != HISTREE_OK)
			return status < 0 ? status : HISTREE_OK;
	}
	/* Older versions write no fractions. */
	bool has_fractions = cursor.at < cursor.end;
	for (uint32_t i = 0; i < count; i++) {
		if (has_fractions && !read_numbers(&cursor, &shifts[i], offsetof(struct dat_sample, fraction)))
			return HISTREE_OK;
		clean_samples(&shifts[i]);
	}
	file->clock.shifts = shifts;
	file->clock.shift_count = count;
	file->clock.interpolates = (flags & INTERPOLATES) != 0;
	return HISTREE_OK;
}

/* From cycles to ns.  The offset that follows is not used since trace-cmd 3.0. */
static void read_tsc(struct dat_file *file, struct trace_cursor cursor)
{
	uint32_t multiplier, shift;
	if (trace_cursor_u32(&cursor, &multiplier) && trace_cursor_u32(&cursor, &shift) && shift <= SHIFT_MAX) {
		file->clock.multiplier = multiplier;
		file->clock.shift = shift;
	}
}

/* ---- whose it is ----------------------------------------------------------------------------------------- */

/* "Linux HOST RELEASE MACHINE" */
static void read_uname(struct dat_file *file, const uint8_t *bytes, uint32_t size)
{
	char *const words[] = { file->facts.hostname, file->facts.kernel, file->machine };
	const char *at = (const char *)bytes, *end = at + strnlen(at, size);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *space = at == end ? NULL : memchr(at, ' ', (size_t)(end - at));
		if (space == NULL)
			return;
		at = space + 1;
		const char *next = at == end ? NULL : memchr(at, ' ', (size_t)(end - at));
		copy_text(words[i], TRACE_FACT_SIZE, at, (size_t)((next == NULL ? end : next) - at));
	}
}

static void read_version(struct dat_file *file, const uint8_t *bytes, uint32_t size)
{
	char text[TRACE_FACT_SIZE];
	copy_text(text, sizeof(text), (const char *)bytes, size);
	if (sscanf(text, "%9d.%9d", &file->major, &file->minor) != 2)
		file->major = file->minor = -1;
}

/* ---- buffers --------------------------------------------------------------------------------------------- */

/* Returns NULL when memory runs out. */
static struct dat_buffer *dat_file_add_buffer(struct dat_file *file)
{
	if (!array_reserve(&file->buffers, &file->buffer_capacity, file->buffer_count + 1))
		return NULL;
	struct dat_buffer *buffer = &file->buffers[file->buffer_count++];
	*buffer = (struct dat_buffer){ .name = "", .page_size = file->head.page_size };
	memcpy(buffer->clock, file->clock_name, sizeof(buffer->clock));
	return buffer;
}

/* Each CPU has a number, an offset and a size. */
static enum histree_status dat_file_read_cpus(struct dat_file *file, struct dat_buffer *buffer,
					      struct trace_cursor *cursor, struct histree_error *error)
{
	uint32_t count;
	if (!trace_cursor_u32(cursor, &count) || count > (cursor->end - cursor->at) / 20 || count > DAT_CPUS_MAX)
		return HISTREE_END;
	buffer->cpus = arena_allocate(&file->memory, (count + 1) * sizeof(*buffer->cpus), alignof(struct dat_cpu));
	if (buffer->cpus == NULL)
		return error_memory(error, "the CPUs of a trace");
	for (; count > 0; count--) {
		struct dat_cpu cpu = { 0 };
		trace_cursor_u32(cursor, &cpu.number);
		trace_cursor_u64(cursor, &cpu.offset);
		trace_cursor_u64(cursor, &cpu.size);
		if (cpu.size > 0)
			buffer->cpus[buffer->cpu_count++] = cpu;
	}
	return HISTREE_OK;
}

/* In version 6 the table of CPUs is at the offset. */
static enum histree_status read_buffer(struct dat_file *file, struct trace_cursor cursor,
				       struct histree_error *error)
{
	bool has_sections = file->head.version[0] == '7';
	uint64_t offset = 0;
	trace_cursor_u64(&cursor, &offset);
	const char *name = trace_cursor_text(&cursor);
	struct dat_buffer *buffer = name == NULL ? NULL : dat_file_add_buffer(file);
	char *copy = buffer == NULL ? NULL : arena_copy(&file->memory, name, strlen(name));
	if (name != NULL && copy == NULL)
		return error_memory(error, "the buffers of a trace");
	if (name == NULL)
		return HISTREE_OK;
	buffer->name = copy;
	buffer->offset = offset;
	if (!has_sections)
		return HISTREE_OK;
	const char *clock = trace_cursor_text(&cursor);
	if (clock != NULL)
		dat_clock_name_read(buffer->clock, clock, strlen(clock));
	enum histree_status status = trace_cursor_u32(&cursor, &buffer->page_size)
					     ? dat_file_read_cpus(file, buffer, &cursor, error)
					     : HISTREE_END;
	if (status == HISTREE_END)
		file->buffer_count--;
	return status < 0 ? status : HISTREE_OK;
}

/* A positive number of a line; 0: the line has no such number. */
static uint32_t take_number(const char **at, const char *end)
{
	uint64_t number = 0;
	while (*at < end && **at == ' ')
		++*at;
	for (; *at < end && **at >= '0' && **at <= '9' && number <= INT32_MAX; ++*at)
		number = number * 10 + (uint64_t)(**at - '0');
	return number <= INT32_MAX ? (uint32_t)number : 0;
}

/* "TID TGID" in each line. */
static enum histree_status read_processes(struct dat_file *file, const char *at, size_t size,
					  struct histree_error *error)
{
	const char *end = at + size;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)),
			   *line_end = newline != NULL ? newline : end;
		const uint32_t tid = take_number(&at, line_end), tgid = take_number(&at, line_end);
		if (tid > 0 && tgid > 0 && id_map_find(&file->processes, tid) == NULL &&
		    !id_map_add(&file->processes, tid, (void *)(uintptr_t)tgid))
			return error_memory(error, "the processes of threads");
		at = line_end + 1;
	}
	return HISTREE_OK;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static void read_offset(struct dat_file *file, struct trace_cursor cursor, size_t section)
{
	trace_cursor_u64(&cursor, &file->sections[section]);
}

/* Read one option; unknown ones are ignored.  Returns HISTREE_ERR_MEMORY, HISTREE_ERR_TRACE. */
static enum histree_status dat_option_read(struct dat_file *file, uint16_t option, const uint8_t *bytes,
					   uint32_t size, struct histree_error *error)
{
	struct trace_cursor cursor = { .bytes = bytes, .end = size, .is_big = file->is_big, .error = error };
	switch (option) {
	case OPTION_DATE:
		return add_offset(file, bytes, size, NS_PER_US, error);
	case OPTION_OFFSET:
		return add_offset(file, bytes, size, 1, error);
	case OPTION_BUFFER:
		return read_buffer(file, cursor, error);
	case OPTION_TRACE_CLOCK:
		dat_clock_name_read(file->clock_name, (const char *)bytes, size);
		return HISTREE_OK;
	case OPTION_UNAME:
		read_uname(file, bytes, size);
		return HISTREE_OK;
	case OPTION_CPU_COUNT:
		trace_cursor_u32(&cursor, &file->cpu_count);
		return HISTREE_OK;
	case OPTION_VERSION:
		read_version(file, bytes, size);
		return HISTREE_OK;
	case OPTION_TRACE_ID:
		trace_cursor_u64(&cursor, &file->trace_id);
		return HISTREE_OK;
	case OPTION_TIME_SHIFT:
		return read_time_shift(file, cursor, error);
	case OPTION_TSC_TO_NS:
		read_tsc(file, cursor);
		return HISTREE_OK;
	case OPTION_HEADER_INFO:
		read_offset(file, cursor, DAT_SECTION_PAGE);
		return HISTREE_OK;
	case OPTION_FTRACE_EVENTS:
		read_offset(file, cursor, DAT_SECTION_FTRACE);
		return HISTREE_OK;
	case OPTION_EVENT_FORMATS:
		read_offset(file, cursor, DAT_SECTION_SYSTEMS);
		return HISTREE_OK;
	case OPTION_BUFFER_TEXT:
		file->has_text = true;
		return HISTREE_OK;
	case OPTION_SAVED_TGIDS:
		return read_processes(file, (const char *)bytes, size, error);
	default:
		return HISTREE_OK;
	}
}

/* ---- dat sections -------------------------------------------------------------------------------------------- */

enum {
	SECTION_PACKED = 1,          /* a flag */
	SECTION_SIZE_MAX = 64 << 20, /* descriptions of all tracepoints of a kernel are some MB */
	OPTIONS_MAX = 4096,          /* sections of options, each of which points to the next */
	OPTION_DONE = 0,
	DAT_FILE_OPTION_SIZE_MAX = 16 << 20,
};

/* A section that is open. */
struct section {
	struct trace_cursor cursor;
	uint8_t *plain; /* of one that was packed */
};

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
	if (!(status == HISTREE_OK && is_packed))
		return status;
	struct trace_cursor *cursor = &out->cursor;
	uint32_t size, plain_size;
	const uint8_t *bytes;
	if (!trace_cursor_u32(cursor, &size) || !trace_cursor_u32(cursor, &plain_size) ||
	    (bytes = trace_cursor_take(cursor, size)) == NULL)
		return cursor->status;
	if (plain_size > SECTION_SIZE_MAX)
		return HISTREE_END;
	out->plain = malloc((size_t)plain_size + 1);
	if (out->plain == NULL)
		return error_memory(error, "a section of a trace");
	if (!dat_unpack(file->packing, bytes, size, out->plain, plain_size))
		return error_set(error, HISTREE_ERR_TRACE, "a section of it cannot be unpacked: it is damaged");
	*cursor = (struct trace_cursor){
		.bytes = out->plain, .end = plain_size, .is_big = file->is_big, .error = error
	};
	return HISTREE_OK;
}

/* ---- options --------------------------------------------------------------------------------------------- */

/* Read one section of options.  *next is where the next is, 0: this was the last. */
static enum histree_status dat_file_read_options(struct dat_file *file, struct trace_cursor *cursor, uint64_t *next,
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
		const uint8_t *bytes = size > DAT_FILE_OPTION_SIZE_MAX ? NULL : trace_cursor_take(cursor, size);
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
			status = dat_file_read_options(file, &section.cursor, &next, error);
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

static enum histree_status dat_sections_read(struct dat_file *file, struct trace_cursor *cursor,
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

/* ---- dat row ------------------------------------------------------------------------------------------------- */

enum { WORD_SIZE = 10, DAT_ROW_OPTION_SIZE_MAX = 16 << 20 };

static bool skip_block_of_u32(struct trace_cursor *cursor)
{
	uint32_t size;
	return trace_cursor_u32(cursor, &size) && trace_cursor_skip(cursor, size);
}

static enum histree_status dat_row_read_options(struct dat_file *file, struct trace_cursor *cursor,
						struct histree_error *error)
{
	for (;;) {
		uint16_t option;
		uint32_t size;
		if (!trace_cursor_u16(cursor, &option) || option == 0)
			return cursor->status;
		if (!trace_cursor_u32(cursor, &size))
			return cursor->status;
		const uint8_t *bytes = size > DAT_ROW_OPTION_SIZE_MAX ? NULL : trace_cursor_take(cursor, size);
		if (bytes == NULL)
			return cursor->status == HISTREE_OK ? HISTREE_END : cursor->status;
		enum histree_status status = dat_option_read(file, option, bytes, size, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* Whether the next word is this one; it is of 10 bytes. */
static bool take_word(struct trace_cursor *cursor, const char *word)
{
	uint64_t at = cursor->at;
	const uint8_t *bytes = trace_cursor_take(cursor, WORD_SIZE);
	if (bytes == NULL)
		return false;
	bool is = memcmp(bytes, word, strlen(word)) == 0;
	if (!is)
		cursor->at = at;
	return is;
}

/* An offset and a size for each CPU. */
static enum histree_status dat_row_read_cpus(struct dat_file *file, struct dat_buffer *buffer,
					     struct trace_cursor *cursor, struct histree_error *error)
{
	uint32_t count = file->cpu_count;
	if (count > DAT_CPUS_MAX || count > (cursor->end - cursor->at) / 16)
		return HISTREE_END;
	buffer->cpus = arena_allocate(&file->memory, (count + 1) * sizeof(*buffer->cpus), alignof(struct dat_cpu));
	if (buffer->cpus == NULL)
		return error_memory(error, "the CPUs of a trace");
	for (uint32_t number = 0; number < count; number++) {
		struct dat_cpu cpu = { .number = number };
		if (!trace_cursor_u64(cursor, &cpu.offset) || !trace_cursor_u64(cursor, &cpu.size))
			return cursor->status;
		if (cpu.size > 0)
			buffer->cpus[buffer->cpu_count++] = cpu;
	}
	return HISTREE_OK;
}

/* Behind the table of CPUs, if the option that announces it is there; older versions have damage here. */
static void read_clock(struct dat_file *file, struct trace_cursor *cursor)
{
	uint64_t size;
	if (file->clock_name[0] != '\0' || !trace_cursor_u64(cursor, &size) || size > 4096)
		return;
	const uint8_t *text = trace_cursor_take(cursor, size);
	if (text != NULL)
		dat_clock_name_read(file->clock_name, (const char *)text, (size_t)size);
}

/* What an instance has at its offset. */
static enum histree_status read_instance(struct dat_file *file, struct dat_buffer *buffer,
					 struct histree_error *error)
{
	struct trace_cursor cursor = dat_file_cursor(file, buffer->offset, error);
	if (take_word(&cursor, "options")) {
		/* It repeats those of all. */
		struct dat_file ignored = { .is_big = file->is_big };
		enum histree_status status = dat_row_read_options(&ignored, &cursor, error);
		arena_release(&ignored.memory);
		free(ignored.buffers);
		if (status != HISTREE_OK)
			return status;
	}
	if (!take_word(&cursor, "flyrecord"))
		return cursor.status == HISTREE_OK ? HISTREE_END : cursor.status;
	return dat_row_read_cpus(file, buffer, &cursor, error);
}

/* Read the rest of a file of version 6 or 7, behind its head.  Returns HISTREE_END where it ends early. */
static enum histree_status dat_row_read(struct dat_file *file, struct trace_cursor *cursor,
					const struct tracing_points *points, struct histree_error *error)
{
	if (!tracing_page_read(cursor, &file->page))
		return cursor->status == HISTREE_OK ? HISTREE_END : cursor->status;
	enum histree_status status = tracing_ftrace_read(cursor, points, error);
	if (status == HISTREE_OK)
		status = tracing_systems_read(cursor, points, error);
	if (status != HISTREE_OK)
		return status;
	/* Addresses, formats of printk, names of threads. */
	if (!skip_block_of_u32(cursor) || !skip_block_of_u32(cursor) || !trace_cursor_skip_block(cursor) ||
	    !trace_cursor_u32(cursor, &file->cpu_count))
		return cursor->status;
	if (take_word(cursor, "options"))
		status = dat_row_read_options(file, cursor, error);
	file->has_text = status == HISTREE_OK && take_word(cursor, "latency");
	if (status != HISTREE_OK || file->has_text)
		return status;
	if (!take_word(cursor, "flyrecord"))
		return cursor->status == HISTREE_OK ? HISTREE_END : cursor->status;
	size_t instances = file->buffer_count;
	struct dat_buffer *buffer = dat_file_add_buffer(file);
	if (buffer == NULL)
		return error_memory(error, "the buffers of a trace");
	status = dat_row_read_cpus(file, buffer, cursor, error);
	if (status == HISTREE_OK)
		read_clock(file, cursor);
	for (size_t i = 0; status == HISTREE_OK && i < instances; i++) {
		status = read_instance(file, &file->buffers[i], error);
		file->buffers[i].is_lost = status == HISTREE_END;
		if (status == HISTREE_END)
			status = HISTREE_OK;
	}
	for (size_t i = 0; i < file->buffer_count; i++)
		memcpy(file->buffers[i].clock, file->clock_name, sizeof(file->clock_name));
	return status;
}
