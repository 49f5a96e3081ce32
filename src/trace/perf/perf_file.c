// SPDX-License-Identifier: MIT
/*
 * perf_file.c - the parts of a perf.data other than its records: events, features, sections; and the mapped
 * binaries, from MMAP and MMAP2, with their build ids.
 */
#include "trace/perf/perf_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/status.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"
#include "trace/tracepoint.h"

/* ---- perf file ----------------------------------------------------------------------------------------------- */

/* ---- perf images --------------------------------------------------------------------------------------------- */

/* Offsets in records: include/uapi/linux/perf_event.h. */
enum {
	COMM_TEXT = 16,
	MMAP_TEXT = 40,
	MMAP2_ID_SIZE = 40,
	MMAP2_ID = 44,
	MMAP2_TEXT = 72,
};

/* Returns the text at the end of a record, or NULL. */
static const char *text_of(const uint8_t *record, size_t size, size_t at, size_t *length)
{
	const char *text = (const char *)record + at;
	if (size <= at)
		return NULL;
	*length = strnlen(text, size - at);
	return *length > 0 ? text : NULL;
}

static const char *path_of(const uint8_t *record, size_t size, bool is_big, size_t *length)
{
	const uint32_t type = ordered_u32(record, is_big);
	return text_of(record, size, type == PERF_MMAP ? MMAP_TEXT : MMAP2_TEXT, length);
}

/* ---- build ids ---------------------------------------------------------------------------------------------- */

static bool add_id(struct perf_images *images, const char *path, size_t length, const struct perf_id_bytes *id)
{
	uint32_t number = intern_add(&images->paths, path, length);
	if (number == INTERN_NONE || !array_reserve(&images->ids, &images->id_capacity, images->paths.count))
		return false;
	images->ids[number] = *id;
	return true;
}

/* An entry: the head of a record, a process (4), the id (20), its size (1), filling (3), and a path. */
static bool perf_images_learn(struct perf_images *images, const uint8_t *bytes, size_t size, bool is_big)
{
	enum { ID = 12, ID_SIZE = 32, PATH = 36 };
	for (size_t at = 0, entry; size - at > PATH; at += entry) {
		const uint8_t *one = bytes + at;
		struct perf_id_bytes id = { .size = PERF_BUILD_ID_MAX };
		size_t length;
		entry = ordered_u16(one + 6, is_big);
		if (entry <= PATH || entry > size - at)
			return true;
		if ((ordered_u16(one + 4, is_big) & PERF_MISC_HAS_ID_SIZE) != 0)
			id.size = one[ID_SIZE];
		memcpy(id.bytes, one + ID, sizeof(id.bytes));
		const char *path = text_of(one, entry, PATH, &length);
		if (path != NULL && id.size > 0 && id.size <= PERF_BUILD_ID_MAX &&
		    !add_id(images, path, length, &id))
			return false;
	}
	return true;
}

const uint8_t *perf_images_build_id(const struct perf_images *images, const uint8_t *record, size_t size,
				    bool is_big, size_t *id_size)
{
	size_t length;
	const char *path = path_of(record, size, is_big, &length);
	*id_size = 0;
	if (path == NULL)
		return NULL;
	if (ordered_u32(record, is_big) == PERF_MMAP2 &&
	    (ordered_u16(record + 4, is_big) & PERF_MISC_HAS_BUILD_ID) != 0) {
		*id_size = record[MMAP2_ID_SIZE] <= PERF_BUILD_ID_MAX ? record[MMAP2_ID_SIZE] : 0;
		return *id_size > 0 ? record + MMAP2_ID : NULL;
	}
	const uint32_t number = intern_find(&images->paths, path, length);
	if (number == INTERN_NONE)
		return NULL;
	*id_size = images->ids[number].size;
	return images->ids[number].bytes;
}

/* ---- before perf began -------------------------------------------------------------------------------------- */

/* Returns a text that lives as long as the images; NULL when memory runs out. */
static const char *keep(struct perf_images *images, const void *bytes, size_t size)
{
	size_t kept;
	uint32_t number = intern_add(&images->texts, bytes, size);
	return number != INTERN_NONE ? intern_get(&images->texts, number, &kept) : NULL;
}

static bool take_image(struct perf_images *images, const uint8_t *record, size_t size, bool is_big)
{
	size_t length, id_size;
	const char *path = path_of(record, size, is_big, &length);
	if (path == NULL || images->before.image_count == PERF_IMAGES_MAX)
		return true;
	const uint8_t *id = perf_images_build_id(images, record, size, is_big, &id_size);
	struct event_image image = { .pid = (int32_t)ordered_u32(record + 8, is_big),
				     .begin = ordered_u64(record + 16, is_big),
				     .size = ordered_u64(record + 24, is_big),
				     .offset = ordered_u64(record + 32, is_big),
				     .path = keep(images, path, length),
				     .build_id_size = id_size };
	if (image.pid < 0) /* of the kernel */
		return true;
	if (id != NULL)
		image.build_id = (const uint8_t *)keep(images, id, id_size);
	if (image.path == NULL || (id != NULL && image.build_id == NULL) ||
	    !array_reserve(&images->images, &images->image_capacity, images->before.image_count + 1))
		return false;
	images->images[images->before.image_count++] = image;
	images->before.images = images->images;
	return true;
}

static bool take_name(struct perf_images *images, const uint8_t *record, size_t size, bool is_big)
{
	size_t length;
	const char *text = text_of(record, size, COMM_TEXT, &length);
	if (text == NULL || images->before.name_count == PERF_IMAGES_MAX)
		return true;
	struct event_thread_name name = { .pid = (int32_t)ordered_u32(record + 8, is_big),
					  .tid = (int32_t)ordered_u32(record + 12, is_big),
					  .name = keep(images, text, length) };
	if (name.name == NULL ||
	    !array_reserve(&images->names, &images->name_capacity, images->before.name_count + 1))
		return false;
	images->names[images->before.name_count++] = name;
	images->before.names = images->names;
	return true;
}

/* Of the first thread of a process; perf takes the first thread for the parent of others. */
static bool take_parent(struct perf_images *images, const uint8_t *record, size_t size, bool is_big)
{
	enum { FORK_SIZE = 24 };
	if (size < FORK_SIZE || images->before.parent_count == PERF_IMAGES_MAX)
		return true;
	const struct event_parent parent = { .pid = (int32_t)ordered_u32(record + 8, is_big),
					     .parent = (int32_t)ordered_u32(record + 12, is_big) };
	const int32_t tid = (int32_t)ordered_u32(record + 16, is_big);
	if (parent.pid <= 0 || parent.parent <= 0 || parent.pid != tid)
		return true;
	if (!array_reserve(&images->parents, &images->parent_capacity, images->before.parent_count + 1))
		return false;
	images->parents[images->before.parent_count++] = parent;
	images->before.parents = images->parents;
	return true;
}

static int compare_parents(const void *one, const void *other)
{
	const struct event_parent *a = one, *b = other;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* A thread that is named again, as when it executes a program, has its last name, as perf shows it. */
static bool keep_last_names(struct perf_images *images)
{
	struct id_map named = { 0 };
	size_t left = images->before.name_count;
	bool has_room = true;
	for (size_t i = left; i-- > 0 && has_room;) {
		const uint32_t tid = (uint32_t)images->names[i].tid;
		if (id_map_find(&named, tid) != NULL)
			continue;
		images->names[--left] = images->names[i];
		has_room = id_map_add(&named, tid, images->names);
	}
	id_map_release(&named);
	images->before.names = images->names + left;
	images->before.name_count -= left;
	return has_room;
}

bool perf_images_end(struct perf_images *images)
{
	if (images->before.name_count > 0 && !keep_last_names(images))
		return false;
	if (images->before.parent_count > 0)
		qsort(images->parents, images->before.parent_count, sizeof(*images->parents), compare_parents);
	return true;
}

bool perf_images_take(struct perf_images *images, const uint8_t *record, size_t size, bool is_big)
{
	switch (ordered_u32(record, is_big)) {
	case PERF_MMAP:
	case PERF_MMAP2:
		return take_image(images, record, size, is_big);
	case PERF_FORK:
		return take_parent(images, record, size, is_big);
	case PERF_COMM:
		return take_name(images, record, size, is_big);
	default:
		return true;
	}
}

/* ---- perf file ----------------------------------------------------------------------------------------------- */

static bool perf_feature_is_read(uint64_t feature);

static enum histree_status perf_feature_read(struct perf_file *file, uint64_t feature, const uint8_t *bytes,
					     size_t size, struct histree_error *error);

static enum histree_status perf_tracing_read(struct perf_file *file, const uint8_t *bytes, size_t size,
					     struct histree_error *error);

/* ---- perf attribute ------------------------------------------------------------------------------------------ */

/* Returns where a part of 8 bytes begins, and moves on behind it; 0 if the record does not have it. */
static uint16_t perf_attribute_take(uint64_t sample_type, uint64_t part, uint16_t *at)
{
	uint16_t begin = *at;
	if ((sample_type & part) == 0)
		return 0;
	*at = (uint16_t)(begin + 8);
	return begin;
}

/* From the end of a record backwards: identifier, CPU, stream, id, time, thread. */
static void lay_out_trailers(struct perf_attribute *attribute)
{
	uint64_t type = attribute->sample_type;
	uint16_t back = 8; /* what is taken ends this many bytes before the end, less 8 */
	uint16_t identifier = perf_attribute_take(type, PERF_HAS_IDENTIFIER, &back);
	attribute->trailer_cpu = perf_attribute_take(type, PERF_HAS_CPU, &back);
	perf_attribute_take(type, PERF_HAS_STREAM_ID, &back);
	attribute->trailer_id = perf_attribute_take(type, PERF_HAS_ID, &back);
	attribute->trailer_time = perf_attribute_take(type, PERF_HAS_TIME, &back);
	attribute->trailer_tid = perf_attribute_take(type, PERF_HAS_TID, &back);
	if (identifier != 0)
		attribute->trailer_id = identifier;
	attribute->trailer_size = (uint16_t)(back - 8);
}

/* Returns the bytes that a part of type PERF_HAS_READ takes; SIZE_MAX if fewer are left. */
static size_t read_size(uint64_t format, const uint8_t *at, size_t left, bool is_big)
{
	size_t times =
		8 * (size_t)(((format & PERF_READ_TIME_ENABLED) != 0) + ((format & PERF_READ_TIME_RUNNING) != 0));
	size_t value = 8 + 8 * (size_t)(((format & PERF_READ_ID) != 0) + ((format & PERF_READ_LOST) != 0));
	if ((format & PERF_READ_GROUP) == 0)
		return times + value;
	if (left < 8)
		return SIZE_MAX;
	uint64_t count = ordered_u64(at, is_big);
	return count > left / value ? SIZE_MAX : 8 + times + (size_t)count * value;
}

struct perf_group perf_attribute_group(const struct perf_attribute *attribute, const uint8_t *record,
				       size_t record_size, bool is_big)
{
	const uint64_t format = attribute->read_format;
	const size_t at = attribute->body;
	if (at > record_size || read_size(format, record + at, record_size - at, is_big) > record_size - at)
		return (struct perf_group){ .count = 0 };
	const bool has_enabled = (format & PERF_READ_TIME_ENABLED) != 0;
	const bool has_running = (format & PERF_READ_TIME_RUNNING) != 0;
	const uint8_t *times = record + at + 8, *running = times + (has_enabled ? 8 : 0);
	return (struct perf_group){ .enabled = has_enabled ? times : NULL,
				    .running = has_running ? running : NULL,
				    .values = running + (has_running ? 8 : 0),
				    .count = ordered_u64(record + at, is_big),
				    .stride = (format & PERF_READ_LOST) != 0 ? 24 : 16 };
}

/* Returns where the call chain of a sample would be; SIZE_MAX if it is shorter than it says. */
static size_t chain_place(const struct perf_attribute *attribute, const uint8_t *record, size_t record_size,
			  bool is_big)
{
	size_t at = attribute->body;
	if (at > record_size || (attribute->sample_type & PERF_HAS_READ) == 0)
		return at > record_size ? SIZE_MAX : at;
	size_t part = read_size(attribute->read_format, record + at, record_size - at, is_big);
	return part > record_size - at ? SIZE_MAX : at + part;
}

const uint8_t *perf_attribute_chain(const struct perf_attribute *attribute, const uint8_t *record,
				    size_t record_size, bool is_big, uint64_t *count)
{
	size_t at = chain_place(attribute, record, record_size, is_big);
	*count = 0;
	if ((attribute->sample_type & PERF_HAS_CALLCHAIN) == 0 || at == SIZE_MAX || record_size - at < 8)
		return NULL;
	uint64_t said = ordered_u64(record + at, is_big);
	if (said > (record_size - at - 8) / 8)
		return NULL;
	*count = said;
	return record + at + 8;
}

bool perf_attribute_samples(const struct perf_attribute *attribute)
{
	const bool is_software = attribute->type == PERF_TYPE_IS_SOFTWARE;
	if (attribute->type == PERF_TYPE_IS_TRACEPOINT)
		return (attribute->sample_type & PERF_HAS_CALLCHAIN) != 0;
	return !is_software || (attribute->config != PERF_COUNTS_NOTHING && attribute->config != PERF_BPF_OUTPUT);
}

const uint8_t *perf_attribute_raw(const struct perf_attribute *attribute, const uint8_t *record, size_t record_size,
				  bool is_big, uint32_t *size)
{
	size_t at = chain_place(attribute, record, record_size, is_big);
	if ((attribute->sample_type & PERF_HAS_RAW) == 0 || at == SIZE_MAX)
		return NULL;
	if ((attribute->sample_type & PERF_HAS_CALLCHAIN) != 0) {
		uint64_t count;
		const uint8_t *chain = perf_attribute_chain(attribute, record, record_size, is_big, &count);
		if (chain == NULL)
			return NULL;
		at = (size_t)(chain - record) + 8 * (size_t)count;
	}
	if (record_size - at < 4)
		return NULL;
	*size = ordered_u32(record + at, is_big);
	at += 4;
	return *size > record_size - at ? NULL : record + at;
}

/* ---- perf part ----------------------------------------------------------------------------------------------- */

/* There is a part a CPU, and Linux has fewer CPUs. */
enum { PARTS_MAX = 16384 };

/* So many windows need no more open files than a process may have. */
enum { OPEN_PARTS_MAX = 256 };

/* Returns the number behind "data.", or SIZE_MAX. */
static size_t number_of(const char *name)
{
	static const char begin[] = "data.";
	if (strncmp(name, begin, sizeof(begin) - 1) != 0)
		return SIZE_MAX;
	const char *digits = name + sizeof(begin) - 1;
	size_t length = strlen(digits);
	bool is_number = length > 0 && length < 6 && strspn(digits, "0123456789") == length &&
			 (digits[0] != '0' || length == 1);
	return is_number ? strtoul(digits, NULL, 10) : SIZE_MAX;
}

/* Count them up to the greatest number. */
static enum histree_status count_parts(const char *folder, size_t *count, struct histree_error *error)
{
	DIR *directory = opendir(folder);
	if (directory == NULL)
		return error_set(error, HISTREE_ERR_IO, "cannot list the folder: %s", strerror(errno));
	for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
		size_t number = number_of(entry->d_name);
		if (number < PARTS_MAX && number >= *count)
			*count = number + 1;
	}
	closedir(directory);
	return *count > 0 ? HISTREE_OK
			  : error_set(error, HISTREE_ERR_TRACE,
				      "it was recorded by several threads (perf record --threads), and the files "
				      "with their events, data.0 and so on, are not beside it; copy the whole "
				      "folder, and name that");
}

enum histree_status perf_parts_find(struct perf_parts *parts, const struct io *io, const char *data, bool is_big,
				    struct histree_error *error)
{
	const char *slash = strrchr(data, '/');
	int length = slash == NULL ? 1 : (int)(slash - data);
	char *folder;
	size_t count = 0;
	if (asprintf(&folder, "%.*s", length, slash == NULL ? "." : data) < 0)
		return error_memory(error, "a path");
	enum histree_status status = count_parts(folder, &count, error);
	if (status == HISTREE_OK && (parts->parts = calloc(count, sizeof(*parts->parts))) == NULL)
		status = error_memory(error, "the files of a trace");
	for (; status == HISTREE_OK && parts->count < count; parts->count++) {
		struct perf_part *part = &parts->parts[parts->count];
		part->is_big = is_big;
		if (asprintf(&part->path, "%s/data.%zu", folder, parts->count) < 0) {
			part->path = NULL;
			status = error_memory(error, "a path");
			break;
		}
		trace_window_init(&part->window, io, part->path, count <= OPEN_PARTS_MAX);
		status = trace_window_size(&part->window, &part->size, error);
		part->end = part->size;
		if (status != HISTREE_OK)
			error_prefix(error, "its part \"%s\"", strrchr(part->path, '/') + 1);
	}
	free(folder);
	return status;
}

void perf_parts_release(struct perf_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		trace_window_release(&parts->parts[i].window);
		free(parts->parts[i].path);
	}
	free(parts->parts);
	*parts = (struct perf_parts){ 0 };
}

/* ---- perf file ----------------------------------------------------------------------------------------------- */

/* Descriptions of all tracepoints of a kernel are some MB. */
enum { SECTION_SIZE_MAX = 64 << 20, ATTRIBUTES_MAX = 60000, READ_SIZE = 64 << 10 };

/* ---- bytes of the file ----------------------------------------------------------------------------------- */

/* Returns `size` bytes of the file in the window; HISTREE_END if it does not have them. */
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

/* Add an attribute of `size` bytes.  Returns HISTREE_ERR_TRACE if it is malformed. */
static enum histree_status perf_file_add_attribute(struct perf_file *file, const uint8_t *bytes, size_t size,
						   struct histree_error *error)
{
	if (size < PERF_ATTRIBUTE_SIZE_MIN || file->attribute_count >= ATTRIBUTES_MAX)
		return error_set(error, HISTREE_ERR_TRACE, "event %zu is not described as perf describes events",
				 file->attribute_count);
	if (!array_reserve(&file->attributes, &file->attribute_capacity, file->attribute_count + 1) ||
	    !array_reserve(&file->names, &file->name_capacity, file->attribute_count + 1))
		return error_memory(error, "the events of a trace");
	file->names[file->attribute_count] = NULL;
	/* Offsets: struct perf_event_attr in include/uapi/linux/perf_event.h. */
	struct perf_attribute *attribute = &file->attributes[file->attribute_count++];
	enum { IS_FREQUENCY = 1 << 10, SAMPLE_ID_ALL = 1 << 18, CONTEXT_SWITCH = 1 << 26 };
	uint64_t flags = ordered_u64(bytes + 40, file->is_big);
	if (file->is_big) {
		/* Bit fields are laid out from the other end where the byte order is the other. */
		uint64_t reversed = 0;
		for (unsigned i = 0; i < 64; i++)
			reversed |= (flags >> i & 1) << (63 - i);
		flags = reversed;
	}
	*attribute = (struct perf_attribute){
		.type = ordered_u32(bytes, file->is_big),
		.config = ordered_u64(bytes + 8, file->is_big),
		.sample_type = ordered_u64(bytes + 24, file->is_big),
		.read_format = ordered_u64(bytes + 32, file->is_big),
		.fixed_period = (flags & IS_FREQUENCY) == 0 ? ordered_u64(bytes + 16, file->is_big) : 0,
		.has_trailers = (flags & SAMPLE_ID_ALL) != 0,
		.has_switches = (flags & CONTEXT_SWITCH) != 0,
	};
	uint64_t type = attribute->sample_type;
	uint16_t at = PERF_RECORD_HEAD_SIZE;
	attribute->identifier = perf_attribute_take(type, PERF_HAS_IDENTIFIER, &at);
	attribute->ip = perf_attribute_take(type, PERF_HAS_IP, &at);
	attribute->tid = perf_attribute_take(type, PERF_HAS_TID, &at);
	attribute->time = perf_attribute_take(type, PERF_HAS_TIME, &at);
	perf_attribute_take(type, PERF_HAS_ADDRESS, &at);
	attribute->id = perf_attribute_take(type, PERF_HAS_ID, &at);
	attribute->stream_id = perf_attribute_take(type, PERF_HAS_STREAM_ID, &at);
	attribute->cpu = perf_attribute_take(type, PERF_HAS_CPU, &at);
	attribute->period = perf_attribute_take(type, PERF_HAS_PERIOD, &at);
	attribute->body = at;
	lay_out_trailers(attribute);
	return HISTREE_OK;
}

/* Samples with these ids are of the attribute that was added last. */
static enum histree_status perf_file_add_ids(struct perf_file *file, const uint8_t *ids, size_t count,
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

/* Give a name to an attribute, if there is such a one. */
static enum histree_status perf_file_name(struct perf_file *file, size_t attribute, const uint8_t *name,
					  size_t size, struct histree_error *error)
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

/* Returns how many bytes follow a record that are not part of it. */
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
	if (type == PERF_HEADER_ATTR) {
		size_t attribute_size =
			size < 16 ? 0 : ordered_u32(bytes + PERF_RECORD_HEAD_SIZE + 4, file->is_big);
		if (attribute_size > size - PERF_RECORD_HEAD_SIZE)
			attribute_size = 0;
		const uint8_t *ids = bytes + PERF_RECORD_HEAD_SIZE + attribute_size;
		status = perf_file_add_attribute(file, bytes + PERF_RECORD_HEAD_SIZE, attribute_size, error);
		return status == HISTREE_OK ? perf_file_add_ids(file, ids, (size_t)(bytes + size - ids) / 8, error)
					    : status;
	}
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

enum histree_status perf_file_open(struct perf_file *file, const struct io *io, const char *path,
				   struct histree_error *error)
{
	memcpy(file->facts.tracer, "perf", 5);
	trace_window_init(&file->part.window, io, path, true);
	enum histree_status status = trace_window_size(&file->part.window, &file->part.size, error);
	if (status != HISTREE_OK)
		return status;
	const uint8_t *bytes;
	status = look(file, 0, PERF_PIPE_HEADER_SIZE, &bytes, error);
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
	if (status != HISTREE_OK)
		return status;
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

void perf_file_close(struct perf_file *file)
{
	trace_window_release(&file->part.window);
	id_map_release(&file->ids);
	id_map_release(&file->tracepoints);
	arena_release(&file->memory);
	struct perf_images *images = &file->images;
	intern_release(&images->texts);
	intern_release(&images->paths);
	free(images->images);
	free(images->names);
	free(images->parents);
	free(images->ids);
	*images = (struct perf_images){ 0 };
	free(file->attributes);
	free((void *)file->names);
	*file = (struct perf_file){ 0 };
}

bool perf_file_time(const struct perf_file *file, uint64_t clock, histree_time *out)
{
	return clock <= INT64_MAX && !__builtin_add_overflow((int64_t)clock, file->has_wall ? file->wall : 0, out);
}

/* ---- perf feature -------------------------------------------------------------------------------------------- */

/* A place in the bytes of a feature. */
struct feature {
	const uint8_t *at;
	size_t left;
	bool is_big;
};

static const uint8_t *perf_feature_take(struct feature *feature, uint64_t size)
{
	const uint8_t *bytes = feature->at;
	if (size > feature->left) {
		feature->left = 0;
		return NULL;
	}
	feature->at += size;
	feature->left -= (size_t)size;
	return bytes;
}

static bool take_u32(struct feature *feature, uint32_t *out)
{
	const uint8_t *bytes = perf_feature_take(feature, 4);
	if (bytes != NULL)
		*out = ordered_u32(bytes, feature->is_big);
	return bytes != NULL;
}

/* A text is a size, and that many bytes, which are filled with zeros behind the text. */
static const uint8_t *take_text(struct feature *feature, uint32_t *size)
{
	const uint8_t *bytes = take_u32(feature, size) ? perf_feature_take(feature, *size) : NULL;
	const uint8_t *zero = bytes == NULL || *size == 0 ? NULL : memchr(bytes, 0, *size);
	if (zero != NULL)
		*size = (uint32_t)(zero - bytes);
	return bytes;
}

static void read_text(struct feature feature, char *out)
{
	uint32_t size;
	const uint8_t *text = take_text(&feature, &size);
	if (text == NULL)
		return;
	if (size >= TRACE_FACT_SIZE)
		size = TRACE_FACT_SIZE - 1;
	memcpy(out, text, size);
	out[size] = '\0';
}

/* The attributes once more, in their order, each with a name and its ids. */
static enum histree_status read_events(struct perf_file *file, struct feature feature, struct histree_error *error)
{
	uint32_t count, attribute_size;
	enum histree_status status = HISTREE_OK;
	if (!take_u32(&feature, &count) || !take_u32(&feature, &attribute_size))
		return HISTREE_OK;
	for (uint32_t i = 0; i < count && feature.left > 0 && status == HISTREE_OK; i++) {
		uint32_t id_count, size;
		if (perf_feature_take(&feature, attribute_size) == NULL || !take_u32(&feature, &id_count))
			return HISTREE_OK;
		const uint8_t *name = take_text(&feature, &size);
		if (name == NULL || perf_feature_take(&feature, 8 * (uint64_t)id_count) == NULL)
			return HISTREE_OK;
		status = perf_file_name(file, i, name, size, error);
	}
	return status;
}

/* Which time it was on two clocks at once, by their names in clock_gettime(2). */
static void read_clock(struct perf_file *file, struct feature feature)
{
	const uint8_t *bytes = perf_feature_take(&feature, 24);
	if (bytes == NULL || ordered_u32(bytes, feature.is_big) != 1)
		return;
	uint64_t wall = ordered_u64(bytes + 8, feature.is_big), clock = ordered_u64(bytes + 16, feature.is_big);
	file->has_wall = wall <= INT64_MAX && clock <= INT64_MAX;
	if (file->has_wall)
		file->wall = (int64_t)wall - (int64_t)clock;
}

/* Whether anything is learned from a feature. */
static bool perf_feature_is_read(uint64_t number)
{
	static const uint64_t read =
		UINT64_C(1) << PERF_FEATURE_TRACING_DATA | UINT64_C(1) << PERF_FEATURE_BUILD_IDS |
		UINT64_C(1) << PERF_FEATURE_HOSTNAME | UINT64_C(1) << PERF_FEATURE_KERNEL |
		UINT64_C(1) << PERF_FEATURE_MACHINE | UINT64_C(1) << PERF_FEATURE_EVENTS |
		UINT64_C(1) << PERF_FEATURE_SAMPLE_TIME | UINT64_C(1) << PERF_FEATURE_DIR_FORMAT |
		UINT64_C(1) << PERF_FEATURE_COMPRESSED | UINT64_C(1) << PERF_FEATURE_CLOCK_DATA;
	return number < 64 && (read >> number & 1) != 0;
}

/* Learn from a feature; what is cut or malformed in it is not known. */
static enum histree_status perf_feature_read(struct perf_file *file, uint64_t number, const uint8_t *bytes,
					     size_t size, struct histree_error *error)
{
	struct feature feature = { .at = bytes, .left = size, .is_big = file->is_big };
	switch (number) {
	case PERF_FEATURE_TRACING_DATA:
		return perf_tracing_read(file, bytes, size, error);
	case PERF_FEATURE_BUILD_IDS:
		return perf_images_learn(&file->images, bytes, size, file->is_big)
			       ? HISTREE_OK
			       : error_memory(error, "the build ids of a trace");
	case PERF_FEATURE_HOSTNAME:
		read_text(feature, file->facts.hostname);
		return HISTREE_OK;
	case PERF_FEATURE_KERNEL:
		read_text(feature, file->facts.kernel);
		return HISTREE_OK;
	case PERF_FEATURE_MACHINE:
		read_text(feature, file->machine);
		return HISTREE_OK;
	case PERF_FEATURE_EVENTS:
		return read_events(file, feature, error);
	case PERF_FEATURE_SAMPLE_TIME:
		if (size >= 16) {
			file->first = ordered_u64(bytes, file->is_big);
			file->last = ordered_u64(bytes + 8, file->is_big);
		}
		return HISTREE_OK;
	case PERF_FEATURE_DIR_FORMAT:
		file->is_in_parts = true;
		return HISTREE_OK;
	case PERF_FEATURE_COMPRESSED:
		file->part.is_compressed = true;
		return HISTREE_OK;
	case PERF_FEATURE_CLOCK_DATA:
		read_clock(file, feature);
		return HISTREE_OK;
	default:
		return HISTREE_OK;
	}
}

/* ---- perf tracing -------------------------------------------------------------------------------------------- */

/* Learn the tracepoints, as perf copied them out of the kernel. */
static enum histree_status perf_tracing_read(struct perf_file *file, const uint8_t *bytes, size_t size,
					     struct histree_error *error)
{
	struct trace_cursor cursor = { .bytes = bytes, .end = size, .is_big = file->is_big, .error = error };
	struct tracing_head head;
	struct tracing_page page;
	if (!tracing_head_read(&cursor, &head) || !tracing_page_read(&cursor, &page))
		return HISTREE_OK;
	struct tracing_points points = {
		.by_id = &file->tracepoints,
		.memory = &file->memory,
		.zombie_bit = &file->zombie_bit,
		.parser = tracepoint_parser_create(head.is_big),
	};
	if (points.parser == NULL)
		return error_memory(error, "the tracepoints of a trace");
	enum histree_status status = tracing_ftrace_read(&cursor, NULL, error);
	if (status == HISTREE_OK)
		status = tracing_systems_read(&cursor, &points, error);
	tracepoint_parser_free(points.parser);
	return status < 0 ? status : HISTREE_OK;
}
