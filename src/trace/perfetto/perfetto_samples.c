// SPDX-License-Identifier: MIT
/*
 * perfetto_samples.c - samples of linux.perf and of the profiler in browsers, in the words of
 * event.h.
 */
#include "trace/perfetto/perfetto_samples.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"

void perfetto_samples_begin(struct perfetto_samples *samples, struct packed_source *packed,
			    const struct packed_class *const *classes)
{
	packed_samples_begin(&samples->samples, packed, &packed->base.trace);
	samples->classes = classes;
	samples->undefined = samples->lost = samples->skipped = 0;
}

void perfetto_samples_release(struct perfetto_samples *samples)
{
	packed_samples_release(&samples->samples);
}

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the stacks of samples");
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

/* Returns an interned text; if it is missing, nothing, which is counted.  0 is not a number of a text. */
static struct packed_text find(struct perfetto_samples *samples, const struct perfetto_sequence *sequence,
			       enum perfetto_table table, uint64_t number)
{
	const struct packed_text none = { "", 0 };
	if (number == 0)
		return none;
	const struct perfetto_text *text = perfetto_interned_find(&sequence->interned, table, number);
	samples->undefined += text == NULL;
	return text != NULL ? (struct packed_text){ text->bytes, text->size } : none;
}

enum { PATH_MAX_SIZE = 1024 };

/* A path is interned part by part: "system", "lib64", "libc.so". */
static struct packed_text path_of(struct perfetto_samples *samples, const struct perfetto_sequence *sequence,
				  uint64_t mapping, char path[static PATH_MAX_SIZE])
{
	enum { PATH_PARTS = 7 };
	const struct packed_text whole = find(samples, sequence, PERFETTO_MAPPINGS, mapping);
	struct wire_message message = wire_message(whole.bytes, whole.size);
	struct wire_field field;
	size_t size = 0;
	while (wire_next(&message, &field)) {
		struct wire_list list = wire_list(&field, WIRE_VARINT);
		uint64_t number;
		while (field.number == PATH_PARTS && wire_list_next(&list, &number)) {
			const struct packed_text part = find(samples, sequence, PERFETTO_MAPPING_PATHS, number);
			/* What is in brackets is no file, and what begins with a slash is whole. */
			const bool has_slash = part.size > 0 && (part.bytes[0] == '/' || part.bytes[0] == '[');
			if (part.size == 0 || size + part.size + 1 > PATH_MAX_SIZE)
				continue;
			if (!has_slash)
				path[size++] = '/';
			memcpy(path + size, part.bytes, part.size);
			size += part.size;
		}
	}
	return (struct packed_text){ path, size };
}

static struct packed_text name_of_binary(struct packed_text path, char name[static PATH_MAX_SIZE + 2])
{
	const char *slash = path.size > 0 ? memrchr(path.bytes, '/', path.size) : NULL;
	const char *begin = slash != NULL ? slash + 1 : path.bytes, *end = path.bytes + path.size;
	if (begin == end || *begin == '[')
		return (struct packed_text){ begin, (size_t)(end - begin) };
	int size = snprintf(name, PATH_MAX_SIZE + 2, "[%.*s]", (int)(end - begin), begin);
	return (struct packed_text){ name, (size_t)size };
}

/* Returns INTERN_NONE when memory is out. */
static uint32_t frame_of(struct perfetto_samples *samples, const struct perfetto_sequence *sequence,
			 uint64_t number)
{
	enum { FUNCTION = 2, MAPPING = 3, SOURCE = 5, LINE = 6 };
	char path[PATH_MAX_SIZE], name[PATH_MAX_SIZE + 2], line[PATH_MAX_SIZE + 32];
	const struct packed_text frame = find(samples, sequence, PERFETTO_FRAMES, number);
	struct wire_message message = wire_message(frame.bytes, frame.size);
	struct wire_field field;
	uint64_t function = 0, mapping = 0, source = 0, line_number = 0;
	while (wire_next(&message, &field)) {
		function = field.number == FUNCTION ? field.value : function;
		mapping = field.number == MAPPING ? field.value : mapping;
		source = field.number == SOURCE ? field.value : source;
		line_number = field.number == LINE ? field.value : line_number;
	}
	const struct packed_text binary = path_of(samples, sequence, mapping, path);
	struct packed_text text = find(samples, sequence, PERFETTO_FUNCTION_NAMES, function);
	const struct packed_text file = find(samples, sequence, PERFETTO_SOURCE_PATHS, source);
	if (text.size == 0)
		text = name_of_binary(binary, name);
	line[0] = '\0';
	if (line_number > 0)
		snprintf(line, sizeof(line), "%.*s:%" PRIu64,
			 (int)(file.size < PATH_MAX_SIZE ? file.size : PATH_MAX_SIZE), file.bytes, line_number);
	return packed_samples_frame(&samples->samples, text, binary, packed_string(line));
}

/* The outermost is first.  False: memory is out. */
static bool make_stack(struct perfetto_samples *samples, const struct perfetto_sequence *sequence, uint64_t number,
		       uint32_t stack)
{
	enum { FRAMES = 2 };
	const struct packed_text whole = find(samples, sequence, PERFETTO_CALLSTACKS, number);
	struct wire_message message = wire_message(whole.bytes, whole.size);
	struct wire_field field;
	uint32_t parent = EVENT_NO_STACK, frame = INTERN_NONE;
	while (wire_next(&message, &field)) {
		struct wire_list list = wire_list(&field, WIRE_VARINT);
		uint64_t id;
		while (field.number == FRAMES && wire_list_next(&list, &id)) {
			if (frame != INTERN_NONE)
				parent = packed_samples_stack(&samples->samples, parent, frame);
			const bool has_parent = frame == INTERN_NONE || parent != EVENT_NO_STACK;
			frame = frame_of(samples, sequence, id);
			if (!has_parent || frame == INTERN_NONE)
				return false;
		}
	}
	if (frame != INTERN_NONE)
		packed_samples_set(&samples->samples, stack, parent, frame);
	return true;
}

/* A stack is made when it is first met: numbers are those of a sequence, until its state begins anew. */
static uint32_t stack_of(struct perfetto_samples *samples, const struct perfetto_sequence *sequence,
			 uint64_t number)
{
	char id[96];
	snprintf(id, sizeof(id), "%" PRIu32 " %" PRIu32 " %" PRIu64, sequence->id, sequence->generation, number);
	const uint32_t known = samples->samples.stack_count;
	const uint32_t stack = packed_samples_named(&samples->samples, packed_string(id));
	return stack == known && !make_stack(samples, sequence, number, stack) ? EVENT_NO_STACK : stack;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

static enum histree_status add(struct perfetto_samples *samples, const struct perfetto_sequence *sequence,
			       struct packed_sample *sample, uint64_t number, struct histree_error *error)
{
	sample->stack = stack_of(samples, sequence, number);
	return sample->stack != EVENT_NO_STACK ? packed_samples_add(&samples->samples, sample, error)
					       : no_memory(error);
}

static struct packed_cell id_cell(uint64_t number)
{
	return packed_int((int32_t)number);
}

enum histree_status perfetto_samples_read(struct perfetto_samples *samples,
					  const struct perfetto_sequence *sequence, struct wire_message message,
					  histree_time time, struct histree_error *error)
{
	enum { CPU = 1, PID = 2, TID = 3, CALLSTACK = 4, RECORDS_LOST = 17, SKIPPED = 18 };
	struct packed_sample sample = { .time = time, .cpu = -1 };
	struct wire_field field;
	uint64_t callstack = 0, lost = 0;
	while (wire_next(&message, &field)) {
		if (field.number == CPU && field.value < INT32_MAX)
			sample.cpu = (int32_t)field.value;
		else if (field.number == PID)
			sample.cells[SAMPLE_PID] = id_cell(field.value);
		else if (field.number == TID)
			sample.cells[SAMPLE_TID] = id_cell(field.value);
		else if (field.number == CALLSTACK)
			callstack = field.value;
		else if (field.number == RECORDS_LOST)
			lost = field.value;
	}
	samples->lost += lost;
	if (lost > 0)
		return HISTREE_OK;
	if (callstack == 0 || time == PACKED_NO_TIME) {
		samples->skipped++;
		return HISTREE_OK;
	}
	return add(samples, sequence, &sample, callstack, error);
}

/* TrackEvents of old count their times so, too: in microseconds of the monotonic clock. */
static bool time_of_us(const struct perfetto_clocks *clocks, uint64_t us, histree_time *out)
{
	enum { MONOTONIC = 3 };
	uint64_t trace;
	if (us > INT64_MAX / 1000)
		return false;
	if (!perfetto_clocks_convert(clocks, MONOTONIC, us * 1000, &trace))
		trace = us * 1000;
	return perfetto_clocks_time(clocks, trace, out);
}

/* Two lists of the same length, which may be cut in parts. */
enum histree_status perfetto_samples_stream(struct perfetto_samples *samples, struct perfetto_sequence *sequence,
					    const struct perfetto_clocks *clocks, struct wire_message message,
					    struct histree_error *error)
{
	enum { CALLSTACKS = 1, DELTAS = 2 };
	struct wire_message deltas = message;
	struct wire_field field, delta_field;
	struct wire_list delta_list = { .has_single = false };
	enum histree_status status = HISTREE_OK;
	while (wire_next(&message, &field)) {
		struct wire_list list = wire_list(&field, WIRE_VARINT);
		uint64_t number, delta = 0;
		while (field.number == CALLSTACKS && status == HISTREE_OK && wire_list_next(&list, &number)) {
			struct packed_sample sample = { .cpu = -1 };
			bool has_delta;
			while (!(has_delta = wire_list_next(&delta_list, &delta)) &&
			       wire_next(&deltas, &delta_field))
				if (delta_field.number == DELTAS)
					delta_list = wire_list(&delta_field, WIRE_VARINT);
			sequence->last_us += has_delta ? delta : 0;
			if (number == 0 || !time_of_us(clocks, sequence->last_us, &sample.time)) {
				samples->skipped++;
				continue;
			}
			if (sequence->pid != 0)
				sample.cells[SAMPLE_PID] = packed_int(sequence->pid);
			if (sequence->tid != 0)
				sample.cells[SAMPLE_TID] = packed_int(sequence->tid);
			status = add(samples, sequence, &sample, number, error);
		}
	}
	return status;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* protos/perfetto/trace/ps/process_tree.proto */
enum histree_status perfetto_samples_name(struct perfetto_samples *samples, struct wire_message message,
					  struct histree_error *error)
{
	enum { PROCESSES = 1, THREADS = 2, ID = 1, NAME = 2, THREAD_PROCESS = 3, COMMAND = 3 };
	struct wire_field field, inner;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && wire_next(&message, &field)) {
		struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_NAME] = { .kind = PACKED_ABSENT } };
		const bool is_process = field.number == PROCESSES;
		struct wire_message inside = wire_inside(&field);
		if (!is_process && field.number != THREADS)
			continue;
		while (wire_next(&inside, &inner)) {
			const bool is_name = inner.number == (is_process ? COMMAND : NAME) && inner.bytes != NULL;
			if (inner.number == ID && inner.bytes == NULL)
				cells[is_process ? TRACK_PID : TRACK_TID] = id_cell(inner.value);
			else if (is_name && cells[TRACK_NAME].kind == PACKED_ABSENT && inner.size > 0)
				cells[TRACK_NAME] =
					packed_text((const char *)inner.bytes,
						    inner.size < PACKED_NAME_MAX ? inner.size : PACKED_NAME_MAX);
			else if (!is_process && inner.number == THREAD_PROCESS && inner.bytes == NULL)
				cells[TRACK_PID] = id_cell(inner.value);
		}
		const struct packed_event event = {
			.time = PACKED_NO_TIME,
			.cpu = -1,
			.class = samples->classes[is_process ? TRACK_PROCESS_NAME : TRACK_THREAD_NAME],
			.cells = cells,
		};
		if (cells[TRACK_NAME].kind != PACKED_ABSENT && cells[TRACK_PID].kind != PACKED_ABSENT)
			status = packed_source_add(samples->samples.packed, &event, error);
	}
	return status;
}
