// SPDX-License-Identifier: MIT
#include "trace/perfetto/track_event.h"

/* Fields of TrackEvent. */
enum {
	CATEGORY_IIDS = 3,
	LEGACY = 6,
	TYPE = 9,
	NAME_IID = 10,
	TRACK_UUID = 11,
	EXTRA_VALUES = 12,
	CATEGORIES = 22,
	NAME = 23,
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

static void read_text(struct track_event *event, const struct wire_field *field)
{
	if (field->number == NAME)
		event->name = *field;
	else if (field->number == LEGACY)
		read_legacy(&event->legacy, wire_inside(field));
}

/* Returns false if it is not one of these. */
static bool read_number(struct track_event *event, const struct wire_field *field)
{
	switch (field->number) {
	case TYPE:
		event->type = (enum track_event_type)field->value;
		break;
	case NAME_IID:
		event->name_iid = field->value;
		break;
	case TRACK_UUID:
		event->has_track = true;
		event->track = field->value;
		break;
	case COUNTER_VALUE:
	case REAL_COUNTER_VALUE:
		event->has_value = true;
		event->is_real = field->number == REAL_COUNTER_VALUE;
		event->value = field->value;
		break;
	default:
		return false;
	}
	return true;
}

struct track_event track_event_read(struct wire_message message)
{
	struct track_event event = { .message = message };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.bytes == NULL && read_number(&event, &field))
			continue;
		if (field.bytes != NULL)
			read_text(&event, &field);
		enum track_event_list list = list_of(field.number);
		if (list != TRACK_EVENT_LIST_COUNT)
			event.lists |= 1U << list;
	}
	return event;
}

struct track_event_items track_event_items(const struct track_event *event, enum track_event_list list)
{
	return (struct track_event_items){ .rest = track_event_has(event, list) ? event->message
										: wire_message(NULL, 0),
					   .list = list };
}

bool track_event_number(struct track_event_items *items, uint64_t *out)
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
