// SPDX-License-Identifier: MIT
/*
 * wire.c - messages of protocol buffers, and times of any clock of a trace of Perfetto as times of the day.
 *
 * No field reaches beyond its message.
 */
#include "trace/perfetto/wire.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/value.h"

/* ---- wire ---------------------------------------------------------------------------------------------------- */

/* The largest number of a field has 29 bits. */
enum { FIELD_NUMBER_MAX = (1 << 29) - 1 };

static bool fail(struct wire_message *message)
{
	message->is_damaged = true;
	message->at = message->end;
	return false;
}

static inline const uint8_t *varint(const uint8_t *at, const uint8_t *end, uint64_t *out)
{
	if (at < end && *at < 0x80) { /* most are short */
		*out = *at;
		return at + 1;
	}
	return get_varint(at, end, out);
}

/* Returns the byte behind a number, NULL if it does not end in time. */
static const uint8_t *number(const uint8_t *at, const uint8_t *end, enum wire_kind kind, uint64_t *out)
{
	size_t left = (size_t)(end - at);
	switch (kind) {
	case WIRE_VARINT:
		return varint(at, end, out);
	case WIRE_FIXED64:
		*out = left < 8 ? 0 : get_le64(at);
		return left < 8 ? NULL : at + 8;
	case WIRE_FIXED32:
		*out = left < 4 ? 0 : get_le32(at);
		return left < 4 ? NULL : at + 4;
	default:
		return NULL;
	}
}

bool wire_next_any(struct wire_message *message, struct wire_field *out)
{
	const uint8_t *at = message->at, *end = message->end;
	uint64_t tag, value;
	if (at == end)
		return false;
	at = varint(at, end, &tag);
	if (at == NULL || tag >> 3 == 0 || tag >> 3 > FIELD_NUMBER_MAX)
		return fail(message);
	enum wire_kind kind = (enum wire_kind)(tag & 7);
	at = kind == WIRE_VARINT || kind == WIRE_BYTES ? varint(at, end, &value) : number(at, end, kind, &value);
	if (at == NULL)
		return fail(message);
	out->number = (uint32_t)(tag >> 3);
	out->kind = kind;
	out->value = value;
	out->bytes = NULL;
	out->size = 0;
	if (kind == WIRE_BYTES) {
		if (value > (size_t)(end - at))
			return fail(message);
		out->bytes = at;
		out->size = (size_t)value;
		at += value;
	}
	message->at = at;
	return true;
}

bool wire_begins(const struct wire_message *message, size_t size, uint32_t number_max)
{
	const uint8_t *at = message->at, *begin = at;
	uint64_t tag, value;
	while (at < message->end) {
		at = varint(at, message->end, &tag);
		if (at == NULL)
			return true; /* the rest of it is not there */
		enum wire_kind kind = (enum wire_kind)(tag & 7);
		if (tag >> 3 == 0 || tag >> 3 > number_max || kind == 3 || kind == 4 || kind > WIRE_FIXED32)
			return false;
		at = number(at, message->end, kind == WIRE_BYTES ? WIRE_VARINT : kind, &value);
		if (at == NULL)
			return true;
		if (kind != WIRE_BYTES)
			continue;
		if (value > size - (size_t)(at - begin))
			return false;
		if (value > (size_t)(message->end - at))
			return true;
		at += value;
	}
	return true;
}

bool wire_list_next(struct wire_list *list, uint64_t *out)
{
	if (list->has_single) {
		list->has_single = false;
		*out = list->single;
		return true;
	}
	const uint8_t *next = list->at == list->end ? NULL : number(list->at, list->end, list->kind, out);
	list->at = next == NULL ? list->end : next;
	return next != NULL;
}

/* ---- perfetto clocks ----------------------------------------------------------------------------------------- */

enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };

enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_INCREMENTAL = 3, CLOCK_UNIT = 4 };

/* More snapshots are of no trace: one every ten seconds is a week. */
enum { INSTANTS_MAX = 1 << 16 };

/* ---- snapshots ------------------------------------------------------------------------------------------- */

struct reading {
	uint32_t id;
	bool is_incremental;
	uint64_t time, unit;
};

enum { READINGS_MAX = 32 };

struct snapshot {
	struct reading readings[READINGS_MAX];
	size_t count;
	uint32_t primary; /* 0: it does not say */
};

static struct reading read_clock(struct wire_message message)
{
	struct reading reading = { .unit = 1 };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number == CLOCK_ID)
			reading.id = (uint32_t)field.value;
		else if (field.number == CLOCK_TIMESTAMP)
			reading.time = field.value;
		else if (field.number == CLOCK_INCREMENTAL)
			reading.is_incremental = field.value != 0;
		else if (field.number == CLOCK_UNIT && field.value != 0)
			reading.unit = field.value;
	}
	return reading;
}

static void read_snapshot(struct snapshot *out, struct wire_message message)
{
	struct wire_field field;
	out->count = 0;
	out->primary = 0;
	while (wire_next(&message, &field)) {
		if (field.number == SNAPSHOT_CLOCKS && field.bytes != NULL && out->count < READINGS_MAX)
			out->readings[out->count++] = read_clock(wire_inside(&field));
		else if (field.number == SNAPSHOT_PRIMARY)
			out->primary = (uint32_t)field.value;
	}
}

/* Returns the reading of a clock, or NULL. */
static const struct reading *reading_of(const struct snapshot *snapshot, uint32_t id)
{
	for (size_t i = 0; i < snapshot->count; i++)
		if (snapshot->readings[i].id == id)
			return &snapshot->readings[i];
	return NULL;
}

/* ---- clocks of the trace --------------------------------------------------------------------------------- */

static struct perfetto_clock *clock_of(struct perfetto_clocks *clocks, uint32_t id)
{
	for (size_t i = 0; i < clocks->count; i++)
		if (clocks->clocks[i].id == id)
			return &clocks->clocks[i];
	if (clocks->count == PERFETTO_CLOCKS_MAX)
		return NULL;
	clocks->clocks[clocks->count] = (struct perfetto_clock){ .id = id };
	return &clocks->clocks[clocks->count++];
}

static bool learn(struct perfetto_clocks *clocks, const struct reading *reading, uint64_t trace)
{
	struct perfetto_clock *clock = clock_of(clocks, reading->id);
	if (clock == NULL || clock->count == INSTANTS_MAX)
		return true;
	if (!array_reserve(&clock->instants, &clock->capacity, clock->count + 1))
		return false;
	clock->instants[clock->count++] = (struct perfetto_instant){ .own = reading->time, .trace = trace };
	return true;
}

bool perfetto_clocks_learn(struct perfetto_clocks *clocks, struct wire_message message)
{
	struct snapshot snapshot;
	read_snapshot(&snapshot, message);
	/*
	 * What the first snapshot says, or the time since the start of the machine, or the first clock that
	 * there is.
	 */
	if (!clocks->is_chosen && snapshot.count != 0) {
		if (snapshot.primary != 0 && reading_of(&snapshot, snapshot.primary) != NULL)
			clocks->trace_clock = snapshot.primary;
		else if (reading_of(&snapshot, PERFETTO_CLOCK_BOOTTIME) != NULL)
			clocks->trace_clock = PERFETTO_CLOCK_BOOTTIME;
		for (size_t i = 0; i < snapshot.count && clocks->trace_clock == 0; i++)
			if (!perfetto_clock_is_own(snapshot.readings[i].id) &&
			    snapshot.readings[i].id != PERFETTO_CLOCK_REALTIME)
				clocks->trace_clock = snapshot.readings[i].id;
		clocks->is_chosen = clocks->trace_clock != 0;
	}
	const struct reading *trace = reading_of(&snapshot, clocks->trace_clock);
	const struct reading *wall = reading_of(&snapshot, PERFETTO_CLOCK_REALTIME);
	if (trace == NULL || clocks->trace_clock == 0)
		return true;
	if (wall != NULL && !clocks->has_wall) {
		clocks->wall = wall->time - trace->time;
		clocks->has_wall = true;
	}
	for (size_t i = 0; i < snapshot.count; i++) {
		const struct reading *reading = &snapshot.readings[i];
		if (reading->id != clocks->trace_clock && !perfetto_clock_is_own(reading->id) &&
		    !learn(clocks, reading, trace->time))
			return false;
	}
	return true;
}

COMPARE(compare_instants, struct perfetto_instant, BY(own) BY(trace))

void perfetto_clocks_finish(struct perfetto_clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++)
		qsort(clocks->clocks[i].instants, clocks->clocks[i].count, sizeof(struct perfetto_instant),
		      compare_instants);
}

/* Numbers below zero are allowed in between: differences are taken modulo 2^64. */
static uint64_t convert(const struct perfetto_instant *at, uint64_t own, uint64_t unit)
{
	return at->trace + (own - at->own) * unit;
}

bool perfetto_clocks_convert(const struct perfetto_clocks *clocks, uint32_t id, uint64_t time, uint64_t *out)
{
	*out = time;
	/* Without any snapshot all times are taken for those of one clock. */
	if (id == clocks->trace_clock || clocks->trace_clock == 0)
		return true;
	for (size_t i = 0; i < clocks->count; i++) {
		const struct perfetto_clock *clock = &clocks->clocks[i];
		if (clock->id != id || clock->count == 0)
			continue;
		const size_t low = SEARCH(k, 0, clock->count, clock->instants[k].own <= time);
		*out = convert(&clock->instants[low == 0 ? 0 : low - 1], time, 1);
		return true;
	}
	return false;
}

bool perfetto_clocks_time(const struct perfetto_clocks *clocks, uint64_t time, histree_time *out)
{
	histree_time zero = (histree_time)clocks->wall;
	return time <= INT64_MAX && !__builtin_add_overflow((histree_time)time, zero, out) && *out != INT64_MAX &&
	       *out != INT64_MIN;
}

void perfetto_clocks_release(struct perfetto_clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++)
		free(clocks->clocks[i].instants);
	*clocks = (struct perfetto_clocks){ 0 };
}

/* ---- clocks of a sequence -------------------------------------------------------------------------------- */

static struct perfetto_own_clock *own_clock_of(struct perfetto_own_clocks *own, uint32_t id)
{
	for (size_t i = 0; i < own->count; i++)
		if (own->clocks[i].id == id)
			return &own->clocks[i];
	return NULL;
}

void perfetto_own_clocks_learn(struct perfetto_own_clocks *own, const struct perfetto_clocks *clocks,
			       struct wire_message message)
{
	struct snapshot snapshot;
	uint64_t trace = 0;
	bool is_known = false;
	read_snapshot(&snapshot, message);
	const struct reading *direct = reading_of(&snapshot, clocks->trace_clock);
	if (direct != NULL) {
		trace = direct->time;
		is_known = true;
	}
	for (size_t i = 0; i < snapshot.count && !is_known; i++)
		is_known =
			!perfetto_clock_is_own(snapshot.readings[i].id) &&
			perfetto_clocks_convert(clocks, snapshot.readings[i].id, snapshot.readings[i].time, &trace);
	for (size_t i = 0; i < snapshot.count && is_known; i++) {
		const struct reading *reading = &snapshot.readings[i];
		if (!perfetto_clock_is_own(reading->id))
			continue;
		struct perfetto_own_clock *clock = own_clock_of(own, reading->id);
		if (clock == NULL && own->count < PERFETTO_OWN_CLOCKS_MAX)
			clock = &own->clocks[own->count++];
		if (clock != NULL)
			*clock = (struct perfetto_own_clock){ .id = reading->id,
							      .is_incremental = reading->is_incremental,
							      .unit = reading->unit,
							      .last = reading->time,
							      .begin = { reading->time, trace } };
	}
}

bool perfetto_own_clocks_convert(struct perfetto_own_clocks *own, uint32_t id, uint64_t time, uint64_t *out)
{
	struct perfetto_own_clock *clock = own_clock_of(own, id);
	if (clock == NULL)
		return false;
	if (clock->is_incremental)
		time = clock->last += time;
	*out = convert(&clock->begin, time, clock->unit);
	return true;
}
