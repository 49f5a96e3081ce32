// SPDX-License-Identifier: MIT
/*
 * perfetto_tracks.c - tracks and their events: names, owners, arguments.
 */
#include "trace/perfetto/perfetto_tracks.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/status.h"
#include "trace/packed/packed_source.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/wire.h"

/* ---- track event --------------------------------------------------------------------------------------------- */

/* Fields of TrackEvent. */
enum {
	THREAD_TIME_DELTA_US = 2,
	CATEGORY_IIDS = 3,
	LEGACY = 6,
	TYPE = 9,
	TRACK_EVENT_NAME_IID = 10,
	TRACK_EVENT_TRACK_UUID = 11,
	EXTRA_VALUES = 12,
	THREAD_TIME_US = 17,
	CATEGORIES = 22,
	TRACK_EVENT_NAME = 23,
	COUNTER_VALUE = 30,
	EXTRA_COUNTERS = 31,
	FLOWS_OF_OLD = 36,
	LAST_FLOWS_OF_OLD = 42,
	REAL_COUNTER_VALUE = 44,
	EXTRA_REAL_COUNTERS = 45,
	EXTRA_REAL_VALUES = 46,
	FLOWS = 47,
	LAST_FLOWS = 48,
};

static const struct list_row {
	uint32_t number, other; /* of the field; of another one that means the same */
	enum wire_kind kind;
	enum wire_kind other_kind;
} lists[TRACK_EVENT_LIST_COUNT] = {
	[TRACK_EVENT_CATEGORY_IIDS] = { CATEGORY_IIDS, 0, WIRE_VARINT, WIRE_VARINT },
	[TRACK_EVENT_CATEGORIES] = { CATEGORIES, 0, WIRE_BYTES, WIRE_BYTES },
	[TRACK_EVENT_COUNTERS] = { EXTRA_COUNTERS, 0, WIRE_VARINT, WIRE_VARINT },
	[TRACK_EVENT_VALUES] = { EXTRA_VALUES, 0, WIRE_VARINT, WIRE_VARINT },
	[TRACK_EVENT_REAL_COUNTERS] = { EXTRA_REAL_COUNTERS, 0, WIRE_VARINT, WIRE_VARINT },
	[TRACK_EVENT_REAL_VALUES] = { EXTRA_REAL_VALUES, 0, WIRE_FIXED64, WIRE_FIXED64 },
	[TRACK_EVENT_FLOWS] = { FLOWS, FLOWS_OF_OLD, WIRE_FIXED64, WIRE_VARINT },
	[TRACK_EVENT_LAST_FLOWS] = { LAST_FLOWS, LAST_FLOWS_OF_OLD, WIRE_FIXED64, WIRE_VARINT },
};

/* Returns the list that a field is in; TRACK_EVENT_LIST_COUNT: in none. */
static enum track_event_list list_of(uint32_t number)
{
	if (number != CATEGORY_IIDS && number != EXTRA_VALUES && number < CATEGORIES)
		return TRACK_EVENT_LIST_COUNT;
	for (int list = 0; list < TRACK_EVENT_LIST_COUNT; list++)
		if (lists[list].number == number || lists[list].other == number)
			return (enum track_event_list)list;
	return TRACK_EVENT_LIST_COUNT;
}

/* TrackEvent.LegacyEvent */
static void read_legacy(struct track_event_legacy *legacy, struct wire_message message)
{
	struct wire_field field;
	while (wire_next(&message, &field)) {
		switch (field.number) {
		case 1:
			legacy->name = field.value;
			break;
		case 2:
			legacy->phase = (int32_t)field.value;
			break;
		case 3:
			legacy->duration_us = (int64_t)field.value;
			break;
		case 4:
			legacy->thread_duration_us = (int64_t)field.value;
			break;
		case 6:
			legacy->id_kind = LEGACY_UNSCOPED;
			legacy->id = field.value;
			break;
		case 7:
			legacy->scope = field;
			break;
		case 8:
			legacy->bind_id = field.value;
			break;
		case 10:
			legacy->id_kind = LEGACY_LOCAL;
			legacy->id = field.value;
			break;
		case 11:
			legacy->id_kind = LEGACY_GLOBAL;
			legacy->id = field.value;
			break;
		case 13:
			legacy->flow = (uint32_t)field.value;
			break;
		case 18:
			legacy->pid = (int32_t)field.value;
			break;
		case 19:
			legacy->tid = (int32_t)field.value;
			break;
		default:
			break;
		}
	}
}

static bool is_argument(uint32_t number, bool is_bytes);

/* Fields that may be several are read where they are asked for. */
static void note_list(struct track_event *event, uint32_t number)
{
	enum track_event_list list = list_of(number);
	if (list == TRACK_EVENT_LIST_COUNT)
		return;
	event->lists |= 1U << list;
	event->has_category = event->has_category && list > TRACK_EVENT_CATEGORIES;
}

static void read_number(struct track_event *event, uint32_t number, uint64_t value)
{
	switch (number) {
	case TYPE:
		event->type = (enum track_event_type)value;
		break;
	case TRACK_EVENT_NAME_IID:
		event->name_iid = value;
		break;
	case THREAD_TIME_DELTA_US:
	case THREAD_TIME_US:
		event->has_thread_time = true;
		event->is_thread_delta = number == THREAD_TIME_DELTA_US;
		event->thread_us = value;
		break;
	case TRACK_EVENT_TRACK_UUID:
		event->has_track = true;
		event->track = value;
		break;
	case CATEGORY_IIDS:
		event->has_category = (event->lists & TRACK_EVENT_ALL_CATEGORIES) == 0;
		event->category = value;
		event->lists |= 1U << TRACK_EVENT_CATEGORY_IIDS;
		break;
	case COUNTER_VALUE:
	case REAL_COUNTER_VALUE:
		event->has_value = true;
		event->is_real = number == REAL_COUNTER_VALUE;
		event->value = value;
		break;
	default:
		note_list(event, number);
		break;
	}
}

void track_event_read(struct track_event *event, struct wire_message message)
{
	static const struct track_event_legacy no_legacy = { .phase = 0 };
	struct wire_field field;
	/* Field by field: to clear all of it would take as long as to read it. */
	event->message = message;
	event->type = TRACK_EVENT_UNSPECIFIED;
	event->has_track = event->has_value = event->has_thread_time = event->has_category = false;
	event->name.bytes = NULL;
	event->name_iid = 0;
	event->lists = 0;
	event->arguments = wire_message(NULL, 0);
	event->legacy = &no_legacy;
	for (const uint8_t *before = message.at; wire_next(&message, &field); before = message.at) {
		if (is_argument(field.number, field.bytes != NULL) && event->arguments.at == NULL)
			event->arguments = wire_message(before, (size_t)(message.end - before));
		if (field.bytes == NULL) {
			read_number(event, field.number, field.value);
		} else if (field.number == TRACK_EVENT_NAME) {
			event->name = field;
		} else if (field.number == LEGACY) {
			if (event->legacy == &no_legacy)
				event->own_legacy = no_legacy;
			event->legacy = &event->own_legacy;
			read_legacy(&event->own_legacy, wire_inside(&field));
		} else {
			note_list(event, field.number);
		}
	}
}

bool track_event_next_number(struct track_event_items *items, uint64_t *out)
{
	const struct list_row *row = &lists[items->list];
	struct wire_field field;
	while (!wire_list_next(&items->numbers, out)) {
		do
			if (!wire_next(&items->rest, &field))
				return false;
		while (field.number != row->number && field.number != row->other);
		items->numbers = wire_list(&field, field.number == row->number ? row->kind : row->other_kind);
	}
	return true;
}

bool track_event_text(struct track_event_items *items, struct wire_field *out)
{
	while (wire_next(&items->rest, out))
		if (out->number == lists[items->list].number && out->bytes != NULL)
			return true;
	return false;
}

/* ---- perfetto arguments -------------------------------------------------------------------------------------- */

/* Fields of TrackEvent. */
enum {
	DEBUG_ANNOTATIONS = 4,
	LOG_MESSAGE = 21,
	SOURCE_LOCATION = 33,
	SOURCE_LOCATION_IID = 34,
	CORRELATION = 52,
	CORRELATION_TEXT = 53,
	CORRELATION_IID = 54,
};

/* Fields of DebugAnnotation. */
enum {
	PERFETTO_ARGUMENTS_NAME_IID = 1,
	BOOL = 2,
	UINT = 3,
	INT = 4,
	DOUBLE = 5,
	TEXT = 6,
	POINTER = 7,
	NESTED = 8,
	JSON = 9,
	PERFETTO_ARGUMENTS_NAME = 10,
	DICT_ENTRIES = 11,
	ARRAY_VALUES = 12,
	TEXT_IID = 17,
};

/* Fields of NestedValue. */
enum {
	DICT_KEYS = 2,
	DICT_VALUES = 3,
	NESTED_ARRAY = 4,
	NESTED_INT = 5,
	NESTED_DOUBLE = 6,
	NESTED_BOOL = 7,
	NESTED_TEXT = 8,
};

static struct perfetto_text text_of(const struct wire_field *field)
{
	return field->bytes == NULL ? (struct perfetto_text){ "", 0 }
				    : (struct perfetto_text){ (const char *)field->bytes, field->size };
}

static struct perfetto_text find(struct perfetto_arguments *arguments, enum perfetto_table table, uint64_t number)
{
	const struct perfetto_text *text = perfetto_interned_find(arguments->interned, table, number);
	if (text != NULL)
		return *text;
	arguments->undefined++;
	return (struct perfetto_text){ "undefined", strlen("undefined") };
}

/* ---- nested values of old -------------------------------------------------------------------------------- */

static void put_nested(struct packed_parts *parts, struct perfetto_text name, struct wire_message message,
		       unsigned depth);

static void put_dict(struct packed_parts *parts, struct wire_message message, unsigned depth)
{
	struct wire_message keys = message;
	struct wire_field field, key = { 0 };
	while (wire_next(&message, &field)) {
		if (field.number != DICT_VALUES || field.bytes == NULL)
			continue;
		do
			if (!wire_next(&keys, &key))
				return;
		while (key.number != DICT_KEYS || key.bytes == NULL);
		put_nested(parts, text_of(&key), wire_inside(&field), depth);
	}
}

/* What comes last in a message is what it is. */
static struct wire_field last_value(struct wire_message message, uint32_t first, uint32_t last)
{
	struct wire_field field, value = { 0 };
	while (wire_next(&message, &field))
		if (field.number >= first && field.number <= last)
			value = field;
	return value;
}

static void put_nested(struct packed_parts *parts, struct perfetto_text name, struct wire_message message,
		       unsigned depth)
{
	struct wire_field value = last_value(message, DICT_VALUES, NESTED_TEXT);
	if (depth > PACKED_DEPTH_MAX)
		return;
	switch (value.number) {
	case DICT_VALUES:
		packed_parts_open(parts, EVENT_STRUCTURE, name.bytes, name.size);
		put_dict(parts, message, depth + 1);
		packed_parts_close(parts);
		break;
	case NESTED_ARRAY:
		packed_parts_open(parts, EVENT_ARRAY, name.bytes, name.size);
		struct wire_field field;
		while (wire_next(&message, &field))
			if (field.number == NESTED_ARRAY && field.bytes != NULL)
				put_nested(parts, (struct perfetto_text){ NULL, 0 }, wire_inside(&field),
					   depth + 1);
		packed_parts_close(parts);
		break;
	case NESTED_DOUBLE:
		packed_parts_real(parts, name.bytes, name.size, wire_real(value.value));
		break;
	case NESTED_TEXT:
		packed_parts_text(parts, name.bytes, name.size, text_of(&value).bytes, text_of(&value).size);
		break;
	case NESTED_BOOL:
		packed_parts_truth(parts, name.bytes, name.size, value.value != 0);
		break;
	case NESTED_INT:
		packed_parts_int(parts, name.bytes, name.size, (int64_t)value.value);
		break;
	default:
		packed_parts_nothing(parts, name.bytes, name.size);
		break;
	}
}

/* ---- debug annotations ----------------------------------------------------------------------------------- */

static void put_annotation(struct perfetto_arguments *arguments, struct wire_message message, bool is_member,
			   unsigned depth);

static void put_inside(struct perfetto_arguments *arguments, struct wire_message message, uint32_t number,
		       unsigned depth)
{
	struct wire_field field;
	while (wire_next(&message, &field))
		if (field.number == number && field.bytes != NULL)
			put_annotation(arguments, wire_inside(&field), number == DICT_ENTRIES, depth);
}

static void put_value(struct perfetto_arguments *arguments, struct perfetto_text name,
		      const struct wire_field *value)
{
	struct packed_parts *parts = &arguments->parts;
	struct perfetto_text text = text_of(value);
	switch (value->number) {
	case BOOL:
		packed_parts_truth(parts, name.bytes, name.size, value->value != 0);
		break;
	case INT:
		packed_parts_int(parts, name.bytes, name.size, (int64_t)value->value);
		break;
	case UINT:
	case POINTER:
		packed_parts_unsigned(parts, name.bytes, name.size, value->value);
		break;
	case DOUBLE:
		packed_parts_real(parts, name.bytes, name.size, wire_real(value->value));
		break;
	case TEXT_IID:
		text = find(arguments, PERFETTO_ARGUMENT_TEXTS, value->value);
		/* fall through */
	case TEXT:
	case JSON:
		packed_parts_text(parts, name.bytes, name.size, text.bytes, text.size);
		break;
	default:
		packed_parts_nothing(parts, name.bytes, name.size);
		break;
	}
}

static void put_annotation(struct perfetto_arguments *arguments, struct wire_message message, bool is_member,
			   unsigned depth)
{
	struct packed_parts *parts = &arguments->parts;
	struct wire_message fields = message;
	struct wire_field field, value = { 0 };
	struct perfetto_text name = { is_member ? "" : NULL, 0 };
	if (depth > PACKED_DEPTH_MAX)
		return;
	while (wire_next(&fields, &field)) {
		if (field.number == PERFETTO_ARGUMENTS_NAME && is_member)
			name = text_of(&field);
		else if (field.number == PERFETTO_ARGUMENTS_NAME_IID && is_member)
			name = find(arguments, PERFETTO_ARGUMENT_NAMES, field.value);
		else if ((field.number >= BOOL && field.number <= JSON) || field.number == DICT_ENTRIES ||
			 field.number == ARRAY_VALUES || field.number == TEXT_IID)
			value = field;
	}
	if (value.number == DICT_ENTRIES || value.number == ARRAY_VALUES) {
		packed_parts_open(parts, value.number == DICT_ENTRIES ? EVENT_STRUCTURE : EVENT_ARRAY, name.bytes,
				  name.size);
		put_inside(arguments, message, value.number, depth + 1);
		packed_parts_close(parts);
	} else if (value.number == NESTED) {
		put_nested(parts, name, wire_inside(&value), depth);
	} else {
		put_value(arguments, name, &value);
	}
}

/* ---- others ---------------------------------------------------------------------------------------------- */

/* source_location.proto */
static void put_source(struct packed_parts *parts, struct wire_message message)
{
	enum { FILE_NAME = 2, FUNCTION = 3, LINE = 4 };
	struct wire_field field;
	packed_parts_open(parts, EVENT_STRUCTURE, "source", strlen("source"));
	while (wire_next(&message, &field)) {
		if (field.number == FILE_NAME && field.bytes != NULL)
			packed_parts_text(parts, "file", 4, (const char *)field.bytes, field.size);
		else if (field.number == FUNCTION && field.bytes != NULL)
			packed_parts_text(parts, "function", 8, (const char *)field.bytes, field.size);
		else if (field.number == LINE)
			packed_parts_unsigned(parts, "line", 4, field.value);
	}
	packed_parts_close(parts);
}

static void put_source_of(struct perfetto_arguments *arguments, uint64_t number)
{
	const struct perfetto_text *found =
		perfetto_interned_find(arguments->interned, PERFETTO_SOURCE_LOCATIONS, number);
	arguments->undefined += found == NULL;
	if (found != NULL)
		put_source(&arguments->parts, wire_message(found->bytes, found->size));
}

/* log_message.proto */
static void put_log(struct perfetto_arguments *arguments, struct wire_message message)
{
	enum { SOURCE_IID = 1, BODY_IID = 2, PRIORITY = 3 };
	struct packed_parts *parts = &arguments->parts;
	struct wire_field field;
	packed_parts_open(parts, EVENT_STRUCTURE, "log", strlen("log"));
	while (wire_next(&message, &field)) {
		if (field.number == BODY_IID) {
			struct perfetto_text text = find(arguments, PERFETTO_LOG_TEXTS, field.value);
			packed_parts_text(parts, "body", 4, text.bytes, text.size);
		} else if (field.number == SOURCE_IID) {
			put_source_of(arguments, field.value);
		} else if (field.number == PRIORITY) {
			packed_parts_unsigned(parts, "priority", 8, field.value);
		}
	}
	packed_parts_close(parts);
}

static void put_correlation(struct perfetto_arguments *arguments, const struct wire_field *field)
{
	static const char name[] = "correlation_id";
	struct perfetto_text text = text_of(field);
	if (field->number == CORRELATION) {
		packed_parts_unsigned(&arguments->parts, name, strlen(name), field->value);
		return;
	}
	if (field->number == CORRELATION_IID)
		text = find(arguments, PERFETTO_CORRELATIONS, field->value);
	packed_parts_text(&arguments->parts, name, strlen(name), text.bytes, text.size);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

void perfetto_arguments_begin(struct perfetto_arguments *arguments, struct perfetto_interned *interned)
{
	arguments->interned = interned;
	arguments->has_some = false;
}

static bool is_argument(uint32_t number, bool is_bytes)
{
	switch (number) {
	case DEBUG_ANNOTATIONS:
	case LOG_MESSAGE:
	case SOURCE_LOCATION:
	case CORRELATION_TEXT:
		return is_bytes;
	case SOURCE_LOCATION_IID:
	case CORRELATION:
	case CORRELATION_IID:
		return !is_bytes;
	default:
		return false;
	}
}

void perfetto_arguments_add(struct perfetto_arguments *arguments, const struct wire_field *field)
{
	if (!is_argument(field->number, field->bytes != NULL))
		return;
	if (!arguments->has_some) {
		packed_parts_clear(&arguments->parts);
		packed_parts_open(&arguments->parts, EVENT_STRUCTURE, NULL, 0);
	}
	arguments->has_some = true;
	if (field->number == DEBUG_ANNOTATIONS)
		put_annotation(arguments, wire_inside(field), true, 1);
	else if (field->number == LOG_MESSAGE)
		put_log(arguments, wire_inside(field));
	else if (field->number == SOURCE_LOCATION)
		put_source(&arguments->parts, wire_inside(field));
	else if (field->number == SOURCE_LOCATION_IID)
		put_source_of(arguments, field->value);
	else
		put_correlation(arguments, field);
}

bool perfetto_arguments_end(struct perfetto_arguments *arguments)
{
	if (arguments->has_some)
		packed_parts_close(&arguments->parts);
	return arguments->has_some;
}

void perfetto_arguments_release(struct perfetto_arguments *arguments)
{
	packed_parts_release(&arguments->parts);
}

/* ---- perfetto tracks ----------------------------------------------------------------------------------------- */

/* More tracks have no screen; a name longer than that neither. */
enum { TRACKS_MAX = 1 << 17, NAME_MAX_SIZE = 1024, ANCESTORS_MAX = 64 };

enum {
	PERFETTO_TRACKS_TRACK_UUID = 1,
	TRACK_NAME_FIELD = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER_FIELD = 8,
	TRACK_IS_APART = 9, /* disallow_merging_with_system_tracks */
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
	enum { COUNTER_TYPE = 1, UNIT = 4, INCREMENTAL = 5, THREAD_TIME = 1, THREAD_INSTRUCTIONS = 2 };
	struct wire_field field;
	const char *name = NULL;
	track->is_counter = true;
	track->unit = 1;
	while (wire_next(&message, &field)) {
		if (field.number == COUNTER_TYPE && field.value == THREAD_TIME)
			name = "thread time", track->is_thread_time = true;
		else if (field.number == COUNTER_TYPE && field.value == THREAD_INSTRUCTIONS)
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
		if (field.number == PERFETTO_TRACKS_TRACK_UUID)
			uuid = field.value;
	return uuid;
}

/* Returns false if memory runs out; *out is NULL if there are too many. */
static bool perfetto_tracks_make(struct perfetto_tracks *tracks, uint64_t uuid, struct perfetto_track **out)
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

/*
 * What a thread or a process says of itself counts more than what the track says for it, in whatever order the file
 * has them.  A thread may also say of which process it is.
 */
static bool read_owner(struct perfetto_tracks *tracks, struct perfetto_track *track,
		       const struct wire_field *process, const struct wire_field *thread)
{
	if (thread->bytes != NULL)
		return read_thread(tracks, track, wire_inside(thread));
	if (process->bytes == NULL || track->kind == PERFETTO_THREAD_TRACK)
		return true;
	/* process_descriptor.proto */
	struct wire_message message = wire_inside(process);
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

bool perfetto_tracks_add(struct perfetto_tracks *tracks, struct wire_message descriptor)
{
	struct perfetto_track *track;
	struct wire_field field, process = { 0 }, thread = { 0 };
	bool has_memory = perfetto_tracks_make(tracks, uuid_of(descriptor), &track);
	while (has_memory && track != NULL && wire_next(&descriptor, &field)) {
		switch (field.number) {
		case TRACK_PARENT:
			track->parent = field.value;
			break;
		case TRACK_PROCESS:
			process = field;
			break;
		case TRACK_THREAD:
			thread = field;
			break;
		case TRACK_IS_APART:
			track->is_apart = field.value != 0;
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
	return has_memory && (track == NULL || read_owner(tracks, track, &process, &thread));
}

struct perfetto_track *perfetto_tracks_find(struct perfetto_tracks *tracks, uint64_t uuid)
{
	return id_map_find_again(&tracks->map, uuid);
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

/* Returns the count of a writer and a track, made if it does not exist; NULL if that is impossible. */
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

uint64_t perfetto_tracks_sum(const struct perfetto_tracks *tracks, const struct perfetto_track *track,
			     uint32_t sequence, uint32_t generation)
{
	const struct perfetto_count wanted = { .uuid = track->uuid, .sequence = sequence };
	const uint32_t number = hash_index_find(&tracks->count_index, hash_of_count(&wanted, 0), is_count_of,
						tracks->counts, &wanted);
	const struct perfetto_count *count = number != HASH_INDEX_NONE ? &tracks->counts[number] : NULL;
	return count != NULL && count->generation == generation ? count->value : 0;
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

/* protos/perfetto/trace/translation/translation_table.proto; the first meaning of a name is kept. */

static bool add_meant(struct perfetto_tracks *tracks, enum perfetto_named named, struct perfetto_flat entry)
{
	enum { RAW = 1, MEANT = 2, TEXT_MAX = 4096, NAMES_MAX = 1 << 16 };
	const struct perfetto_text raw = entry.texts[RAW], meant = entry.texts[MEANT];
	struct id_map *map = &tracks->meant_names[named];
	if (raw.size == 0 || raw.size > TEXT_MAX || meant.size == 0 || meant.size > TEXT_MAX)
		return true;
	const uint32_t number = intern_add(&tracks->raw_names[named], raw.bytes, raw.size);
	if (number == INTERN_NONE)
		return false;
	if (number >= NAMES_MAX || id_map_find(map, number) != NULL)
		return true;
	struct perfetto_text *copy = arena_allocate(&tracks->memory, sizeof(*copy), alignof(struct perfetto_text));
	const char *bytes = arena_copy(&tracks->memory, meant.bytes, meant.size);
	if (copy == NULL || bytes == NULL)
		return false;
	*copy = (struct perfetto_text){ bytes, meant.size };
	return id_map_add(map, number, copy);
}

bool perfetto_tracks_translate(struct perfetto_tracks *tracks, struct wire_message table)
{
	enum { RAW_TO_DEOBFUSCATED = 1 };
	struct wire_field field, entry;
	while (wire_next(&table, &field)) {
		if (field.bytes == NULL ||
		    (field.number != PERFETTO_SPAN_NAMES && field.number != PERFETTO_TRACK_NAMES))
			continue;
		struct wire_message inside = wire_inside(&field);
		while (wire_next(&inside, &entry))
			if (entry.number == RAW_TO_DEOBFUSCATED && entry.bytes != NULL &&
			    !add_meant(tracks, (enum perfetto_named)field.number,
				       perfetto_flat(wire_inside(&entry))))
				return false;
	}
	return true;
}

struct perfetto_text perfetto_tracks_meant(const struct perfetto_tracks *tracks, enum perfetto_named named,
					   struct perfetto_text name)
{
	const uint32_t number = intern_find(&tracks->raw_names[named], name.bytes, name.size);
	const struct perfetto_text *meant =
		number == INTERN_NONE ? NULL : id_map_find(&tracks->meant_names[named], number);
	return meant == NULL ? name : *meant;
}

void perfetto_tracks_release(struct perfetto_tracks *tracks)
{
	for (size_t i = 0; i < PERFETTO_NAMED_END; i++) {
		intern_release(&tracks->raw_names[i]);
		id_map_release(&tracks->meant_names[i]);
	}
	free(tracks->counts);
	hash_index_release(&tracks->count_index);
	id_map_release(&tracks->map);
	arena_release(&tracks->memory);
	*tracks = (struct perfetto_tracks){ 0 };
}
