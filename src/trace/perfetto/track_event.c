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

static void add(struct track_event_lists *lists, const struct wire_field *field)
{
	if (lists->count < TRACK_EVENT_LISTS_MAX)
		lists->fields[lists->count++] = *field;
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
	else if (field->number == CATEGORIES)
		add(&event->categories, field);
	else if (field->number == LEGACY)
		read_legacy(&event->legacy, wire_inside(field));
}

static void read_number(struct track_event *event, const struct wire_field *field)
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
		break;
	}
}

static struct track_event_lists *lists_of(struct track_event *event, uint32_t number)
{
	switch (number) {
	case CATEGORY_IIDS:
		return &event->category_iids;
	case EXTRA_COUNTERS:
		return &event->counters;
	case EXTRA_VALUES:
		return &event->values;
	case EXTRA_REAL_COUNTERS:
		return &event->real_counters;
	case EXTRA_REAL_VALUES:
		return &event->real_values;
	case FLOWS_OF_OLD:
	case FLOWS:
		return &event->flows;
	case LAST_FLOWS_OF_OLD:
	case LAST_FLOWS:
		return &event->last_flows;
	default:
		return NULL;
	}
}

struct track_event track_event_read(struct wire_message message)
{
	struct track_event event = { .type = TRACK_EVENT_UNSPECIFIED };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		struct track_event_lists *lists = lists_of(&event, field.number);
		if (lists != NULL)
			add(lists, &field);
		else if (field.bytes != NULL)
			read_text(&event, &field);
		else
			read_number(&event, &field);
	}
	return event;
}

bool track_event_number(struct track_event_numbers *numbers, enum wire_kind kind, uint64_t *out)
{
	while (!wire_list_next(&numbers->list, out)) {
		if (numbers->field == numbers->lists->count)
			return false;
		const struct wire_field *field = &numbers->lists->fields[numbers->field++];
		/* Of old, flows were varints: in a row they are as the number of the field says. */
		bool is_old = field->number == FLOWS_OF_OLD || field->number == LAST_FLOWS_OF_OLD;
		numbers->list = wire_list(field, is_old ? WIRE_VARINT : kind);
	}
	return true;
}
