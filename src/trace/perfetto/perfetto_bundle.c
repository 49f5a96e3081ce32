// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_bundle.h"

#include <stdlib.h>

#include "base/array.h"

enum {
	BUNDLE_CPU = 1,
	BUNDLE_LOST = 3,
	BUNDLE_COMPACT = 4,
	BUNDLE_CLOCK = 5,
	BUNDLE_FTRACE_TIME = 6,
	BUNDLE_BOOT_TIME = 7,
	BUNDLE_ERROR = 8,
	BUNDLE_PREVIOUS_END = 10,
};

enum {
	SWITCH_TIME = 1,
	SWITCH_PREV_STATE = 2,
	SWITCH_PID = 3,
	SWITCH_PRIO = 4,
	COMPACT_NAMES = 5,
	SWITCH_COMM = 6,
	WAKING_TIME = 7,
	WAKING_PID = 8,
	WAKING_CPU = 9,
	WAKING_PRIO = 10,
	WAKING_COMM = 11,
};

/* More names of threads are in no bundle. */
enum { NAMES_MAX = 1 << 16 };

struct perfetto_bundle perfetto_bundle_read(struct wire_message message)
{
	struct perfetto_bundle bundle = { 0 };
	struct wire_field field;
	uint64_t here = 0, boot = 0;
	while (wire_next(&message, &field)) {
		switch (field.number) {
		case BUNDLE_CPU:
			bundle.cpu = field.value > UINT32_MAX ? UINT32_MAX : (uint32_t)field.value;
			break;
		case BUNDLE_LOST:
			bundle.is_behind_loss = field.value != 0;
			break;
		case BUNDLE_COMPACT:
			bundle.compact = wire_inside(&field);
			bundle.has_compact = true;
			break;
		case BUNDLE_CLOCK:
			bundle.has_other_clock = field.value != 0;
			break;
		case BUNDLE_FTRACE_TIME:
			here = field.value;
			break;
		case BUNDLE_BOOT_TIME:
			boot = field.value;
			break;
		case BUNDLE_ERROR:
			bundle.has_errors = true;
			break;
		case BUNDLE_PREVIOUS_END:
			bundle.previous_end = field.value;
			bundle.has_end = field.value != 0;
			break;
		default:
			break;
		}
	}
	bundle.shift = bundle.has_other_clock ? boot - here : 0;
	return bundle;
}

bool perfetto_bundle_time(const struct perfetto_bundle *bundle, const struct perfetto_clocks *clocks, uint64_t time,
			  histree_time *out)
{
	uint64_t boot = time + bundle->shift, trace;
	if (!perfetto_clocks_convert(clocks, PERFETTO_CLOCK_BOOTTIME, boot, &trace))
		trace = boot;
	return perfetto_clocks_time(clocks, trace, out);
}

bool perfetto_bundle_misses(const struct perfetto_bundle *bundle, const struct perfetto_clocks *clocks,
			    histree_time last)
{
	histree_time end;
	return bundle->has_end && perfetto_bundle_time(bundle, clocks, bundle->previous_end, &end) && end > last;
}

/* ---- compact events -------------------------------------------------------------------------------------- */

void perfetto_names_release(struct perfetto_names *names)
{
	free(names->names);
	*names = (struct perfetto_names){ 0 };
}

static bool add_name(struct perfetto_names *names, const struct wire_field *field)
{
	if (names->count == NAMES_MAX)
		return true;
	if (!array_reserve(&names->names, &names->capacity, names->count + 1))
		return false;
	names->names[names->count++] =
		(struct perfetto_name){ .bytes = (const char *)field->bytes, .size = field->size };
	return true;
}

bool perfetto_compact_begin(struct perfetto_compact *compact, struct perfetto_names *names,
			    struct wire_message message)
{
	struct wire_field field;
	*compact = (struct perfetto_compact){ .names = names };
	names->count = 0;
	while (wire_next(&message, &field)) {
		if (field.bytes == NULL || field.number >= COMPACT_COLUMNS)
			continue;
		if (field.number != COMPACT_NAMES)
			compact->columns[field.number] = wire_list(&field, WIRE_VARINT);
		else if (!add_name(names, &field))
			return false;
	}
	return true;
}

static struct perfetto_name name_at(const struct perfetto_compact *compact, uint64_t place)
{
	return place < compact->names->count ? compact->names->names[place] : (struct perfetto_name){ "", 0 };
}

bool perfetto_compact_switch(struct perfetto_compact *compact)
{
	struct wire_list *columns = compact->columns;
	uint64_t time, state, pid, prio, comm;
	if (!wire_list_next(&columns[SWITCH_TIME], &time) || !wire_list_next(&columns[SWITCH_PREV_STATE], &state) ||
	    !wire_list_next(&columns[SWITCH_PID], &pid) || !wire_list_next(&columns[SWITCH_PRIO], &prio) ||
	    !wire_list_next(&columns[SWITCH_COMM], &comm))
		return false;
	compact->next = (struct compact_switch){
		.time = compact->next.time + time,
		.prev_state = (int64_t)state,
		.pid = (int32_t)pid,
		.prio = (int32_t)prio,
		.comm = name_at(compact, comm),
	};
	return true;
}

bool perfetto_compact_waking(struct perfetto_compact *compact)
{
	struct wire_list *columns = compact->columns;
	uint64_t time, pid, cpu, prio, comm;
	if (!wire_list_next(&columns[WAKING_TIME], &time) || !wire_list_next(&columns[WAKING_PID], &pid) ||
	    !wire_list_next(&columns[WAKING_CPU], &cpu) || !wire_list_next(&columns[WAKING_PRIO], &prio) ||
	    !wire_list_next(&columns[WAKING_COMM], &comm))
		return false;
	compact->waking = (struct compact_waking){
		.time = compact->waking.time + time,
		.pid = (int32_t)pid,
		.target_cpu = (int32_t)cpu,
		.prio = (int32_t)prio,
		.comm = name_at(compact, comm),
	};
	return true;
}
