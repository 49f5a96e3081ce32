// SPDX-License-Identifier: MIT
/*
 * perf_images.c - which binaries lie where, from MMAP and MMAP2, with their build ids.
 */
#include "trace/perf/perf_images.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/perf/perf_format.h"

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
bool perf_images_learn(struct perf_images *images, const uint8_t *bytes, size_t size, bool is_big)
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

/* Returns a text that lives as long as the images; NULL when memory is out. */
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

void perf_images_end(struct perf_images *images)
{
	if (images->before.parent_count > 0)
		qsort(images->parents, images->before.parent_count, sizeof(*images->parents), compare_parents);
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

void perf_images_release(struct perf_images *images)
{
	intern_release(&images->texts);
	intern_release(&images->paths);
	free(images->images);
	free(images->names);
	free(images->parents);
	free(images->ids);
	*images = (struct perf_images){ 0 };
}
