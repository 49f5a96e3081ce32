// SPDX-License-Identifier: MIT
/*
 * track_places.c - the tracks of a trace, and the places of their attributes.
 */
#include "analysis/tracks/track_places.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "base/heap.h"
#include "base/table.h"
#include "event/event.h"

/* ---- track words --------------------------------------------------------------------------------------------- */

struct track_binding {
	enum track_class class;
	uint32_t fields[TRACK_FIELD_COUNT];
};

bool track_words_apply(const struct event_trace *trace)
{
	return strcmp(trace->domain, TRACK_DOMAIN) == 0;
}

enum track_class track_class_of(const struct event_class *class)
{
	for (int i = 0; track_words_apply(class->trace) && i < TRACK_CLASS_COUNT; i++)
		if (strcmp(class->name, track_class_names[i]) == 0)
			return (enum track_class)i;
	return TRACK_CLASS_COUNT;
}

/* Returns whether events of a class have a field that says something of them, as event.h has it. */
static bool class_has(enum track_class class, enum track_field field)
{
	bool names = class >= TRACK_PROCESS_NAME;
	if (field >= TRACK_SERVICE)
		return class == TRACK_SPAN;
	switch (field) {
	case TRACK_ID:
		return class >= TRACK_FLOW_BEGIN && class <= TRACK_FLOW_END;
	case TRACK_DURATION:
		return class == TRACK_SPAN;
	case TRACK_THREAD_DURATION:
	case TRACK_THREAD_TIME:
		return class <= TRACK_SPAN;
	case TRACK_SERIES:
	case TRACK_VALUE:
		return class == TRACK_COUNTER;
	case TRACK_SORT_INDEX:
		return names;
	case TRACK_CATEGORY:
		return !names;
	default:
		return true;
	}
}

static const struct track_binding *binding_of(struct class_table *bindings, const struct event_class *class)
{
	const struct track_binding *known = class_table_find(bindings, class);
	if (known != NULL)
		return known;
	struct track_binding binding = { .class = track_class_of(class) };
	for (int i = 0; i < TRACK_FIELD_COUNT; i++)
		binding.fields[i] = class_has(binding.class, (enum track_field)i)
					    ? event_class_field(class, track_field_names[i])
					    : EVENT_NO_FIELD;
	return class_table_add(bindings, class, &binding, sizeof(binding));
}

static struct track_text text_of(const struct event *event, uint32_t field)
{
	struct track_text text;
	return event_string(event, field, &text.bytes, &text.size) ? text : (struct track_text){ 0 };
}

bool track_words_read(struct class_table *bindings, const struct event *event, struct track_words *out)
{
	const struct track_binding *binding = binding_of(bindings, event->class);
	*out = (struct track_words){ .class = TRACK_CLASS_COUNT, .time = event->time, .event = event };
	if (binding == NULL)
		return false;
	out->class = binding->class;
	if (out->class == TRACK_CLASS_COUNT)
		return true;
	const uint32_t *fields = binding->fields;
	out->has_pid = event_int(event, fields[TRACK_PID], &out->pid);
	out->has_tid = event_int(event, fields[TRACK_TID], &out->tid);
	out->has_duration = event_int(event, fields[TRACK_DURATION], &out->duration);
	out->has_thread_duration = event_int(event, fields[TRACK_THREAD_DURATION], &out->thread_duration);
	out->has_thread_time = event_int(event, fields[TRACK_THREAD_TIME], &out->thread_time);
	out->has_sort_index = event_int(event, fields[TRACK_SORT_INDEX], &out->sort_index);
	int64_t once;
	out->is_once = out->class == TRACK_SPAN_BEGIN && event_int(event, fields[TRACK_ONCE], &once);
	out->name = text_of(event, fields[TRACK_NAME]);
	out->category = text_of(event, fields[TRACK_CATEGORY]);
	out->track = text_of(event, fields[TRACK_TRACK]);
	out->id = text_of(event, fields[TRACK_ID]);
	out->series = text_of(event, fields[TRACK_SERIES]);
	out->args = fields[TRACK_ARGS];
	out->value = fields[TRACK_VALUE];
	out->is_of_request = fields[TRACK_SELF] != EVENT_NO_FIELD;
	if (!out->is_of_request)
		return true;
	for (int i = 0; i < TRACK_REQUEST_TEXTS; i++)
		out->request[i] = text_of(event, fields[TRACK_SERVICE + i]);
	if (!event_int(event, fields[TRACK_SELF], &out->self))
		out->self = -1;
	if (!event_int(event, fields[TRACK_CRITICAL], &out->critical))
		out->critical = -1;
	return true;
}

/* ---- stack path ---------------------------------------------------------------------------------------------- */

/* Of names that are no text of the trace: at most "Processes/", two numbers, "Async", a lane and "CallStack". */
enum { PLAIN_SIZE_MAX = 128 };

bool stack_path_write(struct stack_path *path, struct track_places *places, const struct track_words *event)
{
	const struct track *track = track_places_track(places, event);
	path->size = 0;
	if (track == NULL)
		return false;
	if (track->place == NULL && track->id != NULL)
		return true;
	const struct track_place own = {
		.has_pid = track->has_pid, .has_tid = track->has_tid, .pid = track->pid, .tid = track->tid
	};
	const struct track_place *place = track->place != NULL ? track->place : &own;
	if (!array_reserve(&path->bytes, &path->capacity, PLAIN_SIZE_MAX + 2 * place->group_size))
		return false;
	if (place->has_pid)
		path->size += (size_t)sprintf(path->bytes + path->size, "Processes/%" PRId64 "/", place->pid);
	else if (place->has_tid)
		path->size += (size_t)sprintf(path->bytes + path->size, "Threads/");
	if (place->has_tid)
		path->size += (size_t)sprintf(path->bytes + path->size, "%" PRId64 "/", place->tid);
	if (place->group != NULL) {
		path->size += (size_t)sprintf(path->bytes + path->size, "Async/");
		for (size_t i = 0; i < place->group_size; i++) {
			if (place->group[i] == '/' || place->group[i] == '\\')
				path->bytes[path->size++] = '\\';
			path->bytes[path->size++] = place->group[i];
		}
		path->size += (size_t)sprintf(path->bytes + path->size, "/%" PRIu32 "/", place->lane + 1);
	}
	path->size += (size_t)sprintf(path->bytes + path->size, "CallStack");
	return true;
}

void stack_path_release(struct stack_path *path)
{
	free(path->bytes);
	*path = (struct stack_path){ 0 };
}

/* ---- track places -------------------------------------------------------------------------------------------- */

/* ---- tracks ---------------------------------------------------------------------------------------------- */

/* What tells tracks from one another: an id, and the process if it is its own; or process and thread. */
struct track_key {
	const struct track_words *event;
	bool is_own;
};

static uint64_t hash_of_key(const struct track_key *key)
{
	const struct track_words *event = key->event;
	if (event->track.bytes != NULL)
		return hash_mix(hash_bytes(event->track.bytes, event->track.size) ^ 1) +
		       (key->is_own ? hash_mix((uint64_t)event->pid) : 0);
	uint64_t hash = hash_mix((uint64_t)event->has_pid << 1 | event->has_tid);
	hash = hash_mix(hash ^ (event->has_pid ? (uint64_t)event->pid : 0));
	return hash_mix(hash ^ (event->has_tid ? (uint64_t)event->tid : 0));
}

static bool is_of(const void *elements, uint32_t number, const void *wanted)
{
	const struct track *track = ((struct track *const *)elements)[number];
	const struct track_key *key = wanted;
	const struct track_words *event = key->event;
	if (event->track.bytes != NULL)
		return track->id != NULL && track->id_size == event->track.size && track->is_own == key->is_own &&
		       memcmp(track->id, event->track.bytes, track->id_size) == 0 &&
		       (!key->is_own || track->pid == event->pid);
	return track->id == NULL && track->has_pid == event->has_pid && track->has_tid == event->has_tid &&
	       (!track->has_pid || track->pid == event->pid) && (!track->has_tid || track->tid == event->tid);
}

static uint64_t hash_of_track(const void *elements, uint32_t number)
{
	return ((struct track *const *)elements)[number]->hash;
}

static void give_text(struct track_places *places, char **text, uint32_t *size)
{
	pool_give(&places->memory, *text, (size_t)*size + 1);
	*text = NULL;
	*size = 0;
}

/* Those in use move to the front and are added to the index anew; the others wait behind them. */
static void forget_idle(struct track_places *places)
{
	size_t used = 0;
	hash_index_clear(&places->index);
	for (size_t i = 0; i < places->track_count; i++) {
		struct track *track = places->tracks[i];
		if (i % 512 == 511)
			table_space_look(places->track_table.space);
		if (track->is_used && track->id != NULL && !track->has_name && track->depth == 0 &&
		    track->too_deep == 0) {
			track->is_used = false;
			/* What it was called is not kept for the next one. */
			give_text(places, &track->id, &track->id_size);
			give_text(places, &track->name, &track->name_size);
		}
		if (!track->is_used)
			continue;
		places->tracks[i] = places->tracks[used];
		places->tracks[used] = track;
		hash_index_add(&places->index, track->hash, (uint32_t)used++);
	}
	places->idle = 0;
}

static bool copy_text(struct track_places *places, char **to, uint32_t *size, const struct track_text *text)
{
	if (text->size >= UINT32_MAX)
		return false;
	char *copy = pool_take(&places->memory, text->size + 1);
	if (copy == NULL)
		return false;
	memcpy(copy, text->bytes, text->size);
	give_text(places, to, size);
	*to = copy;
	*size = (uint32_t)text->size;
	return true;
}

/* Returns a track that is not in use, at the end of those that are. */
static struct track *spare_track(struct track_places *places)
{
	size_t used = places->index.count;
	if (used < places->track_count)
		return places->tracks[used];
	if (!table_reserve(&places->track_table, &places->tracks, &places->track_capacity, places->track_count + 1))
		return NULL;
	struct track *track = arena_allocate(&places->memory.memory, sizeof(*track), alignof(struct track));
	if (track == NULL)
		return NULL;
	*track = (struct track){ 0 };
	places->tracks[places->track_count++] = track;
	return track;
}

static struct track *find_track(const struct track_places *places, const struct track_key *key)
{
	const uint32_t number =
		hash_index_find(&places->index, hash_of_key(key), is_of, (const void *)places->tracks, key);
	return number != HASH_INDEX_NONE ? places->tracks[number] : NULL;
}

static struct track *make_track(struct track_places *places, const struct track_key *key)
{
	const struct track_words *event = key->event;
	if (places->idle > 1000 && places->idle > places->index.count / 2)
		forget_idle(places);
	struct track *track = spare_track(places);
	size_t used = places->index.count;
	if (track == NULL ||
	    !hash_index_reserve(&places->index, used + 1, hash_of_track, (const void *)places->tracks))
		return NULL;
	bool has_id = event->track.bytes != NULL;
	if (has_id && !copy_text(places, &track->id, &track->id_size, &event->track))
		return NULL;
	track->hash = hash_of_key(key);
	track->has_pid = event->has_pid;
	track->has_tid = event->has_tid;
	track->pid = event->pid;
	track->tid = event->tid;
	track->has_name = false;
	track->is_used = true;
	track->is_own = key->is_own;
	places->has_own |= key->is_own;
	places->idle += has_id;
	hash_index_add(&places->index, track->hash, (uint32_t)used);
	return track;
}

/*
 * One process may begin what another one ends, and processes that know nothing of one another may use the same ids.
 * So what begins while another process has the track gets one of its own, and a process goes on with that.
 */
struct track *track_places_track(struct track_places *places, const struct track_words *event)
{
	const struct track_key common = { event, false }, own = { event, true };
	struct track *track = find_track(places, &common);
	if (event->track.bytes == NULL || !event->has_pid || (track != NULL && track->has_name))
		return track != NULL ? track : make_track(places, &common);
	struct track *other = places->has_own ? find_track(places, &own) : NULL;
	if (other != NULL && other->depth > 0)
		return other;
	const bool begins = event->class == TRACK_SPAN_BEGIN || event->class == TRACK_SPAN;
	if (begins && track != NULL && track->depth > 0 && track->has_pid && track->pid != event->pid)
		return other != NULL ? other : make_track(places, &own);
	return track != NULL ? track : make_track(places, &common);
}

bool track_places_name(struct track_places *places, const struct track_words *event)
{
	if (event->track.bytes == NULL || event->name.bytes == NULL)
		return true;
	struct track *track = track_places_track(places, event);
	if (track == NULL)
		return false;
	track->has_name = true;
	if (event->has_pid) {
		track->has_pid = true;
		track->pid = event->pid;
	}
	return copy_text(places, &track->name, &track->name_size, &event->name);
}

/* ---- places ---------------------------------------------------------------------------------------------- */

static struct track_place *add_place(struct track_places *places, const struct track *track)
{
	if (!table_reserve(&places->place_table, &places->places, &places->place_capacity, places->place_count + 1))
		return NULL;
	struct track_place *place =
		arena_allocate(&places->memory.memory, sizeof(*place), alignof(struct track_place));
	if (place == NULL)
		return NULL;
	*place = (struct track_place){
		.number = (uint32_t)places->place_count,
		.has_pid = track->has_pid,
		.has_tid = track->has_tid && track->id == NULL,
		.pid = track->pid,
		.tid = track->tid,
	};
	places->places[places->place_count++] = place;
	return place;
}

/* Returns the number of the group of a process and a name; INTERN_NONE when memory runs out. */
static uint32_t group_of(struct track_places *places, const struct track *track, const struct track_text *name)
{
	char owner[32];
	int owner_size = track->has_pid ? snprintf(owner, sizeof(owner), "%" PRId64 ":", track->pid)
					: snprintf(owner, sizeof(owner), ":");
	size_t size = (size_t)owner_size + name->size, before = places->group_capacity;
	char *key = pool_take(&places->memory, size);
	if (key == NULL)
		return INTERN_NONE;
	memcpy(key, owner, (size_t)owner_size);
	memcpy(key + owner_size, name->bytes, name->size);
	uint32_t number = intern_add(&places->group_names, key, size);
	pool_give(&places->memory, key, size);
	if (number == INTERN_NONE ||
	    !table_reserve(&places->group_table, &places->groups, &places->group_capacity, (size_t)number + 1))
		return INTERN_NONE;
	memset(places->groups + before, 0, (places->group_capacity - before) * sizeof(*places->groups));
	return number;
}

static struct track_place *take_lane(struct track_places *places, const struct track *track,
				     const struct track_text *name)
{
	uint32_t number = group_of(places, track, name);
	size_t size;
	if (number == INTERN_NONE)
		return NULL;
	struct track_group *group = &places->groups[number];
	if (group->free_count > 0) {
		struct track_place *first = group->free_lanes[0];
		HEAP_POP(group->free_lanes, group->free_count, a, b, (*a)->lane < (*b)->lane);
		return first;
	}
	/* There is room in the heap for each lane. */
	size_t lanes = group->lane_count + 1;
	bool has_room = pool_reserve(&places->memory, &group->lanes, &group->lane_capacity, lanes) &&
			pool_reserve(&places->memory, &group->free_lanes, &group->free_capacity, lanes);
	struct track_place *place = has_room ? add_place(places, track) : NULL;
	if (place == NULL)
		return NULL;
	place->lane = group->lane_count;
	group->lanes[group->lane_count++] = place;
	const char *key = intern_get(&places->group_names, number, &size);
	place->group = key + size - name->size;
	place->group_size = name->size;
	place->group_number = number;
	return place;
}

bool track_places_take(struct track_places *places, struct track *track, const struct track_words *event)
{
	static const struct track_text unnamed = { "unnamed", 7 };
	struct track_text group = event->name;
	if (track->has_name)
		group = (struct track_text){ track->name, track->name_size };
	if (group.size == 0)
		group = unnamed;
	if (track->place == NULL && track->id != NULL && !track->has_name) {
		track->has_pid = event->has_pid;
		track->pid = event->pid;
	}
	if (track->place == NULL)
		track->place = track->id == NULL ? add_place(places, track) : take_lane(places, track, &group);
	return track->place != NULL;
}

void track_places_leave(struct track_places *places, struct track *track)
{
	if (track->id == NULL || track->place == NULL)
		return;
	struct track_group *group = &places->groups[track->place->group_number];
	HEAP_PUSH(group->free_lanes, group->free_count, track->place, a, b, (*a)->lane < (*b)->lane);
	track->place = NULL;
	places->idle++;
}

void track_places_use_space(struct track_places *places, struct table_space *space)
{
	places->memory.memory.space = space;
	places->track_table.space = places->place_table.space = places->group_table.space = space;
	places->index.table.space = space;
	intern_use_space(&places->group_names, space);
}

void track_places_release(struct track_places *places)
{
	table_release(&places->track_table, (void *)places->tracks);
	table_release(&places->group_table, places->groups);
	table_release(&places->place_table, (void *)places->places);
	hash_index_release(&places->index);
	intern_release(&places->group_names);
	pool_release(&places->memory);
	*places = (struct track_places){ 0 };
}
