// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_tracks.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/array.h"

/* More tracks have no screen; a name longer than that neither. */
enum { TRACKS_MAX = 1 << 17, NAME_MAX_SIZE = 1024, ANCESTORS_MAX = 64 };

enum {
	TRACK_UUID = 1,
	TRACK_NAME_FIELD = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER_FIELD = 8,
	TRACK_STATIC_NAME = 10,
	TRACK_RANK = 12, /* among its siblings */
	TRACK_ATRACE_NAME = 13,
};

/* A name that is known already stays. */
static bool set_name(struct perfetto_tracks *tracks, struct perfetto_track *track, const struct wire_field *field)
{
	size_t size = field->size < NAME_MAX_SIZE ? field->size : NAME_MAX_SIZE;
	if (track->name.size > 0 || field->bytes == NULL || size == 0)
		return true;
	const char *copy = arena_copy(&tracks->memory, field->bytes, size);
	if (copy != NULL)
		track->name = (struct perfetto_text){ copy, size };
	return copy != NULL;
}

static void set_index(struct perfetto_tracks *tracks, struct perfetto_track *track, uint64_t value)
{
	track->has_index = tracks->has_indexes = true;
	track->index = (int32_t)value;
}

/* process_descriptor.proto */
static bool read_process(struct perfetto_tracks *tracks, struct perfetto_track *track, struct wire_message message)
{
	enum { PID = 1, COMMAND = 2, SORT_INDEX = 3, NAME = 6 };
	struct wire_field field, name = { 0 };
	track->kind = PERFETTO_PROCESS_TRACK;
	while (wire_next(&message, &field)) {
		if (field.number == PID)
			track->pid = (int32_t)field.value;
		else if (field.number == SORT_INDEX)
			set_index(tracks, track, field.value);
		else if (field.number == NAME || (field.number == COMMAND && name.bytes == NULL))
			name = field;
	}
	return set_name(tracks, track, &name);
}

/* thread_descriptor.proto */
static bool read_thread(struct perfetto_tracks *tracks, struct perfetto_track *track, struct wire_message message)
{
	enum { PID = 1, TID = 2, SORT_INDEX = 3, NAME = 5 };
	struct wire_field field, name = { 0 };
	track->kind = PERFETTO_THREAD_TRACK;
	while (wire_next(&message, &field)) {
		if (field.number == PID)
			track->pid = (int32_t)field.value;
		else if (field.number == TID)
			track->tid = (int32_t)field.value;
		else if (field.number == SORT_INDEX)
			set_index(tracks, track, field.value);
		else if (field.number == NAME)
			name = field;
	}
	return set_name(tracks, track, &name);
}

/* counter_descriptor.proto: counters that everybody has go without a name. */
static bool read_counter(struct perfetto_tracks *tracks, struct perfetto_track *track, struct wire_message message)
{
	enum { TYPE = 1, UNIT = 4, INCREMENTAL = 5, THREAD_TIME = 1, THREAD_INSTRUCTIONS = 2 };
	struct wire_field field;
	const char *name = NULL;
	track->is_counter = true;
	track->unit = 1;
	while (wire_next(&message, &field)) {
		if (field.number == TYPE && field.value == THREAD_TIME)
			name = "thread time";
		else if (field.number == TYPE && field.value == THREAD_INSTRUCTIONS)
			name = "thread instructions";
		else if (field.number == UNIT && field.value != 0)
			track->unit = (int64_t)field.value;
		else if (field.number == INCREMENTAL)
			track->is_incremental = field.value != 0;
	}
	const struct wire_field text = { .bytes = (const uint8_t *)name, .size = name == NULL ? 0 : strlen(name) };
	return set_name(tracks, track, &text);
}

static uint64_t uuid_of(struct wire_message message)
{
	struct wire_field field;
	uint64_t uuid = 0;
	while (wire_next(&message, &field))
		if (field.number == TRACK_UUID)
			uuid = field.value;
	return uuid;
}

/* Returns false if memory is out; *out is NULL if there are too many. */
static bool make(struct perfetto_tracks *tracks, uint64_t uuid, struct perfetto_track **out)
{
	*out = id_map_find(&tracks->map, uuid);
	if (*out != NULL)
		return true;
	if (tracks->map.count >= TRACKS_MAX) {
		tracks->left_out++;
		return true;
	}
	*out = arena_allocate(&tracks->memory, sizeof(**out), alignof(struct perfetto_track));
	if (*out == NULL)
		return false;
	**out = (struct perfetto_track){ .uuid = uuid, .unit = 1 };
	return id_map_add(&tracks->map, uuid, *out);
}

bool perfetto_tracks_add(struct perfetto_tracks *tracks, struct wire_message descriptor)
{
	struct perfetto_track *track;
	struct wire_field field;
	bool has_memory = make(tracks, uuid_of(descriptor), &track);
	while (has_memory && track != NULL && wire_next(&descriptor, &field)) {
		switch (field.number) {
		case TRACK_PARENT:
			track->parent = field.value;
			break;
		case TRACK_PROCESS:
			/* A thread may say of which process it is. */
			if (track->kind != PERFETTO_THREAD_TRACK)
				has_memory = read_process(tracks, track, wire_inside(&field));
			break;
		case TRACK_THREAD:
			has_memory = read_thread(tracks, track, wire_inside(&field));
			break;
		case TRACK_RANK:
			set_index(tracks, track, field.value);
			break;
		case TRACK_COUNTER_FIELD:
			has_memory = read_counter(tracks, track, wire_inside(&field));
			break;
		case TRACK_NAME_FIELD:
		case TRACK_STATIC_NAME:
		case TRACK_ATRACE_NAME:
			has_memory = set_name(tracks, track, &field);
			break;
		default:
			break;
		}
	}
	return has_memory;
}

struct perfetto_track *perfetto_tracks_find(const struct perfetto_tracks *tracks, uint64_t uuid)
{
	return id_map_find(&tracks->map, uuid);
}

/* Parents may go round in a circle. */
const struct perfetto_track *perfetto_tracks_owner(const struct perfetto_tracks *tracks,
						   const struct perfetto_track *track)
{
	for (unsigned i = 0; i < ANCESTORS_MAX && track != NULL; i++) {
		if (track->kind != PERFETTO_OTHER_TRACK)
			return track;
		track = track->parent == 0 ? NULL : id_map_find(&tracks->map, track->parent);
	}
	return NULL;
}

static bool is_count_of(const void *counts, uint32_t number, const void *key)
{
	const struct perfetto_count *count = &((const struct perfetto_count *)counts)[number], *wanted = key;
	return count->uuid == wanted->uuid && count->sequence == wanted->sequence;
}

static uint64_t hash_of_count(const void *counts, uint32_t number)
{
	const struct perfetto_count *count = &((const struct perfetto_count *)counts)[number];
	return hash_mix(count->uuid ^ hash_mix(count->sequence));
}

/* Returns the count of a writer and a track, made if there is none; NULL if that cannot be. */
static struct perfetto_count *count_of(struct perfetto_tracks *tracks, const struct perfetto_count *wanted)
{
	const uint64_t hash = hash_of_count(wanted, 0);
	uint32_t number = hash_index_find(&tracks->count_index, hash, is_count_of, tracks->counts, wanted);
	if (number != HASH_INDEX_NONE)
		return &tracks->counts[number];
	const size_t count = tracks->count_count;
	if (count == TRACKS_MAX || !array_reserve(&tracks->counts, &tracks->count_capacity, count + 1) ||
	    !hash_index_reserve(&tracks->count_index, count + 1, hash_of_count, tracks->counts))
		return NULL;
	tracks->counts[count] = *wanted;
	hash_index_add(&tracks->count_index, hash, (uint32_t)tracks->count_count++);
	return &tracks->counts[count];
}

enum histree_status perfetto_tracks_grow(struct perfetto_tracks *tracks, const struct perfetto_track *track,
					 uint32_t sequence, uint32_t generation, uint64_t *value)
{
	const struct perfetto_count wanted = { .uuid = track->uuid,
					       .sequence = sequence,
					       .generation = generation };
	struct perfetto_count *count = count_of(tracks, &wanted);
	if (count == NULL && tracks->count_count < TRACKS_MAX)
		return HISTREE_ERR_MEMORY;
	tracks->left_out += count == NULL;
	if (count == NULL)
		return HISTREE_NOT_FOUND;
	count->value = count->generation == generation ? count->value + *value : *value;
	count->generation = generation;
	*value = count->value;
	return HISTREE_OK;
}

void perfetto_tracks_release(struct perfetto_tracks *tracks)
{
	free(tracks->counts);
	hash_index_release(&tracks->count_index);
	id_map_release(&tracks->map);
	arena_release(&tracks->memory);
	*tracks = (struct perfetto_tracks){ 0 };
}
