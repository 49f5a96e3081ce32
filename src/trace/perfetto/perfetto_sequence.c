// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_sequence.h"

#include <stdlib.h>

#include "base/error.h"

/* More writers are in no trace; those that are too many are taken for one. */
enum { SEQUENCES_MAX = 1 << 14 };

struct perfetto_sequence *perfetto_sequences_of(struct perfetto_sequences *sequences, uint32_t id)
{
	if (sequences->map.count >= SEQUENCES_MAX && id_map_find(&sequences->map, id) == NULL)
		id = 0;
	struct perfetto_sequence *sequence = id_map_find(&sequences->map, id);
	if (sequence != NULL)
		return sequence;
	sequence = calloc(1, sizeof(*sequence));
	if (sequence == NULL)
		return NULL;
	sequence->id = id;
	if (id_map_add(&sequences->map, id, sequence))
		return sequence;
	free(sequence);
	return NULL;
}

/* ---- state ----------------------------------------------------------------------------------------------- */

static void clear_state(struct perfetto_sequence *sequence, struct perfetto_budget *budget)
{
	perfetto_interned_release(&sequence->interned, budget);
	sequence->clock = 0;
	sequence->track = 0;
	sequence->counters.count = sequence->real_counters.count = 0;
	sequence->generation++;
}

static void lose(struct perfetto_sequence *sequence)
{
	sequence->is_losing = true;
	sequence->is_valid = false;
}

static void add_counters(struct perfetto_counters *counters, const struct wire_field *field)
{
	struct wire_list list = wire_list(field, WIRE_VARINT);
	uint64_t track;
	while (counters->count < PERFETTO_COUNTERS_MAX && wire_list_next(&list, &track))
		counters->tracks[counters->count++] = track;
}

/* protos/perfetto/trace/track_event/track_event.proto, TrackEventDefaults */
static void read_track_defaults(struct perfetto_sequence *sequence, struct wire_message message)
{
	enum { TRACK = 11, COUNTERS = 31, REAL_COUNTERS = 45 };
	struct wire_field field;
	sequence->counters.count = sequence->real_counters.count = 0;
	while (wire_next(&message, &field)) {
		if (field.number == TRACK)
			sequence->track = field.value;
		else if (field.number == COUNTERS)
			add_counters(&sequence->counters, &field);
		else if (field.number == REAL_COUNTERS)
			add_counters(&sequence->real_counters, &field);
	}
}

/* protos/perfetto/trace/trace_packet_defaults.proto */
static void read_defaults(struct perfetto_sequence *sequence, struct wire_message message)
{
	enum { CLOCK = 58, TRACK_EVENT = 11 };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number == CLOCK)
			sequence->clock = (uint32_t)field.value;
		else if (field.number == TRACK_EVENT && field.bytes != NULL)
			read_track_defaults(sequence, wire_inside(&field));
	}
}

enum histree_status perfetto_sequence_begin(struct perfetto_sequence *sequence, struct perfetto_budget *budget,
					    const struct perfetto_packet *packet, struct histree_error *error)
{
	if (packet->is_behind_loss && sequence->is_met && !packet->is_first)
		lose(sequence);
	sequence->is_met = true;
	if (packet->begins_state) {
		clear_state(sequence, budget);
		sequence->is_valid = true;
	}
	if (packet->has_defaults)
		read_defaults(sequence, packet->defaults);
	if (packet->has_interned && !perfetto_interned_add(&sequence->interned, budget, packet->interned))
		return error_memory(error, "what is interned in a trace");
	return HISTREE_OK;
}

void perfetto_sequences_lose(struct perfetto_sequences *sequences)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&sequences->map, &at)) != NULL;)
		lose(entry->record);
}

void perfetto_sequences_release(struct perfetto_sequences *sequences)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&sequences->map, &at)) != NULL;) {
		struct perfetto_sequence *sequence = entry->record;
		perfetto_interned_release(&sequence->interned, &sequences->budget);
		free(sequence);
	}
	id_map_release(&sequences->map);
	*sequences = (struct perfetto_sequences){ 0 };
}

/* ---- times ----------------------------------------------------------------------------------------------- */

bool perfetto_sequence_time(struct perfetto_sequence *sequence, const struct perfetto_clocks *clocks,
			    const struct perfetto_packet *packet, histree_time *out)
{
	uint32_t id = packet->has_clock      ? packet->clock
		      : sequence->clock != 0 ? sequence->clock
					     : PERFETTO_CLOCK_BOOTTIME;
	bool is_said = packet->has_clock || sequence->clock != 0;
	uint64_t trace;
	if (!packet->has_time)
		return false;
	if (perfetto_clock_is_own(id)) {
		if (!perfetto_own_clocks_convert(&sequence->clocks, id, packet->time, &trace))
			return false;
	} else if (!perfetto_clocks_convert(clocks, id, packet->time, &trace)) {
		if (is_said)
			return false;
		trace = packet->time;
	}
	return perfetto_clocks_time(clocks, trace, out);
}

/* TrackEvent.timestamp, of the monotonic clock. */
bool perfetto_sequence_time_of_old(struct perfetto_sequence *sequence, const struct perfetto_clocks *clocks,
				   struct wire_message event, histree_time *out)
{
	enum { DELTA_US = 1, ABSOLUTE_US = 16, MONOTONIC = 3 };
	struct wire_field field;
	uint64_t us = 0, trace;
	bool has_time = false;
	while (wire_next(&event, &field)) {
		if (field.number != DELTA_US && field.number != ABSOLUTE_US)
			continue;
		if (field.number == DELTA_US)
			sequence->last_us += field.value;
		us = field.number == DELTA_US ? sequence->last_us : field.value;
		has_time = true;
	}
	if (!has_time || us > INT64_MAX / 1000)
		return false;
	if (!perfetto_clocks_convert(clocks, MONOTONIC, us * 1000, &trace))
		trace = us * 1000;
	return perfetto_clocks_time(clocks, trace, out);
}
