// SPDX-License-Identifier: MIT
#include "trace/perf/perf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"

/* Descriptions of all tracepoints of a kernel are some MB. */
enum { SECTION_SIZE_MAX = 64 << 20, ATTRIBUTES_MAX = 60000, READ_SIZE = 64 << 10 };

/* ---- bytes of the file ----------------------------------------------------------------------------------- */

/* Returns so many bytes of the file in the window; HISTREE_END if it does not have them. */
static enum histree_status look(struct perf_file *file, uint64_t offset, uint64_t size, const uint8_t **out,
				struct histree_error *error)
{
	struct trace_window *window = &file->part.window;
	if (offset > file->part.size || size > file->part.size - offset)
		return HISTREE_END;
	bool is_there = offset >= window->offset && offset - window->offset <= window->count &&
			size <= window->count - (offset - window->offset);
	if (!is_there) {
		enum histree_status status =
			trace_window_move(window, offset, (size_t)(size > READ_SIZE ? size : READ_SIZE), error);
		if (status != HISTREE_OK)
			return status;
		if (window->count < size)
			return HISTREE_END;
	}
	*out = window->bytes + (offset - window->offset);
	return HISTREE_OK;
}

/* A section is an offset and a size in the file. */
struct section {
	uint64_t offset, size;
};

static struct section read_section(const uint8_t *bytes, bool is_big)
{
	return (struct section){ .offset = ordered_u64(bytes, is_big), .size = ordered_u64(bytes + 8, is_big) };
}

/* ---- attributes ------------------------------------------------------------------------------------------ */

enum histree_status perf_file_add_attribute(struct perf_file *file, const uint8_t *bytes, size_t size,
					    struct histree_error *error)
{
	if (size < PERF_ATTRIBUTE_SIZE_MIN || file->attribute_count >= ATTRIBUTES_MAX)
		return error_set(error, HISTREE_ERR_TRACE, "event %zu is not described as perf describes events",
				 file->attribute_count);
	if (!array_reserve(&file->attributes, &file->attribute_capacity, file->attribute_count + 1) ||
	    !array_reserve(&file->names, &file->name_capacity, file->attribute_count + 1))
		return error_memory(error, "the events of a trace");
	file->names[file->attribute_count] = NULL;
	perf_attribute_read(&file->attributes[file->attribute_count++], bytes, file->is_big);
	return HISTREE_OK;
}

enum histree_status perf_file_add_ids(struct perf_file *file, const uint8_t *ids, size_t count,
				      struct histree_error *error)
{
	struct perf_number *number = arena_allocate(&file->memory, sizeof(*number), alignof(struct perf_number));
	if (number == NULL)
		return error_memory(error, "the events of a trace");
	number->number = (uint32_t)file->attribute_count - 1;
	for (size_t i = 0; i < count; i++) {
		uint64_t id = ordered_u64(ids + 8 * i, file->is_big);
		if (id_map_find(&file->ids, id) == NULL && !id_map_add(&file->ids, id, number))
			return error_memory(error, "the events of a trace");
	}
	return HISTREE_OK;
}

enum histree_status perf_file_name(struct perf_file *file, size_t attribute, const uint8_t *name, size_t size,
				   struct histree_error *error)
{
	if (attribute >= file->attribute_count || size == 0)
		return HISTREE_OK;
	file->names[attribute] = arena_copy(&file->memory, (const char *)name, size);
	return file->names[attribute] != NULL ? HISTREE_OK : error_memory(error, "the events of a trace");
}

/* Each is followed by the section of its ids. */
static enum histree_status read_attributes(struct perf_file *file, struct section section, uint64_t entry_size,
					   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint64_t ids_left = file->part.size / 8; /* each has a place of its own */
	if (entry_size < PERF_ATTRIBUTE_SIZE_MIN + 16 || entry_size > PERF_ATTRIBUTE_SIZE_MAX)
		return error_set(error, HISTREE_ERR_TRACE,
				 "events are described in %" PRIu64 " bytes each, which no version of perf does",
				 entry_size);
	for (uint64_t at = 0; status == HISTREE_OK && section.size - at >= entry_size; at += entry_size) {
		const uint8_t *bytes;
		status = look(file, section.offset + at, entry_size, &bytes, error);
		if (status != HISTREE_OK)
			break;
		struct section ids = read_section(bytes + entry_size - 16, file->is_big);
		status = perf_file_add_attribute(file, bytes, (size_t)entry_size - 16, error);
		if (status != HISTREE_OK || ids.size < 8)
			continue;
		if (ids.size > SECTION_SIZE_MAX)
			status = HISTREE_END;
		else if (ids.size / 8 > ids_left)
			return error_set(error, HISTREE_ERR_TRACE,
					 "it lists more ids of its events than it has room for: it is damaged");
		else
			status = look(file, ids.offset, ids.size, &bytes, error);
		ids_left -= status == HISTREE_OK ? ids.size / 8 : 0;
		if (status == HISTREE_OK)
			status = perf_file_add_ids(file, bytes, (size_t)ids.size / 8, error);
	}
	return status == HISTREE_END ? error_set(error, HISTREE_ERR_TRACE, "it ends within the list of its events")
				     : status;
}

/* ---- a file ---------------------------------------------------------------------------------------------- */

/* One section for each bit that is set, in the order of the bits, behind the records. */
static enum histree_status read_features(struct perf_file *file, const uint8_t *bits, struct histree_error *error)
{
	uint64_t at = file->part.end;
	enum histree_status status = HISTREE_OK;
	for (unsigned number = 0; number < PERF_FEATURE_COUNT; number++) {
		const uint8_t *bytes;
		if ((ordered_u64(bits + number / 64 * 8, file->is_big) >> number % 64 & 1) == 0)
			continue;
		status = look(file, at, 16, &bytes, error);
		if (status != HISTREE_OK)
			break;
		at += 16;
		if (!perf_feature_is_read(number))
			continue;
		struct section section = read_section(bytes, file->is_big);
		bool is_small = section.size <= SECTION_SIZE_MAX;
		status = is_small ? look(file, section.offset, section.size, &bytes, error) : HISTREE_END;
		if (status == HISTREE_OK)
			status = perf_feature_read(file, number, bytes, (size_t)section.size, error);
		file->lacks_features |= status == HISTREE_END;
		if (status < 0)
			break;
	}
	file->lacks_features |= status == HISTREE_END;
	return status < 0 ? status : HISTREE_OK;
}

static enum histree_status open_file(struct perf_file *file, const uint8_t *bytes, struct histree_error *error)
{
	uint8_t header[PERF_FILE_HEADER_SIZE];
	memcpy(header, bytes, sizeof(header));
	struct section attributes = read_section(header + 24, file->is_big);
	struct section records = read_section(header + 40, file->is_big);
	enum histree_status status =
		read_attributes(file, attributes, ordered_u64(header + 16, file->is_big), error);
	if (status != HISTREE_OK)
		return status;
	if (records.offset > file->part.size)
		return error_set(error, HISTREE_ERR_TRACE, "it ends before its records");
	/* perf writes the size, and what is behind the records, when it ends. */
	file->part.begin = records.offset;
	file->part.is_cut = records.size == 0 || records.size > file->part.size - records.offset;
	file->part.end = file->part.is_cut ? file->part.size : records.offset + records.size;
	return file->part.is_cut ? HISTREE_OK : read_features(file, header + 72, error);
}

/* ---- a pipe ---------------------------------------------------------------------------------------------- */

static enum histree_status read_attribute_record(struct perf_file *file, const uint8_t *bytes, size_t size,
						 struct histree_error *error)
{
	size_t attribute_size = size < 16 ? 0 : ordered_u32(bytes + PERF_RECORD_HEAD_SIZE + 4, file->is_big);
	if (attribute_size > size - PERF_RECORD_HEAD_SIZE)
		attribute_size = 0;
	const uint8_t *ids = bytes + PERF_RECORD_HEAD_SIZE + attribute_size;
	enum histree_status status =
		perf_file_add_attribute(file, bytes + PERF_RECORD_HEAD_SIZE, attribute_size, error);
	return status == HISTREE_OK ? perf_file_add_ids(file, ids, (size_t)(bytes + size - ids) / 8, error)
				    : status;
}

/* Returns how many bytes follow a record that are none of its own. */
static enum histree_status read_tracing_record(struct perf_file *file, uint64_t at, size_t size, uint64_t *more,
					       struct histree_error *error)
{
	const uint8_t *bytes;
	enum histree_status status = size < 12 ? HISTREE_END : look(file, at, size, &bytes, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t section_size = ordered_u32(bytes + 8, file->is_big);
	if (section_size > SECTION_SIZE_MAX)
		return HISTREE_END;
	*more = (section_size + UINT64_C(7)) / 8 * 8;
	status = look(file, at + size, section_size, &bytes, error);
	return status == HISTREE_OK ? perf_tracing_read(file, bytes, section_size, error) : status;
}

static enum histree_status read_record(struct perf_file *file, uint64_t at, uint32_t type, size_t size,
				       uint64_t *more, struct histree_error *error)
{
	const uint8_t *bytes;
	if (type == PERF_TRACING_DATA)
		return read_tracing_record(file, at, size, more, error);
	enum histree_status status = look(file, at, size, &bytes, error);
	if (status != HISTREE_OK)
		return status;
	if (type == PERF_HEADER_ATTR)
		return read_attribute_record(file, bytes, size, error);
	if (type == PERF_HEADER_FEATURE && size >= 16)
		return perf_feature_read(file, ordered_u64(bytes + 8, file->is_big), bytes + 16, size - 16, error);
	if (type == PERF_EVENT_UPDATE && size > 24 && ordered_u64(bytes + 8, file->is_big) == PERF_UPDATE_NAME) {
		const struct perf_number *of = id_map_find(&file->ids, ordered_u64(bytes + 16, file->is_big));
		if (of != NULL)
			return perf_file_name(file, of->number, bytes + 24,
					      strnlen((const char *)bytes + 24, size - 24), error);
	}
	return HISTREE_OK;
}

/* Up to the first sample. */
static enum histree_status open_pipe(struct perf_file *file, struct histree_error *error)
{
	uint64_t at = file->part.begin = PERF_PIPE_HEADER_SIZE;
	enum histree_status status;
	const uint8_t *bytes;
	file->part.end = file->part.size;
	while ((status = look(file, at, PERF_RECORD_HEAD_SIZE, &bytes, error)) == HISTREE_OK) {
		uint32_t type = ordered_u32(bytes, file->is_big);
		uint16_t size = ordered_u16(bytes + 6, file->is_big);
		uint64_t more = 0;
		bool is_packed = type == PERF_COMPRESSED || type == PERF_COMPRESSED2;
		file->part.is_compressed |= is_packed;
		if (size < PERF_RECORD_HEAD_SIZE || type == PERF_SAMPLE || type == PERF_AUXTRACE || is_packed)
			break;
		status = read_record(file, at, type, size, &more, error);
		if (status != HISTREE_OK)
			break;
		at += size + more;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- both ------------------------------------------------------------------------------------------------ */

/* Returns whether samples can be told from one another, have times, and are of tracepoints that are described. */
static enum histree_status check(const struct perf_file *file, struct histree_error *error)
{
	if (file->attribute_count == 0)
		return error_set(error, HISTREE_ERR_TRACE, "it ends before the list of its events");
	for (size_t i = 0; i < file->attribute_count; i++) {
		const struct perf_attribute *attribute = &file->attributes[i];
		if (attribute->type == PERF_TYPE_IS_TRACEPOINT && file->tracepoints.count == 0)
			return error_set(
				error, HISTREE_ERR_TRACE, "it lacks the descriptions of its tracepoints%s",
				file->part.is_cut || file->lacks_features
					? ", which perf record writes last: it was cut short, or "
					  "perf was killed, and its events cannot be understood; record it again"
					: " where perf has them; record it again");
		if (attribute->time == 0)
			return error_set(error, HISTREE_ERR_TRACE,
					 "its samples have no times; record with 'perf record --timestamp'");
		bool has_id = attribute->identifier != 0 || attribute->id != 0 || file->attribute_count == 1;
		if (!has_id || attribute->identifier != file->attributes[0].identifier ||
		    (attribute->identifier == 0 && attribute->id != file->attributes[0].id))
			return error_set(error, HISTREE_ERR_TRACE,
					 "its samples are of several kinds that cannot be told apart; record "
					 "with perf 3.12 or newer, which gives them identifiers");
	}
	return HISTREE_OK;
}

static enum histree_status read_all(struct perf_file *file, struct histree_error *error)
{
	const uint8_t *bytes;
	enum histree_status status = look(file, 0, PERF_PIPE_HEADER_SIZE, &bytes, error);
	if (status == HISTREE_OK) {
		file->part.is_big = file->is_big = memcmp(bytes, "2ELIFREP", 8) == 0;
		file->is_pipe = ordered_u64(bytes + 8, file->is_big) == PERF_PIPE_HEADER_SIZE;
	}
	if (status == HISTREE_OK && !file->is_pipe)
		status = look(file, 0, PERF_FILE_HEADER_SIZE, &bytes, error);
	if (status == HISTREE_END)
		return error_set(error, HISTREE_ERR_TRACE, "it ends within its header");
	if (status == HISTREE_OK)
		status = file->is_pipe ? open_pipe(file, error) : open_file(file, bytes, error);
	return status == HISTREE_OK ? check(file, error) : status;
}

enum histree_status perf_file_open(struct perf_file *file, const struct io *io, const char *path,
				   struct histree_error *error)
{
	memcpy(file->facts.tracer, "perf", 5);
	trace_window_init(&file->part.window, io, path, true);
	enum histree_status status = trace_window_size(&file->part.window, &file->part.size, error);
	return status == HISTREE_OK ? read_all(file, error) : status;
}

void perf_file_close(struct perf_file *file)
{
	trace_window_release(&file->part.window);
	id_map_release(&file->ids);
	id_map_release(&file->tracepoints);
	arena_release(&file->memory);
	perf_images_release(&file->images);
	free(file->attributes);
	free((void *)file->names);
	*file = (struct perf_file){ 0 };
}

bool perf_file_time(const struct perf_file *file, uint64_t clock, histree_time *out)
{
	return clock <= INT64_MAX && !__builtin_add_overflow((int64_t)clock, file->has_wall ? file->wall : 0, out);
}
