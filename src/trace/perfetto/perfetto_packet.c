// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_packet.h"

enum {
	TIMESTAMP = 8,
	SEQUENCE_ID = 10,
	INTERNED_DATA = 12,
	SEQUENCE_FLAGS = 13,
	STATE_CLEARED = 41, /* of old */
	PREVIOUS_DROPPED = 42,
	CLOCK_ID = 58,
	DEFAULTS = 59,
	FIRST_ON_SEQUENCE = 87,
	MACHINE_ID = 98,
};

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

static bool is_data(uint32_t number)
{
	switch ((enum perfetto_data)number) {
	case PERFETTO_FTRACE_EVENTS:
	case PERFETTO_PROCESS_TREE:
	case PERFETTO_CLOCK_SNAPSHOT:
	case PERFETTO_TRACK_EVENT:
	case PERFETTO_FTRACE_STATS:
	case PERFETTO_PROCESS_DESCRIPTOR:
	case PERFETTO_THREAD_DESCRIPTOR:
	case PERFETTO_SYSTEM_INFO:
	case PERFETTO_STREAMING_PROFILE:
	case PERFETTO_TRACK_DESCRIPTOR:
	case PERFETTO_PERF_SAMPLE:
	case PERFETTO_TRACE_UUID:
		return true;
	default:
		return false;
	}
}

static void read_message(struct perfetto_packet *packet, const struct wire_field *field)
{
	if (is_data(field->number)) {
		packet->data = (enum perfetto_data)field->number;
		packet->content = wire_inside(field);
	} else if (field->number == INTERNED_DATA) {
		packet->interned = wire_inside(field);
		packet->has_interned = true;
	} else if (field->number == DEFAULTS) {
		packet->defaults = wire_inside(field);
		packet->has_defaults = true;
	}
}

static void read_number(struct perfetto_packet *packet, uint32_t number, uint64_t value)
{
	switch (number) {
	case TIMESTAMP:
		packet->time = value;
		packet->has_time = true;
		break;
	case CLOCK_ID:
		packet->clock = (uint32_t)value;
		packet->has_clock = true;
		break;
	case SEQUENCE_ID:
		packet->sequence = (uint32_t)value;
		break;
	case SEQUENCE_FLAGS:
		packet->begins_state |= (value & FLAG_CLEARED) != 0;
		packet->needs_state |= (value & FLAG_NEEDS_STATE) != 0;
		break;
	case STATE_CLEARED:
		packet->begins_state |= value != 0;
		break;
	case PREVIOUS_DROPPED:
		packet->is_behind_loss = value != 0;
		break;
	case FIRST_ON_SEQUENCE:
		packet->is_first = value != 0;
		break;
	case MACHINE_ID:
		packet->machine = (uint32_t)value;
		break;
	default:
		break;
	}
}

struct perfetto_packet perfetto_packet_read(struct wire_message message)
{
	struct perfetto_packet packet = { .data = PERFETTO_NO_DATA };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.bytes != NULL)
			read_message(&packet, &field);
		else
			read_number(&packet, field.number, field.value);
	}
	packet.is_damaged = message.is_damaged;
	return packet;
}
